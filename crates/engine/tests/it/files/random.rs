//! Random changes on both sides between two syncs.

use std::collections::BTreeSet;

use proptest::{prelude::*, sample::select};

use super::*;

#[derive(Debug, Clone)]
enum Happening {
    Add(usize),
    Revise(usize, usize),
    Archive(usize),
    Approve(usize),
    Delete(usize),
    NewFile(usize, usize),
    EditFile(usize, usize),
    DeleteFile(usize),
    Garble(usize),
    Settle(usize),
    Sync,
}

const WORDS: [&str; 12] = [
    "Pin the compiler before the build.",
    "Vendor the modules of the crawler.",
    "Restart the worker after a migration.",
    "Read the lock file first.",
    "Ask for the schema of the table.",
    "Use a bearer token with the proxy.",
    "Quote the glob in the shell.",
    "Escape the backslash in the pattern.",
    "Wait for the port to open.",
    "Fetch the tags before describing.",
    "Sort the keys of the fixture.",
    "Free the handle in the callback.",
];
const SLUGS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

fn happening() -> impl Strategy<Value = Happening> {
    let (what, which) = (0..WORDS.len(), 0..6_usize);
    prop_oneof![
        1 => what.clone().prop_map(Happening::Add),
        1 => (which.clone(), what.clone()).prop_map(|(which, what)| Happening::Revise(which, what)),
        1 => which.clone().prop_map(Happening::Archive),
        2 => which.clone().prop_map(Happening::Approve),
        1 => which.clone().prop_map(Happening::Delete),
        1 => (0..SLUGS.len(), what.clone()).prop_map(|(slug, what)| Happening::NewFile(slug, what)),
        2 => (which.clone(), what).prop_map(|(which, what)| Happening::EditFile(which, what)),
        1 => which.clone().prop_map(Happening::DeleteFile),
        1 => which.clone().prop_map(Happening::Garble),
        2 => which.prop_map(Happening::Settle),
        4 => Just(Happening::Sync),
    ]
}

impl Repo {
    /// Returns the names of the files that could be lessons.
    fn files(&self) -> Vec<String> {
        if !self.folder().exists() {
            return Vec::new();
        }
        let tree = self.tree();
        let names = tree
            .lines()
            .filter(|name| !name.starts_with('_') && !name.contains(".conflict"));
        names.map(str::to_owned).collect()
    }

    fn nth(&self, which: usize) -> Option<Lesson> {
        let all = self.desk().lessons(&LessonListing::default()).unwrap();
        (!all.is_empty()).then(|| all[which % all.len()].clone())
    }

