//! Reads the tables of words (`lists.txt`) and of what programs do (`programs.txt`) once; errors in them are found by tests.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;

use super::Deed;
use crate::{
    glob::matches_glob,
    shell::ShellCommand,
    text::word_hash::{WordMap, WordSet},
};

/// What a table is looked up for.
pub(super) struct DeedTables {
    lists: WordMap<WordList>,
    rows: Vec<DeedRow>,
}

/// The words of a list.
#[derive(Default)]
struct WordList {
    words: WordSet,
    /// What finds them within a text.
    parts: OnceLock<AhoCorasick>,
}

impl WordList {
    fn is_within(&self, text: &str) -> bool {
        let parts = self.parts.get_or_init(|| {
            let words = self.words.iter().map(|word| (*word).to_owned());
            let spaced_words = self.words.iter().map(|word| word.replace('_', " "));
            AhoCorasick::new(words.chain(spaced_words)).expect("a list of words")
        });
        parts.is_match(text)
    }
}

/// A deed, and one way to do it.
struct DeedRow {
    deed: Deed,
    /// The sign that it begins with: `>` for writing a file, `=` for a line, nothing for a call.
    sign: &'static str,
    /// Parts of the file's path, of the line, or alternatives for the program and for its words.
    words: Vec<&'static str>,
}

pub(super) static TABLES: LazyLock<DeedTables> = LazyLock::new(|| DeedTables {
    lists: read_lists(include_str!("lists.txt")),
    rows: read_rows(include_str!("programs.txt")),
});

impl DeedTables {
    /// Returns whether a word is in a list, in whatever case.
    pub(super) fn lists(&self, list: &str, word: &str) -> bool {
        self.words(list).contains(&*word.to_ascii_lowercase())
    }

    /// Returns the words of a list, in no order.
    pub(super) fn words(&self, list: &str) -> &WordSet {
        &self.list(list).words
    }

    /// Returns whether a text, in lower case, has an entry of a list in it. `_` in an entry is a space.
    pub(super) fn has_part(&self, list: &str, text: &str) -> bool {
        self.list(list).is_within(text)
    }

    fn list(&self, name: &str) -> &WordList {
        self.lists.get(name).expect("a list of `lists.txt`")
    }

    /// Returns what a call does.
    pub(super) fn find_call(&self, command: &ShellCommand) -> Option<Deed> {
        self.find_row("", |words| matches_call(words, command))
    }

    /// Returns what writing a file does. A copy that is kept beside a file is obeyed by nothing.
    pub(super) fn find_write(&self, path: &str) -> Option<Deed> {
        const KEPT: [&str; 4] = [".bak", ".backup", ".old", ".orig"];
        let path = path.to_ascii_lowercase().replace('\\', "/");
        if KEPT.iter().any(|ending| path.ends_with(ending)) {
            return None;
        }
        self.find_row(">", |words| words.iter().any(|part| path.contains(part)))
    }

    /// Returns what a line does by one of its words.
    pub(super) fn find_mention(&self, line: &str) -> Option<Deed> {
        let line = line.to_ascii_lowercase().replace(" = ", "=");
        self.find_row("=", |words| words.iter().any(|part| holds(&line, part)))
    }

    fn find_row(&self, sign: &str, matches: impl Fn(&[&str]) -> bool) -> Option<Deed> {
        let mut rows = self.rows.iter().filter(|row| row.sign == sign);
        rows.find(|row| matches(&row.words)).map(|row| row.deed)
    }
}

fn matches_call(terms: &[&str], command: &ShellCommand) -> bool {
    let has = |any_of: &&str| {
        command.has_arg(|text| any_of.split('|').any(|word| matches_word(word, text)))
    };
    let mut programs = terms[0].split('|');
    programs.any(|program| program == command.program()) && terms[1..].iter().all(has)
}

/// Returns whether a word fits a pattern, or is short options of which one does: `-fNR` and `-R`.
fn matches_word(pattern: &str, word: &str) -> bool {
    let mut letters = pattern.strip_prefix('-').unwrap_or_default().chars();
    let letter = letters.next().filter(|_| letters.next().is_none());
    matches_glob(pattern, word) || letter.is_some_and(|letter| has_letter(word, letter))
}

/// Returns whether a word is short options, of which one is this letter.
pub(super) fn has_letter(word: &str, letter: char) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    letters.chars().all(|c| c.is_ascii_alphabetic()) && letters.contains(letter)
}

/// Returns whether a text has an entry in it, whose `_` may be a space.
fn holds(text: &str, entry: &str) -> bool {
    text.contains(entry) || entry.contains('_') && text.contains(&entry.replace('_', " "))
}

/// Returns the letters and digits of a name, in lower case: `strict-ssl` and `strictSSL` are the same setting.
pub(super) fn join_letters(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters.collect::<String>().to_ascii_lowercase()
}

fn read_lists(table: &'static str) -> WordMap<WordList> {
    let mut lists = WordMap::<WordList>::default();
    let mut name = "";
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line;
        if let Some((head, rest)) = line.split_once(": ").filter(|_| !line.starts_with(' ')) {
            (name, words) = (head, rest);
        }
        let list = lists.entry(name).or_default();
        list.words.extend(words.split_ascii_whitespace());
    }
    lists
}

fn read_rows(table: &'static str) -> Vec<DeedRow> {
    let mut deed = Deed::grave("");
    let mut rows = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some(row) = line.strip_prefix("    ") {
            let mut words: Vec<&str> = row.split_ascii_whitespace().collect();
            let has_sign = matches!(words[0], ">" | "=");
            let sign = if has_sign { words.remove(0) } else { "" };
            rows.push(DeedRow { deed, sign, words });
        } else if let Some((weight, sentence)) = line.split_once(' ') {
            deed = Deed::grave(sentence).lightened_if(weight == "slight");
        }
    }
    rows
}
