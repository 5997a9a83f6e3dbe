//! Tests that no input makes the parser panic or an answer invalid.

use hardwon_clients::{
    Client,
    hook::{self, PayloadError, envelope},
};
use hardwon_core::{RunId, limits};
use hardwon_engine::HookReply;
use proptest::prelude::*;

use super::{Payload, all_payloads};

/// Parses, and checks what holds of every payload that could be parsed.
fn parse(client: Client, hint: Option<&str>, stdin: &[u8]) {
    if let Ok(incoming) = hook::parse_payload(client.hook_row(), hint, stdin) {
        assert!(RunId::parse(&incoming.session).is_ok(), "{client}");
        assert!(incoming.events.len() <= limits::BATCH_CALLS);
    }
    let _ = Client::detect_behind(client, &|_| None, stdin);
}

fn any_client() -> impl Strategy<Value = Client> {
    proptest::sample::select(Client::ALL.to_vec())
}

/// A random change of a payload: bytes cut out at one place, others put in.
fn any_change() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    let put = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..8),
        prop::sample::select(vec![
            &b"null"[..],
            b"[]",
            b"{}",
            b"\"",
            b"\\u0000",
            b"\\ud800",
            b"1e999",
            b"-1",
            b"true",
            b"<tool_use_error>",
            b"Exit code 7",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    (any::<prop::sample::Index>(), 0_usize..40, put)
}

proptest! {
    #[test]
    fn any_bytes_are_survived(client in any_client(), stdin in prop::collection::vec(any::<u8>(), 0..200)) {
        parse(client, Some("PostToolUse"), &stdin);
    }

    #[test]
    fn any_damage_is_survived(
        client in any_client(),
        is_own in any::<bool>(),
        pick in any::<prop::sample::Index>(),
        changes in prop::collection::vec(any_change(), 1..6),
    ) {
        let all = all_payloads();
        let Payload { client: own, event, bytes, .. } = &all[pick.index(all.len())];
        let mut stdin = bytes.clone();
        for (at, cut, put) in changes {
            let at = at.index(stdin.len() + 1);
            let end = (at + cut).min(stdin.len());
            stdin.splice(at..end, put);
        }
        parse(if is_own { *own } else { client }, Some(event), &stdin);
    }

    #[test]
    fn any_text_makes_a_valid_answer(client in any_client(), text in "(\\PC|[\n\\[\\]\"\\\\]|\\[END x\\]\n|\\[/lesson x\\]\n){0,600}") {
        for event in client.hook_row().events {
            for reply in [HookReply::Context(text.clone()), HookReply::Continue(text.clone())] {
                if let Some(json) = envelope::render_reply(client.hook_row(), event.name, &reply) {
                    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
                    prop_assert!(value.is_object());
                }
            }
        }
    }
}

#[test]
fn a_payload_that_cannot_be_read_says_why_without_quoting_it() {
    let long = vec![b' '; limits::HOOK_BYTES + 1];
    assert_eq!(
        hook::parse_payload(Client::Pi.hook_row(), None, &long),
        Err(PayloadError::TooLong)
    );
    for (stdin, expected) in [
        (
            "",
            "the payload cannot be read: it breaks off at line 1 column 0",
        ),
        (
            "hunter2",
            "the payload cannot be read: it is not JSON at line 1 column 1",
        ),
        ("{}", "the payload does not name its session"),
        (
            r#"{"session_id":"\n"}"#,
            "the payload does not name its session",
        ),
        (
            r#""hunter2""#,
            "the payload cannot be read: a field is of another type at line 1 column 9",
        ),
    ] {
        let error =
            hook::parse_payload(Client::ClaudeCode.hook_row(), None, stdin.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{stdin}");
    }
}

#[test]
fn a_field_of_another_type_costs_only_itself() {
    let payload = r#"{"hook_event_name":"PostToolUse","session_id":"s","cwd":["x"],"is_interrupt":"no","tool_name":"Bash","tool_input":{"command":"npm test # \ud83d"},"tool_use_id":7,"tool_response":{"stdout":"ok","stderr":""}}"#;
    let row = Client::ClaudeCode.hook_row();
    let incoming = hook::parse_payload(row, None, payload.as_bytes()).unwrap();
    assert_eq!(incoming.cwd, None);
    assert_eq!(
        super::shown(&incoming),
        "called Bash npm test # \u{fffd} [-] ok"
    );
}

#[test]
fn a_session_is_named_as_its_transcript_names_it() {
    let named = |client: Client, json: &str| {
        hook::parse_payload(client.hook_row(), None, json.as_bytes())
            .unwrap()
            .session
    };
    for (client, json, expected) in [
        (Client::ClaudeCode, r#"{"session_id":"s"}"#, "s"),
        (Client::ClaudeCode, "\u{feff}{\"session_id\":\"s\"}", "s"),
        (
            Client::ClaudeCode,
            r#"{"session_id":"s","agent_id":"a"}"#,
            "s/a",
        ),
        (
            Client::QwenCode,
            r#"{"session_id":"s","agent_id":"a"}"#,
            "s/a",
        ),
        (Client::Codex, r#"{"session_id":"s","agent_id":"a"}"#, "a"),
        (Client::GeminiCli, r#"{"session_id":" s\u0007x "}"#, "sx"),
    ] {
        assert_eq!(named(client, json), expected, "{json}");
    }
    let long = format!(r#"{{"session_id":"{}"}}"#, "é".repeat(1000));
    assert_eq!(
        named(Client::ClaudeCode, &long),
        "é".repeat(limits::NAME_CHARS)
    );
}

#[test]
fn nesting_costs_nothing() {
    let deep = "[".repeat(1_000_000);
    for client in Client::ALL {
        parse(client, Some("PostToolUse"), deep.as_bytes());
    }
    for depth in [100, 200, 200_000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for key in ["tool_input", "tool_response", "error", "unknown"] {
            let payload = format!(
                r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Edit","{key}":{nested}}}"#
            );
            parse(Client::ClaudeCode, None, payload.as_bytes());
            parse(Client::Codex, None, payload.as_bytes());
            parse(Client::CopilotCli, None, payload.as_bytes());
        }
    }
}
