//! A replica: copies of the lessons of a server, with the server's numbers, to recall from without asking it.
//!
//! It is a cache. Its lessons have no journal here, and none is decided about: [`ReplicaUpdate`] says what the server
//! said, and [`SqliteStore::update_replica`](crate::SqliteStore::update_replica) does so. Fetching is somebody else's
//! task.

use hardwon_core::{
    id::LessonId, lesson::Lesson, text::CleanText, tokens::DocTerms, trigger::Triggers,
};
use jiff::Timestamp;

/// The copy of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonCopy {
    lesson: Lesson,
    task_terms: Vec<String>,
}

impl LessonCopy {
    /// Makes the copy of a lesson of whose task only the terms are known.
    #[must_use]
    pub fn new(lesson: Lesson, task_terms: Vec<String>) -> Self {
        let words = (!task_terms.is_empty()).then(|| task_terms.join(" "));
        let mut lesson = lesson;
        // It stands for the task where a copy is compared with another, and nowhere else.
        lesson.admitted.task = words.map(CleanText::from_stored);
        Self { lesson, task_terms }
    }

    /// Returns the lesson.
    #[must_use]
    pub fn lesson(&self) -> &Lesson {
        &self.lesson
    }

    /// Returns the terms by which it is found.
    pub(crate) fn terms(&self) -> DocTerms {
        let content = &self.lesson.content;
        let keys = Triggers::from_content(content).keys();
        DocTerms::from_content_and_task_terms(content, &self.task_terms).with_keys(&keys)
    }

    /// Returns whether the text index holds something else of it than of another one.
    pub(crate) fn is_indexed_as(&self, other: &Lesson) -> bool {
        self.lesson.content == other.content && self.lesson.task == other.task
    }
}

/// What changed on the server.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplicaUpdate {
    /// Whether these are all lessons, so that any others go.
    pub is_whole: bool,
    /// Lessons that are new or changed.
    pub lessons: Vec<LessonCopy>,
    /// The numbers of lessons that may not be recalled any more.
    pub gone: Vec<LessonId>,
    /// The server's name for the state that the replica is in afterwards.
    pub position: String,
    /// The time of the update.
    pub at: Timestamp,
}
