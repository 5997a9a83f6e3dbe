//! OpenHands: a list of events, actions and the observations they caused.
//!
//! Up to version 0 an action has `action` and `args`, an observation `observation`, `content` and `cause`. From version
//! 1 on an event has a `kind`, and calls have ids. A command states its exit code in the observation's metadata.

use std::borrow::Cow;

use hardwon_core::{RunStatus, shell::is_listed};
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{
    FormatRow, Json, ReadResult, ReportedOutcome, SessionHome, Text, TranscriptSession,
    WireContent,
    call_report::judge_text,
    format::{has_text, text_at},
    tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    homes: &[SessionHome::new(&[], ".openhands/sessions")],
    is_document: |opening| opening.any_part(&EVENT_KEYS, is_openhands),
    ..FormatRow::new("openhands", Some("openhands"), || Box::new(read_value))
};

fn is_openhands(event: &Value) -> bool {
    let is_classic = has_text(event, "source")
        && (event.get("action").is_some_and(Value::is_string) && event.get("args").is_some()
            || event.get("observation").is_some_and(Value::is_string)
                && event.get("content").is_some());
    const KINDS: &str = "MessageEvent ActionEvent ObservationEvent SystemPromptEvent";
    is_classic || is_listed(KINDS, text_at(event, "kind"))
}

/// One event of either version, exactly as OpenHands writes it.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct OpenHandsEvent<'a> {
    id: Json<'a>,
    source: Text<'a>,
    action: Json<'a>,
    args: Json<'a>,
    observation: Json<'a>,
    cause: Json<'a>,
    content: WireContent<'a>,
    extras: Json<'a>,
    // version 1
    kind: Text<'a>,
    llm_message: Json<'a>,
    thought: WireContent<'a>,
    tool_name: Text<'a>,
    tool_call_id: Text<'a>,
    tool_call: Json<'a>,
    error: Text<'a>,
    rejection_reason: Text<'a>,
}

/// The arguments of an action of version 0 that matter.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct ActionArgs<'a> {
    content: Text<'a>,
    thought: Text<'a>,
    command: Text<'a>,
    code: Text<'a>,
    name: Text<'a>,
    arguments: Json<'a>,
    path: Text<'a>,
    url: Text<'a>,
}

/// How an observation ended, in version 0 beside the content and in version 1 inside it.
#[derive(Deserialize, Default)]
#[serde(default, bound = "'de: 'a")]
struct ObservationStatus<'a> {
    exit_code: Option<i64>,
    is_error: Option<bool>,
    error: Option<bool>,
    metadata: Json<'a>,
    content: WireContent<'a>,
    output: WireContent<'a>,
    agent_state: Text<'a>,
}

/// The members under which a document may hold the events.
const EVENT_KEYS: [&str; 4] = ["", "trajectory", "history", "events"];

fn read_value(key: &str, json: &str, session: &mut TranscriptSession) -> ReadResult {
    if !EVENT_KEYS.contains(&key) {
        return Ok(());
    }
    let event: OpenHandsEvent<'_> = serde_json::from_str(json)?;
    if session.runs.is_empty() {
        session.enter_next_unnamed();
    }
    if event.kind.is_empty() {
        return read_v0_event(&event, session);
    }
    read_v1_event(&event, session);
    Ok(())
}

/// Reads an event of version 0.
fn read_v0_event(event: &OpenHandsEvent<'_>, session: &mut TranscriptSession) -> ReadResult {
    if !event.observation.is_empty() {
        return read_observation(event, session);
    }
    if event.action.is_empty() {
        return Ok(());
    }
    let action: Text<'_> = serde_json::from_str(event.action.as_str())?;
    let args: ActionArgs<'_> = match event.args.as_str() {
        "" => ActionArgs::default(),
        json => serde_json::from_str(json)?,
    };
    session.add_agent_message(args.thought.as_str());
    let message = args.content.as_str();
    match action.as_str() {
        "message" if event.source.as_str() == "user" => session.add_user_message(message),
        "message" => session.add_agent_message(message),
        "finish" => session.set_end(RunStatus::Completed, None),
        "reject" => session.set_end(RunStatus::Failed, None),
        "system" | "recall" | "think" | "change_agent_state" | "condensation" | "null"
        | "pause" | "resume" | "stop" => {}
        name => {
            let (name, text) = action_call(name, &args, event.args.as_str());
            session.add_call(event.id.as_str(), &name, text);
        }
    }
    Ok(())
}

