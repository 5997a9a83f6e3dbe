//! The contract of vectors, case by case.

use hardwon_core::{
    Change, LessonId, Retirement, Scope, SearchResults, Status, Vector, vector::content_fingerprint,
};
use hardwon_store::{LessonQuery, LessonVector, QueryVector, Result, Store, StoreErrorKind};

use super::{MakeStore, samples::*};

fn default_scope() -> Scope {
    make_scope("t", "a", "p")
}

fn add_lesson(store: &dyn Store, place: &Scope, text: &str) -> LessonId {
    learn_lesson(store, admitted_lesson(place, text)).unwrap().0
}

/// Saves a vector of a lesson's present words; returns whether it was saved.
fn embed_lesson(
    store: &dyn Store,
    name: &str,
    id: LessonId,
    space: &str,
    numbers: &[f32],
) -> Result<bool> {
    let lesson = store
        .snapshot()
        .unwrap()
        .lesson(&tenant_id(name), id)?
        .unwrap();
    let vector = LessonVector {
        lesson: id,
        embedding_space: space.to_owned(),
        fingerprint: content_fingerprint(&lesson.content),
        vector: Vector::from_numbers(numbers).unwrap(),
    };
    save_vector(store, name, &vector)
}

fn save_vector(store: &dyn Store, name: &str, vector: &LessonVector) -> Result<bool> {
    commit_work(store, &tenant_id(name), |tx| tx.save_vector(vector))
}

fn search_similar(
    store: &dyn Store,
    place: &Scope,
    prompt: &str,
    space: &str,
    numbers: &[f32],
) -> SearchResults {
    let query = LessonQuery {
        vector: Some(QueryVector {
            embedding_space: space.to_owned(),
            vector: Vector::from_numbers(numbers).unwrap(),
        }),
        limit: 3,
        ..make_query(place, prompt)
    };
    store.snapshot().unwrap().search(&query).unwrap()
}

/// Returns the numbers of the lessons found, each with its similarity in tenths.
fn ids_and_similarities(found: &SearchResults) -> Vec<(i64, Option<f32>)> {
    let tenths = |similarity: f32| (similarity * 10.0).round() / 10.0;
    let hit = |hit: &hardwon_core::rank::SearchHit| (hit.lesson.id.0, hit.similarity.map(tenths));
    found.hits.iter().map(hit).collect()
}

pub(super) fn joins_nearest(make: MakeStore<'_>) {
    let store = make();
    let ids: Vec<LessonId> = (1..=6)
        .map(|entry| add_lesson(&*store, &default_scope(), &format!("topic{entry}")))
        .collect();
    for (id, numbers) in ids
        .iter()
        .zip([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]])
    {
        assert!(embed_lesson(&*store, "t", *id, "s", &numbers).unwrap());
    }
    // Matches by words first, then the nearest; five and six have no vector.
    let found = search_similar(&*store, &default_scope(), "topic3 topic5", "s", &[1.0, 0.0]);
    assert_eq!(
        ids_and_similarities(&found),
        [(5, None), (3, Some(0.0)), (1, Some(1.0)), (2, Some(0.6))]
    );
    assert_eq!(found.hits[2].score, 0.0);
    // Vectors of another space cannot be compared, and without a vector nothing is.
    let found = search_similar(&*store, &default_scope(), "topic3", "other", &[1.0, 0.0]);
    assert_eq!(ids_and_similarities(&found), [(3, None)]);
    let found = search_similar(&*store, &default_scope(), "topic3", "s", &[1.0, 0.0, 0.0]);
    assert_eq!(ids_and_similarities(&found), [(3, None)]);
    let plain = store
        .snapshot()
        .unwrap()
        .search(&make_query(&default_scope(), "topic3"))
        .unwrap();
    assert_eq!(ids_and_similarities(&plain), [(3, None)]);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .count_vectors(&default_scope(), "s")
            .unwrap(),
        4
    );
}

