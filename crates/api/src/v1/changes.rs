//! What changed in the lessons that a key may recall, for a replica of them: as it is sent, and as it is taken in.
//!
//! What is taken in came over a network: every text is cleaned and bounded again, and a lesson that cannot be one is
//! left out.

mod received;

use std::collections::BTreeSet;

use hardwon_core::{
    lesson::{Arm, Lesson, LessonTarget},
    tokens::DocTerms,
};
use hardwon_engine::{CopyPage, FeedPage};
use serde::{Deserialize, Serialize};

pub use received::{ReceivedChanges, TakenIn, UnusableChanges};

use super::lesson::published::PublishedLesson;

/// What changed in the lessons that may be recalled for an agent and a project.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangesReply<'a> {
    /// Lessons that are new or changed, as they are now.
    pub lessons: Vec<ChangedLesson<'a>>,
    /// The numbers of lessons that may not be recalled any more. A number that is not known means nothing.
    pub gone: Vec<i64>,
    /// What to give as `after` to go on from here.
    pub next: String,
    /// Whether these are all lessons rather than changes: whatever was known before is out of date. All pages up to
    /// one without a `cursor` belong together, and the `next` of the first of them counts.
    pub reset: bool,
    /// What to give as `cursor` for the next page of all lessons; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there is more already, so that asking again is answered at once.
    pub more: bool,
}

/// A lesson with all that it is ranked by.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangedLesson<'a> {
    /// The lesson; its members stand beside the others.
    #[serde(flatten)]
    pub lesson: PublishedLesson<'a>,
    /// Whom it is meant for; empty means everybody.
    pub targets: Vec<TargetDto>,
    /// The key of the failure that it is about; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'a str>,
    /// The terms of the task that taught it, in alphabetical order.
    pub task_terms: Vec<String>,
    /// Its record, beyond what is counted above.
    pub record: RecordDto,
}

/// Whom a lesson is meant for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TargetDto {
    /// `operator`, `role` or `skill`.
    pub kind: String,
    /// The name, with `*` for any sequence of characters.
    pub glob: String,
}

/// The part of a lesson's record that ranking and drawing lots need.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordDto {
    /// Outcomes in which it was followed and its failure occurred all the same.
    pub contradicted: u64,
    /// Runs with it that went well.
    pub went_well: u64,
    /// Runs with it that went badly.
    pub went_badly: u64,
    /// Runs in a row that did not follow it.
    pub not_followed: i64,
    /// The precision of what outcomes say of its effect, in millionths.
    pub precision: i64,
    /// That precision times the mean, in millionths.
    pub shift: i64,
    /// Outcomes of a comparison in which it was shown.
    pub trial_shown: ArmDto,
    /// Outcomes of a comparison in which it was held back.
    pub trial_control: ArmDto,
}

/// One arm of a comparison, in millionths.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ArmDto {
    /// The sum of the weights.
    pub weight: i64,
    /// The sum of the squared weights.
    pub square: i64,
    /// The sum of the weights of good outcomes.
    pub good: i64,
}

impl<'a> ChangesReply<'a> {
    /// Makes the answer of a page of changes. `next` is how its position is told.
    #[must_use]
    pub fn from_feed(page: &'a FeedPage, next: String) -> Self {
        Self {
            lessons: page.lessons.iter().map(ChangedLesson::from).collect(),
            gone: page.gone.iter().map(|id| id.0).collect(),
            next,
            reset: false,
            cursor: None,
            more: page.has_more,
        }
    }

    /// Makes the answer of a page of all lessons. `next` is how its position is told.
    #[must_use]
    pub fn from_copy(page: &'a CopyPage, next: String) -> Self {
        Self {
            lessons: page.lessons.iter().map(ChangedLesson::from).collect(),
            gone: Vec::new(),
            next,
            reset: true,
            cursor: page.cursor.map(|it| it.0.to_string()),
            more: page.cursor.is_some(),
        }
    }
}

impl<'a> From<&'a Lesson> for ChangedLesson<'a> {
    fn from(lesson: &'a Lesson) -> Self {
        Self {
            lesson: PublishedLesson::from(lesson),
            targets: lesson.content.targets.iter().map(TargetDto::from).collect(),
            failure: lesson.failure.as_ref().map(|it| it.as_str()),
            task_terms: list_task_terms(lesson),
            record: RecordDto::from(lesson),
        }
    }
}

/// Lists the terms of the task that taught a lesson. Sorted, they say less of what was asked, and find as much.
fn list_task_terms(lesson: &Lesson) -> Vec<String> {
    let Some(task) = &lesson.task else {
        return Vec::new();
    };
    let terms = DocTerms::from_content(&lesson.content, Some(task));
    let sorted: BTreeSet<&str> = terms.task_terms().collect();
    sorted.into_iter().map(str::to_owned).collect()
}

impl From<&LessonTarget> for TargetDto {
    fn from(target: &LessonTarget) -> Self {
        Self {
            kind: target.kind.name().to_owned(),
            glob: target.glob.to_string(),
        }
    }
}

impl From<&Lesson> for RecordDto {
    fn from(lesson: &Lesson) -> Self {
        let counts = &lesson.counts;
        Self {
            contradicted: counts.contradicted,
            went_well: counts.went_well,
            went_badly: counts.went_badly,
            not_followed: counts.not_followed,
            precision: counts.gaussian_message.precision,
            shift: counts.gaussian_message.shift,
            trial_shown: counts.trial.shown.into(),
            trial_control: counts.trial.control.into(),
        }
    }
}

impl From<Arm> for ArmDto {
    fn from(arm: Arm) -> Self {
        Self {
            weight: arm.weight,
            square: arm.square,
            good: arm.good,
        }
    }
}

impl From<ArmDto> for Arm {
    fn from(arm: ArmDto) -> Self {
        Self {
            weight: arm.weight,
            square: arm.square,
            good: arm.good,
        }
    }
}
