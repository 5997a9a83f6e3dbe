//! Splits a text into words, and marks where clauses and sentences end.

use std::{borrow::Cow, cell::OnceCell};

use frostem::Stemmer;

/// What ends after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClauseBreak {
    Nothing,
    Clause,
    Sentence,
}

/// A word, or a part of a name.
#[derive(Debug)]
pub(super) struct WordToken<'a> {
    pub(super) word: &'a str,
    /// The stem, computed when it is first needed.
    stem: OnceCell<Cow<'a, str>>,
    /// The whole chunk between two spaces, if this is its first word and it looks like code.
    pub(super) code: Option<&'a str>,
    pub(super) break_after: ClauseBreak,
}

impl<'a> WordToken<'a> {
    fn new(word: &'a str) -> Self {
        Self {
            word,
            stem: OnceCell::new(),
            code: None,
            break_after: ClauseBreak::Nothing,
        }
    }

    pub(super) fn stem(&self, stemmer: &Stemmer) -> &str {
        self.stem.get_or_init(|| stemmer.stem(self.word))
    }
}

/// Splits a folded text into words.
pub(super) fn tokenize(words: &str) -> Vec<WordToken<'_>> {
    let mut tokens: Vec<WordToken<'_>> = Vec::with_capacity(words.len() / 5);
    for line in words.split('\n') {
        for chunk in line.split(' ') {
            let is_letter = |ch: char| ch.is_ascii_alphanumeric() || ch == '\'';
            let parts = chunk.split(|ch| !is_letter(ch));
            let parts = parts.map(|part| part.trim_matches('\''));
            let parts = parts.map(|part| part.strip_suffix("'s").unwrap_or(part));
            let first = tokens.len();
            tokens.extend(parts.filter(|part| !part.is_empty()).map(WordToken::new));
            let is_code = chunk.contains(|ch: char| !ch.is_ascii_alphabetic());
            if first == tokens.len() && is_code {
                tokens.push(WordToken::new(""));
            }
            if let Some(token) = tokens.get_mut(first) {
                token.code = is_code.then_some(chunk);
            }
            if let Some(last) = tokens.last_mut() {
                last.break_after = last.break_after.max(classify_break(chunk));
            }
        }
        if let Some(last) = tokens.last_mut() {
            last.break_after = ClauseBreak::Sentence;
        }
    }
    tokens
}

fn classify_break(chunk: &str) -> ClauseBreak {
    match chunk.trim_end_matches(['"', '\'', '`', ')', '*', '_']) {
        chunk if chunk.ends_with(['.', '!', '?']) => ClauseBreak::Sentence,
        chunk if chunk.ends_with([',', ';', ':']) => ClauseBreak::Clause,
        _ => ClauseBreak::Nothing,
    }
}
