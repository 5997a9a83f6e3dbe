//! Sweeps as tables: which lessons there are, what becomes of them.

use super::{
    samples::{at, clean, lesson, lesson_of},
    *,
};
use crate::lesson::FailureKey;

/// The three lessons of the article, as a capture would word them.
const AUTH_FLOW: [&str; 3] = [
    "auth tests :: Flaky auth test: the token refresh raced the clock mock. Freeze the clock before the token is issued.",
    "JWT expiry :: The JWT expiry check compared naive and aware datetimes. Use timezone-aware UTC datetimes throughout.",
    "POST /auth/refresh :: The refresh endpoint was retried without backoff until the session expired. Retry with backoff.",
];

/// Looks at lessons without anything known beside.
fn look(lessons: &[Lesson]) -> SweepFindings {
    look_for_changes(&SweepInput {
        lessons,
        merged_at: &BTreeMap::new(),
        lookups: &BTreeMap::new(),
        policy: SweepPolicy::default(),
        now: at(1_000_000),
    })
}

/// Checks the groups of these texts, by their places from 1.
fn check_groups(texts: &[&str], expected: &[&[i64]]) {
    let lessons: Vec<Lesson> = (1..)
        .zip(texts)
        .map(|(id, text)| lesson(id, text))
        .collect();
    let groups: BTreeSet<Vec<i64>> = (look(&lessons).groups.iter())
        .map(|group| {
            let mut ids: Vec<i64> = group.members.iter().map(|it| it.0).collect();
            ids.sort_unstable();
            ids
        })
        .collect();
    let expected: BTreeSet<Vec<i64>> = expected.iter().map(|it| it.to_vec()).collect();
    assert_eq!(groups, expected, "{texts:#?}");
}

