//! What a listing holds, and in which order.

use hardwon_core::{Cause, Change, LessonId, Status, TypedWord, trigger};
use hardwon_store::{LessonListing, LessonOrder, Recall, ScopeFilter, StatusName};

use super::{MakeStore, samples::*};

/// So many lessons that some of them are merged into the index, and some are not.
const MANY_LESSONS: i64 = 60;

pub(super) fn lists_by_filter(make: MakeStore<'_>) {
    let store = make();
    add_lesson(&*store, &default_scope(), "use Alpha 100%");
    add_lesson(&*store, &default_scope().without_project(), "use beta");
    add_lesson(&*store, &make_scope("t", "a", "q"), "use gamma");
    add_lesson(&*store, &make_scope("t", "b", "p"), "use delta_1");
    set_status(
        &*store,
        LessonId(3),
        Status::Pending {
            why: clean_text("x"),
        },
    );
    let waiting = store.snapshot().unwrap().count_waiting(&tenant_id("t"));
    assert_eq!(waiting.unwrap(), [(make_scope("t", "a", "q"), 1)]);
    let all = LessonListing::default;
    let cases = [
        (all(), vec![4, 3, 2, 1]),
        (LessonListing { limit: 2, ..all() }, vec![4, 3]),
        (
            LessonListing {
                before: Some(LessonId(3)),
                limit: 1,
                ..all()
            },
            vec![2],
        ),
        (
            LessonListing {
                before: Some(LessonId(-4)),
                ..all()
            },
            vec![],
        ),
        (
            LessonListing {
                before: Some(LessonId(i64::MAX)),
                ..all()
            },
            vec![4, 3, 2, 1],
        ),
        (
            LessonListing {
                within: ScopeFilter::Agent(default_scope().agent),
                ..all()
            },
            vec![3, 2, 1],
        ),
        (
            LessonListing {
                within: ScopeFilter::Scope(default_scope()),
                ..all()
            },
            vec![1],
        ),
        (
            LessonListing {
                within: ScopeFilter::Scope(default_scope().without_project()),
                ..all()
            },
            vec![2],
        ),
        (
            LessonListing {
                within: ScopeFilter::Visible(default_scope()),
                ..all()
            },
            vec![2, 1],
        ),
        (
            LessonListing {
                within: ScopeFilter::Visible(default_scope().without_project()),
                ..all()
            },
            vec![2],
        ),
        (
            LessonListing {
                status: Some(StatusName::Pending),
                ..all()
            },
            vec![3],
        ),
        (
            LessonListing {
                search_text: "aLPHA 100%".into(),
                ..all()
            },
            vec![1],
        ),
        (
            LessonListing {
                search_text: " 100%  use alp ".into(),
                ..all()
            },
            vec![1],
        ),
        (
            LessonListing {
                search_text: "use gamma beta".into(),
                ..all()
            },
            vec![],
        ),
        (
            LessonListing {
                search_text: "a_1".into(),
                ..all()
            },
            vec![4],
        ),
        (
            LessonListing {
                search_text: "%".into(),
                ..all()
            },
            vec![1],
        ),
        (
            LessonListing {
                search_text: "'; --".into(),
                ..all()
            },
            vec![],
        ),
    ];
    for (listing, expected) in cases {
        assert_eq!(listed_ids(&*store, &listing), expected, "{listing:?}");
    }
    for (since, expected) in [(time_at(0), vec![4, 3, 2, 1]), (time_at(1), vec![])] {
        let listing = LessonListing {
            since: Some(since),
            ..all()
        };
        assert_eq!(listed_ids(&*store, &listing), expected, "{since}");
    }
}

