//! A replica of a server's lessons: what is taken in as one, and what becomes of the recalls that were made from it.

use std::{fs, path::PathBuf, sync::Arc};

use hardwon_core::{Lesson, LessonCounts, LessonId, Scope};
use hardwon_store::{
    Commit as _, LessonListing, Recall, RecallListing, Result, SqliteStore, Store as _,
    StoreErrorKind,
    replica::{ReplicaLabel, install_replica, pack_replica},
};
use hardwon_store_suite::{MemoryStore, samples::*};
use tempfile::TempDir;

const OWNER: &str = "0123";

fn served() -> Scope {
    make_scope("acme", "builder", "shop")
}

fn home() -> Scope {
    make_scope("local", "me", "shop")
}

/// Packs lessons that say this, in a scope of the server.
fn pack(scope: &Scope, owner: &str, texts: &[&str]) -> Arc<[u8]> {
    let lesson = |(text, id): (&&str, i64)| Lesson {
        id: LessonId(id),
        admitted: admitted_lesson(scope, text),
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: time_at(1),
        updated: time_at(1),
    };
    let lessons: Vec<Lesson> = texts.iter().zip(7..).map(lesson).collect();
    let store = MemoryStore::of_lessons(&lessons);
    pack_replica(&*store.snapshot().unwrap(), scope, owner).unwrap()
}

/// A folder with a replica.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(texts: &[&str]) -> Self {
        let place = Self {
            folder: TempDir::new().unwrap(),
        };
        place.install(&pack(&served(), OWNER, texts)).unwrap();
        place
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("replica.db")
    }

    fn install(&self, bytes: &[u8]) -> Result<()> {
        let received = self.folder.path().join("received");
        fs::write(&received, bytes).unwrap();
        let label = ReplicaLabel {
            scope: &home(),
            owner: OWNER,
            tag: "t",
        };
        install_replica(&received, &self.path(), label, &mut |it| Some(it.clone()))
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open_replica(&self.path()).unwrap()
    }

    fn runs(&self) -> Vec<String> {
        let store = self.open();
        store.flush(&home().tenant).unwrap();
        let reader = store.snapshot().unwrap();
        let found = reader.recalls(&home().tenant, &RecallListing::default());
        let found = found.unwrap().into_iter();
        found.map(|it| it.1.run.unwrap().to_string()).collect()
    }
}

fn texts(store: &SqliteStore) -> Vec<String> {
    let reader = store.snapshot().unwrap();
    let found = reader.lessons(&home().tenant, &LessonListing::default());
    let found = found.unwrap().into_iter();
    found
        .map(|it| it.content.text.as_str().to_owned())
        .collect()
}

/// And what was there stays.
#[test]
fn what_is_no_replica_of_this_scope_and_owner_is_not_taken_in() {
    let place = Place::new(&["Oil the wheel first."]);
    let kept = fs::read(place.path()).unwrap();
    let good = pack(&served(), OWNER, &["Grease the axle first."]);
    let altered = |sql: &str| {
        let path = place.folder.path().join("altered");
        fs::write(&path, &good).unwrap();
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.pragma_update(None, "foreign_keys", false).unwrap();
        conn.execute_batch(sql).unwrap();
        drop(conn);
        fs::read(&path).unwrap()
    };
    let check = |bytes: &[u8], expected: StoreErrorKind| {
        let refused = place.install(bytes).unwrap_err();
        assert_eq!(refused.kind(), expected, "{refused}");
    };
    let damaged = StoreErrorKind::Damaged;
    check(&pack(&served(), "4567", &["x y"]), damaged);
    check(
        &pack(&make_scope("acme", "builder", "mill"), OWNER, &["x y"]),
        damaged,
    );
    for sql in [
        "CREATE TRIGGER t AFTER UPDATE ON scope BEGIN DELETE FROM lesson; END",
        "CREATE VIEW v AS SELECT 1",
        "PRAGMA application_id = 7",
        "DELETE FROM source",
        "INSERT INTO tenant SELECT 2, 'globex', 1, 1, 0, x'00', 1",
        "UPDATE lesson SET trust = 'absolute'",
        "UPDATE lesson SET scope = 9",
    ] {
        check(&altered(sql), damaged);
    }
    check(
        &altered("PRAGMA user_version = 4000"),
        StoreErrorKind::TooNew,
    );
    check(b"<html>", damaged);
    check(b"", damaged);
    assert!(place.install(&good[..good.len() / 2]).is_err());
    assert_eq!(fs::read(place.path()).unwrap(), kept);
    place.install(&good).unwrap();
    assert_eq!(texts(&place.open()), ["Grease the axle first."]);
}

/// A store of the form before, which a server of the version before packs.
#[test]
fn a_replica_of_an_older_form_is_brought_up_to_date() {
    let place = Place::new(&[]);
    let older = place.folder.path().join("older");
    fs::write(&older, pack(&served(), OWNER, &["Oil the wheel first."])).unwrap();
    let conn = rusqlite::Connection::open(&older).unwrap();
    let before = "DROP INDEX lesson_shown; DROP INDEX lesson_waiting; DROP INDEX lesson_used;
        ALTER TABLE spent ADD COLUMN micros INTEGER; PRAGMA user_version = 10";
    conn.execute_batch(before).unwrap();
    drop(conn);
    place.install(&fs::read(&older).unwrap()).unwrap();
    assert_eq!(texts(&place.open()), ["Oil the wheel first."]);
}

#[test]
fn who_reads_goes_on_with_what_was_there() {
    let place = Place::new(&["Oil the wheel first."]);
    let before = place.open();
    let moment = before.snapshot().unwrap();
    place
        .install(&pack(&served(), OWNER, &["Grease the axle first."]))
        .unwrap();
    let still = moment.lessons(&home().tenant, &LessonListing::default());
    assert_eq!(
        still.unwrap()[0].content.text.as_str(),
        "Oil the wheel first."
    );
    assert_eq!(texts(&place.open()), ["Grease the axle first."]);
}

#[test]
fn recalls_that_were_made_from_a_replica_outlive_it() {
    let place = Place::new(&["Oil the wheel first."]);
    let note = |run: &str| {
        let recall = Recall {
            run: Some(run_id(run)),
            ..sample_recall(&home(), &[LessonId(7)])
        };
        place.open().spool_recall(&recall).unwrap();
    };
    note("one");
    assert_eq!(place.runs(), ["one"]);
    let written = || fs::metadata(place.path()).unwrap().modified().unwrap();
    let before = written();
    assert_eq!(place.runs(), ["one"]);
    assert_eq!(written(), before, "nothing to count, nothing to write");
    note("two");
    place
        .install(&pack(&served(), OWNER, &["Bar the door."]))
        .unwrap();
    assert_eq!(place.runs(), ["two", "one"]);
    note("three");
    assert_eq!(place.runs(), ["three", "two", "one"]);
    assert_eq!(texts(&place.open()), ["Bar the door."]);
    let beside = fs::read_dir(place.folder.path()).unwrap();
    let names = beside.map(|it| it.unwrap().file_name().into_string().unwrap());
    let is_log = |it: &String| it.ends_with("-wal") || it.ends_with("-journal");
    assert_eq!(
        names.filter(is_log).count(),
        0,
        "a log would be the next file's"
    );
    let store = place.open();
    let changed: Result<()> = store.commit(&home().tenant, |_| Ok(()));
    assert_eq!(changed.unwrap_err().kind(), StoreErrorKind::ReadOnly);
}
