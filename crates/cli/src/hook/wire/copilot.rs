//! Copilot CLI's payloads, in its own spelling and in the one it uses for hooks registered under
//! Claude Code's names.
//!
//! Its own spelling does not say the event. A call has no id, and a command that exits with 7 is a
//! success whose text ends with the exit code.

use hardwon_clients::transcript::live::{self, Ended};
use hardwon_engine::attend::Happened;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Place, WireError, call::Call, event, one, prompted, started, stopped};
use crate::hook::{
    Incoming,
    client::{Client, Means},
};

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

pub(super) fn read(client: Client, hint: Option<&str>, json: &str) -> Result<Incoming, WireError> {
    let payload: Payload<'_> = serde_json::from_str(json)?;
    let event = event(client, hint, payload.hook_event_name.as_deref());
    let place = Place {
        session: payload.session_id.as_deref(),
        cwd: payload.cwd.as_deref(),
        transcript: payload.transcript_path.as_deref(),
        in_subagent: false,
        is_typed: None,
    };
    place.incoming(event.map_or_else(Vec::new, |event| happened(event.means, &payload)))
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

fn call<'p>(payload: &'p Payload<'_>) -> Call<'p> {
    Call {
        id: None,
        tool: payload.tool_name.as_deref().unwrap_or_default(),
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: false,
    }
}

fn ended(payload: &Payload<'_>) -> Ended {
    let Some(result) = &payload.tool_result else {
        return Ended::Unseen;
    };
    let failed = match result.result_type.as_deref() {
        Some("denied" | "rejected") => return Ended::Refused,
        kind => matches!(kind, Some("failure" | "error")),
    };
    let text = result.text_result_for_llm.map_or("", RawValue::get);
    live::ended_json(None, Some(failed), text)
}

fn failed(payload: &Payload<'_>) -> Ended {
    let error = live::message_of(payload.error.map_or("", RawValue::get));
    live::ended(None, Some(true), &error)
}
