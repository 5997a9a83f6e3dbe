//! Wordings of one advice, opposites and neighbours, of which only the first may be taken for the same.
//!
//! Each row is the signature and text of two lessons. Every second row was kept aside while the rules were made.

use super::*;
use crate::trigger;

/// Two lessons: signature and text of each.
type Pair = [(&'static str, &'static str); 2];

#[rustfmt::skip]
const RESTATED: &[Pair] = &[
    [("mvn test", "Run mvn with -o; the proxy drops connections to Central."), ("mvn test", "Maven times out against Central behind the proxy. Work offline: `mvn -o test`.")],
    [("poetry add", "Use `poetry add --group dev` for test tools."), ("poetry add", "A tool only the tests need goes into the dev group: poetry add --group dev.")],
    [("ruff check", "Never pass --unsafe-fixes to ruff: it removed an import that registers the models."), ("ruff check", "ruff check without --unsafe-fixes, which threw out the import that registers our models.")],
    [("gradle build", "Stop the daemon (`gradle --stop`) before a build after changing the JDK."), ("gradle build", "After a switch of the JDK the daemon still runs the old one; `gradle --stop` first, then build.")],
    [("sqlx prepare", "Set SQLX_OFFLINE=true when no database is there."), ("sqlx prepare", "Without a database the macros fail to compile unless SQLX_OFFLINE=true is set.")],
    [("helm upgrade", "Always give helm upgrade --atomic, or a failed release stays half installed."), ("helm upgrade", "A release that fails halfway has to roll back by itself: helm upgrade --atomic.")],
    [("vitest", "Run vitest with --run, since watch mode never returns."), ("vitest", "vitest waits for changes forever; `vitest --run` ends.")],
    [("src/legacy/**", "Do not touch files in src/legacy/; they are copied from the vendor."), ("src/legacy/**", "src/legacy/ is vendor code that gets overwritten. Leave its files alone.")],
    [("git rebase", "Don't rebase `release` branches; merge into them."), ("git rebase", "Release branches are merged into, never rebased.")],
    [("docker compose down", "Never add -v to docker compose down: it deletes the seeded database."), ("docker compose down", "`docker compose down -v` wipes the seeded volume. Leave -v out.")],
    [("EADDRINUSE", "EADDRINUSE on 3000: kill the old dev server with `npx kill-port 3000`."), ("EADDRINUSE", "Port 3000 is taken by a dev server that was left behind (EADDRINUSE). `npx kill-port 3000` frees it.")],
    [("pre-commit", "Use `pre-commit run --files` with the changed files, all files take ten minutes."), ("pre-commit", "Running pre-commit on everything takes ten minutes; hand it the changed ones by --files.")],
    [("wrangler deploy", "Deploy with --env staging unless told otherwise."), ("wrangler deploy", "wrangler deploy goes to production by default. Give it --env staging.")],
    [("tsc", "tsc needs -p tsconfig.build.json, else it compiles the tests too."), ("tsc", "The tests end up in dist unless you compile with `tsc -p tsconfig.build.json`.")],
    [("alembic revision", "Use --autogenerate and read the result before committing."), ("alembic revision", "Let alembic write revisions (alembic revision --autogenerate), then check what it wrote.")],
    [("make deploy", "Ask before make deploy."), ("make deploy", "make deploy only after somebody agreed.")],
    [("bundle install", "bundle install with --jobs 1, the native gems race each other."), ("bundle install", "Native gems break when built in parallel; give bundle install --jobs 1.")],
    [("redis-cli", "Do not run FLUSHALL; other teams share the instance."), ("redis-cli", "FLUSHALL would empty the data of other teams too, so never send it.")],
    [("spark-submit", "Give spark-submit --driver-memory 8g; the default dies on the monthly job."), ("spark-submit", "The monthly job is killed for memory unless spark-submit gets --driver-memory 8g.")],
    [("nx test", "Use `nx affected -t test` instead of testing all projects."), ("nx test", "Testing every project takes an hour. `nx affected -t test` covers what changed.")],
];

