//! A clean, trusted lesson, and a draft with the same words and a payload in the fields that do not count for sameness;
//! or a draft that would replace it.

use hardwon_core::{
    Cause, Draft, Evidence, EvidenceKind, LessonContent, RawText, RunOutcome, Scope, Trust,
    TrustClass, limits,
};
use hardwon_engine::{Note, NoteOutcome};

use super::{Door, DoorResult, new_door};
use crate::desk::{agent_desk, person_desk};
use crate::poison::{payload::PoisonPayload, reach::FAILING_COMMAND, room::PoisonRoom};

const ADVICE: &str = "Run `npm run test:unit`, because there is no test script.";

pub(super) fn doors() -> Vec<Door> {
    vec![
        new_door("merge: an agent with a person's", |room, scope, it| {
            admit_similar(room, scope, it, TrustClass::Agent, false)
        }),
        new_door("merge: a page with a person's", |room, scope, it| {
            admit_similar(room, scope, it, TrustClass::Derived, true)
        }),
        new_door("merge: a model with a person's", |room, scope, it| {
            admit_similar(room, scope, it, TrustClass::Distilled, false)
        }),
        new_door("merge: a file with a person's", |room, scope, it| {
            admit_similar(room, scope, it, TrustClass::Imported, false)
        }),
        new_door("merge: a person with an agent's", |room, scope, it| {
            let mut draft = similar_draft(scope, it, TrustClass::Agent, false);
            draft.content.tools.clear();
            person_desk(&room.engine, scope).admit_drafts(vec![draft])?;
            note_trusted(room, scope)
        }),
        new_door("supersede: an agent a person's", |room, scope, it| {
            note_trusted(room, scope)?;
            let old = room
                .lessons(scope)?
                .iter()
                .map(|lesson| lesson.id)
                .collect();
            let note = Note {
                supersedes: old,
                ..Note::new(LessonContent::new(FAILING_COMMAND, it.text.clone()))
            };
            let noted = agent_desk(&room.engine, scope, false).note(note)?;
            Ok(door_result(&noted))
        }),
    ]
}

/// Notes a person's clean lesson.
fn note_trusted(room: &PoisonRoom, scope: &Scope) -> anyhow::Result<DoorResult> {
    let note = Note::new(LessonContent::new(FAILING_COMMAND, ADVICE));
    let noted = person_desk(&room.engine, scope).note(note)?;
    Ok(door_result(&noted))
}

fn admit_similar(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
    class: TrustClass,
    tainted: bool,
) -> anyhow::Result<DoorResult> {
    note_trusted(room, scope)?;
    let draft = similar_draft(scope, payload, class, tainted);
    let noted = person_desk(&room.engine, scope).admit_drafts(vec![draft])?;
    Ok(door_result(&noted[0]))
}

/// Makes a draft with the clean lesson's words, and the payload in the fields that do not count for sameness.
fn similar_draft(
    scope: &Scope,
    payload: &PoisonPayload,
    class: TrustClass,
    tainted: bool,
) -> Draft {
    let mut content: LessonContent<RawText> = LessonContent::new(FAILING_COMMAND, ADVICE);
    content.title = payload.one_line(90).into();
    content.mistake = Some(payload.truncated(400).into());
    content.tags = vec![payload.one_line(50).into()];
    Draft {
        scope: scope.clone(),
        content,
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: vec![Evidence {
            kind: EvidenceKind::Run,
            reference: payload.one_line(limits::EVIDENCE_REF_CHARS.min(190)).into(),
            note: Some(payload.one_line(190).into()),
        }],
        trust: Trust { class, tainted },
        confidence: 0.5,
        failure: None,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    }
}

fn door_result(noted: &NoteOutcome) -> DoorResult {
    DoorResult {
        refused: matches!(noted, NoteOutcome::Refused(_)),
        ..DoorResult::default()
    }
}
