//! Matches the files that a rule names with those that a call touches.
//!
//! `Cargo.toml` is any file of that name, `db/migrate/` whatever lies in such a folder, `*.generated.ts` and
//! `src/gen/**` are patterns. A rule about writing says nothing to who reads.

use super::{
    act::{FileUse, normalize_path},
    cue::{Cue, is_in_list, says_any},
};
use crate::{glob::matches_glob, shell::is_listed};

/// What a rule says of reading and of changing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadingWords {
    reads: bool,
    changes: bool,
}

impl ReadingWords {
    /// Returns what is said where any use of a file is meant.
    pub(super) fn any_use() -> Self {
        Self {
            reads: true,
            changes: false,
        }
    }
}

/// Words for reading, and parts of such words where there are no spaces.
const READ_WORDS: &str = "read reads reading open opens opened opening printed grepped look view print cat huge show leak log paste quote lesen öffnen lies lire ouvr* \
    leer abrir leas ler leia чита* откры* прочит*";
const READ_PARTS: &[&str] = &["读", "打开", "看", "読", "開", "覗", "읽", "열지", "열어"];
/// Words for changing.
const CHANGE_WORDS: &str = "edit edits edited editing change changes changed changing modify modified touch touching touched write writes \
    written writing handwritten hand-written hand-edit hand add added adding update updated rewrite commit rename delete remove create \
    created regenerate regenerated generated alone ändern änder* bearbeit* anfassen anrühren schreib* \
    modifi* touch* écri* édit* chang* édite* editar edita* edites cambia* toca* escrib* alterar altere mexer mexa toque \
    прав* меня* измен* трога* редактир* писа*";
const CHANGE_PARTS: &[&str] = &[
    "改", "编辑", "写", "碰", "动", "編集", "変更", "触", "書", "修正", "수정", "편집", "고치",
    "고칠", "변경", "쓰", "건드",
];

/// Reads what a text says of reading and changing.
pub(super) fn says_reading(text: &str) -> ReadingWords {
    // `Reading is OK`
    let is_let_be = |sentence: &&str| says_any(sentence, &[Cue::Fine]);
    let lower = text.to_lowercase();
    let sentences = lower.split(". ").filter(|sentence| !is_let_be(sentence));
    let lower = sentences.collect::<Vec<_>>().join(". ");
    let words = || {
        lower
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .filter(|part| !part.is_empty())
    };
    let says = |list: &str, parts: &[&str]| {
        words().any(|word| is_in_list(list, word)) || parts.iter().any(|part| lower.contains(part))
    };
    ReadingWords {
        reads: says(READ_WORDS, READ_PARTS),
        changes: says(CHANGE_WORDS, CHANGE_PARTS),
    }
}

/// Which files a rule names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PathPattern {
    /// As it was written, without `./` and a slash at the end.
    pub(super) text: String,
    /// The least that a call must do to such a file.
    pub(super) least: FileUse,
}

impl PathPattern {
    pub(super) fn new(path: &str, words: ReadingWords, is_warned: bool) -> Self {
        let text = normalize_path(path).trim_start_matches("{root}/");
        let text = text.trim_end_matches("/**").trim_end_matches("/*");
        // `.tscn` is any file of that ending, or one of that name.
        let is_ending = text.strip_prefix('.').is_some_and(|rest| {
            !path.ends_with('/')
                && (rest.bytes()).all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
        });
        let text = if is_ending {
            format!("*{text}")
        } else {
            text.to_owned()
        };
        let is_file = !path.ends_with('/') && (is_ending || !path.contains('*'));
        let least = match words {
            ReadingWords {
                reads: true,
                changes: false,
            } => FileUse::Reads,
            _ if is_file && (is_warned || !words.changes) => FileUse::Uses,
            _ => FileUse::Changes,
        };
        Self {
            text: text.to_lowercase(),
            least,
        }
    }

    /// Returns whether a call that does this to a file touches one of those meant.
    pub(super) fn matches(&self, path: &str, use_: FileUse) -> bool {
        let path = normalize_path(path).to_lowercase().replace('\\', "/");
        use_ >= self.least && self.contains(&path)
    }

    /// Returns whether the pattern names the file, a folder that it lies in, or a pattern that it fits.
    pub(super) fn contains(&self, path: &str) -> bool {
        let parts: Vec<&str> = self
            .text
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let path_parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let is_variables = || path_parts.last().is_some_and(|name| is_env_file(name));
        self.text == "*.env" && is_variables()
            || !parts.is_empty()
                && (0..path_parts.len()).any(|at| fits_parts(&parts, &path_parts[at..]))
    }

    /// Returns the key under which such files are found: the last part of the path, or its ending.
    pub(super) fn key(&self) -> String {
        let last = self
            .text
            .rsplit('/')
            .find(|part| !part.is_empty() && *part != "**")
            .unwrap_or_default();
        match last.rfind('*') {
            Some(_) => {
                let literal = self
                    .text
                    .rsplit('/')
                    .find(|part| !part.is_empty() && !part.contains('*'));
                let ending = last
                    .rsplit_once('.')
                    .map(|parts| parts.1)
                    .filter(|text| !text.contains('*') && !text.is_empty());
                match (ending, literal) {
                    (Some(ending), _) => format!("/*.{ending}"),
                    (None, Some(folder)) => format!("/{folder}"),
                    // Of such patterns any file may be one.
                    (None, None) => "/*".to_owned(),
                }
            }
            None => format!("/{}", last.trim_end_matches(['{', '}'])),
        }
    }
}

/// Returns whether a file holds variables for some place, and is no example of one: `.env.production`.
fn is_env_file(name: &str) -> bool {
    let place = name.strip_prefix(".env.");
    place.is_some_and(|place| !is_listed("example sample template dist", place))
}

/// Returns whether a path begins with these parts of a pattern, in which `**` stands for any number of folders.
fn fits_parts(wanted: &[&str], given: &[&str]) -> bool {
    let fits = |run: &[&str], at: &[&str]| {
        let mut pairs = run.iter().zip(at);
        run.len() <= at.len() && pairs.all(|(want, name)| want == name || matches_glob(want, name))
    };
    let mut left = given;
    // As the end is open, the first place of each run is as good as any later one, and nothing is tried twice.
    let mut runs = wanted.split(|part| *part == "**").enumerate();
    runs.all(|(index, run)| {
        let last = if index == 0 { 0 } else { left.len() };
        let start = (0..=last).find(|at| fits(run, &left[*at..]));
        left = start.map_or(left, |at| &left[at + run.len()..]);
        start.is_some()
    })
}

/// Returns the keys of a file that a call touches.
pub(super) fn file_keys(path: &str) -> Vec<String> {
    const DEPTH: usize = 12;
    let path = normalize_path(path).to_lowercase().replace('\\', "/");
    let parts = path.rsplit('/').filter(|part| !part.is_empty()).take(DEPTH);
    let mut keys: Vec<String> = parts
        .map(|part| format!("/{part}"))
        .chain(["/*".to_owned()])
        .collect();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|parts| parts.1);
    let ending = if is_env_file(name) {
        Some("env")
    } else {
        ending
    };
    keys.extend(ending.map(|ending| format!("/*.{ending}")));
    keys
}
