//! What sweeps of a server go by: the owner's choices, the nights, and a model that names groups.
//!
//! Where it comes from is the caller's business; nothing is read here.

use std::time::Duration;

use hardwon_core::Allowance;
use hardwon_engine::{Model, ModelPrices, SweepGate, SweepPolicy};
use jiff::SignedDuration;

/// How long a person is kept waiting with questions to the model.
pub(crate) const ASKING_TIME: Duration = Duration::from_secs(60);

/// What sweeps of a server go by.
#[derive(Debug, Clone, Default)]
pub struct SweepConfig {
    /// What the owner chose.
    pub policy: SweepPolicy,
    /// Sweeps at night; `None` for none.
    pub night: Option<NightConfig>,
}

/// When a server sweeps its tenants by itself, and how far it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NightConfig {
    /// The hour of the day, in UTC, at which it begins.
    pub hour: u8,
    /// What has to have come since the last sweep of a tenant.
    pub gate: SweepGate,
    /// Whether it does what it plans; otherwise a plan is kept for a person to apply.
    pub may_apply: bool,
}

/// The model that a server asks for groups and their words.
pub struct GroupModel {
    /// The model.
    pub model: Box<dyn Model>,
    /// How long it may take for an answer.
    pub timeout: Duration,
    /// The longest answer, in tokens.
    pub max_answer_tokens: u32,
    /// The most that may be spent on a tenant in a day.
    pub allowance: Allowance,
    /// Its prices.
    pub prices: ModelPrices,
}

impl GroupModel {
    pub(crate) fn longest_answer(&self) -> SignedDuration {
        SignedDuration::try_from(self.timeout).unwrap_or_default()
    }
}
