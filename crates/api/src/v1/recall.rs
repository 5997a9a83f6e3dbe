//! What a task calls to mind: the lessons that fit, and the preamble made of them.
//!
//! [`batch`] is for programs that make their own of the lessons; [`explained`] says how a ranking came about, and [`log`] what
//! was shown in the past and what followed. What an agent asks for is the verb `search`.

pub mod batch;
pub mod explained;
pub mod log;
pub mod request;

use hardwon_engine::RecallOutcome;
use serde::Serialize;

use super::lesson::LessonDto;

/// What was recalled for a task.
#[derive(Debug, Default, Serialize)]
pub struct RecallResultDto<'a> {
    /// The lessons that were chosen, the best first; empty where none fits well enough.
    pub lessons: Vec<ScoredLessonDto<'a>>,
    /// The text to put before a prompt; empty if there are no lessons.
    pub preamble: &'a str,
    /// Why there are none; null if there are some.
    pub silent: Option<String>,
}

/// A lesson and what it was ranked by.
#[derive(Debug, Serialize)]
pub struct ScoredLessonDto<'a> {
    /// What lessons are ranked by, higher is better; it compares within one answer only.
    pub score: f32,
    /// The lesson.
    pub lesson: LessonDto<'a>,
}

impl<'a> From<&'a RecallOutcome> for RecallResultDto<'a> {
    fn from(recalled: &'a RecallOutcome) -> Self {
        let lessons = recalled.ranking.shown.iter();
        let lessons = lessons.map(|lessons| ScoredLessonDto {
            score: lessons.explanation.score,
            lesson: LessonDto::from(&lessons.lesson),
        });
        Self {
            lessons: lessons.collect(),
            preamble: &recalled.preamble.text,
            silent: recalled.ranking.silence.map(|why| why.to_string()),
        }
    }
}
