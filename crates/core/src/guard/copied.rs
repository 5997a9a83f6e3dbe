//! Judges the lessons of a copy that came over a network, before they are used here.

use super::{Memo, examine_draft, neutralise};
use crate::{
    AdmittedLesson, Category, CleanText, Draft, Evidence, Lesson, RawText, Reason, Status,
    SuspicionLevel, evidence::EvidenceKind, guard::Rejection, limits,
};

/// Judges a lesson that another store admitted, such as that of a server. Returns it as it may be used here, its words
/// cleaned and bounded once more; `None` if it may not be.
///
/// What it says of itself is not believed: neither who wrote it, nor that a person looked at it. What reads like an order
/// or an attack is refused, whoever is said to have given it.
pub fn readmit_lesson(lesson: &Lesson, memo: &mut Memo) -> Option<Lesson> {
    let verdict = examine_draft(make_draft(lesson), &[], memo, |_, seen, _| {
        // Whoever keeps a shared store has looked at what its lessons make others run.
        let weighs = |reason: &&Reason| {
            reason.level >= SuspicionLevel::Hold && reason.category != Category::Command
        };
        if seen.iter().any(|reason| weighs(&reason)) {
            Err(seen.iter().cloned().map(Rejection::Refused).collect())
        } else {
            Ok(Status::Active)
        }
    });
    let copy = verdict.ok()?;
    let evidence = lesson.evidence.iter().take(limits::EVIDENCE_ENTRIES);
    Some(Lesson {
        admitted: AdmittedLesson {
            slug: lesson.slug.clone(),
            evidence: evidence.map(clean_evidence).collect(),
            task: lesson.task.clone(),
            ..*copy
        },
        ..lesson.clone()
    })
}

fn make_draft(lesson: &Lesson) -> Draft {
    Draft {
        scope: lesson.scope.clone(),
        content: lesson.content.map(|text| RawText::from(text.as_str())),
        cause: lesson.cause,
        outcome: lesson.outcome,
        // What supports a lesson is no part of a prompt: it is cleaned apart from it, and not judged.
        evidence: vec![Evidence {
            kind: EvidenceKind::Run,
            reference: RawText::from("server"),
            note: None,
        }],
        trust: lesson.trust,
        confidence: lesson.confidence,
        failure: lesson.failure.clone(),
        expires_at: lesson.expires_at,
        supersedes: lesson.supersedes.clone(),
        task: None,
    }
}

fn clean_evidence(evidence: &Evidence) -> Evidence {
    let note = evidence.note.as_ref();
    Evidence {
        kind: evidence.kind,
        reference: clean(&evidence.reference, limits::EVIDENCE_REF_CHARS),
        note: note.map(|note| clean(note, limits::EVIDENCE_NOTE_CHARS)),
    }
}

/// Cleans a text that is no part of a prompt, of secrets and of what could divide one.
fn clean(text: &CleanText, chars: usize) -> CleanText {
    let text = hardwon_redact::clean_to_chars(&RawText::from(text.as_str()), chars);
    hardwon_redact::clean_to_chars(&RawText::from(&*neutralise(text.as_str())), chars)
}