/// Renders what becomes of lessons, one item a line.
fn render(items: &[SweepItem]) -> String {
    items
        .iter()
        .map(SweepItem::describe)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn lessons_of_one_principle_meet_though_they_share_few_words() {
    check_groups(&AUTH_FLOW, &[&[1, 2, 3]]);
    check_groups(
        &[
            AUTH_FLOW[2],
            "sqlite :: Enable foreign keys on each connection.",
            AUTH_FLOW[0],
            AUTH_FLOW[1],
        ],
        &[&[1, 3, 4]],
    );
}

#[test]
fn the_form_that_lessons_are_written_in_groups_nothing() {
    check_groups(
        &[
            "Auto-heal escalated for task 12: LESSON: pin the protobuf compiler. MISTAKE: none. CORRECTION: pin it.",
            "Auto-heal escalated for task 14: LESSON: quote the glob. MISTAKE: none. CORRECTION: quote it.",
            "Auto-heal escalated for task 19: LESSON: rotate the ingress secret. MISTAKE: none. CORRECTION: rotate it.",
        ],
        &[],
    );
}

#[test]
fn the_same_in_other_words_meets_and_the_opposite_does_not() {
    check_groups(
        &[
            "pip :: pip refuses to install outside a virtualenv (externally-managed-environment); create a venv first.",
            "Make a virtualenv before installing with pip here: externally-managed-environment stops it otherwise.",
            "With externally-managed-environment, don't force pip; create a venv and install into it.",
            "Use `npm ci` rather than `npm install` in the pipeline.",
        ],
        &[&[1, 2, 3]],
    );
    check_groups(
        &[
            "Run the schema migrations before deploying workers.",
            "Run the schema migrations after deploying workers.",
        ],
        &[],
    );
}

#[test]
fn lessons_of_different_failures_or_projects_never_meet() {
    let text = "Restart the indexing daemon after the shard rebalances, or its queries time out.";
    let mut lessons = vec![
        lesson(1, text),
        lesson(2, &text.replace("Restart", "Bounce")),
    ];
    assert_eq!(look(&lessons).groups.len(), 1);
    lessons[0].admitted.failure = Some(FailureKey::new("aa".to_owned()));
    lessons[1].admitted.failure = Some(FailureKey::new("bb".to_owned()));
    assert_eq!(look(&lessons).groups, []);
}

#[test]
fn a_group_is_merged_again_only_when_something_joined() {
    let text = "Restart the indexing daemon after the shard rebalances, or its queries time out.";
    let lessons = vec![
        lesson(1, text),
        lesson(2, &text.replace("Restart", "Bounce")),
    ];
    let check = |merged_at: i64, groups: usize, settled: usize| {
        let found = look_for_changes(&SweepInput {
            lessons: &lessons,
            merged_at: &BTreeMap::from([(LessonId(1), at(merged_at))]),
            lookups: &BTreeMap::new(),
            policy: SweepPolicy::default(),
            now: at(1_000_000),
        });
        assert_eq!((found.groups.len(), found.settled), (groups, settled));
    };
    check(1, 1, 0);
    check(2, 0, 1);
}

#[test]
fn without_a_model_the_best_phrased_of_the_most_trusted_stays() {
    let survivor =
        |lessons: &[Lesson]| choose_survivor(&lessons.iter().collect::<Vec<_>>()).map(|it| it.id.0);
    let plain = "The thing at src/auth/token.rs:42 broke at 3f2a9c1b again";
    let good = "JWT expiry :: Use timezone-aware datetimes wherever token expiry is compared.";
    assert_eq!(survivor(&[lesson(1, plain), lesson(2, good)]), Some(2));
    assert_eq!(
        survivor(&[lesson_of(1, TrustClass::Person, plain), lesson(2, good)]),
        Some(1)
    );
    let mut proven = lesson(1, plain);
    proven.counts.helped = 3;
    assert_eq!(survivor(&[proven, lesson(2, good)]), Some(1));
    assert_eq!(survivor(&[]), None);
}

#[test]
fn an_amended_decision_is_replaced_and_the_conversation_before_it_too() {
    let lessons = [
        lesson_of(
            1,
            TrustClass::Person,
            "job queue :: We talked about the job queue: Redis looks simplest for the job queue.",
        ),
        lesson_of(
            2,
            TrustClass::Person,
            "job queue :: Decision: the job queue runs on Redis streams.",
        ),
        lesson_of(
            3,
            TrustClass::Person,
            "job queue :: Amendment to the job queue decision: it runs on Postgres.",
        ),
        lesson_of(
            4,
            TrustClass::Person,
            "Decision: dates in exports are ISO 8601.",
        ),
    ];
    insta::assert_snapshot!(render(&look(&lessons).items), @"
    supersede #1 #3 not both can hold, and this was decided later
    supersede #2 #3 not both can hold, and this was decided later
    ");
}

#[test]
fn of_two_that_say_the_opposite_the_better_word_or_record_wins() {
    let (yes, no) = (
        "retries :: Retry the upload on status 429.",
        "retries :: Never retry the upload on status 429.",
    );
    let check = |old: Lesson, new: Lesson, expected: &str| {
        assert_eq!(render(&look(&[old, new]).items), expected);
    };
    let person = |id, text| lesson_of(id, TrustClass::Person, text);
    check(
        person(1, yes),
        lesson(2, no),
        "supersede #2 #1 not both can hold, and this comes from a more trusted author",
    );
    check(
        lesson(1, yes),
        person(2, no),
        "supersede #1 #2 not both can hold, and this comes from a more trusted author",
    );
    let mut helped = lesson(1, yes);
    helped.counts.helped = 4;
    check(
        helped,
        lesson(2, no),
        "supersede #2 #1 not both can hold, and this one did better",
    );
    check(
        lesson(1, yes),
        lesson(2, no),
        "hold #2 not both this and #1 can hold, and nothing decides between them",
    );
}

#[test]
fn what_expired_or_was_never_needed_leaves() {
    let mut expired = lesson(1, "Use the staging mirror.");
    expired.admitted.expires_at = Some(at(500));
    let unused = lesson(2, "Quote globs in zsh.");
    let mut shown = lesson(3, "Pin the protobuf compiler.");
    shown.counts.shown = 80;
    shown.counts.last_shown = Some(at(90_000));
    let lessons = [expired, unused, shown];
    let input = |days: i64, capacity: usize| SweepInput {
        lessons: &lessons,
        merged_at: const { &BTreeMap::new() },
        lookups: const { &BTreeMap::new() },
        policy: SweepPolicy {
            capacity,
            prune_days: days,
        },
        now: at(1_000_000),
    };
    insta::assert_snapshot!(render(&look(&lessons).items), @"archive #1 expired on 1970-01-01");
    let gone = BTreeSet::from([LessonId(1)]);
    let surplus = |days, capacity| render(&look_for_surplus(&input(days, capacity), &gone));
    assert_eq!(surplus(10, 10), "archive #2 never shown in 10 days");
    assert_eq!(surplus(100, 10), "", "it is not that old");
    insta::assert_snapshot!(surplus(100, 1), @"archive #2 the limit of learned lessons (setting `capacity`) was reached, and this was the least useful");
}

#[test]
fn what_names_something_that_is_gone_waits() {
    let lessons = [lesson(1, "Seed with `scripts/seed.sh`.")];
    let thing = NamedThing::File("scripts/seed.sh".to_owned());
    let finding = LookupFinding::Gone("there is `scripts/seed.py`".to_owned());
    let found = look_for_changes(&SweepInput {
        lessons: &lessons,
        merged_at: &BTreeMap::new(),
        lookups: &BTreeMap::from([(LessonId(1), vec![(thing, finding)])]),
        policy: SweepPolicy::default(),
        now: at(1_000_000),
    });
    insta::assert_snapshot!(render(&found.items), @"hold #1 on probation: `scripts/seed.sh` is gone (there is `scripts/seed.py`)");
}

#[test]
fn a_digest_says_what_would_change() {
    let lessons: Vec<Lesson> = (1..)
        .zip(AUTH_FLOW)
        .map(|(id, text)| lesson(id, text))
        .collect();
    let plan = SweepPlan {
        basis: PlanBasis::from_lessons(&lessons),
        made_at: at(0),
        looked_at: 3,
        items: vec![
            SweepItem::Absorb {
                survivor: LessonId(2),
                members: vec![LessonId(1)],
            },
            SweepItem::Hold {
                lesson: LessonId(3),
                why: clean("on probation"),
            },
        ],
        refused: Vec::new(),
        settled: 0,
        postponed: 0,
        model: ModelPart::NotAsked,
    };
    let by_id = lessons.into_iter().map(|it| (it.id, it)).collect();
    let digest = render_digest(&plan, &by_id);
    let (_, rest) = digest.split_once('\n').unwrap();
    insta::assert_snapshot!(rest, @"
    3 lessons looked at. 2 merged into 1, 0 replaced, 1 held for review, 0 archived.

    ## Merge

    - stays: #2 [JWT expiry] The JWT expiry check compared naive and aware datetimes. Use timezone-aware UTC datetimes throughout.
      - #1 [auth tests] Flaky auth test: the token refresh raced the clock mock. Freeze the clock before the token is issued.

    ## Hold for review

    - #3 [POST /auth/refresh] The refresh endpoint was retried without backoff until the session expired. Retry with backoff.
      - on probation
    ");
}
