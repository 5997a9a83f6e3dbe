//! Where lessons belong: nothing is everybody's but on a person's word.

use std::{
    fs,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;
use serde_json::Value;

use crate::env::TestEnv;

/// A run that met a trouble and got past it, as the plain trace has it.
fn run(name: &str, place: &str) -> String {
    let call = |turn: u32, command: &str, rest: &str| {
        format!(
            r#"{{"type":"tool","turn":{turn},"call":"c{turn}","tool":"Bash","args":"{command}",{rest}}}"#
        )
    };
    let error = r#""status":"error","error":"npm error Missing script: \"test\"""#;
    let calls = [
        call(1, "npm test", error),
        call(2, "npm test", error),
        call(3, "npm run test:unit", r#""status":"ok""#),
    ];
    let begin = format!(r#"{{"type":"run","run":"{name}",{place}"task":"run the tests"}}"#);
    let end = r#"{"type":"end","status":"completed"}"#;
    format!("{begin}\n{}\n{end}\n", calls.join("\n"))
}

fn lessons(env: &TestEnv) -> Vec<Value> {
    let page = env.ok(&["lesson", "list", "--json", "--all-projects"]);
    let page: Value = serde_json::from_str(&page).unwrap();
    page["lessons"].as_array().unwrap().clone()
}

#[test]
fn what_any_client_taught_belongs_to_a_project() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/tests/transcripts");
    let clients = fs::read_dir(transcripts)
        .unwrap()
        .map(|it| it.unwrap().path());
    let mut seen = 0;
    for client in clients.filter(|it| it.is_dir()) {
        let env = TestEnv::new();
        env.ok(&["learn", client.to_str().unwrap()]);
        let lessons = lessons(&env);
        assert!(!lessons.is_empty(), "{}", client.display());
        for lesson in lessons {
            assert!(
                lesson["project"].is_string(),
                "{}: {lesson}",
                client.display()
            );
        }
        assert_eq!(env.ok(&["recall", "npm test fails: missing script"]), "");
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_session_is_of_the_folder_it_was_in() {
    let env = TestEnv::new();
    for folder in ["scripts", "other"] {
        fs::create_dir(env.work().join(folder)).unwrap();
    }
    let at = |folder: &str| env.work().join(folder).display().to_string();
    let shown = |folder: &str| {
        let mut command = env.command();
        command.current_dir(env.work().join(folder));
        command.args(["recall", "npm test fails"]);
        !env.ran(command.output().unwrap()).out.is_empty()
    };
    let learn = |file: PathBuf, rest: &[&str]| {
        env.ok(&[&["learn", file.to_str().unwrap()], rest].concat());
    };
    let place = format!(r#""cwd":"{}","#, at("scripts"));
    learn(env.write("logs/one.jsonl", &run("r1", &place)), &[]);
    assert!(shown("scripts") && !shown("other") && !shown("logs"));
    // A folder may be named by its path, and what tells of none is of the folder it lies in.
    let place = format!(r#""project":"{}","#, at("other"));
    learn(env.write("logs/two.jsonl", &run("r2", &place)), &[]);
    assert!(shown("other") && !shown("logs"));
    learn(env.write("logs/three.jsonl", &run("r3", "")), &[]);
    assert!(shown("logs") && !shown("."));
    learn(env.write("four.jsonl", &run("r4", "")), &["--everywhere"]);
    assert!(shown("."));
}

#[test]
fn a_list_says_where_each_lesson_belongs() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["lesson", "move", "1", "--everywhere"]), @"
    ! hardwon: there is no lesson #1
    ! hint: `hardwon lesson list` shows those there are
    [exit 1]
    ");
    env.lessons(&[("make", "Pass -j4.")]);
    env.ok(&["lesson", "add", "--everywhere", "curl", "Pass -fsSL."]);
    env.ok(&[
        "lesson",
        "add",
        "--project",
        "orchard",
        "prune",
        "Wait for frost.",
    ]);
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    #2    today  person  everywhere  [curl] Pass -fsSL.
    #1    today  person  here        [make] Pass -j4.
    ");
    assert_snapshot!(env.told(&["lesson", "list", "--project", "orchard"]), @"
    #3    today  person  here        [prune] Wait for frost.
    #2    today  person  everywhere  [curl] Pass -fsSL.
    ");
    assert_snapshot!(env.told(&["lesson", "list", "--all-projects"]), @"
    #3    today  person  orchard     [prune] Wait for frost.
    #2    today  person  everywhere  [curl] Pass -fsSL.
    #1    today  person  here        [make] Pass -j4.
    ");
    // Numbers are of all projects, unless one is named.
    assert_eq!(env.run(&["lesson", "show", "3"]).code, 0);
    assert_snapshot!(env.told(&["lesson", "delete", "3", "--project"]), @"
    ! hardwon: there is no lesson #3 in [HOME]/repo
    ! hint: it belongs to orchard
    [exit 1]
    ");
}

#[test]
fn a_place_that_is_mistyped_is_named() {
    let env = TestEnv::new();
    env.ok(&[
        "lesson",
        "add",
        "--project",
        "orchard",
        "prune",
        "Wait for frost.",
    ]);
    assert_snapshot!(env.told(&["lesson", "list", "--project", "orchrad"]), @"
    ! hardwon: nothing is known of a project orchrad
    ! hint: did you mean orchard? `hardwon lesson list --all-projects` names the projects
    [exit 2]
    ");
    assert_snapshot!(env.told(&["log", "--project", "yard"]), @"
    ! hardwon: nothing is known of a project yard
    ! hint: `hardwon lesson list --all-projects` names the projects
    [exit 2]
    ");
    env.write("yard/notes.txt", "");
    assert_snapshot!(env.told(&["log", "--project", "yard"]), @"
    ! hardwon: nothing is known of a project yard
    ! hint: the folder is `--project ./yard`
    [exit 2]
    ");
    assert_snapshot!(env.told(&["--db", "no.db", "lesson", "list"]), @"
    ! hardwon: there is no database no.db
    ! hint: without --db it is the one that `hardwon doctor` names
    [exit 2]
    ");
    assert_snapshot!(env.told(&["--db", "no.db", "lesson", "edit", "1", "--text", "x"]), @"
    ! hardwon: there is no database no.db
    ! hint: without --db it is the one that `hardwon doctor` names
    [exit 2]
    ");
    assert!(!env.work().join("no.db").exists());
    for command in ["replay", "open"] {
        let told = env.told(&["--db", "no.db", command]);
        assert!(told.contains("there is no database no.db"), "{told}");
    }
    // The project of this folder may be empty, and whoever asks or writes may name a new one, which is said.
    assert_snapshot!(env.told(&["lesson", "list", "--project"]), @"
    ! hardwon: no lessons here
    ! hint: `hardwon lesson list --all-projects` shows those of other projects
    ");
    assert_snapshot!(env.told(&["recall", "--project", "yard", "prune the trees"]), @r"
    ! hardwon: nothing is known of a project yard; the folder is `--project ./yard`
    ");
    assert_snapshot!(env.told(&["--db", "no.db", "recall", "prune the trees"]), @r"
    ! hardwon: there is no database no.db; without --db it is the one that `hardwon doctor` names
    ");
    assert!(!env.work().join("no.db").exists());
    // A pause would keep nothing still there; a folder may be new.
    assert_snapshot!(env.told(&["pause", "--project", "orchad"]), @"
    ! hardwon: nothing is known of a project orchad
    ! hint: did you mean orchard? `hardwon lesson list --all-projects` names the projects
    [exit 2]
    ");
    assert_snapshot!(env.told(&["pause", "--project", "./yard"]), @"paused in [HOME]/repo/yard until `hardwon resume`");
    let told = env.told(&["--db", "no.db", "pause", "--project", "orchad"]);
    assert!(told.contains("paused in orchad"), "{told}");
    let told = env.told(&[
        "lesson",
        "add",
        "--project",
        "orchad",
        "Water in the evening.",
    ]);
    assert!(told.contains("did you mean orchard?"), "{told}");
    let ran = env.run(&["lesson", "list", "--project", "orchad"]);
    assert_eq!(ran.code, 2, "it was recorded nowhere: {}", ran.told());
    // What writes, or looks, refuses what is almost the name of another.
    let database = ["--db", "gone/no.db"];
    for command in [
        &["lesson", "move", "1"][..],
        &["reflect", "/lesson mulch: Use straw."],
        &["sync"],
        &["place"],
        &["doctor"],
        &["learn", "--dry-run"],
        &["learn", "."],
        &["import", "."],
    ] {
        let ran = env.run(&[command, &["--project", "orchrad"]].concat());
        assert_eq!(ran.code, 2, "{command:?}: {}", ran.told());
        assert!(ran.err.contains("did you mean orchard?"), "{}", ran.err);
        let ran = env.run(&[command, &database].concat());
        assert_eq!(ran.code, 2, "{command:?}: {}", ran.told());
        assert!(ran.err.contains("no database gone/no.db"), "{}", ran.err);
    }
    assert!(!env.work().join("gone").exists() && !env.work().join(".hardwon").exists());
    env.ok(&["lesson", "move", "1", "--project", "host/garden"]);
    // A project is named by its folder too, if only one has it.
    let told = env.ok(&["lesson", "list", "--project", "garden"]);
    assert!(told.contains("Wait for frost."), "{told}");
    // And by the name that lists have for it when the folder is gone.
    let barn = env.work().join("barn");
    env.with_programs(&["git"]);
    env.git(&["init", "-q", barn.to_str().unwrap()]);
    env.ok(&["lesson", "add", "--project", "./barn", "Oil the hinges."]);
    std::fs::remove_dir_all(&barn).unwrap();
    let told = env.ok(&["lesson", "list", "--project", barn.to_str().unwrap()]);
    assert!(told.contains("Oil the hinges."), "{told}");
}

#[test]
fn a_lesson_moves_and_back() {
    let env = TestEnv::new();
    env.lessons(&[("make", "Pass -j4."), ("curl", "Pass -fsSL.")]);
    assert_snapshot!(env.told(&["lesson", "move", "1"]), @"
    ! hardwon: no destination was given
    ! hint: give --project NAME, --project alone for the project here, or --everywhere
    [exit 2]
    ");
    assert_snapshot!(env.told(&["lesson", "move", "1", "2", "--global"]), @"
    moved #1 from [HOME]/repo to everywhere
    moved #2 from [HOME]/repo to everywhere
    ");
    let recalled = |rest: &[&str]| env.ok(&[&["recall", "make it"], rest].concat());
    assert!(recalled(&["--project", "orchard"]).contains("-j4"));
    assert_snapshot!(env.told(&["lesson", "move", "1", "--project", "orchard"]), @"
    moved #1 from everywhere to orchard
    ! hardwon: nothing is known of a project orchard; `hardwon lesson list --all-projects` names the projects
    ");
    assert_eq!(recalled(&[]), "");
    assert_snapshot!(env.told(&["lesson", "move", "1", "--project", "orchard"]), @"#1 belongs to orchard already");
    // What is there already stays one lesson.
    env.lessons(&[("make", "Pass -j4.")]);
    assert_snapshot!(env.told(&["lesson", "move", "1", "--project"]), @"
    ! hardwon: #3 says the same already
    [exit 2]
    ");
    env.ok(&["lesson", "delete", "3"]);
    assert_snapshot!(env.told(&["lesson", "move", "1", "--project"]), @"moved #1 from orchard to [HOME]/repo");
    assert!(recalled(&[]).contains("-j4"));
    let history = env.ok(&["lesson", "history", "1"]);
    assert!(history.contains("moved: orchard"), "{history}");
    assert_eq!(env.run(&["journal", "verify"]).code, 0);
}

#[test]
fn lessons_go_along_with_their_repository() {
    let env = TestEnv::new();
    let home = env.work().parent().unwrap().to_owned();
    let set_remote = |folder: &str, name: &str| {
        let url = format!("[remote \"origin\"]\n\turl = https://example.com/{name}.git\n");
        let git = home.join(folder).join(".git");
        fs::create_dir_all(&git).unwrap();
        let text = if name.is_empty() { String::new() } else { url };
        fs::write(git.join("config"), text).unwrap();
    };
    let told = |folder: &str, args: &[&str]| {
        let mut command = env.command();
        command.current_dir(home.join(folder)).args(args);
        env.ran(command.output().unwrap()).told()
    };
    let list = |folder: &str| told(folder, &["lesson", "list"]);
    set_remote("kiln", "");
    told("kiln", &["lesson", "add", "make", "Pass -j4."]);
    set_remote("kiln", "a/kiln");
    assert_snapshot!(list("kiln"), @"
    #1    today  person  here  [make] Pass -j4.
    ! hardwon: this repository was [HOME]/kiln and is example.com/a/kiln now: its lessons came along
    ");
    assert_snapshot!(list("kiln"), @"#1    today  person  here  [make] Pass -j4.");
    set_remote("kiln", "b/kiln");
    assert_snapshot!(list("kiln"), @"
    #1    today  person  here  [make] Pass -j4.
    ! hardwon: this repository was example.com/a/kiln and is example.com/b/kiln now: its lessons came along
    ");
    set_remote("kiln", "");
    list("kiln");
    fs::rename(home.join("kiln"), home.join("oven")).unwrap();
    assert_snapshot!(list("oven"), @"
    #1    today  person  here  [make] Pass -j4.
    ! hardwon: this repository was [HOME]/kiln and is [HOME]/oven now: its lessons came along
    ");
    // A hook follows too, at any call.
    set_remote("oven", "c/kiln");
    let payload = format!(
        r#"{{"session_id":"s","cwd":"{}","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"make"}}}}"#,
        home.join("oven").display()
    );
    let shown = env.ok_with(&["hook", "--client", "claude-code"], payload);
    assert!(shown.contains("-j4"), "{shown}");
    // What another repository is called keeps its lessons, and two that have some are never joined.
    set_remote("oven", "a/kiln");
    set_remote("fork", "a/kiln");
    list("oven");
    told("fork", &["lesson", "add", "curl", "Pass -fsSL."]);
    set_remote("fork", "fork/kiln");
    assert_snapshot!(list("fork"), @"
    ! hardwon: this repository was example.com/a/kiln and is example.com/fork/kiln now: its lessons stay there, and `hardwon lesson move` moves them
    ! hardwon: no lessons here
    ! hint: `hardwon lesson list --all-projects` shows those of other projects
    ");
    told("fork", &["lesson", "add", "tar", "Pass -z."]);
    set_remote("fork", "a/kiln");
    assert_snapshot!(list("fork"), @"
    #2    today  person  here  [curl] Pass -fsSL.
    #1    today  person  here  [make] Pass -j4.
    ! hardwon: this repository was example.com/fork/kiln and is example.com/a/kiln now: its lessons stay there, and `hardwon lesson move` moves them
    ");
    assert_eq!(env.run(&["journal", "verify"]).code, 0);
}

#[test]
fn no_command_touches_another_agents_lesson() {
    let env = TestEnv::new();
    env.lessons(&[("make", "Pass -j4.")]);
    for command in [
        &["lesson", "show", "1"][..],
        &["lesson", "edit", "1", "--text", "Pass -j1."],
        &["lesson", "delete", "1"],
        &["lesson", "move", "1", "--everywhere"],
        &["lesson", "history", "1"],
        &["lesson", "approve", "1"],
        &["lesson", "reject", "1", "--why", "no"],
        &["lesson", "supersede", "1", "1"],
        &["effect", "1"],
        &["review-queue", "show", "1"],
    ] {
        let ran = env.run(&[&["--agent", "other"], command].concat());
        assert_eq!(ran.code, 1, "{command:?}: {} {}", ran.out, ran.err);
    }
    let listed = env.ok(&["--agent", "other", "lesson", "list", "--all-projects"]);
    assert_eq!(listed, "");
    assert!(env.ok(&["lesson", "show", "1"]).contains("-j4"));
}

const FOR_BUILDERS: &str = "---
schema: learning/v1
slug: stop-the-kiln-first
title: Stop the kiln before you build.
trigger:
  description: A build that shares the kiln.
  tags: [kiln]
  targets:
    - role: builder
outcome: failure
evidence:
  - kind: run
    ref: r1
metadata:
  hardwon:
    signature: kiln build
---

# Stop the kiln before you build.

## What to do (or avoid)

Run `kiln stop`, then build.
";

#[test]
fn a_lesson_comes_up_for_whom_it_names() {
    let env = TestEnv::new();
    let file = env.write("in/stop-the-kiln-first.md", FOR_BUILDERS);
    env.ok(&["config", "set", "imported", "active"]);
    env.ok(&["import", file.to_str().unwrap()]);
    let recall = |rest: &[&str]| env.ok(&[&["recall", "build with the kiln"], rest].concat());
    let is_shown = |said: &str| said.contains("kiln stop");
    for (who, expected) in [
        (&[][..], false),
        (&["--role", "builder"], true),
        (&["--role", "Builder", "--skill", "rust"], true),
        (&["--role", "writer"], false),
        (&["--operator", "builder"], false),
    ] {
        assert_eq!(is_shown(&recall(who)), expected, "{who:?}");
    }
    let observed = |who: &str| {
        let run = format!(r#"{{"type":"run","run":"r"{who}}}"#);
        let call = r#"{"type":"calling","tool":"Bash","args":"kiln build"}"#;
        is_shown(&env.ok_with(&["observe"], format!("{run}\n{call}\n")))
    };
    assert!(!observed("") && observed(",\"role\":\"builder\""));
    let hook = |session: &str, event: &str, more: &str| {
        let payload = format!(
            r#"{{"session_id":"{session}","cwd":"{}","hook_event_name":"{event}",{more}}}"#,
            env.work().display()
        );
        is_shown(&env.ok_with(&["hook", "--client", "claude-code"], payload))
    };
    let prompt = r#""prompt":"build with the kiln""#;
    let call = r#""tool_name":"Bash","tool_input":{"command":"kiln build"}"#;
    assert!(!hook("one", "UserPromptSubmit", prompt) && !hook("one", "PreToolUse", call));
    env.ok(&["config", "set", "role", "builder"]);
    assert!(!hook("two", "SessionStart", r#""source":"startup""#));
    assert!(hook("two", "UserPromptSubmit", prompt) && hook("three", "PreToolUse", call));
    assert!(is_shown(&recall(&[])) && !is_shown(&recall(&["--role", "writer"])));
}

#[test]
fn a_target_that_is_not_understood_waits() {
    let env = TestEnv::new();
    let file = env.write(
        "in/stop-the-kiln-first.md",
        &FOR_BUILDERS.replace("role: builder", "team: night"),
    );
    let file = file.to_str().unwrap();
    env.ok(&["config", "set", "imported", "active"]);
    let told = env.run(&["lint", file]);
    assert!(told.out.contains("waits for review"), "{}", told.told());
    let imported = env.run(&["import", file]);
    assert!(imported.out.contains("1 to review"), "{}", imported.told());
    assert_eq!(env.ok(&["recall", "build with the kiln"]), "");
    assert!(env.ok(&["review-queue"]).contains("not understood"));
}

/// A lesson that moves takes its file along, to whichever project's folder is synced next.
#[test]
fn a_moved_lesson_has_its_file_where_it_belongs() {
    let env = TestEnv::new();
    let root = |name: &str| env.work().join(name);
    for name in ["shop", "yard"] {
        fs::create_dir_all(root(name).join(".git")).unwrap();
    }
    let run = |name: &str, args: &[&str]| {
        let ran = env
            .command()
            .current_dir(root(name))
            .args(args)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{args:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    run(
        "shop",
        &["lesson", "add", "npm test", "Run the unit script."],
    );
    run(
        "shop",
        &["lesson", "add", "npm lint", "Pass the fix option."],
    );
    run("shop", &["sync"]);
    let has_file = |name: &str| {
        root(name)
            .join(".hardwon/lessons/run-the-unit-script.md")
            .exists()
    };
    let [shop, yard] = ["shop", "yard"].map(|it| root(it).display().to_string());
    for (to, expected) in [(&yard, [false, true]), (&shop, [true, false])] {
        run("shop", &["lesson", "move", "1", "--project", to]);
        let said = ["shop", "yard"].map(|it| run(it, &["sync"]));
        assert_eq!(["shop", "yard"].map(has_file), expected, "{said:?}");
        let left = usize::from(expected[0]);
        assert!(
            said[left].contains("is erased or in another project"),
            "{said:?}"
        );
        assert_eq!(
            ["shop", "yard"].map(|it| run(it, &["sync"])),
            ["nothing to do: the files and the lessons agree\n"; 2]
        );
    }
    // Where it holds everywhere it is in no project's folder.
    run("shop", &["lesson", "move", "1", "--everywhere"]);
    run("shop", &["sync"]);
    assert!(!has_file("shop"));
    assert!(
        root("shop")
            .join(".hardwon/lessons/pass-the-fix-option.md")
            .exists()
    );
    assert_eq!(lessons(&env).len(), 2);
}
