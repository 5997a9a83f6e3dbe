//! Sweeps as tables: which lessons there are, what becomes of them.

pub(super) mod samples;

use self::samples::{at, clean, lesson, lesson_of};
use super::*;

/// Looks at lessons without anything known beside.
fn look(lessons: &[Lesson]) -> Vec<SweepItem> {
    look_with(lessons, &BTreeMap::new())
}

fn look_with(
    lessons: &[Lesson],
    lookups: &BTreeMap<LessonId, Vec<(NamedThing, LookupFinding)>>,
) -> Vec<SweepItem> {
    look_for_changes(&SweepInput {
        lessons,
        lookups,
        policy: SweepPolicy::default(),
        now: at(1_000_000),
    })
}

/// Renders what becomes of lessons, one item a line.
fn render(items: &[SweepItem]) -> String {
    let lines: Vec<String> = items.iter().map(SweepItem::describe).collect();
    lines.join("\n")
}

/// Checks that nothing becomes of lessons with these texts, whoever wrote them.
fn check_untouched(texts: &[&str]) {
    for class in [TrustClass::Derived, TrustClass::Agent, TrustClass::Person] {
        let lessons = (1..)
            .zip(texts)
            .map(|(id, text)| lesson_of(id, class, text));
        let lessons: Vec<Lesson> = lessons.collect();
        assert_eq!(look(&lessons), [], "{texts:#?}");
    }
}

#[test]
fn one_remedy_of_three_failures_stays_three_lessons() {
    let remedy =
        "Run `docker compose up -d postgres` first, then wait until it accepts connections.";
    let text = |command: &str, error: &str| {
        format!("{command} ({error}) :: `{command}` fails with *{error}*. {remedy}")
    };
    let texts = [
        text("pytest", "connection refused"),
        text("npm run e2e", "ECONNREFUSED"),
        text("alembic upgrade head", "could not connect"),
    ];
    check_untouched(&texts.each_ref().map(String::as_str));
}

#[test]
fn one_option_for_two_commands_stays_two_lessons() {
    check_untouched(&[
        "cargo build (linker cc not found) :: Use `--target x86_64-unknown-linux-musl` here.",
        "mypy src (target is not set) :: Use `--target x86_64-unknown-linux-musl` here.",
    ]);
    check_untouched(&[
        "cargo test (out of memory) :: Set CARGO_BUILD_JOBS=1 for it.",
        "cargo bench (out of memory) :: Set CARGO_BUILD_JOBS=1 for it.",
    ]);
}

#[test]
fn what_shares_a_topic_stays_apart() {
    check_untouched(&[
        "auth tests :: Flaky auth test: the token refresh raced the clock mock. Freeze the clock before the token is issued.",
        "JWT expiry :: The JWT expiry check compared naive and aware datetimes. Use timezone-aware UTC datetimes throughout.",
        "POST /auth/refresh :: The refresh endpoint was retried without backoff until the session expired. Retry with backoff.",
    ]);
    check_untouched(&[
        "auth tests :: Inject the clock in token refresh tests.",
        "refresh :: Back off before retrying a token refresh.",
    ]);
}

#[test]
fn what_cannot_both_hold_is_not_judged_without_a_model() {
    check_untouched(&[
        "retries :: Retry the upload on status 429.",
        "retries :: Never retry the upload on status 429.",
    ]);
    check_untouched(&[
        "Decision: the job queue runs on Redis streams.",
        "Amendment to the job queue decision: it runs on Postgres.",
    ]);
}

#[test]
fn what_expired_or_was_never_needed_leaves() {
    let mut expired = lesson(1, "Use the staging mirror.");
    expired.admitted.expires_at = Some(at(500));
    let unused = lesson(2, "Quote globs in zsh.");
    let mut shown = lesson(3, "Pin the protobuf compiler.");
    shown.counts.shown = 80;
    shown.counts.last_shown = Some(at(90_000));
    let persons = lesson_of(4, TrustClass::Person, "Never force push.");
    let lessons = [expired, unused, shown, persons];
    let lookups = BTreeMap::new();
    let input = |days: i64| SweepInput {
        lessons: &lessons,
        lookups: &lookups,
        policy: SweepPolicy { prune_days: days },
        now: at(1_000_000),
    };
    insta::assert_snapshot!(render(&look(&lessons)), @"archive #1 expired on 1970-01-01");
    let touched = BTreeSet::from([LessonId(1)]);
    let unneeded = |days| render(&look_for_unneeded(&input(days), &touched));
    assert_eq!(unneeded(10), "archive #2 never shown in 10 days");
    assert_eq!(unneeded(100), "", "it is not that old");
}

