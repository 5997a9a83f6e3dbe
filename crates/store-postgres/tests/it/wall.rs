//! The second wall between tenants: row-level security, which holds where a statement forgets whose rows it wants.

use hardwon_core::{JobState, Lesson, LessonId, ModelCost, Vector, vector::content_fingerprint};
use hardwon_store::{
    Commit as _, LessonVector, SessionPlace, Sighting, SourceProgress, Store as _, StoreError,
    sessions::{SessionPart, SessionStore as _},
};
use hardwon_store_postgres::PostgresStore;
use hardwon_store_suite::samples::*;

use crate::{
    portable::OPERATORS_TABLES,
    server::{ADMIN, ROLE, TestDatabase, query, server},
};

/// Puts something of a tenant into every table.
fn fill(store: &PostgresStore, tenant: &str) {
    let place = make_scope(tenant, "a", "p");
    let session = SessionPlace {
        tenant: place.tenant.clone(),
        agent: place.agent.clone(),
        part: SessionPart::Memory,
        name: "00".to_owned(),
    };
    let sessions = store.sessions();
    sessions.replace(&session, b"line", time_at(0)).unwrap();
    for number in 0..9 {
        let text = format!("use alpha {number} in go, and not beta");
        learn_lesson(store, admitted_lesson(&place, &text)).unwrap();
    }
    store
        .commit(&place.tenant, |transaction| -> Result<(), StoreError> {
            let lesson: Lesson = transaction
                .reader()
                .lesson(&place.tenant, LessonId(1))?
                .unwrap();
            transaction.save_vector(&vector_of(&lesson))?;
            transaction.record_sighting(&Sighting {
                scope: place.clone(),
                failure: failure_key("f1"),
                run: run_id("r1"),
                at: time_at(0),
                lesson: None,
            })?;
            let progress = SourceProgress {
                position: 1,
                fingerprint: "x".to_owned(),
                state: Vec::new(),
                at: time_at(0),
            };
            transaction.save_source_progress("/a.jsonl", &progress)?;
            let task = sample_task(&place, "r1", "said");
            transaction.add_job(&task, time_at(0), JobState::Seen)?;
            transaction.set_model_cost(1, ModelCost::default())?;
            transaction.save_answer(&request_mark("k1", "add"), Some("done"), time_at(0))?;
            transaction.save_judgement(&sample_judgement(Some("r1"), 1))
        })
        .unwrap();
    let mut recall = sample_recall(&place, &[LessonId(1)]);
    recall.query_text = Some(clean_text("how"));
    store.spool_recall(&recall).unwrap();
    store.flush(&place.tenant).unwrap();
    store.spool_recall(&recall).unwrap();
}

fn vector_of(lesson: &Lesson) -> LessonVector {
    LessonVector {
        lesson: lesson.id,
        embedding_space: "s".to_owned(),
        fingerprint: content_fingerprint(&lesson.content),
        vector: Vector::from_numbers(&[1.0, 0.5]).unwrap(),
    }
}

/// Returns a tenant's number.
fn number_of(database: &TestDatabase, tenant: &str) -> i64 {
    let sql = format!("SELECT tenant FROM hardwon.tenant WHERE name = '{tenant}'");
    query(&database.url_for(ADMIN), &sql)[0].get(0)
}

/// Returns the tables of the store, but for those that belong to no tenant.
fn tables(database: &TestDatabase) -> Vec<String> {
    let tables = query(
        &database.url_for(ROLE),
        "SELECT tablename::text FROM pg_tables WHERE schemaname = 'hardwon'
         AND tablename <> 'schema_version' ORDER BY 1",
    );
    let mut tables: Vec<String> = tables.iter().map(|row| row.get(0)).collect();
    tables.retain(|name| !OPERATORS_TABLES.contains(&name.as_str()));
    tables
}

#[test]
fn a_statement_without_a_tenant_sees_nothing_of_another() {
    let Some(server) = server() else { return };
    let database = server.database();
    let store = database.open();
    for tenant in ["t", "u"] {
        fill(&store, tenant);
    }
    // What was noted last is in the table of the spool now.
    drop(store);
    let number = number_of(&database, "t");
    let tables = tables(&database);
    assert_eq!(tables.len(), 21, "{tables:?}");
    for table in tables {
        let count = |role: &str, condition: &str| -> i64 {
            let sql = format!("SELECT count(*) FROM hardwon.{table} WHERE {condition}");
            query(&database.url_for(role), &sql)[0].get(0)
        };
        // The superuser is behind the wall, and sees that both have something in every table.
        let (own, others) = (format!("tenant = {number}"), format!("tenant <> {number}"));
        let (own, others) = (count(ADMIN, &own), count(ADMIN, &others));
        assert!(own > 0 && others > 0, "{table}: {own} {others}");
        assert_eq!(count(ROLE, "true"), 0, "{table} without a tenant");
    }
}

#[test]
fn a_named_tenant_is_all_that_a_transaction_reads_and_writes() {
    let Some(server) = server() else { return };
    let database = server.database();
    let store = database.open();
    for tenant in ["t", "u"] {
        fill(&store, tenant);
    }
    drop(store);
    let [own, other] = ["t", "u"].map(|it| number_of(&database, it));
    let url = format!("{} options='-c app.tenant={own}'", database.url_for(ROLE));
    for table in tables(&database) {
        let seen =
            format!("SELECT count(*) FILTER (WHERE tenant = {own}), count(*) FROM hardwon.{table}");
        let row = &query(&url, &seen)[0];
        let (mine, all): (i64, i64) = (row.get(0), row.get(1));
        assert!(mine > 0 && mine == all, "{table}: {mine} of {all}");
        let deleted = format!(
            "WITH gone AS (DELETE FROM hardwon.{table} WHERE tenant = {other} RETURNING 1)
             SELECT count(*) FROM gone"
        );
        assert_eq!(query(&url, &deleted)[0].get::<_, i64>(0), 0, "{table}");
    }
    let smuggled = format!("INSERT INTO hardwon.spent VALUES ({other}, 7, 1, 1, 1)");
    let refused = std::panic::catch_unwind(|| query(&url, &smuggled));
    assert!(refused.is_err(), "a row of another tenant was inserted");
}

#[test]
fn an_erased_tenant_leaves_no_row() {
    let Some(server) = server() else { return };
    let database = server.database();
    for tenant in ["t", "u"] {
        // Dropping the store sends what was noted last, so the spool's table has rows too.
        fill(&database.open(), tenant);
    }
    let number = number_of(&database, "t");
    let count = || -> Vec<(String, i64, i64)> {
        let count = |table: String| {
            let sql = format!(
                "SELECT count(*) FILTER (WHERE tenant = {number}), count(*) FILTER (WHERE tenant <> {number})
                 FROM hardwon.{table}"
            );
            let row = &query(&database.url_for(ADMIN), &sql)[0];
            (table, row.get(0), row.get(1))
        };
        tables(&database).into_iter().map(count).collect()
    };
    let before = count();
    let erased = database.open().erase_tenant(&tenant_id("t")).unwrap();
    assert_eq!((erased.lessons, erased.recalls), (9, 2));
    let expected = before
        .into_iter()
        .map(|(table, _, others)| (table, 0, others));
    assert_eq!(count(), expected.collect::<Vec<_>>());
}
