//! `hardwon sweep` as a person uses it.

use crate::env::TestEnv;

/// A lesson that says what the next two do, and one beside them.
const LESSONS: [(&str, &str); 4] = [
    (
        "npm test",
        "Use `pnpm test` here. One lockfile is kept. Workspaces need it.",
    ),
    ("npm test", "Use `pnpm test` here. Workspaces need it."),
    ("npm test", "Use `pnpm test` here."),
    ("zsh globs", "Quote globs in zsh."),
];
/// Lessons that share a remedy or a topic, and no call.
const DISTINCT: [(&str, &str); 8] = [
    (
        "pytest (connection refused)",
        "`pytest` fails with *connection refused*. Run `docker compose up -d postgres` first, then wait until it accepts connections.",
    ),
    (
        "npm run e2e (ECONNREFUSED)",
        "`npm run e2e` fails with *ECONNREFUSED*. Run `docker compose up -d postgres` first, then wait until it accepts connections.",
    ),
    (
        "alembic upgrade head (could not connect)",
        "`alembic upgrade head` fails with *could not connect*. Run `docker compose up -d postgres` first, then wait until it accepts connections.",
    ),
    (
        "cargo build (linker cc not found)",
        "Use `--target x86_64-unknown-linux-musl` here.",
    ),
    (
        "mypy src (target is not set)",
        "Use `--target x86_64-unknown-linux-musl` here.",
    ),
    ("auth tests", "Inject the clock in token refresh tests."),
    ("refresh", "Back off before retrying a token refresh."),
    (
        "JWT expiry",
        "Use timezone-aware datetimes in token expiry checks.",
    ),
];

/// Returns the id in a line that the program printed.
fn find_id(told: &str) -> String {
    let is_id = |word: &&str| word.len() == 12 && word.bytes().all(|it| it.is_ascii_hexdigit());
    told.split(|c: char| !c.is_ascii_alphanumeric())
        .find(is_id)
        .unwrap()
        .to_owned()
}