pub(super) fn lists_by_every_field(make: MakeStore<'_>) {
    let store = make();
    add_lesson(&*store, &default_scope(), "use Alpha");
    let mut situated = admitted_lesson(&default_scope(), "use beta");
    situated.cause = Cause::LowQuality;
    situated.content.situation = Some(clean_text("Refactoring GRÖSSER files"));
    situated.content.mistake = Some(clean_text("rewrote all of it"));
    situated.content.tags = vec![clean_text("edit-file"), clean_text("größe")];
    learn_lesson(&*store, situated).unwrap();
    for (words, expected) in [
        ("refactor", vec![2]),
        ("grösser beta", vec![2]),
        ("REWROTE", vec![2]),
        ("edit-fi", vec![2]),
        ("größe", vec![2]),
        ("tags", vec![]),
        ("metadata", vec![]),
    ] {
        let listing = LessonListing {
            search_text: words.into(),
            ..LessonListing::default()
        };
        assert_eq!(listed_ids(&*store, &listing), expected, "{words}");
    }
    for (tag, expected) in [("edit-file", vec![2]), ("größe", vec![2]), ("edit", vec![])] {
        let listing = LessonListing {
            tag: Some(tag.into()),
            ..LessonListing::default()
        };
        assert_eq!(listed_ids(&*store, &listing), expected, "{tag}");
    }
    for (cause, expected) in [
        (Cause::LowQuality, vec![2]),
        (Cause::Error, vec![1]),
        (Cause::Manual, vec![]),
    ] {
        let listing = LessonListing {
            cause: Some(cause),
            ..LessonListing::default()
        };
        assert_eq!(listed_ids(&*store, &listing), expected, "{cause:?}");
    }
}

pub(super) fn lists_by_showing(make: MakeStore<'_>) {
    let store = make();
    for text in ["use alpha", "use BETÄ", "use gamma", "use delta"] {
        add_lesson(&*store, &default_scope(), text);
    }
    for (id, seconds) in [(3, 70), (1, 60)] {
        let shown = Recall {
            at: time_at(seconds),
            ..sample_recall(&default_scope(), &[LessonId(id)])
        };
        store.spool_recall(&shown).unwrap();
    }
    store.flush(&tenant_id("t")).unwrap();
    let mut listing = LessonListing {
        order: LessonOrder::LastShownFirst,
        limit: 2,
        ..LessonListing::default()
    };
    let mut pages = Vec::new();
    loop {
        let page = listed_ids(&*store, &listing);
        let Some(last) = page.last() else { break };
        listing.before = Some(LessonId(*last));
        pages.push(page);
    }
    assert_eq!(pages, [[3, 1], [4, 2]]);
    let shown = LessonListing {
        only_shown: true,
        ..LessonListing::default()
    };
    assert_eq!(listed_ids(&*store, &shown), [3, 1]);
    listing.before = Some(LessonId(77));
    assert_eq!(listed_ids(&*store, &listing), [0; 0]);
    // Case is ignored in any script.
    listing.before = None;
    listing.search_text = "betä".into();
    assert_eq!(listed_ids(&*store, &listing), [2]);
}

pub(super) fn lists_small_scopes(make: MakeStore<'_>) {
    let store = make();
    let (small, large) = (make_scope("t", "a", "p"), make_scope("t", "a", "q"));
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for number in 0..2 * MANY_LESSONS {
        many.push(add_lesson(&*store, &large, &format!("use beta{number}")).0);
        if number % 20 == 7 {
            few.push(add_lesson(&*store, &small, &format!("use gamma{number}")).0);
        }
    }
    let why = clean_text("x");
    let waiting = few.pop().expect("there are some");
    set_status(&*store, LessonId(waiting), Status::Pending { why });
    for (place, ids) in [(small, few), (large, many)] {
        let listing = LessonListing {
            within: ScopeFilter::Visible(place),
            status: Some(StatusName::Active),
            limit: 3,
            ..LessonListing::default()
        };
        let newest: Vec<i64> = ids.into_iter().rev().take(3).collect();
        assert_eq!(listed_ids(&*store, &listing), newest);
    }
}

