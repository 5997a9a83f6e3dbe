//! Names that must not ship: which ones tell enough to be searched for, and where a text has them.
//!
//! A name is searched for only if it is distinctive: an account called `admin` and a project called `tools` would be met
//! in every text. Where the names come from is the caller's concern.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::{
    LeakRule,
    common_words::{is_common, is_given_name},
};

/// The shortest name of an account, a machine or a person that is searched for, in characters.
const ACCOUNT_CHARS: usize = 4;
/// The shortest name of a project that is searched for by itself, in characters.
const PROJECT_CHARS: usize = 6;

/// A name that must not ship.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrivateName {
    /// The name as it is written.
    pub text: String,
    /// The rule that finds it.
    pub rule: LeakRule,
}

impl PrivateName {
    /// Takes a name that somebody configured; `None` if it is blank.
    pub fn from_setting(name: &str) -> Option<Self> {
        let name = name.trim();
        (name.len() >= 3).then(|| Self::new(name, LeakRule::PrivateName))
    }

    /// Takes the name of an account on this machine; `None` if many have it.
    pub fn from_account(name: &str) -> Option<Self> {
        is_distinctive_account(name).then(|| Self::new(name, LeakRule::UserName))
    }

    /// Takes the home folder of this account, whatever it is called; `None` if it is that of no person.
    pub fn from_home(folder: &str) -> Option<Self> {
        let folder = folder.trim_end_matches(['/', '\\']);
        let (above, name) = folder.rsplit_once(['/', '\\'])?;
        let is_own = !above.is_empty() && !["root", "runner"].contains(&name);
        is_own.then(|| Self::new(folder, LeakRule::HomePath))
    }

    /// Takes the name of this machine, without its domain; `None` if many have it, or a service makes it.
    pub fn from_host(name: &str) -> Option<Self> {
        let name = name.split('.').next().unwrap_or_default();
        let parts = || name.split(['-', '_']);
        // A container's name is a digest; `ip-10-0-0-1` and `fv-az1-2` are drawn by a cloud.
        let is_drawn = parts().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
            || parts().all(|part| part.len() < 3 || is_common(part) || !has_letters(part));
        (is_distinctive_account(name) && !is_drawn).then(|| Self::new(name, LeakRule::HostName))
    }

    /// Takes what tells another project from all others: its name if that is distinctive, and its owner with its name.
    /// Nothing that is part of this project's own name is private here.
    pub fn from_project(project: &str, own: Option<&str>) -> Vec<Self> {
        let path = project.trim_end_matches('/').trim_end_matches("/.git");
        let own = own.unwrap_or_default().to_lowercase();
        let mut parts = path.rsplit(['/', '\\']);
        let name = parts.next().unwrap_or_default();
        let owner = parts
            .next()
            .filter(|_| !path.starts_with(['/', '~']) && !path.contains('\\'));
        let owner =
            owner.filter(|owner| owner.len() + name.len() >= PROJECT_CHARS && !owner.contains('.'));
        let whole = owner.map(|owner| format!("{owner}/{name}"));
        let name = is_distinctive_project(name).then(|| name.to_owned());
        let is_other = |name: &String| !own.contains(&name.to_lowercase());
        [name, whole]
            .into_iter()
            .flatten()
            .filter(is_other)
            .map(|name| Self::new(&name, LeakRule::PrivateProject))
            .collect()
    }

    fn new(text: &str, rule: LeakRule) -> Self {
        Self {
            text: text.to_owned(),
            rule,
        }
    }
}

fn has_letters(part: &str) -> bool {
    part.bytes().filter(u8::is_ascii_alphabetic).count() >= 2
}

fn is_distinctive_account(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.chars().count() >= ACCOUNT_CHARS
        && stem.chars().count() >= 3
        && !is_common(name)
        && !is_common(stem)
        && !is_given_name(stem)
}

/// Returns whether a project's name alone tells it from others: a long word that is no common one, or several words of
/// which one is not common.
fn is_distinctive_project(name: &str) -> bool {
    let is_telling = |word: &str| word.len() >= 3 && has_letters(word) && !is_common(word);
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    name.chars().count() >= PROJECT_CHARS
        && !is_common(name)
        && words.iter().any(|word| is_telling(word))
        && !words.iter().all(|word| is_plural_or_version(word))
}

