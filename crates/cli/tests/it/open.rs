//! `hardwon open`: the page of this machine's lessons, and what is left of it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
};

use hardwon_core::{Actor, Change, ChangeBatch, LessonId, TenantId};
use hardwon_store::{Commit as _, SqliteStore, Write};
use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{env::TestEnv, lesson_run::session};

/// Starts a command that serves, and returns the first line that it prints.
fn start(env: &TestEnv, args: &[&str]) -> (Child, String) {
    let mut command = env.command();
    command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    (child, line.trim_end().to_owned())
}

/// Ends a process as Ctrl-C does, and returns what it said.
fn interrupt(child: Child) -> String {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    String::from_utf8(ended.stderr).unwrap()
}

/// Asks for a path as a browser does, and returns the whole answer.
fn get(link: &str, cookie: &str) -> String {
    let (host, path) = link
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn find_header<'a>(answer: &'a str, name: &str) -> &'a str {
    let mut lines = answer.lines();
    let value = lines.find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
    value.unwrap_or_else(|| panic!("no {name} in {answer}"))
}

fn keys(env: &TestEnv) -> Vec<Value> {
    let listed = env.ok(&["key", "list", "--all", "--json"]);
    listed
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

#[test]
fn a_link_opens_the_page_once_and_no_key_is_left() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests alone.")]);
    let (page, link) = start(&env, &["open", "--print"]);
    let opened = get(&link, "");
    assert!(opened.starts_with("HTTP/1.1 303"), "{opened}");
    let cookie = find_header(&opened, "set-cookie")
        .split(';')
        .next()
        .unwrap();
    let root = link.split("/login/").next().unwrap();
    let lessons = get(&format!("{root}/lessons"), cookie);
    assert!(lessons.contains("Run the unit tests alone."), "{lessons}");
    // Whoever finds the link later is asked for a key.
    let again = get(&link, "");
    assert_eq!(find_header(&again, "location"), "/login?link=used");
    let told = interrupt(page);
    assert!(!format!("{told}{link}").contains("hwk_"), "{told}");
    let keys = keys(&env);
    assert_eq!(
        keys.len(),
        1,
        "the key; of the session the log tells: {keys:?}"
    );
    assert!(keys.iter().all(|it| it["revoked"].is_string()), "{keys:?}");
    // What was done on it is told by its name, not by its key.
    let batch = ChangeBatch {
        tenant: TenantId::default(),
        actor: Actor::with_key(keys[0]["id"].as_str().unwrap()),
        at: Timestamp::now(),
        changes: vec![Change::Move {
            id: LessonId(1),
            project: None,
        }],
    };
    let store = SqliteStore::open(&env.db()).unwrap();
    let apply = |tx: &mut dyn Write| tx.apply(&batch).map(drop);
    store.commit(&batch.tenant, apply).unwrap();
    let history = env.ok(&["lesson", "history", "1"]);
    assert!(
        history.contains("hardwon open moved: everywhere"),
        "{history}"
    );
    let life = env.ok(&["effect", "1"]);
    assert!(life.contains("to everywhere, by hardwon open\n"), "{life}");
    assert_eq!(env.ok(&["key", "list"]), "");
}

/// What it was worth is told of the same sessions, and goes on being told of them from view to view.
#[test]
fn the_page_opens_at_the_project_of_the_terminal() {
    let env = TestEnv::new();
    let ask = "why does npm test fail with a missing script?";
    for (project, called) in [("./", "npm run test:unit"), ("other", "ls")] {
        let ok = |args: &[&str]| env.ok(&[&["--project", project], args].concat());
        let remedy = "It fails with missing script; run `npm run test:unit`.";
        ok(&["lesson", "add", "npm test", remedy]);
        ok(&["recall", "--run", project, ask]);
        let run = format!(
            "{{\"type\":\"run\",\"run\":\"{project}\"}}\n\
             {{\"type\":\"tool\",\"tool\":\"Bash\",\"args\":\"{called}\",\"status\":\"ok\"}}\n\
             {{\"type\":\"end\",\"status\":\"completed\"}}\n"
        );
        let path = env.write("run.jsonl", &run);
        ok(&["learn", path.to_str().unwrap()]);
    }
    let told: Value = serde_json::from_str(&env.ok(&["effect", "--json"])).unwrap();
    let answer = told["worth"]["answer"].as_str().unwrap();
    let (page, link) = start(&env, &["open", "--print"]);
    let root = link.split("/login/").next().unwrap();
    let opened = get(&link, "");
    let session = find_header(&opened, "set-cookie")
        .split(';')
        .next()
        .unwrap();
    let first = format!("{root}{}", find_header(&opened, "location"));
    let effects = get(&first, session);
    assert!(effects.contains(answer), "{answer}: {effects}");
    let place = find_header(&effects, "set-cookie")
        .split(';')
        .next()
        .unwrap();
    let cookies = format!("{session}; {place}");
    let count_lessons = |path: &str| {
        let page = get(&format!("{root}{path}"), &cookies);
        page.matches("href=\"/lessons/").count()
    };
    assert_eq!(count_lessons("/lessons"), 1);
    assert_eq!(count_lessons("/lessons?project="), 2);
    interrupt(page);
}

