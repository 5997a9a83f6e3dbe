//! Finds phrases in a sentence, in scripts with spaces and without.
//!
//! A phrase matches whole words; in a script without spaces it matches wherever it stands. What a phrase says is
//! for [`evidence`](super::evidence).

use std::{collections::HashMap, sync::OnceLock};

use crate::{
    shell::{self, is_listed},
    trigger::is_unspaced,
};

/// Returns whether a sentence names a well-known program, not a thing of the same name.
pub(super) fn names_program(sentence: &str) -> bool {
    const ARTICLES: &str = "the a an this that our your my der die das den dem ein eine einen le la les un une el los las una";
    let is_mark = |c: char| !c.is_alphanumeric();
    let words = split_words(sentence).map(|word| word.trim_matches(is_mark));
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let stands_alone = |at: usize| at == 0 || !is_listed(ARTICLES, &words[at - 1]);
    (0..words.len()).any(|at| stands_alone(at) && shell::is_program_by_name(&words[at]))
}

/// Splits a text into words: at spaces, and where a script begins that is written without them.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || is_unspaced(c) || is_wide_mark(c);
    text.split(ends).filter(|word| !word.is_empty())
}

/// Splits a sentence at commas, colons, brackets and dashes; one inside a word (`std::format`) parts nothing.
pub(super) fn split_clauses(text: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let ends_word = text[end..].chars().next().is_none_or(char::is_whitespace);
        if is_wide_mark(c) || is_stop(c) && ends_word || matches!(c, '(' | '–' | '—') {
            clauses.push(text[start..at].trim());
            start = end;
        }
    }
    clauses.push(text[start..].trim());
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Returns whether a mark ends a clause or a sentence.
pub(super) fn is_stop(c: char) -> bool {
    ",.:;!?-)…".contains(c) || matches!(c, '–' | '—') || is_wide_mark(c)
}

fn is_wide_mark(c: char) -> bool {
    matches!(c, '，' | '。' | '、' | '：' | '；' | '！' | '？')
}

/// Phrases, by the letter that they begin with; those of scripts without spaces also apart.
pub(super) struct PhraseList {
    text: &'static str,
    by_letter: OnceLock<HashMap<char, Vec<&'static str>>>,
}

impl PhraseList {
    /// Makes a list of phrases that `|` parts.
    pub(super) const fn new(text: &'static str) -> Self {
        Self {
            text,
            by_letter: OnceLock::new(),
        }
    }

    /// Returns all phrases.
    pub(super) fn phrases(&self) -> impl Iterator<Item = &'static str> {
        self.text.split('|')
    }

    /// Returns those that may stand where a word begins with a letter.
    fn phrases_at(&self, letter: char) -> impl Iterator<Item = &'static str> {
        // Each place of each sentence is asked for, and a list has hundreds.
        let by_letter = self.by_letter.get_or_init(|| {
            let mut by_letter: HashMap<char, Vec<&'static str>> = HashMap::new();
            for phrase in self.phrases() {
                let letter = phrase.chars().next().unwrap_or_default();
                by_letter.entry(letter).or_default().push(phrase);
            }
            by_letter
        });
        let groups = [letter, '*'].map(|letter| by_letter.get(&letter));
        groups.into_iter().flatten().flatten().copied()
    }
}

/// Returns what follows the longest phrase of a list that a text begins with, without the marks between.
pub(super) fn strip_phrase<'a>(text: &'a str, list: &PhraseList) -> Option<&'a str> {
    let place = PhrasePlace::new(text.trim_start())?;
    let phrases = list.phrases_at(place.first);
    let rests = phrases.filter_map(|phrase| place.strip_phrase(phrase));
    rests.min_by_key(|rest| rest.len())
}

pub(super) fn begins_with(text: &str, list: &PhraseList) -> bool {
    strip_phrase(text, list).is_some()
}

/// Returns whether a text has a phrase of a list anywhere.
pub(super) fn holds(text: &str, list: &PhraseList) -> bool {
    PhraseText::new(text).holds(list)
}

/// A text in which phrases are looked for, with the places where one may stand.
pub(super) struct PhraseText<'a> {
    pub(super) text: &'a str,
    places: Vec<PhrasePlace<'a>>,
    has_unspaced: bool,
}

