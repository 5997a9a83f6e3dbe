//! Gemini CLI: which of its events are hooked. Beside this are its payloads, settings and transcripts.

mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::table::{
        AnswerForm, CONTEXT_BYTES, FailureSign, GoOnForm, HookRow, Means, NESTED, NOTHING, SECONDS,
        Timeout, on,
    },
};

/// Not registered: `BeforeTool`, which takes no context, and `PreCompress`, which fires before every
/// request to the model.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::GeminiCli,
    dialect: hook::DIALECT,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("BeforeAgent", Means::Prompt, NESTED),
        on("AfterTool", Means::Called, NESTED),
        on("AfterAgent", Means::Stop, AnswerForm::GoOn(GoOnForm::Deny)),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Text,
    complete: None,
    is_typed: |_, _| false,
};
