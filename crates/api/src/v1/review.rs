//! A lesson that waits for a person, beside those that it bears on.

use hardwon_core::lesson::Lesson;
use hardwon_engine::Relation;
use serde::Serialize;

use super::lesson::LessonDto;

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
    #[must_use]
    pub fn from_related(lesson: &'a Lesson, beside: &'a [(Relation, Lesson)]) -> Self {
        let beside = beside.iter().map(|(relation, other)| ComparedLessonDto {
            relation: relation_name(*relation),
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

fn relation_name(relation: Relation) -> &'static str {
    match relation {
        Relation::Replaced => "replaced",
        Relation::Opposite => "opposite",
        Relation::Similar => "alike",
    }
}
