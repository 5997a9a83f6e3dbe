//! `list`: the lessons of this project, a page at a time.

use hardwon_api::v1::lesson::agent::{LessonPage, LessonRow, ListRequest};
use hardwon_core::{id::LessonId, limits};
use hardwon_store::{LessonListing, LessonOrder, ScopeFilter};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{EngineUse, McpError, caller::McpCaller};

impl McpTool for ListRequest {
    type Answer = LessonPage;

    const NAME: &'static str = "list";
    const TITLE: &'static str = "List lessons";
    const DESCRIPTION: &'static str = "List the lessons of this project, those shown last first. Call it \
        when somebody asks which lessons there are; to find some for a task, call `search`.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    fn run(self, caller: McpCaller<'_>) -> Result<ToolReply<LessonPage>, McpError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let limit = limit.clamp(1, limits::LISTED_MAX);
        let listing = LessonListing {
            within: ScopeFilter::Visible(caller.scope().clone()),
            status: Some(self.status.into()),
            order: LessonOrder::LastShownFirst,
            before: (self.before > 0).then_some(LessonId(self.before)),
            limit: limit + 1,
            ..LessonListing::default()
        };
        let engine = caller.open_engine(EngineUse::Read)?;
        let mut lessons = engine
            .acting_as(caller.agent_with_taint(false))
            .lessons_as_shown(&listing)?;
        let is_last = lessons.len() <= limit;
        lessons.truncate(limit);
        let next = lessons.last().filter(|_| !is_last);
        Ok(ToolReply::from(LessonPage {
            next: next.map_or(0, |lesson| lesson.id.0),
            lessons: lessons.iter().map(LessonRow::from).collect(),
        }))
    }
}
