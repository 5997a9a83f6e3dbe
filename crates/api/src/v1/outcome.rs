//! How a lesson fared, on an agent's word. The comments on fields are what a model reads about them.

use hardwon_core::{lesson::Lesson, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lesson::agent::explain_status;

/// Says how a lesson fared.
#[derive(Debug, Deserialize, JsonSchema)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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

/// How it fared.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the field that holds one says what each means")]
pub enum FeedbackVerdict {
    Followed,
    Helped,
    Wrong,
    Stale,
}

/// What is known of the lesson now.
#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    #[must_use]
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