pub(super) fn goes_with_words(make: MakeStore<'_>) {
    let store = make();
    let id = add_lesson(&*store, &default_scope(), "use alpha");
    let stale = LessonVector {
        lesson: id,
        embedding_space: "s".to_owned(),
        fingerprint: 0,
        vector: Vector::from_numbers(&[1.0]).unwrap(),
    };
    let lacking = || {
        let lacking = store
            .snapshot()
            .unwrap()
            .lessons_without_vector(&tenant_id("t"), "s", LessonId(0), 9)
            .unwrap();
        lacking
            .iter()
            .map(|lacking| lacking.id.0)
            .collect::<Vec<_>>()
    };
    let alter = |change: Change| {
        super::samples::apply_changes(&*store, &tenant_id("t"), vec![change]).unwrap()
    };
    assert!(!save_vector(&*store, "t", &stale).unwrap());
    assert!(
        !save_vector(
            &*store,
            "t",
            &LessonVector {
                lesson: LessonId(9),
                ..stale.clone()
            }
        )
        .unwrap()
    );
    assert_eq!(lacking(), [1]);
    assert!(embed_lesson(&*store, "t", id, "s", &[1.0]).unwrap());
    assert_eq!(lacking(), [0_i64; 0]);
    // Evidence changes no words.
    alter(Change::Reinforce {
        id,
        evidence: vec![run_evidence("r7")],
    });
    assert_eq!(lacking(), [0_i64; 0]);
    // Moving to another scope changes none either.
    let counts = || {
        [default_scope(), default_scope().without_project()].map(|entry| {
            store
                .snapshot()
                .unwrap()
                .count_vectors(&entry, "s")
                .unwrap()
        })
    };
    for (place, expected) in [
        (default_scope().without_project(), [0, 1]),
        (default_scope(), [1, 0]),
    ] {
        let project = place.project.clone();
        alter(Change::Move { id, project });
        assert_eq!((lacking(), counts()), (vec![], expected));
        let found = search_similar(&*store, &place, "nothing", "s", &[1.0]);
        assert_eq!(ids_and_similarities(&found), [(1, Some(1.0))]);
    }
    let content = Box::new(admitted_lesson(&default_scope(), "use beta").content);
    alter(Change::Revise { id, content });
    assert_eq!(lacking(), [1]);
    assert!(embed_lesson(&*store, "t", id, "s", &[1.0]).unwrap());
    // A lesson that is no longer active is not recalled, and not embedded either.
    alter(Change::SetStatus {
        id,
        status: Status::Archived {
            by: Retirement::Dismissed,
            why: clean_text("x"),
        },
    });
    assert_eq!(
        (
            lacking(),
            store
                .snapshot()
                .unwrap()
                .count_vectors(&default_scope(), "s")
                .unwrap()
        ),
        (vec![], 0)
    );
    assert!(!embed_lesson(&*store, "t", id, "s", &[1.0]).unwrap());
    alter(Change::SetStatus {
        id,
        status: Status::Active,
    });
    assert_eq!(lacking(), [1]);
    assert!(embed_lesson(&*store, "t", id, "s", &[1.0]).unwrap());
    // The vector saved last replaces the one before, whatever its space.
    assert!(embed_lesson(&*store, "t", id, "other", &[1.0]).unwrap());
    assert_eq!(lacking(), [1]);
    assert!(embed_lesson(&*store, "t", id, "s", &[1.0]).unwrap());
    alter(Change::Erase { id });
    assert_eq!(
        (
            lacking(),
            store
                .snapshot()
                .unwrap()
                .count_vectors(&default_scope(), "s")
                .unwrap()
        ),
        (vec![], 0)
    );

    let long = embed_lesson(
        &*store,
        "t",
        add_lesson(&*store, &default_scope(), "use gamma"),
        &"s".repeat(201),
        &[1.0],
    );
    assert_eq!(long.unwrap_err().kind(), StoreErrorKind::Invalid);
    add_lesson(&*store, &default_scope(), "use delta");
    let second = store
        .snapshot()
        .unwrap()
        .lessons_without_vector(&tenant_id("t"), "s", LessonId(2), 9)
        .unwrap();
    assert_eq!(
        second.iter().map(|second| second.id.0).collect::<Vec<_>>(),
        [3]
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .lessons_without_vector(&tenant_id("t"), "s", LessonId(0), 1)
            .unwrap()
            .len(),
        1
    );
}

