//! The lessons of a project that may be placed in its files, and which of them a person approved.
//!
//! Which of them are placed is decided in `hardwon_gates::place`.

use std::collections::BTreeSet;

use hardwon_core::{Lesson, LessonId, Status, TrustClass};
use hardwon_store::{
    JournalComment, JournalEntry, LessonListing, Read, ScopeFilter, StatusName,
    journal::JournalEntryKind, paging::read_history,
};

use crate::{Desk, Result, access::Rights, paging::for_each_lesson};

/// The active lessons of one scope.
#[derive(Debug, Clone, Default)]
pub struct PlaceableLessons {
    /// The lessons, by number.
    pub lessons: Vec<Lesson>,
    /// Those that a person approved, or gave their words.
    pub approved: BTreeSet<LessonId>,
}

impl Desk<'_> {
    /// Finds the active lessons of this principal's agent and project.
    pub fn find_placeable(&self) -> Result<PlaceableLessons> {
        self.principal.check_right(Rights::Curate)?;
        let scope = &self.principal.scope;
        let listing = LessonListing {
            within: ScopeFilter::same_as(scope, true, true),
            status: Some(StatusName::Active),
            ..LessonListing::default()
        };
        let reader = self.counted_snapshot()?;
        let mut lessons = PlaceableLessons::default();
        for_each_lesson(&*reader, self.tenant(), listing, |lesson| {
            lessons.lessons.push(lesson);
        })?;
        lessons.lessons.sort_by_key(|lesson| lesson.id);
        for lesson in &lessons.lessons {
            // What a person wrote needs no other word.
            if lesson.trust.class != TrustClass::Person && self.is_approved(&*reader, lesson.id)? {
                lessons.approved.insert(lesson.id);
            }
        }
        Ok(lessons)
    }

    /// Returns whether a person stands behind a lesson that is another's: they made it active, or gave it the words that it has.
    pub fn is_approved_by_person(&self, id: LessonId) -> Result<bool> {
        self.find_lesson(id, Rights::Read)?;
        self.is_approved(&*self.snapshot()?, id)
    }

    fn is_approved(&self, reader: &dyn Read, id: LessonId) -> Result<bool> {
        let mut is_approved = false;
        for entry in read_history(reader, self.tenant(), id) {
            let entry = entry?;
            match entry.body.kind {
                JournalEntryKind::Status => is_approved = approves(&entry),
                JournalEntryKind::Revise => is_approved = entry.body.actor.is_person(),
                _ => {}
            }
        }
        Ok(is_approved)
    }
}

fn approves(entry: &JournalEntry) -> bool {
    let comment = entry.body.comment.as_ref().and_then(JournalComment::text);
    let state = comment.map_or("", |text| {
        text.as_str().split(':').next().unwrap_or_default()
    });
    entry.body.actor.is_person() && state == Status::Active.name()
}
