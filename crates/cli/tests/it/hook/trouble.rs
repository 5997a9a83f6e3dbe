//! A hook in trouble: the agent is told nothing of it.

use super::*;

#[test]
fn trouble_is_silent_and_leaves_a_line() {
    let stage = Stage::new();
    let claude = ["hook", "--client", "claude-code"];
    for (args, stdin) in [
        (&claude[..], &b"no json"[..]),
        (&claude, b""),
        (&claude, b"\xff\xfe"),
        (&claude, b"{\"hook_event_name\":\"Stop\"}"),
        (&claude, b"{\"session_id\":7}"),
        (&["hook", "--client", "nobody"], b"{}"),
        (&["hook"], b"{}"),
    ] {
        let before = stage.log().lines().count();
        assert_eq!(stage.said(args, stdin), "", "{args:?}");
        assert_eq!(
            stage.log().lines().count(),
            before + 1,
            "{args:?} {}",
            stage.log()
        );
    }
    let mistyped = stage.run(stage.command(&["hook", "--clint", "x"]), b"{}");
    assert_eq!((mistyped.code, &*mistyped.out), (0, ""));
    assert!(mistyped.err.contains("--client"), "{}", mistyped.err);
    assert_eq!(
        stage.said(&claude, event("a", "NewEvent").to_string().as_bytes()),
        ""
    );
}

#[test]
fn a_damaged_store_costs_the_lessons_only() {
    let stage = Stage::new();
    stage.holds_everywhere(&[(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    )]);
    fs::write(stage.env.db(), [0x5a; 20_000]).unwrap();
    assert_eq!(
        stage.hook("claude-code", &prompt("one", "npm test fails")),
        ""
    );
    assert!(
        stage.log().contains("the file is not a store"),
        "{}",
        stage.log()
    );
    stage.hook("claude-code", &failed("one", "a"));
    let told = stage.hook("claude-code", &failed("one", "b"));
    assert!(told.starts_with("[LOOP DETECTED]"), "{told}");
    stage.hook("claude-code", &event("one", "SessionEnd"));
    stage.learned();
    assert!(
        stage.log().contains("learning from a session"),
        "{}",
        stage.log()
    );
    assert!(
        stage.log().contains("it is not tried again"),
        "{}",
        stage.log()
    );
}

/// What cannot be remembered is said all the same, once each time.
#[test]
fn a_state_folder_that_cannot_be_written() {
    let stage = Stage::new();
    stage.holds_everywhere(&[(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    )]);
    fs::write(
        stage.home().join("state"),
        "a file where the folder should be",
    )
    .unwrap();
    for _ in 0..2 {
        let told = stage.hook("claude-code", &prompt("one", "npm test fails"));
        assert!(told.contains("npm run test:unit"), "{told}");
    }
    assert_eq!(stage.hook("claude-code", &event("one", "SessionEnd")), "");
    let mut homeless = stage.command(&["hook", "--client", "claude-code"]);
    homeless.env("HOME", "no/home").env_remove("XDG_STATE_HOME");
    let ran = stage.run(homeless, prompt("one", "npm test").to_string().as_bytes());
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", ""));
}
