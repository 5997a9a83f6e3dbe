//! Cursor: which of its events are hooked. Beside this are its payloads and settings.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::table::{
        AnswerForm, CONTEXT_BYTES, FailureSign, GoOnForm, HookRow, Means, NOTHING, SECONDS, SNAKE,
        Timeout, on,
    },
};

/// Not registered: `preToolUse`, which tells the model something only by refusing the call.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::Cursor,
    dialect: hook::DIALECT,
    events: &[
        on("sessionStart", Means::Start, SNAKE),
        on("beforeSubmitPrompt", Means::Prompt, NOTHING),
        on("postToolUse", Means::Called, SNAKE),
        on("postToolUseFailure", Means::Failed, NOTHING),
        on("stop", Means::Stop, AnswerForm::GoOn(GoOnForm::Followup)),
        on("preCompact", Means::Compact, NOTHING),
        on("sessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Event,
    complete: None,
    is_typed: |_, _| false,
};