/// Returns the tool and the arguments of an action: a command, code, or the path it works on.
fn action_call<'t>(name: &'t str, args: &'t ActionArgs<'_>, json: &str) -> (Cow<'t, str>, String) {
    match name {
        "run" => ("bash".into(), tool::args_from_text(args.command.as_str())),
        "run_ipython" => ("ipython".into(), tool::args_from_text(args.code.as_str())),
        "call_tool_mcp" => {
            let name = args.name.as_str();
            let text = tool::args_from_json(name, args.arguments.as_str());
            (format!("mcp__{name}").into(), text)
        }
        _ => {
            let text = match args.path.or(&args.url).as_str() {
                "" => tool::args_from_json(name, json),
                object => tool::args_from_text(object),
            };
            (name.into(), text)
        }
    }
}

fn read_observation(event: &OpenHandsEvent<'_>, session: &mut TranscriptSession) -> ReadResult {
    let kind: Text<'_> = serde_json::from_str(event.observation.as_str())?;
    let status: ObservationStatus<'_> =
        serde_json::from_str(event.extras.as_str()).unwrap_or_default();
    let text = event.content.joined_text();
    let outcome = match kind.as_str() {
        "user_rejected" => ReportedOutcome::Rejected(None),
        "error" => judge_failed(&text),
        "agent_state_changed" => {
            if status.agent_state.as_str() == "error" {
                session.set_end(RunStatus::Failed, None);
            }
            return Ok(());
        }
        _ => judge_observation(&status, &text),
    };
    session.add_result(event.cause.as_str(), outcome);
    Ok(())
}

fn judge_failed(text: &str) -> ReportedOutcome<'_> {
    judge_text(None, Some(true), text)
}

fn judge_observation<'t>(stated: &ObservationStatus<'_>, text: &'t str) -> ReportedOutcome<'t> {
    let exit = stated.exit_code;
    let exit = exit.or_else(|| stated.metadata.member("exit_code").to_plain());
    // -1 means that the command still runs.
    let exit = exit.filter(|code| *code != -1);
    judge_text(exit, stated.is_error.or(stated.error), text)
}

/// Reads an event of version 1.
fn read_v1_event(event: &OpenHandsEvent<'_>, session: &mut TranscriptSession) {
    let call = event.tool_call_id.as_str();
    match event.kind.as_str() {
        "MessageEvent" => {
            let content = event.llm_message.member("content").to_content();
            let content = content.unwrap_or_default();
            match event.source.as_str() {
                "user" => session.add_user_message(&content.joined_text()),
                "agent" => session.add_agent_message(&content.joined_text()),
                _ => {}
            }
        }
        "ActionEvent" => {
            session.add_agent_message(&event.thought.joined_text());
            let name = event.tool_name.as_str();
            if name == "finish" {
                session.set_end(RunStatus::Completed, None);
            } else if name != "think" {
                let args = event.tool_call.member("arguments").or(event.action);
                session.add_json_call(call, name, args.as_str());
            }
        }
        "ObservationEvent" => {
            let status: ObservationStatus<'_> =
                serde_json::from_str(event.observation.as_str()).unwrap_or_default();
            let text = match &status.content {
                WireContent::Other => status.output.joined_text(),
                content => content.joined_text(),
            };
            session.add_result(call, judge_observation(&status, &text));
        }
        "AgentErrorEvent" => session.add_result(call, judge_failed(event.error.as_str())),
        "UserRejectObservation" => {
            let reason = Some(event.rejection_reason.as_str()).filter(|reason| !reason.is_empty());
            let reason = reason.map(str::to_owned);
            session.add_result(call, ReportedOutcome::Rejected(reason));
        }
        _ => {}
    }
}
