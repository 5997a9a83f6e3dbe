//! What changes beside a lesson's row when the lesson changes: the text index, its vector, and its scope's count.

use hardwon_core::{CleanText, DocTerms, Lesson, LessonContent, Status, TrustClass, trigger};

/// What becomes of a lesson in the text index, which holds active lessons only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexUpdate {
    /// Its vector was made of other words, or it is not active any more.
    pub deletes_vector: bool,
    /// The index holds it with other terms, or should not hold it.
    pub removes: bool,
    /// The terms under which the index should hold it from now on.
    pub adds: Option<DocTerms>,
}

impl IndexUpdate {
    /// Returns what a change from one state of a lesson to another means for the index.
    pub fn between(before: Option<&Lesson>, after: Option<&Lesson>) -> Self {
        let (before, after) = (filter_indexed(before), filter_indexed(after));
        let mut update = Self {
            deletes_vector: false,
            removes: false,
            adds: None,
        };
        if before.map(indexed_fields) == after.map(indexed_fields) {
            return update;
        }
        update.deletes_vector = before.is_some();
        let terms = |it: &Lesson| trigger::index_terms(&it.content, it.task.as_ref());
        let (before, after) = (before.map(terms), after.map(terms));
        if before != after {
            update.removes = before.is_some();
            update.adds = after;
        }
        update
    }
}

/// Returns the fields of a lesson that the text index holds.
fn indexed_fields(lesson: &Lesson) -> (&LessonContent, &Option<CleanText>) {
    (&lesson.content, &lesson.task)
}

/// Returns a lesson if the text index holds it.
fn filter_indexed(lesson: Option<&Lesson>) -> Option<&Lesson> {
    lesson.filter(|lesson| lesson.status == Status::Active)
}

/// Returns 1 for a lesson that counts towards its scope's capacity: an active one that no person wrote.
pub fn learned_share(lesson: Option<&Lesson>) -> i64 {
    let is_learned =
        |it: &Lesson| it.status == Status::Active && it.trust.class != TrustClass::Person;
    i64::from(lesson.is_some_and(is_learned))
}
