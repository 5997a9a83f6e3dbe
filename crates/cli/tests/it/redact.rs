//! The filter that takes secrets out.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn text_in_text_out() {
    let env = TestEnv::new();
    for text in [
        "",
        "nothing secret\n",
        "no line break",
        "tabs\tand\r\nbreaks\n",
    ] {
        assert_eq!(env.ok_with(&["redact"], text), text);
    }
    let token = format!("ghp_{}", "N0tARealT0kenOnlyForATestB3xK9zQ4abc");
    let out = env.ok(&["redact", &format!("export GITHUB_TOKEN={token} && make")]);
    assert!(!out.contains(&token[8..16]), "{out}");
    assert!(out.ends_with(" && make"), "{out}");
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let env = TestEnv::new();
    let ran = env.run_with(&["redact"], b"before \xff after\n");
    assert_eq!((ran.code, &*ran.out), (0, "before \u{fffd} after\n"));
}

#[test]
fn lines_of_json() {
    let env = TestEnv::new();
    let lines = b"{\"id\":\"a\",\"text\":\"plain words\"}

{\"id\":2,\"text\":\"\"}
{\"id\":3}
nonsense
{\"id\":null,\"text\":\"bytes \xff\",\"more\":[]}
";
    assert_snapshot!(env.told_with(&["redact", "--jsonl"], lines), @r#"
    {"id":"a","text":"plain words"}
    {"id":2,"text":""}
    {"id":null,"text":"bytes �"}
    ! hardwon: line 4: missing field `text` at column 8
    ! hardwon: line 5: expected ident at column 2
    ! hardwon: 2 lines were skipped
    ! hint: each line is a JSON object {"id","text"}
    [exit 2]
    "#);
}

/// Half of a text would be a lie, and its secrets with it.
#[test]
fn a_text_too_long_to_hold_is_refused_whole() {
    let env = TestEnv::new();
    let text = vec![b'x'; 64 * 1024 * 1024 + 1];
    assert_snapshot!(env.told_with(&["redact"], text), @"
    ! hardwon: the text on stdin is longer than 64 MB
    [exit 2]
    ");
}
