//! The journal of changes.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn every_change_is_an_entry_and_the_chain_verifies() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["journal", "verify"]), @"the journal verifies: 0 changes, 0 lessons, head [HASH]");
    env.lessons(&[
        ("npm test", "Run the unit tests."),
        ("rg", "Prefer rg to grep."),
    ]);
    env.ok(&["lesson", "edit", "1", "--text", "Run all the tests."]);
    env.ok(&["lesson", "erase", "2", "--yes"]);
    assert_snapshot!(env.told(&["journal", "verify"]), @"the journal verifies: 4 changes, 1 lesson, head [HASH]");
    assert_snapshot!(env.told(&["journal", "verify", "--json"]), @r#"{"sound":true,"entries":4,"lessons":1,"head":"[HASH]","troubles":[]}"#);
    assert_snapshot!(env.told(&["journal", "export"]), @r#"
    {"sequence":1,"at":"[TIME]","kind":"add","lesson":1,"actor":"person","content":"[HASH]","previous":"[HASH]","hash":"[HASH]"}
    {"sequence":2,"at":"[TIME]","kind":"add","lesson":2,"actor":"person","content":"[HASH]","previous":"[HASH]","hash":"[HASH]"}
    {"sequence":3,"at":"[TIME]","kind":"revise","lesson":1,"actor":"person","remark":"new text","remark_hash":"[HASH]","content":"[HASH]","previous":"[HASH]","hash":"[HASH]"}
    {"sequence":4,"at":"[TIME]","kind":"delete","lesson":2,"actor":"person","content":"[HASH]","previous":"[HASH]","hash":"[HASH]"}
    "#);
}

/// Somebody who changes a row behind the journal's back is found out.
#[test]
fn a_row_that_was_tampered_with_does_not_verify() {
    let env = TestEnv::new();
    env.lessons(&[
        ("npm test", "Run the unit tests."),
        ("rg", "Prefer rg to grep."),
    ]);
    let mut bytes = std::fs::read(env.db()).unwrap();
    let word = b"Prefer rg to grep.";
    let places: Vec<usize> = (0..bytes.len() - word.len())
        .filter(|at| &bytes[*at..*at + word.len()] == word)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + 6].copy_from_slice(b"Detest");
    }
    std::fs::write(env.db(), bytes).unwrap();
    assert_snapshot!(env.told(&["journal", "verify"]), @r#"
    lesson #2 is not what its latest journal entry says it is
    lesson #2 is found as another lesson's twin or forerunner than it is
    agent default in project "[HOME]/repo": the search index has not the words of its lessons as they are
    the journal does not verify: 2 changes, 2 lessons, head [HASH]
    [exit 1]
    "#);
    assert_snapshot!(env.told(&["doctor"]), @"
    ok   settings    defaults; there is no settings file [HOME]/config/hardwon/config.toml
    ok   database    [HOME]/data/hardwon/hardwon.db
    FAIL journal     it does not verify
                     -> hardwon journal verify says where
    ok   project     [HOME]/repo
    ok   meaning     no sentence model: lessons are found by their words; `hardwon meaning add FILE` adds one of 12 MB
    ok   sessions    no agent keeps sessions here yet
    [exit 1]
    ");
}
