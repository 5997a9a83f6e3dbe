//! `search`: a recall that the agent asks for.

use hardwon_api::v1::recall::search::{FoundLessons, SearchRequest};
use hardwon_core::{limits, preamble::PreambleFormat, rank::Requester};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{McpError, caller::McpCaller, lesson_view::lesson_link};

impl McpTool for SearchRequest {
    type Answer = FoundLessons;

    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search lessons";
    const DESCRIPTION: &'static str = "Find lessons from earlier sessions that fit a task or an \
        error. Call it before you begin a task, and when a command or tool fails.";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const IS_ALWAYS_SHOWN: bool = true;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<FoundLessons>, McpError> {
        if self.query.trim().is_empty() {
            return Err(
                McpError::refused("the query is empty").with_hint("say what you are about to do")
            );
        }
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let limit = limit.clamp(1, limits::SHOWN_MAX);
        let skills = self.skills.iter().map(String::as_str);
        let requester = Requester::from_names(&self.operator, &self.role, skills);
        let format = Some(PreambleFormat::Json);
        let recall = caller.recall(self.query, requester, Some(limit), format)?;
        let value = FoundLessons::from_recalled(&recall)
            .map_err(|error| McpError::fault(format!("reading a preamble: {error}")))?;
        let long = value.lessons.iter().filter(|lesson| lesson.more);
        let links = long.filter_map(|hit| {
            let mut lessons = recall.ranking.shown.iter().map(|showing| &showing.lesson);
            lessons
                .find(|lesson| lesson.id.0 == hit.id)
                .map(lesson_link)
        });
        Ok(ToolReply {
            links: links.collect(),
            value,
        })
    }
}
