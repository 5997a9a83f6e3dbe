use std::collections::BTreeMap;

use hardwon_core::{DocTerms, LessonId, QueryTerms};
use hardwon_store_suite::{ScoredSearch, search_all};
use proptest::prelude::*;
use rusqlite::Connection;

use super::{IndexHits, SCHEMA, add_lesson, merge_postings, remove_lesson, search};
use crate::{Result, StoreErrorKind};

fn empty() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(SCHEMA).unwrap();
    conn
}

fn doc(signature: &str, text: &str) -> DocTerms {
    DocTerms::from_packed(format!("{signature}\n{text}"))
}

fn query(terms: &[&str]) -> QueryTerms {
    let weighted = |(place, term): (usize, &&str)| ((*term).to_owned(), 1.0 + place as f32 / 4.0);
    QueryTerms {
        terms: terms.iter().enumerate().map(weighted).collect(),
        sequence: Vec::new(),
        ..QueryTerms::default()
    }
}

/// The expected content of the index: every lesson's terms, by scope.
type Model = BTreeMap<(i64, LessonId), DocTerms>;

fn expected(model: &Model, scopes: &[i64], query: &QueryTerms, limit: usize) -> ScoredSearch {
    let visible = model
        .iter()
        .filter(|((scope, _), _)| scopes.contains(scope));
    let docs: Vec<_> = visible
        .map(|((_, lesson), terms)| (*lesson, terms))
        .collect();
    search_all(&docs, query, limit)
}

fn scored(found: &IndexHits) -> ScoredSearch {
    ScoredSearch {
        stats: found.stats,
        df: found.df.clone(),
        best: found
            .hits
            .iter()
            .map(|hit| (hit.lesson, hit.score))
            .collect(),
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// Adds a lesson, replacing the one with that number.
    Put(i64, LessonId, DocTerms),
    Remove(i64, LessonId),
    Settle(i64, u32),
    Clear(i64),
}

const SCOPES: std::ops::Range<i64> = 1..4;

/// Lesson numbers on both sides of the borders between windows, no two scopes sharing one.
fn lesson(scope: i64) -> impl Strategy<Value = LessonId> {
    let near = prop::sample::select(vec![0, 65_510, 131_050, 4_294_967_200]);
    (near, 0..15_i64).prop_map(move |(near, place)| LessonId(near + 3 * place + scope))
}

/// Some words that most lessons have, and some that few have.
fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "a", "a", "b", "b", "c", "d", "e", "f", "g"])
}

fn terms() -> impl Strategy<Value = DocTerms> {
    let words = |most| prop::collection::vec(word(), 0..most);
    let fields = (words(3), words(30), words(4));
    fields.prop_map(|(signature, text, task)| {
        let text = if task.is_empty() {
            text.join(" ")
        } else {
            format!("{}\n{}", text.join(" "), task.join(" "))
        };
        doc(&signature.join(" "), &text)
    })
}

fn step() -> impl Strategy<Value = Step> {
    SCOPES.prop_flat_map(|scope| {
        prop_oneof![
            12 => (lesson(scope), terms()).prop_map(move |(lesson, terms)| Step::Put(scope, lesson, terms)),
            4 => lesson(scope).prop_map(move |lesson| Step::Remove(scope, lesson)),
            2 => (0..200_u32).prop_map(move |words| Step::Settle(scope, words)),
            1 => Just(Step::Clear(scope)),
        ]
    })
}

