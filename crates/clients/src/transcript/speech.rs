//! Tells what a person typed from what a client wrote in the person's place.
//!
//! Clients put hook text, reminders, command wrappers, summaries and notices into user turns. None of it comes from a
//! person, and a correction can only come from one. The rules are phrases that clients write; they hold for every
//! format, because wrappers are copied between clients and transcripts are converted.

pub(super) mod answers;

use std::borrow::Cow;

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
const ADDED_BLOCKS: &str = "system-reminder|hook_context|qwen:user-prompt-submit-context|ide_selection|ide_opened_file|\
    ide_diagnostics|environment_context|environment_details|environment_info|user_instructions|\
    user-prompt-submit-hook|session_context|current_datetime|reminder|context_files|attached_files|\
    turn_context|permissions instructions|collaboration_mode|system_notification|system_reminder|\
    system_information";

/// Beginnings of turns that a client wrote from start to end.
const WRITTEN_BY_CLIENTS: &str = "<command-name>|<command-message>|<command-args>|<command-contents>|<local-command-|\
    <bash-input>|<bash-stdout>|<bash-stderr>|<task-notification>|<teammate-message|\
    <subagent_notification>|<skill>|<skill-context|<user_shell_command>|<user_action>|<summary>|\
    <state_snapshot>|<context_summary>|<function_calls>|caveat: the messages below|\
    this session is being continued from a previous conversation|\
    another language model started to solve this problem|base directory for this skill:|\
    stop hook feedback:|# agents.md instructions for|# context from my ide setup|\
    this is the gemini cli. we are setting up the context|\
    this is the qwen code. we are setting up the context|[system|system: please continue.|\
    please continue.\n\n";

/// Notices that a person stopped the agent.
const INTERRUPTIONS: &str = "[request interrupted by user|[request cancelled|request cancelled.|<turn_aborted>|\
    ^c keyboardinterrupt|[operation cancelled";

/// A command that a person ran themselves, as clients write it: the line, and what it printed. A client may write them
/// in two turns.
pub(crate) fn find_typed_command(text: &str) -> Option<(Option<&str>, Option<&str>)> {
    let text = text.trim_start();
    if !text.starts_with("<bash-") {
        return None;
    }
    let between = |open: &str, close: &str| {
        let (_, rest) = text.split_once(open)?;
        Some(rest.split_once(close)?.0)
    };
    let line = between("<bash-input>", "</bash-input>");
    let output = between("<bash-stdout>", "</bash-stdout>");
    Some((line, output))
}

/// Returns the call of which a turn that a client wrote is the result, as a tool and its arguments: what a task in the
/// background printed, or what another agent says.
pub(crate) fn find_agent_message(text: &str) -> Option<(&'static str, String)> {
    let text = text.trim_start();
    if text.starts_with("<teammate-message") {
        return Some(("teammate", "{}".to_owned()));
    }
    let notice = text.strip_prefix("<task-notification>")?;
    let (id, _) = notice.split_once("<task-id>")?.1.split_once("</task-id>")?;
    Some(("wait", serde_json::json!({ "task_id": id }).to_string()))
}

/// Returns whether a prompt of this source was begun by the client itself: a timer, a poll, a trigger, a notice.
pub(crate) fn is_clients_source(source: &str) -> bool {
    let kind = source.rsplit('_').next().unwrap_or_default();
    matches!(kind, "system" | "wakeup" | "event" | "trigger" | "cron")
}

/// Classifies a user turn.
pub(super) fn classify_turn(text: &str) -> UserTurn<'_> {
    let text = strip_added_blocks(text);
    let turn_text = text.trim();
    // A client may pass a question of ours to its agent as if the person had typed it.
    let is_ours = || {
        hardwon_redact::strip_own_blocks(turn_text)
            .trim()
            .is_empty()
    };
    if let Some(words) = find_command_words(turn_text) {
        return UserTurn::Typed(words.to_owned().into());
    }
    if starts_with_any(turn_text, INTERRUPTIONS) {
        return UserTurn::Interrupted;
    }
    if is_ours() || starts_with_any(turn_text, WRITTEN_BY_CLIENTS) || is_one_block(turn_text) {
        return UserTurn::Nothing;
    }
    UserTurn::Typed(match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim_lines(text)),
        Cow::Owned(text) => Cow::Owned(trim_lines(&text).to_owned()),
    })
}

/// Returns what a person wrote behind a slash command, if it is prose and no option.
fn find_command_words(turn: &str) -> Option<&str> {
    const WORDS: usize = 3;
    if !starts_with_any(turn, "<command-") {
        return None;
    }
    let (_, behind) = turn.split_once("<command-args>")?;
    let words = behind.split("</command-args>").next()?.trim();
    // Some languages put no blanks between words.
    let is_prose = words.split_whitespace().count() >= WORDS || !words.is_ascii();
    is_prose.then_some(words)
}

/// Returns whether a turn is one block from its start to its end, whose name is not an element's of a web page: a client
/// wrote it. A block that is named for a person's words holds them.
fn is_one_block(turn: &str) -> bool {
    const OF_PERSON: [&str; 5] = ["user", "query", "prompt", "request", "message"];
    let name = turn
        .strip_prefix('<')
        .and_then(|inner| inner.split(['>', ' ', '\n']).next());
    let Some(name) = name.filter(|name| name.contains('_')) else {
        return false;
    };
    let closes = turn
        .strip_suffix('>')
        .and_then(|inner| inner.strip_suffix(name));
    closes.is_some_and(|inner| inner.ends_with("</"))
        && !OF_PERSON.iter().any(|part| name.contains(part))
}

/// Removes the added blocks. A block that is not closed removes the rest with it.
fn strip_added_blocks(text: &str) -> Cow<'_, str> {
    let mut own_text = String::new();
    let mut rest = text;
    let mut offset = 0;
    while let Some(at) = rest[offset..].find('<').map(|at| offset + at) {
        match added_block_length(&rest[at..]) {
            Some(length) => {
                own_text += &rest[..at];
                rest = &rest[at + length..];
                offset = 0;
            }
            None => offset = at + 1,
        }
    }
    if own_text.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    own_text += rest;
    Cow::Owned(own_text)
}

/// Returns the length of the added block at the start of `text`, if there is one.
fn added_block_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let name = ADDED_BLOCKS.split('|').find(|name| {
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
    fn a_block_from_start_to_end_is_a_clients() {
        check("<recommended_plugins>\n- one\n</recommended_plugins>", "-");
        check(
            "<user_query>no, use pnpm</user_query>",
            "<user_query>no, use pnpm</user_query>",
        );
        check("<a_b>x</a_b> why?", "<a_b>x</a_b> why?");
        check("<div>x</div>", "<div>x</div>");
    }

    #[test]
    fn words_behind_a_command_are_a_persons() {
        let typed = |args: &str| {
            format!(
                "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>{args}</command-args>"
            )
        };
        check(
            &typed("no, use pnpm instead of npm here, always"),
            "no, use pnpm instead of npm here, always",
        );
        check(&typed("不要用npm，请用pnpm"), "不要用npm，请用pnpm");
        check(&typed("opus"), "-");
        check(&typed("--all src"), "-");
        check(&typed(""), "-");
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
