//! Gemini CLI's payloads.
//!
//! A command that exits with 7 is no error here: its text says `Exit Code: 7` inside a wrapper. A call has no id. The
//! prompt may hold an earlier hook's reply, in a wrapper of the client's.

use hardwon_engine::attend::SessionEventKind;
use serde::{Deserialize, de::IgnoredAny};
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

/// A payload, exactly as Gemini CLI sends it.
#[derive(Deserialize)]
struct GeminiPayload<'a> {
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
    tool_response: Option<GeminiToolResponse<'a>>,
    /// Present when the tool is another server's.
    mcp_context: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiToolResponse<'a> {
    #[serde(borrow)]
    llm_content: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// A part of a content.
#[derive(Deserialize)]
struct GeminiTextPart {
    text: Option<String>,
}

fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    let payload: GeminiPayload<'_> = serde_json::from_str(json)?;
    let event = row.find_named(payload.hook_event_name.as_deref(), hint);
    let place = PayloadContext {
        session: payload.session_id.as_deref(),
        cwd: payload.cwd.as_deref(),
        transcript: payload.transcript_path.as_deref(),
        ..PayloadContext::default()
    };
    place.into_payload(event.map_or_else(Vec::new, |event| read_events(event.kind, &payload)))
}

fn read_events(means: HookEventKind, payload: &GeminiPayload<'_>) -> Vec<SessionEventKind> {
    match means {
        HookEventKind::Start => start_events(payload.source.as_deref()),
        HookEventKind::Prompt => prompt_events(payload.prompt.as_deref()),
        HookEventKind::Calling => zero_or_one(payload_call(payload).calling_event()),
        HookEventKind::Called | HookEventKind::Failed => {
            zero_or_one(payload_call(payload).called_event(read_call_end(payload)))
        }
        HookEventKind::Stop => stop_events(
            payload.prompt_response.as_deref(),
            payload.stop_hook_active == Some(true),
        ),
        other => other.plain_events(),
    }
}

fn payload_call<'p>(payload: &'p GeminiPayload<'_>) -> PayloadCall<'p> {
    PayloadCall {
        id: None,
        tool: payload.tool_name.as_deref().unwrap_or_default(),
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: payload.mcp_context.is_some(),
    }
}

fn read_call_end(payload: &GeminiPayload<'_>) -> CallEnd {
    let Some(response) = &payload.tool_response else {
        return CallEnd::Unseen;
    };
    if let Some(error) = response.error {
        return live::judge_text(None, Some(true), &live::error_message(error.get()));
    }
    let content = response.llm_content.map_or("", RawValue::get);
    match serde_json::from_str::<GeminiTextPart>(content) {
        Ok(part) => live::judge_text(None, Some(false), &part.text.unwrap_or_default()),
        Err(_) => live::judge_json(None, Some(false), content),
    }
}
