//! What showing lessons changed: recalled in a run, the run learned from, and told.

use hardwon_core::{Actor, Change, ChangeBatch, CleanText, LessonId, Status, TenantId};
use hardwon_store::{Commit as _, SqliteStore, Write};
use insta::assert_snapshot;
use jiff::Timestamp;

use crate::env::TestEnv;

const NPM: (&str, &str) = (
    "npm test",
    "It fails with missing script; run `npm run test:unit`.",
);
const ASK: &str = "why does npm test fail with a missing script?";

/// A trace of a run that called this and ended so.
fn trace(run: &str, args: &str, status: &str) -> String {
    format!(
        "{{\"type\":\"run\",\"run\":\"{run}\"}}\n\
         {{\"type\":\"tool\",\"tool\":\"Bash\",\"args\":\"{args}\",\"status\":\"ok\"}}\n\
         {{\"type\":\"end\",\"status\":\"{status}\"}}\n"
    )
}

/// Recalls in a run, lets it call something and end, and learns from it.
fn play(env: &TestEnv, run: &str, args: &str, status: &str) {
    env.ok(&["recall", "--run", run, ASK]);
    let path = env.write(&format!("{run}.jsonl"), &trace(run, args, status));
    env.ok(&["learn", path.to_str().unwrap()]);
}

/// Returns what `effect` says, without the day on which this week began.
fn told_without_week(env: &TestEnv, args: &[&str]) -> String {
    let days = Timestamp::now().as_second() / 86_400;
    let monday = Timestamp::from_second(((days + 3) / 7 * 7 - 3) * 86_400).unwrap();
    env.told(args)
        .replace(&monday.strftime("%F").to_string(), "WEEK")
}

/// Takes a lesson out, as the judgement of a run does.
fn quarantine(env: &TestEnv, id: LessonId, why: &str) {
    let why = CleanText::from_stored(why.to_owned());
    let status = Status::Quarantined { why };
    let batch = ChangeBatch {
        tenant: TenantId::default(),
        actor: Actor::rules(),
        at: Timestamp::now(),
        changes: vec![Change::SetStatus { id, status }],
    };
    let store = SqliteStore::open(&env.db()).unwrap();
    let apply = |tx: &mut dyn Write| tx.apply(&batch).map(drop);
    store.commit(&batch.tenant, apply).unwrap();
}

