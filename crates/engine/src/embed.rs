//! The port to an embedding: texts in, vectors out.
//!
//! As with a model ([`model`](crate::model)), whoever embeds the engine brings an implementation. It is called outside
//! of any transaction, and nothing fails because it is unavailable: recall then goes by words. It receives cleaned text
//! and nothing else.

use std::time::Duration;

use hardwon_core::{CleanText, InvalidVector, Vector};

use crate::ModelError;

/// The result of embedding texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedTexts {
    /// One for each text, in order; an error for a text of which the embedding knows nothing.
    pub vectors: Vec<Result<Vector, InvalidVector>>,
    /// Tokens used, where the service charges for them; else 0.
    pub tokens: u64,
}

/// An embedding: turns texts into vectors of their meaning.
pub trait Embedder: Send + Sync {
    /// Returns the name of the embedding space: vectors of one name can be compared.
    ///
    /// # Errors
    ///
    /// Why the embedding cannot be used at all.
    fn space_name(&self) -> Result<String, ModelError>;

    /// Embeds texts, at most `limits::EMBEDDED_TEXTS` at once, and waits no longer than `within`.
    ///
    /// # Errors
    ///
    /// Why there are no vectors.
    fn embed(&self, texts: &[CleanText], within: Duration) -> Result<EmbeddedTexts, ModelError>;
}

/// Says in a line that a recall went by words, and why.
pub fn explain_fallback(trouble: &ModelError) -> String {
    let trouble = trouble.to_string();
    let trouble: Vec<&str> = trouble.split_whitespace().collect();
    let reason = trouble.join(" ");
    format!("lessons were found by words alone, because the embedding failed: {reason}")
}

/// Recall by meaning, beside recall by words.
pub struct SemanticRecall {
    /// The embedding.
    pub embedder: Box<dyn Embedder>,
    /// How long the vector of a prompt may take.
    pub timeout: Duration,
}
