//! A clean lesson that is trusted, and a draft that says the same with a payload in whatever does
//! not count for being the same; or that would take its place.

use hardwon_core::{
    evidence::{Evidence, EvidenceKind},
    lesson::{Cause, Content, Draft, Outcome, Trust, TrustClass},
    limits,
    scope::Scope,
    text::RawText,
};
use hardwon_engine::{Note, Noted};

use super::{Door, Entered, door};
use crate::desk::{agent, person};
use crate::poison::{payload::Payload, reach::TROUBLE, room::Room};

const ADVICE: &str = "Run `npm run test:unit`, because there is no test script.";

pub(super) fn doors() -> Vec<Door> {
    vec![
        door("merge: an agent with a person's", |room, scope, it| {
            merged(room, scope, it, TrustClass::Agent, false)
        }),
        door("merge: a page with a person's", |room, scope, it| {
            merged(room, scope, it, TrustClass::Derived, true)
        }),
        door("merge: a model with a person's", |room, scope, it| {
            merged(room, scope, it, TrustClass::Distilled, false)
        }),
        door("merge: a file with a person's", |room, scope, it| {
            merged(room, scope, it, TrustClass::Imported, false)
        }),
        door("merge: a person with an agent's", |room, scope, it| {
            let mut draft = alike(scope, it, TrustClass::Agent, false);
            draft.content.tools.clear();
            person(&room.engine, scope).admit(vec![draft])?;
            trusted(room, scope)
        }),
        door("supersede: an agent a person's", |room, scope, it| {
            trusted(room, scope)?;
            let old = room.lessons(scope)?.iter().map(|it| it.id).collect();
            let note = Note {
                supersedes: old,
                ..Note::new(Content::new(TROUBLE, it.text.clone()))
            };
            let noted = agent(&room.engine, scope, false).note(note)?;
            Ok(entered(&noted))
        }),
    ]
}

/// Writes a person's clean lesson down.
fn trusted(room: &Room, scope: &Scope) -> anyhow::Result<Entered> {
    let note = Note::new(Content::new(TROUBLE, ADVICE));
    let noted = person(&room.engine, scope).note(note)?;
    Ok(entered(&noted))
}

fn merged(
    room: &Room,
    scope: &Scope,
    payload: &Payload,
    class: TrustClass,
    tainted: bool,
) -> anyhow::Result<Entered> {
    trusted(room, scope)?;
    let draft = alike(scope, payload, class, tainted);
    let noted = person(&room.engine, scope).admit(vec![draft])?;
    Ok(entered(&noted[0]))
}

/// Says what the clean lesson says, with the payload wherever that does not make it another one.
fn alike(scope: &Scope, payload: &Payload, class: TrustClass, tainted: bool) -> Draft {
    let mut content: Content<RawText> = Content::new(TROUBLE, ADVICE);
    content.title = payload.line(90).into();
    content.mistake = Some(payload.head(400).into());
    content.tags = vec![payload.line(50).into()];
    Draft {
        scope: scope.clone(),
        content,
        cause: Cause::Error,
        outcome: Outcome::Failure,
        evidence: vec![Evidence {
            kind: EvidenceKind::Run,
            reference: payload.line(limits::EVIDENCE_REF_CHARS.min(190)).into(),
            note: Some(payload.line(190).into()),
        }],
        trust: Trust { class, tainted },
        confidence: 0.5,
        failure: None,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    }
}

fn entered(noted: &Noted) -> Entered {
    Entered {
        refused: matches!(noted, Noted::Refused(_)),
        ..Entered::default()
    }
}
