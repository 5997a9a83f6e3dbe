//! Finds phrases in a sentence, in scripts with spaces and without.
//!
//! A phrase matches whole words; in a script without spaces it matches wherever it stands. What a phrase says is
//! [`language`](super::language)'s.

use crate::{
    shell::{self, is_listed},
    trigger::is_unspaced,
};

/// Removes the sounds that a sentence begins with, the same in most languages.
pub(super) fn strip_interjections(sentence: &str) -> &str {
    const SOUNDS: [&str; 14] = [
        "oh", "ah", "ugh", "argh", "hm", "hmm", "eh", "uh", "oops", "ach", "ay", "ой", "эй", "あ",
    ];
    strip_longest_phrase(sentence, &SOUNDS).map_or(sentence, strip_interjections)
}

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
    let ends = |c: char| c.is_whitespace() || is_unspaced(c) || matches!(c, '，' | '。' | '、');
    text.split(ends).filter(|word| !word.is_empty())
}

pub(super) fn split_clauses(text: &str) -> impl Iterator<Item = &str> {
    let clauses = text.split([',', ';', '.', '!', '，', '、', '。', '！', '；']);
    clauses.map(str::trim).filter(|clause| !clause.is_empty())
}

pub(super) fn ends_with_any(clause: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| clause.ends_with(ending))
}

/// Returns whether a mark ends a clause or a sentence.
pub(super) fn is_stop(c: char) -> bool {
    ",.:;!-–—，。：；！、".contains(c)
}

/// Returns what follows the longest of these phrases that a text begins with.
pub(super) fn strip_longest_phrase<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    phrases
        .iter()
        .filter_map(|phrase| strip_phrase(text, phrase))
        .min_by_key(|rest| rest.len())
}

/// Returns what follows a phrase at the beginning of a text, without the punctuation between.
pub(super) fn strip_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for expected in phrase.chars() {
        let letter = rest.next()?;
        let letter = if letter == '’' { '\'' } else { letter };
        if !letter.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    let rest = rest.as_str();
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
    let is_whole = phrase.ends_with('\'') || phrase.ends_with(is_unspaced) || !goes_on;
    is_whole.then(|| rest.trim_start_matches(|c: char| c.is_whitespace() || is_stop(c)))
}

pub(super) fn begins_with_any(sentence: &str, phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| strip_phrase(sentence, phrase).is_some())
}

/// Returns whether a lower-case text contains one of the phrases as whole words.
pub(super) fn holds_any_phrase(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            let is_edge =
                |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_unspaced(c));
            let is_unbound = phrase.starts_with(is_unspaced);
            is_unbound || is_edge(before) && (is_edge(after) || phrase.ends_with('\''))
        })
    })
}
