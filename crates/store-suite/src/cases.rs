//! The contract, case by case.

use std::thread;

use hardwon_core::{
    AdmittedLesson, Change, LessonId, ProjectId, RecordDelta, Retirement, Scope, Status, Trust,
    TrustClass, change::evicted_status, limits,
};
use hardwon_store::{JournalEntry, LessonListing, ScopeFilter, Store};

use super::{
    ContractCase, MakeStore, answers, erasing, inspect::audit_tenant, jobs, kept_records, listings,
    samples::*, transactions, vectors,
};

/// Every case.
pub const CASES: &[ContractCase] = &[
    ("a lesson comes back as it went in", returns_lesson_whole),
    (
        "lessons are numbered from one, and no number is used twice",
        numbers_lessons,
    ),
    ("no scope sees another one's lessons", isolates_scopes),
    (
        "a transaction sees its own changes",
        transactions::sees_own_changes,
    ),
    (
        "a transaction is kept whole or not at all",
        transactions::commits_whole_or_not,
    ),
    ("changes must fit", transactions::rejects_misfits),
    (
        "a change says what became of its lesson",
        transactions::returns_changed_lessons,
    ),
    (
        "a snapshot does not change",
        transactions::isolates_snapshots,
    ),
    (
        "only what is active and not expired is found",
        finds_only_recallable,
    ),
    (
        "a lesson is listed by place, state and words",
        listings::lists_by_filter,
    ),
    ("a full scope lets the least useful go", keeps_to_capacity),
    ("a moved lesson is there and nowhere else", moves_lesson),
    (
        "what is learned at once is stored once",
        learns_concurrently,
    ),
    (
        "a lesson has a history, whose words go with it",
        keeps_history,
    ),
    ("a lesson tells which it replaced", listings::lists_replaced),
    (
        "an erased tenant leaves nothing, and others stay",
        erasing::erases_tenant,
    ),
    (
        "a tenant of an erased one's name begins anew",
        erasing::begins_anew,
    ),
    (
        "recalls are counted once",
        kept_records::counts_recalls_once,
    ),
    (
        "a recall is listed by place and client",
        kept_records::lists_recalls,
    ),
    (
        "what was shown last is listed first",
        listings::lists_by_showing,
    ),
    (
        "a small scope is listed among many lessons of others",
        listings::lists_small_scopes,
    ),
    (
        "lessons are named by the beginnings of their words",
        listings::names_lessons_with_words,
    ),
    (
        "lessons are found by every field",
        listings::lists_by_every_field,
    ),
    (
        "what was asked is kept apart",
        kept_records::keeps_query_text_apart,
    ),
    ("a run is judged once", kept_records::judges_run_once),
    (
        "a trouble is remembered until it is forgotten",
        kept_records::remembers_candidates,
    ),
    (
        "of too many troubles the oldest are forgotten",
        kept_records::drops_the_oldest_candidates,
    ),
    (
        "a source is read on from where it was",
        kept_records::keeps_source_progress,
    ),
    (
        "a request is remembered for a day, and its answer until a lesson is erased",
        answers::remembers_requests,
    ),
    (
        "of the answers of many requests the oldest go",
        answers::bounds_answers,
    ),
    (
        "what is kept beside lessons is kept with them",
        kept_records::commits_with_lessons,
    ),
    ("a failure brings up its lessons", finds_by_failure),
    (
        "what helped comes first, what harmed not at all",
        orders_proven,
    ),
    (
        "a job is done once, and with its lessons",
        jobs::runs_job_once,
    ),
    (
        "a job's turn comes when it is ready",
        jobs::orders_ready_jobs,
    ),
    (
        "no tenant sees another one's jobs or costs",
        jobs::separates_tenants,
    ),
    ("jobs long over are forgotten", jobs::deletes_old_jobs),
    (
        "the nearest lessons join those found",
        vectors::joins_nearest,
    ),
    (
        "a vector goes with the words it was made of",
        vectors::goes_with_words,
    ),
    (
        "no scope is compared with another one's",
        vectors::separates_scopes,
    ),
    ("what expired is not near", vectors::skips_expired),
    (
        "a large bank is not compared whole",
        vectors::bounds_comparison,
    ),
];

