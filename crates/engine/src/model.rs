//! The port to a model: what it is asked, what it answers, and why it may not.
//!
//! Whoever embeds the engine brings an implementation; the program has some that speak to services
//! and programs. A model is asked outside of any transaction and may take as long as it is given.
//! Its answer is text from outside, as any other. Nothing here knows what is asked for.

use hardwon_core::{
    distil::ModelPrompt,
    limits,
    queue::{JobFailure, ModelCost},
    text::RawText,
};
use jiff::SignedDuration;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// What is said.
    pub prompt: ModelPrompt,
    /// Whether the answer is to be a JSON object, where the model can be held to that.
    pub wants_json: bool,
    /// How long the answer may be, in tokens.
    pub max_answer_tokens: u32,
}

/// How many tokens a question and its answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// The question.
    pub input: u64,
    /// The answer, with what was thought before it.
    pub output: u64,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// What was said.
    pub text: RawText,
    /// What it took, if the model says.
    pub tokens: Option<TokenUsage>,
}

/// Why there is no answer. The texts are for people, and hold no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It cannot be asked at all as things are: no such program, a wrong key, a wrong address.
    #[error("{0}")]
    Unusable(String),
    /// It cannot be reached at this moment.
    #[error("{0}")]
    Unreachable(String),
    /// It has no time now.
    #[error("{what}")]
    Busy {
        /// What it said.
        what: String,
        /// When to ask again, if it said.
        after: Option<SignedDuration>,
    },
    /// It did not answer in time.
    #[error("no answer in time")]
    TimedOut,
    /// It failed, or answered something that is no answer.
    #[error("{0}")]
    Failed(String),
    /// It will not answer this question.
    #[error("{0}")]
    Refused(String),
}

impl ModelError {
    /// Returns what becomes of the job: how often this may happen to it. What is not the job's
    /// fault may happen for ever.
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

    /// Returns whether the next question would fare no better just now.
    pub(crate) fn stops_queue(&self) -> bool {
        matches!(
            self,
            Self::Unusable(_) | Self::Unreachable(_) | Self::Busy { .. }
        )
    }
}

/// Something that answers questions.
pub trait Model: Send + Sync {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Returns why there is none.
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError>;
}

/// What a model charges, in millionths of whatever the allowance is in, for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelPrices {
    /// For questions.
    pub input: u64,
    /// For answers.
    pub output: u64,
}

impl ModelPrices {
    /// Returns what one call costs.
    #[must_use]
    pub fn cost_of(self, tokens: TokenUsage) -> ModelCost {
        let part = |tokens: u64, price: u64| {
            let micros = u128::from(tokens) * u128::from(price) / 1_000_000;
            u64::try_from(micros).unwrap_or(u64::MAX)
        };
        ModelCost {
            calls: 1,
            tokens: tokens.input.saturating_add(tokens.output),
            micros: part(tokens.input, self.input).saturating_add(part(tokens.output, self.output)),
        }
    }
}

/// Reckons how many tokens a text takes.
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    text.len().div_ceil(limits::TOKEN_BYTES) as u64
}