#[test]
fn outcomes_are_credited_once_and_told() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["effect"]), @"
    No lesson was shown yet, so there is nothing to judge. Counted: sessions in the
    project [HOME]/repo.
    ");
    env.lessons(&[NPM]);
    play(&env, "one", "npm run test:unit", "completed");
    play(&env, "two", "npm run test:unit", "failed");
    // Nothing in this run bears on the lesson, so nothing is held against it.
    play(&env, "three", "ls", "failed");
    assert_snapshot!(told_without_week(&env, &["effect"]), @"
    Too early to say if it pays: with a lesson shown, what it warns of was met 0 of
    2 times; none was left out yet, to compare. Showing lessons cost about 57
    tokens; how many calls it saved is not known yet. Counted: sessions in the
    project [HOME]/repo.

    week of     when shown
    WEEK    0 met    2 avoided  ░░░░░░░░░░

    did most (an estimate where it was never left out)
      #1 It fails with missing script; run `npm run test:unit`.
        shown in 3 runs: met 0 of 2 (no case in 1 run), never left out; about 57
        tokens

    met: an agent ran into a lesson's failure, or made the call it warns of.
    `hardwon effect N` tells the life of a lesson, `--json` all the numbers.
    ");
    // A run whose transcript grows is judged anew, and counts once.
    let grown = trace("two", "npm run test:unit", "failed") + &trace("two", "ls", "completed");
    let path = env.write("two.jsonl", &grown);
    env.ok(&["learn", path.to_str().unwrap()]);
    assert_snapshot!(told_without_week(&env, &["effect", "--json"]), @r#"{"worth":{"answer":"Too early to say if it pays: with a lesson shown, what it warns of was met 0 of 2 times; none was left out yet, to compare.","price":"Showing lessons cost about 57 tokens; how many calls it saved is not known yet.","compared":{"shown_met":0,"shown_avoided":2,"held_met":0,"held_avoided":0},"weeks":[{"from":"[TIME]","met":0,"avoided":2,"held_met":0,"held_avoided":0}],"calls_saved":null,"tokens":57,"most":[1],"nothing":[]},"runs":3,"effect":null,"moments":[{"moment":"turn","shown":3,"held":0,"followed":2,"avoided":0,"repeated":0,"in_vain":0,"not_needed":1,"effect":null}],"lessons":[{"id":1,"signature":"npm test","title":"It fails with missing script; run `npm run test:unit`.","status":"active","caution":false,"shown":3,"held":0,"followed":2,"avoided":0,"repeated":0,"in_vain":0,"not_needed":1,"compared":{"shown_met":0,"shown_avoided":2,"held_met":0,"held_avoided":0},"effect":null,"tokens":57}]}"#);
    env.ok(&["journal", "verify"]);
    assert_snapshot!(env.told(&["effect", "9"]), @"
    ! hardwon: there is no lesson #9
    ! hint: `hardwon lesson list` shows those there are
    [exit 1]
    ");
}

/// Where the failure came first and the advice was followed then, it failed: in the headline, for the lesson, and on its day.
/// What a person asks for is no showing.
#[test]
fn the_days_of_a_life_add_up_to_the_whole() {
    let env = TestEnv::new();
    env.lessons(&[NPM]);
    env.ok(&["recall", ASK]);
    assert_snapshot!(env.told(&["effect"]), @"
    No lesson was shown yet, so there is nothing to judge. Counted: sessions in the
    project [HOME]/repo.
    ");
    play(&env, "one", "npm run test:unit", "completed");
    env.ok(&["recall", "--run", "two", ASK]);
    let call = |args: &str, end: &str| {
        format!("{{\"type\":\"tool\",\"tool\":\"Bash\",\"args\":\"{args}\",{end}}}\n")
    };
    let failed = call(
        "npm test",
        "\"status\":\"error\",\"error\":\"missing script\"",
    );
    let steps = failed + &call("npm run test:unit", "\"status\":\"ok\"");
    let run = format!(
        "{{\"type\":\"run\",\"run\":\"two\"}}\n{steps}{{\"type\":\"end\",\"status\":\"completed\"}}\n"
    );
    let path = env.write("two.jsonl", &run);
    env.ok(&["learn", path.to_str().unwrap()]);
    let today = Timestamp::now().strftime("%F").to_string();
    assert_snapshot!(told_without_week(&env, &["effect"]), @"
    Too early to say if it pays: with a lesson shown, what it warns of was met 1 of
    2 times; none was left out yet, to compare. Showing lessons cost about 38
    tokens; how many calls it saved is not known yet. Counted: sessions in the
    project [HOME]/repo.

    week of     when shown
    WEEK    1 met    1 avoided  █████░░░░░

    met: an agent ran into a lesson's failure, or made the call it warns of.
    `hardwon effect N` tells the life of a lesson, `--json` all the numbers.
    ");
    assert_snapshot!(env.told(&["effect", "1"]).replace(&today, "TODAY"), @"
    #1 [npm test] It fails with missing script; run `npm run test:unit`.
    shown in 2 runs: met 1 of 2, never left out; about 38 tokens

    TODAY  written        by hand
    TODAY  shown          in 2 runs: met 1 of 2, its advice was followed in 2

    `hardwon log --lesson 1` has each showing.
    ");
    let log = env.ok(&["log", "--lines", "1"]);
    assert!(log.ends_with("\n    met, then followed\n"), "{log}");
}

/// Where its moment never came, or came only with the call that brought it up, nothing is counted as avoided. What holds
/// everywhere is counted in each project by itself.
#[test]
fn what_was_not_needed_or_elsewhere_counts_as_nothing() {
    let env = TestEnv::new();
    env.lessons(&[NPM]);
    env.ok(&["lesson", "move", "1", "--everywhere"]);
    let play_in = |project: &str, run: &str, args: &str| {
        env.ok(&["--project", project, "recall", "--run", run, ASK]);
        let path = env.write(&format!("{run}.jsonl"), &trace(run, args, "completed"));
        env.ok(&["--project", project, "learn", path.to_str().unwrap()]);
    };
    play_in("shop", "one", "ls");
    play_in("shop", "two", "ls");
    assert_snapshot!(told_without_week(&env, &["--project", "shop", "effect"]), @"
    Too early to say: lessons were shown, and no moment of theirs has come yet.
    Showing lessons cost about 38 tokens; how many calls it saved is not known yet.
    Counted: sessions in the project shop.
    ");
    play_in("site", "three", "npm run test:unit");
    assert_snapshot!(told_without_week(&env, &["--project", "site", "effect"]), @"
    Too early to say if it pays: with a lesson shown, what it warns of was met 0 of
    1 time; none was left out yet, to compare. Showing lessons cost about 19 tokens;
    how many calls it saved is not known yet. Counted: sessions in the project site.

    week of     when shown
    WEEK    0 met    1 avoided  ░░░░░░░░░░

    met: an agent ran into a lesson's failure, or made the call it warns of.
    `hardwon effect N` tells the life of a lesson, `--json` all the numbers.
    ");
    assert_snapshot!(told_without_week(&env, &["effect"]), @"
    No lesson was shown yet, so there is nothing to judge. Counted: sessions in the
    project [HOME]/repo.
    ");
    assert_snapshot!(told_without_week(&env, &["effect", "--all-projects"]), @"
    Too early to say if it pays: with a lesson shown, what it warns of was met 0 of
    1 time; none was left out yet, to compare. Showing lessons cost about 57 tokens;
    how many calls it saved is not known yet. Counted: sessions in all projects.

    week of     when shown
    WEEK    0 met    1 avoided  ░░░░░░░░░░

    met: an agent ran into a lesson's failure, or made the call it warns of.
    `hardwon effect N` tells the life of a lesson, `--json` all the numbers.
    ");
}

/// What is taken out because it probably harms comes back on a person's word. The author's own words about it do not
/// count.
#[test]
fn a_lesson_is_taken_out_and_comes_back() {
    let env = TestEnv::new();
    let (signature, text) = NPM;
    env.ok(&["writ", &format!("/lesson {signature}: {text}")]);
    assert_snapshot!(env.told(&["writ", "/lesson wrong 1"]), @"
    [/lesson wrong #1]
    ERR: nothing counts that is said of a lesson of one's own
    [END LESSON]
    [exit 1]
    ");
    quarantine(&env, LessonId(1), "it probably harms (93 %)");
    let shown = env.told(&["lesson", "show", "1"]);
    let status = shown.lines().find(|line| line.starts_with("status"));
    assert_snapshot!(status.unwrap(), @"status      quarantined: it probably harms (93 %)");
    assert_eq!(env.told(&["recall", ASK]), "");
    assert_snapshot!(env.told(&["lesson", "approve", "1"]), @"approved #1");
    assert!(
        env.told(&["recall", ASK])
            .contains("run `npm run test:unit`. (#1")
    );
    env.ok(&["journal", "verify"]);
}
