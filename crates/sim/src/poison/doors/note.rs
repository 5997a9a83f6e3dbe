//! What somebody writes down: a payload in each field, by an agent, a person, and by writs.

use hardwon_core::{
    evidence::{Evidence, EvidenceKind},
    lesson::{Cause, Content, Draft, Outcome, Trust, TrustClass},
    scope::Scope,
    text::RawText,
    writ,
};
use hardwon_engine::{Note, Noted, Principal};

use super::{Door, Entered, door};
use crate::desk::{self, person};
use crate::poison::{
    payload::Payload,
    reach::TROUBLE,
    room::Room,
    seen::{Frame, look},
};

const ADVICE: &str = "Run `npm run test:unit`; there is no test script.";

pub(super) fn doors() -> Vec<Door> {
    vec![
        door("agent: text", |room, scope, it| {
            agent(room, scope, Content::new(TROUBLE, it.text.clone()))
        }),
        door("agent: signature", |room, scope, it| {
            agent(room, scope, Content::new(it.line(190), ADVICE))
        }),
        door("agent: title", |room, scope, it| {
            agent(
                room,
                scope,
                with(|content| content.title = it.line(90).into()),
            )
        }),
        door("agent: situation, mistake", |room, scope, it| {
            let aside = || Some(RawText::from(it.head(400)));
            agent(
                room,
                scope,
                with(|content| {
                    content.situation = aside();
                    content.mistake = aside();
                }),
            )
        }),
        door("agent: words as tags", |room, scope, it| {
            let words = it.line(400);
            let tags = words.split(' ').filter(|it| it.len() < 30).take(10);
            let tags: Vec<RawText> = tags.map(RawText::from).collect();
            agent(room, scope, with(|content| content.tags = tags))
        }),
        door("agent: one tag with dashes", |room, scope, it| {
            let tag = it.line(60).replace(' ', "-");
            agent(room, scope, with(|content| content.tags = vec![tag.into()]))
        }),
        door("agent: name of its own", |room, scope, it| {
            let name = Some(it.line(180).into());
            agent(room, scope, with(|content| content.reference = name))
        }),
        door("agent: in two halves", |room, scope, it| {
            let line = it.line(1000);
            let at = hardwon_core::text::boundary(&line, (line.len() / 2).min(150));
            let (head, tail) = line.split_at(at);
            agent(room, scope, Content::new(head, tail))
        }),
        door("model: evidence", |room, scope, it| {
            let evidence = Evidence {
                kind: EvidenceKind::Run,
                reference: it.line(200).into(),
                note: Some(it.line(200).into()),
            };
            draft(room, scope, evidence)
        }),
        Door {
            is_person: true,
            ..door("person: text", |room, scope, it| {
                let note = Note::new(Content::new(TROUBLE, it.text.clone()));
                noted(person(&room.engine, scope).note(note)?)
            })
        },
        door("person: what they read", |room, scope, it| {
            let mut reader = Principal::person(scope.clone());
            reader.word.tainted = true;
            let note = Note::new(Content::new(TROUBLE, it.text.clone()));
            noted(room.engine.acting_as(reader).note(note)?)
        }),
        door("writ: one line", |room, scope, it| {
            writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson {TROUBLE}: {}", it.line(4000)),
            )
        }),
        door("writ: signature", |room, scope, it| {
            writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson {}: {ADVICE}", it.line(190)),
            )
        }),
        door("writ: a block", |room, scope, it| {
            writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson {TROUBLE}\n{}\n/endlesson", it.text),
            )
        }),
        door("writ: after a page", |room, scope, it| {
            writs(
                room,
                scope,
                it,
                true,
                &format!("/lesson {TROUBLE}\n{}\n/endlesson", it.text),
            )
        }),
        door("writ: reflect", |room, scope, it| {
            writs(
                room,
                scope,
                it,
                false,
                &format!("/reflect {}", it.line(4000)),
            )
        }),
        door("writ: as it stands", |room, scope, it| {
            writs(room, scope, it, false, &it.text)
        }),
        door("writ: with a mistake in it", |room, scope, it| {
            writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson show {}", it.line(4000)),
            )
        }),
    ]
}

/// What a model makes of runs and writes down whole.
pub(super) fn honest() -> Door {
    door("honest lessons, an agent's", |room, scope, it| {
        let mut content = Content::new(it.signature.clone(), it.text.clone());
        content.tags = it
            .tags
            .iter()
            .take(10)
            .map(|tag| tag.clone().into())
            .collect();
        agent(room, scope, content)
    })
}

fn with(change: impl FnOnce(&mut Content<RawText>)) -> Content<RawText> {
    let mut content = Content::new(TROUBLE, ADVICE);
    change(&mut content);
    content
}

fn agent(room: &Room, scope: &Scope, content: Content<RawText>) -> anyhow::Result<Entered> {
    noted(desk::agent(&room.engine, scope, false).note(Note::new(content))?)
}

fn noted(noted: Noted) -> anyhow::Result<Entered> {
    Ok(Entered {
        refused: matches!(noted, Noted::Refused(_)),
        ..Entered::default()
    })
}

fn draft(room: &Room, scope: &Scope, evidence: Evidence<RawText>) -> anyhow::Result<Entered> {
    let draft = Draft {
        scope: scope.clone(),
        content: Content::new(TROUBLE, ADVICE),
        cause: Cause::Error,
        outcome: Outcome::Failure,
        evidence: vec![evidence],
        trust: Trust::of(TrustClass::Distilled),
        confidence: 0.5,
        failure: None,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    };
    let mut all = person(&room.engine, scope).admit(vec![draft])?;
    noted(all.remove(0))
}

/// Carries a text's writs out, and looks at what its writer reads back.
fn writs(
    room: &Room,
    scope: &Scope,
    payload: &Payload,
    tainted: bool,
    text: &str,
) -> anyhow::Result<Entered> {
    let mut entered = Entered::default();
    let desk = desk::agent(&room.engine, scope, tainted);
    for spotted in writ::parse(text) {
        let done = desk.writ(&spotted.writ)?;
        entered.refused |= !done.ok;
        entered.sight = entered.sight.and(look(Frame::Blocks, &done.reply, payload));
    }
    Ok(entered)
}
