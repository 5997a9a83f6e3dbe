//! Cursor's payloads, as documented.
//!
//! A result comes as JSON inside a string. A command that exits with 7 is a success with an exit code; a tool that
//! could not do its work has an event of its own.

use hardwon_engine::attend::SessionEventKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    hook::{
        call::PayloadCall,
        incoming::{
            HookPayload, PayloadContext, PayloadError, prompt_events, start_events, stop_events,
            zero_or_one,
        },
        table::{Dialect, EventKey, HookEventKind, HookRow},
    },
    transcript::live::{self, CallEnd},
};

/// The parser of these payloads.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookEventName,
    read: read_payload,
};

/// A payload, as Cursor's documentation describes it.
#[derive(Deserialize)]
struct CursorPayload<'a> {
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

/// A command's result, where the text is JSON.
#[derive(Deserialize)]
struct CursorOutput {
    #[serde(rename = "exitCode", alias = "exit_code")]
    exit: Option<i64>,
    stdout: Option<String>,
    stderr: Option<String>,
    output: Option<String>,
}

fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    let payload: CursorPayload<'_> = serde_json::from_str(json)?;
    let event = row.find_named(payload.hook_event_name.as_deref(), hint);
    let roots = payload.workspace_roots.as_ref();
    let root = roots.and_then(|roots| roots.first());
    let session = payload.conversation_id.as_ref();
    let place = PayloadContext {
        session: session.or(payload.session_id.as_ref()).map(String::as_str),
        cwd: payload.cwd.as_ref().or(root).map(String::as_str),
        transcript: payload.transcript_path.as_deref(),
        ..PayloadContext::default()
    };
    place.into_payload(event.map_or_else(Vec::new, |event| read_events(event.kind, &payload)))
}

fn read_events(means: HookEventKind, payload: &CursorPayload<'_>) -> Vec<SessionEventKind> {
    match means {
        HookEventKind::Start => start_events(None),
        HookEventKind::Prompt => prompt_events(payload.prompt.as_deref()),
        HookEventKind::Calling => zero_or_one(payload_call(payload).calling_event()),
        HookEventKind::Called => {
            zero_or_one(payload_call(payload).called_event(read_call_end(payload)))
        }
        HookEventKind::Failed => zero_or_one(
            read_failed_end(payload).and_then(|ended| payload_call(payload).called_event(ended)),
        ),
        // It has no flag for it, but counts how often it was made to continue.
        HookEventKind::Stop => stop_events(None, payload.loop_count.is_some_and(|count| count > 0)),
        other => other.plain_events(),
    }
}

fn payload_call<'p>(payload: &'p CursorPayload<'_>) -> PayloadCall<'p> {
    let tool = payload.tool_name.as_deref().unwrap_or_default();
    PayloadCall {
        id: payload.tool_use_id.as_deref(),
        tool,
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: tool.starts_with("MCP:"),
    }
}

fn read_call_end(payload: &CursorPayload<'_>) -> CallEnd {
    let text = live::text_in(payload.tool_output.map_or("", RawValue::get));
    let Ok(output) = serde_json::from_str::<CursorOutput>(&text) else {
        return live::judge_text(None, Some(false), &text);
    };
    let parts = [output.stdout, output.output, output.stderr];
    let text: Vec<String> = parts.into_iter().flatten().collect();
    live::judge_text(output.exit, Some(false), &text.join("\n"))
}

/// Reads how a call failed; `None` if a person stopped it.
fn read_failed_end(payload: &CursorPayload<'_>) -> Option<CallEnd> {
    if payload.is_interrupt == Some(true) {
        return None;
    }
    if payload.failure_type.as_deref() == Some("permission_denied") {
        return Some(CallEnd::Refused);
    }
    let error = payload.error_message.as_deref().unwrap_or_default();
    Some(live::judge_text(None, Some(true), error))
}
