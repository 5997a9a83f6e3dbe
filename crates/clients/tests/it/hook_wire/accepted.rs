//! What each client accepts, written apart from the table that the program uses.
//!
//! From the schemas in the clients, their documentation and recorded runs. A key that a client does not know fails
//! here, because one of them discards the whole answer for it.

use hardwon_clients::{
    Client,
    hook::{HookEventKind, envelope},
};
use hardwon_engine::HookReply;
use serde::Deserialize;

/// What reaches the model.
#[derive(Debug, PartialEq)]
enum Read {
    /// Context.
    Context(String),
    /// A reason to continue.
    GoOn(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Nested {
    hook_specific_output: Specific,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Specific {
    hook_event_name: String,
    additional_context: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decision {
    decision: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Top {
    additional_context: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Snake {
    additional_context: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Followup {
    followup_message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Modification {
    cancel: bool,
    context_modification: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Plugin {
    context: Option<String>,
    go_on: Option<String>,
}

fn nested(event: &str, json: &str, events: &[&str]) -> Option<Read> {
    let text = additional(event, json)?;
    events.contains(&event).then_some(Read::Context(text))
}

fn additional(event: &str, json: &str) -> Option<String> {
    let out: Nested = serde_json::from_str(json).ok()?;
    let specific = out.hook_specific_output;
    (specific.hook_event_name == event).then_some(specific.additional_context)
}

fn decision(json: &str, word: &str) -> Option<Read> {
    let out: Decision = serde_json::from_str(json).ok()?;
    let fits = out.decision == word && !out.reason.trim().is_empty();
    fits.then_some(Read::GoOn(out.reason))
}

/// Parses an answer as the client does; `None` when it would discard it.
fn read(client: Client, event: &str, json: &str) -> Option<Read> {
    const CLAUDE: &[&str] = &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
    ];
    const CODEX: &[&str] = &[
        "SessionStart",
        "SubagentStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
    ];
    match (client, event) {
        // Context at the end of a turn is a reason to continue.
        (Client::ClaudeCode, "Stop") => additional(event, json).map(Read::GoOn),
        (Client::QwenCode | Client::Codex, "Stop") => decision(json, "block"),
        (Client::ClaudeCode | Client::QwenCode, _) => nested(event, json, CLAUDE),
        (Client::Codex, _) => nested(event, json, CODEX),
        (Client::GeminiCli, "AfterAgent") => decision(json, "deny"),
        (Client::GeminiCli, _) => {
            nested(event, json, &["SessionStart", "BeforeAgent", "AfterTool"])
        }
        (Client::CopilotCli, "agentStop" | "Stop") => decision(json, "block"),
        (Client::CopilotCli, _) => {
            let out: Top = serde_json::from_str(json).ok()?;
            Some(Read::Context(out.additional_context))
        }
        (Client::OpenCode | Client::Pi, _) => {
            let out: Plugin = serde_json::from_str(json).ok()?;
            match (out.context, out.go_on) {
                (Some(text), None) => Some(Read::Context(text)),
                (None, Some(text)) if event == "stop" => Some(Read::GoOn(text)),
                _ => None,
            }
        }
        (Client::Cline, _) => {
            let out: Modification = serde_json::from_str(json).ok()?;
            (!out.cancel).then_some(Read::Context(out.context_modification))
        }
        (Client::Cursor, "stop") => {
            let out: Followup = serde_json::from_str(json).ok()?;
            Some(Read::GoOn(out.followup_message))
        }
        (Client::Cursor, "sessionStart" | "postToolUse") => {
            let out: Snake = serde_json::from_str(json).ok()?;
            Some(Read::Context(out.additional_context))
        }
        (Client::Goose, "Stop") => decision(json, "block"),
        (Client::Cursor | Client::Goose, _) => None,
    }
}

/// Returns each client with each name of each of its events.
fn events() -> Vec<(Client, &'static str, HookEventKind)> {
    let events = Client::ALL.into_iter().flat_map(|client| {
        client.hook_row().events.iter().flat_map(move |event| {
            let names = [Some(event.name), event.alias].into_iter().flatten();
            names.map(move |name| (client, name, event.kind))
        })
    });
    events.collect()
}

#[test]
fn what_is_printed_is_what_the_client_reads() {
    let text = "[KNOWN PITFALLS — yours]\n- \"a\" \\ <b> \u{1}\u{2028}é\n[END KNOWN PITFALLS]\n";
    for (client, event, _) in events() {
        let context = envelope::render_reply(
            client.hook_row(),
            event,
            &HookReply::Context(text.to_owned()),
        );
        if let Some(json) = &context {
            assert!(!json.contains('\n'));
            let expected = Some(Read::Context(text.to_owned()));
            assert_eq!(
                read(client, event, json),
                expected,
                "{client} {event} {json}"
            );
        }
        let go_on = envelope::render_reply(
            client.hook_row(),
            event,
            &HookReply::Continue(text.to_owned()),
        );
        if let Some(json) = &go_on {
            let expected = Some(Read::GoOn(text.to_owned()));
            assert_eq!(
                read(client, event, json),
                expected,
                "{client} {event} {json}"
            );
        }
        assert!(context.is_none() || go_on.is_none());
        assert_eq!(
            envelope::render_reply(client.hook_row(), event, &HookReply::Empty),
            None
        );
    }
}

/// The events whose replies reach the model, per client.
#[test]
fn what_can_be_said_when() {
    let mut lines = Vec::new();
    for client in Client::ALL {
        let says = |means: HookEventKind| {
            let mut its = client
                .hook_row()
                .events
                .iter()
                .filter(|it| it.kind == means);
            its.any(|event| {
                [
                    HookReply::Context("x".to_owned()),
                    HookReply::Continue("x".to_owned()),
                ]
                .iter()
                .any(|reply| envelope::render_reply(client.hook_row(), event.name, reply).is_some())
            })
        };
        let moments = [
            ("start", HookEventKind::Start),
            ("prompt", HookEventKind::Prompt),
            ("before a call", HookEventKind::Calling),
            ("after a call", HookEventKind::Called),
            ("at a failure", HookEventKind::Failed),
            ("stop", HookEventKind::Stop),
        ];
        let said = moments.iter().filter(|(_, means)| says(*means));
        let said: Vec<&str> = said.map(|(name, _)| *name).collect();
        lines.push(format!("{client}: {}", said.join(", ")));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// No form of an answer lets a call run that the client would not let run.
#[test]
fn a_call_is_refused_in_the_form_that_its_client_takes() {
    let nested = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}"#;
    let forms = [
        (Client::ClaudeCode, "PreToolUse", Some(nested)),
        (Client::Codex, "PreToolUse", Some(nested)),
        (Client::QwenCode, "PreToolUse", Some(nested)),
        (
            Client::GeminiCli,
            "BeforeTool",
            Some(r#"{"decision":"deny","reason":"x"}"#),
        ),
        (
            Client::CopilotCli,
            "preToolUse",
            Some(r#"{"permissionDecision":"deny","permissionDecisionReason":"x"}"#),
        ),
        (
            Client::Cursor,
            "preToolUse",
            Some(r#"{"permission":"deny","user_message":"x","agent_message":"x"}"#),
        ),
        (
            Client::Goose,
            "PreToolUse",
            Some(r#"{"decision":"block","reason":"x"}"#),
        ),
        (Client::OpenCode, "calling", Some(r#"{"hold":"x"}"#)),
        (Client::Pi, "calling", Some(r#"{"hold":"x"}"#)),
        (Client::Cline, "PreToolUse", None),
    ];
    assert_eq!(forms.len(), Client::ALL.len());
    let held = HookReply::Hold("x".to_owned());
    for (client, name, expected) in forms {
        let printed = envelope::render_reply(client.hook_row(), name, &held);
        assert_eq!(printed.as_deref(), expected, "{client}");
    }
    for (client, event, _) in events().iter().filter(|it| it.2 != HookEventKind::Calling) {
        let printed = envelope::render_reply(client.hook_row(), event, &held);
        assert_eq!(printed, None, "{client} {event}");
    }
}

#[test]
fn a_long_text_is_cut_and_closed() {
    let lines = "- one of very many lines\n".repeat(1000);
    let text = format!("[LOOP DETECTED]\n{lines}[END LOOP DETECTED]\n");
    for (client, event, _) in events() {
        for reply in [
            HookReply::Context(text.clone()),
            HookReply::Continue(text.clone()),
        ] {
            let Some(json) = envelope::render_reply(client.hook_row(), event, &reply) else {
                continue;
            };
            let Some(Read::Context(text) | Read::GoOn(text)) = read(client, event, &json) else {
                panic!("{client} {event} {json}");
            };
            assert!(text.len() < 8_000 && text.len() > 7_000, "{client} {event}");
            assert!(text.ends_with("lines\n[END LOOP DETECTED]"), "{client}");
        }
    }
}
