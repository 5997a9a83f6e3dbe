//! Payloads of our plugin for opencode. `opencode run` puts quotes around its prompt.

use super::transcript::strip_quotes;
use crate::hook::{
    incoming::{HookPayload, PayloadError},
    plugin::read_payload,
    table::{Dialect, EventKey, HookRow},
};

/// The parser of these payloads.
pub(super) const DIALECT: Dialect = Dialect {
    event_key: EventKey::Event,
    read: read_unquoted,
};

fn read_unquoted(
    row: &HookRow,
    hint: Option<&str>,
    json: &str,
) -> Result<HookPayload, PayloadError> {
    read_payload(row, hint, json, strip_quotes)
}