/// Whoever wonders why nothing comes up is told, wherever they look.
#[test]
fn the_page_says_that_hooks_are_paused() {
    let env = TestEnv::new();
    env.ok(&[
        "lesson",
        "add",
        "--project",
        "shop",
        "npm test",
        "Run the unit tests alone.",
    ]);
    let (page, link) = start(&env, &["open", "--print"]);
    let root = link.split("/login/").next().unwrap();
    let opened = get(&link, "");
    let cookie = find_header(&opened, "set-cookie")
        .split(';')
        .next()
        .unwrap();
    let says = |path: &str, words: &str| get(&format!("{root}{path}"), cookie).contains(words);
    assert!(!says("/effects", "Paused"));
    env.ok(&["pause", "--project", "shop", "--for", "1h"]);
    for path in [
        "/effects",
        "/lessons",
        "/lessons/1",
        "/lessons?project=shop",
    ] {
        assert!(
            says(path, "Paused <bdi>in shop</bdi> until <time"),
            "{path}"
        );
    }
    assert!(!says("/lessons?project=other", "Paused"));
    env.ok(&["pause", "--everywhere"]);
    let ends = "Paused <bdi>everywhere</bdi>: hooks show and learn nothing. <code>hardwon resume --everywhere</code>";
    assert!(says("/effects", ends));
    interrupt(page);
}

/// What went wrong and what worked can be read where the lesson is, and nothing leads to a recall that found none.
#[test]
fn the_page_tells_the_steps_that_taught_a_lesson() {
    let env = TestEnv::new();
    for run in [
        "6f0d2c1e-0000-4000-8000-000000000001",
        "7a9be310-0000-4000-8000-000000000002",
    ] {
        session(&env, run);
        env.ok(&["recall", "--run", run, "why does nothing come up here?"]);
    }
    env.ok(&["learn"]);
    let (page, link) = start(&env, &["open", "--print"]);
    let root = link.split("/login/").next().unwrap();
    let opened = get(&link, "");
    let cookie = find_header(&opened, "set-cookie");
    let lesson = get(
        &format!("{root}/lessons/1"),
        cookie.split(';').next().unwrap(),
    );
    for words in [
        "<strong>failed</strong> <code dir=\"auto\">npm test</code>",
        "npm ERR! Missing script: &#34;test&#34;",
        "<strong>ok</strong> <code dir=\"auto\">npm run test:unit</code>",
    ] {
        assert!(lesson.contains(words), "{words}: {lesson}");
    }
    assert!(!lesson.contains("href=\"/recalls/"), "{lesson}");
    interrupt(page);
}

/// The system's opener is one that keeps the link.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_given_the_link() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let env = TestEnv::new();
    env.with_programs(&["sh", "mv"]);
    let bin = env.temp().with_file_name("bin");
    let script =
        "#!/bin/sh\necho \"$1\" > \"$TMPDIR/half\" && mv \"$TMPDIR/half\" \"$TMPDIR/link\"\n";
    fs::write(bin.join("xdg-open"), script).unwrap();
    fs::set_permissions(bin.join("xdg-open"), fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = env.command();
    let page = command
        .arg("open")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let page = page.spawn().unwrap();
    let link = loop {
        match fs::read_to_string(env.temp().join("link")) {
            Ok(link) => break link,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    assert!(get(link.trim_end(), "").starts_with("HTTP/1.1 303"));
    let told = interrupt(page);
    assert!(!told.contains("/login/"), "{told}");
}

#[test]
fn the_page_closes_when_nobody_uses_it() {
    let env = TestEnv::new();
    let ran = env.run(&["open", "--print", "--idle", "1s"]);
    assert_eq!(
        (ran.code, ran.out.contains("/login/")),
        (0, true),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("nobody used the page"), "{}", ran.err);
}

#[test]
fn a_server_on_the_same_lessons_is_not_in_the_way() {
    let env = TestEnv::new();
    let free = "127.0.0.1:0";
    let (mut server, key) = start(&env, &["serve", "--listen", free, "--ops-listen", free]);
    assert!(key.starts_with("hwk_"), "{key}");
    let (page, link) = start(&env, &["open", "--print"]);
    assert!(get(&link, "").starts_with("HTTP/1.1 303"));
    interrupt(page);
    server.kill().unwrap();
    server.wait().unwrap();
    let valid = env.ok(&["key", "list", "--json"]);
    assert_eq!(valid.lines().count(), 1, "{valid}");
}
