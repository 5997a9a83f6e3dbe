//! Claude Code: which of its events are hooked. Beside this are its payloads, settings and transcripts.

pub(crate) mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::table::{
        AnswerForm, CONTEXT_BYTES, FailureSign, GoOnForm, HookRow, Means, NESTED, NOTHING, SECONDS,
        Timeout, on,
    },
};

pub(crate) static ROW: HookRow = HookRow {
    client: Client::ClaudeCode,
    dialect: hook::DIALECT,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("UserPromptSubmit", Means::Prompt, NESTED),
        on("PreToolUse", Means::Calling, NESTED),
        on("PostToolUse", Means::Called, NESTED),
        on("PostToolUseFailure", Means::Failed, NESTED),
        // An edit whose old text is not in the file shows nowhere else.
        on("PostToolBatch", Means::Batch, NESTED),
        // A decision would be shown as a problem, and given to the model twice.
        on("Stop", Means::Stop, AnswerForm::GoOn(GoOnForm::Nested)),
        on("SubagentStart", Means::SubagentStart, NESTED),
        on("SubagentStop", Means::SubagentStop, NOTHING),
        on("PreCompact", Means::Compact, NOTHING),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Event,
    complete: None,
    is_typed: hook::is_typed,
};
