//! Tests of states that callers cannot produce.

use hardwon_core::{
    change::{Actor, Change, ChangeBatch},
    evidence::{Evidence, EvidenceKind},
    id::LessonId,
    lesson::{
        AdmittedLesson, Cause, Lesson, LessonContent, RunOutcome, Slug, Status, Trust, TrustClass,
    },
    scope::Scope,
    text::CleanText,
};
use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::{Commit as _, LessonListing, LessonOrder, ScopeFilter, StatusName, StoreErrorKind};

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
    check_plan(
        read::WHERE_PROVEN,
        [1, 2],
        &[
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
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
    let conn = Connection::open_in_memory().unwrap();
    let (rest, values) = listing::lessons_page_sql(&conn, 1, &listing).unwrap();
    check_plan(
        &rest,
        values,
        &[
            "SEARCH l USING INDEX lesson_shown (<expr>=?)",
            "SCALAR SUBQUERY 1",
            "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
    );
}

/// Checks how SQLite finds the lessons `l` and their scopes `s` that some clauses select.
fn check_plan<V: rusqlite::ToSql>(
    rest: &str,
    values: impl IntoIterator<Item = V>,
    expected: &[&str],
) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("hardwon.db")).unwrap();
    let sql =
        format!("EXPLAIN QUERY PLAN SELECT * FROM lesson l JOIN scope s ON s.id = l.scope {rest}");
    let conn = store.pool.lend_reader(store.path()).unwrap();
    let mut explain = conn.prepare(&sql).unwrap();
    let steps = explain.query_map(rusqlite::params_from_iter(values), |row| {
        row.get::<_, String>(3)
    });
    let steps: Vec<String> = steps.unwrap().map(rusqlite::Result::unwrap).collect();
    assert_eq!(steps, expected);
}
