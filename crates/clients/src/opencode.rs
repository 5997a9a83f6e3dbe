//! opencode: the events that are hooked. Its payloads, settings, transcripts and session database are in the
//! submodules.

pub(crate) mod database;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::{
        HookRow, PayloadForm, Timeout, plugin,
        table::{HOLD_PLAIN, HOOK_SECONDS},
    },
};

/// The form of its plugin's payloads. `opencode run` puts quotes around its prompt.
const FORM: PayloadForm = PayloadForm {
    typed_part: transcript::strip_quotes,
    ..plugin::FORM
};

pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &plugin::PLUGIN_EVENTS,
    timeout: Timeout::Milliseconds(1000 * HOOK_SECONDS),
    hold: Some(HOLD_PLAIN),
    is_interactive: plugin::is_interactive,
    ..HookRow::plain(Client::OpenCode, FORM)
};
