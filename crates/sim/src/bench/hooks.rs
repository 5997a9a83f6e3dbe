//! Measures each event of a session as a whole process: from the spawn to its end.
//!
//! One session a round, as Claude Code reports it: the payload goes in on stdin, and the process is waited for, but not
//! the learning, which goes on in the background. The floor takes turns with it.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::{Value, json};

use super::{
    bank::BenchBank,
    process::{BenchDatabase, BenchProgram},
    table::{BudgetLimit, FigureRow, FigureTable},
    text::RandomTexts,
};

/// Limit of an event's time over the bare SQLite process's.
const EVENT_LIMIT: f64 = 1.6;
/// The same where lessons are searched for: 3.5 ms where the bare process takes 1.84.
const SEARCH_LIMIT: f64 = 1.9;

/// The measured events, by the names of the rows, with their limits.
const EVENTS: [(&str, f64); 6] = [
    ("start", EVENT_LIMIT),
    ("prompt", SEARCH_LIMIT),
    ("calling", EVENT_LIMIT),
    ("called", EVENT_LIMIT),
    ("failed", SEARCH_LIMIT),
    ("stop", EVENT_LIMIT),
];

/// The hook command over one database, with a state folder of its own.
pub(crate) struct HookRunner {
    program: PathBuf,
    database: PathBuf,
    scope: u32,
    home: PathBuf,
}

impl HookRunner {
    pub(crate) fn new(program: &Path, database: &BenchDatabase, home: &Path) -> Self {
        Self {
            program: program.to_owned(),
            database: database.path.clone(),
            scope: database.scope,
            home: home.to_owned(),
        }
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.home.join(".local/state/hardwon")
    }

    /// Waits until the background process is done.
    fn wait_until_learned(&self) {
        let due = self.state_dir().join("due");
        for _ in 0..1000 {
            if std::fs::read_dir(&due).is_ok_and(|mut entry| entry.next().is_none()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Runs the hook on one payload, and returns its time in milliseconds and its output.
    pub(crate) fn time_hook(&self, payload: &Value) -> anyhow::Result<(f64, Vec<u8>)> {
        // The payload is written before the process starts, or it would wait for this one to get a core again.
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
pub(crate) struct HookSession(String);

impl HookSession {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    fn payload(&self, name: &str, more: Value) -> Value {
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

    pub(crate) fn start_payload(&self) -> Value {
        self.payload("SessionStart", json!({"source": "startup"}))
    }

    pub(crate) fn prompt_payload(&self, text: &str) -> Value {
        self.payload("UserPromptSubmit", json!({"prompt": text}))
    }

    pub(crate) fn calling_payload(&self, id: &str, line: &str) -> Value {
        let call = json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": id,
        });
        self.payload("PreToolUse", call)
    }

    pub(crate) fn called_payload(&self, id: &str, line: &str, ok: bool) -> Value {
        let call = json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": id,
            "tool_response": {"stdout": "one line\nand another", "stderr": "", "interrupted": false},
        });
        if ok {
            return self.payload("PostToolUse", call);
        }
        let failed = json!({
            "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": id,
            "error": "Exit code 1\nnpm error Missing script: \"test\"\nnpm error\nnpm error To see \
                      a list of scripts, run:\nnpm error   npm run",
        });
        self.payload("PostToolUseFailure", failed)
    }

    pub(crate) fn stop_payload(&self) -> Value {
        let said = "I changed the discount and ran the tests; they pass now.";
        let stop = json!({"stop_hook_active": false, "last_assistant_message": said});
        self.payload("Stop", stop)
    }
}

/// Measures every event of a session over one bank, and adds a row for each.
pub(crate) fn measure_hooks(
    program: &Path,
    floor: &BenchProgram,
    bank: &BenchBank,
    rounds: usize,
    table: &mut FigureTable,
) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let hooks = HookRunner::new(program, &bank.ours, home.path());
    let mut texts = RandomTexts::new(11);
    let mut floors = Vec::new();
    let mut times: [Vec<f64>; 6] = Default::default();
    for round in 0..=rounds {
        let (prompt, line) = (texts.draw_prompt(false), texts.draw_prompt(true));
        let session = HookSession::new(format!("bench-{round}"));
        let failed = format!("npm test {line}");
        let events = [
            session.start_payload(),
            session.prompt_payload(&prompt),
            session.calling_payload("a", &line),
            session.called_payload("a", &line, true),
            session.called_payload("b", &failed, false),
            session.stop_payload(),
        ];
        for (times, event) in times.iter_mut().zip(events) {
            let least = floor.time_run(&bank.floor, &prompt)?;
            let (time, _) = hooks.time_hook(&event)?;
            // The first round makes the folders.
            if round > 0 {
                floors.push(least);
                times.push(time);
            }
        }
        hooks.wait_until_learned();
    }
    for ((name, limit), times) in EVENTS.into_iter().zip(&times) {
        table.add(FigureRow::new(
            format!("hook time, {name}, over a row{}", bank.describe_others()),
            bank.lessons,
            &floors,
            times,
            BudgetLimit::Ratio(limit),
        ));
    }
    Ok(())
}
