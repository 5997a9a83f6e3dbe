//! GitHub Copilot CLI: the events that are hooked. Its payloads, settings and transcripts are in the submodules.

mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::table::{
        BLOCK, CONTEXT_BYTES, HOOK_SECONDS, HoldForm, HookEventKind, HookRow, NOTHING, TOP,
        Timeout, hook_event, with_alias,
    },
};

/// For hooks registered under Claude Code's names (by a plugin, or in `.claude/settings.json`), its payloads have
/// another spelling.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    client: Client::CopilotCli,
    dialect: hook::DIALECT,
    events: &[
        with_alias(
            hook_event("sessionStart", HookEventKind::Start, TOP),
            "SessionStart",
        ),
        with_alias(
            hook_event("userPromptSubmitted", HookEventKind::Prompt, TOP),
            "UserPromptSubmit",
        ),
        with_alias(
            hook_event("preToolUse", HookEventKind::Calling, TOP),
            "PreToolUse",
        ),
        with_alias(
            hook_event("postToolUse", HookEventKind::Called, TOP),
            "PostToolUse",
        ),
        with_alias(
            hook_event("postToolUseFailure", HookEventKind::Failed, TOP),
            "PostToolUseFailure",
        ),
        with_alias(hook_event("agentStop", HookEventKind::Stop, BLOCK), "Stop"),
        with_alias(
            hook_event("preCompact", HookEventKind::Compact, NOTHING),
            "PreCompact",
        ),
        with_alias(
            hook_event("sessionEnd", HookEventKind::End, NOTHING),
            "SessionEnd",
        ),
    ],
    timeout: Timeout::Seconds(HOOK_SECONDS),
    context_bytes: CONTEXT_BYTES,
    hold: Some(HoldForm::Top),
    complete: Some(hook::complete_last_message),
    is_interactive: |_, _| None,
};
