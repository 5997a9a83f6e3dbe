//! The model that sweeps of a server ask for groups.
//!
//! Where it comes from is the caller's business; nothing is read here.

use std::time::Duration;

use hardwon_engine::Model;
use jiff::SignedDuration;

/// How long a person is kept waiting with questions to the model.
pub(crate) const ASKING_TIME: Duration = Duration::from_secs(60);

/// The model that a server asks for groups and their words.
pub struct GroupModel {
    /// The model.
    pub model: Box<dyn Model>,
    /// How long it may take for an answer.
    pub timeout: Duration,
    /// The longest answer, in tokens.
    pub max_answer_tokens: u32,
    /// The most tokens that may be spent on a tenant in a day; `None` for any number.
    pub tokens_per_day: Option<u64>,
}

impl GroupModel {
    pub(crate) fn longest_answer(&self) -> SignedDuration {
        SignedDuration::try_from(self.timeout).unwrap_or_default()
    }
}
