//! `record`: a lesson on the agent's word.

use hardwon_api::v1::lesson::new::{RecordRequest, RecordedLesson};
use hardwon_core::{lesson::LessonContent, text::RawText};
use hardwon_engine::Note;

use super::{McpTool, ToolEffect, ToolReply};
use crate::{EngineUse, McpError, caller::McpCaller};

impl McpTool for RecordRequest {
    type Answer = RecordedLesson;

    const NAME: &'static str = "record";
    const TITLE: &'static str = "Record a lesson";
    const DESCRIPTION: &'static str = "Record what you learned the hard way, so that later \
        sessions know it. Call it when something cost you more than one try and will come up \
        again; not for what went well, and never with secrets.";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<RecordedLesson>, McpError> {
        let engine = caller.open_engine(EngineUse::Write)?;
        let content = LessonContent::<RawText>::from(self);
        let agent = caller.agent_with_taint(caller.may_be_from_outside(&content));
        let outcome = engine.acting_as(agent).note_once(Note::new(content))?;
        let lesson = RecordedLesson::from_noted(&outcome).map_err(|why| {
            McpError::refused(format!("it is no lesson: {why}"))
                .with_hint("say it otherwise and shorter, as advice, and record it again")
        })?;
        Ok(lesson.into())
    }
}
