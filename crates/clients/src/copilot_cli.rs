//! GitHub Copilot CLI: the events that are hooked. Its payloads, settings and transcripts are in the submodules.

mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::{
        HookEventKind, HookRow,
        table::{BLOCK, HOLD_TOP, NOTHING, TOP, aliased_event},
    },
};

/// For hooks registered under Claude Code's names (by a plugin, or in `.claude/settings.json`), its payloads have
/// another spelling.
pub(crate) static HOOK_ROW: HookRow = HookRow {
    events: &[
        aliased_event(["sessionStart", "SessionStart"], HookEventKind::Start, TOP),
        aliased_event(
            ["userPromptSubmitted", "UserPromptSubmit"],
            HookEventKind::Prompt,
            TOP,
        ),
        aliased_event(["preToolUse", "PreToolUse"], HookEventKind::Calling, TOP),
        aliased_event(["postToolUse", "PostToolUse"], HookEventKind::Called, TOP),
        aliased_event(
            ["postToolUseFailure", "PostToolUseFailure"],
            HookEventKind::Failed,
            TOP,
        ),
        aliased_event(["agentStop", "Stop"], HookEventKind::Stop, BLOCK),
        aliased_event(
            ["preCompact", "PreCompact"],
            HookEventKind::Compact,
            NOTHING,
        ),
        aliased_event(["sessionEnd", "SessionEnd"], HookEventKind::End, NOTHING),
    ],
    hold: Some(HOLD_TOP),
    complete: Some(hook::complete_last_message),
    ..HookRow::plain(Client::CopilotCli, hook::FORM)
};
