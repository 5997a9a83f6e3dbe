//! The port to an embedding: texts go in, directions come out.
//!
//! As with a model ([`model`](crate::model)), whoever embeds the engine brings an implementation, it is
//! asked outside of any transaction, and nothing fails because it is away: recall goes by words then.
//! What it is asked is cleaned text and nothing else.

use std::time::Duration;

use hardwon_core::{
    text::CleanText,
    vector::{InvalidVector, Vector},
};

use crate::model::{Model, ModelError};

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedTexts {
    /// One for each text, in order; a text of which the embedding knows nothing has none.
    pub vectors: Vec<Result<Vector, InvalidVector>>,
    /// The tokens that it took, where anybody charges for them.
    pub tokens: u64,
}

/// Something that tells what texts mean.
pub trait Embedder: Send + Sync {
    /// Returns the name of the space that its vectors are in: vectors of one name can be compared.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be asked at all.
    fn space_name(&self) -> Result<String, ModelError>;

    /// Asks for the vectors of texts, at most `limits::EMBEDDED_TEXTS` at once, and waits no longer
    /// than this.
    ///
    /// # Errors
    ///
    /// Returns why there are none.
    fn embed(&self, texts: &[CleanText], within: Duration) -> Result<EmbeddedTexts, ModelError>;
}

/// Recall by meaning, beside recall by words.
pub struct SemanticRecall {
    /// Who tells what texts mean.
    pub embedder: Box<dyn Embedder>,
    /// Who writes the lesson that a prompt might call for, to be compared in its place; none to
    /// compare the prompt itself.
    pub writer: Option<Box<dyn Model>>,
    /// How long a prompt's vector may take.
    pub timeout: Duration,
}
