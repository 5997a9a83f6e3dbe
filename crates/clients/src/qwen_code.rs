//! Qwen Code: which of its events are hooked. Beside this are its settings and transcripts.

pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    claude_code,
    client::Client,
    hook::table::{
        BLOCK, CONTEXT_BYTES, FailureSign, HookRow, Means, NESTED, NOTHING, SECONDS, Timeout, on,
    },
};

/// Not registered: `PreToolUse`, whose addition the command line program drops, so that a lesson would
/// be spent there unread; and `PostToolBatch`, whose calls all had an event of their own.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::QwenCode,
    dialect: claude_code::hook::DIALECT,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("UserPromptSubmit", Means::Prompt, NESTED),
        on("PostToolUse", Means::Called, NESTED),
        on("PostToolUseFailure", Means::Failed, NESTED),
        on("Stop", Means::Stop, BLOCK),
        // Its own loop detector ends a turn this way.
        on("StopFailure", Means::Stop, NOTHING),
        on("SubagentStart", Means::SubagentStart, NESTED),
        on("SubagentStop", Means::SubagentStop, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionEnd", Means::End, NOTHING),
    ],
    // Older versions read milliseconds; newer ones seconds, but from 1,000 on milliseconds still.
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Event,
    complete: None,
    is_typed: |_, _| false,
};
