//! Counts the struggles in two or three sessions of one project that teach the right lesson, and the look-alikes that
//! teach one where there is nothing to learn.
//!
//! Each row is a project of its own. Its sessions are written as Claude Code writes them and read by the library, so
//! what is measured is what `hardwon learn` makes of such a folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_clients::archive::ClientTranscript;
use hardwon_core::{Lesson, Scope, Status};
use hardwon_engine::{Engine, Policy, SystemClock};
use hardwon_store::{LessonListing, SqliteStore};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::desk::person_desk;

/// Counts the struggles that teach the right lesson, and the look-alikes that teach one.
#[derive(Debug, clap::Args)]
pub(crate) struct StrugglesArgs {
    /// Rows: JSON lines with `id`, `teaches`, `sessions` (lists of steps) and `lesson` (lists of strings, of which
    /// one list must stand whole in the lesson's words).
    rows: PathBuf,
    /// Print each row that was missed or taught too much, with the lessons it gave.
    #[arg(long)]
    list: bool,
    /// Write the sessions of these rows, and keep them, for `hardwon-sim mine`.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Play these rows alone.
    #[arg(long)]
    id: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct StruggleRow {
    id: String,
    teaches: bool,
    #[serde(default)]
    about: String,
    sessions: Vec<Vec<SessionStep>>,
    #[serde(default)]
    lesson: Vec<Vec<String>>,
}

/// One thing that a person or an agent did.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum SessionStep {
    Person {
        user: String,
    },
    Speech {
        say: String,
    },
    Command {
        run: String,
        #[serde(default)]
        out: String,
        #[serde(default)]
        exit: i32,
    },
    Edit {
        edit: String,
        #[serde(default)]
        old: String,
        #[serde(default)]
        new: String,
    },
    Write {
        write: String,
        #[serde(default)]
        text: String,
    },
    Read {
        read: String,
        #[serde(default)]
        text: String,
    },
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn run(args: &StrugglesArgs) -> anyhow::Result<()> {
    let rows: Vec<StruggleRow> = crate::samples::read_rows(&args.rows)?;
    let made = tempfile::tempdir()?;
    let dir = args.keep.as_deref().unwrap_or(made.path());
    let (mut right, mut teaching, mut false_ones, mut others) = (0, 0, 0, 0);
    for row in &rows {
        if !args.id.is_empty() && !args.id.contains(&row.id) {
            continue;
        }
        let lessons = learn_row(row, dir)?;
        let is_right = row.teaches == lessons.iter().any(|text| row.is_right(text));
        let (count, of) = if row.teaches {
            (&mut right, &mut teaching)
        } else {
            (&mut false_ones, &mut others)
        };
        *of += 1;
        *count += usize::from(is_right == row.teaches);
        if args.list && !is_right {
            let fault = if row.teaches { "missed" } else { "false" };
            println!("{fault}\t{}\t{}", row.id, row.about);
            lessons.iter().for_each(|text| println!("\t{text}"));
        }
    }
    println!("right {right} of {teaching}, false {false_ones} of {others}");
    Ok(())
}

impl StruggleRow {
    /// Whether this lesson is right; where nothing is to be learned, whether it is one at all.
    fn is_right(&self, lesson: &str) -> bool {
        let lesson = lesson.to_lowercase();
        let is_whole = |words: &Vec<String>| {
            words
                .iter()
                .all(|word| lesson.contains(&word.to_lowercase()))
        };
        !self.teaches || self.lesson.iter().any(is_whole)
    }
}

/// Returns the words of the active lessons that a row's sessions taught.
fn learn_row(row: &StruggleRow, dir: &Path) -> anyhow::Result<Vec<String>> {
    let scope = Scope::default();
    let store = SqliteStore::in_memory()?;
    let engine = Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock));
    let desk = person_desk(&engine, &scope);
    let mut library = desk.open_library()?;
    for (number, steps) in row.sessions.iter().enumerate() {
        let name = format!("{}-{number}", row.id);
        let path = dir.join(format!("{name}.jsonl"));
        fs::write(&path, write_session(&name, number, steps))?;
        library.read_transcript::<ClientTranscript>(&path, &|_| None, &mut |_| {})?;
    }
    library.finish()?;
    let lessons = desk.lessons(&LessonListing::default())?;
    let active = lessons
        .iter()
        .filter(|lesson| lesson.status == Status::Active);
    Ok(active.map(show_lesson).collect())
}

