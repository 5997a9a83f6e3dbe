//! What somebody's word about lessons that are there changes: new words, another
//! project, a successor, leaving.
//!
//! Approving is decided beside admission, because both make room. Who asks is told why not.

use jiff::Timestamp;

use super::{
    Change, DecisionContext,
    decide::{find_opposed, is_in_use, is_learned, is_twin, make_room},
};
use crate::{
    id::{LessonId, ProjectId},
    lesson::{AdmittedLesson, Lesson, LessonContent, Status, Trust, TrustClass},
    text::CleanText,
};

/// Why a lesson cannot be changed as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CurationError {
    /// It stands on a better word than that of whoever wants to change it.
    #[error(
        "{0} stays: {reason}; a person can remove it with `hardwon lesson delete {number}`",
        reason = describe_word(*.1),
        number = .0.0
    )]
    LessTrusted(LessonId, TrustClass),
    /// It has left already.
    #[error("{0} is archived already")]
    AlreadyArchived(LessonId),
    /// Another lesson in use says the same as the new words.
    #[error("{0} says the same already")]
    Duplicate(LessonId),
    /// A lesson cannot take its own place.
    #[error("a lesson cannot replace itself")]
    ReplacesItself,
    /// The successor is not in use itself.
    #[error("{0} is not active, so it cannot replace another lesson")]
    SuccessorInactive(LessonId),
    /// The successor is not seen by all who saw the lesson.
    #[error("{0} does not apply everywhere that the other one does")]
    SuccessorNotVisible(LessonId),
}

/// Says why a lesson is not for everybody to change.
fn describe_word(class: TrustClass) -> &'static str {
    match class {
        TrustClass::Person => "a person wrote it",
        _ => "its source is trusted more than yours",
    }
}

/// Decides what new words for a lesson change.
///
/// `admitted` is what guard made of the new words; its trust is that of their author, who needs at
/// least the lesson's. So the lesson keeps its own, the lowest of its lineage. `known` is what is
/// known about the new words.
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
    let opposed = mark_opposed(id, &admitted.content, known, now);
    let content = Box::new(admitted.content);
    let mut changes = vec![Change::Revise { id, content }];
    changes.extend(opposed);
    Ok(changes)
}

/// Makes sure that no other lesson in use says what these words say.
fn check_is_new(
    id: LessonId,
    content: &LessonContent,
    known: &DecisionContext,
    now: Timestamp,
) -> Result<(), CurationError> {
    let others = known.similar.iter().filter(|it| it.id != id);
    let mut twins = others.filter(|it| is_in_use(it, now) && is_twin(content, &it.content));
    match twins.next() {
        Some(twin) => Err(CurationError::Duplicate(twin.id)),
        None => Ok(()),
    }
}

/// Marks a lesson of these words and those that say the opposite.
fn mark_opposed(
    id: LessonId,
    content: &LessonContent,
    known: &DecisionContext,
    now: Timestamp,
) -> Vec<Change> {
    let others = find_opposed(content, &known.similar, now).filter(|it| *it != id);
    let both = |other| {
        let back = Change::Contradict {
            id: other,
            other: id,
        };
        [Change::Contradict { id, other }, back]
    };
    others.flat_map(both).collect()
}

/// Decides what changes when a person says that a lesson belongs in another project, or everywhere.
///
/// `known` is what is known about the lesson there. If that scope is full, what is worth least leaves.
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

/// Decides what changes when somebody of this trust wants a lesson to leave, for a state in which it
/// is not recalled.
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

/// Decides what changes when somebody of this trust says that one lesson takes another's place.
///
/// Unlike what happens by itself, a better lesson may step back for a lesser one: whoever may say so
/// has seen both.
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