/// Returns whether a word is a common one with an ending: `parsers`, `api2`.
fn is_plural_or_version(word: &str) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    is_common(stem) || stem.strip_suffix('s').is_some_and(is_common) || stem.len() < 3
}

/// All names that are searched for at once.
#[derive(Debug)]
pub struct PrivateNames {
    names: Vec<PrivateName>,
    finder: AhoCorasick,
}

impl Default for PrivateNames {
    fn default() -> Self {
        Self::new([])
    }
}

/// Where a text has a private name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameSpan {
    pub(super) range: Range<usize>,
    pub(super) rule: LeakRule,
}

impl PrivateNames {
    /// Takes the names; of one that is given twice, the first rule counts.
    pub fn new(names: impl IntoIterator<Item = PrivateName>) -> Self {
        let mut own_names: Vec<PrivateName> = Vec::new();
        for name in names {
            if !own_names
                .iter()
                .any(|other| other.text.eq_ignore_ascii_case(&name.text))
            {
                own_names.push(name);
            }
        }
        Self {
            finder: build_finder(own_names.iter().map(|name| name.text.as_str())),
            names: own_names,
        }
    }

    /// Returns how many names there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Drops the names of projects that a dependency file has as packages: what is published is not private. A line that
    /// says where else the package comes from does not count.
    #[must_use]
    pub fn without_published(self, dependency_files: &[String]) -> Self {
        const SOURCES: &[&str] = &["git", "ssh:", "file:", "path", "link:", "workspace:", "@"];
        let is_registry = |line: &&str| !SOURCES.iter().any(|source| line.contains(source));
        let mut published_names = Vec::new();
        for line in dependency_files
            .iter()
            .flat_map(|file| file.lines())
            .filter(is_registry)
        {
            let names = self.find_in(line).into_iter();
            let projects = names.filter(|span| span.rule == LeakRule::PrivateProject);
            published_names.extend(projects.map(|span| line[span.range].to_lowercase()));
        }
        let is_private = |name: &PrivateName| {
            name.rule != LeakRule::PrivateProject
                || !published_names.contains(&name.text.to_lowercase())
        };
        Self::new(self.names.into_iter().filter(is_private))
    }

    /// Finds the names in a text, the longest at each place.
    pub(super) fn find_in(&self, text: &str) -> Vec<NameSpan> {
        let mut spans: Vec<NameSpan> = Vec::new();
        for (range, index) in find_words(&self.finder, text) {
            let rule = self.names[index].rule;
            if !is_name_at(text, &range, rule) {
                continue;
            }
            match spans.last_mut() {
                Some(last) if range.start < last.range.end => {
                    if range.len() > last.range.len() {
                        *last = NameSpan { range, rule };
                    }
                }
                _ => spans.push(NameSpan { range, rule }),
            }
        }
        spans
    }
}

/// Builds what finds words in one pass, in any case.
pub(crate) fn build_finder<'w>(words: impl IntoIterator<Item = &'w str>) -> AhoCorasick {
    let mut builder = AhoCorasick::builder();
    let finder = builder.ascii_case_insensitive(true).build(words);
    finder.expect("a few names fit into it")
}

/// Returns where each word is, in the order of the text, those that overlap among them.
pub(crate) fn find_words(finder: &AhoCorasick, text: &str) -> Vec<(Range<usize>, usize)> {
    let words = finder.find_overlapping_iter(text);
    let mut words: Vec<_> = words
        .map(|word| (word.range(), word.pattern().as_usize()))
        .collect();
    words.sort_by_key(|(range, index)| (range.start, *index));
    words
}

/// Returns whether the name stands by itself: it is no part of a longer word, and an account's or a machine's name is no
/// handle and no part of a URL, where it is meant to be public.
fn is_name_at(text: &str, range: &Range<usize>, rule: LeakRule) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let name = &text[range.clone()];
    let is_compound = name.contains(|c: char| !c.is_alphanumeric());
    let continues = |c: Option<char>| {
        c.is_some_and(|c| c.is_alphanumeric() || !is_compound && (c == '-' || c == '_'))
    };
    if continues(before) || continues(after) {
        return false;
    }
    match rule {
        LeakRule::UserName | LeakRule::HostName => {
            before != Some('@') && !is_in_url(&text[..range.start])
        }
        LeakRule::HomePath => !after.is_some_and(|c| "-_".contains(c)),
        _ => true,
    }
}