fn returns_lesson_whole(make: MakeStore<'_>) {
    let store = make();
    let (id, _) = learn_lesson(&*store, full_lesson(&default_scope())).unwrap();
    let lesson = get_lesson(&*store, id);
    assert_eq!(lesson.admitted, full_lesson(&default_scope()));
    assert_eq!((lesson.created, lesson.updated), (time_at(0), time_at(0)));
    assert_eq!(lesson.counts, hardwon_core::lesson::LessonCounts::default());
    audit_tenant(&*store, &tenant_id("t"));
}

fn numbers_lessons(make: MakeStore<'_>) {
    let store = make();
    assert_eq!(
        add_lesson(&*store, &default_scope(), "use alpha"),
        LessonId(1)
    );
    assert_eq!(
        add_lesson(&*store, &make_scope("t", "b", ""), "use alpha"),
        LessonId(2)
    );
    assert_eq!(
        add_lesson(&*store, &make_scope("u", "a", ""), "use alpha"),
        LessonId(1)
    );
    let id = LessonId(2);
    apply_changes(&*store, &tenant_id("t"), vec![Change::Erase { id }]).unwrap();
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .lesson(&tenant_id("t"), id)
            .unwrap(),
        None
    );
    assert_eq!(
        add_lesson(&*store, &default_scope(), "use beta"),
        LessonId(3)
    );
    audit_tenant(&*store, &tenant_id("t"));
    audit_tenant(&*store, &tenant_id("u"));
}

fn isolates_scopes(make: MakeStore<'_>) {
    let lone = make();
    add_lesson(&*lone, &default_scope(), "use alpha in go");
    let crowded = make();
    let strangers = [
        make_scope("u", "a", "p"),
        make_scope("t", "b", "p"),
        make_scope("t", "a", "q"),
    ];
    let stranger = |text: &str| {
        for place in &strangers {
            for place in [place, &place.without_project()] {
                if *place != default_scope().without_project() {
                    add_lesson(&*crowded, place, text);
                }
            }
        }
    };
    add_lesson(&*crowded, &default_scope(), "use alpha in go");
    stranger("use alpha in go");
    stranger("alpha beta gamma");
    let ask = |store: &dyn Store| {
        let near = store
            .snapshot()
            .unwrap()
            .decision_context(&admitted_lesson(&default_scope(), "use alpha in go"), 1000)
            .unwrap()
            .similar;
        (
            store
                .snapshot()
                .unwrap()
                .search(&make_query(&default_scope(), "alpha beta"))
                .unwrap(),
            near,
        )
    };
    assert_eq!(ask(&*crowded), ask(&*lone));
    let visible = LessonListing {
        within: ScopeFilter::Visible(default_scope()),
        ..LessonListing::default()
    };
    assert_eq!(listed_ids(&*crowded, &visible), [1]);
    assert_eq!(
        crowded
            .snapshot()
            .unwrap()
            .lesson(&tenant_id("v"), LessonId(1))
            .unwrap(),
        None
    );
    assert_eq!(
        crowded.snapshot().unwrap().scopes(&tenant_id("v")).unwrap(),
        []
    );
    assert_eq!(
        crowded
            .snapshot()
            .unwrap()
            .journal(&tenant_id("v"), 0, 10)
            .unwrap(),
        []
    );

    let general = add_lesson(
        &*crowded,
        &default_scope().without_project(),
        "alpha for all",
    );
    let found = crowded
        .snapshot()
        .unwrap()
        .search(&make_query(&default_scope(), "alpha"))
        .unwrap();
    assert_eq!(found_ids(&found), [general.0, 1]);
    let found = crowded
        .snapshot()
        .unwrap()
        .search(&make_query(&default_scope().without_project(), "alpha"))
        .unwrap();
    assert_eq!(found_ids(&found), [general.0]);
}

