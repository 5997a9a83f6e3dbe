//! SWE-agent: `.traj` files, one document of steps, messages and the exit status.
//!
//! A step is an action and its output as text; no field says whether it failed. The task is in the messages, which come
//! after the steps, so the steps wait for it. Only how each step ended is held, never its output.

use hardwon_core::{event::RunStatus, limits};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{ReportedOutcome, judge_json},
    format::FormatRow,
    session::TranscriptSession,
    text::shorten,
    wire::{PlainContent, Text, json_or_empty, text_or_empty},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_document: |opening| {
        opening.any_part(&["trajectory"], |step| {
            step.get("action").is_some_and(Value::is_string) && step.get("observation").is_some()
        })
    },
    ..FormatRow::new("swe-agent", Some("swe-agent"), || {
        Box::new(SweAgentReader::default())
    })
};

/// One step of the trajectory.
#[derive(Deserialize)]
struct SweStep<'a> {
    #[serde(borrow, default)]
    action: Option<Text<'a>>,
    #[serde(borrow, default)]
    observation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thought: Option<Text<'a>>,
}

/// One message of the history.
#[derive(Deserialize)]
struct SweMessage<'a> {
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(default)]
    is_demo: Option<bool>,
}

#[derive(Deserialize)]
struct SweInfo<'a> {
    #[serde(borrow, default)]
    exit_status: Option<Text<'a>>,
}

/// The part of a step that is held.
struct FinishedStep {
    thought: String,
    tool: &'static str,
    args: String,
    outcome: ReportedOutcome<'static>,
}

#[derive(Default)]
struct SweAgentReader {
    pending: Vec<FinishedStep>,
    has_task: bool,
}

impl FormatReader for SweAgentReader {
    fn read_value(
        &mut self,
        key: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        match key {
            "trajectory" => self.read_step(&serde_json::from_str(json)?, session),
            "history" if !self.has_task => self.read_message(&serde_json::from_str(json)?, session),
            "info" => {
                let info: SweInfo<'_> = serde_json::from_str(json)?;
                read_exit_status(text_or_empty(info.exit_status.as_ref()), session);
            }
            _ => {}
        }
        Ok(())
    }

    fn end_document(&mut self, session: &mut TranscriptSession) {
        self.flush(session);
        session.close_run();
        self.has_task = false;
    }

    fn end_file(&mut self, session: &mut TranscriptSession) {
        self.flush(session);
    }
}

impl SweAgentReader {
    fn read_step(&mut self, step: &SweStep<'_>, session: &mut TranscriptSession) {
        let action = text_or_empty(step.action.as_ref()).trim();
        if action.is_empty() {
            return;
        }
        let (tool, args) = parse_action(action);
        self.pending.push(FinishedStep {
            thought: shorten(text_or_empty(step.thought.as_ref()), limits::MESSAGE_BYTES),
            tool,
            args,
            outcome: judge_json(None, None, json_or_empty(step.observation)).into_owned(),
        });
        if self.has_task || self.pending.len() >= limits::TRACE_STEPS {
            self.flush(session);
        }
    }

    /// The first message of a user that is no demonstration is the task.
    fn read_message(&mut self, message: &SweMessage<'_>, session: &mut TranscriptSession) {
        if text_or_empty(message.role.as_ref()) == "user" && message.is_demo != Some(true) {
            session.add_user_message(find_issue(&message.content.joined_text()));
            self.has_task = true;
            self.flush(session);
        }
    }

    fn flush(&mut self, session: &mut TranscriptSession) {
        for done in self.pending.drain(..) {
            session.add_agent_message(&done.thought);
            session.add_finished_call(done.tool, done.args, done.outcome);
        }
    }
}

/// Splits an action into tool and arguments: the agent's own commands are tools of their own; all else is a command
/// line. What a command writes into a file is shortened.
fn parse_action(action: &str) -> (&'static str, String) {
    const COMMANDS: &[&str] = &[
        "open",
        "goto",
        "scroll_up",
        "scroll_down",
        "create",
        "edit",
        "insert",
        "find_file",
        "search_dir",
        "search_file",
        "submit",
        "str_replace_editor",
        "undo_edit",
        "filemap",
    ];
    let word = action.split_whitespace().next().unwrap_or("");
    match COMMANDS.iter().find(|command| **command == word) {
        Some(command) => (command, shorten(action, limits::ARG_VALUE_BYTES)),
        None => ("bash", shorten(action, limits::INTAKE_BYTES)),
    }
}

/// Returns the issue inside the prompt that the agent's template makes of it.
fn find_issue(prompt: &str) -> &str {
    const FRAMES: &[(&str, &str)] = &[
        ("\nISSUE:\n", "\nINSTRUCTIONS:"),
        ("<pr_description>", "</pr_description>"),
    ];
    FRAMES
        .iter()
        .find_map(|(begin, end)| {
            let (_, inner) = prompt.split_once(begin)?;
            Some(inner.split_once(end)?.0.trim())
        })
        .unwrap_or(prompt)
}

fn read_exit_status(exit_status: &str, session: &mut TranscriptSession) {
    match exit_status {
        "" => {}
        "submitted" => session.set_end(RunStatus::Completed, None),
        _ => session.set_end(RunStatus::Failed, None),
    }
}
