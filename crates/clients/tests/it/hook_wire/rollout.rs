//! Tests of completing Codex's payloads from its rollout.

use std::{fs, io::Write as _, path::Path, thread, time::Duration};

use hardwon_clients::{
    Client,
    hook::{self, HookPayload},
};

use super::shown;

const CALL: &str = "call_1";

fn completion(exit: i64, output: &str) -> String {
    let status = if exit == 0 { "completed" } else { "failed" };
    let item = serde_json::json!({
        "type": "CommandExecution", "id": CALL, "status": status,
        "exit_code": exit, "aggregated_output": output,
    });
    serde_json::json!({
        "type": "event_msg", "payload": { "type": "item_completed", "item": item },
    })
    .to_string()
}

fn payload(rollout: &Path, response: &str) -> HookPayload {
    let payload = serde_json::json!({
        "session_id": "s", "turn_id": "t", "transcript_path": rollout,
        "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_use_id": CALL, "tool_response": response,
    });
    hook::parse_payload(
        Client::Codex.hook_row(),
        None,
        payload.to_string().as_bytes(),
    )
    .unwrap()
}

fn check(rollout: &str, response: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout-1.jsonl");
    fs::write(&path, rollout).unwrap();
    let mut incoming = payload(&path, response);
    hook::complete_payload(Client::Codex.hook_row(), &mut incoming);
    assert_eq!(
        shown(&incoming),
        format!("called Bash make [{CALL}] {expected}")
    );
}

#[test]
fn the_rollout_knows_how_a_command_ended() {
    check(&completion(7, ""), "", r#"FAILED "exit code 7""#);
    check(
        &completion(2, "make: *** No rule to make target 'x'.  Stop.\n"),
        "",
        r#"FAILED "make: *** No rule to make target 'x'.  Stop.""#,
    );
    // The output looks like a failure, and is the log that was requested.
    let looks = "error: in an old log";
    check(&completion(0, looks), looks, "ok");
    // Without the completion, only the text can be judged.
    check(
        "{}\nnot a line\n",
        looks,
        r#"FAILED "error: in an old log""#,
    );
    check("", "fine", "ok");
    let before = format!("{}\n{}\n", "x".repeat(400_000), completion(1, "error: no"));
    check(&before, "", r#"FAILED "error: no""#);
}

#[test]
fn a_rollout_that_cannot_be_read_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("missing"), folder.path().to_owned()] {
        let mut incoming = payload(&path, "fine");
        let before = incoming.clone();
        hook::complete_payload(Client::Codex.hook_row(), &mut incoming);
        assert_eq!(incoming, before);
    }
}

/// Copilot CLI writes the agent's last message while the hook at the end of the turn already runs.
#[test]
fn events_that_are_written_a_moment_later_are_waited_for() {
    check_written_later(Some("I begin."));
}

/// Of a short session it writes no event before that moment.
#[test]
fn an_event_log_that_is_not_there_yet_is_waited_for() {
    check_written_later(None);
}

fn check_written_later(before: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let said = |text: &str| {
        serde_json::json!({"type": "assistant.message", "data": {"content": text}}).to_string()
    };
    if let Some(before) = before {
        fs::write(&path, said(before) + "\n").unwrap();
    }
    let later = {
        let rest =
            said("Done.") + "\n" + r#"{"type":"hook.start","data":{"hookType":"agentStop"}}"#;
        let path = path.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            let mut options = fs::OpenOptions::new();
            let mut events = options.create(true).append(true).open(path).unwrap();
            events.write_all(rest.as_bytes()).unwrap();
        })
    };
    let payload =
        serde_json::json!({"sessionId": "s", "transcriptPath": path, "stopReason": "end_turn"});
    let payload = payload.to_string();
    let row = Client::CopilotCli.hook_row();
    let mut incoming = hook::parse_payload(row, Some("agentStop"), payload.as_bytes()).unwrap();
    hook::complete_payload(row, &mut incoming);
    later.join().unwrap();
    assert!(shown(&incoming).contains("Done."), "{}", shown(&incoming));
}
