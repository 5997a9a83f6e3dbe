//! Where an entry of a general memory belongs: where it is, there in fewer words, or in the project that it names.
//!
//! A general memory is read in every session, so what is about one project is noise in all others, and tells of that
//! project where it is not known. What names a project belongs in that project. A name counts only if it tells the
//! project from all others ([`PrivateName::from_project`]), or is the path of its folder; which projects are known is for
//! the caller to say.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use hardwon_core::{
    ProjectId,
    advice::says_what_to_do,
    guard::{neutralise, sentences::sentence_ends},
    limits,
};

use crate::leak::{PrivateName, build_finder, find_words};

/// A project that is known, with the folders in which it is on this machine, as they may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownProject {
    /// The project.
    pub id: ProjectId,
    /// Its folders, such as `/home/ada/shop` and `~/shop`.
    pub folders: Vec<String>,
}

/// The projects that an entry may name.
#[derive(Debug)]
pub struct KnownProjects {
    ids: Vec<ProjectId>,
    /// For each word the project that it names.
    owners: Vec<usize>,
    finder: AhoCorasick,
}

/// Where an entry of a general memory belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditVerdict {
    /// Where it is.
    Keep,
    /// Where it is, in these words.
    Condense {
        /// What it comes to.
        to: String,
    },
    /// In the project that it names.
    Relocate {
        /// The project.
        project: ProjectId,
        /// The words that name it.
        named: String,
    },
    /// It names several projects, or one that cannot be told from another.
    Undecided {
        /// The projects.
        projects: Vec<ProjectId>,
    },
}

impl AuditVerdict {
    /// Returns its name: `keep`, `condense`, `relocate` or `undecided`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Condense { .. } => "condense",
            Self::Relocate { .. } => "relocate",
            Self::Undecided { .. } => "undecided",
        }
    }
}

impl KnownProjects {
    /// Puts together what names each project.
    pub fn new(projects: impl IntoIterator<Item = KnownProject>) -> Self {
        let (mut ids, mut owners, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for project in projects {
            let owner = ids.len();
            let names = PrivateName::from_project(project.id.as_str(), None);
            let names = names.into_iter().map(|name| name.text);
            // A folder near the root says nothing, and every word may begin with it.
            let folders = project.folders.into_iter();
            let folders = folders
                .filter(|folder| folder.matches('/').count() >= 2 || folder.starts_with("~/"));
            for word in names
                .chain(folders)
                .filter(|name| name.len() >= limits::PROJECT_WORD_BYTES)
            {
                owners.push(owner);
                words.push(word);
            }
            ids.push(project.id);
        }
        Self {
            ids,
            owners,
            finder: build_finder(words.iter().map(String::as_str)),
        }
    }

    /// Finds the projects that a text names, with the words that name each first.
    fn find_named<'t>(&self, text: &'t str) -> Vec<(usize, &'t str)> {
        let mut spans: Vec<(Range<usize>, usize)> = find_words(&self.finder, text)
            .into_iter()
            .map(|(range, index)| (range, self.owners[index]))
            .filter(|(range, _)| stands_alone(text, range))
            .collect();
        // What is inside of a longer name is a part of that one.
        let all = spans.clone();
        let is_part = |range: &Range<usize>| {
            all.iter().any(|(other, _)| {
                other.len() > range.len() && other.start <= range.start && range.end <= other.end
            })
        };
        spans.retain(|(range, _)| !is_part(range));
        let mut projects: Vec<(usize, &str)> = Vec::new();
        for (range, owner) in spans {
            if !projects.iter().any(|(other, _)| *other == owner) {
                projects.push((owner, &text[range]));
            }
        }
        projects
    }
}

/// Returns whether a name is no part of a longer word.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let is_word =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let is_path = text[range.clone()].starts_with(['/', '~']);
    let is_inside = is_word(before) || is_word(after) || is_path && before == Some('/');
    !is_inside
}

