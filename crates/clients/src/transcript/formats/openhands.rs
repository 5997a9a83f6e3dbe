//! OpenHands: a list of events, actions and the observations they caused.
//!
//! Up to version 0 an action has `action` and `args`, an observation `observation`, `content` and `cause`. From version
//! 1 on an event has a `kind`, and calls have ids. A command states its exit code in the observation's metadata.

use std::borrow::Cow;

use hardwon_core::event::RunStatus;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::transcript::{
    BrokenRecord, FormatReader,
    call_report::{CallReport, ReportedOutcome, judge_report},
    format::{FormatRow, has_text, text_at},
    home::SessionHome,
    session::TranscriptSession,
    tool,
    wire::{PlainContent, Text, json_or_empty, text_or_empty},
};

/// The folder of its sessions.
pub(crate) static SESSION_HOMES: [SessionHome; 1] = [SessionHome {
    client: "openhands",
    settings: &[],
    default: ".openhands/sessions",
}];

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_document: |opening| opening.any_part(&EVENT_KEYS, is_openhands),
    ..FormatRow::new("openhands", Some("openhands"), || Box::new(OpenHandsReader))
};

fn is_openhands(event: &Value) -> bool {
    let is_classic = has_text(event, "source")
        && (event.get("action").is_some_and(Value::is_string) && event.get("args").is_some()
            || event.get("observation").is_some_and(Value::is_string)
                && event.get("content").is_some());
    let is_kinded = [
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "SystemPromptEvent",
    ]
    .contains(&text_at(event, "kind"));
    is_classic || is_kinded
}

/// One event of either version, exactly as OpenHands writes it.
#[derive(Deserialize)]
struct OpenHandsEvent<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    source: Option<Text<'a>>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    observation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cause: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: PlainContent<'a>,
    #[serde(borrow, default)]
    extras: Option<&'a RawValue>,
    // version 1
    #[serde(borrow, default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    llm_message: Option<OpenHandsMessage<'a>>,
    #[serde(borrow, default)]
    thought: PlainContent<'a>,
    #[serde(borrow, default)]
    tool_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_call: Option<OpenHandsToolCall<'a>>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(borrow, default)]
    rejection_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct OpenHandsMessage<'a> {
    #[serde(borrow, default)]
    content: PlainContent<'a>,
}

#[derive(Deserialize)]
struct OpenHandsToolCall<'a> {
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The arguments of an action of version 0 that matter.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ActionArgs<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    thought: Option<Text<'a>>,
    #[serde(borrow)]
    command: Option<Text<'a>>,
    #[serde(borrow)]
    code: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    path: Option<Text<'a>>,
    #[serde(borrow)]
    url: Option<Text<'a>>,
}

/// How an observation ended, in version 0 beside the content and in version 1 inside it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ObservationStatus<'a> {
    exit_code: Option<i64>,
    is_error: Option<bool>,
    error: Option<bool>,
    metadata: Option<ObservationMetadata>,
    #[serde(borrow)]
    content: PlainContent<'a>,
    #[serde(borrow)]
    output: PlainContent<'a>,
    #[serde(borrow)]
    agent_state: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ObservationMetadata {
    #[serde(default)]
    exit_code: Option<i64>,
}

struct OpenHandsReader;

/// The members under which a document may hold the events.
const EVENT_KEYS: [&str; 4] = ["", "trajectory", "history", "events"];

impl FormatReader for OpenHandsReader {
    fn read_value(
        &mut self,
        key: &str,
        json: &str,
        session: &mut TranscriptSession,
    ) -> Result<(), BrokenRecord> {
        if !EVENT_KEYS.contains(&key) {
            return Ok(());
        }
        let event: OpenHandsEvent<'_> = serde_json::from_str(json)?;
        if session.runs.is_empty() {
            session.enter_next_unnamed();
        }
        match &event.kind {
            Some(kind) => read_v1_event(kind.as_str(), &event, session),
            None => read_v0_event(&event, session)?,
        }
        Ok(())
    }

    fn end_document(&mut self, session: &mut TranscriptSession) {
        session.close_run();
    }
}

/// Reads an event of version 0.
fn read_v0_event(
    event: &OpenHandsEvent<'_>,
    session: &mut TranscriptSession,
) -> Result<(), BrokenRecord> {
    if event.observation.is_some() {
        return read_observation(event, session);
    }
    let Some(action) = event.action else {
        return Ok(());
    };
    let action: Text<'_> = serde_json::from_str(action.get())?;
    let args: ActionArgs<'_> = match event.args {
        Some(args) => serde_json::from_str(args.get())?,
        None => ActionArgs::default(),
    };
    session.add_agent_message(text_or_empty(args.thought.as_ref()));
    let message = text_or_empty(args.content.as_ref());
    match action.as_str() {
        "message" if text_or_empty(event.source.as_ref()) == "user" => {
            session.add_user_message(message);
        }
        "message" => session.add_agent_message(message),
        "finish" => session.set_end(RunStatus::Completed, None),
        "reject" => session.set_end(RunStatus::Failed, None),
        "system" | "recall" | "think" | "change_agent_state" | "condensation" | "null"
        | "pause" | "resume" | "stop" => {}
        name => {
            let (name, text) = action_call(name, &args, json_or_empty(event.args));
            session.add_call(json_or_empty(event.id), &name, text);
        }
    }
    Ok(())
}

