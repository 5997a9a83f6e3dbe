//! Tells what a person typed from what a client wrote in the person's place.
//!
//! Clients put hook text, reminders, command wrappers, summaries and notices into user turns. None of it comes from a
//! person, and a correction can only come from one. The rules are phrases that clients write; they hold for every
//! format, because wrappers are copied between clients and transcripts are converted.

use std::borrow::Cow;

use hardwon_core::redact;

use super::text::{starts_with_any, strip_prefix_ci, trim_lines};

/// The content of a user turn.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UserTurn<'a> {
    /// Nothing that a person typed.
    Nothing,
    /// The notice that a person stopped the agent.
    Interrupted,
    /// A person's words.
    Typed(Cow<'a, str>),
}

/// Blocks that clients add to a turn; the text around them is a person's.
const ADDED_BLOCKS: &[&str] = &[
    "system-reminder",
    "hook_context",
    "qwen:user-prompt-submit-context",
    "ide_selection",
    "ide_opened_file",
    "ide_diagnostics",
    "environment_context",
    "environment_details",
    "environment_info",
    "user_instructions",
    "user-prompt-submit-hook",
    "session_context",
    "current_datetime",
    "reminder",
    "context_files",
    "attached_files",
    "turn_context",
    "permissions instructions",
    "collaboration_mode",
    "system_notification",
    "system_reminder",
    "system_information",
];

/// Beginnings of turns that a client wrote from start to end.
const WRITTEN_BY_CLIENTS: &[&str] = &[
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<command-contents>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<teammate-message",
    "<subagent_notification>",
    "<skill>",
    "<skill-context",
    "<user_shell_command>",
    "<user_action>",
    "<summary>",
    "<state_snapshot>",
    "<context_summary>",
    "<function_calls>",
    "caveat: the messages below",
    "this session is being continued from a previous conversation",
    "another language model started to solve this problem",
    "base directory for this skill:",
    "stop hook feedback:",
    "# agents.md instructions for",
    "# context from my ide setup",
    "this is the gemini cli. we are setting up the context",
    "this is the qwen code. we are setting up the context",
    "[system",
    "system: please continue.",
    "please continue.\n\n",
];

/// Notices that a person stopped the agent.
const INTERRUPTIONS: &[&str] = &[
    "[request interrupted by user",
    "[request cancelled",
    "request cancelled.",
    "<turn_aborted>",
    "^c keyboardinterrupt",
    "[operation cancelled",
];

/// Classifies a user turn.
pub(super) fn classify_turn(text: &str) -> UserTurn<'_> {
    let text = strip_added_blocks(text);
    let trimmed = text.trim();
    // A client may pass a question of ours to its agent as if the person had typed it.
    let is_ours = || redact::strip_own_blocks(trimmed).trim().is_empty();
    if is_ours() || starts_with_any(trimmed, WRITTEN_BY_CLIENTS) {
        return UserTurn::Nothing;
    }
    if starts_with_any(trimmed, INTERRUPTIONS) {
        return UserTurn::Interrupted;
    }
    UserTurn::Typed(match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim_lines(text)),
        Cow::Owned(text) => Cow::Owned(trim_lines(&text).to_owned()),
    })
}

/// Removes the added blocks. A block that is not closed removes the rest with it.
fn strip_added_blocks(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = text;
    let mut looked = 0;
    while let Some(at) = rest[looked..].find('<').map(|at| looked + at) {
        match added_block_length(&rest[at..]) {
            Some(length) => {
                kept.push_str(&rest[..at]);
                rest = &rest[at + length..];
                looked = 0;
            }
            None => looked = at + 1,
        }
    }
    if kept.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns the length of the added block at the start of `text`, if there is one.
fn added_block_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let name = ADDED_BLOCKS.iter().find(|name| {
        strip_prefix_ci(inner, name).is_some_and(|after| after.starts_with(['>', ' ', '\n']))
    })?;
    let close = format!("</{name}>");
    Some(match text.find(&close) {
        Some(at) => at + close.len(),
        None => text.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = match classify_turn(text) {
            UserTurn::Nothing => "-".to_owned(),
            UserTurn::Interrupted => "!".to_owned(),
            UserTurn::Typed(words) => words.into_owned(),
        };
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn only_a_persons_words_are_a_persons_words() {
        check("fix the tests", "fix the tests");
        check("[TURN QUESTION]\nstage failed.\n[END TURN QUESTION]", "-");
        check(" \n\n  no, use pnpm \n", "  no, use pnpm");
        check("", "-");
        check(
            "<system-reminder>be good</system-reminder>\nno, use pnpm",
            "no, use pnpm",
        );
        check(
            "a<ide_selection>x</ide_selection>b<hook_context source=\"x\">y</hook_context>c",
            "abc",
        );
        check(
            "go on<qwen:user-prompt-submit-context>x</qwen:user-prompt-submit-context>",
            "go on",
        );
        check("<system-reminder>never closed", "-");
        check(
            "why does a < b hold for <T>?",
            "why does a < b hold for <T>?",
        );
        check("<command-name>/clear</command-name>", "-");
        check("<local-command-stdout>x</local-command-stdout>", "-");
        check(
            "Caveat: The messages below were generated by the user while",
            "-",
        );
        check(
            "This session is being continued from a previous conversation that ran",
            "-",
        );
        check("[Request interrupted by user]", "!");
        check("[Request interrupted by user for tool use]", "!");
        check(
            "<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>",
            "!",
        );
        check(
            "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
            "-",
        );
        check("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>", "-");
    }

    #[test]
    fn many_open_brackets_are_looked_at_once() {
        let text = "<a".repeat(200_000);
        assert_eq!(
            classify_turn(&text),
            UserTurn::Typed(Cow::Borrowed(text.as_str()))
        );
    }
}
