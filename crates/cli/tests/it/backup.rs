//! Copies of the database, and the way back.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn a_backup_brings_back_what_was_there() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    assert_snapshot!(env.told(&["backup", "copy.db"]), @"wrote copy.db");
    env.ok(&["lesson", "erase", "1", "--yes"]);
    let restored = env.told(&["restore", "copy.db"]);
    let kept = restored.rsplit("hardwon.db").next().unwrap().trim();
    assert_snapshot!(restored.replace(kept, "[KEPT]"), @"
    restored [HOME]/data/hardwon/hardwon.db from copy.db
    the database that was there is kept as [HOME]/data/hardwon/hardwon.db[KEPT]
    ");
    assert_snapshot!(env.told(&["lesson", "list"]), @"#1    today  person  here  [npm test] Run the unit tests.");
    assert_snapshot!(env.told(&["doctor"]), @"
    ok   settings    defaults; there is no settings file [HOME]/config/hardwon/config.toml
    ok   database    [HOME]/data/hardwon/hardwon.db
    ok   journal     verifies: 1 change, 1 lesson
    ok   project     [HOME]/repo
    ok   meaning     no sentence model: lessons are found by their words; `hardwon meaning add FILE` adds one of 12 MB
    ok   sessions    no agent keeps sessions here yet
    ");
}

#[test]
fn the_keys_of_a_server_are_copied_and_looked_at() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    env.ok(&["key", "add", "--role", "owner"]);
    assert_snapshot!(env.told(&["backup", "copy.db"]), @"
    wrote copy.db
    wrote copy.db.keys, the keys of the server
    ");
    let doctor = env.ok(&["doctor"]);
    let keys = doctor.lines().find(|it| it.contains(" keys ")).unwrap();
    assert_snapshot!(keys, @"ok   keys        their log verifies: 2 changes");
    let restored = env.told(&["restore", "copy.db"]);
    assert_snapshot!(restored.lines().last().unwrap(), @"! hardwon: the keys are as they were: with copy.db.keys in place of [HOME]/data/hardwon/keys.db, keys that were revoked since would count again");
    let other = env.told(&["backup", "copy.db"]);
    assert!(other.contains("copy.db is there already"), "{other}");
    // The copy is a whole file of keys.
    let keys = env.db().with_file_name("keys.db");
    std::fs::remove_file(&keys).unwrap();
    std::fs::copy(env.work().join("copy.db.keys"), &keys).unwrap();
    assert_eq!(env.ok(&["key", "list"]).lines().count(), 1);
    // One that was altered is noticed.
    std::fs::write(&keys, "no database").unwrap();
    let told = env.told(&["doctor"]);
    assert!(told.contains("FAIL keys"), "{told}");
}

#[test]
fn what_is_no_backup_is_refused_and_nothing_is_lost() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    env.write("notes.txt", "not a database at all");
    env.write("empty.db", "");
    assert_snapshot!(env.told(&["restore", "nowhere.db"]), @"
    ! hardwon: there is no file nowhere.db
    ! hint: name a file that `hardwon backup` made
    [exit 2]
    ");
    assert_snapshot!(env.told(&["restore", "notes.txt"]), @"
    ! hardwon: restoring a backup: the file is not a store: file is not a database (notes.txt)
    ! hint: name a file that a backup made
    [exit 2]
    ");
    assert_snapshot!(env.told(&["restore", "empty.db"]), @"
    ! hardwon: restoring a backup: the file is empty (empty.db)
    ! hint: name a file that a backup made
    [exit 2]
    ");
    assert_eq!(env.ok(&["lesson", "list"]).lines().count(), 1);
}

#[test]
fn a_backup_needs_a_store_and_a_place() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["backup", "copy.db"]), @"
    ! hardwon: opening the database: there is no database yet ([HOME]/data/hardwon/hardwon.db)
    ! hint: create it with `hardwon learn` or `hardwon lesson add`
    [exit 4]
    ");
    env.lessons(&[("npm test", "Run the unit tests.")]);
    env.write("kept.db", "something else");
    assert_snapshot!(env.told(&["backup", "kept.db"]), @"
    ! hardwon: kept.db is there already
    ! hint: name a file that does not exist
    [exit 2]
    ");
    assert_snapshot!(env.told(&["backup", "no/such/folder/copy.db"]), @"
    ! hardwon: there is no folder no/such/folder
    [exit 2]
    ");
}