#[rustfmt::skip]
const OPPOSITE: &[Pair] = &[
    [("mvn test", "Run mvn with -o; the proxy drops connections to Central."), ("mvn test", "Don't run mvn with -o; the local repository misses the snapshots.")],
    [("poetry install", "Use `poetry install --sync`."), ("poetry install", "`poetry install --sync` removes the plugins. Use plain `poetry install`.")],
    [("ruff check", "ruff check with --fix before each commit."), ("ruff check", "Run ruff check without --fix; review the findings by hand.")],
    [("gradle build", "Keep the Gradle daemon on."), ("gradle build", "Turn the Gradle daemon off.")],
    [("helm upgrade", "Always give helm upgrade --atomic."), ("helm upgrade", "helm upgrade --atomic rolls back before we can read the logs; leave it out.")],
    [("vitest", "Run vitest in parallel, it's fast enough."), ("vitest", "Vitest must not run in parallel: the tests share a port.")],
    [("src/generated/**", "Files in src/generated/ may be edited, the generator is gone."), ("src/generated/**", "Files in src/generated/ may not be edited, the generator overwrites them.")],
    [("git merge", "Squash feature branches when you merge them."), ("git merge", "Never squash feature branches when you merge them.")],
    [("docker compose down", "Add -v to docker compose down so that the next run starts clean."), ("docker compose down", "Never add -v to docker compose down: it deletes the seeded database.")],
    [("EADDRINUSE", "EADDRINUSE on 3000: kill the process that holds it."), ("EADDRINUSE", "EADDRINUSE on 3000: do not kill the process that holds it, use 3001.")],
    [("psql", "Connect to the primary for reports."), ("psql", "Connect to the replica for reports.")],
    [("wrangler deploy", "Deploy to staging first."), ("wrangler deploy", "Deploy to production first.")],
    [("node", "Use node 18 here, 20 breaks sharp."), ("node", "Use node 20 here, 18 breaks sharp.")],
    [("alembic upgrade", "Run alembic upgrade head before the tests."), ("alembic upgrade", "There's no need for alembic upgrade head before the tests.")],
    [("make deploy", "make deploy needs no confirmation."), ("make deploy", "make deploy needs a confirmation.")],
    [("bundle install", "bundle install with --jobs 1."), ("bundle install", "bundle install with --jobs 8.")],
    [("git commit", "Commit generated clients."), ("git commit", "Keep generated clients out of commits.")],
    [("eslint", "Turn the rule no-console off in scripts/."), ("eslint", "Turn the rule no-console on in scripts/.")],
    [("nx test", "Prefer `nx affected -t test` to `nx run-many -t test`."), ("nx test", "Prefer `nx run-many -t test` to `nx affected -t test`.")],
    [("pytest", "Skip the slow tests locally (-m 'not slow')."), ("pytest", "Also run the slow tests locally; skipping them (-m 'not slow') hid a bug.")],
];

#[rustfmt::skip]
const NEIGHBOURS: &[Pair] = &[
    [("mvn test", "Run mvn with -o; the proxy drops connections to Central."), ("mvn deploy", "mvn deploy with -DskipTests, the tests ran before.")],
    [("poetry add", "Use `poetry add --group dev` for test tools."), ("poetry add", "Use `poetry add --group docs` for tools of the documentation.")],
    [("ruff check", "Never pass --unsafe-fixes to ruff check."), ("ruff format", "Never pass --preview to ruff format.")],
    [("gradle build", "Stop the daemon (`gradle --stop`) after changing the JDK."), ("gradle build", "Clear the caches (`gradle clean`) after changing the JDK.")],
    [("helm upgrade", "Always give helm upgrade --atomic."), ("helm upgrade", "Always give helm upgrade --timeout 10m.")],
    [("vitest", "Run vitest with --run, since watch mode never returns."), ("jest", "Run jest with --watchAll=false, since watch mode never returns.")],
    [("src/legacy/**", "Do not touch files in src/legacy/; they are copied from the vendor."), ("src/vendor/**", "Do not touch files in src/vendor/; they are copied from upstream.")],
    [("git rebase", "Don't rebase release branches."), ("git rebase", "Don't rebase branches that others have checked out.")],
    [("docker compose down", "Never add -v to docker compose down."), ("docker compose down", "Never add --rmi all to docker compose down.")],
    [("EADDRINUSE", "EADDRINUSE on 3000: kill the old dev server with `npx kill-port 3000`."), ("EADDRINUSE", "EADDRINUSE on 5432: stop the local postgres with `brew services stop postgresql`.")],
    [("psql", "psql needs PGSSLMODE=require for staging."), ("pg_dump", "pg_dump needs PGSSLMODE=require for production.")],
    [("wrangler deploy", "Deploy with --env staging unless told otherwise."), ("wrangler tail", "Tail with --env production when you look for errors.")],
    [("tsc", "tsc needs -p tsconfig.build.json for releases."), ("tsc", "tsc needs -p tsconfig.test.json for tests.")],
    [("alembic revision", "Read the result of --autogenerate before committing."), ("alembic downgrade", "Read the SQL (--sql) before a downgrade.")],
    [("make deploy", "Ask before make deploy."), ("make deploy", "Announce make deploy in the channel before you run it.")],
    [("bundle install", "bundle install with --jobs 1, the native gems race each other."), ("bundle update", "bundle update with the name of one gem, else everything moves.")],
    [("redis-cli", "Do not run FLUSHALL; other teams share the instance."), ("redis-cli", "Do not run KEYS *; it blocks the instance for others.")],
    [("spark-submit", "Give spark-submit --driver-memory 8g."), ("spark-submit", "Give spark-submit --executor-memory 8g.")],
    [("nx test", "Use `nx affected -t test` instead of testing all projects."), ("nx build", "Use `nx affected -t build` instead of building all projects.")],
    [("pytest", "Set PYTHONPATH=src before pytest."), ("pytest", "Set DATABASE_URL=sqlite:// before pytest.")],
];