fn run(conn: &Connection, model: &mut Model, step: Step) -> Result<()> {
    match step {
        Step::Put(scope, lesson, terms) => {
            let known = remove_lesson(conn, scope, lesson)?;
            add_lesson(conn, scope, lesson, &terms)?;
            assert_eq!(model.insert((scope, lesson), terms).is_some(), known);
        }
        Step::Remove(scope, lesson) => {
            let known = remove_lesson(conn, scope, lesson)?;
            assert_eq!(model.remove(&(scope, lesson)).is_some(), known);
        }
        Step::Settle(scope, words) => merge_postings(conn, scope, words)?,
        Step::Clear(scope) => {
            for (_, lesson) in model.keys().filter(|(owner, _)| *owner == scope) {
                assert!(remove_lesson(conn, scope, *lesson)?);
            }
            model.retain(|(owner, _), _| *owner != scope);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn finds_what_reading_every_lesson_finds(
        steps in prop::collection::vec(step(), 1..120),
        asked in prop::collection::vec(prop::sample::subsequence(vec!["a", "b", "c", "d", "g", "z"], 0..6), 1..5),
        limit in 0..12_usize,
    ) {
        let (conn, mut model) = (empty(), Model::new());
        for step in steps {
            run(&conn, &mut model, step).unwrap();
        }
        for terms in &asked {
            for scopes in [&[1][..], &[2, 3], &[3, 1], &[9], &[]] {
                let query = query(terms);
                let found = search(&conn, scopes, &query, limit).unwrap();
                prop_assert_eq!(scored(&found), expected(&model, scopes, &query, limit));
                for hit in found.hits {
                    prop_assert_eq!(model.get(&(hit.scope, hit.lesson)), Some(&hit.terms));
                }
            }
        }
    }

    #[test]
    fn an_emptied_scope_leaves_nothing(steps in prop::collection::vec(step(), 1..60)) {
        let (conn, mut model) = (empty(), Model::new());
        for step in steps {
            run(&conn, &mut model, step).unwrap();
        }
        for (scope, lesson) in model.keys() {
            prop_assert!(remove_lesson(&conn, *scope, *lesson).unwrap());
        }
        for left in [
            "count(*) FROM index_doc",
            "count(*) FROM index_term",
            "count(*) FROM index_posting",
            "total(docs + length + fresh) FROM index_scope",
        ] {
            let count = |row: &rusqlite::Row<'_>| row.get::<_, f64>(0);
            let count = conn.query_row(&format!("SELECT 1.0 * {left}"), [], count);
            prop_assert_eq!(count.unwrap(), 0.0, "{}", left);
        }
    }

    #[test]
    fn damage_is_told_or_skipped(
        steps in prop::collection::vec(step(), 1..60),
        place: prop::sample::Index,
        data: Vec<u8>,
    ) {
        let (conn, mut model) = (empty(), Model::new());
        for step in steps {
            run(&conn, &mut model, step).unwrap();
        }
        SCOPES.for_each(|scope| merge_postings(&conn, scope, 0).unwrap());
        let mut select = conn.prepare("SELECT key FROM index_posting").unwrap();
        let keys: Vec<i64> = select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        prop_assume!(!keys.is_empty());
        let damaged = (data, keys[place.index(keys.len())]);
        conn.execute("UPDATE index_posting SET data = ?1 WHERE key = ?2", damaged).unwrap();

        let everything = query(&["a", "b", "c", "d", "e", "f", "g"]);
        for (scope, lesson) in model.keys() {
            drop(search(&conn, &[*scope], &everything, 20));
            let transaction = conn.unchecked_transaction().unwrap();
            drop(remove_lesson(&transaction, *scope, *lesson));
            drop(add_lesson(&transaction, *scope, LessonId(lesson.0 - 1), &doc("a b c", "d e f g")));
            transaction.rollback().unwrap();
        }
    }
}

#[test]
fn another_scope_changes_nothing() {
    let conn = empty();
    let asked = query(&["cargo", "lock"]);
    for number in 1..50 {
        add_lesson(
            &conn,
            1,
            LessonId(2 * number),
            &doc("cargo", "lock file was stale"),
        )
        .unwrap();
    }
    let alone = search(&conn, &[1], &asked, 20).unwrap();
    for number in 1..500 {
        add_lesson(
            &conn,
            2,
            LessonId(2 * number + 1),
            &doc("cargo cargo", "lock"),
        )
        .unwrap();
    }
    merge_postings(&conn, 2, 0).unwrap();
    assert_eq!(search(&conn, &[1], &asked, 20).unwrap(), alone);
    merge_postings(&conn, 1, 0).unwrap();
    assert_eq!(search(&conn, &[1], &asked, 20).unwrap(), alone);
}

#[test]
fn among_equals_the_newest_come_first() {
    let conn = empty();
    for number in 1..=5000 {
        add_lesson(&conn, 1, LessonId(number), &doc("", "same words")).unwrap();
        if number % 1500 == 0 {
            merge_postings(&conn, 1, 0).unwrap();
        }
    }
    let found = search(&conn, &[1], &query(&["same"]), 3).unwrap();
    let lessons: Vec<i64> = found.hits.iter().map(|hit| hit.lesson.0).collect();
    assert_eq!(lessons, [5000, 4999, 4998]);
}

#[test]
fn numbers_beyond_a_key_are_refused() {
    let conn = empty();
    let beyond = [(-1, 1), (1 << 31, 1), (1, 0), (1, -1), (1, 1 << 32)];
    for (scope, lesson) in beyond {
        let added = add_lesson(&conn, scope, LessonId(lesson), &doc("", "a"));
        assert!(
            added.is_err_and(|it| it.kind() == StoreErrorKind::Invalid),
            "{scope} {lesson}"
        );
    }
    let last = ((1 << 31) - 1, LessonId((1 << 32) - 1));
    add_lesson(&conn, last.0, last.1, &doc("", "a")).unwrap();
    merge_postings(&conn, last.0, 0).unwrap();
    let found = search(&conn, &[last.0], &query(&["a"]), 3).unwrap();
    assert_eq!(found.hits[0].lesson, last.1);
}
