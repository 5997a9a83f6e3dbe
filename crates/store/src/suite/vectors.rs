//! The contract of vectors, case by case.

use hardwon_core::{
    change::Change,
    id::LessonId,
    lesson::Status,
    rank::SearchResults,
    scope::Scope,
    vector::{Vector, content_fingerprint},
};

use super::{Make, samples::*};
use crate::{ErrorKind, LessonVector, Near, Query, Result, Store};

fn here() -> Scope {
    scope("t", "a", "p")
}

fn add(store: &dyn Store, place: &Scope, text: &str) -> LessonId {
    learn(store, admitted(place, text)).unwrap().0
}

/// Gives a lesson a vector of its present words; whether it was kept.
fn embed(
    store: &dyn Store,
    name: &str,
    id: LessonId,
    space: &str,
    numbers: &[f32],
) -> Result<bool> {
    let lesson = store
        .snapshot()
        .unwrap()
        .lesson(&tenant(name), id)?
        .unwrap();
    let vector = LessonVector {
        lesson: id,
        space: space.to_owned(),
        print: content_fingerprint(&lesson.content),
        vector: Vector::from_numbers(numbers).unwrap(),
    };
    keep(store, name, &vector)
}

fn keep(store: &dyn Store, name: &str, vector: &LessonVector) -> Result<bool> {
    write(store, &tenant(name), |tx| tx.keep_vector(vector))
}

fn search(
    store: &dyn Store,
    place: &Scope,
    prompt: &str,
    space: &str,
    numbers: &[f32],
) -> SearchResults {
    let query = Query {
        near: Some(Near {
            space: space.to_owned(),
            vector: Vector::from_numbers(numbers).unwrap(),
        }),
        limit: 3,
        ..query(place, prompt)
    };
    store.snapshot().unwrap().search(&query).unwrap()
}

/// Tells what was found, each with how similar it is in tenths.
fn told(found: &SearchResults) -> Vec<(i64, Option<f32>)> {
    let tenths = |similarity: f32| (similarity * 10.0).round() / 10.0;
    let hit = |hit: &hardwon_core::rank::SearchHit| (hit.lesson.id.0, hit.similarity.map(tenths));
    found.hits.iter().map(hit).collect()
}

pub(super) fn nearest(make: Make<'_>) {
    let store = make();
    let ids: Vec<LessonId> = (1..=6)
        .map(|it| add(&*store, &here(), &format!("topic{it}")))
        .collect();
    for (id, numbers) in ids
        .iter()
        .zip([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]])
    {
        assert!(embed(&*store, "t", *id, "s", &numbers).unwrap());
    }
    // Words first, then the nearest; five and six have no vector.
    let found = search(&*store, &here(), "topic3 topic5", "s", &[1.0, 0.0]);
    assert_eq!(
        told(&found),
        [(5, None), (3, Some(0.0)), (1, Some(1.0)), (2, Some(0.6))]
    );
    assert_eq!(found.hits[2].score, 0.0);
    assert_eq!(found.similarity_stats.count(), 4);
    assert!((found.similarity_stats.mean() - 0.15).abs() < 0.01);
    // In another space nothing can be compared, and without a vector nothing is.
    let found = search(&*store, &here(), "topic3", "other", &[1.0, 0.0]);
    assert_eq!(
        (told(&found), found.similarity_stats.count()),
        (vec![(3, None)], 0)
    );
    let found = search(&*store, &here(), "topic3", "s", &[1.0, 0.0, 0.0]);
    assert_eq!(
        (told(&found), found.similarity_stats.count()),
        (vec![(3, None)], 0)
    );
    let plain = store
        .snapshot()
        .unwrap()
        .search(&query(&here(), "topic3"))
        .unwrap();
    assert_eq!(
        (told(&plain), plain.similarity_stats.count()),
        (vec![(3, None)], 0)
    );
    assert_eq!(store.snapshot().unwrap().vectors(&here(), "s").unwrap(), 4);
}

