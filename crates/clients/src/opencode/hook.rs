//! Payloads of our plugin for opencode. `opencode run` puts quotes around its prompt.

use super::transcript::strip_quotes;
use crate::hook::{
    plugin::read_payload,
    table::{Dialect, EventKey},
};

/// The parser of these payloads.
pub(super) const DIALECT: Dialect = Dialect {
    event_key: EventKey::Event,
    read: |row, hint, json| read_payload(row, hint, json, strip_quotes),
};