fn finds_only_recallable(make: MakeStore<'_>) {
    let store = make();
    let alpha = add_lesson(&*store, &default_scope(), "use alpha");
    let ask = |prompt: &str, second: i64| {
        let query = hardwon_store::LessonQuery {
            now: time_at(second),
            ..make_query(&default_scope(), prompt)
        };
        store.snapshot().unwrap().search(&query).unwrap()
    };
    assert_eq!(found_ids(&ask("alpha", 0)), [1]);
    assert_eq!(ask("alpha", 0).stats.docs, 1);
    for status in [
        Status::Pending {
            why: clean_text("x"),
        },
        Status::Quarantined {
            why: clean_text("x"),
        },
        Status::Archived {
            by: Retirement::Dismissed,
            why: clean_text("x"),
        },
        Status::Superseded { by: LessonId(9) },
    ] {
        set_status(&*store, alpha, status);
        assert_eq!(ask("alpha", 0).stats.docs, 0);
        assert_eq!(found_ids(&ask("alpha", 0)), [0_i64; 0]);
        set_status(&*store, alpha, Status::Active);
        assert_eq!(found_ids(&ask("alpha", 0)), [1]);
    }
    let content = Box::new(admitted_lesson(&default_scope(), "use beta").content);
    apply_changes(
        &*store,
        &tenant_id("t"),
        vec![Change::Revise { id: alpha, content }],
    )
    .unwrap();
    assert_eq!(found_ids(&ask("alpha", 0)), [0_i64; 0]);
    assert_eq!(found_ids(&ask("beta", 0)), [1]);

    for number in 0..30 {
        let mut short = admitted_lesson(&default_scope(), &format!("gamma {number}"));
        short.expires_at = Some(time_at(10));
        learn_lesson(&*store, short).unwrap();
    }
    let last = add_lesson(&*store, &default_scope(), "alpha gamma delta epsilon zeta");
    assert_eq!(found_ids(&ask("gamma", 9)).len(), 20);
    assert_eq!(found_ids(&ask("gamma", 10)), [last.0]);
    apply_changes(&*store, &tenant_id("t"), vec![Change::Erase { id: last }]).unwrap();
    assert_eq!(found_ids(&ask("gamma", 10)), [0_i64; 0]);
}

fn keeps_history(make: MakeStore<'_>) {
    let store = make();
    let (id, other) = (
        add_lesson(&*store, &default_scope(), "use alpha"),
        LessonId(2),
    );
    add_lesson(&*store, &default_scope(), "use beta");
    add_lesson(&*store, &make_scope("u", "a", ""), "use alpha");
    let why = clean_text("out of date");
    set_status(
        &*store,
        id,
        Status::Archived {
            by: Retirement::Dismissed,
            why,
        },
    );
    let why = Some(clean_text("needed after all"));
    apply_changes(&*store, &tenant_id("t"), vec![Change::Approve { id, why }]).unwrap();
    let told = |id: LessonId, after: u64| {
        let entries = store
            .snapshot()
            .unwrap()
            .lesson_history(&tenant_id("t"), id, after, 10)
            .unwrap();
        let entry = |it: &JournalEntry| {
            let remark = it.body.comment.as_ref();
            let words = remark.map(|remark| remark.text().map_or("(erased)", |text| text.as_str()));
            let (words, kind) = (words.unwrap_or("-"), it.body.kind.name());
            format!("{} {kind}: {words}", it.sequence)
        };
        entries.iter().map(entry).collect::<Vec<_>>()
    };
    let whole = [
        "1 add: -",
        "3 status: deleted: out of date",
        "4 status: active: needed after all",
    ];
    assert_eq!(told(id, 0), whole);
    assert_eq!(told(id, 1), whole[1..]);
    assert_eq!(told(id, 4), [""; 0]);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .lesson_history(&tenant_id("t"), id, 0, 1)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(told(other, 0), ["2 add: -"]);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .lesson_history(&tenant_id("v"), id, 0, 9)
            .unwrap(),
        []
    );
    audit_tenant(&*store, &tenant_id("t"));

    apply_changes(&*store, &tenant_id("t"), vec![Change::Erase { id }]).unwrap();
    let erased = [
        "1 add: -",
        "3 status: (erased)",
        "4 status: (erased)",
        "5 delete: -",
    ];
    assert_eq!(told(id, 0), erased);
    audit_tenant(&*store, &tenant_id("t"));
}

