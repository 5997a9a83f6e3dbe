//! Finds phrases in a sentence, in scripts with spaces and without.
//!
//! A phrase matches whole words; in a script without spaces it matches wherever it stands. What a phrase says is
//! for [`evidence`](super::evidence).

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
    "，。、：；！？".contains(c)
}

/// Returns what follows the longest phrase of a list that a text begins with, without the marks between.
pub(super) fn strip_phrase<'a>(text: &'a str, list: &str) -> Option<&'a str> {
    let place = PhrasePlace::new(text.trim_start())?;
    let phrases = list.split('|');
    let rests = phrases.filter_map(|phrase| place.strip_phrase(phrase));
    rests.min_by_key(|rest| rest.len())
}

pub(super) fn begins_with(text: &str, list: &str) -> bool {
    strip_phrase(text, list).is_some()
}

/// Returns whether a text has a phrase of a list anywhere.
pub(super) fn holds(text: &str, list: &str) -> bool {
    // A list has hundreds of phrases, so the places where one may stand are read once.
    let places: Vec<PhrasePlace<'_>> = suffixes(text).filter_map(PhrasePlace::new).collect();
    list.split('|').any(|phrase| {
        if is_of_script_without_spaces(phrase) {
            text.contains(phrase.trim_end_matches('*'))
        } else {
            let mut places = places.iter();
            places.any(|place| place.strip_phrase(phrase).is_some())
        }
    })
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
            word: unstretch(&word.to_lowercase().replace('’', "'")),
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
        Some(rest.trim_start_matches(|c: char| c.is_whitespace() || is_stop(c)))
    }

    /// Returns what follows the first word, if it fits a pattern.
    fn strip_word(&self, pattern: &str) -> Option<&'a str> {
        // Most words begin otherwise.
        if !pattern.starts_with(['*', self.first]) {
            return None;
        }
        // Whoever types fast leaves the mark out of "don't"; one that stands tells "we're" from "were".
        let is_exact = self.word.contains('\'') || pattern.ends_with("'*");
        let fits = fits_pattern(&self.word, pattern)
            || !is_exact && fits_pattern(&self.word, &pattern.replace('\'', ""));
        fits.then_some(self.rest)
    }
}

fn is_of_script_without_spaces(phrase: &str) -> bool {
    !phrase.is_ascii() && phrase.contains(is_unspaced)
}

/// Returns whether a text ends with a phrase of a list.
pub(super) fn ends_with(text: &str, list: &str) -> bool {
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
fn unstretch(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let is_third = |at: usize| {
        let runs = |from: usize| {
            let run = letters.get(from..from + 3);
            run.is_some_and(|run| run.iter().all(|c| *c == letters[at]))
        };
        (at >= 2 && runs(at - 2)) || (at >= 1 && runs(at - 1))
    };
    let singles = (0..letters.len()).filter(|at| !is_third(*at));
    singles.map(|at| letters[at]).collect()
}
