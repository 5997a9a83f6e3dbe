//! SWE-agent: `.traj` files, one document of steps, messages and the way it ended.
//!
//! A step is an action and what came back as text; nothing says whether it failed. The task stands
//! in the messages, which come after the steps, so the steps wait for it. Only how each step ended
//! is held, never its output.

use hardwon_core::{event::RunStatus, limits};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    Broken, FormatReader,
    failure::{CallOutcome, judge_json},
    format::FormatRow,
    session::Session,
    text::shorten,
    wire::{PlainContent, Text, raw_of, str_of},
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    document: |opening| {
        opening.any(&["trajectory"], |step| {
            step.get("action").is_some_and(Value::is_string) && step.get("observation").is_some()
        })
    },
    ..FormatRow::new("swe-agent", Some("swe-agent"), || {
        Box::new(SweAgent::default())
    })
};

/// One step of the trajectory.
#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow, default)]
    action: Option<Text<'a>>,
    #[serde(borrow, default)]
    observation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thought: Option<Text<'a>>,
}

/// One message of the history.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(default)]
    is_demo: Option<bool>,
}

#[derive(Deserialize)]
struct Info<'a> {
    #[serde(borrow, default)]
    exit_status: Option<Text<'a>>,
}

/// What is held of a step.
struct Done {
    thought: String,
    tool: &'static str,
    args: String,
    outcome: CallOutcome<'static>,
}

#[derive(Default)]
struct SweAgent {
    waiting: Vec<Done>,
    has_task: bool,
}

impl FormatReader for SweAgent {
    fn value(&mut self, key: &str, json: &str, session: &mut Session) -> Result<(), Broken> {
        match key {
            "trajectory" => self.step(&serde_json::from_str(json)?, session),
            "history" if !self.has_task => self.message(&serde_json::from_str(json)?, session),
            "info" => {
                let info: Info<'_> = serde_json::from_str(json)?;
                end(str_of(info.exit_status.as_ref()), session);
            }
            _ => {}
        }
        Ok(())
    }

    fn document_end(&mut self, session: &mut Session) {
        self.tell(session);
        session.close();
        self.has_task = false;
    }

    fn file_end(&mut self, session: &mut Session) {
        self.tell(session);
    }
}

impl SweAgent {
    fn step(&mut self, step: &Step<'_>, session: &mut Session) {
        let action = str_of(step.action.as_ref()).trim();
        if action.is_empty() {
            return;
        }
        let (tool, args) = tool_and_args(action);
        self.waiting.push(Done {
            thought: shorten(str_of(step.thought.as_ref()), limits::MESSAGE_BYTES),
            tool,
            args,
            outcome: judge_json(None, None, raw_of(step.observation)).into_owned(),
        });
        if self.has_task || self.waiting.len() >= limits::TRACE_STEPS {
            self.tell(session);
        }
    }

    /// The first message of a user that is no demonstration is the task.
    fn message(&mut self, message: &Message<'_>, session: &mut Session) {
        if str_of(message.role.as_ref()) == "user" && message.is_demo != Some(true) {
            session.user(issue_in(&message.content.joined()));
            self.has_task = true;
            self.tell(session);
        }
    }

    fn tell(&mut self, session: &mut Session) {
        for done in self.waiting.drain(..) {
            session.assistant(&done.thought);
            session.act(done.tool, done.args, done.outcome);
        }
    }
}

/// The agent's own commands are tools of their own; all else is a command line. What a command
/// writes into a file is shortened.
fn tool_and_args(action: &str) -> (&'static str, String) {
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

/// The issue inside the prompt that the agent's template makes of it.
fn issue_in(prompt: &str) -> &str {
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

fn end(exit_status: &str, session: &mut Session) {
    match exit_status {
        "" => {}
        "submitted" => session.end(RunStatus::Completed, None),
        _ => session.end(RunStatus::Failed, None),
    }
}
