//! Watching a run while it goes on.

use insta::assert_snapshot;

use crate::env::TestEnv;

fn call(tool: &str, args: &str, error: &str) -> String {
    let status = match error {
        "" => r#""status":"ok""#.to_owned(),
        error => format!(r#""status":"error","error":"{error}""#),
    };
    format!("{{\"type\":\"tool\",\"tool\":\"{tool}\",\"args\":\"{args}\",{status}}}\n")
}

const RUN: &str = "{\"type\":\"run\",\"run\":\"r1\",\"task\":\"fetch the page\"}\n";
const END: &str = "{\"type\":\"end\",\"status\":\"completed\"}\n";

#[test]
fn a_repeated_failure_is_a_loop() {
    let env = TestEnv::new();
    let fetch = call("fetch", "https://example.com/blocked", "403 Forbidden");
    let other = call("fetch", "https://example.com/other", "403 Forbidden");
    let run = [RUN, &fetch, &other, &fetch, END].concat();
    assert_snapshot!(env.told_with(&["observe"], run), @r#"
    {"kind":"loop","calls":["fetch https://example.com/blocked"],"text":"[LOOP DETECTED]\nThe following tool calls have failed twice in a row; repeating them won't change the result.\nChange argument, change tool, ask for help, or stop trying:\n  fetch https://example.com/blocked\n[END LOOP DETECTED]\n"}
    "#);
}

/// Runtimes number the steps of their model as turns.
#[test]
fn a_loop_may_span_turns() {
    let env = TestEnv::new();
    let step = |turn: u32| {
        format!(
            "{{\"type\":\"tool\",\"turn\":{turn},\"tool\":\"fetch\",\"args\":\"u\",\"status\":\"error\",\"error\":\"403\"}}\n"
        )
    };
    let run = [RUN, &step(1), &step(2)].concat();
    let out = env.ok_with(&["observe"], run);
    assert_eq!(out.matches(r#"{"kind":"loop""#).count(), 1, "{out}");
}

#[test]
fn a_failure_that_is_known_brings_its_lesson() {
    let env = TestEnv::new();
    let fails = call("Bash", "npm test", r#"npm error Missing script: \"test\""#);
    let works = call("Bash", "npm run test:unit", "");
    let run = |name: &str| RUN.replace("r1", name) + &fails + &works + END;
    let text = [run("one"), run("two"), run("three")].concat();
    assert_snapshot!(env.told_with(&["observe"], text), @r#"
    {"kind":"learned","ids":[1]}
    {"kind":"lesson","id":1,"text":"[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n- [npm test (Missing script: \"test\")] `npm test` fails with *Missing script: \"test\"*. Run `npm run test:unit` instead. (#1)\n[END KNOWN PITFALLS]\n"}
    {"kind":"learned","ids":[1]}
    "#);
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    let env = TestEnv::new();
    let fetch = call("fetch", "u", "403");
    let run = [
        "nonsense\n\n{\"type\":\"dance\"}\n",
        &fetch,
        "{\"type\":\"tool\"}\n",
        &fetch,
    ]
    .concat();
    assert_snapshot!(env.told_with(&["observe"], run), @r#"
    {"kind":"loop","calls":["fetch u"],"text":"[LOOP DETECTED]\nThe following tool calls have failed twice in a row; repeating them won't change the result.\nChange argument, change tool, ask for help, or stop trying:\n  fetch u\n[END LOOP DETECTED]\n"}
    ! hardwon: skipped line 1: not an event object: expected ident at line 1 column 2
    ! hardwon: skipped line 3: the field "type" must be run, calling, tool, message, signal or end
    ! hardwon: skipped line 5: an event of type "tool" needs the field "tool"
    [exit 2]
    "#);
    assert_snapshot!(env.told_with(&["observe"], ""), @"");
}

/// An agent that is killed says nothing about its end.
#[test]
fn a_run_that_stops_without_a_word_still_teaches() {
    let env = TestEnv::new();
    let fails = call("Bash", "npm test", r#"npm error Missing script: \"test\""#);
    let works = call("Bash", "npm run test:unit", "");
    for name in ["one", "two"] {
        let run = RUN.replace("r1", name) + &fails + &works;
        env.ok_with(&["observe"], run);
    }
    assert_eq!(env.ok(&["lesson", "list"]).lines().count(), 1);
}

/// A runtime that tells of a call before it makes it gets the lesson in time.
#[test]
fn a_call_that_a_lesson_names_brings_it_before() {
    let env = TestEnv::new();
    env.lessons(&[(
        "npm test",
        "Run `npm run test:unit`; there is no test script.",
    )]);
    let calling = "{\"type\":\"calling\",\"tool\":\"Bash\",\"args\":\"npm test\"}\n";
    let other = calling.replace("npm test", "ls");
    let fails = call("Bash", "npm test", r#"npm error Missing script: \"test\""#);
    let run = [RUN, &other, calling, &fails, calling, END].concat();
    assert_snapshot!(env.told_with(&["observe"], run), @r#"
    {"kind":"lesson","id":1,"text":"[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n- [npm test] Run `npm run test:unit`; there is no test script. (#1)\n[END KNOWN PITFALLS]\n"}
    "#);
    let log = env.ok(&["log"]);
    assert!(log.contains("observe, before a tool call"), "{log}");
}
