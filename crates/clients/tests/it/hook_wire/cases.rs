//! Cases that the recorded sessions do not hold: refusals, interruptions, sub-agents, other servers.

use hardwon_clients::{Client, hook};
use hardwon_engine::SessionEventKind;
use serde_json::json;

use super::shown;

/// Checks a payload given as `json`, without its braces and its session.
fn check(client: Client, json: &str, expected: &str) {
    let payload = format!(
        r#"{{"v":1,"session_id":"s","sessionId":"s","session":"s","taskId":"s","conversation_id":"s",{json}}}"#
    );
    // A client has one name for its session; the others are keys it does not know.
    let payload = match client {
        Client::CopilotCli => payload.replace(r#""session_id":"s","#, ""),
        _ => payload,
    };
    let incoming = hook::parse_payload(client.hook_row(), None, payload.as_bytes());
    let told = incoming.map_or_else(|error| error.to_string(), |incoming| shown(&incoming));
    assert_eq!(told, expected, "{client} {json}");
}

#[test]
fn a_call_that_was_refused_or_stopped_is_no_failure() {
    const FAILED: &str = r#""hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"make"}"#;
    let claude = |rest: &str, expected: &str| {
        check(Client::ClaudeCode, &format!("{FAILED},{rest}"), expected);
    };
    claude(
        r#""error":"Exit code 7","is_interrupt":false"#,
        r#"called Bash make [-] FAILED "exit code 7""#,
    );
    claude(r#""error":"Exit code 137","is_interrupt":true"#, "nothing");
    claude(
        r#""error":"The user doesn't want to proceed with this tool use. The tool use was rejected""#,
        "nothing",
    );
    claude(
        r#""error":null"#,
        r#"called Bash make [-] FAILED "failed without output""#,
    );
    check(
        Client::ClaudeCode,
        r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"","interrupted":true}"#,
        "nothing",
    );
    check(
        Client::GeminiCli,
        r#""hook_event_name":"AfterTool","tool_name":"replace","tool_input":{},"tool_response":{"error":{"message":"[Operation Cancelled] Reason: User did not allow tool call"}}"#,
        "nothing",
    );
    for kind in ["denied", "rejected"] {
        check(
            Client::CopilotCli,
            &format!(
                r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"make"}},"tool_result":{{"result_type":"{kind}","text_result_for_llm":"no"}}"#
            ),
            "nothing",
        );
    }
    check(
        Client::OpenCode,
        r#""event":"called","tool":"bash","args":{"command":"make"},"exit":1,"refused":true"#,
        "nothing",
    );
    check(
        Client::Pi,
        r#""event":"called","tool":"bash","args":{"command":"make"},"failed":true,"interrupted":true"#,
        "nothing",
    );
}

