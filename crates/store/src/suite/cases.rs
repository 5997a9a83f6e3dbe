//! The contract, case by case.

use std::thread;

use hardwon_core::{
    change::{Change, evicted_status},
    credit::RecordDelta,
    id::{LessonId, ProjectId},
    journal::JournalEntry,
    lesson::{AdmittedLesson, Status, Trust, TrustClass},
    limits,
    scope::Scope,
};

use super::{Case, Make, ask::audit, beside, jobs, samples::*, transactions, vectors};
use crate::{Listing, Order, Recall, StatusName, Store, Within};

/// Every case.
pub const CASES: &[Case] = &[
    ("a lesson comes back as it went in", comes_back),
    (
        "lessons are numbered from one, and no number is used twice",
        numbers,
    ),
    ("no scope sees another one's lessons", isolation),
    (
        "a transaction sees its own changes",
        transactions::own_changes,
    ),
    (
        "a transaction is kept whole or not at all",
        transactions::whole_or_not,
    ),
    ("changes must fit", transactions::misfits),
    (
        "a change says what became of its lesson",
        transactions::applied,
    ),
    ("a snapshot does not change", transactions::snapshots),
    ("only what is active and not expired is found", found),
    ("a lesson is listed by place, state and words", listed),
    ("a full scope lets the least useful go", capacity),
    ("a moved lesson is there and nowhere else", moved),
    ("what is learned at once is stored once", at_once),
    ("a lesson has a history, whose words go with it", history),
    ("a lesson tells which it replaced", replaced),
    ("recalls are counted once", beside::recalls),
    ("a recall is listed by place and client", beside::listed),
    ("what was shown last is listed first", by_showing),
    ("what was asked is kept apart", beside::asked),
    ("a run is judged once", beside::judgements),
    (
        "a trouble is remembered until it is forgotten",
        beside::witnesses,
    ),
    ("a source is read on from where it was", beside::sources),
    (
        "what is kept beside lessons is kept with them",
        beside::with_lessons,
    ),
    ("a failure brings up its lessons", failures),
    ("what helped comes first, what harmed not at all", proven),
    ("a job is done once, and with its lessons", jobs::once),
    ("a job's turn comes when it is ready", jobs::turns),
    ("no tenant sees another one's jobs or costs", jobs::apart),
    ("jobs long over are forgotten", jobs::forgotten),
    ("the nearest lessons join those found", vectors::nearest),
    (
        "a vector goes with the words it was made of",
        vectors::goes_with_words,
    ),
    ("no scope is compared with another one's", vectors::apart),
    ("what expired is not near", vectors::expired),
    ("a large bank is not compared whole", vectors::bounded),
];

fn comes_back(make: Make<'_>) {
    let store = make();
    let (id, _) = learn(&*store, full(&here())).unwrap();
    let lesson = get(&*store, id);
    assert_eq!(lesson.admitted, full(&here()));
    assert_eq!((lesson.created, lesson.updated), (at(0), at(0)));
    assert_eq!(lesson.counts, hardwon_core::lesson::LessonCounts::default());
    audit(&*store, &tenant("t"));
}

fn numbers(make: Make<'_>) {
    let store = make();
    assert_eq!(add(&*store, &here(), "use alpha"), LessonId(1));
    assert_eq!(add(&*store, &scope("t", "b", ""), "use alpha"), LessonId(2));
    assert_eq!(add(&*store, &scope("u", "a", ""), "use alpha"), LessonId(1));
    let id = LessonId(2);
    change(&*store, &tenant("t"), vec![Change::Delete { id }]).unwrap();
    assert_eq!(
        store.snapshot().unwrap().lesson(&tenant("t"), id).unwrap(),
        None
    );
    assert_eq!(add(&*store, &here(), "use beta"), LessonId(3));
    audit(&*store, &tenant("t"));
    audit(&*store, &tenant("u"));
}

