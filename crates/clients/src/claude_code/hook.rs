//! Claude Code's payloads, and those of Codex and Qwen Code, which adopted them.
//!
//! A failed call has an event of its own.
//!
//! The differences: Codex has no such event and does not say whether a command failed, and it names a sub-agent's own
//! session; Qwen Code sends an empty prompt after every batch of calls and has two ids for a call, of which
//! `tool_call_id` is the model's and the transcript's.

use std::borrow::Cow;

use hardwon_core::limits;
use hardwon_engine::attend::SessionEventKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    client::Client,
    hook::{
        EnvLookup, SessionSigns,
        call::PayloadCall,
        incoming::{
            HookPayload, PayloadContext, PayloadError, prompt_events, start_events, stop_events,
            zero_or_one,
        },
        table::{Dialect, EventKey, HookEventKind, HookRow},
    },
    transcript::{
        live::{self, CallEnd},
        wire,
    },
};

/// The parser of these payloads.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookEventName,
    read: read_payload,
};

/// A payload, exactly as these clients send it.
#[derive(Deserialize)]
struct ClaudePayload<'a> {
    hook_event_name: Option<String>,
    session_id: Option<String>,
    agent_id: Option<String>,
    cwd: Option<String>,
    transcript_path: Option<String>,
    agent_transcript_path: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    tool_call_id: Option<String>,
    #[serde(borrow)]
    tool_response: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    is_interrupt: Option<bool>,
    #[serde(borrow)]
    tool_calls: Option<Vec<BatchCall<'a>>>,
    stop_hook_active: Option<bool>,
    last_assistant_message: Option<String>,
}

/// One call of a batch.
#[derive(Deserialize)]
struct BatchCall<'a> {
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    tool_response: Option<&'a RawValue>,
}

/// The parts of a result that show how the call ended.
#[derive(Deserialize, Default)]
struct ClaudeToolResponse<'a> {
    /// The output of a command.
    #[serde(borrow)]
    stdout: Option<&'a RawValue>,
    #[serde(borrow)]
    stderr: Option<&'a RawValue>,
    /// Whether a person stopped the command.
    interrupted: Option<bool>,
    /// Whether an MCP server's tool reports that it failed.
    #[serde(rename = "isError")]
    is_error: Option<bool>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    /// The name of the task that the command runs on as.
    #[serde(rename = "backgroundTaskId")]
    background_task: Option<String>,
}

fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    let payload: ClaudePayload<'_> = serde_json::from_str(json)?;
    let event = row.find_named(payload.hook_event_name.as_deref(), hint);
    let means = event.map(|event| event.kind);
    let transcript = match &payload.agent_transcript_path {
        Some(own) if means == Some(HookEventKind::SubagentStop) => Some(own),
        _ => payload.transcript_path.as_ref(),
    };
    let client = row.client;
    let session = run_name(client, &payload);
    let place = PayloadContext {
        session: session.as_deref(),
        cwd: payload.cwd.as_deref(),
        transcript: transcript.map(String::as_str),
        in_subagent: payload.agent_id.is_some(),
        parent: (payload.agent_id.as_ref()).and(payload.session_id.as_deref()),
        is_interactive: None,
    };
    place.into_payload(means.map_or_else(Vec::new, |means| read_events(client, means, &payload)))
}

/// Returns the name of the run as the client's transcript has it: a sub-agent is a run of its own.
fn run_name<'p>(client: Client, payload: &'p ClaudePayload<'_>) -> Option<Cow<'p, str>> {
    let session = payload.session_id.as_deref();
    match (&payload.agent_id, client) {
        (None, _) => session.map(Cow::Borrowed),
        (Some(agent), Client::Codex) => Some(Cow::Borrowed(agent)),
        (Some(agent), _) => session.map(|session| format!("{session}/{agent}").into()),
    }
}

fn read_events(
    client: Client,
    means: HookEventKind,
    payload: &ClaudePayload<'_>,
) -> Vec<SessionEventKind> {
    let event_at_end = |ended: Option<CallEnd>| {
        zero_or_one(ended.and_then(|ended| payload_call(payload).called_event(ended)))
    };
    match means {
        HookEventKind::Start => start_events(payload.source.as_deref()),
        HookEventKind::SubagentStart => start_events(None),
        HookEventKind::Prompt if is_written_by_client(payload) => Vec::new(),
        HookEventKind::Prompt => prompt_events(payload.prompt.as_deref()),
        HookEventKind::Calling => zero_or_one(payload_call(payload).calling_event()),
        HookEventKind::Called => event_at_end(read_call_end(client, payload)),
        HookEventKind::Failed => event_at_end(read_failed_end(payload)),
        HookEventKind::Batch => read_batch(payload),
        HookEventKind::Stop | HookEventKind::SubagentStop => stop_events(
            payload.last_assistant_message.as_deref(),
            payload.stop_hook_active == Some(true),
        ),
        HookEventKind::Compact => vec![SessionEventKind::Compacting],
        HookEventKind::End => vec![SessionEventKind::Ended],
    }
}

