//! pi: which of its events are hooked. Beside this are its settings and transcripts.

pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::plugin,
    hook::table::{CONTEXT_BYTES, FailureSign, HookRow, SECONDS, Timeout},
};

pub(crate) static ROW: HookRow = HookRow {
    client: Client::Pi,
    dialect: plugin::DIALECT,
    events: &plugin::EVENTS,
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Field,
    complete: None,
    is_typed: plugin::is_typed,
};
