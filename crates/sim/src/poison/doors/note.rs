//! Written lessons: a payload in each field, by an agent, a person, and by writs.

use hardwon_core::{
    Cause, Draft, Evidence, EvidenceKind, LessonContent, RawText, RunOutcome, Scope, Trust,
    TrustClass, writ,
};
use hardwon_engine::{Note, NoteOutcome, Principal};

use super::{Door, DoorResult, new_door};
use crate::desk::{self, person_desk};
use crate::poison::{
    careless_reader::{TextFrame, find_exposure},
    payload::PoisonPayload,
    reach::FAILING_COMMAND,
    room::PoisonRoom,
};

const ADVICE: &str = "Run `npm run test:unit`; there is no test script.";

pub(super) fn doors() -> Vec<Door> {
    vec![
        new_door("agent: text", |room, scope, it| {
            note_as_agent(
                room,
                scope,
                LessonContent::new(FAILING_COMMAND, it.text.clone()),
            )
        }),
        new_door("agent: signature", |room, scope, it| {
            note_as_agent(room, scope, LessonContent::new(it.one_line(190), ADVICE))
        }),
        new_door("agent: title", |room, scope, it| {
            note_as_agent(
                room,
                scope,
                content_with(|content| content.title = it.one_line(90).into()),
            )
        }),
        new_door("agent: situation, mistake", |room, scope, it| {
            let aside = || Some(RawText::from(it.truncated(400)));
            note_as_agent(
                room,
                scope,
                content_with(|content| {
                    content.situation = aside();
                    content.mistake = aside();
                }),
            )
        }),
        new_door("agent: words as tags", |room, scope, it| {
            let words = it.one_line(400);
            let tags = words.split(' ').filter(|part| part.len() < 30).take(10);
            let tags: Vec<RawText> = tags.map(RawText::from).collect();
            note_as_agent(room, scope, content_with(|content| content.tags = tags))
        }),
        new_door("agent: one tag with dashes", |room, scope, it| {
            let tag = it.one_line(60).replace(' ', "-");
            note_as_agent(
                room,
                scope,
                content_with(|content| content.tags = vec![tag.into()]),
            )
        }),
        new_door("agent: name of its own", |room, scope, it| {
            let name = Some(it.one_line(180).into());
            note_as_agent(
                room,
                scope,
                content_with(|content| content.reference = name),
            )
        }),
        new_door("agent: in two halves", |room, scope, it| {
            let line = it.one_line(1000);
            let at = hardwon_core::text::floor_char_boundary(&line, (line.len() / 2).min(150));
            let (head, tail) = line.split_at(at);
            note_as_agent(room, scope, LessonContent::new(head, tail))
        }),
        new_door("model: evidence", |room, scope, it| {
            let evidence = Evidence {
                kind: EvidenceKind::Run,
                reference: it.one_line(200).into(),
                note: Some(it.one_line(200).into()),
            };
            admit_draft(room, scope, evidence)
        }),
        Door {
            is_person: true,
            ..new_door("person: text", |room, scope, it| {
                let note = Note::new(LessonContent::new(FAILING_COMMAND, it.text.clone()));
                door_result(person_desk(&room.engine, scope).note(note)?)
            })
        },
        new_door("person: what they read", |room, scope, it| {
            let mut reader = Principal::person(scope.clone());
            reader.trust.tainted = true;
            let note = Note::new(LessonContent::new(FAILING_COMMAND, it.text.clone()));
            door_result(room.engine.acting_as(reader).note(note)?)
        }),
        new_door("writ: one line", |room, scope, it| {
            run_writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson {FAILING_COMMAND}: {}", it.one_line(4000)),
            )
        }),
        new_door("writ: signature", |room, scope, it| {
            run_writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson {}: {ADVICE}", it.one_line(190)),
            )
        }),
        new_door("writ: a block", |room, scope, it| {
            run_writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson {FAILING_COMMAND}\n{}\n/endlesson", it.text),
            )
        }),
        new_door("writ: after a page", |room, scope, it| {
            run_writs(
                room,
                scope,
                it,
                true,
                &format!("/lesson {FAILING_COMMAND}\n{}\n/endlesson", it.text),
            )
        }),
        new_door("writ: reflect", |room, scope, it| {
            run_writs(
                room,
                scope,
                it,
                false,
                &format!("/reflect {}", it.one_line(4000)),
            )
        }),
        new_door("writ: as it stands", |room, scope, it| {
            run_writs(room, scope, it, false, &it.text)
        }),
        new_door("writ: with a mistake in it", |room, scope, it| {
            run_writs(
                room,
                scope,
                it,
                false,
                &format!("/lesson show {}", it.one_line(4000)),
            )
        }),
    ]
}

/// Returns the door for whole lessons that an agent records.
pub(super) fn honest_door() -> Door {
    new_door("honest lessons, an agent's", |room, scope, it| {
        let mut content = LessonContent::new(it.signature.clone(), it.text.clone());
        content.tags = it
            .tags
            .iter()
            .take(10)
            .map(|tag| tag.clone().into())
            .collect();
        note_as_agent(room, scope, content)
    })
}

fn content_with(change: impl FnOnce(&mut LessonContent<RawText>)) -> LessonContent<RawText> {
    let mut content = LessonContent::new(FAILING_COMMAND, ADVICE);
    change(&mut content);
    content
}

fn note_as_agent(
    room: &PoisonRoom,
    scope: &Scope,
    content: LessonContent<RawText>,
) -> anyhow::Result<DoorResult> {
    door_result(desk::agent_desk(&room.engine, scope, false).note(Note::new(content))?)
}

fn door_result(noted: NoteOutcome) -> anyhow::Result<DoorResult> {
    Ok(DoorResult {
        refused: matches!(noted, NoteOutcome::Refused(_)),
        ..DoorResult::default()
    })
}

fn admit_draft(
    room: &PoisonRoom,
    scope: &Scope,
    evidence: Evidence<RawText>,
) -> anyhow::Result<DoorResult> {
    let draft = Draft {
        scope: scope.clone(),
        content: LessonContent::new(FAILING_COMMAND, ADVICE),
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: vec![evidence],
        trust: Trust::untainted(TrustClass::Distilled),
        confidence: 0.5,
        failure: None,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    };
    let mut all = person_desk(&room.engine, scope).admit_drafts(vec![draft])?;
    door_result(all.remove(0))
}

/// Runs a text's writs, and examines the replies.
fn run_writs(
    room: &PoisonRoom,
    scope: &Scope,
    payload: &PoisonPayload,
    tainted: bool,
    text: &str,
) -> anyhow::Result<DoorResult> {
    let mut entered = DoorResult::default();
    let desk = desk::agent_desk(&room.engine, scope, tainted);
    for spotted in writ::parse(text) {
        let done = desk.run_writ(&spotted.writ)?;
        entered.refused |= !done.is_done;
        entered.exposure =
            entered
                .exposure
                .merge(find_exposure(TextFrame::Blocks, &done.reply, payload));
    }
    Ok(entered)
}
