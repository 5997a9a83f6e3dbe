//! Records a lesson once, however often the call is repeated.

use hardwon_core::{AdmittedLesson, Lesson, guard};
use hardwon_store::{LessonListing, Read, ScopeFilter};

use super::{Note, NoteOutcome};
use crate::{Desk, Result, access::Rights};

impl Desk<'_> {
    /// Records a lesson once for each reference that its author gave it.
    ///
    /// If the newest `limits::PAGE` lessons of the scope hold one with this reference, that one is returned, whatever
    /// its words. So a caller that cannot tell whether a call arrived may repeat it.
    pub fn note_once(&self, note: Note) -> Result<NoteOutcome> {
        self.principal.check_right(Rights::Write)?;
        let draft = note.into_draft(&self.principal);
        let admitted_lesson = match guard::admit_draft(draft, &self.policy.guard) {
            Ok(admitted) => admitted,
            Err(reasons) => return Ok(NoteOutcome::refuse(&reasons)),
        };
        let twin = self.find_restated(&admitted_lesson)?;
        let (by, now) = (&self.principal.actor, self.now());
        self.commit(|tx| {
            Ok(match find_same_reference(tx.reader(), &admitted_lesson)? {
                Some(lesson) => NoteOutcome::AlreadyKnown(Box::new(lesson)),
                None => self.store_admitted(tx, &admitted_lesson, twin, by, now)?,
            })
        })
    }
}

/// Finds the newest lesson of the same scope with the same reference, if this one has any.
fn find_same_reference(
    reader: &dyn Read,
    admitted: &AdmittedLesson,
) -> hardwon_store::Result<Option<Lesson>> {
    let reference = &admitted.content.reference;
    if reference.is_none() {
        return Ok(None);
    }
    let newest = LessonListing {
        within: ScopeFilter::Scope(admitted.scope.clone()),
        ..LessonListing::default()
    };
    let lessons = reader.lessons(&admitted.scope.tenant, &newest)?;
    Ok(lessons
        .into_iter()
        .find(|lesson| lesson.content.reference == *reference))
}
