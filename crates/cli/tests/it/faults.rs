//! What goes wrong outside: a clear error, or an empty recall, and nothing else lost.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use insta::assert_snapshot;

use crate::env::{Ran, TestEnv};

const READERS: [&[&str]; 5] = [
    &["lesson", "list"],
    &["lesson", "show", "1"],
    &["effect"],
    &["why"],
    &["journal", "verify"],
];

/// A recall is silent, everything else says what is wrong and what to do, and no file changes.
fn check(env: &TestEnv, said: &str) {
    let before = fs::read(env.db()).ok();
    let recalled = env.run(&["recall", "npm test"]);
    assert_eq!((recalled.code, &*recalled.out), (0, ""));
    assert!(recalled.err.contains(said), "{}", recalled.err);
    let json = env.run(&["recall", "npm test", "--json"]);
    assert_eq!(json.code, 0);
    assert!(
        json.out
            .starts_with(r#"{"lessons":[],"preamble":"","silent":""#),
        "{}",
        json.out
    );
    let batch = env.run_with(&["recall", "--batch"], r#"{"id":1,"prompt":"npm test"}"#);
    assert_eq!(
        (batch.code, &*batch.out),
        (0, "{\"id\":1,\"lessons\":[]}\n")
    );
    for args in READERS
        .into_iter()
        .chain([&["lesson", "add", "a", "b c"][..]])
    {
        let ran = env.run(args);
        assert_eq!((ran.code, &*ran.out), (4, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("\nhint: "), "{args:?}: {}", ran.err);
    }
    let doctor = env.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.out.contains("FAIL database"), "{}", doctor.out);
    assert_eq!(fs::read(env.db()).ok(), before);
}

fn with_lessons() -> TestEnv {
    let env = TestEnv::new();
    let lines: String = (0..20)
        .map(|n| {
            format!(
                "{{\"signature\":\"npm test {n}\",\"text\":\"Run the unit tests of part {n}.\"}}\n"
            )
        })
        .collect();
    env.ok_with(&["lesson", "add", "--jsonl"], lines);
    env
}

#[test]
fn a_file_of_random_bytes() {
    let env = with_lessons();
    let noise: Vec<u8> = (0..20_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    fs::write(env.db(), noise).unwrap();
    check(&env, "the file is not a store");
}

#[test]
fn a_truncated_file() {
    let env = with_lessons();
    let bytes = fs::read(env.db()).unwrap();
    fs::write(env.db(), &bytes[..bytes.len() / 3]).unwrap();
    check(&env, "the file is damaged");
}

/// The header alone still looks like a store.
#[test]
fn a_file_with_a_hole_in_it() {
    let env = with_lessons();
    let mut bytes = fs::read(env.db()).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0x5a);
    fs::write(env.db(), bytes).unwrap();
    let ran = env.run(&["recall", "npm test"]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
    assert!(ran.err.contains("damaged"), "{}", ran.err);
    assert_eq!(env.run(&["lesson", "list"]).code, 4);
    assert_eq!(env.run(&["doctor"]).code, 1);
}

#[test]
fn a_database_of_another_program() {
    let env = TestEnv::new();
    env.write(
        "other.db",
        "SQLite format 3\0 but no more than its first words",
    );
    let ran = env.run(&["--db", "other.db", "lesson", "list"]);
    assert_eq!((ran.code, &*ran.out), (4, ""));
    assert!(ran.err.contains("hint: "), "{}", ran.err);
}

/// What an interrupted first start leaves behind.
#[test]
fn a_file_of_no_length_is_an_empty_store() {
    let env = TestEnv::new();
    fs::create_dir_all(env.db().parent().unwrap()).unwrap();
    fs::write(env.db(), "").unwrap();
    assert_eq!(env.told(&["recall", "npm test"]), "");
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    ! hardwon: no lessons yet
    ! hint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own
    ");
    assert_snapshot!(env.told(&["lesson", "add", "a", "first thing"]), @"
    recorded #1 [a] first thing
    comes up at a session's start; for tasks about its words
    ");
}

#[test]
fn a_folder_where_the_file_should_be() {
    let env = TestEnv::new();
    fs::create_dir_all(env.db()).unwrap();
    assert_eq!(env.run(&["recall", "npm test"]).code, 0);
    assert_eq!(env.run(&["lesson", "list"]).code, 4);
    assert_eq!(env.run(&["lesson", "add", "a", "b c"]).code, 4);
}

/// Runs as somebody who may read the folder and not write it.
fn as_guest(env: &TestEnv, args: &[&str]) -> Option<Ran> {
    let mut command = std::process::Command::new("/usr/bin/setpriv");
    let inner = env.command();
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(inner.get_program())
        .args(args)
        .current_dir("/")
        .env_clear()
        .envs(
            inner
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let ran = env.ran(command.output().ok()?);
    (!ran.err.starts_with("setpriv:")).then_some(ran)
}

/// Runs as somebody who may not write the database; nobody where only root is there, who may.
fn as_reader(env: &TestEnv, args: &[&str]) -> Option<Ran> {
    as_guest(env, args).or_else(|| {
        let may_write = fs::OpenOptions::new().append(true).open(env.db()).is_ok();
        (!may_write).then(|| env.run(args))
    })
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The lessons are there to be read, so they are shown, though nobody can count it.
#[test]
fn a_folder_that_may_not_be_written() {
    let env = with_lessons();
    let folder = env.db().parent().unwrap().to_owned();
    for path in folder.ancestors().take(3) {
        allow(path, 0o555);
    }
    allow(&env.db(), 0o444);
    // Root may write anywhere, so the test becomes somebody else where it can.
    let work = env.work();
    let recall = ["recall", "npm test", "--project", work.to_str().unwrap()];
    let ran = as_guest(&env, &recall).unwrap_or_else(|| env.run(&recall));
    assert_eq!(ran.code, 0);
    assert!(
        ran.out.contains("Run the unit tests"),
        "{} {}",
        ran.out,
        ran.err
    );
    if let Some(added) = as_guest(&env, &["lesson", "add", "a", "b c"]) {
        assert_eq!((added.code, &*added.out), (4, ""));
        assert!(added.err.contains("is read-only"), "{}", added.err);
        assert!(
            added.err.contains("hint: check the permissions"),
            "{}",
            added.err
        );
    }
    for path in folder.ancestors().take(3) {
        allow(path, 0o755);
    }
}

/// Everything that only asks works on a database that may not be written, whatever cannot be
/// counted or forgotten there, and what would change something says so at once.
#[test]
fn a_database_that_may_not_be_written() {
    let env = with_lessons();
    env.ok(&["recall", "npm test"]);
    let folder = env.db().parent().unwrap().to_owned();
    let run = r#"{"type":"run","run":"r1"}"#;
    env.write("trace.jsonl", &format!("{run}\n"));
    let trace = env.work().join("trace.jsonl");
    let trace = trace.to_str().unwrap();
    allow(&env.db(), 0o444);
    // Once in a folder where files may be made, and once where they may not.
    for mode in [0o777, 0o555] {
        for path in folder.ancestors().take(3) {
            allow(path, mode);
        }
        for args in [
            &["effect"][..],
            &["lesson", "list"],
            &["lesson", "search", "unit"],
            &["lesson", "show", "1"],
            &["lesson", "history", "1"],
            &["recall", "npm test"],
            &["log"],
            &["journal", "verify"],
            &["journal", "export"],
            &["queue", "list"],
            &["learn", "--dry-run", trace],
        ] {
            let Some(ran) = as_reader(&env, args) else {
                continue;
            };
            assert!(ran.code < 3, "{mode:o} {args:?}: {} {}", ran.code, ran.err);
            assert!(!ran.err.contains("is read-only"), "{args:?}: {}", ran.err);
        }
        for args in [
            &["learn", trace][..],
            &["observe"],
            &["lesson", "add", "a", "b c"],
        ] {
            let Some(ran) = as_reader(&env, args) else {
                continue;
            };
            assert_eq!((ran.code, &*ran.out), (4, ""), "{args:?}: {}", ran.err);
        }
    }
    for path in folder.ancestors().take(3) {
        allow(path, 0o755);
    }
}

/// A pipe that nobody writes to would be read for ever.
#[test]
fn a_pipe_where_a_file_should_be() {
    let env = with_lessons();
    let pipe = env.work().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.to_str().unwrap();
    for (args, code) in [
        (&["--db", pipe, "effect"][..], 4),
        (&["--db", pipe, "lesson", "add", "a", "b c"], 4),
        (&["--db", pipe, "recall", "npm test"], 0),
        (&["restore", pipe], 4),
        (&["learn", pipe], 2),
        (&["learn", "--dry-run", pipe], 2),
    ] {
        let ran = env.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(
            ran.err.contains("a pipe, a socket or a device"),
            "{args:?}: {}",
            ran.err
        );
    }
    let config = env
        .work()
        .parent()
        .unwrap()
        .join("config/hardwon/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::rename(pipe, &config).unwrap();
    let mut command = env.command();
    command.env(
        "XDG_CONFIG_HOME",
        config.parent().unwrap().parent().unwrap(),
    );
    let ran = env.ran(command.args(["recall", "npm test"]).output().unwrap());
    assert!(
        ran.err.contains("a pipe, a socket or a device"),
        "{}",
        ran.err
    );
}

/// What may hold private words is its owner's alone, whatever the umask.
#[test]
fn what_is_written_is_private() {
    let env = with_lessons();
    let home = env.work().parent().unwrap().to_owned();
    let config = home.join("settings");
    let mut command = env.command();
    command.env("XDG_CONFIG_HOME", &config);
    command.args(["config", "set", "shown", "2"]);
    let ran = env.ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    env.ok(&["export", "out"]);
    env.ok(&["backup", "copy.db"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut files = vec![
        config.join("hardwon/config.toml"),
        env.work().join("copy.db"),
        env.db(),
    ];
    let exported = fs::read_dir(env.work().join("out")).unwrap();
    files.extend(
        exported
            .map(|it| it.unwrap().path())
            .filter(|it| it.is_file()),
    );
    assert!(files.len() > 20);
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn no_home_at_all() {
    let env = TestEnv::new();
    let homeless = |args: &[&str]| {
        let mut command = env.command();
        command
            .args(args)
            .env("HOME", "no/home")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME");
        env.ran(command.output().unwrap())
    };
    let recalled = homeless(&["recall", "npm test"]);
    assert_eq!((recalled.code, &*recalled.out), (0, ""));
    assert_snapshot!(homeless(&["lesson", "list"]).told(), @"
    ! hardwon: cannot find your home folder, where the database and settings are kept
    ! hint: set HOME, or set HARDWON_DB to a file
    [exit 4]
    ");
    assert_snapshot!(homeless(&["learn"]).told(), @"
    ! hardwon: cannot find your home folder, where the database and settings are kept
    ! hint: set HOME, or set HARDWON_DB to a file
    [exit 4]
    ");
    assert_eq!(homeless(&["redact", "text"]).told(), "text");
    assert_eq!(homeless(&["demo"]).code, 0);
    assert_eq!(
        homeless(&["--db", "here.db", "lesson", "add", "a", "b c"]).code,
        0
    );
}

/// A file that may not grow is what a full disk looks like to a process.
fn on_a_full_disk(env: &TestEnv, blocks: u64, args: &[&str], stdin: &str) -> Ran {
    use std::{io::Write as _, process::Stdio};
    let inner = env.command();
    let mut command = std::process::Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!("ulimit -f {blocks}; exec \"$0\" \"$@\""))
        .arg(inner.get_program())
        .args(args)
        .current_dir(env.work())
        .env_clear()
        .envs(
            inner
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ignored = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    env.ran(child.wait_with_output().unwrap())
}

#[test]
fn a_full_disk_costs_no_acknowledged_lesson() {
    let env = with_lessons();
    let lines: String = (0..1200)
        .map(|n| {
            format!(
                "{{\"ref\":\"r{n}\",\"signature\":\"s{n}\",\"text\":\"word{n} and word{}\"}}\n",
                n * 7
            )
        })
        .collect();
    let blocks = fs::metadata(env.db()).unwrap().len() / 512 + 200;
    let ran = on_a_full_disk(&env, blocks, &["lesson", "add", "--jsonl"], &lines);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("changing lessons: "), "{}", ran.err);
    let recalled = on_a_full_disk(&env, 0, &["recall", "npm test"], "");
    assert_eq!(recalled.code, 0);
    let acknowledged = ran.out.lines().count();
    let there = env
        .ok(&["lesson", "list", "--limit", "100000"])
        .lines()
        .count();
    assert!(
        there >= 20 + acknowledged,
        "{there} of {acknowledged} are left"
    );
    assert!(
        env.ok(&["journal", "verify"])
            .contains("the journal verifies")
    );
}

#[test]
fn words_that_a_full_disk_has_no_room_for_may_be_any() {
    let env = TestEnv::new();
    let hook = |blocks: u64, event: serde_json::Value| {
        let args = ["hook", "--client", "claude-code"];
        on_a_full_disk(&env, blocks, &args, &event.to_string())
    };
    let words: Vec<String> = (0..2000).map(|n| format!("word{n}")).collect();
    let page = format!("Run `bin/shopctl warm` first. {}", words.join(" "));
    let cwd = env.work();
    hook(
        1,
        serde_json::json!({"hook_event_name": "PostToolUse", "session_id": "s1", "cwd": cwd,
            "tool_name": "WebFetch", "tool_use_id": "c1", "tool_response": page,
            "tool_input": {"url": "https://docs.example.org/deploys", "prompt": "how"}}),
    );
    hook(
        1_000_000,
        serde_json::json!({"hook_event_name": "Stop", "session_id": "s1", "cwd": cwd,
            "last_assistant_message": "/lesson deploys: run `bin/shopctl warm` first"}),
    );
    let waiting = env.ok(&["review-queue"]);
    assert!(
        waiting.contains("content from outside may have had a part in it"),
        "{waiting}"
    );
}

/// A reader that went away is no fault; who does something goes on.
#[test]
fn nobody_reads_the_output() {
    use std::process::Stdio;
    let env = with_lessons();
    for args in [
        &["lesson", "list"][..],
        &["journal", "export"],
        &["demo"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = env.command();
        let output = command
            .args(args)
            .stdin(Stdio::null())
            .stdout(writer)
            .output()
            .unwrap();
        let ran = env.ran(output);
        assert_eq!((ran.code, &*ran.err), (0, ""), "{args:?}");
    }
}

#[test]
fn the_output_cannot_be_written() {
    let env = with_lessons();
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let mut command = env.command();
    let output = command
        .args(["lesson", "list"])
        .stdout(full)
        .output()
        .unwrap();
    let ran = env.ran(output);
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("writing to stdout"), "{}", ran.err);
}
