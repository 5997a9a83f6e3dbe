//! From text to terms: what recall and the index agree to call a word.

use crate::lesson::Content;

/// The terms of a lesson in order, as the store keeps and indexes them.
///
/// Packed as text: the signature's terms, a line break, the terms of everything else; terms are
/// separated by single spaces and never contain white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocTerms(String);

impl DocTerms {
    /// Reads the terms off a lesson.
    #[must_use]
    pub fn of(content: &Content) -> Self {
        let _ = content;
        Self("\n".to_owned())
    }

    /// Takes back what [`as_str`](Self::as_str) gave.
    #[must_use]
    pub fn stored(packed: String) -> Self {
        Self(packed)
    }

    /// Returns the packed form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns each distinct term with its weighted count in half occurrences: 2 for each time
    /// in the text, 3 for each time in the signature.
    #[must_use]
    pub fn counts(&self) -> std::collections::BTreeMap<&str, u32> {
        std::collections::BTreeMap::new()
    }

    /// Returns the weighted length in half occurrences.
    #[must_use]
    pub fn length(&self) -> u32 {
        0
    }
}

/// A prompt as a bag of weighted terms, and the order in which they stood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTerms {
    /// Distinct terms with their saturated weight, in order of first appearance.
    pub terms: Vec<(String, f32)>,
    /// The prompt's terms in order, as indexes into `terms`.
    pub sequence: Vec<u16>,
}

impl QueryTerms {
    /// Reads the terms off a prompt.
    #[must_use]
    pub fn of(prompt: &str) -> Self {
        let _ = prompt;
        Self::default()
    }
}
