//! The same lessons are found with the same scores as in a file.

use hardwon_core::{Change, LessonId, Retirement, Status};
use hardwon_store::{SqliteStore, Store};
use hardwon_store_suite::samples::{
    admitted_lesson, apply_changes, clean_text, make_query, make_scope, tenant_id,
};
use proptest::{prelude::*, sample::select};
use tempfile::TempDir;

use crate::server::server;

/// Some words that most lessons have, and some that few have.
const WORDS: [&str; 12] = [
    "alpha",
    "alpha",
    "alpha",
    "beta",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "größe",
    "cargo",
    "\u{1}lock",
];

#[derive(Debug, Clone)]
enum Step {
    /// Adds lessons in one transaction.
    Add(usize, Vec<String>),
    Archive(usize),
    Restore(usize),
    Erase(usize),
    Revise(usize, String),
    /// Moves a lesson to the other scope.
    Move(usize, usize),
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 1..12).prop_map(|words| words.join(" "))
}

fn step() -> impl Strategy<Value = Step> {
    let place = 0..1000_usize;
    prop_oneof![
        6 => (0..2_usize, prop::collection::vec(text(), 1..25)).prop_map(|(scope, texts)| Step::Add(scope, texts)),
        1 => place.clone().prop_map(Step::Archive),
        1 => place.clone().prop_map(Step::Restore),
        1 => place.clone().prop_map(Step::Erase),
        1 => (place.clone(), text()).prop_map(|(place, text)| Step::Revise(place, text)),
        1 => (place, 0..2_usize).prop_map(|(place, scope)| Step::Move(place, scope)),
    ]
}

/// Plays a step on a store, given how many lessons there are; returns how many there are then.
fn play(store: &dyn Store, step: &Step, count: usize) -> usize {
    let tenant = tenant_id("t");
    let scopes = [make_scope("t", "a", "p"), make_scope("t", "a", "")];
    let id = |place: &usize| LessonId(1 + i64::try_from(place % count.max(1)).unwrap());
    let changes = match step {
        Step::Add(scope, texts) => {
            let add = |(number, text): (usize, &String)| Change::Add {
                id: LessonId(i64::try_from(count + number + 1).unwrap()),
                admitted: Box::new(admitted_lesson(&scopes[*scope], text)),
            };
            texts.iter().enumerate().map(add).collect()
        }
        Step::Archive(place) => {
            let why = clean_text("old");
            vec![Change::SetStatus {
                id: id(place),
                status: Status::Archived {
                    by: Retirement::Dismissed,
                    why,
                },
            }]
        }
        Step::Restore(place) => {
            vec![Change::SetStatus {
                id: id(place),
                status: Status::Active,
            }]
        }
        Step::Erase(place) => vec![Change::Erase { id: id(place) }],
        Step::Revise(place, text) => {
            let content = Box::new(admitted_lesson(&scopes[0], text).content);
            vec![Change::Revise {
                id: id(place),
                content,
            }]
        }
        Step::Move(place, scope) => {
            let project = scopes[*scope].project.clone();
            vec![Change::Move {
                id: id(place),
                project,
            }]
        }
    };
    let added = matches!(step, Step::Add(..))
        .then_some(changes.len())
        .unwrap_or(0);
    // A change of a lesson that is gone conflicts in every store.
    drop(apply_changes(store, &tenant, changes));
    count + added
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn finds_what_a_file_finds(
        steps in prop::collection::vec(step(), 1..14),
        asked in prop::collection::vec(text(), 1..6),
        limit in 1..40_usize,
    ) {
        let Some(server) = server() else { return Ok(()) };
        let database = server.database();
        let store = database.open();
        let folder = TempDir::new().unwrap();
        let file = SqliteStore::open(&folder.path().join("hardwon.db")).unwrap();
        let (mut count, mut in_file) = (0, 0);
        for step in &steps {
            count = play(&store, step, count);
            in_file = play(&file, step, in_file);
        }
        for prompt in &asked {
            for place in [make_scope("t", "a", "p"), make_scope("t", "a", ""), make_scope("u", "a", "p")] {
                let mut query = make_query(&place, prompt);
                query.limit = limit;
                let found = store.snapshot().unwrap().search(&query).unwrap();
                prop_assert_eq!(found, file.snapshot().unwrap().search(&query).unwrap());
            }
        }
    }
}
