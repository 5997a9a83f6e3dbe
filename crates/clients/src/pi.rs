//! pi: the events that are hooked. Its settings and transcripts are in the submodules.

pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::{
        HookRow, Timeout, plugin,
        table::{HOLD_PLAIN, HOOK_SECONDS},
    },
};

pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &plugin::PLUGIN_EVENTS,
    timeout: Timeout::Milliseconds(1000 * HOOK_SECONDS),
    hold: Some(HOLD_PLAIN),
    is_interactive: plugin::is_interactive,
    ..HookRow::plain(Client::Pi, plugin::FORM)
};
