//! Codex CLI: which of its events are hooked.
//! Beside this are its payloads, settings, transcripts and trust in hooks.

mod hook;
pub(crate) mod transcript;
pub mod setup;
pub mod trust;

use crate::{
    claude_code,
    client::Client,
    hook::table::{
        BLOCK, CONTEXT_BYTES, FailureSign, HookRow, Means, NESTED, NOTHING, SECONDS, Timeout, on,
    },
};

/// Codex drops an answer whole that holds a key it does not know, and runs no hook until it is
/// trusted.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::Codex,
    dialect: claude_code::hook::DIALECT,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("UserPromptSubmit", Means::Prompt, NESTED),
        on("PreToolUse", Means::Calling, NESTED),
        on("PostToolUse", Means::Called, NESTED),
        on("Stop", Means::Stop, BLOCK),
        on("SubagentStart", Means::SubagentStart, NESTED),
        on("SubagentStop", Means::SubagentStop, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Transcript,
    complete: Some(hook::complete),
    is_typed: hook::is_typed,
};
