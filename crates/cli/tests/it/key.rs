//! Keys and tenants of a server, at the command line.

use std::fs;

use hardwon_core::api_key::ApiKey;
use insta::assert_snapshot;

use crate::env::TestEnv;

/// Makes a key, and returns it.
fn add(env: &TestEnv, args: &[&str]) -> ApiKey {
    let args = [&["key", "add"], args].concat();
    ApiKey::parse(env.ok(&args).trim_end()).unwrap()
}

/// What a run tells, with names in place of the ids of keys.
fn told(env: &TestEnv, args: &[&str], keys: &[(&ApiKey, &str)]) -> String {
    let mut text = env.told(args);
    for (key, name) in keys {
        text = text.replace(&key.reveal(), "[KEY]");
        text = text.replace(key.id().as_str(), name);
    }
    let is_head = |word: &str| word.len() == 64 && word.bytes().all(|it| it.is_ascii_hexdigit());
    let words = text.split(' ').map(|word| match is_head(word.trim_end()) {
        true => word.replace(word.trim_end(), "[HEAD]"),
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_key_is_made_listed_rotated_and_revoked() {
    let env = TestEnv::new();
    assert_eq!(env.told(&["key", "list"]), "");
    assert!(!env.db().with_file_name("keys.db").exists());
    let limits = ["--agent", "builder", "--project", "shop"];
    let ci = add(
        &env,
        &[
            &["--role", "agent", "--name", "ci", "--expires", "30d"],
            &limits[..],
        ]
        .concat(),
    );
    let root = add(&env, &["--role", "operator"]);
    let names = [(&ci, "[CI]"), (&root, "[ROOT]")];
    assert_snapshot!(told(&env, &["key", "list"], &names), @"");

    let rotated = env.ok(&["key", "rotate", ci.id().as_str(), "--keep", "1h"]);
    let rotated = ApiKey::parse(rotated.trim_end()).unwrap();
    assert_eq!(rotated.id(), ci.id());
    assert_ne!(rotated.reveal(), ci.reveal());
    let told = |args: &[&str]| told(&env, args, &names);
    assert_snapshot!(told(&["key", "revoke", ci.id().as_str()]), @"");
    assert_snapshot!(told(&["key", "revoke", ci.id().as_str()]), @"");
    assert_snapshot!(told(&["key", "list"]), @"");
    assert_snapshot!(told(&["key", "list", "--all", "--tenant", "local"]), @"");
    assert_snapshot!(told(&["key", "log"]), @"");

    let file = fs::read(env.db().with_file_name("keys.db")).unwrap();
    for key in [&ci, &root, &rotated] {
        let secret = &key.reveal()[14..46];
        assert!(!file.windows(32).any(|it| it == secret.as_bytes()));
    }
}

#[test]
fn what_a_new_key_says() {
    let env = TestEnv::new();
    let ran = env.run(&["key", "add", "--role", "viewer"]);
    let key = ApiKey::parse(ran.out.trim_end()).unwrap();
    let told = |text: &str| {
        text.replace(&key.reveal(), "[KEY]")
            .replace(key.id().as_str(), "[ID]")
    };
    assert_snapshot!(told(&ran.told()), @"");

    let json = env.ok(&["key", "rotate", key.id().as_str(), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rotated = ApiKey::parse(json["key"].as_str().unwrap()).unwrap();
    assert_eq!(
        (rotated.id(), json["id"].as_str()),
        (key.id(), Some(key.id().as_str()))
    );
    assert_eq!(json["role"], "viewer");
}

#[test]
fn what_cannot_be_made_is_refused() {
    let env = TestEnv::new();
    let cases: [&[&str]; 7] = [
        &["add", "--role", "owner", "--agent", "a"],
        &["add", "--role", "operator", "--tenant", "t"],
        &["add", "--role", "agent", "--tenant", "t"],
        &["add", "--role", "agent", "--expires", "7000000d"],
        &["rotate", "0123456789"],
        &["revoke", "short"],
        &["list", "--project", "p"],
    ];
    let shown = cases.map(|args| {
        let told = env.told(&[&["key"], args].concat());
        format!("$ key {}\n{told}", args.join(" "))
    });
    assert_snapshot!(shown.concat(), @"");
}

#[test]
fn a_tenant_is_added_and_listed() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["tenant", "list"]), @"");
    assert_snapshot!(env.told(&["tenant", "add", "acme"]), @"");
    assert_snapshot!(env.told(&["tenant", "add", "acme"]), @"");
    assert_snapshot!(env.told(&["tenant", "add", "zoo", "--json"]), @"");
    add(&env, &["--role", "owner", "--tenant", "acme"]);
    assert_snapshot!(env.told(&["tenant", "list"]), @"");
}
