//! From one version to another: what is told, what an older program refuses, and what a newer one keeps.

use std::fs;

use insta::assert_snapshot;

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
fn it_says_how_it_was_built_here() {
    let env = TestEnv::new();
    let ran = env.run(&["upgrade"]);
    assert_eq!(ran.code, 0, "{}", ran.told());
    for part in [
        "built from source",
        "\n  git pull && cargo install",
        "asks no network",
    ] {
        assert!(ran.out.contains(part), "{}", ran.out);
    }
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
    ! hint: upgrade this hardwon (`hardwon upgrade` says how), or run `hardwon restore FILE` with a backup made before
    [exit 4]
    ");
    assert_snapshot!(refused(&["lesson", "list"]), @"
    ! hardwon: opening the database: a newer version of the program wrote it (form 99; this one knows [FORM]) ([HOME]/data/hardwon/hardwon.db)
    ! hint: upgrade this hardwon (`hardwon upgrade` says how), or run `hardwon restore FILE` with a backup made before
    [exit 4]
    ");
    let recall = env.run(&["recall", "npm test"]);
    assert_eq!((recall.code, &*recall.out), (0, ""), "{}", recall.err);
    let event = r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"npm test"}"#;
    let hook = env.run_with(&["hook", "--client", "claude-code"], event);
    assert_eq!(hook.told(), "");
    assert_eq!(fs::read(env.db()).unwrap(), before);
}
