//! opencode: which of its events are hooked.
//! Beside this are its payloads, settings, transcripts and database of sessions.

pub(crate) mod database;
mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::plugin,
    hook::table::{CONTEXT_BYTES, FailureSign, HookRow, SECONDS, Timeout},
};

pub(crate) static ROW: HookRow = HookRow {
    client: Client::OpenCode,
    dialect: hook::DIALECT,
    events: &plugin::EVENTS,
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Field,
    complete: None,
    is_typed: plugin::is_typed,
};
