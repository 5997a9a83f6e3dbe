//! Sweeps as a server tells them: what is asked, and the answers, each with how it went.

use hardwon_engine::{AppliedSweep, PlannedSweep, SweepRecord, UndoneSweep};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AppliedSweepDto, SweepRecordDto, UndoneSweepDto, describe_model};

/// Asks for a sweep. Members that are not known are passed over.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SweepBody {
    /// Only lessons of this agent; if absent, of all that the key sees.
    pub agent_id: Option<String>,
    /// Only lessons of this project; if absent, of all that the key sees.
    pub project: Option<String>,
    /// Whether the server's model is asked which lessons mean the same, which costs; without it none are merged for that.
    #[serde(default)]
    pub model: bool,
}

/// The sweeps that can be taken back, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SweepsReply {
    /// The sweeps, at most 32.
    pub sweeps: Vec<SweepRecordDto>,
    /// When the last sweep looked at the tenant's lessons, in seconds since 1970; `null` if none did.
    pub last_at: Option<i64>,
}

/// What a sweep did.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppliedSweepReply {
    /// `nothing_to_do`, `done`, or `partly_done` if something was left out.
    pub state: &'static str,
    /// What was done; absent where there was nothing to do. Where lessons were retired, its name takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sweep: Option<AppliedSweepDto>,
    /// `rules`, `asked` or `away`.
    pub model: &'static str,
    /// Why the model was away; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model_error: Option<String>,
    /// Questions to the model that are left for another sweep, because enough was asked in this one.
    pub postponed: usize,
    /// How much was left out because only a person may do it.
    pub left_for_person: usize,
}

/// What became of taking a sweep back.
#[derive(Debug, Serialize, ToSchema)]
pub struct UndoneSweepReply {
    /// `done`, or `partly_done` if lessons were changed since and stay as they are.
    pub state: &'static str,
    /// What was taken back.
    pub sweep: UndoneSweepDto,
}

impl SweepsReply {
    /// Makes the answer of sweeps, and of when the last one looked.
    pub fn new(sweeps: &[SweepRecord], last: Option<Timestamp>) -> Self {
        Self {
            sweeps: sweeps.iter().map(SweepRecordDto::from).collect(),
            last_at: last.map(Timestamp::as_second),
        }
    }
}

impl AppliedSweepReply {
    /// Makes the answer of what was planned, and of what was done of it.
    pub fn new(planned: &PlannedSweep, done: Option<&AppliedSweep>) -> Self {
        let (model, model_error) = describe_model(&planned.plan.model);
        Self {
            state: done.map_or("nothing_to_do", |done| tell_done(done.left_out.is_empty())),
            sweep: done.map(AppliedSweepDto::from),
            model,
            model_error,
            postponed: planned.plan.postponed,
            left_for_person: planned.left_for_person,
        }
    }
}

impl From<&UndoneSweep> for UndoneSweepReply {
    fn from(undone: &UndoneSweep) -> Self {
        Self {
            state: tell_done(undone.left.is_empty()),
            sweep: UndoneSweepDto::from(undone),
        }
    }
}

fn tell_done(is_whole: bool) -> &'static str {
    if is_whole { "done" } else { "partly_done" }
}
