//! The `/lesson` lines of a text.

use insta::assert_snapshot;

use crate::env::TestEnv;

const TEXT: &str = "Some words first.
/lesson npm test: run test:unit instead
```
/lesson in a fence: is only an example
```
/lesson list
/lesson search unit
/lesson show #1
/lesson helped 1
/lesson show it to me
/reflect look before you leap
/lesson block form
Two lines
of advice.
/endlesson
/lesson never closed
";

#[test]
fn writs_are_carried_out_and_answered() {
    let env = TestEnv::new();
    assert_snapshot!(env.told_with(&["writ"], TEXT), @"
    [/lesson create npm test: run test:unit instead]
    OK: recorded lesson #1 — #1 [npm test] run test:unit instead
    [END LESSON]
    [/lesson list]
    #1 [npm test] run test:unit instead
    [END LESSON]
    [/lesson search unit]
    #1 [npm test] run test:unit instead
    [END LESSON]
    [/lesson show #1]
    #1 [npm test] run test:unit instead
    status: active
    [END LESSON]
    [/lesson helped #1]
    ERR: nothing counts that is said of a lesson of one's own
    [END LESSON]
    [/lesson]
    ERR: show takes a lesson number, as in #14
      /lesson show it to me
                   ^
    [END LESSON]
    [/reflect look before you leap]
    OK: recorded lesson #2 — #2 look before you leap
    [END LESSON]
    [/lesson create block form: Two lines of advice.]
    OK: recorded lesson #3 — #3 [block form] Two lines of advice.
    [END LESSON]
    [/lesson]
    ERR: missing /endlesson: the block that starts here is never closed, so nothing was recorded
      /lesson never closed
              ^
    [END LESSON]
    [exit 1]
    ");
}

#[test]
fn a_dry_run_only_parses() {
    let env = TestEnv::new();
    assert_snapshot!(env.told_with(&["writ", "--dry-run"], TEXT), @"
    create (line 2)
    list (line 6)
    search (line 7)
    show (line 8)
    helped (line 9)
    show takes a lesson number, as in #14
      /lesson show it to me
                   ^
    reflect (line 11)
    create (line 12)
    missing /endlesson: the block that starts here is never closed, so nothing was recorded
      /lesson never closed
              ^
    [exit 1]
    ");
    assert_snapshot!(env.told_with(&["writ", "--dry-run", "--json"], TEXT), @r#"
    {"verb":"create","signature":"npm test","text":"run test:unit instead","query":null,"id":null,"ok":true,"reply":"create (line 2)"}
    {"verb":"list","signature":null,"text":null,"query":null,"id":null,"ok":true,"reply":"list (line 6)"}
    {"verb":"search","signature":null,"text":null,"query":"unit","id":null,"ok":true,"reply":"search (line 7)"}
    {"verb":"show","signature":null,"text":null,"query":null,"id":1,"ok":true,"reply":"show (line 8)"}
    {"verb":"helped","signature":null,"text":null,"query":null,"id":1,"ok":true,"reply":"helped (line 9)"}
    {"verb":null,"signature":null,"text":null,"query":null,"id":null,"ok":false,"reply":"show takes a lesson number, as in #14\n  /lesson show it to me\n               ^"}
    {"verb":"reflect","signature":null,"text":"look before you leap","query":null,"id":null,"ok":true,"reply":"reflect (line 11)"}
    {"verb":"create","signature":"block form","text":"Two lines\nof advice.","query":null,"id":null,"ok":true,"reply":"create (line 12)"}
    {"verb":null,"signature":null,"text":null,"query":null,"id":null,"ok":false,"reply":"missing /endlesson: the block that starts here is never closed, so nothing was recorded\n  /lesson never closed\n          ^"}
    [exit 1]
    "#);
    assert!(!env.db().exists());
}

#[test]
fn each_writ_is_one_object() {
    let env = TestEnv::new();
    let out = env.run_with(&["writ", "--json"], TEXT).out;
    let keys = r#"{"verb":,"signature":,"text":,"query":,"id":,"ok":,"reply":}"#;
    for line in out.lines() {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).unwrap();
        assert_eq!(object.len(), 7, "{line}");
        let mut rest = line;
        for key in keys.trim_matches(['{', '}']).split(',') {
            rest = rest
                .split_once(key)
                .unwrap_or_else(|| panic!("{key} in {line}"))
                .1;
        }
    }
    assert_snapshot!(out.lines().next().unwrap(), @r#"{"verb":"create","signature":"npm test","text":"run test:unit instead","query":null,"id":1,"ok":true,"reply":"[/lesson create npm test: run test:unit instead]\nOK: recorded lesson #1 — #1 [npm test] run test:unit instead\n[END LESSON]"}"#);
    assert_snapshot!(env.told(&["writ", "no writ in here"]), @"");
    assert_snapshot!(env.told_with(&["writ"], ""), @"");
}

/// What stands in a text may be anybody's word, so it erases nothing.
#[test]
fn a_writ_takes_out_and_does_not_erase() {
    let env = TestEnv::new();
    env.ok(&["writ", "/lesson a: first thing"]);
    assert_snapshot!(env.told(&["writ", "/lesson delete 1"]), @"
    [/lesson delete #1]
    OK: deleted lesson #1
    [END LESSON]
    ");
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    ! hardwon: no lessons yet
    ! hint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own
    ");
    assert!(
        env.ok(&["lesson", "show", "1"])
            .contains("deleted: an agent took it back")
    );
}

#[test]
fn a_writ_does_not_take_out_what_a_person_wrote() {
    let env = TestEnv::new();
    env.lessons(&[("a", "first thing")]);
    assert_snapshot!(env.told(&["writ", "/lesson delete 1"]), @"
    [/lesson delete #1]
    ERR: #1 stays: a person wrote it; a person can remove it with `hardwon lesson delete 1`
    [END LESSON]
    [exit 1]
    ");
    assert!(env.ok(&["lesson", "list"]).contains("first thing"));
}

/// The form in which lessons are shown to agents, and how they copy it.
#[test]
fn a_lesson_is_taken_as_it_is_printed() {
    let env = TestEnv::new();
    let text = "/lesson [npm test] Run it alone: it locks. (#14)\n/lesson [caution] [yarn]\nUse npm.\n/endlesson";
    assert_snapshot!(env.told(&["writ", text]), @"
    [/lesson create npm test: Run it alone: it locks.]
    OK: recorded lesson #1 — #1 [npm test] Run it alone: it locks.
    [END LESSON]
    [/lesson create yarn: Use npm.]
    OK: recorded lesson #2 — #2 [yarn] Use npm.
    [END LESSON]
    ");
}

/// What sees to the queue is never a lesson, whoever types it and wherever.
#[test]
fn a_reflect_line_sees_to_the_queue() {
    let env = TestEnv::new();
    let text = "/reflect list\n/reflect failed\n/reflect drain\n/reflect retry 1\n/reflect purge 1\n/reflect retry\n/reflect";
    assert_snapshot!(env.told(&["writ", text]), @"
    [/reflect list]
    OK: no questions wait for a model
    [END LESSON]
    [/reflect failed]
    OK: no questions wait for a model
    [END LESSON]
    [/reflect drain]
    ERR: a model is asked in the background, or by `hardwon queue drain`, and not while a writ is answered
    [END LESSON]
    [/reflect retry 1]
    ERR: this needs the right to curate; a person does it with `hardwon queue retry 1`
    [END LESSON]
    [/reflect purge 1]
    ERR: this needs the right to curate; a person does it with `hardwon queue purge 1`
    [END LESSON]
    [/reflect]
    ERR: retry takes the number of a job, as /reflect list shows it
      /reflect retry
               ^
    [END LESSON]
    [/reflect]
    ERR: say what was learned: /reflect <text>; of what waits: list, failed, drain, retry <n>, purge <n>
      /reflect
              ^
    [END LESSON]
    [exit 1]
    ");
    assert_snapshot!(env.told(&["reflect", "list"]), @"0 waiting, 0 running, 0 done, 0 dead; today 0 calls, 0 tokens");
    assert_snapshot!(env.told(&["reflect", "retry", "1"]), @"
    ! hardwon: no job matches
    ! hint: `hardwon queue list` shows the jobs
    [exit 1]
    ");
    assert_snapshot!(env.told(&["reflect", "purge"]), @"
    ! hardwon: purge takes the number of a job, as /reflect list shows it
    [exit 2]
    ");
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    ! hardwon: no lessons yet
    ! hint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own
    ");
}

#[test]
fn plain_words_are_a_lesson() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["reflect", "Prefer", "ripgrep to grep."]), @"
    [/reflect Prefer ripgrep to grep.]
    OK: recorded lesson #1 — #1 Prefer ripgrep to grep.
    [END LESSON]
    ");
    assert_snapshot!(env.told(&["reflect", "  "]), @"
    ! hardwon: say what was learned: /reflect <text>; of what waits: list, failed, drain, retry <n>, purge <n>
    [exit 2]
    ");
    assert_eq!(
        env.told(&["reflect", "status"]),
        env.told(&["reflect", "  "])
    );
}