pub(super) fn names_lessons_with_words(make: MakeStore<'_>) {
    let store = make();
    for number in 0..MANY_LESSONS {
        let kind = if number % 2 == 0 {
            "running"
        } else {
            "parsing"
        };
        let text = format!("use {kind} src/gen number{number}");
        add_lesson(&*store, &default_scope(), &text);
    }
    add_lesson(
        &*store,
        &make_scope("t", "a", "q"),
        "use runners of parse_trees",
    );
    let mut tagged = admitted_lesson(&default_scope(), "use delta");
    tagged.content.tags = vec![clean_text("flaky-tests")];
    learn_lesson(&*store, tagged).unwrap();
    add_lesson(&*store, &default_scope(), "use running waters");
    let why = clean_text("x");
    set_status(&*store, LessonId(MANY_LESSONS + 3), Status::Pending { why });
    let reader = store.snapshot().unwrap();
    let name_newest = |searched: &str, within: &ScopeFilter, most: usize| {
        let words = TypedWord::list(searched);
        let lessons = reader.lessons_with_words(&tenant_id("t"), within, &words, most);
        lessons
            .unwrap()
            .into_iter()
            .map(|id| id.0)
            .collect::<Vec<i64>>()
    };
    let name = |searched: &str, within: &ScopeFilter| name_newest(searched, within, usize::MAX);
    let of_kind = |kind: i64| (1..=MANY_LESSONS).rev().filter(move |id| id % 2 == kind);
    let all = ScopeFilter::Tenant;
    let runs: Vec<i64> = [MANY_LESSONS + 1].into_iter().chain(of_kind(1)).collect();
    assert_eq!(name("runn", &all), runs);
    for most in 0..=runs.len() {
        assert_eq!(name_newest("runn", &all, most), runs[..most], "{most}");
    }
    let both: Vec<i64> = of_kind(0).take(2).collect();
    assert_eq!(name_newest("pars src/ge", &all, 2), both);
    assert_eq!(name("src/ge pars", &all), of_kind(0).collect::<Vec<i64>>());
    assert_eq!(
        name("pars NUMBER7", &ScopeFilter::Scope(default_scope()))[..],
        [8]
    );
    assert_eq!(name("pars tre", &all), [MANY_LESSONS + 1]);
    assert_eq!(name("flaky te", &all), [MANY_LESSONS + 2]);
    for nothing in ["unning", "waters", "runn nowhere"] {
        assert_eq!(name(nothing, &all), [0; 0], "{nothing}");
    }
    // No call brings a lesson up that names nothing of one.
    let other = make_scope("t", "a", "z");
    for text in [
        "dates are in UTC",
        "use `cargo nextest run`, not `cargo test`",
    ] {
        add_lesson(&*store, &other, text);
    }
    let within = ScopeFilter::Scope(other);
    let reader = store.snapshot().unwrap();
    let word = [trigger::convention_word()];
    let conventions = reader.lessons_with_words(&tenant_id("t"), &within, &word, usize::MAX);
    assert_eq!(conventions.unwrap(), [LessonId(MANY_LESSONS + 4)]);
    let among = LessonListing {
        among: Some(vec![LessonId(2), LessonId(7), LessonId(-1)]),
        ..LessonListing::default()
    };
    assert_eq!(listed_ids(&*store, &among), [7, 2]);
}

pub(super) fn lists_replaced(make: MakeStore<'_>) {
    let store = make();
    for text in ["use alpha", "use beta", "use gamma"] {
        add_lesson(&*store, &default_scope(), text);
        add_lesson(&*store, &make_scope("u", "a", ""), text);
    }
    let by = LessonId(3);
    for id in [LessonId(2), LessonId(1)] {
        let why = None;
        apply_changes(
            &*store,
            &tenant_id("t"),
            vec![Change::Supersede { id, by, why }],
        )
        .unwrap();
    }
    let ids = |name: &str, id: LessonId| {
        let lessons = store
            .snapshot()
            .unwrap()
            .lessons_replaced_by(&tenant_id(name), id)
            .unwrap();
        lessons.iter().map(|lesson| lesson.id.0).collect::<Vec<_>>()
    };
    assert_eq!(ids("t", by), [1, 2]);
    assert_eq!((ids("t", LessonId(1)), ids("u", by)), (vec![], vec![]));
    set_status(&*store, LessonId(1), Status::Active);
    assert_eq!(ids("t", by), [2]);
}
