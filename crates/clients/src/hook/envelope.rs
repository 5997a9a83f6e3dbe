//! Renders a reply to a client, in exactly the JSON that it accepts for the event.
//!
//! Every client reads another object, and some discard a whole one that holds a key too many, so each form has a type
//! of its own. A reply that a client would not pass on is not printed. A text that is too long loses whole lines from
//! its end, but keeps the line that closes its block, because an open block would swallow what the client writes after
//! it.

use hardwon_core::redact::closing_for;
use hardwon_engine::attend::HookReply;
use serde::Serialize;

use super::table::{AnswerForm, ContextForm, ContinueForm, HoldForm, HookEventKind, HookRow};
use crate::client::Client;

/// A reply as a client reads it.
#[derive(Serialize)]
#[serde(untagged)]
enum Envelope<'a> {
    #[serde(rename_all = "camelCase")]
    Nested {
        hook_specific_output: NestedContext<'a>,
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
    #[serde(rename_all = "camelCase")]
    NestedHold {
        hook_specific_output: NestedRefusal<'a>,
    },
    TopHold(CallRefusal<'a>),
    Permission {
        permission: &'static str,
        user_message: &'a str,
        agent_message: &'a str,
    },
    Hold {
        hold: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Notice {
        system_message: &'a str,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NestedRefusal<'a> {
    hook_event_name: &'static str,
    #[serde(flatten)]
    refusal: CallRefusal<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallRefusal<'a> {
    permission_decision: &'static str,
    permission_decision_reason: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NestedContext<'a> {
    hook_event_name: &'static str,
    additional_context: &'a str,
}

/// Renders a reply on one line; `None` when it is empty, or when this client would not pass it on at this event.
pub fn render_reply(row: &HookRow, event: &str, reply: &HookReply) -> Option<String> {
    let event = row.find_event(event)?;
    let (HookReply::Context(text) | HookReply::Continue(text) | HookReply::Hold(text)) = reply
    else {
        return None;
    };
    let text = fit_lines(text, row.context_bytes);
    if text.trim().is_empty() {
        return None;
    }
    let envelope = match (event.answer, reply) {
        (AnswerForm::Context(form), HookReply::Context(_)) => {
            context_envelope(form, event.name, &text)
        }
        (AnswerForm::Continue(form), HookReply::Continue(_)) => {
            continue_envelope(form, event.name, &text)
        }
        (_, HookReply::Hold(_)) if event.kind == HookEventKind::Calling => {
            hold_envelope(row.hold?, event.name, &text)
        }
        _ => return None,
    };
    Some(serde_json::to_string(&envelope).expect("strings are JSON"))
}

/// Renders a line for the person alone, where nothing is said to the agent; `None` where the client shows none, or where it
/// is never known whether a person is there.
pub fn render_notice(client: Client, notice: &str) -> Option<String> {
    let notice = Envelope::Notice {
        system_message: notice,
    };
    matches!(client, Client::ClaudeCode | Client::Codex)
        .then(|| serde_json::to_string(&notice).expect("strings are JSON"))
}

fn context_envelope<'a>(form: ContextForm, event: &'static str, text: &'a str) -> Envelope<'a> {
    match form {
        ContextForm::Nested => nested_envelope(event, text),
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

fn nested_envelope<'a>(event: &'static str, text: &'a str) -> Envelope<'a> {
    Envelope::Nested {
        hook_specific_output: NestedContext {
            hook_event_name: event,
            additional_context: text,
        },
    }
}

fn continue_envelope<'a>(form: ContinueForm, event: &'static str, text: &'a str) -> Envelope<'a> {
    match form {
        ContinueForm::Nested => nested_envelope(event, text),
        ContinueForm::Block => Envelope::Decision {
            decision: "block",
            reason: text,
        },
        ContinueForm::Deny => Envelope::Decision {
            decision: "deny",
            reason: text,
        },
        ContinueForm::Followup => Envelope::Followup {
            followup_message: text,
        },
        ContinueForm::Plain => Envelope::GoOn { go_on: text },
    }
}

/// Refuses a call. Nothing here ever allows one: that is the client's to decide.
fn hold_envelope<'a>(form: HoldForm, event: &'static str, text: &'a str) -> Envelope<'a> {
    let refusal = CallRefusal {
        permission_decision: "deny",
        permission_decision_reason: text,
    };
    match form {
        HoldForm::Nested => Envelope::NestedHold {
            hook_specific_output: NestedRefusal {
                hook_event_name: event,
                refusal,
            },
        },
        HoldForm::Top => Envelope::TopHold(refusal),
        HoldForm::Block => continue_envelope(ContinueForm::Block, event, text),
        HoldForm::Deny => continue_envelope(ContinueForm::Deny, event, text),
        HoldForm::Permission => Envelope::Permission {
            permission: "deny",
            user_message: text,
            agent_message: text,
        },
        HoldForm::Plain => Envelope::Hold { hold: text },
    }
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
        fitting.push_str(line);
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
