//! Tests of states that callers cannot produce.

use hardwon_core::{
    Actor, AdmittedLesson, Cause, Change, ChangeBatch, CleanText, Evidence, EvidenceKind, Lesson,
    LessonContent, LessonId, RunOutcome, Scope, Slug, Status, Trust, TrustClass,
};
use jiff::Timestamp;
use tempfile::TempDir;

use super::{database::SqliteRows, *};
use crate::{Commit as _, LessonListing, LessonOrder, ScopeFilter, StatusName, StoreErrorKind};
use crate::{
    Statement, TenantTables,
    port::values,
    tables::{name_key, read::PROVEN},
};

fn add(store: &SqliteStore, id: i64, text: &str) -> Result<Vec<Option<Lesson>>> {
    let clean = |text: &str| CleanText::from_stored(text.to_owned());
    let admitted = AdmittedLesson {
        scope: Scope::default(),
        slug: Slug::from_text("lesson"),
        content: LessonContent::new(clean(""), clean(text)),
        cause: Cause::Manual,
        outcome: RunOutcome::Mixed,
        evidence: vec![Evidence {
            kind: EvidenceKind::Conversation,
            reference: clean("c1"),
            note: None,
        }],
        trust: Trust::untainted(TrustClass::Agent),
        confidence: 0.5,
        failure: None,
        status: Status::Active,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    };
    let batch = ChangeBatch {
        tenant: TenantId::default(),
        actor: Actor(clean("agent")),
        at: Timestamp::UNIX_EPOCH,
        changes: vec![Change::Add {
            id: LessonId(id),
            admitted: Box::new(admitted),
        }],
    };
    store.commit(&TenantId::default(), |transaction| {
        transaction.apply(&batch)
    })
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let store = SqliteStore::open(&path).unwrap();
    add(&store, 1, "use alpha").unwrap();
    let pages: i64 = {
        let conn = store.pool.lend_reader(store.path()).unwrap();
        conn.query_row("PRAGMA page_count", [], |row| row.get(0))
            .unwrap()
    };
    let room = |pages: i64| {
        let conn = store.pool.lend_reader(store.path()).unwrap();
        conn.pragma_update(None, "max_page_count", pages).unwrap();
    };
    room(pages);
    let error = add(&store, 2, &"beta ".repeat(800)).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
    let lessons = || {
        store
            .snapshot()
            .unwrap()
            .lessons(&TenantId::default(), &LessonListing::default())
    };
    assert_eq!(lessons().unwrap().len(), 1);
    room(pages + 100);
    add(&store, 2, &"beta ".repeat(800)).unwrap();
    assert_eq!(lessons().unwrap().len(), 2);
    assert_eq!(store.check_integrity().unwrap(), [""; 0]);
}

/// Every session start lists these, so they must be found by the index alone.
#[test]
fn proven_lessons_are_read_off_their_index() {
    let scope = Scope::default();
    check_plan(
        |tables| {
            let proven = name_key::<SqliteRows<'_>>(PROVEN);
            tables.scope_lessons_statement(&scope, &proven, values![1_i64])
        },
        &[
            "SEARCH s USING COVERING INDEX sqlite_autoindex_scope_1 (tenant=? AND agent=? AND project=?)",
            "SEARCH l USING INDEX lesson_proven (scope=?)",
        ],
    );
}

/// A page must not cost more because a tenant has many lessons: none of them is sorted for it.
#[test]
fn a_page_of_the_last_shown_is_read_off_its_index() {
    let listing = LessonListing {
        within: ScopeFilter::Visible(Scope::default()),
        status: Some(StatusName::Pending),
        order: LessonOrder::LastShownFirst,
        before: Some(LessonId(7)),
        ..LessonListing::default()
    };
    check_plan(
        |tables| {
            let (rest, values) = tables.lessons_page_sql(&listing).unwrap();
            tables.lessons_statement(&rest, values)
        },
        &[
            "SEARCH l USING INDEX lesson_shown (<expr>=?)",
            "SCALAR SUBQUERY 1",
            "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
    );
}

/// A page adds up the lessons that were shown, however many there are.
#[test]
fn the_lessons_ever_shown_are_read_off_their_index() {
    let listing = LessonListing {
        only_shown: true,
        ..LessonListing::default()
    };
    check_plan(
        |tables| {
            let (rest, values) = tables.lessons_page_sql(&listing).unwrap();
            tables.lessons_statement(&rest, values)
        },
        &[
            "SEARCH l USING INDEX lesson_used (key>? AND key<?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
    );
}

/// A worker looks for the next job often, among many that are done.
#[test]
fn the_next_job_is_read_off_its_index() {
    check_plan(
        |tables| {
            let rest = "j.state = $2 AND j.ready <= $3 ORDER BY j.ready, j.id LIMIT 1";
            tables.jobs_statement(rest, values!["waiting", 1_i64])
        },
        &[
            "SEARCH j USING INDEX job_ready (tenant=? AND state=? AND ready<?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
    );
}

/// Checks how SQLite finds what a statement selects.
fn check_plan<'s>(
    make: impl FnOnce(TenantTables<'_, SqliteRows<'_>>) -> Statement<'s>,
    expected: &[&str],
) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("hardwon.db")).unwrap();
    add(&store, 1, "use alpha").unwrap();
    let conn = store.pool.lend_reader(store.path()).unwrap();
    let (view, tenant) = (
        SqliteView::on(&*conn, IndexTuning::default()),
        TenantId::default(),
    );
    let statement = make(view.tables_of(&tenant).unwrap().unwrap());
    let sql = format!("EXPLAIN QUERY PLAN {}", rows::translate(&statement.sql));
    let mut explain = conn.prepare(&sql).unwrap();
    let steps = explain.query_map(rusqlite::params_from_iter(statement.values), |row| {
        row.get::<_, String>(3)
    });
    let steps: Vec<String> = steps.unwrap().map(rusqlite::Result::unwrap).collect();
    assert_eq!(steps, expected);
}
