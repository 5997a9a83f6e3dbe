//! Gemini CLI: the events that are hooked. Its payloads, settings and transcripts are in the submodules.

mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow, Timeout,
        table::{DENY, HOLD_DENY, HOOK_SECONDS, NESTED, NOTHING, hook_event},
    },
};

/// `BeforeTool` only refuses calls; it takes no context. Not registered: `PreCompress`, which fires before every request
/// to the model.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        hook_event("SessionStart", HookEventKind::Start, NESTED),
        hook_event("BeforeAgent", HookEventKind::Prompt, NESTED),
        hook_event("BeforeTool", HookEventKind::Calling, NOTHING),
        hook_event("AfterTool", HookEventKind::Called, NESTED),
        hook_event("AfterAgent", HookEventKind::Stop, DENY),
        hook_event("SessionEnd", HookEventKind::End, NOTHING),
    ],
    timeout: Timeout::Milliseconds(1000 * HOOK_SECONDS),
    hold: Some(HOLD_DENY),
    ..HookRow::plain(Client::GeminiCli, hook::FORM)
};
