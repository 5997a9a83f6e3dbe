//! `get`: one lesson whole.

use hardwon_core::LessonId;
use schemars::JsonSchema;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Verb, VerbCall, VerbEffect, VerbError};
use crate::v1::lesson::agent::{WholeLesson, require_readable};

/// Asks for one lesson whole.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GetRequest {
    /// The lesson's number, such as 14.
    pub id: i64,
}

impl Verb for GetRequest {
    type Reply = WholeLesson;

    const NAME: &'static str = "get";
    const TITLE: &'static str = "Read a lesson";
    const DESCRIPTION: &'static str = "Read one lesson whole, by its number. Call it when `search` \
        showed only the beginning, or when somebody names a lesson such as #14.";
    const EFFECT: VerbEffect = VerbEffect::Reads;

    fn run(self, call: &VerbCall<'_>) -> Result<WholeLesson, VerbError> {
        let lesson = call.desk.lesson(LessonId(self.id))?;
        Ok(WholeLesson::from(&require_readable(lesson)?))
    }
}
