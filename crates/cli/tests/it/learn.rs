//! Learning from transcripts.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::env::{TestEnv, repository};

/// A run that fails with the same missing script each time, and finds the way around it.
fn run(name: &str) -> String {
    format!(
        r#"{{"type":"run","run":"{name}","task":"fix the tests"}}
{{"type":"tool","turn":1,"call":"c1","tool":"Bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}}
{{"type":"tool","turn":2,"call":"c2","tool":"Bash","args":"npm run test:unit","status":"ok"}}
{{"type":"end","status":"completed"}}
"#
    )
}

#[test]
fn nothing_to_read() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["learn"]), @"
    ! hardwon: no agent keeps sessions on this machine
    ! hint: name transcripts: hardwon learn PATH…, or try `hardwon demo`
    [exit 1]
    ");
    assert_snapshot!(env.told(&["learn", "nowhere"]), @"
    0 runs in 0 transcripts: 0 lessons learned, 0 seen again, 0 to review
      1 file that could not be read, named above
    ! hardwon: reading nowhere: No such file or directory (os error 2)
    [exit 2]
    ");
    env.write("notes.txt", "no transcript\n");
    assert_snapshot!(env.told(&["learn", "."]), @"
    0 runs in 0 transcripts: 0 lessons learned, 0 seen again, 0 to review
      1 file of no known format
    ");
}

#[test]
fn two_runs_teach_what_one_does_not() {
    let env = TestEnv::new();
    env.write("one.jsonl", &run("one"));
    assert_snapshot!(env.told(&["learn", "one.jsonl"]), @"
    1 run in 1 transcript: 0 lessons learned, 0 seen again, 0 to review
      1 failure seen once; each becomes a lesson when another run meets it too
    ");
    env.write("two.jsonl", &run("two"));
    assert_snapshot!(env.told(&["learn", "--dry-run", "."]), @r#"
    ./two.jsonl
      learned    [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
    1 run in 1 transcript: 1 lesson would be learned, 0 seen again, 0 to review
      1 transcript already read, and unchanged since
    "#);
    assert_snapshot!(env.told(&["learn", "."]), @r#"
    ./two.jsonl
      learned    #1 [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
    1 run in 1 transcript: 1 lesson learned, 0 seen again, 0 to review
      1 transcript already read, and unchanged since
    next: `hardwon lesson list`, or `hardwon recall "<a task>"`
    "#);
    assert_snapshot!(env.told(&["learn", "."]), @"
    0 runs in 0 transcripts: 0 lessons learned, 0 seen again, 0 to review
      2 transcripts already read, and unchanged since
    ");
    assert_snapshot!(env.told(&["lesson", "list"]), @r#"#1    today  run     here  [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead."#);
}

/// Learns from two runs of shell calls, `LINE => ERROR` each where it failed.
fn learn_calls(runs: [&str; 2]) -> TestEnv {
    let env = TestEnv::new();
    for (name, calls) in ["one", "two"].into_iter().zip(runs) {
        let events = calls.lines().map(|call| {
            let (line, error) = call.split_once(" => ").unwrap_or((call, ""));
            let status = if error.is_empty() { "ok" } else { "error" };
            let tool = if line.starts_with('{') {
                "Edit"
            } else {
                "Bash"
            };
            json!({"type": "tool", "tool": tool, "args": line, "status": status, "error": error})
                .to_string()
        });
        let begun = json!({"type": "run", "run": name, "task": "go on"}).to_string();
        let ended = json!({"type": "end", "status": "completed"}).to_string();
        let lines: Vec<String> = [begun].into_iter().chain(events).chain([ended]).collect();
        env.write(&format!("{name}.jsonl"), &lines.join("\n"));
    }
    env.told(&["learn", "."]);
    env
}

/// What a lesson comes up at is told of its number, of a call, and of a call that fails.
#[test]
fn a_lesson_says_when_it_comes_up() {
    let env = learn_calls([
        "yard ship a => yard: no crates may leave for you\nyard --dock oaken ship a",
        "yard count b => yard: you may not look into this shed\nyard --dock oaken count b",
    ]);
    assert_snapshot!(env.told(&["lesson", "when", "#1"]), @"
    #1 [yard (yard: you may not look into this shed)] `yard` without `--dock oaken` fails with *yard: you may not look into this shed*. Add `--dock oaken`; with it the same command worked.
        comes up at a session's start; when this fails; for tasks about its words
    ");
    assert_snapshot!(env.told(&["lesson", "when", "yard count c"]), @"
    does not come up, but is about something of it:
      #1 [yard (yard: you may not look into this shed)] `yard` without `--dock oaken` fails with *yard: you may not look into this shed*. Add `--dock oaken`; with it the same command worked.
          it comes up when this fails; for tasks about its words
    [exit 1]
    ");
    let error = "yard: you may not look into this shed";
    assert_snapshot!(env.told(&["lesson", "when", "yard count c", "--error", error]), @"
    comes up at this error:
      #1 [yard (yard: you may not look into this shed)] `yard` without `--dock oaken` fails with *yard: you may not look into this shed*. Add `--dock oaken`; with it the same command worked.
          this error is what it is about
    ");
}

/// What two runs did alike past errors that read differently is a lesson; what they may have done alike by chance is not.
#[test]
fn the_same_step_teaches_whatever_the_errors_said() {
    const NONE: &str = "! hardwon: no lessons yet\n! hint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own\n";
    let learned = |runs: [&str; 2]| learn_calls(runs).told(&["lesson", "list"]);
    let step = learned([
        "yard ship a => yard: no crates may leave for you\nyard --dock oak ship a",
        "yard count b => yard: you may not look into this shed\nyard --dock oak count b",
    ]);
    assert!(step.contains("Add `--dock oak`"), "{step}");
    let variable = learned([
        "yard ship a => yard: no crates may leave for you\nDOCK=oak yard ship a",
        "yard count b => yard: you may not look into this shed\nexport DOCK=oak && yard count b",
    ]);
    assert!(variable.contains("Set `DOCK=oak`"), "{variable}");
    let front = learned([
        "yard ship a => yard: no crates may leave for you\nwith-dock -e yard ship a",
        "shed count b => shed: you may not look into this shed\nwith-dock -e shed count b",
    ]);
    assert!(front.contains("Run `with-dock -e shed` instead"), "{front}");
    let elsewhere = learned([
        "yard ship a => yard: no crates may leave for you\nyard --dock oaken ship a",
        "shed count b => shed: you may not look into this shed\nshed --dock oaken count b",
    ]);
    assert!(elsewhere.contains("Add `--dock oaken`"), "{elsewhere}");
    // Of two values the option alone is learned.
    let option = learned([
        "yard ship a => yard: no crates may leave for you\nyard --dock oaken ship a",
        "yard count b => yard: you may not look into this shed\nyard --dock elm count b",
    ]);
    assert!(option.contains("Add `--dock …`;"), "{option}");
    // Where both runs edited something, that may have been what helped.
    let alone = "yard ship a => yard: no crates may leave for you\nyard --dock oak ship a";
    let edited = r#"yard ship b => yard: no crates may leave for you
{"file_path": "yard.c", "old_string": "a", "new_string": "b"}
yard --dock oak ship b"#;
    assert_eq!(learned([edited, edited]), NONE);
    for runs in [[alone, edited], [edited, alone]] {
        let step = learned(runs);
        assert!(step.contains("Add `--dock oak`"), "{step}");
    }
    for (runs, expected) in [
        // A file of the project, added or in place of another; what takes files by `-f`.
        (
            [
                "yard ship a => yard: the list of crates is not given\nyard ship a docks/oak.list",
                "yard count b => yard: the list of crates is not given\nyard count docks/oak.list b",
            ],
            "Add `docks/oak.list`",
        ),
        (
            [
                "yard ship docks => yard: no list of crates in here\nyard ship docks/oak",
                "yard count docks => yard: no list of crates in here\nyard count docks/oak",
            ],
            "Use `docks/oak` instead",
        ),
        (
            [
                "yard list => yard: no file says what is stored\nyard -f docks/oak.yaml list",
                "yard ship a => yard: no file says what is stored\nyard -f docks/oak.yaml ship a",
            ],
            "Add `-f docks/oak.yaml`",
        ),
        // The mark of a message; a variant of the same step.
        (
            [
                "yard note -m 'Paint the crane' => yard: a note must name its kind\nyard note -m 'fix: paint the crane'",
                "yard note -am 'Mend the lids' => yard: a note must name its kind\nyard note -am 'fix: mend the lids'",
            ],
            "Use `-am 'fix: …'` instead",
        ),
        // What it is about is one task's own.
        (
            [
                "yard note -m 'Paint the crane' => yard: a note must name its dock\nyard note -m 'east: paint the crane'",
                "yard note -am 'Mend lids' => yard: a note must name its dock\nyard note -am 'west: mend all lids'",
            ],
            "Use `-am '…: …'` instead",
        ),
        (
            [
                "yard ship a => yard: no crates may leave for you\nyard ship a --berth=oak",
                "yard count b => yard: you may not look into this shed\nyard count --berth oak b",
            ],
            "Add `--berth oak`",
        ),
        (
            [
                "yard ship a => yard: this berth is not open for you\nsource docks/open && yard ship a",
                "yard ship b => yard: this berth is not open for you\n. docks/open && yard ship b",
            ],
            "Run `source docks/open` first",
        ),
        // What another program says in the same words; one that runs either name of an interpreter.
        (
            [
                "yard ship a => yard: no harbour at this berth\nyard -n 4 ship a",
                "shed count b => shed: no harbour at this berth\nshed -n 4 count b",
            ],
            "Add `-n 4`",
        ),
        (
            [
                "python ship.py a => ModuleNotFoundError: No module named 'oak'\npixi run ship.py a",
                "python3 count.py b => ModuleNotFoundError: No module named 'oak'\npixi run python count.py b",
            ],
            "Run `pixi run python` instead",
        ),
    ] {
        let lessons = learned(runs);
        assert!(lessons.contains(expected), "{runs:?}: {lessons}");
    }
    // Where both runs did something else with the program, that may have been what helped.
    let acted =
        "yard ship b => yard: no crates may leave for you\nyard rinse b\nyard --dock oak ship b";
    assert_eq!(learned([acted, acted]), NONE);
    for runs in [[alone, acted], [acted, alone]] {
        let step = learned(runs);
        assert!(step.contains("Add `--dock oak`"), "{step}");
    }
    // A file of the work; two files; a value that any task may have, of another program; a flag that the work itself may have asked for.
    for runs in [
        [
            "yard test => 2 failed, 1 passed\nyard test docks/oak.list",
            "yard test => 2 failed, 1 passed\nyard test docks/oak.list",
        ],
        [
            "yard ship a => yard: the list of crates is not given\nyard ship a docks/oak.list",
            "yard ship b => yard: the list of crates is not given\nyard ship b docks/elm.list",
        ],
        [
            "yard ship a => yard: no crates may leave for you\nyard -n 4 ship a",
            "shed count b => shed: you may not look into this shed\nshed -n 4 count b",
        ],
        [
            "yard test a => 2 failed, 1 passed\nyard test --east a",
            "yard test b => AssertionError: 1 != 2\nyard test --east b",
        ],
    ] {
        assert_eq!(learned(runs), NONE, "{runs:?}");
    }
}

#[test]
fn a_dry_run_leaves_nothing() {
    let env = TestEnv::new();
    env.write("one.jsonl", &run("one"));
    env.ok(&["learn", "--dry-run", "."]);
    assert!(!env.db().exists());
}

#[test]
fn json_is_a_line_a_lesson_and_a_summary() {
    let env = TestEnv::new();
    env.write("one.jsonl", &run("one"));
    env.write("two.jsonl", &run("two"));
    let out = env.ok(&["learn", "--json", "."]);
    let lines: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [lesson, summary] = &lines[..] else {
        panic!("{out}");
    };
    assert_eq!(lesson["file"], "./two.jsonl");
    assert_eq!(lesson["became"], "learned");
    assert_eq!(lesson["lesson"]["id"], 1);
    assert_eq!(summary["learned"], 1);
    assert_snapshot!(out.lines().last().unwrap(), @r#"{"files":2,"unchanged":0,"not_transcripts":0,"unreadable":[],"runs":2,"broken_lines":0,"learned":1,"seen_again":0,"for_review":0,"refused":0,"witnessed":1,"skipped":{},"dry_run":false}"#);
}

#[test]
fn a_run_that_went_well_teaches_only_if_asked() {
    let env = TestEnv::new();
    let text = r#"{"type":"run","run":"r","task":"say hello"}
{"type":"tool","turn":1,"call":"c1","tool":"Bash","args":"echo hello","status":"ok"}
{"type":"end","status":"completed"}
"#;
    env.write("r.jsonl", text);
    assert_snapshot!(env.told(&["learn", "--dry-run", "."]), @"
    1 run in 1 transcript: 0 lessons would be learned, 0 seen again, 0 to review
    nothing to learn 1 time:
         1  the run went well
    ");
    let json = env.ok(&["learn", "--dry-run", "--json", "."]);
    assert!(json.contains(r#""skipped":{"went_well":1}"#), "{json}");
    let every = env.ok(&["learn", "--dry-run", "--capture", "every-run", "."]);
    assert!(every.contains("1 lesson would be learned"), "{every}");
}

#[test]
fn broken_lines_and_unreadable_files_cost_only_themselves() {
    let env = TestEnv::new();
    env.write(
        "one.jsonl",
        &format!("{}broken\n{}", run("one"), run("two")),
    );
    env.write("zero.jsonl", "");
    let ran = env.run(&["learn", "one.jsonl", "zero.jsonl", "gone.jsonl"]);
    assert_snapshot!(ran.told(), @r#"
    one.jsonl
      learned    #1 [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
    2 runs in 1 transcript: 1 lesson learned, 0 seen again, 0 to review
      2 files that could not be read, named above
      1 broken line skipped
      1 failure seen once; each becomes a lesson when another run meets it too
    next: `hardwon lesson list`, or `hardwon recall "<a task>"`
    ! hardwon: reading gone.jsonl: No such file or directory (os error 2)
    ! hardwon: zero.jsonl: not a transcript in a known format; `hardwon learn --help` lists them
    ! hardwon: one.jsonl: 1 broken line skipped
    [exit 2]
    "#);
}

#[test]
fn the_agents_of_this_machine_are_found() {
    let env = TestEnv::new();
    let session = repository().join("crates/cli/demo/7-good-run.jsonl");
    let place = env.work().join("../.claude/projects/shop");
    fs::create_dir_all(&place).unwrap();
    fs::copy(session, place.join("7.jsonl")).unwrap();
    assert_snapshot!(env.told(&["learn"]), @"
    claude-code: [HOME]/.claude/projects
    1 run in 1 transcript: 0 lessons learned, 0 seen again, 0 to review
    nothing to learn 1 time:
         1  the run went well
    ");
    assert_snapshot!(env.told(&["doctor"]), @"
    ok   settings    defaults; there is no settings file [HOME]/config/hardwon/config.toml
    ok   database    [HOME]/data/hardwon/hardwon.db
    ok   journal     verifies: 0 changes, 0 lessons
    ok   project     [HOME]/repo
    ok   meaning     no sentence model: lessons are found by their words; `hardwon meaning add FILE` adds one of 12 MB
    ok   sessions    found those of claude-code; `hardwon learn` reads them
    note Claude Code program not found, not set up
                     -> hardwon init --client claude-code
    ");
}

/// What is said of a run as a whole is said once: its later end takes the place of what was said before it ended.
#[test]
fn a_run_that_goes_on_is_told_anew() {
    let env = TestEnv::new();
    let run = |name: &str, lines: &[&str]| {
        let head = format!(r#"{{"type":"run","run":"{name}","task":"read the notes"}}"#);
        let text = [&[head.as_str()][..], lines].concat().join("\n");
        let path = env.write(&format!("{name}.jsonl"), &format!("{text}\n"));
        env.told(&["learn", "--capture", "every-run", path.to_str().unwrap()]);
    };
    let failed = r#"{"type":"tool","turn":1,"tool":"read-file","args":"a.txt","status":"error","error":"ENOENT: no such file a.txt"}"#;
    let worked = r#"{"type":"tool","turn":2,"tool":"read-file","args":"b.txt","status":"ok"}"#;
    let ended = r#"{"type":"end","status":"completed"}"#;
    run("r1", &[failed]);
    assert_snapshot!(env.told(&["lesson", "list"]), @"#1    today  run     here  [read the notes] Failed: ENOENT: no such file …");
    run("r1", &[failed, worked, ended]);
    assert_snapshot!(env.told(&["lesson", "list"]), @"#2    today  run     here  [read the notes] Completed using read-file. 1 step(s) succeeded.");
    run("r1", &[failed, worked, ended]);
    // What is true of other runs stays; the run is no evidence of it any more.
    run("r2", &[failed, failed]);
    run("r3", &[failed, failed]);
    run("r3", &[failed, failed, worked, ended]);
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    #3    today  run     here  [read the notes] Failed: ENOENT: no such file …; ENOENT: no such file …
    #2    today  run     here  [read the notes] Completed using read-file. 1 step(s) succeeded.
    ");
    assert_snapshot!(env.told(&["lesson", "show", "3"]), @"
    #3 [read the notes] Expect this task to fail as it did

    Failed: ENOENT: no such file …; ENOENT: no such file …

    signature   read the notes
    situation   read the notes
    comes up    at a session's start; when a call fails with `read the notes`; where `ENOENT` is written; for tasks about its words
    tags        read-file
    tools       read-file
    project     [HOME]/repo
    status      active
    source      rules that read a run
    cause       error
    use         shown 0 times, helped 0, wrong 0
    evidence    1 run, recorded because every run is
    created     [DATE] [CLOCK]
    updated     [DATE] [CLOCK]
    ");
}

/// For whoever wants to see what would be learned before anything is kept.
#[test]
fn what_runs_teach_may_be_logged_only() {
    let env = TestEnv::new();
    env.ok(&["config", "set", "learning", "log"]);
    env.write("one.jsonl", &run("one"));
    env.write("two.jsonl", &run("two"));
    assert_snapshot!(env.told(&["learn", "."]), @"
    2 runs in 2 transcripts: 0 lessons learned, 0 seen again, 0 to review
      1 failure seen once; each becomes a lesson when another run meets it too
      1 lesson written to learned.log and not kept, as `learning` is `log`
    ");
    assert_eq!(env.ok(&["lesson", "list", "--json"]), "{\"lessons\":[]}\n");
    let log = env.work().join("../state/hardwon/learned.log");
    let log = fs::read_to_string(log).unwrap();
    let (_, line) = log.trim_end().split_once(' ').unwrap();
    assert!(
        line.contains("[npm test (Missing script: \"test\")]") && !line.contains('\n'),
        "{log}"
    );
    // What somebody writes down is kept.
    env.ok(&["lesson", "add", "npm test", "Run the unit script."]);
    assert_eq!(env.ok(&["lesson", "list"]).lines().count(), 1);
    // A dry run shows what would be kept.
    env.write("three.jsonl", &run("three"));
    let shown = env.ok(&["learn", "--dry-run", "three.jsonl"]);
    assert!(shown.contains("would"), "{shown}");
}
