//! Text from outside, and text that has been cleaned.
//!
//! Everything that enters is [`RawText`]: a hook's JSON, a person's `/lesson`, an imported file, and a model's own reply.
//! It has no `Display`, and its `Debug` prints only a length, so it cannot be shown by accident. Cleaning turns it into
//! [`CleanText`], which is all that events, lessons, the index and the journal can hold. This module does not clean.
//! Whoever cuts a text by bytes asks [`floor_char_boundary`] where.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Text from outside that has not been cleaned yet.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RawText(String);

impl RawText {
    /// Wraps text from outside.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text for the code that checks it. Nothing else has a reason to call this.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawText({} bytes)", self.0.len())
    }
}

impl From<&str> for RawText {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for RawText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Text without secrets, without our own preambles, and of bounded length.
///
/// From JSON it is read as [`from_stored`](Self::from_stored) does: only for what this product wrote.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct CleanText(String);

impl CleanText {
    /// Wraps text that [`clean`](crate::clean) has cleaned.
    pub(crate) fn assume_clean(text: String) -> Self {
        Self(text)
    }

    /// Makes a text of words that stand in the program itself.
    pub fn from_literal(words: &'static str) -> Self {
        Self(words.to_owned())
    }

    /// Restores a text that this product cleaned and stored earlier.
    ///
    /// Only for code that reads stored rows and traces. What is shown to an agent is neutralised again when it is
    /// rendered, so a row that somebody edited by hand cannot break out of a preamble.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the text consists of white space only.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for CleanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for CleanText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Returns the last byte offset at or before `at` where a text may be cut.
pub fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_halves_a_character() {
        for (at, expected) in [(0, 0), (1, 1), (2, 1), (3, 3), (4, 4), (9, 4)] {
            assert_eq!(floor_char_boundary("aéb", at), expected, "{at}");
        }
    }

    #[test]
    fn raw_text_does_not_print_itself() {
        assert_eq!(format!("{:?}", RawText::new("hunter2")), "RawText(7 bytes)");
    }
}
