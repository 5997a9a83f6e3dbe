//! Playing recorded sessions again.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::env::TestEnv;

/// What happens in a session of Claude Code.
enum Do {
    /// A person says something.
    Say(&'static str),
    /// A tool is called; with an error it fails.
    Call(&'static str, Value, Option<&'static str>),
}

fn bash(command: &str, error: Option<&'static str>) -> Do {
    Do::Call("Bash", json!({"command": command}), error)
}

fn edit(error: Option<&'static str>) -> Do {
    let args = json!({"file_path": "/w/door.rs", "old_string": "a", "new_string": "b"});
    Do::Call("Edit", args, error)
}

const MISSING: &str = "Exit code 1\nnpm error Missing script: \"test\"";
const NOT_READ: &str = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>";
const FAILED: &str =
    "Exit code 101\nassertion failed: left == right\ntest result: FAILED. 3 passed; 1 failed";

/// Writes a session that began on a day.
fn session(env: &TestEnv, folder: &str, name: &str, day: u32, agent: Option<&str>, what: &[Do]) {
    let mut lines = String::new();
    for (at, step) in what.iter().enumerate() {
        let line = |kind: &str, content: Value| {
            let mut line = json!({
                "type": kind, "sessionId": name, "timestamp": format!("2026-03-{day:02}T10:00:{at:02}Z"),
                "message": {"role": kind, "content": content},
            });
            if let Some(agent) = agent {
                line["isSidechain"] = true.into();
                line["agentId"] = agent.into();
            }
            format!("{line}\n")
        };
        match step {
            Do::Say(text) => lines.push_str(&line("user", json!(text))),
            Do::Call(tool, args, error) => {
                let id = format!("t{at}");
                let call = json!({"type": "tool_use", "id": id, "name": tool, "input": args});
                lines.push_str(&line("assistant", json!([call])));
                let text = error.unwrap_or("done");
                let result = json!({
                    "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error.is_some(),
                });
                lines.push_str(&line("user", json!([result])));
            }
        }
    }
    let agent = agent.map_or(String::new(), |agent| format!("-{agent}"));
    env.write(&format!("{folder}/{name}{agent}.jsonl"), &lines);
}

/// A small history of one project: a script that is not there, met again and again; an edit of a file
/// that was not read; the work itself.
pub(crate) fn history(env: &TestEnv, folder: &str) {
    let no_script = || {
        [
            bash("npm test", Some(MISSING)),
            bash("npm run test:unit", None),
        ]
    };
    let steps = |task: &'static str, rest: Vec<Do>| {
        let mut steps = vec![Do::Say(task)];
        steps.extend(rest);
        steps
    };
    // The names stand against the order of time.
    session(
        env,
        folder,
        "e-first",
        1,
        None,
        &steps("mend the door", no_script().into()),
    );
    session(
        env,
        folder,
        "d-second",
        2,
        None,
        &steps("paint the wall", {
            let mut all = Vec::from(no_script());
            all.push(edit(Some(NOT_READ)));
            all.push(Do::Call("Read", json!({"file_path": "/w/door.rs"}), None));
            all.push(edit(None));
            all
        }),
    );
    session(
        env,
        folder,
        "c-third",
        3,
        None,
        &steps("sweep the floor", {
            let mut all = Vec::from(no_script());
            all.push(bash("cargo test", Some(FAILED)));
            all.push(bash(
                "cat nowhere",
                Some("cat: nowhere: No such file or directory"),
            ));
            all
        }),
    );
    // A sub-agent's troubles are its session's.
    session(
        env,
        folder,
        "c-third",
        3,
        Some("helper"),
        &steps("look at the floor", no_script().into()),
    );
    session(
        env,
        folder,
        "b-fourth",
        4,
        None,
        &steps("run npm test for me", {
            let mut all = Vec::from(no_script());
            all.push(edit(Some(NOT_READ)));
            all.push(Do::Call("Read", json!({"file_path": "/w/door.rs"}), None));
            all.push(edit(None));
            all.push(bash("cargo test", Some(FAILED)));
            all
        }),
    );
    session(
        env,
        folder,
        "a-fifth",
        5,
        None,
        &steps(
            "greet the guests",
            vec![bash("npm test", None), bash("ls", None)],
        ),
    );
}

