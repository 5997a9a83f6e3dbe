//! Codex CLI: the events that are hooked. Its payloads, settings and transcripts are in the submodules.

mod code_mode;
mod hook;
mod script;
mod script_token;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow,
        table::{BLOCK, HOLD_NESTED, NESTED, NOTHING, hook_event},
    },
};

/// Codex discards a whole answer that holds a key it does not know, and runs no hook until it is trusted.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("SessionStart", HookEventKind::Start, NESTED),
        hook_event("UserPromptSubmit", HookEventKind::Prompt, NESTED),
        hook_event("PreToolUse", HookEventKind::Calling, NESTED),
        hook_event("PostToolUse", HookEventKind::Called, NESTED),
        hook_event("Stop", HookEventKind::Stop, BLOCK),
        hook_event("SubagentStart", HookEventKind::SubagentStart, NESTED),
        hook_event("SubagentStop", HookEventKind::SubagentStop, NOTHING),
        hook_event("PreCompact", HookEventKind::Compact, NOTHING),
        hook_event("SessionEnd", HookEventKind::End, NOTHING),
    ],
    hold: Some(HOLD_NESTED),
    complete: Some(hook::complete_payload),
    is_interactive: hook::is_interactive,
    ..HookRow::plain(Client::Codex, hook::FORM)
};
