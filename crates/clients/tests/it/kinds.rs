//! Pairs of small sessions of kinds of failures whose error does not say what to do, and the lesson that two of them give.
//!
//! They are as Claude Code writes them, so that what is read of an output and what is learned of it are tried together.

use std::path::Path;

use hardwon_clients::archive::ClientTranscript;
use hardwon_engine::{
    Engine, FixedClock, LearnOutcome, Policy,
    store::{LessonListing, SqliteStore},
};
use serde_json::json;

use crate::person;

/// A call of the shell: the command, what it printed, and whether the client calls it an error.
type Call<'a> = (&'a str, &'a str, bool);

const MISSING: &str = "Exit code 127\n/bin/bash: line 1: go: command not found";
const QUOTED: &str = "The shell here takes `--include=*.go` for names of files before `grep` sees it, and stops (*no matches found*). Quote it: `--include='*.go'`.";
const KEPT: &str = "The shell here keeps its folder from one call to the next: after a `cd` in one call, a relative path in a later one is looked for inside that folder (*No such file or directory*). Give `cd` the whole path, or write paths from the folder that the shell is in.";
const THERE: &str = "`go` is installed here, but not on PATH (*command not found*). Run it as `/usr/local/go/bin/go`, or put its folder on PATH first.";

struct Bank {
    home: tempfile::TempDir,
    engine: Engine,
    sessions: usize,
}

impl Bank {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&home.path().join("hardwon.db")).unwrap();
        let monday = "2026-03-02T09:00:00Z".parse().unwrap();
        let clock = Box::new(FixedClock(monday));
        Self {
            engine: Engine::new(Box::new(store), Policy::default(), clock),
            home,
            sessions: 0,
        }
    }

    /// Learns from a session with these calls.
    fn learn(&mut self, calls: &[Call<'_>]) -> LearnOutcome {
        self.sessions += 1;
        let path = self.home.path().join(format!("{}.jsonl", self.sessions));
        std::fs::write(&path, write_session(self.sessions, calls)).unwrap();
        learn_file(&self.engine, &path)
    }

    /// Returns the texts of the lessons in use.
    fn texts(&self) -> Vec<String> {
        let lessons = person(&self.engine)
            .lessons(&LessonListing::default())
            .unwrap();
        let active = lessons
            .iter()
            .filter(|lesson| lesson.status.name() == "active");
        active
            .map(|lesson| lesson.content.text.to_string())
            .collect()
    }
}

fn learn_file(engine: &Engine, path: &Path) -> LearnOutcome {
    let read = person(engine).read_transcript::<ClientTranscript>(path, &|_| None, &mut |_| ());
    let hardwon_engine::FileRead::Read { runs, .. } = read.unwrap() else {
        panic!("{} is a transcript", path.display());
    };
    runs.into_iter().map(|(_, learned)| learned).next().unwrap()
}

