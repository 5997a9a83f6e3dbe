//! Cline: which of its events are hooked. Beside this are its payloads and settings.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::table::{CONTEXT_BYTES, FailureSign, HookRow, MODIFICATION, Means, NOTHING, Timeout, on},
};

/// Its command line program does not fire `UserPromptSubmit` and does not wait for `TaskStart`.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::Cline,
    dialect: hook::DIALECT,
    events: &[
        on("TaskStart", Means::Start, MODIFICATION),
        on("TaskResume", Means::Start, MODIFICATION),
        on("UserPromptSubmit", Means::Prompt, MODIFICATION),
        on("PreToolUse", Means::Calling, MODIFICATION),
        on("PostToolUse", Means::Called, MODIFICATION),
        on("TaskComplete", Means::Stop, NOTHING),
        on("TaskError", Means::Stop, NOTHING),
        on("TaskCancel", Means::End, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionShutdown", Means::End, NOTHING),
    ],
    timeout: Timeout::Fixed,
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Field,
    complete: None,
    is_typed: |_, _| false,
};
