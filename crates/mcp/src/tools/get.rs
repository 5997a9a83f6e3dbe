//! `get`: one lesson whole.

use hardwon_api::v1::lesson::agent::{GetRequest, WholeLesson};
use hardwon_core::id::LessonId;

use super::{McpTool, ToolEffect, ToolReply};
use crate::{
    EngineUse, McpError,
    caller::{McpCaller, require_readable},
};

impl McpTool for GetRequest {
    type Answer = WholeLesson;

    const NAME: &'static str = "get";
    const TITLE: &'static str = "Read a lesson";
    const DESCRIPTION: &'static str = "Read one lesson whole, by its number. Call it when `search` \
        showed only the beginning, or when somebody names a lesson such as #14.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<WholeLesson>, McpError> {
        let engine = caller.open_engine(EngineUse::Read)?;
        let desk = engine.acting_as(caller.agent_with_taint(false));
        let lesson = desk.lesson(LessonId(self.id)).and_then(require_readable)?;
        Ok(WholeLesson::from(&lesson).into())
    }
}
