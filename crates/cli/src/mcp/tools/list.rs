//! `list`: the lessons of this project, a page at a time.

use hardwon_core::{id::LessonId, limits};
use hardwon_store::{LessonListing, LessonOrder, ScopeFilter, StatusName};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::{McpTool, ToolEffect, ToolReply};
use crate::{
    error::CliError,
    mcp::{Caller, lesson_view::LessonRow},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTool {
    /// In which state. Of lessons that are not active, only the number and the reason is told.
    #[serde(default)]
    status: StatusFilter,
    /// How many at most.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = limits::LISTED_MAX))]
    limit: u32,
    /// Only lessons with lower numbers: `next` of the page before. 0 begins with the newest.
    #[serde(default)]
    #[schemars(range(min = 0))]
    before: i64,
}

fn limit() -> u32 {
    20
}

const _: () = assert!(limits::LISTED_DEFAULT == 20);

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum StatusFilter {
    #[default]
    Active,
    Pending,
    Quarantined,
    Superseded,
    Archived,
}

impl From<StatusFilter> for StatusName {
    fn from(state: StatusFilter) -> Self {
        match state {
            StatusFilter::Active => Self::Active,
            StatusFilter::Pending => Self::Pending,
            StatusFilter::Quarantined => Self::Quarantined,
            StatusFilter::Superseded => Self::Superseded,
            StatusFilter::Archived => Self::Archived,
        }
    }
}

/// A page of lessons, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LessonPage {
    lessons: Vec<LessonRow>,
    /// What `before` has to be for the next page; absent on the last one.
    #[serde(skip_serializing_if = "is_zero")]
    next: i64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl McpTool for ListTool {
    type Answer = LessonPage;

    const NAME: &'static str = "list";
    const TITLE: &'static str = "List lessons";
    const DESCRIPTION: &'static str = "List the lessons of this project, those shown last first. Call it \
        when somebody asks which lessons there are; to find some for a task, call `search`.";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    fn run(self, caller: &Caller) -> Result<ToolReply<LessonPage>, CliError> {
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
        let engine = caller.open_reader()?;
        let mut lessons = engine
            .acting_as(caller.agent_with_taint(false))
            .lessons(&listing)?;
        let is_last = lessons.len() <= limit;
        lessons.truncate(limit);
        let next = lessons.last().filter(|_| !is_last);
        Ok(ToolReply::from(LessonPage {
            next: next.map_or(0, |lesson| lesson.id.0),
            lessons: lessons.iter().map(LessonRow::from).collect(),
        }))
    }
}
