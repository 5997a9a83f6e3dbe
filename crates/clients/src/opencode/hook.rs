//! What our plugin for opencode forwards. `opencode run` puts quotes around its prompt.

use super::transcript::without_quotes;
use crate::hook::{
    incoming::{Incoming, WireError},
    plugin::read_payload,
    table::{Dialect, EventKey, Row},
};

/// How the payloads are read.
pub(super) const DIALECT: Dialect = Dialect {
    event_key: EventKey::Event,
    read,
};

fn read(row: &Row, hint: Option<&str>, json: &str) -> Result<Incoming, WireError> {
    read_payload(row, hint, json, without_quotes)
}
