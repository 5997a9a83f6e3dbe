//! Copilot CLI's payloads, in its own spelling and in the one it uses for hooks registered under Claude Code's names.
//!
//! Its own spelling does not name the event. A call has no id, and a command that exits with 7 is a success whose text
//! ends with the exit code.

use std::{
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use hardwon_core::limits;
use hardwon_engine::attend::SessionEventKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::transcript::{find_last_message, has_reached_stop_hook};
use crate::{
    hook::{
        call::PayloadCall,
        incoming::{
            HookPayload, PayloadContext, PayloadError, prompt_events, start_events, stop_events,
            zero_or_one,
        },
        payload::read_tail,
        table::{Dialect, EventKey, HookEventKind, HookRow},
    },
    transcript::live::{self, CallEnd},
};

/// The parser of these payloads.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookEventName,
    read: read_payload,
};

/// Longest wait for the events; they usually take a tenth of a second.
const EVENTS_TIMEOUT: Duration = Duration::from_millis(600);
/// Time between two looks at them.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A payload, exactly as Copilot CLI sends it in either spelling.
#[derive(Deserialize)]
struct CopilotPayload<'a> {
    hook_event_name: Option<String>,
    #[serde(alias = "sessionId")]
    session_id: Option<String>,
    cwd: Option<String>,
    #[serde(alias = "transcriptPath")]
    transcript_path: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    #[serde(alias = "toolName")]
    tool_name: Option<String>,
    #[serde(borrow, alias = "toolArgs")]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, alias = "toolResult")]
    tool_result: Option<CopilotHookResult<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    stop_hook_active: Option<bool>,
}

#[derive(Deserialize)]
struct CopilotHookResult<'a> {
    #[serde(alias = "resultType")]
    result_type: Option<String>,
    #[serde(borrow, alias = "textResultForLlm")]
    text_result_for_llm: Option<&'a RawValue>,
}

fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    let payload: CopilotPayload<'_> = serde_json::from_str(json)?;
    let event = row.find_named(payload.hook_event_name.as_deref(), hint);
    let place = PayloadContext {
        session: payload.session_id.as_deref(),
        cwd: payload.cwd.as_deref(),
        transcript: payload.transcript_path.as_deref(),
        ..PayloadContext::default()
    };
    place.into_payload(event.map_or_else(Vec::new, |event| read_events(event.kind, &payload)))
}

fn read_events(means: HookEventKind, payload: &CopilotPayload<'_>) -> Vec<SessionEventKind> {
    match means {
        HookEventKind::Start => start_events(payload.source.as_deref()),
        HookEventKind::Prompt => prompt_events(payload.prompt.as_deref()),
        HookEventKind::Calling => zero_or_one(payload_call(payload).calling_event()),
        HookEventKind::Called => {
            zero_or_one(payload_call(payload).called_event(read_call_end(payload)))
        }
        HookEventKind::Failed => {
            zero_or_one(payload_call(payload).called_event(read_failed_end(payload)))
        }
        HookEventKind::Stop => stop_events(None, payload.stop_hook_active == Some(true)),
        other => other.plain_events(),
    }
}

fn payload_call<'p>(payload: &'p CopilotPayload<'_>) -> PayloadCall<'p> {
    PayloadCall {
        id: None,
        tool: payload.tool_name.as_deref().unwrap_or_default(),
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: false,
    }
}

fn read_call_end(payload: &CopilotPayload<'_>) -> CallEnd {
    let Some(result) = &payload.tool_result else {
        return CallEnd::Unseen;
    };
    let has_failed = match result.result_type.as_deref() {
        Some("denied" | "rejected") => return CallEnd::Refused,
        kind => matches!(kind, Some("failure" | "error")),
    };
    let text = result.text_result_for_llm.map_or("", RawValue::get);
    live::judge_json(None, Some(has_failed), text)
}

fn read_failed_end(payload: &CopilotPayload<'_>) -> CallEnd {
    let error = live::error_message(payload.error.map_or("", RawValue::get));
    live::judge_text(None, Some(true), &error)
}

/// Looks up the agent's last message: `agentStop` does not hold it, while the client's event log does, a moment after
/// the hook was started.
pub(super) fn complete_last_message(incoming: &mut HookPayload) {
    let Some(transcript) = &incoming.transcript else {
        return;
    };
    for happened in &mut incoming.events {
        if let SessionEventKind::Stopped {
            last_message: said @ None,
            is_continuation: is_asked,
        } = happened
            && let Ok(tail) = read_up_to_stop_hook(transcript, *is_asked)
        {
            *said = find_last_message(&tail);
        }
    }
}

/// Returns the end of the event log once it includes the hook that runs now. In a short session the log itself is made
/// only then.
fn read_up_to_stop_hook(path: &Path, is_asked: bool) -> io::Result<Vec<u8>> {
    let began = Instant::now();
    loop {
        let tail = match read_tail(path, limits::TAIL_BYTES as u64) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let has_reached = has_reached_stop_hook(&tail, is_asked);
        if has_reached || began.elapsed() > EVENTS_TIMEOUT {
            return Ok(tail);
        }
        thread::sleep(POLL_INTERVAL);
    }
}
