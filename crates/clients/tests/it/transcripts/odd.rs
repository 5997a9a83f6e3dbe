//! Tests of what real files hold and no format describes: ids that come again, results before their calls, words in
//! unusual places, bytes in another order.

use std::{fs, path::Path};

use hardwon_clients::{
    archive::{ClientTranscript, recognise_format},
    transcript::{ResumePoint, read_transcript},
};
use hardwon_core::{RunEvent, RunId};
use hardwon_engine::transcript::{TranscriptEvents as _, TranscriptFile as _};
use serde_json::{Value, json};

use super::render::{Reading, read_bytes};

/// A line of a Claude Code session.
fn line(kind: &str, content: Value) -> Value {
    json!({"type": kind, "sessionId": "S", "uuid": "u1", "cwd": "/home/me/shop", "message": {"content": content}})
}

fn said(text: &str) -> Value {
    line("user", json!(text))
}

fn call(id: &str, command: &str) -> Value {
    line(
        "assistant",
        json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]),
    )
}

fn result(id: &str, error: Option<&str>) -> Value {
    let content = error.map_or("fine".to_owned(), |error| format!("Exit code 1\n{error}"));
    line(
        "user",
        json!([{"type": "tool_result", "tool_use_id": id, "is_error": error.is_some(), "content": content}]),
    )
}

fn queued(prompt: &Value, origin: &Value) -> Value {
    let attachment = json!({"type": "queued_command", "prompt": prompt, "commandMode": "prompt", "origin": origin});
    json!({"type": "attachment", "sessionId": "S", "uuid": "u2", "attachment": attachment})
}