/// Says where an entry belongs. `home` is the project whose memory it is in, if it is in one's.
pub fn audit_entry(text: &str, known: &KnownProjects, home: Option<&ProjectId>) -> AuditVerdict {
    let projects = known.find_named(text);
    let others: Vec<&(usize, &str)> = projects
        .iter()
        .filter(|(owner, _)| Some(&known.ids[*owner]) != home)
        .collect();
    let names_home = others.len() < projects.len();
    match others[..] {
        [(owner, word)] if !names_home => AuditVerdict::Relocate {
            project: known.ids[*owner].clone(),
            named: (*word).to_owned(),
        },
        [] => condense(text).map_or(AuditVerdict::Keep, |to| AuditVerdict::Condense { to }),
        _ => AuditVerdict::Undecided {
            projects: others
                .iter()
                .map(|(owner, _)| known.ids[*owner].clone())
                .collect(),
        },
    }
}

/// Returns what a long entry comes to: its first sentence and those that say what to do, as far as they fit; `None` if it
/// is short enough, or no sentence of it is.
fn condense(text: &str) -> Option<String> {
    if text.chars().count() <= limits::AUDIT_ENTRY_CHARS {
        return None;
    }
    let (mut short, mut start) = (String::new(), 0);
    for end in sentence_ends(text) {
        let sentence = text[start..end].trim();
        start = end;
        let is_wanted = short.is_empty() || says_what_to_do(sentence);
        let length = short.chars().count() + sentence.chars().count() + 1;
        if is_wanted && length <= limits::AUDIT_SHORT_CHARS {
            if !short.is_empty() {
                short.push(' ');
            }
            short += sentence;
        }
    }
    (!short.is_empty()).then(|| neutralise(&short).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> KnownProjects {
        let project = |id: &str, folders: &[&str]| KnownProject {
            id: ProjectId::parse(id).unwrap(),
            folders: folders.iter().map(|it| (*it).to_owned()).collect(),
        };
        KnownProjects::new([
            project(
                "github.com/acme/bluebird",
                &["/home/ada/src/bluebird", "~/src/bluebird"],
            ),
            project("github.com/acme/bluebird-web", &[]),
            project("github.com/acme/tools", &["/home/ada/tools", "~/tools"]),
            project("/home/ada/kestrel/.git", &["/home/ada/kestrel"]),
            project("github.com/ada/kestrel", &[]),
        ])
    }

    fn check(text: &str, expected: &str) {
        let home = ProjectId::parse("github.com/acme/tools").unwrap();
        let found = match audit_entry(text, &known(), Some(&home)) {
            AuditVerdict::Keep => "keep".to_owned(),
            AuditVerdict::Condense { to } => format!("condense: {to}"),
            AuditVerdict::Relocate { project, named } => format!("{named} -> {}", project.as_str()),
            AuditVerdict::Undecided { projects } => {
                let names: Vec<&str> = projects.iter().map(ProjectId::as_str).collect();
                format!("undecided: {}", names.join(", "))
            }
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_names_a_project_belongs_there() {
        let bluebird = "bluebird -> github.com/acme/bluebird";
        for (text, expected) in [
            ("Use tabs.", "keep"),
            ("In bluebird, run `make db` first.", bluebird),
            ("bluebirds are birds, and my-bluebird another thing", "keep"),
            (
                "Bluebird-web needs node 22",
                "Bluebird-web -> github.com/acme/bluebird-web",
            ),
            (
                "Never push to acme/bluebird",
                "acme/bluebird -> github.com/acme/bluebird",
            ),
            (
                "cd ~/src/bluebird/api first",
                "~/src/bluebird -> github.com/acme/bluebird",
            ),
            (
                "in /home/ada/kestrel use pnpm",
                "/home/ada/kestrel -> /home/ada/kestrel/.git",
            ),
            // A word that many texts have names nothing by itself.
            ("Keep tools up to date", "keep"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_names_several_is_for_a_person() {
        for (text, expected) in [
            (
                "kestrel uses pnpm",
                "undecided: /home/ada/kestrel/.git, github.com/ada/kestrel",
            ),
            (
                "bluebird and bluebird-web share a database",
                "undecided: github.com/acme/bluebird, github.com/acme/bluebird-web",
            ),
            // What names the project whose memory it is in, and another.
            (
                "acme/tools deploys bluebird",
                "undecided: github.com/acme/bluebird",
            ),
            ("acme/tools has no tests", "keep"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_is_long_is_condensed() {
        let long = format!(
            "Tests share a database. {}Never run two suites at once.",
            "The suite was written in spring and holds many samples of orders. ".repeat(12)
        );
        check(
            &long,
            "condense: Tests share a database. Never run two suites at once.",
        );
        check(&"word ".repeat(300), "keep");
    }
}