/// Returns the tool and the arguments of an action: a command, code, or the path it works on.
fn action_call<'t>(name: &'t str, args: &'t ActionArgs<'_>, json: &str) -> (Cow<'t, str>, String) {
    let line = |text: &Text<'_>| tool::args_from_text(text.as_str());
    match name {
        "run" => (
            "bash".into(),
            args.command.as_ref().map(line).unwrap_or_default(),
        ),
        "run_ipython" => (
            "ipython".into(),
            args.code.as_ref().map(line).unwrap_or_default(),
        ),
        "call_tool_mcp" => {
            let name = text_or_empty(args.name.as_ref());
            (
                format!("mcp__{name}").into(),
                tool::args_from_json(name, json_or_empty(args.arguments)),
            )
        }
        _ => {
            let object = args.path.as_ref().or(args.url.as_ref());
            (
                name.into(),
                object.map_or_else(|| tool::args_from_json(name, json), line),
            )
        }
    }
}

fn read_observation(
    event: &OpenHandsEvent<'_>,
    session: &mut TranscriptSession,
) -> Result<(), BrokenRecord> {
    let kind: Text<'_> = serde_json::from_str(json_or_empty(event.observation))?;
    let status: ObservationStatus<'_> = match event.extras {
        Some(extras) => serde_json::from_str(extras.get()).unwrap_or_default(),
        None => ObservationStatus::default(),
    };
    let text = event.content.joined_text();
    let outcome = match kind.as_str() {
        "user_rejected" => ReportedOutcome::Rejected(None),
        "error" => judge_report(CallReport {
            failed: Some(true),
            text: &text,
            ..CallReport::default()
        }),
        "agent_state_changed" => {
            if text_or_empty(status.agent_state.as_ref()) == "error" {
                session.set_end(RunStatus::Failed, None);
            }
            return Ok(());
        }
        _ => judge_observation(&status, &text),
    };
    session.add_result(json_or_empty(event.cause), outcome);
    Ok(())
}

fn judge_observation<'t>(stated: &ObservationStatus<'_>, text: &'t str) -> ReportedOutcome<'t> {
    let metadata = stated.metadata.as_ref();
    let exit = stated
        .exit_code
        .or_else(|| metadata.and_then(|m| m.exit_code));
    judge_report(CallReport {
        // -1 means that the command still runs.
        exit: exit.filter(|code| *code != -1),
        failed: stated.is_error.or(stated.error),
        text,
    })
}

/// Reads an event of version 1.
fn read_v1_event(kind: &str, event: &OpenHandsEvent<'_>, session: &mut TranscriptSession) {
    let call = text_or_empty(event.tool_call_id.as_ref());
    match kind {
        "MessageEvent" => {
            let text = event
                .llm_message
                .as_ref()
                .map(|message| message.content.joined_text());
            match text_or_empty(event.source.as_ref()) {
                "user" => session.add_user_message(&text.unwrap_or_default()),
                "agent" => session.add_agent_message(&text.unwrap_or_default()),
                _ => {}
            }
        }
        "ActionEvent" => {
            session.add_agent_message(&event.thought.joined_text());
            let name = text_or_empty(event.tool_name.as_ref());
            if name == "finish" {
                session.set_end(RunStatus::Completed, None);
            } else if name != "think" {
                let args = event.tool_call.as_ref().and_then(|call| call.arguments);
                session.add_call(
                    call,
                    name,
                    tool::args_from_json(name, json_or_empty(args.or(event.action))),
                );
            }
        }
        "ObservationEvent" => {
            let status: ObservationStatus<'_> =
                serde_json::from_str(json_or_empty(event.observation)).unwrap_or_default();
            let text = match &status.content {
                PlainContent::Other => status.output.joined_text(),
                content => content.joined_text(),
            };
            session.add_result(call, judge_observation(&status, &text));
        }
        "AgentErrorEvent" => {
            let outcome = judge_report(CallReport {
                failed: Some(true),
                text: text_or_empty(event.error.as_ref()),
                ..CallReport::default()
            });
            session.add_result(call, outcome);
        }
        "UserRejectObservation" => {
            let reason = event
                .rejection_reason
                .as_ref()
                .map(|reason| reason.0.to_string());
            session.add_result(call, ReportedOutcome::Rejected(reason));
        }
        _ => {}
    }
}
