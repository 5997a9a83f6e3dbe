//! The whole loop as one story: what hardwon does for an agent, through the engine's verbs.

use std::fs;

use hardwon_clients::archive::ClientTranscript;
use hardwon_engine::{
    Engine, FileRead, FileSessions, FixedClock, LessonEdit, Nudge, Opinion, Policy, Principal,
    RecallRequest, Scope,
    event::{CallStatus, RunEvent, ToolCall},
    id::{ProjectId, RunId},
    store::SqliteStore,
};

/// On Monday the agent tries the obvious, twice, and then finds out how it is done here.
const MONDAY: &str = r#"{"type":"run","run":"monday","task":"run the tests of the shop"}
{"type":"tool","turn":0,"tool":"bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}
{"type":"tool","turn":0,"tool":"bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}
{"type":"tool","turn":0,"tool":"bash","args":"npm run test:unit","status":"ok"}
{"type":"end","status":"completed"}
"#;

#[test]
fn an_agent_learns_the_hard_way_once() {
    let home = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&home.path().join("hardwon.db")).unwrap();
    let monday = "2026-03-02T09:00:00Z".parse().unwrap();
    let clock = Box::new(FixedClock(monday));
    let engine = Engine::new(Box::new(store), Policy::default(), clock);
    let shop = Scope {
        project: Some(ProjectId::parse("shop").unwrap()),
        ..Scope::default()
    };

    let desk = engine.acting_as(Principal::person(shop.clone()));

    // In the evening its transcript is read. Reading it again teaches nothing new.
    let transcript = home.path().join("monday.jsonl");
    fs::write(&transcript, MONDAY).unwrap();
    let read = || desk.read_transcript::<ClientTranscript>(&transcript, &|_| None, &mut |_| ());
    let FileRead::Read { runs, .. } = read().unwrap() else {
        panic!("the plain trace is a transcript");
    };
    let (_, learned) = &runs[0];
    let lesson = learned.note_outcomes[0].clone().into_lesson().unwrap();
    assert!(lesson.content.text.as_str().contains("npm run test:unit"));
    assert!(matches!(read().unwrap(), FileRead::Unchanged));

    // On Tuesday the same failure is ahead. The lesson comes back before the turn ...
    let ask = RecallRequest::new(shop.clone(), "npm test says there is a missing script");
    let recalled = desk.recall(&ask).unwrap();
    assert_eq!(recalled.preamble.shown, [lesson.id]);
    assert!(recalled.preamble.text.contains("npm run test:unit"));
    // ... but not for work on something else ...
    let garden = RecallRequest::new(shop.clone(), "when do the tulips need water?");
    assert_eq!(desk.recall(&garden).unwrap().preamble.text, "");
    // ... and, for an agent that does not listen, at the failure itself.
    let folder = tempfile::tempdir().unwrap();
    let sessions = FileSessions::new(folder.path());
    let tuesday = RunId::parse("tuesday").unwrap();
    let mut live = desk.follow_run(tuesday, &sessions);
    let failure = RunEvent::Tool(ToolCall {
        turn: 0,
        tool: "bash".into(),
        args: "npm test".into(),
        status: CallStatus::Error("npm error Missing script: \"test\"".into()),
        outside: None,
    });
    let nudges = live.observe_event(failure).unwrap();
    assert!(matches!(&nudges[..], [Nudge::Lesson { id, .. }] if *id == lesson.id));

    // It helped, and that is counted.
    let lesson = desk.report_opinion(lesson.id, Opinion::Helped).unwrap();
    assert_eq!((lesson.counts.shown, lesson.counts.helped), (2, 1));

    // A person improves its words ...
    let edit = LessonEdit {
        text: Some("Run `npm run test:unit`; this shop has no `test` script.".into()),
        ..LessonEdit::default()
    };
    let lesson = desk.revise_lesson(lesson.id, &edit).unwrap();
    let recalled = desk.recall(&ask).unwrap();
    assert!(recalled.preamble.text.contains("this shop has no"));
    // ... and, when the shop has a test script at last, erases it.
    desk.erase_lesson(lesson.id).unwrap();
    assert_eq!(desk.recall(&ask).unwrap().preamble.text, "");

    // The changes stay on record, and the hash chain shows that nobody altered them.
    let mut deeds = Vec::new();
    for entry in desk.journal(0).unwrap() {
        deeds.push(entry.body.kind.name());
    }
    assert_eq!(deeds, ["add", "credit", "revise", "delete"]);
    assert!(desk.audit_journal().unwrap().is_sound());
}