/// Returns whether a URL leads up to the end of a text.
fn is_in_url(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || "\"'<>()`".contains(c))
        .next();
    word.is_some_and(|word| {
        word.contains("://") || word.contains("github.com") || word.contains("gitlab.com")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_own_home_counts_whatever_it_is_called() {
        let home = PrivateName::from_home("/home/user/");
        let names = PrivateNames::new(home);
        for (text, expected) in [
            ("see /home/user/src", 1),
            ("\"/home/user\"", 1),
            ("/home/user2/src", 0),
            ("/home/user-x/src", 0),
            ("/srv/home/user/src", 0),
        ] {
            assert_eq!(names.find_in(text).len(), expected, "{text}");
        }
        for folder in ["/root", "/", "", "/home/runner"] {
            assert_eq!(PrivateName::from_home(folder), None, "{folder}");
        }
    }

    #[test]
    fn accounts_and_machines_that_tell_something() {
        for (name, user, host) in [
            ("root", false, false),
            ("ubuntu", false, false),
            ("runner", false, false),
            ("joe", false, false),
            ("admin2", false, false),
            ("mark", false, false),
            ("jmorrow", true, true),
            ("kestrel", true, true),
            ("ip-10-0-3-7", true, false),
            ("3f2a9c0d11aa", true, false),
            ("morrow-laptop.lan", true, true),
        ] {
            assert_eq!(PrivateName::from_account(name).is_some(), user, "{name}");
            assert_eq!(PrivateName::from_host(name).is_some(), host, "{name}");
        }
    }

    #[test]
    fn projects_that_tell_something() {
        for (project, expected) in [
            (
                "github.com/acme/bluebird-api",
                &["bluebird-api", "acme/bluebird-api"][..],
            ),
            ("github.com/acme/api", &["acme/api"]),
            ("github.com/acme/my-web-app", &["acme/my-web-app"]),
            ("/projects/bluebird/.git", &["bluebird"]),
            ("/projects/tools", &[]),
            ("/srv/x1", &[]),
            ("github.com/ada/here", &[]),
            ("C:\\projects\\bluebird", &["bluebird"]),
        ] {
            let names = PrivateName::from_project(project, Some("github.com/ada/here"));
            let names: Vec<&str> = names.iter().map(|name| &*name.text).collect();
            assert_eq!(names, expected, "{project}");
        }
    }

    #[test]
    fn what_a_dependency_file_has_is_published() {
        let names = PrivateNames::new(["bluebird", "kingfisher"].map(|text| PrivateName {
            text: text.to_owned(),
            rule: LeakRule::PrivateProject,
        }));
        let files = [
            "kingfisher = \"1.0\"\n".to_owned(),
            "bluebird = { git = \"ssh://git@h/bluebird\" }\n".to_owned(),
        ];
        let names = names.without_published(&files);
        assert_eq!(names.find_in("kingfisher, bluebird").len(), 1);
        assert_eq!(names.count(), 1);
    }

    #[test]
    fn names_stand_by_themselves() {
        let named = |text: &str, rule| PrivateName::new(text, rule);
        let names = PrivateNames::new([
            named("kestrel", LeakRule::UserName),
            named("bluebird", LeakRule::PrivateProject),
            named("bluebird-api", LeakRule::PrivateProject),
        ]);
        for (text, expected) in [
            ("by Kestrel, today", &["Kestrel"][..]),
            ("kestrels and kestrel_2", &[]),
            ("thanks @kestrel", &[]),
            ("https://github.com/kestrel/x", &[]),
            ("git@github.com:kestrel/x", &[]),
            ("the bluebird-api_test database", &["bluebird-api"]),
            ("BLUEBIRD, bluebirds", &["BLUEBIRD"]),
            ("bluebird-web", &[]),
        ] {
            let found = names.find_in(text);
            let found: Vec<&str> = found.iter().map(|it| &text[it.range.clone()]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
