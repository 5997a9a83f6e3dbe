//! What is shown that nothing bears out yet, and what becomes of it once runs tell.

use super::*;

const BYTES: &str = "xxd -l 16 logo.bin";
const MISSING: &str = "Exit code 127\nbash: line 1: xxd: command not found";

impl Stage {
    /// Makes a call in a session, and returns what was said at it.
    fn calls(&self, session: &str, id: &str, command: &str, error: Option<&str>) -> String {
        let call =
            json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
        let payload = |name: &str| with(event(session, name), call.clone());
        let before = self.hook("claude-code", &payload("PreToolUse"));
        let after = match error {
            Some(error) => with(payload("PostToolUseFailure"), json!({ "error": error })),
            None => {
                let response = json!({"tool_response": {"stdout": "ok", "interrupted": false}});
                with(payload("PostToolUse"), response)
            }
        };
        let after = self.hook("claude-code", &after);
        format!("{before}{after}")
    }

    /// Ends a session and learns from it.
    fn ends(&self, session: &str, said: &str) {
        self.hook("claude-code", &stop(session, said));
        self.hook("claude-code", &event(session, "SessionEnd"));
        self.learned();
    }

    fn shows(&self, id: &str) -> String {
        self.env.told(&["lesson", "show", id])
    }
}

/// Nobody has to follow it: where the program ran and worked, the statement was not so.
#[test]
fn a_statement_that_was_not_so_in_two_runs_waits() {
    let stage = Stage::new();
    stage.hook("claude-code", &prompt("s1", "print the logo"));
    stage.ends("s1", "/lesson xxd: `xxd` is not installed here.");
    assert!(stage.shows("1").contains("active"), "{}", stage.shows("1"));
    let said = stage.calls("s2", "a", BYTES, None);
    assert!(
        said.contains("- [unconfirmed] [xxd] `xxd` is not installed here. (#1)"),
        "{said}"
    );
    stage.ends("s2", "done");
    stage.ends("s2", "done once more");
    let once = stage.shows("1");
    assert!(
        once.contains("active") && once.contains("wrong 1"),
        "{once}"
    );
    let said = stage.calls("s3", "a", BYTES, None);
    assert!(said.contains("[caution]"), "{said}");
    stage.ends("s3", "done");
    let twice = stage.shows("1");
    let why = "it was otherwise in 2 runs: `xxd` worked in run s3";
    assert!(twice.contains(why), "{twice} {}", stage.log());
    assert_eq!(stage.calls("s4", "a", BYTES, None), "");
}

/// What is no statement, or not certain to have run, says nothing.
#[test]
fn a_rule_is_not_refuted_by_whoever_breaks_it() {
    let stage = Stage::new();
    stage.hook("claude-code", &prompt("s1", "print the logo"));
    stage.ends(
        "s1",
        "/lesson xxd: Do not use `xxd` here.\n/lesson redis-cli: `redis-cli` is not installed here.",
    );
    for session in ["s2", "s3", "s4"] {
        stage.calls(session, "a", BYTES, None);
        stage.calls(session, "b", "redis-cli ping | head -3", None);
        stage.calls(session, "c", "PATH=/opt/bin:$PATH redis-cli ping", None);
        stage.ends(session, "done");
    }
    for id in ["1", "2"] {
        let told = stage.shows(id);
        assert!(
            told.contains("active") && !told.contains("otherwise"),
            "{told}"
        );
    }
}

/// What one session did after a failure is said at the same failure, once, as what it is; and no more once it failed.
#[test]
fn a_remedy_seen_once_is_told_as_such() {
    let stage = Stage::new();
    stage.hook("claude-code", &prompt("s1", "print the logo"));
    assert_eq!(stage.calls("s1", "a", BYTES, Some(MISSING)), "");
    assert_eq!(stage.calls("s1", "b", "od -N 16 logo.bin", None), "");
    stage.ends("s1", "done");
    assert!(!stage.lessons().contains("xxd"), "{}", stage.lessons());

    let start = with(event("s2", "SessionStart"), json!({"source": "startup"}));
    assert!(!stage.hook("claude-code", &start).contains("xxd"));
    let said = stage.calls("s2", "a", BYTES, Some(MISSING));
    assert!(said.contains("Use `od` instead"), "{said}");
    assert!(said.contains("[unconfirmed, done once on 20"), "{said}");
    assert_eq!(stage.calls("s2", "b", BYTES, None), "");
    assert!(
        !stage
            .calls("s2", "c", BYTES, Some(MISSING))
            .contains("unconfirmed")
    );
    let error = "Exit code 1\nod: this build of od reads no files";
    stage.calls("s2", "d", "od -N 16 logo.bin", Some(error));
    stage.ends("s2", "it did not help");
    assert!(
        !stage
            .calls("s3", "a", BYTES, Some(MISSING))
            .contains("unconfirmed")
    );
}

/// On the word of one session nothing is advised that may cost something.
#[test]
fn a_remedy_seen_once_that_costs_something_is_not_told() {
    let error = "Exit code 2\nyard: the lids of this crate are not there";
    for (session, remedy) in [
        ("s1", "yard test a --force"),
        ("s2", "npm install lids && yard test a"),
        ("s3", "curl -O https://a.example/lids && yard test a"),
        ("s4", "rm -rf lids && yard test a"),
    ] {
        let stage = Stage::new();
        stage.hook("claude-code", &prompt(session, "test it"));
        stage.calls(session, "a", "yard test a", Some(error));
        stage.calls(session, "b", remedy, None);
        stage.ends(session, "done");
        let said = stage.calls("s9", "a", "yard test a", Some(error));
        assert_eq!(said, "", "{remedy}");
    }
}
