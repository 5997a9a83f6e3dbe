//! A copy of a server's lessons: what an update leaves in it, and in the bytes of its file.

use std::fs;

use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, LessonCounts},
};
use hardwon_store::{LessonCopy, LessonListing, ReplicaUpdate, SqliteStore, Store as _};
use hardwon_store_suite::samples::*;
use tempfile::TempDir;

/// The copy of a lesson that says this, with a number of the server's.
fn copy(id: i64, text: &str, task_terms: &[&str]) -> LessonCopy {
    let lesson = Lesson {
        id: LessonId(id),
        admitted: admitted_lesson(&make_scope("t", "a", "p"), text),
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: time_at(1),
        updated: time_at(1),
    };
    LessonCopy::new(
        lesson,
        task_terms.iter().map(|it| (*it).to_owned()).collect(),
    )
}

fn update(is_whole: bool, lessons: Vec<LessonCopy>, gone: &[i64], position: &str) -> ReplicaUpdate {
    ReplicaUpdate {
        is_whole,
        lessons,
        gone: gone.iter().copied().map(LessonId).collect(),
        position: position.to_owned(),
        at: time_at(2),
    }
}

/// The numbers of all lessons, the newest first.
fn numbers(store: &SqliteStore) -> Vec<i64> {
    let reader = store.snapshot().unwrap();
    let all = reader
        .lessons(&tenant_id("t"), &LessonListing::default())
        .unwrap();
    all.iter().map(|it| it.id.0).collect()
}

fn found(store: &SqliteStore, prompt: &str) -> Vec<i64> {
    let query = make_query(&make_scope("t", "a", "p"), prompt);
    let hits = store.snapshot().unwrap().search(&query).unwrap().hits;
    hits.iter().map(|it| it.lesson.id.0).collect()
}

#[test]
fn an_update_leaves_what_the_server_has() {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("replica.db")).unwrap();
    let tenant = tenant_id("t");
    assert_eq!(store.replica_position(&tenant).unwrap(), None);
    let first = vec![
        copy(7, "Oil the wheel first.", &["mill"]),
        copy(40, "Close the gate.", &[]),
    ];
    for _ in 0..2 {
        store
            .update_replica(&tenant, &update(true, first.clone(), &[], "2-x"))
            .unwrap();
        assert_eq!(numbers(&store), [40, 7]);
    }
    assert_eq!(
        store.replica_position(&tenant).unwrap(),
        Some(("2-x".to_owned(), time_at(2)))
    );
    assert_eq!(found(&store, "the wheel"), [7]);
    assert_eq!(found(&store, "mill"), [7], "by a term of its task");

    let changed = vec![
        copy(7, "Grease the axle first.", &["mill"]),
        copy(41, "Bar the door.", &[]),
    ];
    store
        .update_replica(&tenant, &update(false, changed, &[40, 99], "5-y"))
        .unwrap();
    assert_eq!(numbers(&store), [41, 7]);
    assert_eq!(found(&store, "the wheel"), [] as [i64; 0]);
    assert_eq!(found(&store, "mill"), [7]);

    let again = vec![copy(3, "Begin anew.", &[])];
    store
        .update_replica(&tenant, &update(true, again, &[], "1-z"))
        .unwrap();
    assert_eq!(numbers(&store), [3]);
    assert_eq!(store.check_integrity().unwrap(), [] as [String; 0]);
}

#[test]
fn what_is_gone_is_in_no_byte_of_the_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("replica.db");
    let store = SqliteStore::open(&path).unwrap();
    let tenant = tenant_id("t");
    let secret = copy(7, "Call the zanzibarquartz depot.", &[]);
    store
        .update_replica(&tenant, &update(true, vec![secret], &[], "1-x"))
        .unwrap();
    store
        .update_replica(&tenant, &update(false, Vec::new(), &[7], "2-x"))
        .unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let is_there = bytes.windows(14).any(|it| it == b"zanzibarquartz");
        assert!(!is_there);
    }
}
