//! Keys and tenants of a server, at the command line.

use std::fs;

use hardwon_api::api_key::ApiKey;
use hardwon_store::{SqliteKeyDatabase, Statement, port::RowDatabase as _};
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
    text
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
    assert_snapshot!(told(&env, &["key", "list"], &names), @"
    [CI]  ci: agent, tenant local, agent builder, project shop, expires [DATE] [CLOCK], never used
    [ROOT]  operator: operator, never used
    ");

    let rotated = env.ok(&["key", "rotate", ci.id().as_str(), "--keep", "1h"]);
    let rotated = ApiKey::parse(rotated.trim_end()).unwrap();
    assert_eq!(rotated.id(), ci.id());
    assert_ne!(rotated.reveal(), ci.reveal());
    let told = |args: &[&str]| told(&env, args, &names);
    assert_snapshot!(told(&["key", "revoke", ci.id().as_str()]), @"revoked key [CI]");
    assert_snapshot!(told(&["key", "revoke", ci.id().as_str()]), @"key [CI] was revoked before");
    assert_snapshot!(told(&["key", "list"]), @"[ROOT]  operator: operator, never used");
    assert_snapshot!(told(&["key", "list", "--all", "--tenant", "local"]), @"[CI]  ci: agent, tenant local, agent builder, project shop, revoked [DATE] [CLOCK], never used");
    assert_snapshot!(told(&["key", "log"]), @"
    1     [DATE] [CLOCK]  tenant-added of local by person
    2     [DATE] [CLOCK]  key-added [CI] of local by person
    3     [DATE] [CLOCK]  key-added [ROOT] by person
    4     [DATE] [CLOCK]  key-rotated [CI] of local by person
    5     [DATE] [CLOCK]  key-revoked [CI] of local by person
    ! hardwon: the log verifies: 5 changes
    ");

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
    assert_snapshot!(told(&ran.told()), @"
    [KEY]
    ! hardwon: key [ID]: viewer, tenant local. It is shown this once; keep it as you would a password
    ");

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
    assert_snapshot!(shown.concat(), @"
    $ key add --role owner --agent a
    ! hardwon: a key of this role cannot be tied to agents or projects
    [exit 2]
    $ key add --role operator --tenant t
    ! hardwon: an operator's key is for the whole server and belongs to no tenant
    [exit 2]
    $ key add --role agent --tenant t
    ! hardwon: there is no tenant t
    ! hint: add it with `hardwon tenant add NAME`
    [exit 2]
    $ key add --role agent --expires 7000000d
    ! hardwon: this time is too far in the future
    [exit 2]
    $ key rotate 0123456789
    ! hardwon: there is no key 0123456789
    ! hint: `hardwon key list` shows those there are
    [exit 1]
    $ key revoke short
    ! hardwon: this is no id of a key, which has ten letters and digits
    ! hint: `hardwon key list` shows those there are
    [exit 2]
    $ key list --project p
    ! hardwon: --project has no meaning here: keys are named by their ids
    [exit 2]
    ");
}

#[test]
fn a_tenant_is_added_and_listed() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["tenant", "list"]), @"");
    assert_snapshot!(env.told(&["tenant", "add", "acme"]), @"added tenant acme");
    assert_snapshot!(env.told(&["tenant", "add", "acme"]), @"
    ! hardwon: there is a tenant acme already
    [exit 2]
    ");
    assert_snapshot!(env.told(&["tenant", "add", "zoo", "--json"]), @r#"{"tenant":"zoo","created":"[TIME]"}"#);
    add(&env, &["--role", "owner", "--tenant", "acme"]);
    assert_snapshot!(env.told(&["tenant", "list"]), @"
    acme
    zoo
    ");
}

#[test]
fn keys_that_ended_are_forgotten() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["key", "prune"]), @"forgot 0 keys");
    let (old, kept) = (
        add(&env, &["--role", "agent"]),
        add(&env, &["--role", "agent"]),
    );
    env.ok(&["key", "revoke", old.id().as_str()]);
    assert_snapshot!(env.told(&["key", "prune"]), @"forgot 0 keys");
    assert_snapshot!(env.told(&["key", "prune", "--ended", "0m", "--json"]), @"
    ! error: invalid value '0m' for '--ended <TIME>': write it as 30m, 2h or 3d
    ! 
    ! For more information, try '--help'.
    [exit 2]
    ");
    let names = [(&old, "[OLD]"), (&kept, "[KEPT]")];
    assert_snapshot!(told(&env, &["key", "list", "--all"], &names), @"
    [OLD]  agent: agent, tenant local, revoked [DATE] [CLOCK], never used
    [KEPT]  agent: agent, tenant local, never used
    ");
    assert_snapshot!(told(&env, &["key", "log"], &names), @"
    1     [DATE] [CLOCK]  tenant-added of local by person
    2     [DATE] [CLOCK]  key-added [OLD] of local by person
    3     [DATE] [CLOCK]  key-added [KEPT] of local by person
    4     [DATE] [CLOCK]  key-revoked [OLD] of local by person
    ! hardwon: the log verifies: 4 changes
    ");
}

#[test]
fn a_key_that_somebody_edited_is_told_of() {
    let env = TestEnv::new();
    let key = add(&env, &["--role", "agent", "--name", "ci"]);
    let file = SqliteKeyDatabase::open(&env.db().with_file_name("keys.db")).unwrap();
    let edited = file.write(&mut |rows, _| {
        let edit = "UPDATE hardwon.api_key SET role = 'owner', agents = '[]', projects = '[]'";
        rows.execute(Statement {
            tenant: 0,
            sql: edit.into(),
            values: Vec::new(),
        })
    });
    edited.unwrap();
    let names = [(&key, "[CI]")];
    assert_snapshot!(told(&env, &["key", "log"], &names), @"
    1     [DATE] [CLOCK]  tenant-added of local by person
    2     [DATE] [CLOCK]  key-added [CI] of local by person
    ! hardwon: the log does not verify: key [CI] (ci) is not as the log has it: role
    [exit 1]
    ");
    let doctor = told(&env, &["doctor"], &names);
    let finding = doctor.lines().find(|line| line.contains("keys"));
    assert_snapshot!(finding.unwrap(), @"FAIL keys        their log does not verify: key [CI] (ci) is not as the log has it: role");
}

#[test]
fn a_tenant_is_erased_with_a_receipt() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["tenant", "erase", "acme"]), @"
    ! hardwon: this erases everything of a tenant, for good
    ! hint: if you mean it, add --yes
    [exit 2]
    ");
    assert_snapshot!(env.told(&["tenant", "erase", "acme", "--yes"]), @"
    ! hardwon: there is no tenant acme
    ! hint: `hardwon tenant list` shows those there are
    [exit 1]
    ");
    env.ok(&["tenant", "add", "acme"]);
    let key = add(&env, &["--role", "agent", "--tenant", "acme"]);
    for (tenant, text) in [("acme", "Run it alone."), ("local", "Run both.")] {
        let mut command = env.command();
        command.env("HARDWON_TENANT", tenant);
        command.args(["lesson", "add", "npm test", text]);
        assert!(command.output().unwrap().status.success());
    }
    assert_snapshot!(env.told(&["tenant", "erase", "acme", "--yes"]), @"
    erased tenant acme: 1 lesson, 0 recalls, 0 judgements, 0 questions
    its journal had 1 change and ended with [HASH]
    revoked 1 key; the log of keys keeps its name
    ! hardwon: backups that were made before are not touched; if servers run over this store, erase it again in half a minute
    ");
    assert_snapshot!(env.told(&["tenant", "list"]), @"");
    assert_snapshot!(env.told(&["tenant", "erase", "acme", "--yes"]), @"
    ! hardwon: there is no tenant acme
    ! hint: `hardwon tenant list` shows those there are
    [exit 1]
    ");
    let names = [(&key, "[KEY]")];
    assert_snapshot!(told(&env, &["key", "log"], &names), @"
    1     [DATE] [CLOCK]  tenant-added of acme by person
    2     [DATE] [CLOCK]  key-added [KEY] of acme by person
    3     [DATE] [CLOCK]  key-revoked [KEY] of acme by person
    4     [DATE] [CLOCK]  tenant-removed of acme by person
    ! hardwon: the log verifies: 4 changes
    ");
    assert_eq!(env.ok(&["lesson", "list"]).lines().count(), 1);
}
