//! Cursor: the events that are hooked. Its payloads and settings are in the submodules.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow,
        table::{FOLLOWUP, HOLD_PERMISSION, NOTHING, SNAKE, hook_event},
    },
};

/// `preToolUse` only refuses calls: it passes a message to the model in no other way.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("sessionStart", HookEventKind::Start, SNAKE),
        hook_event("beforeSubmitPrompt", HookEventKind::Prompt, NOTHING),
        hook_event("preToolUse", HookEventKind::Calling, NOTHING),
        hook_event("postToolUse", HookEventKind::Called, SNAKE),
        hook_event("postToolUseFailure", HookEventKind::Failed, NOTHING),
        hook_event("stop", HookEventKind::Stop, FOLLOWUP),
        hook_event("preCompact", HookEventKind::Compact, NOTHING),
        hook_event("sessionEnd", HookEventKind::End, NOTHING),
    ],
    hold: Some(HOLD_PERMISSION),
    ..HookRow::plain(Client::Cursor, hook::FORM)
};
