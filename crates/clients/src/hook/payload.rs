//! Parses the payload that a client sends to the hook command into one [`HookPayload`].
//!
//! [`parse_payload`] is a pure function of the payload. Each dialect is one small module that knows its wire types and
//! nothing else; the client's [`HookRow`] says what each event means. Unknown keys are ignored and missing ones are
//! `None`, because clients change weekly.
//!
//! A call that was refused never ran and is no event. A call of our own tools is none either: nothing is to be learned
//! from the memory's own output.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use hardwon_core::limits;
use hardwon_engine::regular_file;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    incoming::{HookPayload, PayloadError},
    table::{EventKey, HookEvent, HookRow},
};
use crate::transcript::json_text::to_json_text;

/// Parses a client's payload.
///
/// `hint` is the event that the command was registered for; it counts where the payload does not name its event.
///
/// # Errors
///
/// When the payload is too long, is not what this client sends, or names no session.
pub fn parse_payload(
    row: &HookRow,
    hint: Option<&str>,
    stdin: &[u8],
) -> Result<HookPayload, PayloadError> {
    if stdin.len() > limits::HOOK_BYTES {
        return Err(PayloadError::TooLong);
    }
    // Windows shells put a byte order mark before piped text.
    let json = to_json_text(stdin);
    match (row.dialect.read)(row, hint, &json) {
        Err(PayloadError::Malformed(why)) => {
            let fitting = drop_misfits(row, &json).ok_or(PayloadError::Malformed(why))?;
            (row.dialect.read)(row, hint, &fitting)
        }
        read => read,
    }
}

/// Drops the fields of a payload that have another type than this client sends; `None` if that changes nothing.
fn drop_misfits(row: &HookRow, json: &str) -> Option<String> {
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(json).ok()?;
    let is_fitting = |(name, value): &(&&str, &&RawValue)| {
        let alone = serde_json::json!({ **name: value }).to_string();
        !matches!(
            (row.dialect.read)(row, None, &alone),
            Err(PayloadError::Malformed(_))
        )
    };
    let fitting: BTreeMap<_, _> = fields.iter().filter(is_fitting).collect();
    let is_less = fitting.len() < fields.len();
    is_less
        .then(|| serde_json::to_string(&fitting).ok())
        .flatten()
}

/// The name of the event, under each key that a dialect uses.
#[derive(Deserialize, Default)]
struct NamedEvent<'a> {
    #[serde(borrow, default)]
    hook_event_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    event: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "hookName")]
    hook_name: Option<Cow<'a, str>>,
}

/// Returns the registered event of a payload, to reply in its form; `None` if it is not registered.
pub fn find_event(row: &HookRow, hint: Option<&str>, stdin: &[u8]) -> Option<&'static HookEvent> {
    let json = to_json_text(stdin);
    let names: NamedEvent<'_> = serde_json::from_str(&json).unwrap_or_default();
    let name = match row.dialect.event_key {
        EventKey::HookEventName => names.hook_event_name,
        EventKey::Event => names.event,
        EventKey::HookName => names.hook_name,
    };
    row.find_event(name.as_deref().or(hint)?)
}

/// Completes a payload from the transcript: how its calls ended, the last message.
///
/// If the file cannot be read, the payload stays as it was parsed.
pub fn complete_payload(row: &HookRow, incoming: &mut HookPayload) {
    if let Some(complete) = row.complete {
        complete(incoming);
    }
}

/// Reads the end of a file, at most `bytes` bytes.
pub(crate) fn read_tail(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = regular_file::open(path)?;
    let start = file.metadata()?.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail)?;
    Ok(tail)
}