pub(super) fn goes_with_words(make: Make<'_>) {
    let store = make();
    let id = add(&*store, &here(), "use alpha");
    let stale = LessonVector {
        lesson: id,
        space: "s".to_owned(),
        print: 0,
        vector: Vector::from_numbers(&[1.0]).unwrap(),
    };
    let lacking = || {
        let lacking = store
            .snapshot()
            .unwrap()
            .without_vector(&tenant("t"), "s", LessonId(0), 9)
            .unwrap();
        lacking.iter().map(|it| it.id.0).collect::<Vec<_>>()
    };
    let alter =
        |change: Change| super::samples::change(&*store, &tenant("t"), vec![change]).unwrap();
    assert!(!keep(&*store, "t", &stale).unwrap());
    assert!(
        !keep(
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
    assert!(embed(&*store, "t", id, "s", &[1.0]).unwrap());
    assert_eq!(lacking(), [0_i64; 0]);
    // Evidence changes no word.
    alter(Change::Reinforce {
        id,
        evidence: vec![evidence("r7")],
    });
    assert_eq!(lacking(), [0_i64; 0]);
    // Where it belongs changes none either.
    let counts = || {
        [here(), here().without_project()]
            .map(|it| store.snapshot().unwrap().vectors(&it, "s").unwrap())
    };
    for (place, expected) in [(here().without_project(), [0, 1]), (here(), [1, 0])] {
        let project = place.project.clone();
        alter(Change::Move { id, project });
        assert_eq!((lacking(), counts()), (vec![], expected));
        let found = search(&*store, &place, "nothing", "s", &[1.0]);
        assert_eq!(told(&found), [(1, Some(1.0))]);
    }
    let content = Box::new(admitted(&here(), "use beta").content);
    alter(Change::Revise { id, content });
    assert_eq!(lacking(), [1]);
    assert!(embed(&*store, "t", id, "s", &[1.0]).unwrap());
    // One that is active no longer is not recalled, and not embedded either.
    alter(Change::SetStatus {
        id,
        status: Status::Archived { why: clean("x") },
    });
    assert_eq!(
        (
            lacking(),
            store.snapshot().unwrap().vectors(&here(), "s").unwrap()
        ),
        (vec![], 0)
    );
    assert!(!embed(&*store, "t", id, "s", &[1.0]).unwrap());
    alter(Change::SetStatus {
        id,
        status: Status::Active,
    });
    assert_eq!(lacking(), [1]);
    assert!(embed(&*store, "t", id, "s", &[1.0]).unwrap());
    // The space that was set last takes the place of the one before.
    assert!(embed(&*store, "t", id, "other", &[1.0]).unwrap());
    assert_eq!(lacking(), [1]);
    assert!(embed(&*store, "t", id, "s", &[1.0]).unwrap());
    alter(Change::Delete { id });
    assert_eq!(
        (
            lacking(),
            store.snapshot().unwrap().vectors(&here(), "s").unwrap()
        ),
        (vec![], 0)
    );

    let long = embed(
        &*store,
        "t",
        add(&*store, &here(), "use gamma"),
        &"s".repeat(201),
        &[1.0],
    );
    assert_eq!(long.unwrap_err().kind(), ErrorKind::Invalid);
    add(&*store, &here(), "use delta");
    let second = store
        .snapshot()
        .unwrap()
        .without_vector(&tenant("t"), "s", LessonId(2), 9)
        .unwrap();
    assert_eq!(second.iter().map(|it| it.id.0).collect::<Vec<_>>(), [3]);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .without_vector(&tenant("t"), "s", LessonId(0), 1)
            .unwrap()
            .len(),
        1
    );
}

pub(super) fn apart(make: Make<'_>) {
    let store = make();
    let places = [
        scope("t", "a", "p"),
        scope("t", "a", ""),
        scope("t", "a", "q"),
        scope("t", "b", "p"),
        scope("u", "a", "p"),
    ];
    for place in &places {
        let id = add(&*store, place, "use alpha");
        assert!(embed(&*store, place.tenant.as_str(), id, "s", &[1.0, 0.5]).unwrap());
    }
    // Its own and the one that holds everywhere.
    let found = search(&*store, &here(), "beta", "s", &[1.0, 0.0]);
    assert_eq!(told(&found), [(2, Some(0.9)), (1, Some(0.9))]);
    assert_eq!(found.similarity_stats.count(), 2);
    let found = search(&*store, &scope("u", "a", "p"), "beta", "s", &[1.0, 0.0]);
    assert_eq!(told(&found), [(1, Some(0.9))]);
    for place in &places {
        assert_eq!(store.snapshot().unwrap().vectors(place, "s").unwrap(), 1);
    }
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .vectors(&scope("v", "a", "p"), "s")
            .unwrap(),
        0
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .without_vector(&tenant("v"), "s", LessonId(0), 9)
            .unwrap(),
        []
    );
    // A vector is kept for the transaction's tenant, whoever else has a lesson of this number.
    let id = add(&*store, &scope("u", "a", "p"), "use beta");
    assert_eq!(id, LessonId(2));
    assert!(embed(&*store, "u", id, "s", &[0.0, 1.0]).unwrap());
    let found = search(&*store, &here(), "nothing", "s", &[1.0, 0.0]);
    assert_eq!(told(&found), [(2, Some(0.9)), (1, Some(0.9))]);
}

pub(super) fn expired(make: Make<'_>) {
    let store = make();
    for number in 0..4 {
        let mut short = admitted(&here(), &format!("gamma {number}"));
        short.expires_at = Some(at(0));
        let id = learn(&*store, short).unwrap().0;
        assert!(embed(&*store, "t", id, "s", &[1.0, 0.0]).unwrap());
    }
    let last = add(&*store, &here(), "delta");
    assert!(embed(&*store, "t", last, "s", &[0.0, 1.0]).unwrap());
    let found = search(&*store, &here(), "nothing", "s", &[1.0, 0.0]);
    assert_eq!(told(&found), [(last.0, Some(0.0))]);
}

/// A bank too large to compare all of it: 4,096 numbers of 1,030 lessons.
pub(super) fn bounded(make: Make<'_>) {
    let store = make();
    let changes = (1..=1030).map(|number| Change::Add {
        id: LessonId(number),
        admitted: Box::new(admitted(&here(), &format!("topic{number}"))),
    });
    change(&*store, &tenant("t"), changes.collect()).unwrap();
    let mut numbers = vec![0.0; 4096];
    numbers[7] = 1.0;
    for id in [LessonId(5), LessonId(6)] {
        assert!(embed(&*store, "t", id, "s", &numbers).unwrap());
    }
    let found = search(&*store, &here(), "topic6 topic9", "s", &numbers);
    assert_eq!(told(&found), [(9, None), (6, Some(1.0))]);
    assert_eq!(found.similarity_stats.count(), 0);
}
