//! How a lesson fared, on an agent's word or by how a run ended. The comments on fields are what a model reads about
//! them.

use hardwon_core::{event::RunStatus, lesson::Lesson, limits};
use hardwon_engine::{Opinion, RunEndOutcome, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lesson::agent::explain_status;

/// Says how a lesson fared.
#[derive(Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRequest {
    /// The lesson's number, such as 14.
    pub id: i64,
    /// You did as it says; it spared you trouble; it misled you; it was right once and is no longer.
    pub verdict: FeedbackVerdict,
    /// What happened, in a sentence. It is kept for whoever reviews a stale lesson.
    #[serde(default)]
    #[schemars(length(max = limits::VERDICT_NOTE_CHARS))]
    pub note: String,
}

/// Says how a lesson fared that is named elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FeedbackBody {
    /// The agent that says so; if absent the key's, else the server's default.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The project that it works in.
    #[serde(default)]
    pub project: Option<String>,
    /// It was followed; it spared trouble; it misled; it was right once and is no longer.
    pub verdict: FeedbackVerdict,
    /// What happened, in a sentence, at most 500 characters. It is kept for whoever reviews a stale lesson.
    #[serde(default)]
    pub note: Option<String>,
}

/// Says how a run ended.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RunEndBody {
    /// The run, as recalls named it.
    pub run: String,
    /// The agent whose run it was; if absent the key's, else the server's default.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The project that it worked in.
    #[serde(default)]
    pub project: Option<String>,
    /// How it ended.
    pub status: RunEndStatus,
    /// A score of its result, 0 to 1.
    #[serde(default)]
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

/// How it fared.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the field that holds one says what each means")]
pub enum FeedbackVerdict {
    Followed,
    Helped,
    Wrong,
    Stale,
}

impl From<FeedbackVerdict> for Verdict {
    fn from(verdict: FeedbackVerdict) -> Self {
        match verdict {
            FeedbackVerdict::Followed => Self::Fared(Opinion::Followed),
            FeedbackVerdict::Helped => Self::Fared(Opinion::Helped),
            FeedbackVerdict::Wrong => Self::Fared(Opinion::Wrong),
            FeedbackVerdict::Stale => Self::Stale,
        }
    }
}

/// What is known of the lesson now.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct JudgedLesson {
    /// The lesson's number.
    pub id: i64,
    /// Its state.
    pub status: &'static str,
    /// Why it is not active.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// How many outcomes speak for it.
    pub helped: u64,
    /// How many outcomes speak against it.
    pub wrong: u64,
    /// Whether the verdict was counted. That a lesson is stale is not said of one that is out already.
    pub counted: bool,
}

impl JudgedLesson {
    /// Builds it from the lesson as it is now.
    pub fn from_lesson(lesson: &Lesson, counted: bool) -> Self {
        Self {
            id: lesson.id.0,
            status: lesson.status.name(),
            why: explain_status(lesson),
            helped: lesson.counts.helped,
            wrong: lesson.counts.harmed,
            counted,
        }
    }
}
