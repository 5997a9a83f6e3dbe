//! The format of our own plugins for opencode and pi: one JSON object on stdin per event.
//!
//! The plugins run inside their client and only translate; everything is decided here. So that a
//! plugin can stay as it is for years, the format states its version, and a reader ignores what it
//! does not know. Version 1:
//!
//! ```json
//! {
//!   "v": 1,
//!   "client": "opencode",
//!   "event": "called",
//!   "session": "ses_1",
//!   "parent": null,
//!   "cwd": "/home/dev/shop",
//!   "transcript": null,
//!   "source": "startup",
//!   "prompt": "Fix the cart.",
//!   "call": "call_1",
//!   "tool": "bash",
//!   "args": {"command": "npm test"},
//!   "output": "npm error Missing script: \"test\"",
//!   "exit": 1,
//!   "failed": true,
//!   "external": false,
//!   "interrupted": false,
//!   "refused": false,
//!   "said": "Done.",
//!   "asked": false,
//!   "typed": true
//! }
//! ```
//!
//! `v`, `client`, `event` and `session` are always there; the others belong to some events, and
//! `null` is the same as absent.
//!
//! | event | when | fields of its own | the reply |
//! |---|---|---|---|
//! | `start` | a session begins, is resumed, or was cleared | `source`: `startup`, `resume`, `clear` or `compact` | `{"context": text}` |
//! | `prompt` | a person's prompt is about to reach the model | `prompt` | `{"context": text}` |
//! | `calling` | before a tool | `call`, `tool`, `args` | `{"context": text}`, or `{"hold": text}` |
//! | `called` | after a tool | `call`, `tool`, `args`, `output`, and any known ones of the rest | `{"context": text}` |
//! | `stop` | the agent is idle again | `said`: its last message; `asked`: it continued because we asked, or cannot continue; `typed`: a person types into the session, absent where that is not known | `{"goOn": text}` |
//! | `compact` | before the conversation is compacted | | |
//! | `end` | the session is closed | | |
//!
//! - `session` is the client's own id of the session, as in its transcripts; `parent` is the id of the
//!   session that started a sub-agent's.
//! - `args` is the arguments as the client has them; `output` is text, or the tool's content blocks.
//! - `exit` is a command's exit code, where the client has it in a field of its own; `failed` is the
//!   client's own flag (opencode: a tool that threw; pi: `isError`), absent when it has none.
//! - `interrupted`: a person stopped the tool; `refused`: a person or a setting did not let it run.
//! - `external`: the tool is another server's, where the client knows.
//!
//! The reply on stdout is empty, or one JSON object on one line. The plugin passes `context` to the model
//! at the place of the event: with the prompt, or after the tool's result. It passes `goOn` to the agent
//! as a message, once. With `hold` it does not let the tool run this time, and the text is the reason. Exit code and stderr mean nothing.

use hardwon_engine::attend::SessionEventKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    hook::{
        EnvLookup, SessionSigns,
        call::PayloadCall,
        incoming::{
            HookPayload, PayloadContext, PayloadError, prompt_events, start_events, stop_events,
            zero_or_one,
        },
        table::{
            AnswerForm, ContinueForm, Dialect, EventKey, HookEvent, HookEventKind, HookRow,
            NOTHING, PLAIN, hook_event,
        },
    },
    transcript::live::{self, CallEnd},
};

/// The parser of these payloads.
pub(crate) const DIALECT: Dialect = Dialect {
    event_key: EventKey::Event,
    read: |row, hint, json| read_payload(row, hint, json, |prompt| prompt),
};

/// The events that our own plugins forward, the same for each client.
pub(crate) static PLUGIN_EVENTS: [HookEvent; 7] = [
    hook_event("start", HookEventKind::Start, PLAIN),
    hook_event("prompt", HookEventKind::Prompt, PLAIN),
    hook_event("calling", HookEventKind::Calling, PLAIN),
    hook_event("called", HookEventKind::Called, PLAIN),
    hook_event(
        "stop",
        HookEventKind::Stop,
        AnswerForm::Continue(ContinueForm::Plain),
    ),
    hook_event("compact", HookEventKind::Compact, NOTHING),
    hook_event("end", HookEventKind::End, NOTHING),
];

/// The version of the format that the plugins of this program write.
pub const PLUGIN_FORMAT_VERSION: u32 = 1;

/// A payload, as the plugins send it.
#[derive(Deserialize)]
struct PluginPayload<'a> {
    v: Option<u32>,
    event: Option<String>,
    session: Option<String>,
    parent: Option<String>,
    cwd: Option<String>,
    transcript: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    call: Option<String>,
    tool: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    exit: Option<i64>,
    failed: Option<bool>,
    external: Option<bool>,
    interrupted: Option<bool>,
    refused: Option<bool>,
    said: Option<String>,
    asked: Option<bool>,
    typed: Option<bool>,
}

/// Parses a payload. `typed_part` removes from a prompt what the client put around a person's words.
pub(crate) fn read_payload(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
    typed_part: fn(&str) -> &str,
) -> Result<HookPayload, PayloadError> {
    let payload: PluginPayload<'_> = serde_json::from_str(json)?;
    if payload.v != Some(PLUGIN_FORMAT_VERSION) {
        return Err(PayloadError::Malformed(
            "the plugin is of another version".to_owned(),
        ));
    }
    let event = row.find_named(payload.event.as_deref(), hint);
    let place = PayloadContext {
        session: payload.session.as_deref(),
        cwd: payload.cwd.as_deref(),
        transcript: payload.transcript.as_deref(),
        in_subagent: payload.parent.is_some(),
        parent: payload.parent.as_deref(),
        is_interactive: payload.typed,
    };
    place.into_payload(event.map_or_else(Vec::new, |event| {
        read_events(event.kind, &payload, typed_part)
    }))
}

fn read_events(
    means: HookEventKind,
    payload: &PluginPayload<'_>,
    typed_part: fn(&str) -> &str,
) -> Vec<SessionEventKind> {
    match means {
        HookEventKind::Start => start_events(payload.source.as_deref()),
        HookEventKind::Prompt => prompt_events(payload.prompt.as_deref().map(typed_part)),
        HookEventKind::Calling => zero_or_one(payload_call(payload).calling_event()),
        HookEventKind::Called | HookEventKind::Failed => zero_or_one(
            read_call_end(payload).and_then(|ended| payload_call(payload).called_event(ended)),
        ),
        HookEventKind::Stop => stop_events(payload.said.as_deref(), payload.asked == Some(true)),
        other => other.plain_events(),
    }
}

fn payload_call<'p>(payload: &'p PluginPayload<'_>) -> PayloadCall<'p> {
    PayloadCall {
        id: payload.call.as_deref(),
        tool: payload.tool.as_deref().unwrap_or_default(),
        args: payload.args.map_or("", RawValue::get),
        is_remote: payload.external == Some(true),
    }
}

/// Reads how a call ended; `None` if a person stopped it.
fn read_call_end(payload: &PluginPayload<'_>) -> Option<CallEnd> {
    if payload.interrupted == Some(true) {
        return None;
    }
    if payload.refused == Some(true) {
        return Some(CallEnd::Refused);
    }
    let output = payload.output.map_or("", RawValue::get);
    let has_failed = payload.failed.or(Some(false));
    Some(live::judge_json(payload.exit, has_failed, output))
}

/// The plugin itself reports it.
pub(crate) fn is_interactive(signs: &SessionSigns<'_>, _: EnvLookup<'_>) -> Option<bool> {
    signs.plugin_answer
}
