//! goose: which of its events are hooked. Beside this are its payloads and settings.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::table::{
        BLOCK, CONTEXT_BYTES, FailureSign, HookRow, Means, NOTHING, SECONDS, Timeout, on,
    },
};

/// It passes nothing on but a refusal, so `PreToolUse` is not registered.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::Goose,
    dialect: hook::DIALECT,
    events: &[
        on("SessionStart", Means::Start, NOTHING),
        on("UserPromptSubmit", Means::Prompt, NOTHING),
        on("PostToolUse", Means::Called, NOTHING),
        on("PostToolUseFailure", Means::Failed, NOTHING),
        on("Stop", Means::Stop, BLOCK),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Event,
    complete: None,
    is_typed: |_, _| false,
};
