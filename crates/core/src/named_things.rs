//! What a lesson names that can be looked up in a repository: files and scripts.
//!
//! A part of a lesson that says that something is missing, or to be made, names nothing. Nothing is looked up here.
//! What no look-up can be sure of is not named: a script of a lesson that names a path may be a script of that place,
//! `yarn run` and `bun run` run programs of packages too, an option may be another program's that a script hands it on
//! to, and a branch may be in clones that this one has not heard of.

use crate::{
    CleanText, LessonContent,
    shell::is_listed,
    text::quoted::{list_code, strip_code},
};

/// Most things of one lesson that are looked up.
const THINGS: usize = 8;

/// Words of a clause whose things need not be there.
const ABSENCE: &str = "missing create creating generate generated add exist exists no not never avoid don't without deleted \
    removed gone renamed fails failed fail wrong instead copy write old was absent lacks until unless e.g \
    example like cannot temporary tmp output writes produces builds";

/// Something that a lesson names and a repository has or has not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedThing {
    /// A file or folder, by its path from the root.
    File(String),
    /// A script of a task runner.
    Script {
        /// The program that runs it: `npm`, `make`, `just`.
        runner: String,
        /// Its name.
        name: String,
    },
}

/// What a look-up found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupFinding {
    /// It is there.
    Present,
    /// It is gone, and this is what is there instead or was seen, in a few words.
    Gone(String),
    /// It cannot be said.
    Unknown,
}

/// Finds what a lesson names that can be looked up, in the order in which it names them.
pub fn find_named_things(content: &LessonContent) -> Vec<NamedThing> {
    let texts = [&content.signature, &content.text];
    let mut things = Vec::new();
    for clause in texts.into_iter().flat_map(split_clauses) {
        if !speaks_of_absence(&clause) {
            find_in_clause(&clause, &mut things);
        }
    }
    if texts.iter().any(|text| text.as_str().contains('/')) {
        things.retain(|thing| matches!(thing, NamedThing::File(_)));
    }
    things.dedup();
    things.truncate(THINGS);
    things
}

/// Splits a text where a thought ends; a full stop within a name is none.
fn split_clauses(text: &CleanText) -> Vec<String> {
    let mut clauses = vec![String::new()];
    let mut in_code = false;
    for c in text
        .as_str()
        .split_inclusive(char::is_whitespace)
        .flat_map(|word| {
            let ends = word.trim_end().ends_with(['.', ',', ';', '!', '?']);
            word.chars().chain(ends.then_some('\0'))
        })
    {
        in_code ^= c == '`';
        match c {
            '\0' if !in_code => clauses.push(String::new()),
            '\0' => {}
            _ => {
                if let Some(last) = clauses.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    clauses
}

fn speaks_of_absence(clause: &str) -> bool {
    let prose = strip_code(clause);
    let mut words = prose.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '.'));
    words.any(|word| is_listed(ABSENCE, &word.trim_matches('.').to_lowercase()))
}

fn find_in_clause(clause: &str, things: &mut Vec<NamedThing>) {
    let words: Vec<&str> = clause
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ','))
        .map(|word| word.trim_end_matches(['.', ';', ':', '!', '?']))
        .filter(|word| !word.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate() {
        if at > 0 && words[at - 1] == "branch" {
            continue;
        }
        let next = words.get(at + 1).copied().unwrap_or_default();
        let after = words.get(at + 2).copied().unwrap_or_default();
        match *word {
            "npm" | "pnpm" if next == "run" && is_script_name(after) => {
                things.push(script("npm", after));
            }
            "make" | "just" if is_code(clause, word) && is_script_name(next) => {
                things.push(script(word, next));
            }
            _ if is_path(word) => {
                let path = word.trim_start_matches("./").split(':').next();
                things.push(NamedThing::File(path.unwrap_or(word).to_owned()));
            }
            _ => {}
        }
    }
}

fn script(runner: &str, name: &str) -> NamedThing {
    NamedThing::Script {
        runner: runner.to_owned(),
        name: name.to_owned(),
    }
}

/// Returns whether a word of a clause stands in code.
fn is_code(clause: &str, word: &str) -> bool {
    list_code(clause).any(|code| code.split_whitespace().next() == Some(word))
}

fn is_script_name(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_');
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(is_name)
}

/// Returns whether a word is the path of a file of a repository: relative, of plain characters, with a folder and an
/// ending, or a script with a well-known ending.
fn is_path(word: &str) -> bool {
    let word = word
        .trim_start_matches("./")
        .split(':')
        .next()
        .unwrap_or(word);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '@');
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", word));
    let ending = name.rsplit_once('.').map_or(
        "",
        |(stem, ending)| if stem.is_empty() { "" } else { ending },
    );
    let is_ending =
        (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
    let is_known = matches!(
        ending,
        "sh" | "py" | "toml" | "yml" | "yaml" | "json" | "mk" | "ts" | "js" | "rs" | "go"
    );
    word.chars().all(is_plain)
        && !word.starts_with(['/', '-', '@', '.'])
        && !word.contains("//")
        && !word.contains("..")
        && is_ending
        && (!folder.is_empty() || (is_known && !word.starts_with(char::is_uppercase)))
        && !folder
            .split('/')
            .next()
            .is_some_and(|first| first.contains('.'))
        && ending.chars().any(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_thing(thing: &NamedThing) -> String {
        match thing {
            NamedThing::File(path) => format!("file {path}"),
            NamedThing::Script { runner, name } => format!("{runner} {name}"),
        }
    }

    fn check(text: &str, expected: &[&str]) {
        let content = LessonContent::new(
            CleanText::default(),
            CleanText::from_stored(text.to_owned()),
        );
        let found: Vec<String> = find_named_things(&content)
            .iter()
            .map(describe_thing)
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_a_lesson_names() {
        check(
            "Run `npm run test:unit`, the whole suite takes an hour.",
            &["npm test:unit"],
        );
        check(
            "Start it with `scripts/dev.sh --seed`.",
            &["file scripts/dev.sh"],
        );
        check("Run `just docs::serve` first.", &["just docs::serve"]);
        check(
            "The limits are in crates/core/src/limits.rs:12.",
            &["file crates/core/src/limits.rs"],
        );
    }

    #[test]
    fn what_need_not_be_there() {
        check("Create config/local.toml first.", &[]);
        check(
            "`npm run test` fails with missing script; `npm run test:unit` works.",
            &["npm test:unit"],
        );
        check("See https://example.com/a/b.html and /etc/hosts.", &[]);
        check("Use Node.js 20 or v1.2.3.", &[]);
        check("Push to branch release/2.x only.", &[]);
    }

    #[test]
    fn what_may_be_elsewhere() {
        check("Run `npm run storybook` in `frontend/`.", &[]);
        check("In `../infra`, run `make deploy`.", &[]);
        check("Run `yarn run eslint` after `bun run tsc`.", &[]);
    }
}
