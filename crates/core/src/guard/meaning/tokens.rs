//! Cuts a text into words, and says where clauses and sentences end.

use std::{borrow::Cow, cell::OnceCell};

use frostem::Stemmer;

/// What ends behind a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    Nothing,
    Clause,
    Sentence,
}

/// A word, or a part of a name.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) word: &'a str,
    /// Its stem, once somebody asked for it.
    stem: OnceCell<Cow<'a, str>>,
    /// What stands between two blanks, if this is its first word and it looks like code.
    pub(super) code: Option<&'a str>,
    pub(super) end: End,
}

impl<'a> Token<'a> {
    fn new(word: &'a str) -> Self {
        Self {
            word,
            stem: OnceCell::new(),
            code: None,
            end: End::Nothing,
        }
    }

    pub(super) fn stem(&self, stemmer: &Stemmer) -> &str {
        self.stem.get_or_init(|| stemmer.stem(self.word))
    }
}

/// Cuts a folded text into words.
pub(super) fn tokens(words: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(words.len() / 5);
    for line in words.split('\n') {
        for chunk in line.split(' ') {
            let is_letter = |ch: char| ch.is_ascii_alphanumeric() || ch == '\'';
            let parts = chunk.split(|ch| !is_letter(ch));
            let parts = parts.map(|part| part.trim_matches('\''));
            let parts = parts.map(|part| part.strip_suffix("'s").unwrap_or(part));
            let first = tokens.len();
            tokens.extend(parts.filter(|part| !part.is_empty()).map(Token::new));
            let is_code = chunk.contains(|ch: char| !ch.is_ascii_alphabetic());
            if first == tokens.len() && is_code {
                tokens.push(Token::new(""));
            }
            if let Some(token) = tokens.get_mut(first) {
                token.code = is_code.then_some(chunk);
            }
            if let Some(last) = tokens.last_mut() {
                last.end = last.end.max(end_of(chunk));
            }
        }
        if let Some(last) = tokens.last_mut() {
            last.end = End::Sentence;
        }
    }
    tokens
}

fn end_of(chunk: &str) -> End {
    match chunk.trim_end_matches(['"', '\'', '`', ')', '*', '_']) {
        chunk if chunk.ends_with(['.', '!', '?']) => End::Sentence,
        chunk if chunk.ends_with([',', ';', ':']) => End::Clause,
        _ => End::Nothing,
    }
}
