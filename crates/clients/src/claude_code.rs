//! Claude Code: the events that are hooked. Its payloads, settings and transcripts are in the submodules.

pub(crate) mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow,
        table::{GO_ON_NESTED, HOLD_NESTED, NESTED, NOTHING, hook_event},
    },
};

pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("SessionStart", HookEventKind::Start, NESTED),
        hook_event("UserPromptSubmit", HookEventKind::Prompt, NESTED),
        hook_event("PreToolUse", HookEventKind::Calling, NESTED),
        hook_event("PostToolUse", HookEventKind::Called, NESTED),
        hook_event("PostToolUseFailure", HookEventKind::Failed, NESTED),
        // Only this event shows an edit whose old text is not in the file.
        hook_event("PostToolBatch", HookEventKind::Batch, NESTED),
        // A decision would be shown as a problem, and given to the model twice.
        hook_event("Stop", HookEventKind::Stop, GO_ON_NESTED),
        hook_event("SubagentStart", HookEventKind::SubagentStart, NESTED),
        hook_event("SubagentStop", HookEventKind::SubagentStop, NOTHING),
        hook_event("PreCompact", HookEventKind::Compact, NOTHING),
        hook_event("SessionEnd", HookEventKind::End, NOTHING),
    ],
    hold: Some(HOLD_NESTED),
    is_interactive: hook::is_interactive,
    ..HookRow::plain(Client::ClaudeCode, hook::FORM)
};
