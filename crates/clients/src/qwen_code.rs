//! Qwen Code: the events that are hooked. Its settings and transcripts are in the submodules.

pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    claude_code,
    client::Client,
    hook::{
        HookEventKind, HookRow, Timeout,
        table::{BLOCK, HOLD_NESTED, HOOK_SECONDS, NESTED, NOTHING, hook_event},
    },
};

/// `PreToolUse` only refuses calls: the command line program drops its context, so that a lesson would be spent there unread.
/// Not registered: `PostToolBatch`, whose calls all had an event of their own.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("SessionStart", HookEventKind::Start, NESTED),
        hook_event("UserPromptSubmit", HookEventKind::Prompt, NESTED),
        hook_event("PreToolUse", HookEventKind::Calling, NOTHING),
        hook_event("PostToolUse", HookEventKind::Called, NESTED),
        hook_event("PostToolUseFailure", HookEventKind::Failed, NESTED),
        hook_event("Stop", HookEventKind::Stop, BLOCK),
        // Its own loop detector ends a turn this way.
        hook_event("StopFailure", HookEventKind::Stop, NOTHING),
        hook_event("SubagentStart", HookEventKind::SubagentStart, NESTED),
        hook_event("SubagentStop", HookEventKind::SubagentStop, NOTHING),
        hook_event("PreCompact", HookEventKind::Compact, NOTHING),
        hook_event("SessionEnd", HookEventKind::End, NOTHING),
    ],
    // Older versions read milliseconds; newer ones seconds, but from 1,000 on still milliseconds.
    timeout: Timeout::Milliseconds(1000 * HOOK_SECONDS),
    hold: Some(HOLD_NESTED),
    ..HookRow::plain(Client::QwenCode, claude_code::hook::FORM)
};