#[test]
fn what_lessons_would_have_been_worth() {
    let env = TestEnv::new();
    history(&env, "sessions");
    assert_snapshot!(env.told(&["replay", "sessions"]), @r#"
    Lessons would have covered 4 of 5 repeat failures (80 %).
    1 more were covered only by what was shown at the session's start.
    5 sessions, 5 prompts, 21 calls: 10 failures

    class                    failures    repeats     solved    covered   at start
    edit                            2          1          1          0          1
    missing-script                  5          4          4          4          0
    not counted above: failures that lessons seldom prevent
    guessed path                    1          0          0          0          0
    the work itself                 2          1          0          0          0

    lessons that covered most, of how often each was shown
       5 of    7  [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
       1 of    3  [edit (File has not been read yet)] `edit` refuses a file that was not read in this session. Read the file first, then edit or write it.

    repeats that no lesson covered, of how often each came back
       1 of    1  edit (File has not been read yet. Read it first before writing to it), in 2 sessions

    In 100 calls 23.8 lessons were shown, 80 % of them about a failure that was met; a session's start took 93 tokens on average. Learned on the way: 2 lessons; nothing was stored.
    "#);
    assert!(!env.db().exists());
}

#[test]
fn json_holds_everything() {
    let env = TestEnv::new();
    history(&env, "sessions");
    let told: Value = serde_json::from_str(&env.ok(&["replay", "--json", "sessions"])).unwrap();
    let counts = [
        "sessions", "runs", "prompts", "calls", "failures", "repeats", "met", "learned",
    ];
    let counts: Vec<u64> = counts
        .iter()
        .map(|name| told[name].as_u64().unwrap())
        .collect();
    assert_snapshot!(format!("{counts:?}"), @"[5, 6, 5, 21, 10, 5, 4, 2]");
    assert_snapshot!(told["moments"], @r#"{"call":{"another_way":0,"for_nothing":1,"met":3,"repeats_met":3,"shown":4,"untold":0},"failure":{"another_way":0,"for_nothing":0,"met":0,"repeats_met":0,"shown":0,"untold":0},"once":{"another_way":0,"for_nothing":0,"met":1,"repeats_met":1,"shown":1,"untold":0},"prompt":{"another_way":0,"for_nothing":0,"met":0,"repeats_met":0,"shown":0,"untold":0},"start":{"another_way":0,"for_nothing":3,"met":3,"repeats_met":3,"shown":6,"untold":0}}"#);
    assert_snapshot!(told["classes"], @r#"[{"can_be_spared":false,"class":"guessed path","failures":1,"got_over":0,"met":0,"met_only_at_start":0,"repeats":0},{"can_be_spared":false,"class":"the work itself","failures":2,"got_over":0,"met":0,"met_only_at_start":0,"repeats":1},{"can_be_spared":true,"class":"edit","failures":2,"got_over":1,"met":0,"met_only_at_start":1,"repeats":1},{"can_be_spared":true,"class":"missing-script","failures":5,"got_over":4,"met":4,"met_only_at_start":0,"repeats":4}]"#);
    assert_snapshot!(told["recurring"], @r#"[{"class":"edit","failure":"edit (File has not been read yet. Read it first before writing to it)","met":0,"repeats":1,"sessions":2},{"class":"missing-script","failure":"npm test (Missing script: \"test\")","met":4,"repeats":4,"sessions":4}]"#);
    let lessons = told["lessons"].as_array().unwrap();
    assert!(
        lessons.iter().all(|it| it["lesson"]["text"].is_string()),
        "{told}"
    );
}

#[test]
fn little_or_nothing_to_play() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["replay"]), @r#"
    ! hardwon: no agent keeps sessions on this machine
    ! hint: name transcripts: hardwon replay PATH…, or try `hardwon demo`
    [exit 1]
    "#);
    env.write("empty/notes.txt", "no transcript\n");
    assert_snapshot!(env.told(&["replay", "empty"]), @"
    no sessions to replay; 1 file of no known format
    [exit 1]
    ");
    assert_snapshot!(env.told(&["replay", "nowhere"]), @"
    no sessions to replay
    ! hardwon: reading nowhere: No such file or directory (os error 2)
    [exit 2]
    ");
    session(
        &env,
        "sessions",
        "only",
        1,
        None,
        &[Do::Say("greet the guests"), bash("npm test", Some(MISSING))],
    );
    assert_snapshot!(env.told(&["replay", "sessions"]), @"
    No avoidable failure came back in another session.
    1 session, 1 prompt, 1 call: 1 failure

    class                    failures    repeats     solved    covered   at start
    missing-script                  1          0          0          0          0

    In 100 calls 0 lessons were shown; a session's start took 40 tokens on average. Learned on the way: 0 lessons; nothing was stored.
    ");
}

#[test]
fn a_session_in_two_files_is_played_once() {
    let env = TestEnv::new();
    history(&env, "sessions");
    let told = env.told(&["replay", "sessions"]);
    let text = std::fs::read_to_string(env.work().join("sessions/d-second.jsonl")).unwrap();
    env.write("sessions/zz-copy.jsonl", &text);
    assert_eq!(env.told(&["replay", "sessions"]), told);
}

#[test]
fn only_the_newest_may_be_played() {
    let env = TestEnv::new();
    history(&env, "sessions");
    let told = env.told(&["replay", "--limit", "2", "sessions"]);
    assert!(told.contains("\n2 sessions, "), "{told}");
}

#[test]
fn a_person_s_lessons_are_neither_shown_nor_changed() {
    let env = TestEnv::new();
    history(&env, "sessions");
    let before = env.told(&["replay", "sessions"]);
    env.ok(&["lesson", "add", "npm test", "Run `npm run test:unit`."]);
    let list = env.ok(&["lesson", "list", "--json"]);
    assert_eq!(env.told(&["replay", "sessions"]), before);
    assert_eq!(env.ok(&["lesson", "list", "--json"]), list);
    assert_snapshot!(env.told(&["log"]), @"! hardwon: nothing was shown yet");
}