fn isolation(make: Make<'_>) {
    let lone = make();
    add(&*lone, &here(), "use alpha in go");
    let crowded = make();
    let strangers = [
        scope("u", "a", "p"),
        scope("t", "b", "p"),
        scope("t", "a", "q"),
    ];
    let stranger = |text: &str| {
        for place in &strangers {
            for place in [place, &place.without_project()] {
                if *place != here().without_project() {
                    add(&*crowded, place, text);
                }
            }
        }
    };
    add(&*crowded, &here(), "use alpha in go");
    stranger("use alpha in go");
    stranger("alpha beta gamma");
    let ask = |store: &dyn Store| {
        let near = store
            .snapshot()
            .unwrap()
            .known(&admitted(&here(), "use alpha in go"), 1000)
            .unwrap()
            .similar;
        (
            store
                .snapshot()
                .unwrap()
                .search(&query(&here(), "alpha beta"))
                .unwrap(),
            store.snapshot().unwrap().census(&here()).unwrap(),
            near,
        )
    };
    assert_eq!(ask(&*crowded), ask(&*lone));
    let visible = Listing {
        within: Within::Visible(here()),
        ..Listing::default()
    };
    assert_eq!(listed_ids(&*crowded, &visible), [1]);
    assert_eq!(
        crowded
            .snapshot()
            .unwrap()
            .lesson(&tenant("v"), LessonId(1))
            .unwrap(),
        None
    );
    assert_eq!(
        crowded.snapshot().unwrap().scopes(&tenant("v")).unwrap(),
        []
    );
    assert_eq!(
        crowded
            .snapshot()
            .unwrap()
            .journal(&tenant("v"), 0, 10)
            .unwrap(),
        []
    );

    let general = add(&*crowded, &here().without_project(), "alpha for all");
    let found = crowded
        .snapshot()
        .unwrap()
        .search(&query(&here(), "alpha"))
        .unwrap();
    assert_eq!(ids(&found), [general.0, 1]);
    let found = crowded
        .snapshot()
        .unwrap()
        .search(&query(&here().without_project(), "alpha"))
        .unwrap();
    assert_eq!(ids(&found), [general.0]);
}

fn found(make: Make<'_>) {
    let store = make();
    let alpha = add(&*store, &here(), "use alpha");
    let ask = |prompt: &str, second: i64| {
        let query = crate::Query {
            now: at(second),
            ..query(&here(), prompt)
        };
        store.snapshot().unwrap().search(&query).unwrap()
    };
    assert_eq!(ids(&ask("alpha", 0)), [1]);
    assert_eq!(ask("alpha", 0).stats.docs, 1);
    for status in [
        Status::Pending { why: clean("x") },
        Status::Quarantined { why: clean("x") },
        Status::Archived { why: clean("x") },
        Status::Superseded { by: LessonId(9) },
    ] {
        set(&*store, alpha, status);
        assert_eq!(ask("alpha", 0).stats.docs, 0);
        assert_eq!(ids(&ask("alpha", 0)), [0_i64; 0]);
        set(&*store, alpha, Status::Active);
        assert_eq!(ids(&ask("alpha", 0)), [1]);
    }
    let content = Box::new(admitted(&here(), "use beta").content);
    change(
        &*store,
        &tenant("t"),
        vec![Change::Revise { id: alpha, content }],
    )
    .unwrap();
    assert_eq!(ids(&ask("alpha", 0)), [0_i64; 0]);
    assert_eq!(ids(&ask("beta", 0)), [1]);

    for number in 0..30 {
        let mut short = admitted(&here(), &format!("gamma {number}"));
        short.expires_at = Some(at(10));
        learn(&*store, short).unwrap();
    }
    let last = add(&*store, &here(), "alpha gamma delta epsilon zeta");
    assert_eq!(ids(&ask("gamma", 9)).len(), 20);
    assert_eq!(ids(&ask("gamma", 10)), [last.0]);
    change(&*store, &tenant("t"), vec![Change::Delete { id: last }]).unwrap();
    assert_eq!(ids(&ask("gamma", 10)), [0_i64; 0]);
}

