//! How a run ended, and what that says of the lessons shown in it.

use hardwon_core::RunStatus;
use hardwon_engine::RunEndOutcome;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Says how a run ended.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RunEndBody {
    /// The run, as recalls named it.
    pub run: String,
    /// The agent whose run it was; if absent the key's, else the server's default.
    pub agent_id: Option<String>,
    /// The project that it worked in.
    pub project: Option<String>,
    /// How it ended.
    pub status: RunEndStatus,
    /// A score of its result, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub score: Option<f64>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunEndStatus {
    /// It did what it was asked to do.
    Completed,
    /// It failed.
    Failed,
    /// It was stopped before its end.
    Aborted,
}

impl From<RunEndStatus> for RunStatus {
    fn from(status: RunEndStatus) -> Self {
        match status {
            RunEndStatus::Completed => Self::Completed,
            RunEndStatus::Failed => Self::Failed,
            RunEndStatus::Aborted => Self::Aborted,
        }
    }
}

/// What the end of a run says about the lessons shown in it.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunEndReply {
    /// Whether the end was counted. It is not if the run was judged before.
    pub counted: bool,
    /// The lessons that were shown or left out at random; empty if no recall named the run.
    pub lessons: Vec<CreditedLesson>,
    /// The numbers of lessons that were taken out because they probably do harm.
    pub quarantined: Vec<i64>,
}

/// What the end of a run says about one lesson.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreditedLesson {
    /// The lesson's number.
    pub id: i64,
    /// Whether it was left out at random, to measure what showing it does.
    pub held_back: bool,
    /// What became of its occasion: `followed`, `avoided`, `repeated`, `in_vain` or `not_needed`.
    pub outcome: &'static str,
}

impl From<&RunEndOutcome> for RunEndReply {
    fn from(ended: &RunEndOutcome) -> Self {
        let lessons = ended.credit.lessons.iter();
        let lesson_ids = ended.credit.quarantined.iter();
        Self {
            counted: !ended.was_judged && !ended.credit.lessons.is_empty(),
            lessons: lessons
                .map(|lesson| CreditedLesson {
                    id: lesson.lesson.0,
                    held_back: lesson.is_control,
                    outcome: lesson.outcome.name(),
                })
                .collect(),
            quarantined: lesson_ids.map(|id| id.0).collect(),
        }
    }
}
