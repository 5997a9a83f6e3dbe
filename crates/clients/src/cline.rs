//! Cline: the events that are hooked. Its payloads and settings are in the submodules.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow, Timeout,
        table::{MODIFICATION, NOTHING, hook_event},
    },
};

/// The command line program does not fire `UserPromptSubmit` and does not wait for `TaskStart`.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("TaskStart", HookEventKind::Start, MODIFICATION),
        hook_event("TaskResume", HookEventKind::Start, MODIFICATION),
        hook_event("UserPromptSubmit", HookEventKind::Prompt, MODIFICATION),
        hook_event("PreToolUse", HookEventKind::Calling, MODIFICATION),
        hook_event("PostToolUse", HookEventKind::Called, MODIFICATION),
        hook_event("TaskComplete", HookEventKind::Stop, NOTHING),
        hook_event("TaskError", HookEventKind::Stop, NOTHING),
        hook_event("TaskCancel", HookEventKind::End, NOTHING),
        hook_event("PreCompact", HookEventKind::Compact, NOTHING),
        hook_event("SessionShutdown", HookEventKind::End, NOTHING),
    ],
    timeout: Timeout::Fixed,
    hold: None,
    ..HookRow::plain(Client::Cline, hook::FORM)
};