/// Returns the pairs of which one lesson only restates the other, read in both directions.
fn list_restated(pairs: &[Pair]) -> Vec<&'static str> {
    let contents = |pair: &Pair| {
        pair.map(|(signature, text)| LessonContent::new(clean(signature), clean(text)))
    };
    let pairs = pairs.iter().filter(|pair| {
        let [one, other] = contents(pair);
        assert_eq!(restates(&one, &other), restates(&other, &one), "{pair:?}");
        restates(&one, &other)
    });
    pairs.map(|pair| pair[1].1).collect()
}

#[test]
fn what_says_the_opposite_or_something_else_is_never_a_restatement() {
    assert_eq!(list_restated(OPPOSITE), Vec::<&str>::new());
    assert_eq!(list_restated(NEIGHBOURS), Vec::<&str>::new());
}

/// The others deny something in one wording only, or name nothing: no sign says then that both mean the same.
#[test]
fn some_wordings_of_one_advice_are_known_by_names_and_signs() {
    let restated = list_restated(RESTATED);
    assert!(restated.len() >= 10, "{} {restated:#?}", restated.len());
}

/// What was written down apart from the rules and taken for a repeat at first.
#[test]
fn a_name_that_only_one_speaks_against_makes_another_lesson() {
    for (one, other) in [
        (
            "`cargo ndk` for the Android library.",
            "Build the Android library through Gradle's CMake, cargo ndk isn't used any more.",
        ),
        (
            "In dbt models prefer incremental materialization.",
            "Materialize dbt models as tables; incremental ones drifted and are no longer wanted.",
        ),
        (
            "Set `NODE_OPTIONS=--openssl-legacy-provider` for the build.",
            "Do not set NODE_OPTIONS=--openssl-legacy-provider any more, the build breaks with it.",
        ),
        (
            "Use `git merge origin/main` to update a branch.",
            "Update a branch with `git rebase origin/main`, do not merge.",
        ),
        (
            "Use --no-build with dotnet test to save two minutes.",
            "--no-build with dotnet test runs yesterday's assemblies. Leave it out.",
        ),
        (
            "Run `make proto` after pulling.",
            "make proto is gone, the stubs get built by Bazel when needed.",
        ),
        (
            "Give `pytest` the flag `--forked`.",
            "`--forked` hides the leak that we are hunting; run pytest without.",
        ),
        (
            "Set `NODE_ENV=production` for the bundle build.",
            "NODE_ENV=production makes the seeding script skip the demo users.",
        ),
        (
            "Translate only en.json.",
            "Sort the keys in en.json by the alphabet.",
        ),
    ] {
        assert!(!restates(&content(one), &content(other)), "{one} / {other}");
        assert!(!restates(&content(other), &content(one)), "{other} / {one}");
    }
}

/// Applies what a second wording changes, and returns the lesson that was there, and whether it is still the only one.
fn restate(old: &AdmittedLesson, new: AdmittedLesson) -> (Lesson, bool) {
    let before = lesson(1, old.clone());
    let decision = decide_admission(new, &known(vec![before.clone()]), 1000, at(10));
    let is_alone = decision.lesson == before.id;
    let mut edits = decision.changes.iter().filter(|_| is_alone);
    assert!(
        edits.all(|change| !matches!(change, Change::Revise { .. })
            || change.edits_only_triggers(&before))
    );
    let changes = decision.changes.iter().filter(|_| is_alone);
    let after = changes.fold(before, |lesson, change| {
        apply_change(Some(lesson), change, at(10)).unwrap().unwrap()
    });
    (after, is_alone)
}

#[test]
fn a_lesson_comes_up_where_its_other_wording_did_too() {
    let old = "Use `redis-cli -c` with the cluster.";
    let new = "The Redis cluster answers MOVED to a plain client; call `redis-cli` with -c.";
    let comes_up = |content: &LessonContent| {
        let theirs = trigger::Triggers::from_content(&self::content(new));
        trigger::Triggers::from_content(content).find_lost(&theirs)
    };
    assert!(comes_up(&content(old)).is_some());
    let person = |text| admitted(content(text), TrustClass::Person, "r1");
    let (after, is_alone) = restate(&derived(old, "r1"), derived(new, "r2"));
    assert!(is_alone && after.evidence.len() == 2 && after.content.text == clean(old));
    assert_eq!(comes_up(&after.content), None);
    // A third wording meets what the second one added.
    let again = decide_admission(derived(new, "r3"), &known(vec![after]), 1000, at(11));
    assert_eq!(again.outcome, DecisionOutcome::Reinforced);
    assert_eq!(again.changes.len(), 1);
    // Nothing is taken on of words that wait for a review.
    let mut waiting = derived(new, "r2");
    waiting.status = Status::Pending {
        why: clean("it gives an order"),
    };
    assert!(!restate(&derived(old, "r1"), waiting).1);
    // An agent does not say when a person's lesson comes up, nor anybody where that person said it does not.
    assert!(!restate(&person(old), derived(new, "r2")).1);
    let mut settled = derived(old, "r1");
    let entry = clean(r#"["-redis-cli monitor"]"#);
    settled
        .content
        .metadata
        .insert(TRIGGERS_ENTRY.to_owned(), entry);
    assert!(!restate(&settled, derived(new, "r2")).1);
}