pub(super) fn separates_scopes(make: MakeStore<'_>) {
    let store = make();
    let places = [
        make_scope("t", "a", "p"),
        make_scope("t", "a", ""),
        make_scope("t", "a", "q"),
        make_scope("t", "b", "p"),
        make_scope("u", "a", "p"),
    ];
    for place in &places {
        let id = add_lesson(&*store, place, "use alpha");
        assert!(embed_lesson(&*store, place.tenant.as_str(), id, "s", &[1.0, 0.5]).unwrap());
    }
    // Its own lesson and the one without a project.
    let found = search_similar(&*store, &default_scope(), "beta", "s", &[1.0, 0.0]);
    assert_eq!(
        ids_and_similarities(&found),
        [(2, Some(0.9)), (1, Some(0.9))]
    );
    let found = search_similar(
        &*store,
        &make_scope("u", "a", "p"),
        "beta",
        "s",
        &[1.0, 0.0],
    );
    assert_eq!(ids_and_similarities(&found), [(1, Some(0.9))]);
    for place in &places {
        assert_eq!(
            store.snapshot().unwrap().count_vectors(place, "s").unwrap(),
            1
        );
    }
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .count_vectors(&make_scope("v", "a", "p"), "s")
            .unwrap(),
        0
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .lessons_without_vector(&tenant_id("v"), "s", LessonId(0), 9)
            .unwrap(),
        []
    );
    // A vector is saved for the transaction's tenant, even if another has a lesson of this number.
    let id = add_lesson(&*store, &make_scope("u", "a", "p"), "use beta");
    assert_eq!(id, LessonId(2));
    assert!(embed_lesson(&*store, "u", id, "s", &[0.0, 1.0]).unwrap());
    let found = search_similar(&*store, &default_scope(), "nothing", "s", &[1.0, 0.0]);
    assert_eq!(
        ids_and_similarities(&found),
        [(2, Some(0.9)), (1, Some(0.9))]
    );
}

pub(super) fn skips_expired(make: MakeStore<'_>) {
    let store = make();
    for number in 0..4 {
        let mut short = admitted_lesson(&default_scope(), &format!("gamma {number}"));
        short.expires_at = Some(time_at(0));
        let id = learn_lesson(&*store, short).unwrap().0;
        assert!(embed_lesson(&*store, "t", id, "s", &[1.0, 0.0]).unwrap());
    }
    let last = add_lesson(&*store, &default_scope(), "delta");
    assert!(embed_lesson(&*store, "t", last, "s", &[0.0, 1.0]).unwrap());
    let found = search_similar(&*store, &default_scope(), "nothing", "s", &[1.0, 0.0]);
    assert_eq!(ids_and_similarities(&found), [(last.0, Some(0.0))]);
}

/// A bank too large to compare all of it: 4,096 numbers of 1,030 lessons.
pub(super) fn bounds_comparison(make: MakeStore<'_>) {
    let store = make();
    let changes = (1..=1030).map(|number| Change::Add {
        id: LessonId(number),
        admitted: Box::new(admitted_lesson(&default_scope(), &format!("topic{number}"))),
    });
    apply_changes(&*store, &tenant_id("t"), changes.collect()).unwrap();
    let mut numbers = vec![0.0; 4096];
    numbers[7] = 1.0;
    for id in [LessonId(5), LessonId(6)] {
        assert!(embed_lesson(&*store, "t", id, "s", &numbers).unwrap());
    }
    let found = search_similar(&*store, &default_scope(), "topic6 topic9", "s", &numbers);
    assert_eq!(ids_and_similarities(&found), [(9, None), (6, Some(1.0))]);
}
