//! The contract of requests that may be repeated.

use hardwon_core::{Change, Scope, limits};
use hardwon_store::{KeptAnswer, Store, StoreError};
use jiff::SignedDuration;

use super::{MakeStore, samples::*};

fn kept(store: &dyn Store, tenant: &str, name: &str) -> Option<KeptAnswer> {
    let mark = request_mark(name, "");
    let reader = store.snapshot().unwrap();
    reader.kept_answer(&tenant_id(tenant), &mark.name).unwrap()
}

fn save(store: &dyn Store, name: &str, asked: &str, answer: Option<&str>, hour: i64) {
    let at = time_at(0) + SignedDuration::from_hours(hour) + SignedDuration::from_micros(7);
    let mark = request_mark(name, asked);
    commit_work(store, &tenant_id("t"), |tx| {
        tx.save_answer(&mark, answer, at)
    })
    .unwrap();
}

pub(super) fn remembers_requests(make: MakeStore<'_>) {
    let store = &*make();
    assert_eq!(kept(store, "t", "k1"), None);
    save(store, "k1", "add", None, 0);
    let open = KeptAnswer {
        digest: request_mark("k1", "add").digest,
        answer: None,
        at: time_at(0),
    };
    assert_eq!(kept(store, "t", "k1"), Some(open.clone()));
    let answer = Some("{\"id\": 1, \"text\": \"größer\"}");
    save(store, "k1", "add", answer, 0);
    let done = KeptAnswer {
        answer: answer.map(str::to_owned),
        ..open.clone()
    };
    assert_eq!(kept(store, "t", "k1"), Some(done));
    assert_eq!(kept(store, "u", "k1"), None);
    save(
        store,
        "k2",
        "add",
        Some(&"x".repeat(limits::ANSWER_BYTES + 1)),
        1,
    );
    assert_eq!(kept(store, "t", "k2").unwrap().answer, None);

    rolls_back_with_its_work(store);
    erases_answers(store);
    save(store, "k3", "add", answer, 23);
    assert!(kept(store, "t", "k1").is_some());
    save(store, "k3", "add", answer, 24);
    assert_eq!(kept(store, "t", "k1"), None);
    assert!(kept(store, "t", "k2").is_some());
}

/// Names take turns in making room: one of those that do, and one that does not.
fn find_name(makes_room: bool, after: usize) -> String {
    let mut names = (after..).map(|number| format!("n{number}"));
    let is_meant = |it: &String| request_mark(it, "add").makes_room() == makes_room;
    names.find(is_meant).unwrap()
}

/// The oldest make room.
pub(super) fn bounds_answers(make: MakeStore<'_>) {
    let store = &*make();
    let long = "x".repeat(limits::ANSWER_BYTES);
    let each = limits::KEPT_REQUEST_BYTES + long.len() as u64;
    let most = usize::try_from(limits::KEPT_ANSWER_BYTES / each).unwrap();
    let save_at = |name: &str, second: usize| {
        let at = time_at(i64::try_from(second).unwrap());
        let mark = request_mark(name, "add");
        commit_work(store, &tenant_id("t"), |tx| {
            tx.save_answer(&mark, Some(&long), at)
        })
        .unwrap();
    };
    let names: Vec<String> = (0..=most)
        .map(|number| find_name(false, number * 10_000))
        .collect();
    for (second, name) in names.iter().enumerate() {
        save_at(name, second);
    }
    let is_kept = |name: &str| kept(store, "t", name).is_some();
    assert!(is_kept(&names[0]), "nobody made room yet");
    let last = find_name(true, 0);
    save_at(&last, most + 1);
    assert_eq!(
        [&names[0], &names[1], &names[2], &names[most], &last].map(|entry| is_kept(entry)),
        [false, false, true, true, true]
    );
}

fn rolls_back_with_its_work(store: &dyn Store) {
    let mark = request_mark("k9", "add");
    let refused = commit_work(store, &tenant_id("t"), |tx| {
        tx.save_answer(&mark, None, time_at(0))?;
        assert!(
            tx.reader()
                .kept_answer(&tenant_id("t"), &mark.name)?
                .is_some()
        );
        Err::<(), _>(StoreError::refused("no"))
    });
    assert!(refused.is_err());
    assert_eq!(kept(store, "t", "k9"), None);
}

/// Erasing a lesson leaves that the requests were made, and none of their words.
fn erases_answers(store: &dyn Store) {
    let here: Scope = make_scope("t", "a", "");
    let (id, _) = learn_lesson(store, admitted_lesson(&here, "use alpha")).unwrap();
    assert!(kept(store, "t", "k1").unwrap().answer.is_some());
    apply_changes(store, &tenant_id("t"), vec![Change::Erase { id }]).unwrap();
    assert_eq!(kept(store, "t", "k1").unwrap().answer, None);
}
