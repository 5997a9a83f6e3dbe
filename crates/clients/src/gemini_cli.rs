//! Gemini CLI.

mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::table::{
        Answer, CONTEXT_BYTES, GoOnForm, Means, NESTED, NOTHING, Row, SECONDS, Shows, Timeout, on,
    },
};

/// Not registered: `BeforeTool`, which takes no context, and `PreCompress`, which fires before every
/// request to the model.
pub(crate) static ROW: Row = Row {
    client: Client::GeminiCli,
    dialect: hook::DIALECT,
    events: &[
        on("SessionStart", Means::Start, NESTED),
        on("BeforeAgent", Means::Prompt, NESTED),
        on("AfterTool", Means::Called, NESTED),
        on("AfterAgent", Means::Stop, Answer::GoOn(GoOnForm::Deny)),
        on("SessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Milliseconds(1000 * SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Text,
    complete: None,
    is_typed: |_, _| false,
};
