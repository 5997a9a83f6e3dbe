//! Tests of events that come twice: two hooks that tell of one, a loop, an id that every call has.

use super::*;

#[test]
fn a_loop_is_told_at_each_repetition_of_one_call() {
    let mut stage = Stage::new();
    let mut looped = |args: &str, ok: bool| {
        stage.on(calling(args));
        let attended = stage.on(called(args, ok));
        said(&attended).contains("[LOOP DETECTED]")
    };
    assert!(!looped("npm test", false));
    assert!(looped("npm test", false));
    assert!(looped("npm test", false));
    assert!(!looped("npm run a", false));
    assert!(!looped("npm run b", false));
    assert!(looped("npm run a", false));
    assert!(!looped("npm run a", true));
    assert!(!looped("npm run a", false));
    stage.on(prompted("go on"));
    stage.on(calling("npm run a"));
    let attended = stage.on(called("npm run a", false));
    assert_eq!(said(&attended), "", "the person said something");
}

#[test]
fn what_two_hooks_tell_is_one_event() {
    let double = |first: SessionEventKind, client: &'static str, second: SessionEventKind| {
        let mut stage = Stage::new();
        stage.note(
            "npm test",
            "Run `npm run test:unit`; there is no test script.",
        );
        stage.on(first);
        stage.client = client;
        let before = stage.memory.len();
        let attended = stage.again(second);
        let is_double = stage.memory.len() == before;
        assert!(!is_double || attended == AttendOutcome::default());
        is_double
    };
    for event in [
        started(),
        prompted("npm test"),
        calling("npm test"),
        called("npm test", false),
        stopped("done"),
        SessionEventKind::Compacting,
        SessionEventKind::Ended,
    ] {
        assert!(
            double(event.clone(), "copilot-cli", event.clone()),
            "{event:?}"
        );
    }
    let name = |name: &str| named(Some(name), "npm test", false);
    assert!(double(name("a"), "claude-code", name("a")));
    assert!(!double(name("a"), "claude-code", name("b")));
    assert!(double(name("a"), "copilot-cli", called("npm test", false)));
    assert!(!double(
        called("npm test", false),
        "claude-code",
        called("npm test", false)
    ));
    assert!(!double(
        called("npm test", false),
        "copilot-cli",
        called("npm run", false)
    ));
    assert!(!double(
        prompted("npm test"),
        "copilot-cli",
        prompted("npm run")
    ));
}

/// A call is announced before it is made again, so a fast agent is not taken for a second hook.
#[test]
fn what_happens_again_is_another_event() {
    let mut stage = Stage::new();
    let two = |stage: &mut Stage, event: SessionEventKind| {
        stage.client = "claude-code";
        let first = stage.again(event.clone());
        stage.client = "copilot-cli";
        assert_eq!(stage.again(event), AttendOutcome::default());
        said(&first).to_owned()
    };
    for turn in 0..3 {
        two(&mut stage, calling("npm test"));
        let told = two(&mut stage, called("npm test", false));
        assert_eq!(told.contains("[LOOP DETECTED]"), turn > 0, "{turn}");
    }
    let mut stage = Stage::new();
    for _ in 0..2 {
        stage.on(calling("ls"));
        stage.again(named(Some("a"), "ls", true));
        stage.on(named(Some("a"), "ls", true));
    }
    assert_eq!(
        stage.session().into_trace().call_count(),
        2,
        "a call that is announced again is another one, whatever its name"
    );
}

/// Some models give every call the same id, and some runtimes pass it on.
#[test]
fn an_id_that_every_call_has_is_no_duplicate() {
    let mut stage = Stage::new();
    let mut last = String::new();
    for args in ["ls", "npm test", "npm test", "npm run test:unit"] {
        let mut before = calling(args);
        if let SessionEventKind::BeforeCall { call_id, .. } = &mut before {
            *call_id = Some("call_0".to_owned());
        }
        stage.again(before);
        let after = stage.again(named(Some("call_0"), args, args == "ls"));
        if args == "npm test" {
            last = said(&after).to_owned();
        }
    }
    assert_eq!(stage.session().into_trace().call_count(), 4);
    assert!(last.contains("[LOOP DETECTED]"), "{last}");
}
