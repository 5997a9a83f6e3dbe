//! Lessons for the tests of sweeping.

use jiff::Timestamp;

use hardwon_core::{
    AdmittedLesson, Cause, Change, CleanText, Evidence, EvidenceKind, Lesson, LessonContent,
    LessonId, RunOutcome, Scope, Slug, Status, Trust, TrustClass, change::apply_change,
};

pub(in crate::sweep::decide) fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

/// Returns a second of a day.
pub(in crate::sweep::decide) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns an agent's lesson with this text, admitted at the second of its number.
pub(in crate::sweep::decide) fn lesson(id: i64, text: &str) -> Lesson {
    lesson_of(id, TrustClass::Agent, text)
}

/// Returns a lesson with this text by an author of this trust. A text of the form `signature: text` has both.
pub(in crate::sweep::decide) fn lesson_of(id: i64, class: TrustClass, text: &str) -> Lesson {
    let (signature, said) = text.split_once(" :: ").unwrap_or(("", text));
    let mut content = LessonContent::new(clean(signature), clean(said));
    content.title = clean(said);
    let lesson = AdmittedLesson {
        scope: Scope::default(),
        slug: Slug::from_text(said),
        content,
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: vec![Evidence {
            kind: EvidenceKind::Run,
            reference: clean(&format!("run-{id}")),
            note: None,
        }],
        trust: Trust::untainted(class),
        confidence: 0.5,
        failure: None,
        status: Status::Active,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    };
    let change = Change::Add {
        id: LessonId(id),
        admitted: Box::new(lesson),
    };
    apply_change(None, &change, at(id)).unwrap().unwrap()
}
