//! Processes that are killed, and processes that all write at once. `hardwon-sim crash` and
//! `hardwon-sim storm` do the same for longer.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::env::TestEnv;

fn line(name: &str) -> String {
    format!("{{\"ref\":\"{name}\",\"text\":\"Start {name} before the build.\"}}\n")
}

/// Starts a process that adds lessons from its standard input.
fn writer(env: &TestEnv) -> Child {
    let mut command = env.command();
    command.args(["lesson", "add", "--jsonl"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// Returns how many lessons there are of each name.
fn stored(env: &TestEnv) -> HashMap<String, usize> {
    let listed = env.ok(&["lesson", "list", "--json", "--limit", "100000"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let mut stored = HashMap::new();
    for lesson in listed["lessons"].as_array().unwrap() {
        let name = lesson["ref"].as_str().unwrap().to_owned();
        *stored.entry(name).or_default() += 1;
    }
    stored
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let env = TestEnv::new();
    let mut promised: Vec<String> = Vec::new();
    for round in 0..10_usize {
        let mut writers: Vec<Child> = (0..3).map(|_| writer(&env)).collect();
        for (number, child) in writers.iter_mut().enumerate() {
            let names = (0..30).map(|it| format!("r{round}w{number}n{it}"));
            let lines: String = names.map(|name| line(&name)).collect();
            child
                .stdin
                .as_mut()
                .unwrap()
                .write_all(lines.as_bytes())
                .unwrap();
        }
        // Each is killed at another place, some before they have answered at all.
        for (number, child) in writers.iter_mut().enumerate() {
            let answers = BufReader::new(child.stdout.take().unwrap()).lines();
            for answer in answers.take((round * 7 + number * 5) % 13) {
                let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
                promised.push(answer["ref"].as_str().unwrap().to_owned());
            }
            child.kill().unwrap();
        }
        for mut child in writers {
            child.wait().unwrap();
        }
        env.ok(&["journal", "verify"]);
        let stored = stored(&env);
        assert!(stored.values().all(|count| *count == 1), "{stored:?}");
        let lost = promised.iter().find(|name| !stored.contains_key(*name));
        assert_eq!(lost, None);
    }
    assert!(promised.len() > 100, "{}", promised.len());
}

#[test]
fn many_processes_add_at_once() {
    let env = TestEnv::new();
    let mut writers: Vec<Child> = (0..8).map(|_| writer(&env)).collect();
    for (number, child) in writers.iter_mut().enumerate() {
        // Half of each share is what all the others add as well.
        let own = (0..25).map(|it| format!("w{number}n{it}"));
        let common = (0..25).map(|it| format!("common{it}"));
        let lines: String = own.chain(common).map(|name| line(&name)).collect();
        let mut input = child.stdin.take().unwrap();
        input.write_all(lines.as_bytes()).unwrap();
    }
    for child in writers {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.matches("\"id\":").count(), 50, "{answers}");
    }
    let stored = stored(&env);
    assert_eq!(stored.len(), 8 * 25 + 25);
    assert!(stored.values().all(|count| *count == 1), "{stored:?}");
    env.ok(&["journal", "verify"]);
}