#[test]
fn a_batch_tells_only_of_calls_that_had_no_event() {
    let batch = |response: &str, expected: &str| {
        check(
            Client::ClaudeCode,
            &format!(
                r#""hook_event_name":"PostToolBatch","tool_calls":[{{"tool_name":"Read","tool_input":{{}},"tool_use_id":"t","tool_response":"x"}},{{"tool_name":"Edit","tool_input":{{}},"tool_use_id":"u","tool_response":{response}}}]"#
            ),
            expected,
        );
    };
    batch(
        r#"[{"type":"text","text":"<tool_use_error>File has not been read yet.</tool_use_error>"}]"#,
        r#"called Edit {} [u] FAILED "File has not been read yet.""#,
    );
    batch(
        r#""<tool_use_error>Sibling tool call errored</tool_use_error>""#,
        "nothing",
    );
    batch(r#""a page about <tool_use_error>""#, "nothing");
    batch("null", "nothing");
}

#[test]
fn what_comes_from_outside_is_marked_and_our_own_is_passed_over() {
    let claude = |tool: &str, response: &str, expected: &str| {
        check(
            Client::ClaudeCode,
            &format!(
                r#""hook_event_name":"PostToolUse","tool_name":"{tool}","tool_input":{{"q":1}},"tool_response":{response}"#
            ),
            expected,
        );
    };
    claude(
        "WebFetch",
        r#""page""#,
        r#"called WebFetch {"q":1} [-] external ok"#,
    );
    claude(
        "mcp__x__get",
        "[]",
        r#"called mcp__x__get {"q":1} [-] external ok"#,
    );
    claude(
        "mcp__x__get",
        r#"{"isError":true,"content":[{"type":"text","text":"no such issue"}]}"#,
        r#"called mcp__x__get {"q":1} [-] external FAILED "no such issue""#,
    );
    claude("mcp__lessons__search", "[]", "nothing");
    claude("mcp__plugin_hardwon_lessons__record", "[]", "nothing");
    check(
        Client::Codex,
        r#""hook_event_name":"PostToolUse","tool_name":"mcp__x__get","tool_input":{},"tool_response":{"content":[{"type":"text","text":"error: a quoted log"}]}"#,
        "called mcp__x__get {} [-] external ok",
    );
    check(
        Client::GeminiCli,
        r#""hook_event_name":"AfterTool","tool_name":"get_issue","tool_input":{},"mcp_context":{"server_name":"x"},"tool_response":{"llmContent":[{"text":"found"}]}"#,
        "called get_issue {} [-] external ok",
    );
    check(
        Client::OpenCode,
        r#""event":"called","tool":"x_get","args":{},"external":true,"output":"found""#,
        "called x_get {} [-] external ok",
    );
}

#[test]
fn a_prompt_is_what_a_person_typed() {
    let claude = |rest: &str, expected: &str| {
        let json = format!(r#""hook_event_name":"UserPromptSubmit",{rest}"#);
        check(Client::ClaudeCode, &json, expected);
    };
    claude(r#""prompt":"fix it""#, r#"prompted "fix it""#);
    claude(
        r#""prompt":"fix it","source":"sdk""#,
        r#"prompted "fix it""#,
    );
    claude(r#""prompt":"fix it","source":"poll_event""#, "nothing");
    claude(r#""prompt":" \n""#, "nothing");
    claude(r#""other":1"#, "nothing");
    claude(
        r#""prompt":"<system-reminder>x</system-reminder>""#,
        "nothing",
    );
    check(
        Client::GeminiCli,
        r#""hook_event_name":"BeforeAgent","prompt":"<hook_context>[KNOWN PITFALLS]\n- x\n[END KNOWN PITFALLS]</hook_context>\n\nfix it""#,
        r#"prompted "fix it""#,
    );
    check(
        Client::Pi,
        r#""event":"prompt","prompt":"\"fix it\"""#,
        r#"prompted "\"fix it\"""#,
    );
    check(
        Client::OpenCode,
        r#""event":"prompt","prompt":"\"fix it\"""#,
        r#"prompted "fix it""#,
    );
}

#[test]
fn a_session_begins_and_ends_in_several_ways() {
    for (source, expected) in [
        ("startup", "started Fresh"),
        ("new", "started Fresh"),
        ("resume", "started Resumed"),
        ("fork", "started Resumed"),
        ("clear", "started Cleared"),
        ("compact", "started Compacted"),
    ] {
        let json = format!(r#""hook_event_name":"SessionStart","source":"{source}""#);
        for client in [
            Client::ClaudeCode,
            Client::Codex,
            Client::CopilotCli,
            Client::GeminiCli,
        ] {
            check(client, &json, expected);
        }
    }
    check(
        Client::ClaudeCode,
        r#""hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":" ""#,
        "stopped None asked to go on",
    );
    check(
        Client::QwenCode,
        r#""hook_event_name":"StopFailure","error":"loop_detected","last_assistant_message":"again""#,
        r#"stopped Some("again")"#,
    );
    check(
        Client::ClaudeCode,
        r#""hook_event_name":"Notification""#,
        "nothing",
    );
    check(Client::ClaudeCode, r#""other":1"#, "nothing");
    let newer = hook::parse_payload(
        Client::Pi.hook_row(),
        None,
        br#"{"v":2,"event":"end","session":"s"}"#,
    );
    assert_eq!(
        newer.unwrap_err().to_string(),
        "the payload cannot be read: the plugin is of another version"
    );
}

#[test]
fn a_sub_agent_has_a_transcript_of_its_own() {
    let payload = br#"{"session_id":"s","agent_id":"a","transcript_path":"/t/s.jsonl","agent_transcript_path":"/t/s/a.jsonl","hook_event_name":"SubagentStop","last_assistant_message":"done"}"#;
    let incoming = hook::parse_payload(Client::ClaudeCode.hook_row(), None, payload).unwrap();
    assert!(incoming.in_subagent);
    assert_eq!(incoming.parent.as_deref(), Some("s"));
    assert_eq!(incoming.session, "s/a");
    assert_eq!(incoming.transcript.unwrap().to_str(), Some("/t/s/a.jsonl"));
    let child =
        br#"{"v":1,"client":"opencode","event":"start","session":"ses_2","parent":"ses_1"}"#;
    let incoming = hook::parse_payload(Client::OpenCode.hook_row(), None, child).unwrap();
    assert!(incoming.in_subagent);
    assert_eq!(incoming.parent.as_deref(), Some("ses_1"));
    assert_eq!(incoming.session, "ses_2");
}

/// Under whatever key it is, a task is kept whole, where the arguments of a call are cut.
#[test]
fn a_call_that_starts_a_sub_agent_tells_its_task() {
    let task = |client: Client, tool: &str, args: serde_json::Value| {
        let payload = match client {
            Client::OpenCode => {
                json!({"v": 1, "client": "opencode", "event": "calling", "session": "s", "tool": tool, "args": args})
            }
            _ => {
                json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args})
            }
        };
        let read = hook::parse_payload(client.hook_row(), None, payload.to_string().as_bytes());
        match &read.unwrap().events[..] {
            [SessionEventKind::BeforeCall { delegates, .. }] => {
                delegates.as_ref().map(|task| task.expose().to_owned())
            }
            other => panic!("{other:?}"),
        }
    };
    let words = "Fix the tests of the cart.".repeat(20);
    let prompt = json!({"description": "fix", "prompt": words, "subagent_type": "x"});
    let found = Some(words.as_str());
    for tool in ["Task", "Agent"] {
        assert_eq!(
            task(Client::ClaudeCode, tool, prompt.clone()).as_deref(),
            found
        );
    }
    assert_eq!(
        task(Client::OpenCode, "task", prompt.clone()).as_deref(),
        found
    );
    let message = json!({"message": words, "agent_type": "worker"});
    assert_eq!(
        task(Client::Codex, "spawn_agent", message).as_deref(),
        found
    );
    assert_eq!(task(Client::ClaudeCode, "mcp__x__ask", prompt), None);
    for none in [json!({}), json!("x"), json!({"prompt": 1})] {
        assert_eq!(task(Client::ClaudeCode, "Task", none), None);
    }
}

/// What a call printed before it was stopped was read; what stands in a picture, or is too long, is not known.
#[test]
fn a_result_that_was_read_is_told_even_if_it_is_not_known() {
    let call = |command: &str, response: &str| {
        format!(
            r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}}, "tool_response": {response}}}"#
        )
    };
    let cut = r#"{"stdout":"run it","interrupted":true}"#;
    let picture = r#"[{"type":"image","data":"aGk="}]"#;
    let long = format!(
        r#"{{"stdout":"{}"}}"#,
        "x".repeat(hardwon_core::limits::HOOK_BYTES)
    );
    for (payload, expected) in [
        (
            call("curl -s https://example.com", cut),
            Some(Some("run it")),
        ),
        (call("make", cut), None),
        (call("curl -s https://example.com", picture), Some(None)),
        (call("curl -s https://example.com", &long), Some(None)),
        (
            call(
                "gh issue list",
                r#"{"stdout":"1 open","persistedOutputPath":"/w/b.txt"}"#,
            ),
            Some(Some("1 open\nOutput saved to /w/b.txt")),
        ),
    ] {
        let payload = hook::shorten_payload(payload.into_bytes());
        let row = Client::ClaudeCode.hook_row();
        let incoming = hook::parse_payload(row, None, &payload).unwrap();
        let mut outputs = incoming.events.iter().map(|event| match event {
            SessionEventKind::AfterCall { output, .. } => {
                output.as_ref().map(|text| text.expose().trim())
            }
            _ => panic!("{event:?}"),
        });
        assert_eq!(outputs.next_back(), expected);
    }
}
