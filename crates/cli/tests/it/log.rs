//! What was shown, to whom and why.

use hardwon_core::{CleanText, ClientName, LessonId, ProjectId, RunId, Scope};
use hardwon_store::{
    ConsideredLesson, Moment, PromptDigest, Recall, SqliteStore, Store as _, Treatment,
};
use insta::assert_snapshot;

use crate::env::{TestEnv, unscored};

/// A recall as a hook leaves it.
fn recall(client: &str, moment: Moment, project: &str, shown: &[i64]) -> Recall {
    let found = |id: &i64| ConsideredLesson {
        lesson: LessonId(*id),
        score: 2.5,
        treatment: Treatment::Shown,
        holdout_chance: 0.0,
    };
    Recall {
        scope: Scope {
            project: ProjectId::parse(project).ok(),
            ..Scope::default()
        },
        run: RunId::parse("session 1").ok(),
        client: ClientName::parse(client).ok(),
        at: "2026-03-02T09:00:00Z".parse().unwrap(),
        moment,
        prompt: PromptDigest {
            hash: [0; 8],
            chars: 9,
        },
        query_text: None,
        considered: shown.iter().map(found).collect(),
        silence: shown
            .is_empty()
            .then(|| CleanText::from_stored("nothing fits".to_owned())),
    }
}

fn remember(env: &TestEnv, recalls: &[Recall]) {
    let store = SqliteStore::open(&env.db()).unwrap();
    for recall in recalls {
        store.spool_recall(recall).unwrap();
    }
}

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.lessons(&[
        ("npm test", "Run the unit tests alone. They are quick."),
        ("", "Fetch pages with a token."),
    ]);
    remember(
        &env,
        &[
            recall("claude-code", Moment::Prompt, "host/a", &[1, 2]),
            recall("codex", Moment::Failure, "host/b", &[1]),
            recall("codex", Moment::Prompt, "host/b", &[]),
            recall("", Moment::BeforeCall, "", &[2, 7]),
        ],
    );
    env
}