fn listed(make: Make<'_>) {
    let store = make();
    add(&*store, &here(), "use Alpha 100%");
    add(&*store, &here().without_project(), "use beta");
    add(&*store, &scope("t", "a", "q"), "use gamma");
    add(&*store, &scope("t", "b", "p"), "use delta_1");
    set(&*store, LessonId(3), Status::Pending { why: clean("x") });
    let all = Listing::default;
    let cases = [
        (all(), vec![4, 3, 2, 1]),
        (Listing { limit: 2, ..all() }, vec![4, 3]),
        (
            Listing {
                before: Some(LessonId(3)),
                limit: 1,
                ..all()
            },
            vec![2],
        ),
        (
            Listing {
                before: Some(LessonId(-4)),
                ..all()
            },
            vec![],
        ),
        (
            Listing {
                before: Some(LessonId(i64::MAX)),
                ..all()
            },
            vec![4, 3, 2, 1],
        ),
        (
            Listing {
                within: Within::Agent(here().agent),
                ..all()
            },
            vec![3, 2, 1],
        ),
        (
            Listing {
                within: Within::Scope(here()),
                ..all()
            },
            vec![1],
        ),
        (
            Listing {
                within: Within::Scope(here().without_project()),
                ..all()
            },
            vec![2],
        ),
        (
            Listing {
                within: Within::Visible(here()),
                ..all()
            },
            vec![2, 1],
        ),
        (
            Listing {
                within: Within::Visible(here().without_project()),
                ..all()
            },
            vec![2],
        ),
        (
            Listing {
                status: Some(StatusName::Pending),
                ..all()
            },
            vec![3],
        ),
        (
            Listing {
                text: "aLPHA 100%".into(),
                ..all()
            },
            vec![1],
        ),
        (
            Listing {
                text: " 100%  use alp ".into(),
                ..all()
            },
            vec![1],
        ),
        (
            Listing {
                text: "use gamma beta".into(),
                ..all()
            },
            vec![],
        ),
        (
            Listing {
                text: "a_1".into(),
                ..all()
            },
            vec![4],
        ),
        (
            Listing {
                text: "%".into(),
                ..all()
            },
            vec![1],
        ),
        (
            Listing {
                text: "'; --".into(),
                ..all()
            },
            vec![],
        ),
    ];
    for (listing, expected) in cases {
        assert_eq!(listed_ids(&*store, &listing), expected, "{listing:?}");
    }
}

fn by_showing(make: Make<'_>) {
    let store = make();
    for text in ["use alpha", "use BETÄ", "use gamma", "use delta"] {
        add(&*store, &here(), text);
    }
    for (id, seconds) in [(3, 70), (1, 60)] {
        let shown = Recall {
            at: at(seconds),
            ..recall(&here(), &[LessonId(id)])
        };
        store.remember(&shown).unwrap();
    }
    store.flush(&tenant("t")).unwrap();
    let mut listing = Listing {
        order: Order::Shown,
        limit: 2,
        ..Listing::default()
    };
    let mut pages = Vec::new();
    loop {
        let page = listed_ids(&*store, &listing);
        let Some(last) = page.last() else { break };
        listing.before = Some(LessonId(*last));
        pages.push(page);
    }
    assert_eq!(pages, [[3, 1], [4, 2]]);
    listing.before = Some(LessonId(77));
    assert_eq!(listed_ids(&*store, &listing), [0; 0]);
    // Letters of any script match in either case.
    listing.before = None;
    listing.text = "betä".into();
    assert_eq!(listed_ids(&*store, &listing), [2]);
}

fn history(make: Make<'_>) {
    let store = make();
    let (id, other) = (add(&*store, &here(), "use alpha"), LessonId(2));
    add(&*store, &here(), "use beta");
    add(&*store, &scope("u", "a", ""), "use alpha");
    let why = clean("out of date");
    set(&*store, id, Status::Archived { why });
    let why = Some(clean("needed after all"));
    change(&*store, &tenant("t"), vec![Change::Approve { id, why }]).unwrap();
    let told = |id: LessonId, after: u64| {
        let entries = store
            .snapshot()
            .unwrap()
            .history(&tenant("t"), id, after, 10)
            .unwrap();
        let entry = |it: &JournalEntry| {
            let remark = it.body.comment.as_ref();
            let words = remark.map(|it| it.text().map_or("(erased)", |text| text.as_str()));
            let words = words.unwrap_or("-");
            format!("{} {}: {words}", it.sequence, it.body.kind.name())
        };
        entries.iter().map(entry).collect::<Vec<_>>()
    };
    let whole = [
        "1 add: -",
        "3 status: archived: out of date",
        "4 status: active: needed after all",
    ];
    assert_eq!(told(id, 0), whole);
    assert_eq!(told(id, 1), whole[1..]);
    assert_eq!(told(id, 4), [""; 0]);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .history(&tenant("t"), id, 0, 1)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(told(other, 0), ["2 add: -"]);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .history(&tenant("v"), id, 0, 9)
            .unwrap(),
        []
    );
    audit(&*store, &tenant("t"));

    change(&*store, &tenant("t"), vec![Change::Delete { id }]).unwrap();
    let erased = [
        "1 add: -",
        "3 status: (erased)",
        "4 status: (erased)",
        "5 delete: -",
    ];
    assert_eq!(told(id, 0), erased);
    audit(&*store, &tenant("t"));
}

