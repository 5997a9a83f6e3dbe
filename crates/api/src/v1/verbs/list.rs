//! `list`: the lessons of this project, a page at a time.

use hardwon_core::{LessonId, limits};
use hardwon_store::{LessonListing, LessonOrder, ScopeFilter, StatusName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Verb, VerbCall, VerbEffect, VerbError};
use crate::v1::lesson::agent::LessonRow;

/// Asks for a page of lessons.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRequest {
    /// In which state. Of lessons that are not active, only the number and the reason is told.
    #[serde(default)]
    pub status: StatusFilter,
    /// How many at most.
    #[serde(default = "default_list_limit")]
    #[schemars(range(min = 1, max = limits::LISTED_MAX))]
    pub limit: u32,
    /// Only lessons with lower numbers: `next` of the page before. 0 begins with the newest.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub before: i64,
}

fn default_list_limit() -> u32 {
    20
}

const _: () = assert!(limits::LISTED_DEFAULT == 20);

/// The state that listed lessons are in.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "each is the state of that name")]
pub enum StatusFilter {
    #[default]
    Active,
    Pending,
    Quarantined,
    Superseded,
    Archived,
}

impl From<StatusFilter> for StatusName {
    fn from(status: StatusFilter) -> Self {
        match status {
            StatusFilter::Active => Self::Active,
            StatusFilter::Pending => Self::Pending,
            StatusFilter::Quarantined => Self::Quarantined,
            StatusFilter::Superseded => Self::Superseded,
            StatusFilter::Archived => Self::Archived,
        }
    }
}

/// A page of lessons, the newest first.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct LessonPage {
    #[expect(
        missing_docs,
        reason = "a model reads the schema, which says it already"
    )]
    pub lessons: Vec<LessonRow>,
    /// What `before` has to be for the next page; absent on the last one.
    #[serde(skip_serializing_if = "crate::v1::is_zero")]
    pub next: i64,
}

impl Verb for ListRequest {
    type Reply = LessonPage;

    const NAME: &'static str = "list";
    const TITLE: &'static str = "List lessons";
    const DESCRIPTION: &'static str = "List the lessons of this project, those shown last first. Call it \
        when somebody asks which lessons there are; to find some for a task, call `search`.";
    const EFFECT: VerbEffect = VerbEffect::Reads;

    fn run(self, call: &VerbCall<'_>) -> Result<LessonPage, VerbError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let limit = limit.clamp(1, limits::LISTED_MAX);
        let mut lessons = call.desk.lessons_as_shown(&LessonListing {
            within: ScopeFilter::Visible(call.desk.principal().scope.clone()),
            status: Some(self.status.into()),
            order: LessonOrder::LastShownFirst,
            before: (self.before > 0).then_some(LessonId(self.before)),
            limit: limit + 1,
            ..LessonListing::default()
        })?;
        let is_last = lessons.len() <= limit;
        lessons.truncate(limit);
        let next = lessons.last().filter(|_| !is_last);
        Ok(LessonPage {
            next: next.map_or(0, |lesson| lesson.id.0),
            lessons: lessons.iter().map(LessonRow::from).collect(),
        })
    }
}
