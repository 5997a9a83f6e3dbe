//! What showing lessons changed: recalled in a run, the run learned from, and told.

use hardwon_core::{
    change::{Actor, Change, ChangeBatch},
    id::{LessonId, TenantId},
    lesson::Status,
    text::CleanText,
};
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
    assert_snapshot!(env.told(&["effect"]), @"0 runs judged, and no lesson was shown yet.");
    env.lessons(&[NPM]);
    play(&env, "one", "npm run test:unit", "completed");
    play(&env, "two", "npm run test:unit", "failed");
    // Nothing in this run bears on the lesson, so nothing is held against it.
    play(&env, "three", "ls", "failed");
    assert_snapshot!(env.told(&["effect"]), @"
    3 runs judged; whether showing lessons helps cannot be said before some occasions went without one, as controls.

    lesson                shown  held   followed    avoided   repeated    in vain not needed  utility        effect
    #1                        3     0          2          0          0          0          1  62 % (18–95)   –                 npm test

    moment                shown  held   followed    avoided   repeated    in vain not needed  effect         over later
    at a prompt               3     0          2          0          0          0          1  –              –

    held       runs that it fitted but was left out of at random, to compare with
    followed   its advice was followed, as far as calls show; in vain: and its failure came all the same
    avoided    its moment came, and then neither its failure nor the call that it warns of
    repeated   one of them came, without its advice; not needed: its moment never came
    utility    estimated success rate with it of tasks that succeed 50 % of the time without it, with a
               95 % credible interval; – until something is known
    effect     on the share of occasions that went well, against the control group, in percentage
               points, with a 95 % interval; of a lesson drawn towards none while little is known
    over later effect of showing lessons at this moment instead of later in the session
    ");
    // A run whose transcript grows is judged anew, and counts once.
    let grown = trace("two", "npm run test:unit", "failed") + &trace("two", "ls", "completed");
    let path = env.write("two.jsonl", &grown);
    env.ok(&["learn", path.to_str().unwrap()]);
    let json = env.told(&["effect", "--json"]);
    let (told, periods) = json.split_once(r#","periods":"#).unwrap();
    assert_snapshot!(told, @r#"{"runs":3,"effect":null,"measures":{"success":null,"met_again":null,"calls":null},"moments":[{"moment":"turn","shown":3,"held":0,"followed":2,"avoided":0,"repeated":0,"in_vain":0,"not_needed":1,"good":2,"bad":0,"effect":null,"effect_over_later":null}],"lessons":[{"id":1,"signature":"npm test","title":"It fails with missing script; run `npm run test:unit`.","status":"active","caution":false,"shown":3,"held":0,"followed":2,"avoided":0,"repeated":0,"in_vain":0,"not_needed":1,"well":2,"badly":0,"helped":0,"wrong":0,"outcomes":{"shown_good":2,"shown_bad":0,"held_good":0,"held_bad":0},"utility":0.76,"utility_low":0.34,"utility_high":0.982,"effect":null,"measures":{"success":null,"met_again":null,"calls":null},"tokens":57}]"#);
    assert_eq!(
        periods.matches(r#""runs":1,"failed":0"#).count(),
        2,
        "{periods}"
    );
    env.ok(&["journal", "verify"]);
    assert_snapshot!(env.told(&["effect", "9"]), @"
    ! hardwon: there is no lesson #9
    ! hint: `hardwon lesson list` shows those there are
    [exit 1]
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