#[test]
fn a_plan_is_shown_done_and_taken_back() {
    let env = TestEnv::new();
    env.lessons(&LESSONS);
    let looked = env.run(&["sweep"]);
    assert_eq!(looked.code, 1, "{}", looked.told());
    let (_, digest) = looked.out.split_once('\n').unwrap();
    insta::assert_snapshot!(digest, @"

    4 lessons looked at. 3 merged into 1, 0 replaced, 0 held for review, 0 deleted.

    ## Merge

    - stays: #1 [npm test] Use `pnpm test` here. One lockfile is kept. Workspaces need it.
      - #2 [npm test] Use `pnpm test` here. Workspaces need it.
      - #3 [npm test] Use `pnpm test` here.
    ");
    let done = env.ok(&["sweep", "--apply"]);
    let id = find_id(&done);
    insta::assert_snapshot!(done.replace(&id, "ID"), @"
    sweep ID: 2 lessons retired, 0 added
    `hardwon sweep --undo ID` takes it back
    ");
    assert!(
        env.ok(&["sweep"])
            .ends_with("2 lessons looked at. Nothing to do.\n")
    );
    assert!(env.ok(&["sweep", "--list"]).contains(&id));
    insta::assert_snapshot!(env.ok(&["sweep", "--undo", &id]).replace(&id, "ID"), @"sweep ID was taken back: 2 lessons as before");
    let twice = env.run(&["sweep", "--undo", &id]);
    assert_eq!(
        (twice.code, twice.err.contains("taken back already")),
        (1, true),
        "{}",
        twice.told()
    );
    env.ok(&["journal", "verify"]);
}

#[test]
fn lessons_that_share_a_remedy_or_a_topic_stay() {
    let env = TestEnv::new();
    env.lessons(&DISTINCT);
    let digest = env.ok(&["sweep"]);
    assert!(
        digest.ends_with("8 lessons looked at. Nothing to do.\n"),
        "{digest}"
    );
    let recalled = env.ok(&["recall", "npm run e2e fails with ECONNREFUSED"]);
    assert!(recalled.contains("npm run e2e"), "{recalled}");
    let recalled = env.ok(&["recall", "mypy src says that the target is not set"]);
    assert!(recalled.contains("mypy src"), "{recalled}");
}

#[test]
fn the_plan_that_was_shown_last_is_applied() {
    let env = TestEnv::new();
    env.lessons(&LESSONS);
    insta::assert_snapshot!(env.run(&["sweep", "--apply"]).told(), @"
    ! hardwon: no plan waits to be applied: none was shown, or there was nothing to do
    ! hint: `hardwon sweep` looks, and shows what it would do
    [exit 2]
    ");
    // What is printed for a program is its own to keep.
    env.run(&["sweep", "--json"]);
    assert_eq!(env.run(&["sweep", "--apply"]).code, 2);
    env.run(&["sweep"]);
    env.ok(&["sweep", "--apply"]);
    env.ok(&["sweep"]);
    assert_eq!(env.run(&["sweep", "--apply"]).code, 2);
}

#[test]
fn what_is_no_plan_or_too_old_is_refused() {
    let env = TestEnv::new();
    let nothing = env.run_with(&["sweep", "--apply", "-"], "{}");
    assert_eq!(nothing.code, 2, "{}", nothing.told());
    env.lessons(&LESSONS);
    let plan = env.command().args(["sweep", "--json"]).output().unwrap();
    std::fs::write(env.work().join("plan.json"), plan.stdout).unwrap();
    env.lessons(&[("tar", "Name the archive before the files.")]);
    insta::assert_snapshot!(env.run(&["sweep", "--apply", "plan.json"]).told(), @"
    ! hardwon: the lessons have changed since the plan was made
    ! hint: run `hardwon sweep` again, and apply the new plan
    [exit 2]
    ");
    insta::assert_snapshot!(env.run_with(&["sweep", "--apply", "-"], "no plan").told(), @"
    ! hardwon: reading the plan -: it is no plan: expected ident at line 1 column 2
    ! hint: `hardwon sweep --json` prints one
    [exit 2]
    ");
    insta::assert_snapshot!(env.run(&["sweep", "--undo", "0123456789ab"]).told(), @"
    ! hardwon: there is no sweep 0123456789ab to be taken back
    ! hint: `hardwon sweep --list` shows the sweeps that can be undone
    [exit 1]
    ");
    env.write("hardwon.db", "no database");
    assert_eq!(env.run(&["sweep", "--db", "hardwon.db"]).code, 2);
}

#[test]
fn at_night_it_goes_as_far_as_it_may() {
    let env = TestEnv::new();
    env.lessons(&LESSONS);
    // A person wrote them, so nobody merges them unattended.
    let night = env.run(&["sweep", "--unattended"]);
    assert_eq!(night.code, 1, "{}", night.told());
    assert!(
        night.out.contains("1 left for a person"),
        "{}",
        night.told()
    );
    insta::assert_snapshot!(env.run(&["sweep", "--unattended"]).told(), @"
    skipped: the last sweep was 0 h ago; sweep_min_hours is 20
    [exit 3]
    ");
    env.ok(&["config", "set", "sweep_min_hours", "0"]);
    insta::assert_snapshot!(env.run(&["sweep", "--unattended"]).told(), @"
    skipped: 0 new lessons since the last sweep; sweep_min_lessons is 1
    [exit 3]
    ");
}

#[test]
fn a_script_that_is_gone_holds_its_lesson() {
    let env = TestEnv::new();
    env.init_repository("https://example.com/shop.git");
    env.write("scripts/seed.py", "");
    env.lessons(&[("seed", "Seed the shop with `scripts/seed.sh`.")]);
    let planned = env.run(&["sweep"]).out;
    assert!(
        planned.contains("on probation: `scripts/seed.sh` is gone (there is `seed.py`)"),
        "{planned}"
    );
}
