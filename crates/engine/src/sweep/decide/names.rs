//! What a lesson names so that it cannot be said otherwise: what stands in code or quotes, paths, options, identifiers
//! and values.
//!
//! Words that take a lesson's place keep these as they are typed, and add none. Names of people and products in plain
//! prose are no part of what is kept: a principle may well leave them out; but they may not come from nowhere.

use std::collections::BTreeSet;

use hardwon_core::{
    CleanText, LessonContent,
    text::quoted::{list_code, strip_code},
};

use super::named_words::{find_named_words, has_name};

/// Returns all that a lesson says, in lower case.
pub(super) fn join_words(content: &LessonContent) -> String {
    let parts = [
        Some(&content.signature),
        Some(&content.text),
        content.situation.as_ref(),
        content.mistake.as_ref(),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().map(CleanText::as_str).collect();
    parts.join("\n").to_lowercase()
}

/// Returns what words in lower case leave out of what a lesson names in its text.
pub(super) fn list_lost_names(content: &LessonContent, said: &str) -> BTreeSet<String> {
    let mut names = list_names(content.text.as_str());
    names.retain(|name| !has_name(said, name));
    names
}

/// Returns what a lesson names that none of these words in lower case does; `None` if it invents nothing.
pub(super) fn find_invented_name(content: &LessonContent, known: &str) -> Option<String> {
    let texts = [
        Some(&content.text),
        content.situation.as_ref(),
        content.mistake.as_ref(),
    ];
    let mut names = texts.into_iter().flatten().flat_map(|text| {
        let words = find_named_words(text.as_str());
        list_names(text.as_str()).into_iter().chain(words)
    });
    names.find(|name| !is_pair_of_words(name) && !has_name(known, strip_place(name)))
}

/// Returns the values in a text: its words with a digit that are no part of code.
pub(super) fn list_values(text: &str) -> BTreeSet<String> {
    let plain = strip_code(text);
    let words = find_named_words(&plain).into_iter();
    words
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .collect()
}

/// Returns the folders and files that a text names in code, in lower case.
pub(super) fn list_places(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let is_path = |name: &&str| {
        let is_whole = !name.contains(char::is_whitespace) && !name.starts_with('-');
        is_whole && name.contains('/') && !name.contains("://")
    };
    list_code(&lower)
        .filter(is_path)
        .map(str::to_owned)
        .collect()
}

/// Returns what a text names, in lower case: spans of code and quotes whole, and words with a mark that no word of prose
/// has.
fn list_names(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let spans = list_code(&lower).chain(list_quotes(&lower));
    let mut names: BTreeSet<String> = spans.map(|span| strip_place(span).to_owned()).collect();
    let prose = strip_code(text);
    let words = find_named_words(&prose).into_iter();
    names.extend(
        words
            .filter(|word| is_marked(word))
            .map(|word| strip_place(&word).to_owned()),
    );
    names
}

/// Returns whether a word in lower case can be nothing but a name or a value.
fn is_marked(word: &str) -> bool {
    let is_mark =
        |c: char| c.is_ascii_digit() || matches!(c, '_' | '/' | '\\' | '=' | '$' | '@' | '~');
    word.starts_with('-') || word.contains(is_mark) || word.contains("::")
}

/// Returns whether a word is two words of prose of which one may choose: `inject/control`.
fn is_pair_of_words(word: &str) -> bool {
    let is_word = |part: &str| part.len() > 2 && part.chars().all(char::is_alphabetic);
    word.split_once('/')
        .is_some_and(|(one, other)| is_word(one) && is_word(other))
}

/// Returns what a text sets in quotes or emphasis: an error as it is printed.
fn list_quotes(text: &str) -> Vec<&str> {
    const PAIRS: [(char, char); 3] = [('*', '*'), ('"', '"'), ('“', '”')];
    let quotes = PAIRS.into_iter().flat_map(|(open, close)| {
        let parts: Vec<&str> = text.split([open, close]).collect();
        let is_closed = parts.len() % 2 == 1;
        let inner = parts.into_iter().skip(1).step_by(2);
        inner.filter(move |_| is_closed)
    });
    let texts = quotes.map(|quote| quote.trim().trim_end_matches(['.', ',', ';', ':']));
    texts
        .filter(|text| text.contains(char::is_alphanumeric) && !text.contains('`'))
        .collect()
}

/// Returns a path without the line of it at which only one run has been.
fn strip_place(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((path, line))
            if path.contains('.')
                && !line.is_empty()
                && line.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            path
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_said_otherwise_is_a_name() {
        let check = |text: &str, expected: &str| {
            let names: Vec<String> = list_names(text).into_iter().collect();
            assert_eq!(names.join(" | "), expected, "{text}");
        };
        check(
            "`npm run e2e` fails with *ECONNREFUSED*. Run `docker compose up -d postgres` first.",
            "docker compose up -d postgres | econnrefused | npm run e2e",
        );
        check(
            "Wait 30 seconds, then pass --retry to src/up.py:12; Ada knows why.",
            "--retry | 30 | src/up.py",
        );
        check("The JWT check compared UTC datetimes.", "");
        check(
            "It says \"not found\" in tests/data.",
            "not found | tests/data",
        );
    }

    #[test]
    fn values_stand_in_prose() {
        let values = list_values("Set `a 5` to 30 s for v1.2 of the API.");
        assert_eq!(values.into_iter().collect::<Vec<_>>(), ["30", "v1.2"]);
    }
}
