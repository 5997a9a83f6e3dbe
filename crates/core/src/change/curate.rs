//! Decides edits of existing lessons: new words, another project, a successor, withdrawal.
//!
//! Approval is decided beside admission, because both make room. A refusal comes with its reason.

use jiff::Timestamp;

use super::{
    Actor, DecisionContext,
    decide::{find_opposed, is_in_use, is_learned, make_room, mark_opposites, says_the_same},
};
use crate::Change;
use crate::{
    AdmittedLesson, CleanText, GaussianMessage, Lesson, LessonContent, LessonId, Status, Trust,
    TrustClass, id::ProjectId,
};

/// Why a lesson cannot be changed as requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CurationError {
    /// The lesson is more trusted than the author of the change.
    #[error(
        "{0} stays: {reason}; a person can remove it with `hardwon lesson delete {number}`",
        reason = describe_word(*.1),
        number = .0.0
    )]
    LessTrusted(LessonId, TrustClass),
    /// An agent changes what it did not write.
    #[error(
        "{0} is not yours to change: an agent changes only what it wrote and nobody else changed"
    )]
    NotOwn(LessonId),
    /// The record of the lesson belongs to its present words.
    #[error(
        "{0} has a record, which its words earned; write a new lesson that replaces it (`supersedes`)"
    )]
    HasRecord(LessonId),
    /// No person stands behind the lesson.
    #[error("{0} holds no call: only what a person wrote does; write it with `hardwon lesson add`")]
    NotAPersons(LessonId),
    /// The lesson is deleted already.
    #[error("{0} is deleted already")]
    AlreadyArchived(LessonId),
    /// Another active lesson says the same as the new words.
    #[error("{0} says the same already")]
    Duplicate(LessonId),
    /// A lesson cannot replace itself.
    #[error("a lesson cannot replace itself")]
    ReplacesItself,
    /// The successor is not active.
    #[error("{0} is not active, so it cannot replace another lesson")]
    SuccessorInactive(LessonId),
    /// The successor is not visible to all who saw the lesson.
    #[error("{0} does not apply everywhere that the other one does")]
    SuccessorNotVisible(LessonId),
}

/// Returns the reason why a lesson of this trust cannot be changed by a lesser author.
fn describe_word(class: TrustClass) -> &'static str {
    match class {
        TrustClass::Person => "a person wrote it",
        _ => "its source is trusted more than yours",
    }
}

/// Decides what new words for a lesson change.
///
/// `admitted` is the guard's result for the new words, with the trust of their author, which must be at least the
/// lesson's. The lesson keeps its own trust, the lowest of its lineage. `known` is the context of the new words.
pub fn revise_lesson(
    lesson: &Lesson,
    admitted: AdmittedLesson,
    known: &DecisionContext,
    now: Timestamp,
) -> Result<Vec<Change>, CurationError> {
    let id = lesson.id;
    if !admitted.trust.is_at_least(lesson.trust) {
        return Err(CurationError::LessTrusted(id, lesson.trust.class));
    }
    if admitted.content == lesson.content {
        return Ok(Vec::new());
    }
    check_is_new(id, &admitted.content, known, now)?;
    let marks = mark_opposed(id, &admitted.content, known, now);
    let content = Box::new(admitted.content);
    let mut changes = vec![Change::Revise { id, content }];
    changes.extend(marks);
    Ok(changes)
}

/// Checks that an agent may change a lesson's words: nothing was added to its record yet, so that no words get what others
/// earned, and all that was done to it so far was done by that agent, as its actor.
pub fn check_is_own_word(
    lesson: &Lesson,
    actor: &Actor,
    done_by: &[Actor],
) -> Result<(), CurationError> {
    let counts = &lesson.counts;
    let has_outcome =
        counts.gaussian_message != GaussianMessage::default() || counts.helped + counts.harmed > 0;
    if has_outcome {
        return Err(CurationError::HasRecord(lesson.id));
    }
    if done_by.iter().all(|other| other == actor) {
        Ok(())
    } else {
        Err(CurationError::NotOwn(lesson.id))
    }
}

/// Checks that no other active lesson says the same as these words.
fn check_is_new(
    id: LessonId,
    content: &LessonContent,
    known: &DecisionContext,
    now: Timestamp,
) -> Result<(), CurationError> {
    let others = known.similar.iter().filter(|similar| similar.id != id);
    let mut twins =
        others.filter(|lesson| is_in_use(lesson, now) && says_the_same(content, &lesson.content));
    match twins.next() {
        Some(twin) => Err(CurationError::Duplicate(twin.id)),
        None => Ok(()),
    }
}

/// Marks this lesson and those that say the opposite of its words as contradicted.
fn mark_opposed(
    id: LessonId,
    content: &LessonContent,
    known: &DecisionContext,
    now: Timestamp,
) -> Vec<Change> {
    let others = find_opposed(content, &known.similar, now).filter(|other| *other != id);
    others.flat_map(|other| mark_opposites(id, other)).collect()
}

/// Decides what changes when a person moves a lesson to another project, or makes it visible everywhere.
///
/// `known` is the context in the new scope. If that scope is full, the least useful lessons leave.
pub fn relocate_lesson(
    lesson: &Lesson,
    project: Option<&ProjectId>,
    known: &DecisionContext,
    capacity: usize,
    now: Timestamp,
) -> Result<Vec<Change>, CurationError> {
    let id = lesson.id;
    if lesson.scope.project.as_ref() == project {
        return Ok(Vec::new());
    }
    if is_in_use(lesson, now) {
        check_is_new(id, &lesson.content, known, now)?;
    }
    let mut changes = Vec::new();
    if lesson.status == Status::Active && is_learned(lesson.trust) {
        changes.extend(make_room(known, capacity, now));
    }
    let project = project.cloned();
    changes.push(Change::Move { id, project });
    changes.extend(mark_opposed(id, &lesson.content, known, now));
    Ok(changes)
}

/// Decides what changes when an author of this trust withdraws a lesson into a state in which it is not recalled.
pub fn withdraw_lesson(
    lesson: &Lesson,
    author: Trust,
    status: Status,
) -> Result<Vec<Change>, CurationError> {
    let id = lesson.id;
    if !author.is_at_least(lesson.trust) {
        return Err(CurationError::LessTrusted(id, lesson.trust.class));
    }
    if matches!(lesson.status, Status::Archived { .. }) && matches!(status, Status::Archived { .. })
    {
        return Err(CurationError::AlreadyArchived(id));
    }
    Ok(vec![Change::SetStatus { id, status }])
}

/// Decides what changes when an author of this trust replaces one lesson by another.
///
/// Unlike an automatic replacement, this may replace a lesson by a less trusted one: the author has seen both.
pub fn supersede_lesson(
    old: &Lesson,
    new: &Lesson,
    author: Trust,
    why: Option<CleanText>,
) -> Result<Vec<Change>, CurationError> {
    if old.id == new.id {
        return Err(CurationError::ReplacesItself);
    }
    if !author.is_at_least(old.trust) {
        return Err(CurationError::LessTrusted(old.id, old.trust.class));
    }
    if new.status != Status::Active {
        return Err(CurationError::SuccessorInactive(new.id));
    }
    if !new.scope.is_visible_from(&old.scope) {
        return Err(CurationError::SuccessorNotVisible(new.id));
    }
    let (id, by) = (old.id, new.id);
    Ok(vec![Change::Supersede { id, by, why }])
}
