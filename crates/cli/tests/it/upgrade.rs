//! From one version to another: what an older program refuses, and what a newer one keeps.

use std::fs;
#[cfg(unix)]
use std::{
    io::Write as _,
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use insta::assert_snapshot;
#[cfg(unix)]
use serde_json::Value;

use crate::env::TestEnv;

/// Where the header of a database has its form, as four bytes, the highest first.
const FORM_AT: usize = 60;

/// Changes which form the header of the database says it has.
fn change_form(env: &TestEnv, change: impl Fn(u32) -> u32) {
    let mut bytes = fs::read(env.db()).unwrap();
    let form: [u8; 4] = bytes[FORM_AT..FORM_AT + 4].try_into().unwrap();
    let form = change(u32::from_be_bytes(form));
    bytes[FORM_AT..FORM_AT + 4].copy_from_slice(&form.to_be_bytes());
    fs::write(env.db(), bytes).unwrap();
}

#[test]
fn an_older_program_refuses_a_newer_database_and_changes_nothing() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    change_form(&env, |_| 99);
    let before = fs::read(env.db()).unwrap();
    let refused = |args: &[&str]| {
        let told = env.told(args);
        let known = told.split_once("this one knows ").unwrap().1;
        let known = known.split_once(')').unwrap().0;
        told.replacen(known, "[FORM]", 1)
    };
    assert_snapshot!(refused(&["lesson", "add", "make", "Run make all."]), @"
    ! hardwon: opening the database: a newer version of the program wrote it (form 99; this one knows [FORM]) ([HOME]/data/hardwon/hardwon.db)
    ! hint: upgrade this hardwon in the way in which it was installed, or run `hardwon restore FILE` with a backup made before
    [exit 4]
    ");
    assert_snapshot!(refused(&["lesson", "list"]), @"
    ! hardwon: opening the database: a newer version of the program wrote it (form 99; this one knows [FORM]) ([HOME]/data/hardwon/hardwon.db)
    ! hint: upgrade this hardwon in the way in which it was installed, or run `hardwon restore FILE` with a backup made before
    [exit 4]
    ");
    let recall = env.run(&["recall", "npm test"]);
    assert_eq!((recall.code, &*recall.out), (0, ""), "{}", recall.err);
    let event = r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"npm test"}"#;
    let hook = env.run_with(&["hook", "--client", "claude-code"], event);
    assert_eq!(hook.told(), "");
    assert_eq!(fs::read(env.db()).unwrap(), before);
}

/// Puts another program in a program's place, as package managers do.
#[cfg(unix)]
fn replace_program(env: &TestEnv, text: &str) {
    let fresh = env.write("../bin/hardwon.new", text);
    fs::set_permissions(&fresh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::rename(fresh, env.work().join("../bin/hardwon")).unwrap();
}

/// Linux names a running file that was replaced in another way, and nothing can be started by that name.
#[cfg(unix)]
#[test]
fn a_hook_that_an_upgrade_meets_ends_well_and_the_new_program_goes_on() {
    let env = TestEnv::new();
    env.write("../bin/here", "");
    let built = env!("CARGO_BIN_EXE_hardwon");
    let program = env.work().join("../bin/hardwon");
    fs::hard_link(built, &program)
        .or_else(|_| fs::copy(built, &program).map(drop))
        .unwrap();
    let start = || {
        let mut hook = env.program("hardwon");
        hook.args(["hook", "--client", "claude-code"]);
        hook.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        hook.spawn().unwrap()
    };
    let end = |mut hook: Child, payload: &Value| {
        let mut stdin = hook.stdin.take().unwrap();
        stdin.write_all(payload.to_string().as_bytes()).unwrap();
        drop(stdin);
        env.ran(hook.wait_with_output().unwrap()).told()
    };
    let mut session = crate::hook::recorded("claude-code");
    let last = session.pop().unwrap();
    // The end of a turn starts what learns, too, and there is one at a time.
    session.retain(|payload| payload["hook_event_name"] != "Stop");
    for payload in &session {
        let hook = start();
        end(hook, payload);
    }
    let hook = start();
    replace_program(&env, "#!/bin/sh\necho \"$@\" >> \"$HOME/started\"\n");
    assert_eq!(end(hook, &last), "");
    let started = env.work().join("../started");
    let lines = || fs::read_to_string(&started).unwrap_or_default();
    for _ in 0..4000 {
        if lines().ends_with('\n') {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(lines(), "hook --capture\n");
    // The next hook is the new program's.
    start().wait().unwrap();
    assert_eq!(lines(), "hook --capture\nhook --client claude-code\n");
    let log = env.work().join("../state/hardwon/hook.log");
    assert_eq!(fs::read_to_string(log).unwrap_or_default(), "");
}
