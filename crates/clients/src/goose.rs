//! goose: the events that are hooked. Its payloads and settings are in the submodules.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow,
        table::{BLOCK, HOLD_BLOCK, NOTHING, hook_event},
    },
};

/// `PreToolUse` only refuses calls; it passes on nothing else.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("SessionStart", HookEventKind::Start, NOTHING),
        hook_event("UserPromptSubmit", HookEventKind::Prompt, NOTHING),
        hook_event("PreToolUse", HookEventKind::Calling, NOTHING),
        hook_event("PostToolUse", HookEventKind::Called, NOTHING),
        hook_event("PostToolUseFailure", HookEventKind::Failed, NOTHING),
        hook_event("Stop", HookEventKind::Stop, BLOCK),
        hook_event("SessionEnd", HookEventKind::End, NOTHING),
    ],
    hold: Some(HOLD_BLOCK),
    ..HookRow::plain(Client::Goose, hook::FORM)
};