fn keeps_to_capacity(make: MakeStore<'_>) {
    let store = make();
    let room = 5;
    let learn = |lesson, second: i64| {
        let learned = commit_work(&*store, &tenant_id("t"), |transaction| {
            let lesson: &AdmittedLesson = &lesson;
            learn_in_transaction(transaction, lesson.clone(), room, time_at(second))
        });
        learned.unwrap().0
    };
    let mut by_person = admitted_lesson(&default_scope(), "use omega");
    by_person.trust = Trust::untainted(TrustClass::Person);
    let person = learn(by_person, 0);
    let words = [
        "use alpha",
        "use beta",
        "use gamma",
        "use delta",
        "use epsilon",
    ];
    let there = (1..)
        .zip(words)
        .map(|(second, words)| learn(admitted_lesson(&default_scope(), words), second));
    let there: Vec<LessonId> = there.collect();
    let [helped, wrong, shown, unused, new] = there[..] else {
        unreachable!("as many as there are words");
    };
    store
        .spool_recall(&sample_recall(&default_scope(), &[helped, wrong, shown]))
        .unwrap();
    store.flush(&tenant_id("t")).unwrap();
    let tally = |helped, harmed| RecordDelta {
        helped,
        harmed,
        ..RecordDelta::default()
    };
    for (id, delta) in [(helped, tally(2, 0)), (wrong, tally(0, 2))] {
        apply_changes(&*store, &tenant_id("t"), vec![Change::Credit { id, delta }]).unwrap();
    }
    // Another scope has room, and none of its lessons is evicted for this one.
    let elsewhere = add_lesson(&*store, &default_scope().without_project(), "use zeta");
    let more = ["use eta", "use theta", "use iota", "use kappa"];
    let mut added = Vec::new();
    for (words, leaves) in more
        .into_iter()
        .zip([Some(wrong), Some(unused), Some(new), None])
    {
        let second = 10 + i64::try_from(added.len()).expect("a few");
        added.push(learn(admitted_lesson(&default_scope(), words), second));
        let leaves = leaves.unwrap_or(added[0]);
        assert_eq!(
            get_lesson(&*store, leaves).status,
            evicted_status(),
            "for {words}"
        );
    }
    for kept in [
        person, helped, shown, elsewhere, added[1], added[2], added[3],
    ] {
        assert_eq!(get_lesson(&*store, kept).status, Status::Active, "{kept}");
    }
    assert_eq!(count_learned(&*store, &default_scope()), 5);
    audit_tenant(&*store, &tenant_id("t"));
}

/// Returns how many active lessons of a scope count towards its capacity.
fn count_learned(store: &dyn Store, scope: &Scope) -> usize {
    let about = admitted_lesson(scope, "use omega");
    let known = store.snapshot().unwrap().decision_context(&about, 1000);
    known.unwrap().learned_count
}

fn moves_lesson(make: MakeStore<'_>) {
    let store = make();
    let there = make_scope("t", "a", "q");
    let id = add_lesson(&*store, &default_scope(), "use alpha");
    add_lesson(&*store, &default_scope(), "use beta");
    let go = |project: Option<&ProjectId>| {
        let project = project.cloned();
        apply_changes(&*store, &tenant_id("t"), vec![Change::Move { id, project }]).unwrap();
    };
    let found_in = |place: &Scope| {
        found_ids(
            &store
                .snapshot()
                .unwrap()
                .search(&make_query(place, "alpha"))
                .unwrap(),
        )
    };
    for (place, expected) in [
        (there.clone(), [false, true, false]),
        (default_scope().without_project(), [true, true, true]),
        (default_scope(), [true, false, false]),
    ] {
        go(place.project.as_ref());
        assert_eq!(get_lesson(&*store, id).scope, place);
        let seen = [
            default_scope(),
            there.clone(),
            default_scope().without_project(),
        ]
        .map(|entry| !found_in(&entry).is_empty());
        assert_eq!(seen, expected, "{place:?}");
        let counted = [
            default_scope(),
            there.clone(),
            default_scope().without_project(),
        ]
        .map(|entry| count_learned(&*store, &entry));
        assert_eq!(counted.iter().sum::<usize>(), 2, "{place:?}");
        let listing = LessonListing {
            within: ScopeFilter::Scope(place.clone()),
            ..LessonListing::default()
        };
        assert!(listed_ids(&*store, &listing).contains(&id.0));
        let twin = store
            .snapshot()
            .unwrap()
            .decision_context(&admitted_lesson(&place, "use alpha"), 9)
            .unwrap();
        assert_eq!(twin.similar.len(), 1);
    }
    // Moving a lesson to where it already is changes nothing.
    let before = store
        .snapshot()
        .unwrap()
        .journal_head(&tenant_id("t"))
        .unwrap();
    go(default_scope().project.as_ref());
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .journal_head(&tenant_id("t"))
            .unwrap(),
        before
    );
    audit_tenant(&*store, &tenant_id("t"));
}

