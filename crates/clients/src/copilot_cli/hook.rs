//! Copilot CLI's payloads, in its own spelling and in the one it uses for hooks registered under
//! Claude Code's names.
//!
//! Its own spelling does not say the event. A call has no id, and a command that exits with 7 is a
//! success whose text ends with the exit code.

use std::{
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use hardwon_core::limits;
use hardwon_engine::attend::Happened;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::transcript::{has_reached_stop_hook, said_in_tail};
use crate::{
    hook::{
        call::PayloadCall,
        incoming::{HookPayload, PayloadError, PayloadPlace, one, prompted, started, stopped},
        payload::read_tail,
        table::{Dialect, EventKey, HookRow, Means},
    },
    transcript::live::{self, CallEnd},
};

/// How the payloads are read.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::HookEventName,
    read,
};

/// Longest time for which the events are waited for; they take a tenth of a second.
const PATIENCE: Duration = Duration::from_millis(600);
/// How often they are looked at meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// A payload, exactly as Copilot CLI sends it in either spelling.
#[derive(Deserialize)]
struct Payload<'a> {
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
    tool_result: Option<ToolResult<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    stop_hook_active: Option<bool>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(alias = "resultType")]
    result_type: Option<String>,
    #[serde(borrow, alias = "textResultForLlm")]
    text_result_for_llm: Option<&'a RawValue>,
}

fn read(row: &HookRow, hint: Option<&str>, json: &str) -> Result<HookPayload, PayloadError> {
    let payload: Payload<'_> = serde_json::from_str(json)?;
    let event = payload
        .hook_event_name
        .as_deref()
        .or(hint)
        .and_then(|name| row.event(name));
    let place = PayloadPlace {
        session: payload.session_id.as_deref(),
        cwd: payload.cwd.as_deref(),
        transcript: payload.transcript_path.as_deref(),
        in_subagent: false,
        is_typed: None,
    };
    place.into_payload(event.map_or_else(Vec::new, |event| happened(event.means, &payload)))
}

fn happened(means: Means, payload: &Payload<'_>) -> Vec<Happened> {
    match means {
        Means::Start => started(payload.source.as_deref()),
        Means::Prompt => prompted(payload.prompt.as_deref()),
        Means::Calling => one(call(payload).calling()),
        Means::Called => one(call(payload).called(ended(payload))),
        Means::Failed => one(call(payload).called(failed(payload))),
        Means::Stop => stopped(None, payload.stop_hook_active == Some(true)),
        Means::Compact => vec![Happened::Compacting],
        Means::End => vec![Happened::Ended],
        Means::SubagentStart | Means::SubagentStop | Means::Batch => Vec::new(),
    }
}

fn call<'p>(payload: &'p Payload<'_>) -> PayloadCall<'p> {
    PayloadCall {
        id: None,
        tool: payload.tool_name.as_deref().unwrap_or_default(),
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: false,
    }
}

fn ended(payload: &Payload<'_>) -> CallEnd {
    let Some(result) = &payload.tool_result else {
        return CallEnd::Unseen;
    };
    let failed = match result.result_type.as_deref() {
        Some("denied" | "rejected") => return CallEnd::Refused,
        kind => matches!(kind, Some("failure" | "error")),
    };
    let text = result.text_result_for_llm.map_or("", RawValue::get);
    live::judge_json(None, Some(failed), text)
}

fn failed(payload: &Payload<'_>) -> CallEnd {
    let error = live::error_message(payload.error.map_or("", RawValue::get));
    live::judge_text(None, Some(true), &error)
}

/// Looks up what the agent said last: `agentStop` does not say it, while the client's events do, a
/// moment after the hook was started.
pub(super) fn complete(incoming: &mut HookPayload) {
    let Some(transcript) = &incoming.transcript else {
        return;
    };
    for happened in &mut incoming.happened {
        if let Happened::Stopped {
            said: said @ None,
            is_asked,
        } = happened
            && let Ok(tail) = read_up_to_stop_hook(transcript, *is_asked)
        {
            *said = said_in_tail(&tail);
        }
    }
}

/// Returns the end of the events once they tell of the hook that runs now.
fn read_up_to_stop_hook(path: &Path, is_asked: bool) -> io::Result<Vec<u8>> {
    let began = Instant::now();
    loop {
        let tail = read_tail(path, limits::TAIL_BYTES as u64)?;
        let has_reached = has_reached_stop_hook(&tail, is_asked);
        if has_reached || began.elapsed() > PATIENCE {
            return Ok(tail);
        }
        thread::sleep(PAUSE);
    }
}
