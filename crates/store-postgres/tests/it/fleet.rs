//! Several processes on one database, and a store on the runtime of a server.

use std::{thread, time::Duration};

use hardwon_core::LessonId;
use hardwon_store::{Durability, LessonListing, Store as _, StoreErrorKind};
use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use hardwon_store_suite::samples::{
    admitted_lesson, clean_text, learn_lesson, make_scope, sample_recall, tenant_id,
};

use crate::server::{ROLE, server, small_index};

/// Each learns the same in another order; every lesson is stored once, and the numbers have no gap.
#[test]
fn what_several_learn_at_once_is_stored_once() {
    let Some(server) = server() else { return };
    let database = server.database();
    let place = make_scope("t", "a", "p");
    thread::scope(|scope| {
        for worker in 0..4 {
            let (store, place) = (database.open(), place.clone());
            scope.spawn(move || {
                for number in 0..12 {
                    let text = format!("use alpha{}", (number + 3 * worker) % 12);
                    learn_lesson(&store, admitted_lesson(&place, &text)).unwrap();
                }
            });
        }
    });
    let store = database.open();
    let snapshot = store.snapshot().unwrap();
    let lessons = snapshot
        .lessons(&tenant_id("t"), &LessonListing::default())
        .unwrap();
    let mut texts: Vec<&str> = lessons.iter().map(|it| it.content.text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!((lessons.len(), texts.len()), (12, 12));
    assert_eq!(lessons[0].id, LessonId(12));
}

/// What one process noted and left behind is counted by the next writer, once.
#[test]
fn recalls_of_a_process_that_ended_are_counted_by_another() {
    let Some(server) = server() else { return };
    let database = server.database();
    let place = make_scope("t", "a", "p");
    let (first, second) = (database.open(), database.open());
    let id = learn_lesson(&first, admitted_lesson(&place, "use alpha"))
        .unwrap()
        .0;
    first.spool_recall(&sample_recall(&place, &[id])).unwrap();
    second.spool_recall(&sample_recall(&place, &[id])).unwrap();
    drop(first);
    let shown = |store: &PostgresStore| {
        let lesson = store
            .snapshot()
            .unwrap()
            .lesson(&tenant_id("t"), id)
            .unwrap();
        lesson.unwrap().counts.shown
    };
    assert_eq!(shown(&second), 0);
    assert_eq!(second.flush(&tenant_id("t")).unwrap().recalls, 2);
    assert_eq!(
        (
            shown(&second),
            second.flush(&tenant_id("t")).unwrap().recalls
        ),
        (2, 0)
    );
}

/// So many recalls that memory does not hold them: all are counted, none twice.
#[test]
fn a_full_queue_goes_to_the_server() {
    let Some(server) = server() else { return };
    let database = server.database();
    let store = database.open();
    let place = make_scope("t", "a", "p");
    let id = learn_lesson(&store, admitted_lesson(&place, "use alpha"))
        .unwrap()
        .0;
    let mut recall = sample_recall(&place, &[id]);
    recall.silence = Some(clean_text(&"x".repeat(200)));
    for _ in 0..4000 {
        store.spool_recall(&recall).unwrap();
    }
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 4000);
    let lesson = store
        .snapshot()
        .unwrap()
        .lesson(&tenant_id("t"), id)
        .unwrap()
        .unwrap();
    assert_eq!(lesson.counts.shown, 4000);
}

#[test]
fn a_writer_loses_patience_with_another_of_its_tenant_only() {
    let Some(server) = server() else { return };
    let database = server.database();
    let store = database.open();
    let hasty = database.open_with(PostgresOptions {
        patience: Duration::from_millis(300),
        ..small_index()
    });
    let learn = |tenant: &str| {
        let place = make_scope(tenant, "a", "p");
        learn_lesson(&hasty, admitted_lesson(&place, "use alpha")).map(|_| ())
    };
    learn("t").unwrap();
    let held = store.transact(&tenant_id("t"), Durability::Full, &mut |_| {
        assert_eq!(learn("t").unwrap_err().kind(), StoreErrorKind::Busy);
        learn("u")
    });
    held.unwrap();
    learn("t").unwrap();
}

#[test]
fn a_store_may_be_dropped_where_nobody_may_wait() {
    let Some(server) = server() else { return };
    let database = server.database();
    let url = database.url_for(ROLE);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.unwrap();
    let learned = runtime.block_on(async {
        let learn = move || {
            let store = PostgresStore::open(&url, small_index()).unwrap();
            let place = make_scope("t", "a", "p");
            let id = learn_lesson(&store, admitted_lesson(&place, "use alpha"))
                .unwrap()
                .0;
            (store, id)
        };
        let (store, id) = tokio::task::spawn_blocking(learn).await.unwrap();
        drop(store);
        id
    });
    assert_eq!(learned, LessonId(1));
}
