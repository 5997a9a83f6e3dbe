//! pi: the events that are hooked. Its settings and transcripts are in the submodules.

pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::plugin,
    hook::table::{CONTEXT_BYTES, HOOK_SECONDS, HoldForm, HookRow, Timeout},
};

pub(crate) static HOOK_ROW: HookRow = HookRow {
    client: Client::Pi,
    dialect: plugin::DIALECT,
    events: &plugin::PLUGIN_EVENTS,
    timeout: Timeout::Milliseconds(1000 * HOOK_SECONDS),
    context_bytes: CONTEXT_BYTES,
    hold: Some(HoldForm::Plain),
    complete: None,
    is_interactive: plugin::is_interactive,
};
