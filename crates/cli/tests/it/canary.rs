//! A hundred and twenty passwords through every door that takes text: no file may hold one afterwards.
//!
//! Each door has a home of its own, so that a leak names the door. What the test itself wrote lies in the
//! work folder and is not looked at.

#[path = "../../../redact/src/tests/passwords.rs"]
mod passwords;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    env::TestEnv,
    mcp::session::{Era, Session},
};

/// Ways in which a password stands in a text, each where only a literal can.
const SYNTAXES: &[&str] = &[
    "run it with DB_PASSWORD=PW make",
    "send {\"user\":\"ann\",\"password\":\"PW\"} first",
    "use tool --password='PW' run",
    "open host=db password='PW' sslmode=require",
    "call connect(user, password=\"PW\") once",
    "say CREATE USER a IDENTIFIED BY 'PW'; first",
    "set \u{1b}[34m\"pass\u{200b}word\"\u{1b}[0m: \u{1b}[32m\"PW\"\u{1b}[0m there",
];

/// Returns a text for every password, numbered so that no two are alike.
fn texts() -> Vec<String> {
    let written = |(index, password): (usize, String)| {
        let syntax = SYNTAXES[index % SYNTAXES.len()];
        format!("step{index} {}", syntax.replace("PW", &password))
    };
    passwords::all().enumerate().map(written).collect()
}

/// A lesson in a file of its own.
const LESSON: &str = "---
schema: learning/v1
slug: SLUG
title: Do SLUG so.
trigger:
  description: It is done.
outcome: failure
evidence:
  - kind: run
    ref: r_1
confidence: 0.6
---

# Do SLUG so.

## When this applies

Always.

## What to do (or avoid)

- TEXT

## Why we know

It was so.
";

/// Returns every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Checks that no file of a home holds a password, and that something was kept at all.
fn check(door: &str, env: &TestEnv) {
    let home = env.work().parent().unwrap().to_owned();
    let kept = ["data", "state", "config", "tmp"].map(|folder| files(&home.join(folder)));
    let mut is_marked = false;
    for path in kept.into_iter().flatten() {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        is_marked |= text.contains("[REDACTED:");
        check_text(&format!("{door}: {}", path.display()), &text);
    }
    assert!(is_marked, "{door}: nothing was kept");
}

fn check_text(place: &str, text: &str) {
    for password in passwords::all() {
        let escaped = Value::from(password.as_str()).to_string();
        let escaped = escaped.trim_matches('"');
        let leaks = text.contains(&password) || text.contains(escaped);
        assert!(!leaks, "{place}: {password}");
    }
}

#[test]
fn no_way_to_write_a_lesson_keeps_a_password() {
    let env = TestEnv::new();
    let line = |text: &String| json!({"signature": text, "text": text}).to_string() + "\n";
    env.run_with(
        &["lesson", "add", "--jsonl"],
        texts().iter().map(line).collect::<String>(),
    );
    check("lesson add --jsonl", &env);

    let env = TestEnv::new();
    for (index, text) in texts().iter().enumerate() {
        env.run(&["lesson", "add", &format!("word{index}"), text]);
        env.run(&["lesson", "edit", "1", "--text", text]);
    }
    check("lesson add and edit", &env);
    check_text("what is shown", &env.ok(&["lesson", "list", "--json"]));
    check_text("the journal", &env.ok(&["journal", "export"]));

    let env = TestEnv::new();
    for (index, text) in texts().iter().enumerate() {
        let file = LESSON
            .replace("SLUG", &format!("step-{index}"))
            .replace("TEXT", text);
        env.write(&format!("in/step-{index}.md"), &file);
    }
    env.run(&["import", "in"]);
    check("import", &env);
}

#[test]
fn no_writ_keeps_a_password() {
    let env = TestEnv::new();
    let writ =
        |(index, text): (usize, &String)| format!("/lesson word{index}: {text}\n/reflect {text}\n");
    let all = texts().iter().enumerate().map(writ).collect::<String>();
    let answered = env.run_with(&["writ"], all);
    check_text("the answer to a writ", &answered.out);
    check("writ", &env);
}