#[test]
fn what_was_shown_is_listed() {
    let env = env();
    env.ok(&["lesson", "edit", "1", "--text", "Run the unit tests."]);
    assert_snapshot!(env.told(&["log"]), @"
    recall 4, [DATE] [CLOCK], by hand, before a tool call, no project, session session 1
      #2 Fetch pages with a token. (it names this call)
      #7 (it is no longer there) (it names this call)
    recall 2, [DATE] [CLOCK], codex, at a failure, host/b, session session 1
      #1 [npm test] Run the unit tests. (it is about this failure; its words were edited since)
    recall 1, [DATE] [CLOCK], claude-code, at a prompt, host/a, session session 1
      #1 [npm test] Run the unit tests. (it fits what was asked; its words were edited since)
      #2 Fetch pages with a token. (it fits what was asked)
    ! hardwon: 1 recall showed nothing; --all lists them too
    ");
    assert_snapshot!(env.told(&["log", "-n", "1", "--all", "--client", "codex"]), @"
    recall 3, [DATE] [CLOCK], codex, at a prompt, host/b, session session 1
      nothing: nothing fits
    ");
    assert_snapshot!(env.told(&["log", "--project", "host/a"]), @"
    recall 1, [DATE] [CLOCK], claude-code, at a prompt, host/a, session session 1
      #1 [npm test] Run the unit tests. (it fits what was asked; its words were edited since)
      #2 Fetch pages with a token. (it fits what was asked)
    ");
    assert_snapshot!(env.told(&["log", "--everywhere", "-n", "2"]), @"
    recall 4, [DATE] [CLOCK], by hand, before a tool call, no project, session session 1
      #2 Fetch pages with a token. (it names this call)
      #7 (it is no longer there) (it names this call)
    ");
    assert_snapshot!(unscored(&env.told(&["log", "--json", "--all"])), @r#"
    {"recall":4,"at":"[TIME]","client":null,"moment":"call","agent":"default","project":null,"run":"session 1","asked":null,"silent":null,"shown":[{"id":2,"title":"Fetch pages with a token.","score":N,"why":"it names this call","fate":null,"good":null},{"id":7,"title":null,"score":N,"why":"it names this call","fate":null,"good":null}],"held_back":[]}
    {"recall":3,"at":"[TIME]","client":"codex","moment":"turn","agent":"default","project":"host/b","run":"session 1","asked":null,"silent":"nothing fits","shown":[],"held_back":[]}
    {"recall":2,"at":"[TIME]","client":"codex","moment":"failure","agent":"default","project":"host/b","run":"session 1","asked":null,"silent":null,"shown":[{"id":1,"title":"Run the unit tests.","score":N,"why":"it is about this failure; its words were edited since","fate":null,"good":null}],"held_back":[]}
    {"recall":1,"at":"[TIME]","client":"claude-code","moment":"turn","agent":"default","project":"host/a","run":"session 1","asked":null,"silent":null,"shown":[{"id":1,"title":"Run the unit tests.","score":N,"why":"it fits what was asked; its words were edited since","fate":null,"good":null},{"id":2,"title":"Fetch pages with a token.","score":N,"why":"it fits what was asked","fate":null,"good":null}],"held_back":[]}
    "#);
    assert_snapshot!(env.told(&["log", "--client", "nobody"]), @"! hardwon: nothing that was shown fits these options");
    assert_snapshot!(env.told(&["log", "--agent", "nobody"]), @"! hardwon: nothing that was shown fits these options");
    assert_snapshot!(env.told(&["log", "--lesson", "9999"]), @"
    ! hardwon: there is no lesson #9999
    ! hint: `hardwon lesson list` shows those there are
    [exit 1]
    ");
    assert_snapshot!(env.told(&["lesson", "when", "9999"]), @"
    ! hardwon: there is no lesson #9999
    ! hint: `hardwon lesson list` shows those there are
    [exit 1]
    ");
    // What it lists can be asked about by its number.
    assert!(env.ok(&["why", "2"]).contains("codex"));
}

#[test]
fn what_followed_is_told_once_the_run_was_judged() {
    let env = TestEnv::new();
    env.lessons(&[
        ("npm test", "Run `npm run test:unit`."),
        ("", "Fetch pages with a token."),
    ]);
    let mut recalled = recall("codex", Moment::Prompt, "", &[1, 2]);
    recalled.considered[1].treatment = Treatment::HeldOut;
    remember(&env, &[recalled]);
    let told = |of: &[&str]| unscored(&env.told(of));
    assert_snapshot!(told(&["log"]), @"
    recall 1, [DATE] [CLOCK], codex, at a prompt, no project, session session 1
      #1 [npm test] Run `npm run test:unit`. (it fits what was asked)
      #2 Fetch pages with a token. (left out at random)
    ! hardwon: left out at random: a control group (setting `holdout`), every second time until a lesson's effect is known
    ");
    let trace = r#"{"type":"run","run":"session 1"}
        {"type":"tool","tool":"Bash","args":"npm run test:unit","status":"ok"}
        {"type":"end","status":"completed"}"#;
    let path = env.write("one.jsonl", trace);
    env.ok(&["learn", path.to_str().unwrap()]);
    assert_snapshot!(told(&["log"]), @"
    recall 1, [DATE] [CLOCK], codex, at a prompt, no project, session session 1
      #1 [npm test] Run `npm run test:unit`. (it fits what was asked)
        followed
      #2 Fetch pages with a token. (left out at random)
        without it: not needed
    ! hardwon: left out at random: a control group (setting `holdout`), every second time until a lesson's effect is known
    ");
    assert_snapshot!(told(&["log", "--json"]), @r#"{"recall":1,"at":"[TIME]","client":"codex","moment":"turn","agent":"default","project":null,"run":"session 1","asked":null,"silent":null,"shown":[{"id":1,"title":"Run `npm run test:unit`.","score":N,"why":"it fits what was asked","fate":"followed","good":true}],"held_back":[{"id":2,"title":"Fetch pages with a token.","score":N,"why":"it was left out at random (control group, setting `holdout`): every second time until its effect is known","fate":"not_needed","good":null}]}"#);
}

#[test]
fn what_followed_alike_is_told_once() {
    let env = TestEnv::new();
    env.lessons(&[("yarn", "Mind the lock."), ("bun", "Mind the port.")]);
    remember(&env, &[recall("codex", Moment::SessionStart, "", &[1, 2])]);
    let trace = r#"{"type":"run","run":"session 1"}
        {"type":"tool","tool":"Bash","args":"ls","status":"ok"}
        {"type":"end","status":"completed"}"#;
    let path = env.write("one.jsonl", trace);
    env.ok(&["learn", path.to_str().unwrap()]);
    assert_snapshot!(env.told(&["log"]), @"
    recall 1, [DATE] [CLOCK], codex, at a session's start, no project, session session 1
      #1 [yarn] Mind the lock. (it is one of this project's)
      #2 [bun] Mind the port. (it is one of this project's)
        each: not needed
    ");
}

#[test]
fn without_a_store_nothing_was_shown() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["log"]), @"! hardwon: nothing was shown yet");
    assert_eq!(
        env.told(&["log", "--json"]),
        "! hardwon: nothing was shown yet\n"
    );
    assert!(!env.db().exists());
}

/// What is long ago is found behind many recalls that showed nothing.
#[test]
fn silent_recalls_hide_nothing() {
    let env = env();
    let silent = recall("codex", Moment::Prompt, "host/b", &[]);
    remember(&env, &vec![silent; 450]);
    let told = env.told(&["log", "--client", "codex"]);
    assert!(told.starts_with("recall 2, "), "{told}");
    assert!(told.contains("451 recalls showed nothing"), "{told}");
}

/// What was asked is told to the owner and to the agent that asked, without secrets, and to nobody
/// where it is not to be kept.
#[test]
fn what_was_asked_is_for_its_own_agent_and_the_owner() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    let ask = "npm test fails with ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    env.ok(&["recall", "--agent", "a", ask]);
    let line = "\n  for: npm test fails with [REDACTED";
    let tells = |args: &[&str]| {
        env.told(args)
            .replace("  for         ", "\n  for: ")
            .contains(line)
    };
    assert!(tells(&["log", "--all"]), "{}", env.told(&["log", "--all"]));
    assert!(tells(&["log", "--all", "--agent", "a"]));
    assert!(tells(&["why", "1", "--agent", "a"]));
    assert!(!tells(&["why", "1", "--agent", "b"]));
    assert!(
        env.told(&["why", "1", "--agent", "b"])
            .contains("no such recall")
    );
    assert!(!env.told(&["log", "--all"]).contains("ghp_16C7"));

    env.ok(&["config", "set", "keep_prompts", "off"]);
    assert!(!tells(&["log", "--all"]));
    env.ok(&["config", "set", "keep_prompts", "on"]);
    assert!(!tells(&["log", "--all"]), "it is forgotten for good");
}

/// People read their own clock everywhere, programs UTC.
#[test]
fn every_command_shows_the_same_clock() {
    let env = TestEnv::new();
    env.ok(&["lesson", "add", "npm test", "Run `npm run test:unit`."]);
    env.ok(&["recall", "why does npm test fail?"]);
    for (args, at) in [
        (&["why"][..], "/at"),
        (&["log"], "/at"),
        (&["lesson", "history", "1"], "/changes/0/at"),
        (&["lesson", "show", "1"], "/created"),
    ] {
        let json = env.command().args(args).arg("--json").output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        let at: jiff::Timestamp = json.pointer(at).unwrap().as_str().unwrap().parse().unwrap();
        let here = at.to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(5)));
        let told = env
            .command()
            .args(args)
            .env("TZ", "<+05>-5")
            .output()
            .unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        let here = here.strftime("%Y-%m-%d %H:%M:%S").to_string();
        assert!(told.contains(&here), "{args:?} says not {here}: {told}");
    }
}

/// What was shown had the same words where an edit changed none.
#[test]
fn an_edit_without_new_words_is_not_said_to_have_some() {
    let env = TestEnv::new();
    env.lessons(&[("make", "Use four jobs.")]);
    env.ok(&["recall", "--run", "one", "make it with more jobs"]);
    let log = |edit: &[&str]| {
        env.ok(&[&["lesson", "edit", "1"], edit].concat());
        env.ok(&["log", "--lesson", "1"])
    };
    for edit in [&["--tag", "build"], &["--trigger", "make all"]] {
        let told = log(edit);
        assert!(!told.contains("edited since"), "{edit:?}: {told}");
    }
    let told = log(&["--text", "Use eight jobs."]);
    assert!(told.contains("its words were edited since"), "{told}");
}
