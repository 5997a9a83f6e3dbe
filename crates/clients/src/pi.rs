//! pi.

pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::plugin,
    hook::table::{CONTEXT_BYTES, Row, SECONDS, Shows, Timeout},
};

pub(crate) static ROW: Row = Row {
    client: Client::Pi,
    dialect: plugin::DIALECT,
    events: &plugin::EVENTS,
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Field,
    complete: None,
    is_typed: plugin::is_typed,
};
