//! Gemini CLI's payloads.
//!
//! A command that exits with 7 is no error here: its text says `Exit Code: 7` inside a wrapper.
//! A call has no id. The prompt may hold, in a wrapper of the client's, what a hook said before.

use hardwon_engine::attend::Happened;
use serde::{Deserialize, de::IgnoredAny};
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

/// A payload, exactly as Gemini CLI sends it.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: Option<String>,
    session_id: Option<String>,
    cwd: Option<String>,
    transcript_path: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    prompt_response: Option<String>,
    stop_hook_active: Option<bool>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_response: Option<Response<'a>>,
    /// There when the tool is another server's.
    mcp_context: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    #[serde(borrow)]
    llm_content: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// A part of a content.
#[derive(Deserialize)]
struct Part {
    text: Option<String>,
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
        Means::Called | Means::Failed => one(call(payload).called(ended(payload))),
        Means::Stop => stopped(
            payload.prompt_response.as_deref(),
            payload.stop_hook_active == Some(true),
        ),
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
        is_remote: payload.mcp_context.is_some(),
    }
}

fn ended(payload: &Payload<'_>) -> CallEnd {
    let Some(response) = &payload.tool_response else {
        return CallEnd::Unseen;
    };
    if let Some(error) = response.error {
        return live::judge_text(None, Some(true), &live::error_message(error.get()));
    }
    let content = response.llm_content.map_or("", RawValue::get);
    match serde_json::from_str::<Part>(content) {
        Ok(part) => live::judge_text(None, Some(false), &part.text.unwrap_or_default()),
        Err(_) => live::judge_json(None, Some(false), content),
    }
}
