//! Many hooks at once, of sessions that begin and end in the same moment.

use std::process::Child;

use super::*;

/// How many sessions end at once.
const SESSIONS: usize = 32;
/// How many lines each one writes in its last message.
const LINES: usize = 4;

impl Stage {
    /// Starts a hook and does not wait for it.
    fn start_hook(&self, payload: &Value) -> Child {
        let mut command = self.command(&["hook", "--client", "claude-code"]);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload.to_string().as_bytes()).unwrap();
        child
    }

    /// Runs hooks all at once, which never fail and never complain.
    fn hooks_at_once(&self, payloads: &[Value]) {
        let started: Vec<Child> = payloads.iter().map(|it| self.start_hook(it)).collect();
        for child in started {
            let ran = self.env.ran(child.wait_with_output().unwrap());
            assert_eq!((ran.code, &*ran.err), (0, ""));
        }
    }

    /// Returns for which of these words there is not exactly one lesson.
    fn missing(&self, words: &[String]) -> Vec<String> {
        let list = ["lesson", "list", "--all-projects", "--limit", "500"];
        let lessons = self.env.told(&list);
        let is_missing = |word: &&String| lessons.matches(&format!("[bin/{word}]")).count() != 1;
        words.iter().filter(is_missing).cloned().collect()
    }
}

/// Returns the word of a line that no other line has.
fn word(session: usize, line: usize) -> String {
    format!("plugh{session}x{line}y")
}

/// The last message of a session.
fn last_words(session: usize) -> Value {
    let lines = (0..LINES).map(|line| {
        let word = word(session, line);
        format!("/lesson bin/{word}: Run `bin/{word} --warm` before the tests of part {word}.\n")
    });
    stop(&format!("s{session}"), &lines.collect::<String>())
}

#[test]
fn of_sessions_that_end_at_once_no_line_is_lost() {
    let stage = Stage::new();
    let ends: Vec<Value> = (0..SESSIONS).map(last_words).collect();
    stage.hooks_at_once(&ends);
    stage.learned();
    let all = (0..SESSIONS).flat_map(|session| (0..LINES).map(move |line| word(session, line)));
    let missing = stage.missing(&all.collect::<Vec<_>>());
    assert!(missing.is_empty(), "{missing:?} {}", stage.log());
}

/// Whoever opens a store that is only just made waits for nobody, and finds nothing half-made.
#[test]
fn hooks_that_open_a_new_store_at_once_find_it_whole() {
    for round in 0..6 {
        let stage = Stage::new();
        let event = |session: usize| match session % 3 {
            0 => last_words(session),
            1 => prompt(&format!("s{session}"), "How many stripes has a zebra?"),
            _ => failed(&format!("s{session}"), "a"),
        };
        let events: Vec<Value> = (0..24).map(event).collect();
        stage.hooks_at_once(&events);
        let log = stage.log();
        assert!(!log.contains("opening the database"), "{round}: {log}");
    }
}
