//! A lesson that waits for a person, beside those that it bears on.

use hardwon_core::Lesson;
use hardwon_engine::Relation;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lesson::{LessonDto, published::PublishedLesson};

/// Lessons that one is compared with.
const MAX_COMPARED: usize = 5;

/// A lesson and those to compare it with.
#[derive(Debug, Serialize)]
pub struct ReviewDto<'a> {
    /// The lesson.
    pub lesson: LessonDto<'a>,
    /// Those to compare it with, the most important first.
    pub beside: Vec<ComparedLessonDto<'a>>,
}

impl<'a> ReviewDto<'a> {
    /// Builds it from a lesson and what the desk finds beside it.
    pub fn from_related(lesson: &'a Lesson, beside: &'a [(Relation, Lesson)]) -> Self {
        let beside = beside.iter().map(|(relation, other)| ComparedLessonDto {
            relation: relation.name(),
            lesson: LessonDto::from(other),
        });
        Self {
            lesson: LessonDto::from(lesson),
            beside: beside.collect(),
        }
    }
}

/// A lesson to compare one with.
#[derive(Debug, Serialize)]
pub struct ComparedLessonDto<'a> {
    /// `replaced` (it would be), `opposite` or `alike`.
    pub relation: &'static str,
    /// The lesson.
    pub lesson: LessonDto<'a>,
}

/// A lesson that waits, in the published shape, and those to compare it with.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublishedReview<'a> {
    /// The lesson; its `why` says why it waits, its `evidence` where it came from.
    pub lesson: PublishedLesson<'a>,
    /// Those to compare it with, the most important first; at most 5.
    pub beside: Vec<PublishedComparison<'a>>,
}

/// A lesson to compare one with, in the published shape.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublishedComparison<'a> {
    /// `replaced` (it would be), `opposite` or `alike`.
    pub relation: &'static str,
    /// The lesson.
    pub lesson: PublishedLesson<'a>,
}

impl<'a> PublishedReview<'a> {
    /// Builds it from a lesson and what the desk finds beside it.
    pub fn from_related(lesson: &'a Lesson, beside: &'a [(Relation, Lesson)]) -> Self {
        let beside = beside.iter().map(|(relation, other)| PublishedComparison {
            relation: relation.name(),
            lesson: PublishedLesson::from(other),
        });
        Self {
            lesson: PublishedLesson::from(lesson),
            beside: beside.take(MAX_COMPARED).collect(),
        }
    }
}

/// An answer that is one lesson that waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewReply<'a> {
    /// The lesson, and those to compare it with.
    pub review: PublishedReview<'a>,
}

/// A page of lessons that wait, the oldest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewPageReply<'a> {
    /// The lessons.
    pub reviews: Vec<PublishedReview<'a>>,
    /// What to give as `cursor` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Approves a lesson.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct ApprovalBody {
    /// Why, for the journal.
    pub why: Option<String>,
}

/// Rejects a lesson.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct RejectionBody {
    /// Why, for the journal.
    #[schema(value_type = String, required = true, min_length = 1)]
    pub why: Option<String>,
}