#[test]
fn each_lesson_is_in_one_item() {
    let mut expired = lesson(1, "npm test :: Use `pnpm test`.");
    expired.admitted.expires_at = Some(at(500));
    let mut new = lesson(3, "npm test :: Use `pnpm test`, always.");
    new.admitted.supersedes = vec![LessonId(1), LessonId(2)];
    let lessons = [expired, lesson(2, "npm test :: Use `pnpm test`."), new];
    insta::assert_snapshot!(render(&look(&lessons)), @"
    archive #1 expired on 1970-01-01
    supersede #2 #3 the new one says that it replaces it
    ");
}

#[test]
fn what_names_something_that_is_gone_waits() {
    let lessons = [lesson(1, "Seed with `scripts/seed.sh`.")];
    let thing = NamedThing::File("scripts/seed.sh".to_owned());
    let finding = LookupFinding::Gone("there is `scripts/seed.py`".to_owned());
    let lookups = BTreeMap::from([(LessonId(1), vec![(thing, finding)])]);
    insta::assert_snapshot!(render(&look_with(&lessons, &lookups)), @"hold #1 on probation: `scripts/seed.sh` is gone (there is `scripts/seed.py`)");
}

#[test]
fn a_digest_counts_one_as_one() {
    let plan = SweepPlan {
        basis: PlanBasis::from_lessons(&[]),
        made_at: at(0),
        looked_at: 1,
        items: Vec::new(),
        refused: Vec::new(),
        postponed: 1,
        model: ModelPart::Asked(1),
    };
    let digest = render_digest(&plan, &BTreeMap::new());
    let sums = "1 lesson looked at. Nothing to do. The model was asked 1 time. \
        Left for another sweep, because enough was asked: 1 question.";
    assert!(digest.contains(sums), "{digest}");
}

#[test]
fn a_digest_says_what_would_change() {
    let texts = [
        "npm test :: Use `pnpm test`.",
        "npm test :: Always use `pnpm test`.",
        "Seed with `scripts/seed.sh`.",
        "Never run `make clean`.",
        "Run `make clean`.",
    ];
    let lessons: Vec<Lesson> = (1..)
        .zip(texts)
        .map(|(id, text)| lesson(id, text))
        .collect();
    let plan = SweepPlan {
        basis: PlanBasis::from_lessons(&lessons),
        made_at: at(0),
        looked_at: 5,
        items: vec![
            SweepItem::Absorb {
                survivor: LessonId(2),
                members: vec![LessonId(1)],
            },
            SweepItem::Hold {
                lesson: LessonId(3),
                why: clean("on probation"),
            },
            SweepItem::Contradict {
                one: LessonId(4),
                other: LessonId(5),
            },
        ],
        refused: Vec::new(),
        postponed: 0,
        model: ModelPart::NotAsked,
    };
    let by_id = lessons
        .into_iter()
        .map(|lesson| (lesson.id, lesson))
        .collect();
    let digest = render_digest(&plan, &by_id);
    let (_, rest) = digest.split_once('\n').unwrap();
    insta::assert_snapshot!(rest, @"

    5 lessons looked at. 2 merged into 1, 0 replaced, 2 held for review, 0 deleted.

    ## Merge

    - stays: #2 [npm test] Always use `pnpm test`.
      - #1 [npm test] Use `pnpm test`.

    ## Not both can hold

    - #4 Never run `make clean`.
    - #5 Run `make clean`.

    ## Hold for review

    - #3 Seed with `scripts/seed.sh`.
      - on probation
    ");
}