fn learns_concurrently(make: MakeStore<'_>) {
    let store = make();
    thread::scope(|threads| {
        for thread in 0..4 {
            let store = &*store;
            threads.spawn(move || {
                for number in 0..10 {
                    let mut lesson =
                        admitted_lesson(&default_scope(), &format!("use tool number {number}"));
                    lesson.evidence = vec![run_evidence(&format!("r{thread}"))];
                    learn_lesson(store, lesson).unwrap();
                }
            });
        }
    });
    let lessons = store
        .snapshot()
        .unwrap()
        .lessons(&tenant_id("t"), &LessonListing::default())
        .unwrap();
    assert_eq!(lessons.len(), 10);
    assert!(lessons.iter().all(|lesson| lesson.evidence.len() == 4));
    audit_tenant(&*store, &tenant_id("t"));
}

fn finds_by_failure(make: MakeStore<'_>) {
    let store = make();
    let places = [
        default_scope(),
        default_scope().without_project(),
        make_scope("t", "a", "q"),
    ];
    for (number, place) in places.iter().enumerate() {
        let mut lesson = admitted_lesson(place, &format!("use alpha {number}"));
        lesson.failure = Some(failure_key("f1"));
        learn_lesson(&*store, lesson).unwrap();
    }
    let about = |name: &str| {
        let about = store
            .snapshot()
            .unwrap()
            .lessons_for_failure(&default_scope(), &failure_key(name))
            .unwrap();
        about.iter().map(|about| about.id.0).collect::<Vec<_>>()
    };
    assert_eq!(about("f1"), [2, 1]);
    assert_eq!(about("f2"), [0_i64; 0]);
    set_status(
        &*store,
        LessonId(2),
        Status::Archived {
            by: Retirement::Dismissed,
            why: clean_text("x"),
        },
    );
    assert_eq!(about("f1"), [1, 2]);
}

fn orders_proven(make: MakeStore<'_>) {
    let store = make();
    let everywhere = default_scope().without_project();
    let places = [
        &default_scope(),
        &everywhere,
        &make_scope("t", "a", "q"),
        &default_scope(),
    ];
    for (number, place) in places.into_iter().enumerate() {
        add_lesson(&*store, place, &format!("use alpha {number}"));
    }
    let mut short = admitted_lesson(&default_scope(), "use beta");
    short.expires_at = Some(time_at(10));
    learn_lesson(&*store, short).unwrap();
    let credit = |id: i64, helped: i64, harmed: i64| {
        let credit = Change::Credit {
            id: LessonId(id),
            delta: make_delta(helped, harmed),
        };
        apply_changes(&*store, &tenant_id("t"), vec![credit]).unwrap();
    };
    let proven = |second: i64| {
        let proven = store
            .snapshot()
            .unwrap()
            .proven_lessons(&default_scope(), time_at(second))
            .unwrap();
        proven.iter().map(|proven| proven.id.0).collect::<Vec<_>>()
    };
    assert_eq!(proven(0), [0_i64; 0]);
    for id in 1..=5 {
        credit(id, 2, 1);
    }
    assert_eq!(proven(0), [5, 4, 2, 1]);
    assert_eq!(proven(10), [4, 2, 1]);
    credit(1, 1, 0);
    credit(2, 0, 1);
    assert_eq!(proven(10), [1, 4]);
    set_status(
        &*store,
        LessonId(4),
        Status::Archived {
            by: Retirement::Dismissed,
            why: clean_text("x"),
        },
    );
    assert_eq!(proven(10), [1]);
    for number in 0..25 {
        let id = add_lesson(&*store, &everywhere, &format!("gamma delta{number}"));
        credit(id.0, 3, 0);
    }
    assert_eq!(proven(10).len(), limits::CANDIDATES);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .proven_lessons(&make_scope("t", "b", "p"), time_at(0))
            .unwrap(),
        []
    );
}
