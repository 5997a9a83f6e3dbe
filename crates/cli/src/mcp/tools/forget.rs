//! `forget`: a lesson leaves the active set; nothing is erased.

use hardwon_core::{id::LessonId, limits};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{
    error::CliError,
    mcp::{Caller, caller::explain_refusal, lesson_view, tools::feedback::check_comment},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForgetTool {
    /// The lesson's number, such as 14.
    id: i64,
    /// Why, for the record.
    #[schemars(length(min = 1, max = limits::VERDICT_NOTE_CHARS))]
    why: String,
}

/// What is known of the lesson now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ForgottenLesson {
    /// The lesson's number.
    id: i64,
    /// Its state.
    status: &'static str,
    /// Why it is not active.
    why: String,
}

impl McpTool for ForgetTool {
    type Answer = ForgottenLesson;

    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Archive a lesson";
    const DESCRIPTION: &'static str = "Take a lesson out of use for good. It is archived, not \
        erased. Call it only when the user asks for it; of a lesson that is out of date, say \
        `feedback` with the verdict stale.";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    fn run(self, caller: &Caller) -> Result<ToolReply<ForgottenLesson>, CliError> {
        if self.why.trim().is_empty() {
            return Err(CliError::bad_input("why is empty").with_hint("say why, for the record"));
        }
        let why = check_comment("why", &self.why)?;
        let engine = caller.open_writer()?;
        let desk = engine.acting_as(caller.agent());
        let gone = desk.forget_lesson(LessonId(self.id), &why.into());
        let lesson = gone.map_err(explain_refusal)?;
        Ok(ToolReply::from(ForgottenLesson {
            id: lesson.id.0,
            status: lesson.status.name(),
            why: lesson_view::status_reason(&lesson),
        }))
    }
}
