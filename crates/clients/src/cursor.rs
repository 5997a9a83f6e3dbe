//! Cursor.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::table::{
        Answer, CONTEXT_BYTES, GoOnForm, Means, NOTHING, Row, SECONDS, SNAKE, Shows, Timeout, on,
    },
};

/// Not registered: `preToolUse`, which tells the model something only by refusing the call.
pub(crate) static ROW: Row = Row {
    client: Client::Cursor,
    dialect: hook::DIALECT,
    events: &[
        on("sessionStart", Means::Start, SNAKE),
        on("beforeSubmitPrompt", Means::Prompt, NOTHING),
        on("postToolUse", Means::Called, SNAKE),
        on("postToolUseFailure", Means::Failed, NOTHING),
        on("stop", Means::Stop, Answer::GoOn(GoOnForm::Followup)),
        on("preCompact", Means::Compact, NOTHING),
        on("sessionEnd", Means::End, NOTHING),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: Shows::Event,
    complete: None,
    is_typed: |_, _| false,
};
