//! goose's payloads, after its documentation.
//!
//! A failed call has an event of its own, which does not say what the trouble was.

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
    event_key: EventKey::Event,
    read,
};

/// Extensions that work on this machine alone; every other may have its answers from anywhere.
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

/// A payload, as goose's documentation has it.
#[derive(Deserialize)]
struct Payload<'a> {
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

fn read(row: &HookRow, hint: Option<&str>, json: &str) -> Result<HookPayload, PayloadError> {
    let payload: Payload<'_> = serde_json::from_str(json)?;
    let event = payload
        .event
        .as_deref()
        .or(hint)
        .and_then(|name| row.event(name));
    let place = PayloadPlace {
        session: payload.session_id.as_deref(),
        cwd: payload.working_dir.as_deref(),
        transcript: None,
        in_subagent: false,
        is_typed: None,
    };
    place.into_payload(event.map_or_else(Vec::new, |event| happened(event.means, &payload)))
}

fn happened(means: Means, payload: &Payload<'_>) -> Vec<Happened> {
    match means {
        Means::Start => started(None),
        Means::Prompt => prompted(payload.message.as_deref()),
        Means::Calling => one(call(payload).calling()),
        Means::Called => one(call(payload).called(CallEnd::Unseen)),
        Means::Failed => {
            let error = live::error_message(payload.error.map_or("", RawValue::get));
            one(call(payload).called(live::judge_text(None, Some(true), &error)))
        }
        Means::Stop => stopped(payload.last_assistant_message.as_deref(), false),
        Means::Compact => vec![Happened::Compacting],
        Means::End => vec![Happened::Ended],
        Means::SubagentStart | Means::SubagentStop | Means::Batch => Vec::new(),
    }
}

fn call<'p>(payload: &'p Payload<'_>) -> PayloadCall<'p> {
    let tool = payload.tool_name.as_deref().unwrap_or_default();
    let extension = tool.split_once("__").map(|(extension, _)| extension);
    PayloadCall {
        id: payload.tool_call_id.as_deref(),
        tool,
        args: payload.tool_input.map_or("", RawValue::get),
        is_remote: extension.is_some_and(|extension| !OWN_EXTENSIONS.contains(&extension)),
    }
}
