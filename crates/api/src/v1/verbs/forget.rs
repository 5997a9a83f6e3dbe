//! `forget`: a lesson leaves the active set; nothing is erased.

use hardwon_core::{Lesson, LessonId, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Verb, VerbCall, VerbEffect, VerbError, check_comment};
use crate::v1::lesson::agent::explain_status;

/// Asks to archive a lesson.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// The lesson's number, such as 14.
    pub id: i64,
    /// Why, for the record.
    #[schemars(length(min = 1, max = limits::VERDICT_NOTE_CHARS))]
    pub why: String,
}

/// What is known of the lesson now.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct ForgottenLesson {
    /// The lesson's number.
    pub id: i64,
    /// Its state.
    pub status: &'static str,
    /// Why it is not active.
    pub why: String,
}

impl From<&Lesson> for ForgottenLesson {
    fn from(lesson: &Lesson) -> Self {
        Self {
            id: lesson.id.0,
            status: lesson.status.name(),
            why: explain_status(lesson),
        }
    }
}

impl Verb for ForgetRequest {
    type Reply = ForgottenLesson;

    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Archive a lesson";
    const DESCRIPTION: &'static str = "Take a lesson out of use for good. It is archived, not \
        erased. Call it only when the user asks for it; of a lesson that is out of date, say \
        `feedback` with the verdict stale.";
    const EFFECT: VerbEffect = VerbEffect::Removes;

    fn check(&self) -> Result<(), VerbError> {
        if self.why.trim().is_empty() {
            let hint = "say why, for the record";
            return Err(VerbError::refuse("why", "why is empty", hint));
        }
        check_comment("why", "why", &self.why)
    }

    fn run(self, call: &VerbCall<'_>) -> Result<ForgottenLesson, VerbError> {
        let reason = self.why.into();
        let lesson = (call.desk).archive_within_trust(LessonId(self.id), &reason)?;
        Ok(ForgottenLesson::from(&lesson))
    }
}
