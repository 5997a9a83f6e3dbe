//! `forget`: a lesson leaves the active set; nothing is erased.

use hardwon_api::v1::lesson::agent::{ForgetRequest, ForgottenLesson};
use hardwon_core::id::LessonId;

use super::{McpTool, ToolEffect, ToolReply, feedback::check_comment};
use crate::{EngineUse, McpError, caller::McpCaller};

impl McpTool for ForgetRequest {
    type Answer = ForgottenLesson;

    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Archive a lesson";
    const DESCRIPTION: &'static str = "Take a lesson out of use for good. It is archived, not \
        erased. Call it only when the user asks for it; of a lesson that is out of date, say \
        `feedback` with the verdict stale.";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<ForgottenLesson>, McpError> {
        if self.why.trim().is_empty() {
            return Err(McpError::refused("why is empty").with_hint("say why, for the record"));
        }
        let reason = check_comment("why", &self.why)?;
        let engine = caller.open_engine(EngineUse::Write)?;
        let desk = engine.acting_as(caller.agent());
        let lesson = desk.archive_within_trust(LessonId(self.id), &reason.into())?;
        Ok(ForgottenLesson::from(&lesson).into())
    }
}