fn replaced(make: Make<'_>) {
    let store = make();
    for text in ["use alpha", "use beta", "use gamma"] {
        add(&*store, &here(), text);
        add(&*store, &scope("u", "a", ""), text);
    }
    let by = LessonId(3);
    for id in [LessonId(2), LessonId(1)] {
        let why = None;
        change(
            &*store,
            &tenant("t"),
            vec![Change::Supersede { id, by, why }],
        )
        .unwrap();
    }
    let ids = |name: &str, id: LessonId| {
        let lessons = store
            .snapshot()
            .unwrap()
            .replaced_by(&tenant(name), id)
            .unwrap();
        lessons.iter().map(|it| it.id.0).collect::<Vec<_>>()
    };
    assert_eq!(ids("t", by), [1, 2]);
    assert_eq!((ids("t", LessonId(1)), ids("u", by)), (vec![], vec![]));
    set(&*store, LessonId(1), Status::Active);
    assert_eq!(ids("t", by), [2]);
}

fn capacity(make: Make<'_>) {
    let store = make();
    let room = 5;
    let learn = |lesson, second: i64| {
        let learned = write(&*store, &tenant("t"), |transaction| {
            let lesson: &AdmittedLesson = &lesson;
            learn_in(transaction, lesson.clone(), room, at(second))
        });
        learned.unwrap().0
    };
    let mut by_person = admitted(&here(), "use omega");
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
        .map(|(second, words)| learn(admitted(&here(), words), second));
    let there: Vec<LessonId> = there.collect();
    let [helped, wrong, shown, unused, new] = there[..] else {
        unreachable!("as many as there are words");
    };
    store
        .remember(&recall(&here(), &[helped, wrong, shown]))
        .unwrap();
    store.flush(&tenant("t")).unwrap();
    let tally = |helped, harmed| RecordDelta {
        helped,
        harmed,
        ..RecordDelta::default()
    };
    for (id, delta) in [(helped, tally(2, 0)), (wrong, tally(0, 2))] {
        change(&*store, &tenant("t"), vec![Change::Credit { id, delta }]).unwrap();
    }
    // Elsewhere there is room, and what is there leaves for nobody here.
    let elsewhere = add(&*store, &here().without_project(), "use zeta");
    let more = ["use eta", "use theta", "use iota", "use kappa"];
    let mut added = Vec::new();
    for (words, leaves) in more
        .into_iter()
        .zip([Some(wrong), Some(unused), Some(new), None])
    {
        let second = 10 + i64::try_from(added.len()).expect("a few");
        added.push(learn(admitted(&here(), words), second));
        let leaves = leaves.unwrap_or(added[0]);
        assert_eq!(get(&*store, leaves).status, evicted_status(), "for {words}");
    }
    for kept in [
        person, helped, shown, elsewhere, added[1], added[2], added[3],
    ] {
        assert_eq!(get(&*store, kept).status, Status::Active, "{kept}");
    }
    let census = store.snapshot().unwrap().census(&here()).unwrap();
    assert_eq!((census.active, census.learned, census.archived), (6, 5, 4));
    assert_eq!((census.shown, census.helped), (3, 2));
    audit(&*store, &tenant("t"));
}

