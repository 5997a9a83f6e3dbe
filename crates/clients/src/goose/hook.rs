//! goose's payloads, as documented.
//!
//! A failed call has an event of its own, which does not hold the error.

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
    event_key: EventKey::Event,
    read: read_payload,
};

/// Extensions that work on this machine alone; the results of any other count as outside content.
const OWN_EXTENSIONS: [&str; 8] = [
    "developer",
    "analyze",
    "todo",
    "memory",
    "skills",
    "platform",
    "summon",
    "extensionmanager",
];

/// A payload, as goose's documentation describes it.
#[derive(Deserialize)]
struct GoosePayload<'a> {
    event: Option<String>,
    session_id: Option<String>,
    working_dir: Option<String>,
    message: Option<String>,
    last_assistant_message: Option<String>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    tool_call_id: Option<String>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    let payload: GoosePayload<'_> = serde_json::from_str(json)?;
    let event = row.find_named(payload.event.as_deref(), hint);
    let place = PayloadContext {
        session: payload.session_id.as_deref(),
        cwd: payload.working_dir.as_deref(),
        transcript: None,
        ..PayloadContext::default()
    };
    place.into_payload(event.map_or_else(Vec::new, |event| read_events(event.kind, &payload)))
}

fn read_events(means: HookEventKind, payload: &GoosePayload<'_>) -> Vec<SessionEventKind> {
    match means {
        HookEventKind::Start => start_events(None),
        HookEventKind::Prompt => prompt_events(payload.message.as_deref()),
        HookEventKind::Calling => zero_or_one(payload_call(payload).calling_event()),
        HookEventKind::Called => zero_or_one(payload_call(payload).called_event(CallEnd::Unseen)),
        HookEventKind::Failed => {
            let error = live::error_message(payload.error.map_or("", RawValue::get));
            zero_or_one(payload_call(payload).called_event(live::judge_text(
                None,
                Some(true),
                &error,
            )))
        }
        HookEventKind::Stop => stop_events(payload.last_assistant_message.as_deref(), false),
        other => other.plain_events(),
    }
}

fn payload_call<'p>(payload: &'p GoosePayload<'_>) -> PayloadCall<'p> {
    let tool = payload.tool_name.as_deref().unwrap_or_default();
    let extension = tool.split_once("__").map(|(extension, _)| extension);
    PayloadCall {
        id: payload.tool_call_id.as_deref(),
        tool,
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: extension.is_some_and(|extension| !OWN_EXTENSIONS.contains(&extension)),
    }
}
