//! Cursor's payloads, after its documentation.
//!
//! A result comes as JSON inside a string. A command that exits with 7 is a success with an exit
//! code; a tool that could not do its work has an event of its own.

use hardwon_engine::attend::Happened;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    hook::{
        call::PayloadCall,
        incoming::{HookPayload, PayloadError, PayloadPlace, one, prompted, started, stopped},
        table::{Dialect, EventKey, HookRow, Means},
    },
    transcript::live::{self, CallEnd},
};

/// How the payloads are read.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookEventName,
    read,
};

/// A payload, as Cursor's documentation has it.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: Option<String>,
    conversation_id: Option<String>,
    session_id: Option<String>,
    cwd: Option<String>,
    workspace_roots: Option<Vec<String>>,
    transcript_path: Option<String>,
    prompt: Option<String>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    tool_output: Option<&'a RawValue>,
    error_message: Option<String>,
    failure_type: Option<String>,
    is_interrupt: Option<bool>,
    loop_count: Option<i64>,
}

/// What a command's result says, where the text is JSON.
#[derive(Deserialize)]
struct Output {
    #[serde(rename = "exitCode", alias = "exit_code")]
    exit: Option<i64>,
    stdout: Option<String>,
    stderr: Option<String>,
    output: Option<String>,
}

fn read(row: &HookRow, hint: Option<&str>, json: &str) -> Result<HookPayload, PayloadError> {
    let payload: Payload<'_> = serde_json::from_str(json)?;
    let event = payload
        .hook_event_name
        .as_deref()
        .or(hint)
        .and_then(|name| row.event(name));
    let roots = payload.workspace_roots.as_ref();
    let root = roots.and_then(|roots| roots.first());
    let session = payload.conversation_id.as_ref();
    let place = PayloadPlace {
        session: session.or(payload.session_id.as_ref()).map(String::as_str),
        cwd: payload.cwd.as_ref().or(root).map(String::as_str),
        transcript: payload.transcript_path.as_deref(),
        in_subagent: false,
        is_typed: None,
    };
    place.into_payload(event.map_or_else(Vec::new, |event| happened(event.means, &payload)))
}

fn happened(means: Means, payload: &Payload<'_>) -> Vec<Happened> {
    match means {
        Means::Start => started(None),
        Means::Prompt => prompted(payload.prompt.as_deref()),
        Means::Calling => one(call(payload).calling()),
        Means::Called => one(call(payload).called(ended(payload))),
        Means::Failed => one(failed(payload).and_then(|ended| call(payload).called(ended))),
        // It has no word for it, but counts the times it was made to go on.
        Means::Stop => stopped(None, payload.loop_count.is_some_and(|count| count > 0)),
        Means::Compact => vec![Happened::Compacting],
        Means::End => vec![Happened::Ended],
        Means::SubagentStart | Means::SubagentStop | Means::Batch => Vec::new(),
    }
}

fn call<'p>(payload: &'p Payload<'_>) -> PayloadCall<'p> {
    let tool = payload.tool_name.as_deref().unwrap_or_default();
    PayloadCall {
        id: payload.tool_use_id.as_deref(),
        tool,
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: tool.starts_with("MCP:"),
    }
}

fn ended(payload: &Payload<'_>) -> CallEnd {
    let said = live::text_in(payload.tool_output.map_or("", RawValue::get));
    let Ok(output) = serde_json::from_str::<Output>(&said) else {
        return live::judge_text(None, Some(false), &said);
    };
    let parts = [output.stdout, output.output, output.stderr];
    let text: Vec<String> = parts.into_iter().flatten().collect();
    live::judge_text(output.exit, Some(false), &text.join("\n"))
}

/// Tells how a call failed; none when a person stopped it.
fn failed(payload: &Payload<'_>) -> Option<CallEnd> {
    if payload.is_interrupt == Some(true) {
        return None;
    }
    if payload.failure_type.as_deref() == Some("permission_denied") {
        return Some(CallEnd::Refused);
    }
    let error = payload.error_message.as_deref().unwrap_or_default();
    Some(live::judge_text(None, Some(true), error))
}
