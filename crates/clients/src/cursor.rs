//! Cursor: the events that are hooked. Its payloads and settings are in the submodules.

mod hook;
pub(crate) mod setup;

use crate::{
    client::Client,
    hook::table::{
        AnswerForm, CONTEXT_BYTES, ContinueForm, HOOK_SECONDS, HoldForm, HookEventKind, HookRow,
        NOTHING, SNAKE, Timeout, hook_event,
    },
};

/// `preToolUse` only refuses calls: it passes a message to the model in no other way.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    client: Client::Cursor,
    dialect: hook::DIALECT,
    events: &[
        hook_event("sessionStart", HookEventKind::Start, SNAKE),
        hook_event("beforeSubmitPrompt", HookEventKind::Prompt, NOTHING),
        hook_event("preToolUse", HookEventKind::Calling, NOTHING),
        hook_event("postToolUse", HookEventKind::Called, SNAKE),
        hook_event("postToolUseFailure", HookEventKind::Failed, NOTHING),
        hook_event(
            "stop",
            HookEventKind::Stop,
            AnswerForm::Continue(ContinueForm::Followup),
        ),
        hook_event("preCompact", HookEventKind::Compact, NOTHING),
        hook_event("sessionEnd", HookEventKind::End, NOTHING),
    ],
    timeout: Timeout::Seconds(HOOK_SECONDS),
    context_bytes: CONTEXT_BYTES,
    hold: Some(HoldForm::Permission),
    complete: None,
    is_interactive: |_, _| None,
};
