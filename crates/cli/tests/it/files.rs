//! Lessons as files: export, import, lint, and keeping a repository's folder in step.

use std::fs;

use insta::assert_snapshot;

use crate::env::TestEnv;

/// A lesson somebody wrote, in a form that is not ours.
const BATCHES: &str = r#"---
schema: learning/v1
slug: send-rows-in-batches
title:
  Send rows to the warehouse in batches, never one
  by one.
trigger:
  description: 'Loading a table; the warehouse answers 429.'
  tags: [warehouse, rate-limit]   # two are enough
outcome: failure
evidence:
  - kind: run
    ref: r_2031
supersedes: [retry-until-it-works]
confidence: 0.6
success_count: 40
failure_count: 1
metadata:
  acme: {reviewed: yes}
---

# Send rows to the warehouse in batches, never one by one.

## When this applies

Any load of more than a few rows.

## What to do (or avoid)

- Collect up to 500 rows, then send them at once.

## Why we know

The first load took nine hours.
"#;

fn repository(env: &TestEnv) {
    let config = "[remote \"origin\"]\n\turl = https://h/team/shop.git\n";
    env.write(".git/config", config);
}

#[test]
fn a_file_goes_in_and_comes_out_the_same() {
    let env = TestEnv::new();
    env.write("in/send-rows-in-batches.md", BATCHES);
    assert_snapshot!(env.told(&["import", "in", "--dry-run"]), @"
      for review send-rows-in-batches.md: Send rows to the warehouse in batches, never one by one.
      send-rows-in-batches.md:14: warning supersedes_missing: supersedes: there is no lesson retry-until-it-works
    1 file: 0 lessons would be recorded, 0 known, 1 to review, 0 refused
    ");
    assert!(!env.db().exists());
    assert_snapshot!(env.told(&["import", "in"]), @"
      for review send-rows-in-batches.md: #1 Send rows to the warehouse in batches, never one by one.
      send-rows-in-batches.md:14: warning supersedes_missing: supersedes: there is no lesson retry-until-it-works
    1 file: 0 lessons recorded, 0 known, 1 to review, 0 refused
    next: `hardwon review-queue`, then `hardwon lesson approve ID`
    ");
    assert_snapshot!(env.told(&["export", "out"]), @"
    wrote 0 lessons to out ([HOME]/repo)
      1 left out: pending
    next: `hardwon review-queue`
    ");
    env.ok(&["lesson", "approve", "1"]);
    // What the file claims about itself was not counted, and does not hide a first failure.
    let shown: serde_json::Value =
        serde_json::from_str(&env.ok(&["lesson", "show", "1", "--json"])).unwrap();
    assert_eq!((&shown["helped"], &shown["wrong"]), (&0.into(), &0.into()));
    let recalled = env.ok(&["recall", "the warehouse answers 429 when I load rows"]);
    assert!(recalled.contains("up to 500 rows"), "{recalled}");

    assert_snapshot!(env.told(&["export", "out"]), @"wrote 1 lesson to out ([HOME]/repo)");
    let out = fs::read_to_string(env.work().join("out/send-rows-in-batches.md")).unwrap();
    assert_eq!(out, BATCHES);
    assert_snapshot!(env.told(&["export", "out", "--json"]), @r#"{"written":[],"unchanged":1,"archived":[],"left_out":{},"skipped":[]}"#);
    assert_snapshot!(env.told(&["import", "out"]), @"
      known      send-rows-in-batches.md: #1 Send rows to the warehouse in batches, never one by one.
      send-rows-in-batches.md:14: warning supersedes_missing: supersedes: there is no lesson retry-until-it-works
    1 file: 0 lessons recorded, 1 known, 0 to review, 0 refused
    ");
}

#[test]
fn a_lint_names_file_line_and_field() {
    let env = TestEnv::new();
    env.write("in/send-rows-in-batches.md", BATCHES);
    env.write(
        "in/retry-until-it-works.md",
        &BATCHES
            .replace("send-rows-in-batches", "retry-until-it-works")
            .replace("[retry-until-it-works]", "[]")
            .replace("confidence: 0.6", "confidence: 6"),
    );
    env.write("in/README.md", "# Our lessons\n");
    assert_snapshot!(env.told(&["lint", "in"]), @r#"
    in/retry-until-it-works.md:15: error confidence_out_of_range: confidence: it must be from 0 to 1
    in/retry-until-it-works.md:21: note heading: there is no section "Counter-example"
    in/send-rows-in-batches.md:21: note heading: there is no section "Counter-example"
    2 files: 1 error, 0 warnings
    [exit 1]
    "#);
    assert_snapshot!(env.told(&["lint", "in/send-rows-in-batches.md", "--json"]), @r#"{"files":1,"errors":0,"warnings":0,"findings":[{"file":"in/send-rows-in-batches.md","line":21,"field":"","code":"heading","severity":"note","message":"there is no section \"Counter-example\""}],"skipped":[]}"#);
    assert_snapshot!(env.told(&["lint", "in/README.md"]), @"
    in/README.md:1: error lesson_invalid: it does not begin with a front matter between two lines `---`
    1 file: 1 error, 0 warnings
    [exit 1]
    ");
    assert_snapshot!(env.told(&["lint", "nowhere"]), @"
    ! hardwon: reading nowhere: No such file or directory (os error 2)
    [exit 2]
    ");
    assert_snapshot!(env.told(&["import", "in/README.md"]), @"
      README.md:1: error lesson_invalid: it does not begin with a front matter between two lines `---`
    1 file: 0 lessons recorded, 0 known, 0 to review, 1 refused
    [exit 1]
    ");
    // Nothing in a file can steer a terminal, and no secret in it is quoted.
    let token = "ghp_Zq8kT2mV5xB7nC1dF4gH6jL9pR3sW0yUeIaQ";
    env.write(
        "in/x/bad.md",
        &BATCHES.replace(
            "outcome: failure",
            &format!("{token}: 1\n\"\\e[31m\": 2\noutcome: {token}"),
        ),
    );
    let told = env.told(&["lint", "in/x"]);
    assert!(!told.contains(token) && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn a_repository_carries_its_lessons() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["sync"]), @"
    ! hardwon: sync needs a project's repository, and there is none here
    ! hint: go to a repository; `hardwon export DIR` writes lessons to any folder
    [exit 2]
    ");
    repository(&env);
    env.ok(&["lesson", "add", "npm test", "Run the unit script."]);
    assert_snapshot!(env.told(&["sync", "--dry-run"]), @"
    would do
      wrote      run-the-unit-script.md (#1)
    ");
    assert!(!env.work().join(".hardwon").exists());
    assert_snapshot!(env.told(&["sync"]), @"  wrote      run-the-unit-script.md (#1)");
    assert_snapshot!(env.told(&["sync"]), @"nothing to do: the files and the lessons agree");

    // A teammate's file waits, one's own edit is taken.
    env.write(".hardwon/lessons/send-rows-in-batches.md", BATCHES);
    let json: serde_json::Value = serde_json::from_str(&env.ok(&["sync", "--json"])).unwrap();
    assert_snapshot!(json["steps"], @r#"[{"file":"send-rows-in-batches.md","step":"take"}]"#);
    assert_eq!(json["taken"][0]["became"], "for review");
    let path = ".hardwon/lessons/run-the-unit-script.md";
    let text = fs::read_to_string(env.work().join(path)).unwrap();
    env.write(
        path,
        &text.replace("\nRun the unit script.\n", "\nRun it with bun.\n"),
    );
    assert_snapshot!(env.told(&["sync", "--mine"]), @"  revised    run-the-unit-script.md (#1)");
    assert!(
        env.ok(&["lesson", "show", "1"])
            .contains("Run it with bun.")
    );

    // Both sides changed.
    env.ok(&["lesson", "edit", "1", "--text", "Run it with deno."]);
    env.write(
        path,
        &text.replace("\nRun the unit script.\n", "\nRun it with pnpm.\n"),
    );
    assert_snapshot!(env.told(&["sync"]), @"
      conflict   run-the-unit-script.md: #1 changed too; edit run-the-unit-script.md to what is right, and delete run-the-unit-script.conflict.md
    [exit 1]
    ");
    assert_snapshot!(env.told(&["sync"]), @"
      look at    run-the-unit-script.md: both the file and the lesson changed: edit the file, and delete the .conflict.md beside it
    [exit 1]
    ");
    fs::remove_file(
        env.work()
            .join(".hardwon/lessons/run-the-unit-script.conflict.md"),
    )
    .unwrap();
    assert_snapshot!(env.told(&["sync", "--mine"]), @"  revised    run-the-unit-script.md (#1)");
    assert!(
        env.ok(&["lesson", "show", "1"])
            .contains("Run it with pnpm.")
    );
    fs::remove_file(env.work().join(path)).unwrap();
    assert_snapshot!(env.told(&["sync"]), @"  deleted    #1: run-the-unit-script.md is gone");
}

#[test]
fn learning_keeps_files_in_step_if_it_is_asked_to() {
    let env = TestEnv::new();
    repository(&env);
    env.ok(&["lesson", "add", "npm test", "Run the unit script."]);
    env.write("t.jsonl", "{\"type\":\"end\",\"status\":\"completed\"}\n");
    let file = env.work().join(".hardwon/lessons/run-the-unit-script.md");
    env.ok(&["config", "set", "sync", "on"]);
    // There is no folder, so nobody asked for one.
    env.ok(&["learn", "t.jsonl"]);
    assert!(!file.exists());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let ran = env.run(&["learn", "t.jsonl"]);
    assert!(file.exists() && ran.code == 0, "{}", ran.err);
    assert_snapshot!(ran.err, @"hardwon:   wrote      run-the-unit-script.md (#1)");
    fs::remove_dir_all(env.work().join(".hardwon")).unwrap();
    env.ok(&["config", "set", "sync", "off"]);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    env.ok(&["learn", "t.jsonl"]);
    assert!(!file.exists());
}

/// The list of a folder is right after every command that changes lessons, where files are synced.
#[test]
fn the_index_follows_every_change() {
    let env = TestEnv::new();
    repository(&env);
    env.ok(&["lesson", "add", "npm test", "Run the unit script."]);
    env.ok(&["sync"]);
    env.ok(&["config", "set", "sync", "on"]);
    let listed = || {
        let index = env.work().join(".hardwon/lessons/_index.md");
        let index = fs::read_to_string(index).unwrap();
        let rows = index.lines().filter_map(|row| row.strip_prefix("| "));
        let slugs = rows.skip(1).filter_map(|row| row.split(' ').next());
        slugs.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    for (command, expected) in [
        (
            "lesson add cargo|Build it offline.",
            "build-it-offline run-the-unit-script",
        ),
        ("lesson supersede 1 2", "build-it-offline"),
        ("lesson delete 2", ""),
        ("lesson restore 1", "run-the-unit-script"),
        (
            "lesson edit 1 --text|Run that script.",
            "run-the-unit-script",
        ),
        (
            "reflect Ask before deploying",
            "ask-before-deploying run-the-unit-script",
        ),
        ("lesson move 3 --everywhere", "run-the-unit-script"),
        ("lesson erase 1 --yes", ""),
    ] {
        let args: Vec<&str> = match command.split_once('|') {
            Some((words, last)) => words.split(' ').chain([last]).collect(),
            None => command.split(' ').collect(),
        };
        env.ok(&args);
        assert_eq!(listed(), expected, "{command}");
    }
}
