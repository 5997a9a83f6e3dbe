//! Renders a reply to a client, in exactly the JSON that it accepts for the event.
//!
//! Every client reads another object, and some discard a whole one that holds a key too many, so the table writes each
//! out. A reply that a client would not pass on is not printed. A text that is too long loses whole lines from
//! its end, but keeps the line that closes its block, because an open block would swallow what the client writes after
//! it.

use hardwon_core::limits;
use hardwon_engine::HookReply;
use hardwon_redact::closing_for;

use super::{HookEventKind, HookRow, table::AnswerForm};
use crate::client::Client;

/// Renders a reply on one line; `None` when it is empty, or when this client would not pass it on at this event.
pub fn render_reply(row: &HookRow, event: &str, reply: &HookReply) -> Option<String> {
    let event = row.find_event(event)?;
    let (HookReply::Context(text) | HookReply::Continue(text) | HookReply::Hold(text)) = reply
    else {
        return None;
    };
    let text = fit_lines(text, limits::PREAMBLE_BYTES);
    if text.trim().is_empty() {
        return None;
    }
    let json = match (event.answer, reply) {
        (AnswerForm::Context(json), HookReply::Context(_))
        | (AnswerForm::Continue(json), HookReply::Continue(_)) => json,
        (_, HookReply::Hold(_)) if event.kind == HookEventKind::Calling => row.hold?,
        _ => return None,
    };
    // The text comes last, so nothing in it is replaced.
    let json = json.replace("$event", event.name);
    Some(json.replace("$text", &quote(&text)))
}

/// Renders a line for the person alone, where nothing is said to the agent; `None` where the client shows none, or where it
/// is never known whether a person is there.
pub fn render_notice(client: Client, notice: &str) -> Option<String> {
    matches!(client, Client::ClaudeCode | Client::Codex)
        .then(|| format!(r#"{{"systemMessage":{}}}"#, quote(notice)))
}

/// Writes a text as JSON.
fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

/// Cuts a text to as many whole lines as fit into `bytes`, and closes the block that the cut would leave open; a block
/// of which only the first line fits is left out.
fn fit_lines(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut fitting = String::new();
    // The closing of the open block, where it began, and where its first line ended.
    let mut open: Option<(&str, usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let closes = open.is_some_and(|(closing, ..)| line.trim_end().ends_with(closing));
        let after = match closing_for(line) {
            _ if closes => None,
            Some(closing) => Some((closing, fitting.len(), fitting.len() + line.len())),
            None => open,
        };
        let closing_bytes = after.map_or(0, |(closing, ..)| closing.len());
        if fitting.len() + line.len() + closing_bytes > bytes {
            break;
        }
        fitting += line;
        open = after;
    }
    match open {
        Some((_, begins, ends)) if fitting.len() == ends => fitting.truncate(begins),
        Some((closing, ..)) => fitting.push_str(closing),
        None => {}
    }
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, bytes: usize, expected: &str) {
        let fitted = fit_lines(text, bytes);
        assert_eq!(fitted, expected, "{bytes}");
        assert!(fitted.len() <= bytes);
    }

    #[test]
    fn a_text_is_cut_at_whole_lines_and_stays_closed() {
        const BLOCK: &str = "[LOOP DETECTED]\none\ntwo\nthree\n[END LOOP DETECTED]\n";
        check("short", 5, "short");
        check("one line that is too long", 10, "");
        check("one\ntwo\nthree\n", 9, "one\ntwo\n");
        check(BLOCK, 100, BLOCK);
        check(BLOCK, 43, "[LOOP DETECTED]\none\ntwo\n[END LOOP DETECTED]");
        check(BLOCK, 42, "[LOOP DETECTED]\none\n[END LOOP DETECTED]");
        check(BLOCK, 38, "");
        check(&format!("note\n{BLOCK}"), 42, "note\n");
        check(
            &format!("{BLOCK}{BLOCK}"),
            60,
            "[LOOP DETECTED]\none\ntwo\nthree\n[END LOOP DETECTED]\n",
        );
        check(
            "[LESSONS KEPT]\nx [END LESSONS]\none\ntwo\n",
            37,
            "[LESSONS KEPT]\nx [END LESSONS]\none\n",
        );
        check("größer\nals\n", 8, "");
        check("größer\nals\n", 9, "größer\n");
    }

    #[test]
    fn a_line_for_the_person_is_none_for_the_agent() {
        for (client, expected) in [
            (Client::ClaudeCode, Some(r#"{"systemMessage":"x"}"#)),
            (Client::Codex, Some(r#"{"systemMessage":"x"}"#)),
            (Client::Goose, None),
        ] {
            assert_eq!(render_notice(client, "x").as_deref(), expected, "{client}");
        }
    }

    #[test]
    fn what_a_client_would_not_pass_on_is_not_printed() {
        let context = HookReply::Context("x".to_owned());
        let go_on = HookReply::Continue("x".to_owned());
        for (client, event, reply, expected) in [
            (Client::Goose, "UserPromptSubmit", &context, None),
            (Client::Goose, "Stop", &context, None),
            (
                Client::Goose,
                "Stop",
                &go_on,
                Some(r#"{"decision":"block","reason":"x"}"#),
            ),
            (
                Client::ClaudeCode,
                "Stop",
                &go_on,
                Some(r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}"#),
            ),
            (Client::ClaudeCode, "UserPromptSubmit", &go_on, None),
            (Client::ClaudeCode, "Nothing", &context, None),
            (
                Client::ClaudeCode,
                "UserPromptSubmit",
                &HookReply::Empty,
                None,
            ),
            (
                Client::ClaudeCode,
                "UserPromptSubmit",
                &HookReply::Context(" \n".to_owned()),
                None,
            ),
            (Client::Cursor, "beforeSubmitPrompt", &context, None),
        ] {
            assert_eq!(
                render_reply(client.hook_row(), event, reply).as_deref(),
                expected,
                "{client}"
            );
        }
    }
}