/// A run in which each call fails with a password in it, and one that works follows.
fn run(name: &str) -> String {
    let mut lines = vec![json!({"type": "run", "run": name, "task": texts().join("; ")})];
    for (index, text) in texts().iter().enumerate() {
        let args = format!("kiln{index} fire {text}");
        let works = format!("kiln{index} heat {text}");
        let fails = json!({"type": "tool", "turn": index, "tool": "Bash", "args": args,
            "status": "error", "error": format!("unknown command fire; {text}")});
        lines.push(fails);
        lines.push(
            json!({"type": "tool", "turn": index, "tool": "Bash", "args": works, "status": "ok"}),
        );
    }
    lines.push(json!({"type": "end", "status": "failed"}));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Two runs that teach a lesson whose words hold a password.
fn lesson_of(index: usize, text: &str) -> String {
    let call = |args: String| json!({"type": "tool", "turn": 1, "tool": "Bash", "args": args});
    let mut fails = call(format!("npm run kiln{index}"));
    fails["status"] = "error".into();
    fails["error"] = format!("npm error Missing script: \"kiln{index}\" {text}").into();
    let mut works = call(format!("npm run kiln{index}:unit"));
    works["status"] = "ok".into();
    let run = |name: &str| {
        let begin = json!({"type": "run", "run": format!("{name}{index}"), "task": text});
        let end = json!({"type": "end", "status": "completed"});
        format!("{begin}\n{fails}\n{works}\n{end}\n")
    };
    run("one") + &run("two")
}

#[test]
fn no_run_leaves_a_password() {
    let env = TestEnv::new();
    env.with_programs(&["sh", "cat"]);
    let question = env.work().join("question.txt");
    let command = format!("cat >> {}", question.display());
    env.ok(&["config", "set", "model_command", &command]);
    env.ok(&["config", "set", "model", "command"]);
    for name in ["one", "two", "three"] {
        env.write(&format!("{name}.jsonl"), &run(name));
        env.run(&["learn", &format!("{name}.jsonl")]);
    }
    check("learn", &env);
    env.run(&["queue", "drain", "--now"]);
    check("queue", &env);
    let asked = fs::read_to_string(question).unwrap();
    assert!(asked.contains("[REDACTED:"), "{asked}");
    check_text("the model's question", &asked);

    let env = TestEnv::new();
    let runs = texts();
    let runs = runs
        .iter()
        .enumerate()
        .map(|(index, text)| lesson_of(index, text));
    let told = env.run_with(&["observe"], runs.collect::<String>());
    check_text("what is observed", &told.out);
    check("observe", &env);
}

#[test]
fn no_hook_keeps_a_password() {
    let env = TestEnv::new();
    for (index, text) in texts().iter().enumerate() {
        let event = |name: &str, more: Value| {
            let mut event = json!({"session_id": "s", "cwd": env.work(), "hook_event_name": name});
            event
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            env.ok_with(
                &["hook", "--client", "claude-code", "--event", name],
                event.to_string(),
            );
        };
        event(
            "UserPromptSubmit",
            json!({"prompt": format!("{text}\n/lesson word{index}: {text}")}),
        );
        let call = json!({"tool_name": "Bash", "tool_use_id": format!("t{index}"),
            "tool_input": {"command": text}, "error": format!("Exit code 1\n{text}")});
        event("PostToolUseFailure", call);
    }
    check("hook", &env);
    env.run(&["hook", "--capture"]);
    check("hook --capture", &env);
}

#[test]
fn no_tool_of_the_server_keeps_a_password() {
    let env = TestEnv::new();
    let session = Session::open(&env, Era::Requests);
    for text in texts() {
        let _refused = session.call("record", json!({"text": text, "signature": text}));
        let _found = session.call("search", json!({"query": text}));
    }
    drop(session);
    check("mcp", &env);
}

#[test]
fn no_setting_shows_a_password() {
    let env = TestEnv::new();
    env.with_programs(&["sh", "cat"]);
    let file = env
        .work()
        .parent()
        .unwrap()
        .join("config/hardwon/config.toml");
    let wrong = |name: &str, text: &str| format!("{name} = {}\n", Value::from(text));
    for text in texts() {
        let kept = [
            wrong("model_command", &format!("false {text}")) + "model = \"command\"\n",
            wrong("capture", &text),
            format!("model_command = \"{text}\n"),
        ];
        for kept in kept {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, kept).unwrap();
            for args in [
                &["config"][..],
                &["config", "get", "model_command"],
                &["effect"],
            ] {
                let ran = env.run(args);
                check_text(&format!("{args:?}"), &(ran.out + &ran.err));
            }
        }
    }
    for text in &texts()[..6] {
        fs::write(
            &file,
            wrong("model_command", &format!("false {text}")) + "model = \"command\"\n",
        )
        .unwrap();
        for args in [
            &["config", "--json"][..],
            &["doctor", "--probe"],
            &["queue", "drain", "--now"],
        ] {
            let ran = env.run(args);
            check_text(&format!("{args:?}"), &(ran.out + &ran.err));
        }
        let set = env.run(&["config", "set", "capture", text]);
        check_text("config set", &(set.out + &set.err));
    }
}
