//! What is said to a client, in exactly the JSON that it accepts for the event.
//!
//! Every client reads another object, and some drop one whole that holds a key too many, so each
//! form has a type of its own. What a client would not pass on is not printed. A text that is too
//! long loses whole lines from its end, but keeps the line that closes its block, because an open
//! block would swallow what the client writes after it.

use hardwon_core::redact::closing_for;
use hardwon_engine::attend::Say;
use serde::Serialize;

use super::table::{AnswerForm, ContextForm, GoOnForm, HookRow};

/// An answer as a client reads it.
#[derive(Serialize)]
#[serde(untagged)]
enum Envelope<'a> {
    #[serde(rename_all = "camelCase")]
    Nested {
        hook_specific_output: Nested<'a>,
    },
    #[serde(rename_all = "camelCase")]
    Top {
        additional_context: &'a str,
    },
    Snake {
        additional_context: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Modification {
        cancel: bool,
        context_modification: &'a str,
    },
    Plain {
        context: &'a str,
    },
    Decision {
        decision: &'static str,
        reason: &'a str,
    },
    Followup {
        followup_message: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    GoOn {
        go_on: &'a str,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Nested<'a> {
    hook_event_name: &'static str,
    additional_context: &'a str,
}

/// Returns what to print, on one line; none when there is nothing to say, or when this client would
/// not pass it on at this event.
#[must_use]
pub fn render(row: &HookRow, event: &str, reply: &Say) -> Option<String> {
    let event = row.event(event)?;
    let (Say::Context(text) | Say::GoOn(text)) = reply else {
        return None;
    };
    let text = fit(text, row.context_bytes);
    if text.trim().is_empty() {
        return None;
    }
    let envelope = match (event.answer, reply) {
        (AnswerForm::Context(form), Say::Context(_)) => context(form, event.name, &text),
        (AnswerForm::GoOn(form), Say::GoOn(_)) => go_on(form, event.name, &text),
        _ => return None,
    };
    Some(serde_json::to_string(&envelope).expect("strings are JSON"))
}

fn context<'a>(form: ContextForm, event: &'static str, text: &'a str) -> Envelope<'a> {
    match form {
        ContextForm::Nested => nested(event, text),
        ContextForm::Top => Envelope::Top {
            additional_context: text,
        },
        ContextForm::Snake => Envelope::Snake {
            additional_context: text,
        },
        ContextForm::Modification => Envelope::Modification {
            cancel: false,
            context_modification: text,
        },
        ContextForm::Plain => Envelope::Plain { context: text },
    }
}

fn nested<'a>(event: &'static str, text: &'a str) -> Envelope<'a> {
    Envelope::Nested {
        hook_specific_output: Nested {
            hook_event_name: event,
            additional_context: text,
        },
    }
}

fn go_on<'a>(form: GoOnForm, event: &'static str, text: &'a str) -> Envelope<'a> {
    match form {
        GoOnForm::Nested => nested(event, text),
        GoOnForm::Block => Envelope::Decision {
            decision: "block",
            reason: text,
        },
        GoOnForm::Deny => Envelope::Decision {
            decision: "deny",
            reason: text,
        },
        GoOnForm::Followup => Envelope::Followup {
            followup_message: text,
        },
        GoOnForm::Plain => Envelope::GoOn { go_on: text },
    }
}

/// Returns as many whole lines of a text as fit into `bytes`, with the block closed that the cut
/// would have left open; a block of which nothing but its first line fits is left out.
fn fit(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut kept = String::new();
    // The closing of the open block, where it began, and where its first line ended.
    let mut open: Option<(&str, usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let closes = open.is_some_and(|(closing, ..)| line.trim_end().ends_with(closing));
        let after = match closing_for(line) {
            _ if closes => None,
            Some(closing) => Some((closing, kept.len(), kept.len() + line.len())),
            None => open,
        };
        let closing_bytes = after.map_or(0, |(closing, ..)| closing.len());
        if kept.len() + line.len() + closing_bytes > bytes {
            break;
        }
        kept.push_str(line);
        open = after;
    }
    match open {
        Some((_, begins, ends)) if kept.len() == ends => kept.truncate(begins),
        Some((closing, ..)) => kept.push_str(closing),
        None => {}
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    fn check(text: &str, bytes: usize, expected: &str) {
        let fitted = fit(text, bytes);
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
    fn what_a_client_would_not_pass_on_is_not_printed() {
        let context = Say::Context("x".to_owned());
        let go_on = Say::GoOn("x".to_owned());
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
            (Client::ClaudeCode, "UserPromptSubmit", &Say::Nothing, None),
            (
                Client::ClaudeCode,
                "UserPromptSubmit",
                &Say::Context(" \n".to_owned()),
                None,
            ),
            (Client::Cursor, "beforeSubmitPrompt", &context, None),
        ] {
            assert_eq!(
                render(client.row(), event, reply).as_deref(),
                expected,
                "{client}"
            );
        }
    }
}