impl<'a> PhraseText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            places: suffixes(text).filter_map(PhrasePlace::new).collect(),
            has_unspaced: text.contains(is_unspaced),
        }
    }

    /// Returns whether the text has a phrase of a list anywhere.
    pub(super) fn holds(&self, list: &PhraseList) -> bool {
        let is_in_words = |phrase: &str| {
            is_of_script_without_spaces(phrase) && self.text.contains(phrase.trim_end_matches('*'))
        };
        self.has_unspaced && list.phrases().any(is_in_words)
            || self.places.iter().any(|place| {
                let mut phrases = list.phrases_at(place.first);
                phrases.any(|phrase| place.strip_phrase(phrase).is_some())
            })
    }
}

/// A place where a phrase may stand.
struct PhrasePlace<'a> {
    text: &'a str,
    first: char,
    /// The first word, as words are compared.
    word: String,
    /// What follows that word.
    rest: &'a str,
}

impl<'a> PhrasePlace<'a> {
    fn new(text: &'a str) -> Option<Self> {
        let first = text.chars().next()?.to_lowercase().next()?;
        let end = text.find(|c: char| c.is_whitespace() || is_wide_mark(c));
        let word = text[..end.unwrap_or(text.len())].trim_end_matches(is_stop);
        Some(Self {
            text,
            first,
            word: unstretch(word.to_lowercase().replace('’', "'")),
            rest: &text[word.len()..],
        })
    }

    /// Returns what follows a phrase that stands here, without the marks between.
    fn strip_phrase(&self, phrase: &str) -> Option<&'a str> {
        let rest = if is_of_script_without_spaces(phrase) {
            self.text.strip_prefix(phrase.trim_end_matches('*'))?
        } else {
            let mut patterns = phrase.split(' ');
            let rest = self.strip_word(patterns.next()?)?;
            patterns.try_fold(rest, |rest, pattern| {
                Self::new(rest.trim_start())?.strip_word(pattern)
            })?
        };
        Some(strip_marks(rest))
    }

    /// Returns what follows the first word, if it fits a pattern.
    fn strip_word(&self, pattern: &str) -> Option<&'a str> {
        // Whoever types fast leaves the mark out of "don't"; one that stands tells "we're" from "were".
        let is_exact = self.word.contains('\'') || pattern.ends_with("'*");
        let fits = fits_pattern(&self.word, pattern)
            || !is_exact
                && pattern.contains('\'')
                && fits_pattern(&self.word, &pattern.replace('\'', ""));
        fits.then_some(self.rest)
    }
}

/// Returns what follows the marks after a phrase; those that a word begins with are its own ("./gradlew", "--fix").
fn strip_marks(rest: &str) -> &str {
    let rest = rest.trim_start_matches(is_stop).trim_start();
    match rest.split_once(char::is_whitespace) {
        Some((mark, after)) if mark.chars().all(is_stop) => after.trim_start(),
        _ => rest,
    }
}

fn is_of_script_without_spaces(phrase: &str) -> bool {
    !phrase.is_ascii() && phrase.contains(is_unspaced)
}

/// Returns whether a text ends with a phrase of a list.
pub(super) fn ends_with(text: &str, list: &PhraseList) -> bool {
    let is_end = |rest: &str| strip_phrase(rest, list).is_some_and(str::is_empty);
    suffixes(text).any(is_end)
}

/// Returns what a text is from each of its words on.
pub(super) fn suffixes(text: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '(' | '"' | '«') || is_wide_mark(c);
    let starts = text.char_indices().filter_map(move |(at, c)| {
        let before = text[..at].chars().next_back();
        (!is_edge(c) && before.is_none_or(is_edge)).then_some(at)
    });
    starts.map(|at| &text[at..])
}

fn fits_pattern(word: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(ending), _) => word.len() > ending.len() && word.ends_with(ending),
        (None, Some(start)) => word.starts_with(start),
        (None, None) => word == pattern,
    }
}

/// Writes a letter once that stands three times or more: "nooo".
fn unstretch(word: String) -> String {
    let letters: Vec<char> = word.chars().collect();
    if !letters
        .windows(3)
        .any(|three| three[0] == three[1] && three[1] == three[2])
    {
        return word;
    }
    let runs = letters.chunk_by(|one, next| one == next);
    let once = runs.map(|run| if run.len() < 3 { run } else { &run[..1] });
    once.flatten().collect()
}
