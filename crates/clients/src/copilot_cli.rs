//! GitHub Copilot CLI: which of its events are hooked. Beside this are its payloads, settings and transcripts.

mod hook;
pub(crate) mod setup;
pub(crate) mod transcript;

use crate::{
    client::Client,
    hook::table::{
        BLOCK, CONTEXT_BYTES, FailureSign, HookRow, Means, NOTHING, SECONDS, TOP, Timeout, also, on,
    },
};

/// Registered under Claude Code's names (by a plugin, or in `.claude/settings.json`), its payloads
/// are spelled another way.
pub(crate) static ROW: HookRow = HookRow {
    client: Client::CopilotCli,
    dialect: hook::DIALECT,
    events: &[
        also(on("sessionStart", Means::Start, TOP), "SessionStart"),
        also(
            on("userPromptSubmitted", Means::Prompt, TOP),
            "UserPromptSubmit",
        ),
        also(on("preToolUse", Means::Calling, TOP), "PreToolUse"),
        also(on("postToolUse", Means::Called, TOP), "PostToolUse"),
        also(
            on("postToolUseFailure", Means::Failed, TOP),
            "PostToolUseFailure",
        ),
        also(on("agentStop", Means::Stop, BLOCK), "Stop"),
        also(on("preCompact", Means::Compact, NOTHING), "PreCompact"),
        also(on("sessionEnd", Means::End, NOTHING), "SessionEnd"),
    ],
    timeout: Timeout::Seconds(SECONDS),
    context_bytes: CONTEXT_BYTES,
    failure: FailureSign::Text,
    complete: Some(hook::complete),
    is_typed: |_, _| false,
};
