//! `feedback`: how a lesson fared.

use hardwon_api::v1::outcome::{FeedbackRequest, JudgedLesson};
use hardwon_core::{
    guard::{self, BadComment},
    id::LessonId,
};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{EngineUse, McpError, caller::McpCaller};

impl McpTool for FeedbackRequest {
    type Answer = JudgedLesson;

    const NAME: &'static str = "feedback";
    const TITLE: &'static str = "Judge a lesson";
    const DESCRIPTION: &'static str = "Say how a lesson fared after you used it. Call it once for \
        each lesson that helped you, misled you or turned out to be out of date.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<JudgedLesson>, McpError> {
        let note = check_comment("the note", &self.note)?;
        let engine = caller.open_engine(EngineUse::Write)?;
        let desk = engine.acting_as(caller.agent());
        let outcome = desk.judge_lesson(LessonId(self.id), self.verdict.into(), note)?;
        Ok(JudgedLesson::from_lesson(&outcome.lesson, outcome.is_counted).into())
    }
}

/// Takes a remark that may be kept.
pub(crate) fn check_comment<'a>(what: &str, remark: &'a str) -> Result<&'a str, McpError> {
    guard::check_comment(remark).map_err(|bad| {
        let hint = match bad {
            BadComment::TooLong { .. } => "say it in a sentence",
            BadComment::Suspicious(_) => "say what happened, in plain words",
        };
        McpError::refused(format!("{what} {bad}")).with_hint(hint)
    })?;
    Ok(remark)
}