fn show_lesson(lesson: &Lesson) -> String {
    let content = &lesson.content;
    format!("[{}] {}", content.signature.as_str(), content.text.as_str())
}

/// Writes a session as Claude Code does, a record a line, on a day of its own.
fn write_session(name: &str, day: usize, steps: &[SessionStep]) -> String {
    let mut session = SessionFile {
        name,
        day,
        records: Vec::new(),
    };
    for (number, step) in steps.iter().enumerate() {
        session.push_step(&format!("{name}-{number}"), step);
    }
    session
        .records
        .iter()
        .map(|record| format!("{record}\n"))
        .collect()
}

struct SessionFile<'a> {
    name: &'a str,
    day: usize,
    records: Vec<Value>,
}

impl SessionFile<'_> {
    fn push_step(&mut self, id: &str, step: &SessionStep) {
        match step {
            SessionStep::Person { user } => self.push("user", json!(user), None),
            SessionStep::Speech { say } => {
                self.push("assistant", json!([{"type": "text", "text": say}]), None);
            }
            SessionStep::Command { run, out, exit: 0 } => {
                let result = json!({"stdout": out, "stderr": "", "interrupted": false});
                self.push_call(id, "Bash", &json!({"command": run}), out, Some(result));
            }
            SessionStep::Command { run, out, exit } => {
                let out = format!("Exit code {exit}\n{out}");
                self.push_call(id, "Bash", &json!({"command": run}), &out, None);
            }
            SessionStep::Edit { edit, old, new } => {
                let input = json!({"file_path": edit, "old_string": old, "new_string": new});
                let out = format!("The file {edit} has been updated.");
                self.push_call(id, "Edit", &input, &out, Some(json!({"filePath": edit})));
            }
            SessionStep::Write { write, text } => {
                let input = json!({"file_path": write, "content": text});
                let out = format!("File created successfully at: {write}");
                self.push_call(id, "Write", &input, &out, Some(json!({"filePath": write})));
            }
            SessionStep::Read { read, text } => {
                let result = json!({"type": "text", "file": {"filePath": read}});
                self.push_call(id, "Read", &json!({"file_path": read}), text, Some(result));
            }
        }
    }

    /// Adds a call and its result; without a report it failed.
    fn push_call(&mut self, id: &str, tool: &str, input: &Value, out: &str, report: Option<Value>) {
        let call = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
        self.push("assistant", call, None);
        let content = json!([{
            "type": "tool_result",
            "tool_use_id": id,
            "content": out,
            "is_error": report.is_none(),
        }]);
        let report = report.unwrap_or_else(|| json!(format!("Error: {out}")));
        self.push("user", content, Some(report));
    }

    fn push(&mut self, role: &str, content: Value, report: Option<Value>) {
        let number = self.records.len();
        let parent = number
            .checked_sub(1)
            .map(|before| format!("{}-r{before}", self.name));
        let mut record = json!({
            "uuid": format!("{}-r{number}", self.name),
            "parentUuid": parent,
            "sessionId": self.name,
            "timestamp": format!("2026-06-{:02}T10:{:02}:{:02}.000Z", self.day + 1, number / 60, number % 60),
            "cwd": "/home/dev/app",
            "isSidechain": false,
            "userType": "external",
            "version": "2.1.0",
            "type": role,
            "message": {"role": role, "content": content},
        });
        if let Some(report) = report {
            record["toolUseResult"] = report;
        }
        self.records.push(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &str, expected: &[&str]) {
        let row: StruggleRow = serde_json::from_str(rows).unwrap();
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(learn_row(&row, dir.path()).unwrap(), expected);
    }

    #[test]
    fn a_remedy_of_two_sessions_is_a_lesson() {
        let session = r#"[{"user":"run the tests"},
            {"run":"npm test","out":"Error: Cannot find module 'dist/index.js'","exit":1},
            {"run":"npm run build","out":"built"},
            {"run":"npm test","out":"12 passing"}]"#;
        let row = format!(
            r#"{{"id":"x","teaches":true,"lesson":[["npm run build"]],"sessions":[{session},{session}]}}"#
        );
        check(
            &row,
            &[
                "[npm (Cannot find module '…')] `npm` fails with *Cannot find module '…'*. Run `npm run build` first; \
                 after it the same command worked.",
            ],
        );
        let once = format!(r#"{{"id":"x","teaches":false,"sessions":[{session}]}}"#);
        check(&once, &[]);
    }
}
