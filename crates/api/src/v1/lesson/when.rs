//! Which lessons come up at a call, and which nearly.

use hardwon_core::Lesson;
use hardwon_engine::LessonsAtCall;
use serde::Serialize;

/// The lessons at a call.
#[derive(Debug, Serialize)]
pub struct LessonsAtCallReply<'a> {
    /// Those that come up before it.
    pub comes_up: Vec<LessonMoment<'a>>,
    /// Those that come up if it fails with the words that were given.
    pub at_failure: Vec<LessonMoment<'a>>,
    /// Those that name something of it and do not come up.
    pub nearly: Vec<LessonMoment<'a>>,
}

/// A lesson, and why it comes up or does not.
#[derive(Debug, Serialize)]
pub struct LessonMoment<'a> {
    /// Its number.
    pub id: i64,
    /// Its first line.
    pub title: &'a str,
    /// When it comes up, or why it does not.
    pub why: &'a str,
}

impl<'a> LessonMoment<'a> {
    fn new(lesson: &'a Lesson, why: &'a str) -> Self {
        Self {
            id: lesson.id.0,
            title: lesson.content.title.as_str(),
            why,
        }
    }
}

impl<'a> From<&'a LessonsAtCall> for LessonsAtCallReply<'a> {
    fn from(found: &'a LessonsAtCall) -> Self {
        let with_why = |all: &'a [(Lesson, String)]| {
            let rows = all
                .iter()
                .map(|(lesson, why)| LessonMoment::new(lesson, why));
            rows.collect()
        };
        Self {
            comes_up: with_why(&found.before),
            at_failure: with_why(&found.at_failure),
            nearly: with_why(&found.nearly),
        }
    }
}