/// Writes a session of Claude Code.
fn write_session(number: usize, calls: &[Call<'_>]) -> String {
    let session = format!("s{number}");
    let line = |at: usize, kind: &str, content: serde_json::Value| {
        let line = json!({
            "uuid": format!("{session}-{at}"), "sessionId": session, "cwd": "/home/dev/app", "type": kind,
            "timestamp": format!("2026-03-0{number}T10:00:{at:02}.000Z"), "version": "2.1.0",
            "message": {"role": kind, "content": content},
        });
        format!("{line}\n")
    };
    let mut text = line(0, "user", json!("please look into the parser"));
    for (at, (command, printed, is_error)) in calls.iter().enumerate() {
        let id = format!("t{number}-{at}");
        let call =
            json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": printed, "is_error": is_error}]);
        text += &line(2 * at + 1, "assistant", call);
        text += &line(2 * at + 2, "user", result);
    }
    text + &line(58, "assistant", json!([{"type": "text", "text": "Done."}]))
}

#[test]
fn what_the_error_does_not_say_is_learned_of_two_sessions() {
    let refused = "== a ==\n(eval):1: no matches found: --include=*.go";
    let ls = ("ls src", "a.go", false);
    let kinds: [(&str, Vec<Call<'_>>, &str); 10] = [
        (
            "its errors go nowhere",
            vec![
                (
                    "echo \"== a ==\"; grep -rn parse --include=*.go src/ 2>/dev/null | grep -v _test",
                    refused,
                    false,
                ),
                ls,
            ],
            QUOTED,
        ),
        (
            "one of several steps that look alike",
            vec![
                (
                    "cd /home/dev/app && echo \"== a ==\" && grep -rn parse --include=*.go && grep -rn read --include=*.go",
                    "Exit code 1\n== a ==\n(eval):1: no matches found: --include=*.go",
                    true,
                ),
                ls,
            ],
            QUOTED,
        ),
        (
            "the shell keeps its folder",
            vec![
                ("cd src && go build ./...", "ok", false),
                (
                    "cd src && go test ./...",
                    "Exit code 1\n/usr/bin/bash: line 1: cd: src: No such file or directory",
                    true,
                ),
                ("cd /home/dev/app/src && go test ./...", "ok", false),
            ],
            KEPT,
        ),
        (
            "another path from that folder",
            vec![
                ("cd src && go vet ./...", "", false),
                (
                    "git add src/run.go && git commit -m x",
                    "Exit code 128\nwarning: could not open directory 'src/src/': No such file or directory\nfatal: pathspec 'src/run.go' did not match any files",
                    true,
                ),
                (
                    "cd /home/dev/app && git add src/run.go && git commit -m x",
                    "[main abc1234] x",
                    false,
                ),
            ],
            KEPT,
        ),
        (
            "its folder is put on PATH",
            vec![
                ("cd /home/dev/app && go build ./...", MISSING, true),
                (
                    "PATH=$PATH:/usr/local/go/bin && cd /home/dev/app && go build ./...",
                    "",
                    false,
                ),
            ],
            THERE,
        ),
        (
            "a job in the background",
            vec![
                (
                    "cd /home/dev/app && go run server.go &\nsleep 2\ncurl -s localhost:8080",
                    "/bin/bash: line 1: go: command not found\n[1]+  Exit 127   cd /home/dev/app && go run server.go",
                    false,
                ),
                (
                    "which go || ls /usr/local/go/bin/go 2>/dev/null",
                    "/usr/local/go/bin/go",
                    false,
                ),
            ],
            THERE,
        ),
        (
            "it was listed, and called in a loop",
            vec![
                (
                    "docker ps",
                    "Exit code 127\n(eval):1: command not found: docker",
                    true,
                ),
                (
                    "ls /Applications/Docker.app/Contents/Resources/bin/docker",
                    "/Applications/Docker.app/Contents/Resources/bin/docker",
                    false,
                ),
                (
                    "for i in 1 2; do /Applications/Docker.app/Contents/Resources/bin/docker info &>/dev/null && echo ready && break; sleep 2; done",
                    "ready",
                    false,
                ),
            ],
            "`docker` is installed here, but not on PATH (*command not found*). Run it as `/Applications/Docker.app/Contents/Resources/bin/docker`, or put its folder on PATH first.",
        ),
        (
            "a check and the form that mends",
            vec![
                (
                    "cargo fmt --check",
                    "Exit code 1\nDiff in /home/dev/app/src/a.rs:27:\n-  x\n+ x",
                    true,
                ),
                ("cargo fmt", "", false),
                ("cargo fmt --check", "", false),
            ],
            "`cargo fmt --check` fails with an error. Run `cargo fmt` first; after it the same command worked.",
        ),
        (
            "another way in",
            vec![
                (
                    "psql shop -c 'select 1'",
                    "Exit code 2\npsql: error: connection to server failed: FATAL:  role \"dev\" does not exist",
                    true,
                ),
                ("psql -h localhost -U shop shop -c 'select 1'", "1", false),
            ],
            "`psql` without `-h localhost -U shop` fails with *psql: error: connection to server failed: FATAL: role \"…\" does not exist*. Add `-h localhost -U shop`; with it the same command worked.",
        ),
        (
            "a script that nobody may execute",
            vec![
                (
                    "./scripts/load.sh a",
                    "Exit code 126\n/bin/bash: line 1: ./scripts/load.sh: Permission denied",
                    true,
                ),
                ("bash scripts/load.sh a", "ok", false),
            ],
            "`./scripts/…` fails with *…: Permission denied*. Run `bash scripts/…` instead.",
        ),
    ];
    for (kind, calls, expected) in kinds {
        let mut bank = Bank::new();
        bank.learn(&calls);
        let again = bank.learn(&calls);
        assert_eq!(bank.texts(), [expected], "{kind}");
        assert_eq!(again.candidate_lessons, 0, "{kind}: {again:?}");
    }
}

#[test]
fn a_program_that_is_found_is_no_longer_missing() {
    let mut bank = Bank::new();
    let missing = [("go build", MISSING, true), ("go vet", MISSING, true)];
    bank.learn(&missing);
    assert_eq!(
        bank.texts(),
        [
            "`go` is not installed here (*command not found*). Use another program, or install it first."
        ]
    );
    let found = ("export PATH=/usr/local/go/bin:$PATH && go build", "", false);
    bank.learn(&[missing[0], ("ls", "a.go", false), found]);
    assert_eq!(bank.texts(), [THERE]);
    // One that does not find it learns nothing new.
    bank.learn(&missing);
    assert_eq!(bank.texts(), [THERE]);
}

#[test]
fn the_third_session_at_an_error_knows_what_got_past_it() {
    let mut bank = Bank::new();
    let failed = (
        "yard test a",
        "Exit code 1\nyard: the lids of this crate are not there",
        true,
    );
    for (lids, is_wall) in [("oak", false), ("ash", false), ("elm", true)] {
        let command = format!("yard test a --lids {lids}");
        bank.learn(&[failed, ("ls", "a", false), (&command, "ok", false)]);
        let expected = "`yard` without `--lids` fails with *yard: the lids of this crate are not there*. Add `--lids`; with it the same command worked. Several sessions met this error; that got past it last.";
        assert_eq!(bank.texts(), [expected][..usize::from(is_wall)], "{lids}");
    }
    let mut bank = Bank::new();
    let vain = ("yard test a --warm", failed.1, true);
    for sessions in 1..=3 {
        bank.learn(&[failed, vain, ("ls", "a", false)]);
        assert_eq!(bank.texts().len(), usize::from(sessions == 3), "{sessions}");
    }
    // Different tests that failed are no wall, and neither is a name that was made up.
    for failed in [
        (
            "pytest -q",
            "Exit code 1\nFAILED tests/test_a.py::test_b - assert 1 == 2",
            true,
        ),
        (
            "yard --bogus",
            "Exit code 1\nyard: there is no option like --bogus",
            true,
        ),
    ] {
        let mut bank = Bank::new();
        for _ in 0..4 {
            bank.learn(&[failed, ("ls", "a", false)]);
        }
        assert!(bank.texts().is_empty(), "{:?}", bank.texts());
    }
}