    fn happen(&self, happening: &Happening, agreed: &mut BTreeSet<(String, &'static str)>) {
        let files = self.files();
        let file = |which: usize| (!files.is_empty()).then(|| files[which % files.len()].clone());
        match *happening {
            Happening::Add(what) => drop(self.add("sig", WORDS[what])),
            Happening::Revise(which, what) => {
                if let Some(lesson) = self.nth(which) {
                    let edited = self.edit(lesson.id.0, WORDS[what]);
                    // The only accepted reason for refusal: another lesson says so already.
                    assert!(
                        edited
                            .err()
                            .is_none_or(|why| why.contains("says the same already"))
                    );
                }
            }
            Happening::Archive(which) => {
                if let Some(lesson) = self.nth(which) {
                    self.desk()
                        .archive_lesson(lesson.id, &"why".into())
                        .unwrap();
                }
            }
            Happening::Approve(which) => {
                if let Some(lesson) = self.nth(which) {
                    self.desk().approve_lesson(lesson.id, None).unwrap();
                }
            }
            Happening::Delete(which) => {
                if let Some(lesson) = self.nth(which) {
                    self.desk().erase_lesson(lesson.id).unwrap();
                }
            }
            Happening::NewFile(slug, what) => {
                let slug = SLUGS[slug];
                self.put(&format!("{slug}.md"), &super::file(slug, WORDS[what]));
            }
            Happening::EditFile(which, what) => {
                if let Some(name) = file(which) {
                    let mut text = self.read(&name);
                    for words in WORDS {
                        text =
                            text.replace(&format!("\n{words}\n"), &format!("\n{}\n", WORDS[what]));
                    }
                    self.put(&name, &text);
                }
            }
            Happening::DeleteFile(which) => {
                if let Some(name) = file(which) {
                    fs::remove_file(self.path(&name)).unwrap();
                }
            }
            Happening::Garble(which) => {
                if let Some(name) = file(which) {
                    let text = self.read(&name);
                    self.put(&name, &format!("<<<<<<< a\n{text}=======\n>>>>>>> b\n"));
                }
            }
            Happening::Settle(which) => {
                let tree = if self.folder().exists() {
                    self.tree()
                } else {
                    String::new()
                };
                let open: Vec<&str> = tree
                    .lines()
                    .filter(|name| name.contains(".conflict"))
                    .collect();
                if !open.is_empty() {
                    fs::remove_file(self.path(open[which % open.len()])).unwrap();
                }
            }
            Happening::Sync => self.check_sync(agreed),
        }
    }

    /// Returns every text, by the file or the lesson that has it.
    fn everything(&self) -> BTreeSet<(String, &'static str)> {
        let tree = if self.folder().exists() {
            self.tree()
        } else {
            String::new()
        };
        let files = tree.lines().filter(|name| *name != "_index.md");
        let mut sides: Vec<(String, String)> = files
            .map(|name| (name.to_owned(), self.read(name)))
            .collect();
        let bank = self.bank();
        sides.extend(bank.lines().map(|line| {
            let (id, text) = line.split_once(' ').unwrap();
            (id.to_owned(), text.to_owned())
        }));
        let mut everything = BTreeSet::new();
        for (name, text) in &sides {
            for words in WORDS.into_iter().filter(|words| text.contains(words)) {
                everything.insert((name.clone(), words));
            }
        }
        everything
    }

    fn check_sync(&self, agreed: &mut BTreeSet<(String, &'static str)>) {
        let before = self.everything();
        self.sync();
        let after = self.everything();
        // Every change on either side since they last agreed is still there.
        for (side, words) in before.difference(agreed) {
            let is_there = after.iter().any(|(_, it)| it == words);
            assert!(is_there, "{words} of {side} is lost\n{}", self.bank());
        }
        // A file that cannot be read agrees to nothing new, and its last agreed state stands.
        let is_garbled = |name: &String| self.read(name).contains("<<<<<<<");
        let garbled: Vec<String> = self.files().into_iter().filter(is_garbled).collect();
        agreed.retain(|(side, _)| garbled.contains(side));
        agreed.extend(after.iter().cloned());
        let all = self.desk().lessons(&LessonListing::default()).unwrap();
        for lesson in all.iter().filter(|it| it.status == Status::Active) {
            let text = lesson.content.text.as_str();
            let shown = self
                .files()
                .iter()
                .any(|name| self.read(name).contains(text));
            let waits = !garbled.is_empty() || self.tree().contains(".conflict");
            let stands_in = all.iter().any(|it| it.supersedes.contains(&lesson.id));
            assert!(
                shown || waits || stands_in,
                "{text} has no file\n{}",
                self.tree()
            );
        }
        assert!(self.desk().audit_journal().unwrap().is_sound());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn nothing_is_lost_and_both_sides_come_to_rest(
        happenings in prop::collection::vec(happening(), 0..40),
        imported in select(vec![EntryState::Active, EntryState::Pending]),
    ) {
        let repo = Repo::new(imported);
        let mut agreed = BTreeSet::new();
        for happening in &happenings {
            repo.happen(happening, &mut agreed);
        }
        repo.check_sync(&mut agreed);
    }
}
