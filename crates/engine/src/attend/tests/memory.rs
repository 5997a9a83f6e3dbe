//! Tests of a session's memory: what it holds, and what is read from a damaged one.

use hardwon_core::text::CleanText;

use super::{super::memory_line::StoredEvent, *};

#[test]
fn no_secret_gets_into_a_memory() {
    let mut stage = Stage::new();
    let secret = "ghp_k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw";
    let with = |text: &str| format!("{text} --token {secret}");
    stage.on(prompted(&with("deploy")));
    stage.on(calling(&with("deploy")));
    stage.on(delegating(&with("deploy")));
    stage.on(SessionEventKind::AfterCall {
        call_id: Some(secret.to_owned()),
        tool_call: ToolCall {
            turn: 0,
            tool: "Bash".into(),
            args: with("deploy").into(),
            status: CallStatus::Error(with("unknown option").into()),
            outside: None,
        },
        output: None,
        written: None,
    });
    stage.reply_channel = ReplyChannel::None;
    stage.on(stopped(&with("/lesson deploy: use")));
    let memory = String::from_utf8(stage.memory).unwrap();
    assert!(memory.contains("[REDACTED:"), "{memory}");
    assert!(!memory.contains("k7Qz2XmR"), "{memory}");
}

/// A client without transcripts is learned from by the events of its hooks.
#[test]
fn a_memory_is_a_run_to_learn_from() {
    let mut stage = Stage::new();
    stage.reply_channel = ReplyChannel::None;
    stage.on(started());
    stage.on(prompted("run the tests"));
    for (args, ok) in [
        ("npm test", false),
        ("cat package.json", true),
        ("npm test", false),
        ("npm run test:unit", true),
    ] {
        stage.on(calling(args));
        stage.on(called(args, ok));
    }
    assert!(stage.on(stopped("Done.")).is_capture_due);
    for _ in 0..2 {
        let trace = stage.session().into_trace();
        assert_eq!((trace.run(), trace.call_count()), (&Stage::run(), 4));
        stage.desk().learn_from_run(&trace).unwrap();
        assert_eq!(stage.lessons(), 1);
    }
    let lessons = person(&stage.engine).lessons(&LessonListing::default());
    assert_eq!(
        lessons.unwrap()[0].evidence.len(),
        1,
        "one run is one piece of evidence"
    );
}

#[test]
fn the_end_of_a_memory_is_enough() {
    let mut stage = Stage::new();
    let id = stage.note(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    );
    stage.on(calling("npm test"));
    let mut reach = 0;
    for number in 0..200 {
        stage.on(called(
            &format!("echo {number} {}", "word ".repeat(50)),
            true,
        ));
        stage.on(called(&format!("\"{}\"", "\\\"'".repeat(600)), true));
        let memory = &stage.memory;
        let found = (1..).find(|far| {
            let from = memory.len().saturating_sub(far * 1024);
            from == 0 || AgentSession::has_state_line(&memory[from..])
        });
        reach = reach.max(found.unwrap() * 1024);
    }
    assert!(stage.memory.len() > 4 * limits::SESSION_LONG_TAIL_BYTES);
    assert!(reach <= limits::SESSION_TAIL_BYTES, "{reach}");
    let from = stage.memory.len() - limits::SESSION_TAIL_BYTES;
    let session = AgentSession::replay(Stage::run(), Stage::scope(), &stage.memory[from..]);
    assert!(session.was_ever_shown(id));
    assert_eq!(session.stands(), stage.session().stands());
}

#[test]
fn a_line_cut_off_spoils_no_other() {
    let mut stage = Stage::new();
    stage.note(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    );
    stage.on(calling("npm test"));
    stage.memory.extend_from_slice(
        b"{\"line\":{\"wrote\":[1\n\n\xff\xfe\n{\"line\":{\"new kind\":1},\"t\":1}\n",
    );
    assert_eq!(said(&stage.on(calling("npm test"))), "");
}

proptest::proptest! {
    #[test]
    fn any_bytes_may_be_a_memory(bytes in proptest::collection::vec(0_u8..=255, 0..200)) {
        let mut session = AgentSession::replay(Stage::run(), Stage::scope(), &bytes);
        proptest::prop_assert_eq!(session.take_unwritten(), "");
    }

    #[test]
    fn any_text_may_be_said_and_called(text in "(\\PC|\n){0,80}", error in "(\\PC|\n){0,80}") {
        let mut stage = Stage::new();
        stage.note("npm test", "Run `npm run test:unit`; there is no test script.");
        stage.on(prompted(&text));
        for _ in 0..2 {
            stage.on(calling(&text));
            let attended = stage.on(SessionEventKind::AfterCall {
                call_id: None,
                tool_call: ToolCall {
                    turn: 0,
                    tool: text.as_str().into(),
                    args: text.as_str().into(),
                    status: CallStatus::Error(error.as_str().into()),
                    outside: None,
                },
                output: None,
                written: None,
            });
            proptest::prop_assert!(said(&attended).len() <= limits::HOOK_REPLY_BYTES);
        }
        stage.on(stopped(&text));
        proptest::prop_assert_eq!(stage.session().into_trace().call_count(), 2);
    }
}

/// Sessions go on over an update of the program.
#[test]
fn lines_of_an_earlier_version_are_read() {
    let call = r#"{"line":{"event":[{"client":1,"call":2,"content":3},{"aftercall":{"tool":"Bash","args":"yard test","status":["no lids",[]],"outside":true}}]},"t":5,"sub":false}"#;
    let line = MemoryLine::parse(call.as_bytes()).unwrap();
    let MemoryEntry::Event(_, StoredEvent::AfterCall(call)) = &line.entry else {
        panic!("{line:?}");
    };
    assert_eq!(
        call.status,
        CallStatus::Error(CleanText::from_stored("no lids".to_owned()))
    );
    assert!(call.outside.as_ref().is_some_and(OutsideWords::has_unknown));
    assert_eq!(MemoryLine::parse(line.render().as_bytes()), Some(line));

    let asked = r#"{"line":{"asked":[["f1","yard test","`yard test`",2]]},"t":5,"sub":false}"#;
    let line = MemoryLine::parse(asked.as_bytes()).unwrap();
    let MemoryEntry::Asked(question) = &line.entry else {
        panic!("{line:?}");
    };
    assert_eq!(question.gist(), "`yard test` failed 2 times");
    assert_eq!(MemoryLine::parse(line.render().as_bytes()), Some(line));
}