fn joined(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Reads lines; the run's own line is left out.
fn read(lines: &[Value]) -> Vec<String> {
    read_text(&joined(lines)).lines[1..].to_vec()
}

fn read_text(text: &str) -> Reading {
    read_bytes(Path::new("session.jsonl"), text.as_bytes()).unwrap()
}

#[test]
fn an_id_that_comes_again_is_another_call() {
    let no_script = Some("npm error Missing script: \"test\"");
    let failed = "S tool 0 Bash npm test => error npm error Missing script: \"test\"";
    let lines = [
        said("Run the tests"),
        call("call_0", "ls"),
        result("call_0", None),
        call("call_0", "npm test"),
        result("call_0", no_script),
        call("call_0", "npm test"),
        result("call_0", no_script),
        call("call_0", "npm run test:unit"),
        result("call_0", None),
    ];
    let expected = [
        "S tool 0 Bash ls => ok",
        failed,
        failed,
        "S tool 0 Bash npm run test:unit => ok",
        "S end Completed",
    ];
    assert_eq!(read(&lines), expected);
    // Each line written twice is the same session.
    let twice: Vec<Value> = lines
        .iter()
        .flat_map(|line| [line.clone(), line.clone()])
        .collect();
    assert_eq!(read(&twice), expected);
    // Calls with one id that run beside each other are finished in order.
    let beside = [
        said("Run the tests"),
        call("call_0", "ls"),
        call("call_0", "npm test"),
        result("call_0", None),
        result("call_0", no_script),
    ];
    assert_eq!(
        read(&beside),
        ["S tool 0 Bash ls => ok", failed, "S end Failed"]
    );
}

#[test]
fn a_result_may_stand_before_its_call() {
    let lines = [
        said("Run the tests"),
        result("c1", Some("no such file")),
        call("c1", "cat x"),
        call("c2", "ls"),
        result("c2", None),
    ];
    assert_eq!(
        read(&lines),
        [
            "S tool 0 Bash cat x => error no such file",
            "S tool 0 Bash ls => ok",
            "S end Completed"
        ]
    );
}

#[test]
fn what_a_person_types_meanwhile_is_heard_once() {
    let words = "no, use pnpm instead of npm here, always";
    let heard = format!("S user {words}");
    let human = json!({"kind": "human"});
    let begin = [
        said("Run the tests"),
        call("c1", "npm test"),
        result("c1", None),
    ];
    let after = |more: &[Value]| {
        let lines = read(&[&begin[..], more].concat());
        lines[1..lines.len() - 1].to_vec()
    };
    assert_eq!(
        after(&[queued(&json!(words), &human)]),
        std::slice::from_ref(&heard)
    );
    assert_eq!(
        after(&[queued(&json!(words), &Value::Null)]),
        std::slice::from_ref(&heard)
    );
    let blocks = json!([{"type": "text", "text": words}]);
    let repeated = [
        queued(&blocks, &human),
        call("c2", "ls"),
        result("c2", None),
        said(words),
    ];
    assert_eq!(
        after(&repeated),
        [heard.clone(), "S tool 1 Bash ls => ok".to_owned()]
    );
    let none: [String; 0] = [];
    assert_eq!(
        after(&[queued(
            &json!("<task-notification>x</task-notification>"),
            &human
        )]),
        none
    );
    for origin in [json!({"kind": "task"}), json!({"kind": 1}), json!("task")] {
        assert_eq!(after(&[queued(&json!(words), &origin)]), none, "{origin}");
    }
    let with_file =
        json!([{"type": "text", "text": words}, {"type": "document", "text": "of a file"}]);
    assert_eq!(
        after(&[line("user", with_file)]),
        std::slice::from_ref(&heard)
    );
    let command =
        format!("<command-name>/fix</command-name>\n<command-args>{words}</command-args>");
    assert_eq!(after(&[said(&command)]), std::slice::from_ref(&heard));
}

#[test]
fn an_answer_in_a_persons_words_is_heard() {
    let options = json!({"questions": [{"question": "Which?", "options": [{"label": "npm"}, {"label": "yarn"}]}]});
    let asked = |answer: &str| {
        let ask = line(
            "assistant",
            json!([{"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": options}]),
        );
        let text = format!(
            "User has answered your questions: \"Which?\"=\"{answer}\". You can now continue."
        );
        let told = line(
            "user",
            json!([{"type": "tool_result", "tool_use_id": "q", "content": text}]),
        );
        let lines = read(&[said("Set up the project"), ask, told]);
        lines
            .into_iter()
            .filter(|line| line.starts_with("S user"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        asked("No, use pnpm instead, always"),
        ["S user No, use pnpm instead, always"]
    );
    assert_eq!(asked("npm"), [""; 0]);
}

#[test]
fn bytes_that_are_not_as_they_should_be_are_read_all_the_same() {
    let failed = Some("npm error Missing script: \"test\"");
    let lines = [
        said("Run the tests"),
        call("c1", "npm test"),
        result("c1", failed),
        call("c2", "ls"),
        result("c2", None),
    ];
    let plain = joined(&lines);
    let expected = read_text(&plain).lines;
    assert_eq!(expected.len(), 4);
    for glued in [plain.replace("}\n{", "}{"), plain.replace("}\n{", "} {")] {
        let reading = read_text(&glued);
        assert_eq!(reading.lines, expected);
        assert_eq!(reading.summary.unreadable, 0);
    }
    let marked = read_text(&format!("\u{feff}{plain}"));
    assert_eq!(
        (marked.lines, marked.summary.unreadable),
        (expected.clone(), 0)
    );
    let cut = plain.replacen("}\n{", "}{\"type\":\"us\n{", 1);
    assert_eq!(read_text(&cut).summary.unreadable, 1);
    let halves = plain
        .replace("npm test\"}", "npm test # \\ud83d\"}")
        .replace("Run the tests", "Run \\udd80 the tests");
    let told = read_text(&halves).lines.join("\n");
    assert!(told.contains("Bash npm test # \u{fffd} => error"), "{told}");
    assert!(told.contains("task=Run \u{fffd} the tests"), "{told}");
}

#[test]
fn a_list_of_messages_is_a_session() {
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "S", "cwd": "/home/me/shop"}),
        json!({"type": "assistant", "session_id": "S", "message": {"content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "npm test"}}]}}),
        json!({"type": "user", "session_id": "S", "message": {"content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": true, "content": "Exit code 1\nno"}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "S", "result": "ok"}),
    ];
    let told = read_text(&json!(lines).to_string());
    assert_eq!(told.format.name(), "claude-code");
    assert_eq!(
        told.lines[1..],
        ["S tool 0 Bash npm test => error no", "S end Completed"]
    );
}

/// PowerShell writes what a client prints in UTF-16.
#[test]
fn a_file_in_utf16_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let text = joined(&[said("Größe 🦀"), call("c1", "ls"), result("c1", None)]);
    let units: Vec<u16> = "\u{feff}"
        .encode_utf16()
        .chain(text.encode_utf16())
        .collect();
    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    fs::write(&path, &bytes).unwrap();
    let file = ClientTranscript::open(&path).unwrap().unwrap();
    assert!(!file.is_resumable());
    let mut events = file
        .events(file.start("x"), file.size(), &mut |_| ())
        .map(|events| {
            let mut events = events;
            let tasks: Vec<String> = events
                .by_ref()
                .map(|event| format!("{:?}", event.unwrap().run.id))
                .collect();
            assert_eq!(events.summary().unreadable, 0);
            tasks
        });
    assert_eq!(events.as_mut().unwrap().len(), 3);
    let run = RunId::parse("S").unwrap();
    assert!(
        hardwon_clients::archive::read_run(&path, &run)
            .unwrap()
            .is_some()
    );
    fs::write(&path, &bytes[2..]).unwrap();
    let error = ClientTranscript::open(&path).err().unwrap();
    assert!(error.to_string().contains("UTF-16"), "{error}");
}

/// A refusal with a reason answers the call, also where nothing was said or done before it.
#[test]
fn a_refused_call_is_what_its_reason_answers() {
    let reason = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nno, use pnpm instead of npm, always";
    let refused = line(
        "user",
        json!([{"type": "tool_result", "tool_use_id": "c1", "is_error": true, "content": reason}]),
    );
    let lines = [
        said("Set up the project"),
        call("c1", "npm install"),
        refused,
    ];
    assert_eq!(
        read(&lines),
        [
            "S assistant Bash npm install",
            "S user no, use pnpm instead of npm, always",
            "S end Completed"
        ]
    );
}

#[test]
fn what_is_shown_beside_a_result_is_from_outside_too() {
    let attached = |name: &str| {
        let content = json!({"type": "text", "file": {"content": "run `make ledger` first"}});
        let attachment = json!({"type": "file", "filename": format!("/home/me/shop/{name}"), "content": content});
        json!({"type": "attachment", "sessionId": "S", "uuid": "u2", "attachment": attachment})
    };
    let lines = [
        said("Get the notes"),
        call("a", "curl -so notes.txt https://docs.example.org/notes"),
        result("a", None),
        said("Follow @notes.txt and @Makefile.am"),
        attached("notes.txt"),
        attached("Makefile.am"),
    ];
    let told = read(&lines);
    assert_eq!(
        told[1..].to_vec(),
        [
            "S user Follow @notes.txt and @Makefile.am",
            "S tool 1 Read (external) /home/me/shop/notes.txt => ok",
            "S end Completed",
        ]
    );
}

/// A picture is handed to the model apart from the call's result.
#[test]
fn the_words_of_a_picture_are_unknown() {
    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let calls = |name: &str, args: &Value, output: &str| {
        [
            item(
                json!({"type": "function_call", "name": name, "arguments": args.to_string(), "call_id": name}),
            ),
            item(json!({"type": "function_call_output", "call_id": name, "output": output})),
        ]
    };
    for (file, expected) in [("shot.png", Some(true)), ("own.png", None)] {
        let fetched = json!({"cmd": "curl -so shot.png https://docs.example.org/shot.png"});
        let seen = json!({"path": file});
        let lines = [
            calls("exec_command", &fetched, "Process exited with code 0"),
            calls("view_image", &seen, "attached local image path"),
        ];
        let text = joined(&lines.concat());
        let start = ResumePoint::start(RunId::parse("file").unwrap());
        let format = recognise_format(Path::new("s.jsonl"), text.as_bytes()).unwrap();
        let events = read_transcript(text.as_bytes(), format, start);
        let mut calls = events.filter_map(|item| match item.unwrap().event {
            RunEvent::Tool(call) if call.tool.expose() == "view_image" => Some(call),
            _ => None,
        });
        let words = calls.next().unwrap().outside;
        assert_eq!(words.map(|words| words.has_unknown()), expected, "{file}");
    }
}
