//! `feedback`: how a lesson fared.

use hardwon_core::{Lesson, LessonId, limits};
use hardwon_engine::{Opinion, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Verb, VerbCall, VerbEffect, VerbError, check_comment};
use crate::v1::lesson::agent::explain_status;

/// How it fared.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRequest {
    /// The lesson's number, such as 14.
    pub id: i64,
    /// You did as it says; it spared you trouble; it misled you; it was right once and is no longer.
    pub verdict: FeedbackVerdict,
    /// What happened, in a sentence. It is kept for whoever reviews a stale lesson.
    #[serde(default)]
    #[schemars(length(max = limits::VERDICT_NOTE_CHARS))]
    #[schema(value_type = Option<String>)]
    pub note: String,
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

impl Verb for FeedbackRequest {
    type Reply = JudgedLesson;

    const NAME: &'static str = "feedback";
    const TITLE: &'static str = "Judge a lesson";
    const DESCRIPTION: &'static str = "Say how a lesson fared after you used it. Call it once for \
        each lesson that helped you, misled you or turned out to be out of date.";
    const DETAILS: &'static str = "The word counts as far as the key's trust reaches. A lesson \
        that is said to be stale waits for a person, unless it came from a more trusted source.";
    const EFFECT: VerbEffect = VerbEffect::Adds;
    const ROUTE: Option<&'static str> = Some("POST /v1/lessons/{id}/feedback");
    const IS_COMMAND: bool = true;

    fn check(&self) -> Result<(), VerbError> {
        check_comment("note", "the note", &self.note)
    }

    fn run(self, call: &VerbCall<'_>) -> Result<JudgedLesson, VerbError> {
        let (id, verdict) = (LessonId(self.id), self.verdict.into());
        let judgement = call.desk.judge_lesson(id, verdict, &self.note)?;
        Ok(JudgedLesson::from_lesson(
            &judgement.lesson,
            judgement.is_counted,
        ))
    }
}
