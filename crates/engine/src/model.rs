//! The port to a model: a request, its answer, and why there may be none.
//!
//! Whoever embeds the engine brings an implementation; the program has some that speak to services and programs. A
//! model is called outside of any transaction and may take as long as its time limit. Its answer is text from outside,
//! as any other. Nothing here knows the purpose of a request.

use hardwon_core::{JobFailure, ModelPrompt, RawText, limits};
use jiff::SignedDuration;

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// The prompt.
    pub prompt: ModelPrompt,
    /// Whether to require a JSON object as the answer, where the model supports that.
    pub wants_json: bool,
    /// The longest answer, in tokens.
    pub max_answer_tokens: u32,
}

/// An answer of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text.
    pub text: RawText,
    /// The tokens of question and answer, with any thinking before it, if the model reports them.
    pub tokens: Option<u64>,
}

/// Why there is no answer. The texts are for people, and contain no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It cannot be used with these settings: no such program, a wrong key, a wrong address.
    #[error("{0}")]
    Unusable(String),
    /// It cannot be reached at present.
    #[error("{0}")]
    Unreachable(String),
    /// It is overloaded, or a rate limit is reached.
    #[error("{what}")]
    Busy {
        /// Its message.
        what: String,
        /// When to ask again, if it gave a time.
        after: Option<SignedDuration>,
    },
    /// It did not answer in time.
    #[error("no answer in time")]
    TimedOut,
    /// It failed, or its answer could not be understood.
    #[error("{0}")]
    Failed(String),
    /// It declined to answer this question.
    #[error("{0}")]
    Refused(String),
}

impl ModelError {
    /// Returns how often a job may fail this way, and when to try again. A failure that is not the job's fault may
    /// happen for ever.
    pub(crate) fn to_job_failure(&self) -> JobFailure {
        let (tries, after) = match self {
            Self::Unusable(_) => (None, Some(SignedDuration::from_mins(5))),
            Self::Unreachable(_) => (Some(u32::MAX), None),
            Self::Busy { after, .. } => (Some(u32::MAX), *after),
            Self::TimedOut | Self::Failed(_) => (Some(limits::QUEUE_ATTEMPTS), None),
            Self::Refused(_) => (Some(1), None),
        };
        JobFailure {
            why: RawText::new(self.to_string()),
            max_attempts: tries,
            retry_after: after,
        }
    }

    /// Returns whether the next question would fail the same way at present.
    pub(crate) fn stops_queue(&self) -> bool {
        matches!(
            self,
            Self::Unusable(_) | Self::Unreachable(_) | Self::Busy { .. }
        )
    }
}

/// A model that answers questions.
pub trait Model: Send + Sync {
    /// Sends a request, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError>;
}

/// A model, and what may be spent on it.
#[derive(Clone, Copy)]
pub struct ModelUse<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The longest answer, in tokens.
    pub max_answer_tokens: u32,
    /// The most tokens that may be spent in a day; `None` for any number.
    pub tokens_per_day: Option<u64>,
}

/// Estimates how many tokens a text takes.
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    text.len().div_ceil(limits::TOKEN_BYTES) as u64
}
