//! What each event of a session costs, as a whole process: from the spawn to its end.
//!
//! One session a round, as Claude Code tells it: the payload goes in on stdin, and the process is
//! waited for, learning left out, which goes on behind its back. The floor takes turns with it.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::{Value, json};

use super::{
    bank::Bank,
    process::{Database, Program},
    table::{Limit, Row, Table},
    text::Texts,
};

/// What an event of a hook may take of the bare SQLite process's time.
const LIMIT: f64 = 1.6;
/// The same where lessons are searched for: 3.5 ms where the bare process takes 1.84.
const SEARCH_LIMIT: f64 = 1.9;

/// The events that are measured, by the names of the rows, and what each may take.
const EVENTS: [(&str, f64); 6] = [
    ("start", LIMIT),
    ("prompt", SEARCH_LIMIT),
    ("calling", LIMIT),
    ("called", LIMIT),
    ("failed", SEARCH_LIMIT),
    ("stop", LIMIT),
];

/// The hook command over one database, with a state folder of its own.
pub(crate) struct Hooks {
    program: PathBuf,
    database: PathBuf,
    scope: u32,
    home: PathBuf,
}

impl Hooks {
    pub(crate) fn new(program: &Path, database: &Database, home: &Path) -> Self {
        Self {
            program: program.to_owned(),
            database: database.path.clone(),
            scope: database.scope,
            home: home.to_owned(),
        }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.join(".local/state/hardwon")
    }

    /// Waits until what goes on behind the client's back is done.
    fn wait_until_learned(&self) {
        let due = self.state().join("due");
        for _ in 0..1000 {
            if std::fs::read_dir(&due).is_ok_and(|mut it| it.next().is_none()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Runs the hook on one payload, and returns what it took in milliseconds, and what it said.
    pub(crate) fn time(&self, payload: &Value) -> anyhow::Result<(f64, Vec<u8>)> {
        // All of it is there before the process is, or it would wait for us to get a core again.
        let (stdin, mut writer) = std::io::pipe()?;
        writer.write_all(payload.to_string().as_bytes())?;
        drop(writer);
        let mut command = Command::new(&self.program);
        command
            .args(["hook", "--client", "claude-code"])
            .env_clear()
            .env("HOME", &self.home)
            .env("HARDWON_DB", &self.database)
            .env("HARDWON_PROJECT", format!("s{}", self.scope))
            .stdin(stdin);
        let start = Instant::now();
        let output = command.output()?;
        let elapsed = start.elapsed().as_secs_f64() * 1000.0;
        ensure!(
            output.status.success() && output.stderr.is_empty(),
            "a hook failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok((elapsed, output.stdout))
    }
}

/// The payloads of one session.
pub(crate) struct Session(String);

impl Session {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    fn event(&self, name: &str, more: Value) -> Value {
        let mut event = json!({
            "session_id": self.0,
            "transcript_path": "/nowhere/session.jsonl",
            "cwd": "/nowhere",
            "hook_event_name": name,
        });
        if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
            event.extend(more);
        }
        event
    }

    pub(crate) fn start(&self) -> Value {
        self.event("SessionStart", json!({"source": "startup"}))
    }

    pub(crate) fn prompt(&self, text: &str) -> Value {
        self.event("UserPromptSubmit", json!({"prompt": text}))
    }

    pub(crate) fn calling(&self, id: &str, line: &str) -> Value {
        let call = json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": id,
        });
        self.event("PreToolUse", call)
    }

    pub(crate) fn called(&self, id: &str, line: &str, ok: bool) -> Value {
        let call = json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": id,
            "tool_response": {"stdout": "one line\nand another", "stderr": "", "interrupted": false},
        });
        if ok {
            return self.event("PostToolUse", call);
        }
        let failed = json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": id,
            "error": "Exit code 1\nnpm error Missing script: \"test\"\nnpm error\nnpm error To see \
                      a list of scripts, run:\nnpm error   npm run",
        });
        self.event("PostToolUseFailure", failed)
    }

    pub(crate) fn stop(&self) -> Value {
        let said = "I changed the discount and ran the tests; they pass now.";
        let stop = json!({"stop_hook_active": false, "last_assistant_message": said});
        self.event("Stop", stop)
    }
}

/// Measures every event of a session over one bank, and adds a row for each.
pub(crate) fn measure(
    program: &Path,
    floor: &Program,
    bank: &Bank,
    rounds: usize,
    table: &mut Table,
) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let hooks = Hooks::new(program, &bank.ours, home.path());
    let mut texts = Texts::new(11);
    let mut floors = Vec::new();
    let mut times: [Vec<f64>; 6] = Default::default();
    for round in 0..=rounds {
        let (prompt, line) = (texts.prompt(false), texts.prompt(true));
        let session = Session::new(format!("bench-{round}"));
        let failed = format!("npm test {line}");
        let events = [
            session.start(),
            session.prompt(&prompt),
            session.calling("a", &line),
            session.called("a", &line, true),
            session.called("b", &failed, false),
            session.stop(),
        ];
        for (times, event) in times.iter_mut().zip(events) {
            let least = floor.time(&bank.floor, &prompt)?;
            let (time, _) = hooks.time(&event)?;
            // The first round makes the folders.
            if round > 0 {
                floors.push(least);
                times.push(time);
            }
        }
        hooks.wait_until_learned();
    }
    for ((name, limit), times) in EVENTS.into_iter().zip(&times) {
        table.add(Row::new(
            format!("hook time, {name}, over a row{}", bank.note()),
            bank.lessons,
            &floors,
            times,
            Limit::Ratio(limit),
        ));
    }
    Ok(())
}