fn moved(make: Make<'_>) {
    let store = make();
    let there = scope("t", "a", "q");
    let id = add(&*store, &here(), "use alpha");
    add(&*store, &here(), "use beta");
    let go = |project: Option<&ProjectId>| {
        let project = project.cloned();
        change(&*store, &tenant("t"), vec![Change::Move { id, project }]).unwrap();
    };
    let found_in = |place: &Scope| {
        ids(&store
            .snapshot()
            .unwrap()
            .search(&query(place, "alpha"))
            .unwrap())
    };
    let learned_in = |place: &Scope| store.snapshot().unwrap().census(place).unwrap().learned;
    for (place, expected) in [
        (there.clone(), [false, true, false]),
        (here().without_project(), [true, true, true]),
        (here(), [true, false, false]),
    ] {
        go(place.project.as_ref());
        assert_eq!(get(&*store, id).scope, place);
        let seen =
            [here(), there.clone(), here().without_project()].map(|it| !found_in(&it).is_empty());
        assert_eq!(seen, expected, "{place:?}");
        let counted = [here(), there.clone(), here().without_project()].map(|it| learned_in(&it));
        assert_eq!(counted.iter().sum::<u64>(), 2, "{place:?}");
        let listing = Listing {
            within: Within::Scope(place.clone()),
            ..Listing::default()
        };
        assert!(listed_ids(&*store, &listing).contains(&id.0));
        let twin = store
            .snapshot()
            .unwrap()
            .known(&admitted(&place, "use alpha"), 9)
            .unwrap();
        assert_eq!(twin.similar.len(), 1);
    }
    // Where it is already is no change.
    let before = store.snapshot().unwrap().head(&tenant("t")).unwrap();
    go(here().project.as_ref());
    assert_eq!(
        store.snapshot().unwrap().head(&tenant("t")).unwrap(),
        before
    );
    audit(&*store, &tenant("t"));
}

fn at_once(make: Make<'_>) {
    let store = make();
    thread::scope(|threads| {
        for thread in 0..4 {
            let store = &*store;
            threads.spawn(move || {
                for number in 0..10 {
                    let mut lesson = admitted(&here(), &format!("use tool number {number}"));
                    lesson.evidence = vec![evidence(&format!("r{thread}"))];
                    learn(store, lesson).unwrap();
                }
            });
        }
    });
    let lessons = store
        .snapshot()
        .unwrap()
        .lessons(&tenant("t"), &Listing::default())
        .unwrap();
    assert_eq!(lessons.len(), 10);
    assert!(lessons.iter().all(|it| it.evidence.len() == 4));
    audit(&*store, &tenant("t"));
}

fn failures(make: Make<'_>) {
    let store = make();
    let places = [here(), here().without_project(), scope("t", "a", "q")];
    for (number, place) in places.iter().enumerate() {
        let mut lesson = admitted(place, &format!("use alpha {number}"));
        lesson.failure = Some(failure("f1"));
        learn(&*store, lesson).unwrap();
    }
    let about = |name: &str| {
        let about = store
            .snapshot()
            .unwrap()
            .about_failure(&here(), &failure(name))
            .unwrap();
        about.iter().map(|it| it.id.0).collect::<Vec<_>>()
    };
    assert_eq!(about("f1"), [2, 1]);
    assert_eq!(about("f2"), [0_i64; 0]);
    set(&*store, LessonId(2), Status::Archived { why: clean("x") });
    assert_eq!(about("f1"), [1, 2]);
}

fn proven(make: Make<'_>) {
    let store = make();
    let everywhere = here().without_project();
    let places = [&here(), &everywhere, &scope("t", "a", "q"), &here()];
    for (number, place) in places.into_iter().enumerate() {
        add(&*store, place, &format!("use alpha {number}"));
    }
    let mut short = admitted(&here(), "use beta");
    short.expires_at = Some(at(10));
    learn(&*store, short).unwrap();
    let credit = |id: i64, helped: i64, harmed: i64| {
        let credit = Change::Credit {
            id: LessonId(id),
            delta: tally(helped, harmed),
        };
        change(&*store, &tenant("t"), vec![credit]).unwrap();
    };
    let proven = |second: i64| {
        let proven = store
            .snapshot()
            .unwrap()
            .proven(&here(), at(second))
            .unwrap();
        proven.iter().map(|it| it.id.0).collect::<Vec<_>>()
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
    set(&*store, LessonId(4), Status::Archived { why: clean("x") });
    assert_eq!(proven(10), [1]);
    for number in 0..25 {
        let id = add(&*store, &everywhere, &format!("gamma delta{number}"));
        credit(id.0, 3, 0);
    }
    assert_eq!(proven(10).len(), limits::CANDIDATES);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .proven(&scope("t", "b", "p"), at(0))
            .unwrap(),
        []
    );
}