/// Returns whether the client wrote the prompt itself: a timer, a poll, a notice.
fn is_written_by_client(payload: &ClaudePayload<'_>) -> bool {
    matches!(
        payload.source.as_deref(),
        Some("system" | "loop_wakeup" | "schedule_wakeup" | "poll_event")
    )
}

fn payload_call<'p>(payload: &'p ClaudePayload<'_>) -> PayloadCall<'p> {
    let id = payload
        .tool_call_id
        .as_ref()
        .or(payload.tool_use_id.as_ref());
    PayloadCall {
        id: id.map(String::as_str),
        tool: payload.tool_name.as_deref().unwrap_or_default(),
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: false,
    }
}

/// Reads how a call without a failure event ended; `None` if a person stopped it.
fn read_call_end(client: Client, payload: &ClaudePayload<'_>) -> Option<CallEnd> {
    let json = payload.tool_response.map_or("", RawValue::get);
    let response: ClaudeToolResponse<'_> = if json.starts_with('{') {
        serde_json::from_str(json).unwrap_or_default()
    } else {
        ClaudeToolResponse::default()
    };
    if response.interrupted == Some(true) {
        return None;
    }
    if response.is_error == Some(true) {
        let content = response.content.map_or("", RawValue::get);
        return Some(live::judge_json(None, Some(true), content));
    }
    // Codex sends a command's output alone, without a status, so only its text can show a failure.
    if client == Client::Codex && json.starts_with('"') {
        return Some(live::judge_json(None, None, json));
    }
    let has_streams = response.stdout.is_some() || response.stderr.is_some();
    let output = if has_streams {
        let parts = [response.stdout, response.stderr, response.content];
        let parts = parts.into_iter().flatten();
        let texts: Vec<String> = parts.map(|part| live::text_in(part.get())).collect();
        texts.join("\n")
    } else if json.starts_with('{') {
        wire::strings_from_json(json)
    } else {
        live::text_in(json)
    };
    Some(CallEnd::Ok(match response.background_task {
        Some(task) => format!("{output}\nRunning in background with ID: {task}"),
        None => output,
    }))
}

/// Reads how a call with a failure event failed; `None` if a person stopped it.
fn read_failed_end(payload: &ClaudePayload<'_>) -> Option<CallEnd> {
    if payload.is_interrupt == Some(true) {
        return None;
    }
    let error = live::error_message(payload.error.map_or("", RawValue::get));
    Some(live::judge_text(None, Some(true), &error))
}

/// Returns the calls of a batch that were rejected before they ran, and so had no event of their own: an edit whose old
/// text is not in the file, arguments that do not fit.
fn read_batch(payload: &ClaudePayload<'_>) -> Vec<SessionEventKind> {
    let calls = payload.tool_calls.iter().flatten();
    calls
        .take(limits::BATCH_CALLS)
        .filter_map(|call| refused_event(call))
        .collect()
}

fn refused_event(batch: &BatchCall<'_>) -> Option<SessionEventKind> {
    const MARK: &str = "<tool_use_error>";
    let json = batch.tool_response?.get();
    if !json.contains(MARK) {
        return None;
    }
    let text = live::text_in(json);
    if !text.trim_start().starts_with(MARK) {
        return None;
    }
    let call = PayloadCall {
        id: batch.tool_use_id.as_deref(),
        tool: batch.tool_name.as_deref().unwrap_or_default(),
        args: batch.tool_input.map_or("", RawValue::get),
        is_remote: false,
    };
    call.called_event(live::judge_text(None, Some(true), &text))
}

/// Another agent, started from the client's shell, inherits the first variable, so the second must match too.
pub(super) fn is_interactive(signs: &SessionSigns<'_>, env: EnvLookup<'_>) -> Option<bool> {
    let is_own = env("CLAUDE_CODE_SESSION_ID").as_deref() == Some(signs.session);
    env("CLAUDE_CODE_SESSION_ATTENDED").map(|attended| attended == "1" && is_own)
}
