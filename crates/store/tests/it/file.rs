//! Tests that need a file: how it is opened, shared, copied and damaged.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_core::{Change, Lesson, LessonId, Retirement, Status};
use hardwon_store::{
    FlushCounts, LessonListing, Recall, SpoolLevel, SqliteStore, Store as _, StoreError,
    StoreErrorKind, sqlite::restore_backup,
};
use hardwon_store_suite::samples::*;
use insta::assert_snapshot;
use rusqlite::Connection;
use tempfile::TempDir;

/// Makes a folder, and returns it with the path of a store in it.
fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data").join("hardwon.db");
    (folder, path)
}

fn store_with(path: &Path, texts: &[&str]) -> SqliteStore {
    let store = SqliteStore::open(path).unwrap();
    for text in texts {
        learn_lesson(&store, admitted_lesson(&make_scope("t", "a", ""), text)).unwrap();
    }
    store
}

fn lesson(store: &SqliteStore, id: i64) -> Option<Lesson> {
    store
        .snapshot()
        .unwrap()
        .lesson(&tenant_id("t"), LessonId(id))
        .unwrap()
}

fn texts(store: &SqliteStore) -> Vec<String> {
    let lessons = store
        .snapshot()
        .unwrap()
        .lessons(&tenant_id("t"), &LessonListing::default())
        .unwrap();
    lessons
        .iter()
        .map(|it| it.content.text.to_string())
        .collect()
}

/// Renders an error without the parts that change from run to run.
fn told(error: &StoreError, folder: &TempDir) -> String {
    let folder = folder.path().display().to_string();
    let message = error.to_string().replace(&folder, "FOLDER");
    format!(
        "{:?}\n{message}\n{}",
        error.kind(),
        error.hint().unwrap_or("-")
    )
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_reader_makes_nothing() {
    let (folder, path) = place();
    let error = SqliteStore::open_reader(&path).unwrap_err();
    assert_snapshot!(told(&error, &folder), @r"
    NotFound
    opening the database: there is no database yet (FOLDER/data/hardwon.db)
    create it with `hardwon learn` or `hardwon lesson add`
    ");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_reader_reads_and_notes_and_changes_nothing() {
    let (folder, path) = place();
    drop(store_with(&path, &["use alpha"]));
    let reader = SqliteStore::open_reader(&path).unwrap();
    let found = reader
        .snapshot()
        .unwrap()
        .search(&make_query(&make_scope("t", "a", "p"), "alpha"))
        .unwrap();
    assert_eq!(found.hits.len(), 1);
    let shown = sample_recall(&make_scope("t", "a", "p"), &[LessonId(1)]);
    assert_eq!(reader.spool_recall(&shown).unwrap(), SpoolLevel::HasRoom);
    let error = learn_lesson(
        &reader,
        admitted_lesson(&make_scope("t", "a", ""), "use beta"),
    )
    .unwrap_err();
    assert_snapshot!(told(&error, &folder), @r"
    ReadOnly
    changing lessons: it was opened to be read (FOLDER/data/hardwon.db)
    check the permissions of the file and its folder
    ");
    drop(reader);

    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 1);
    assert_eq!(lesson(&store, 1).unwrap().counts.shown, 1);
    drop(store);
    assert_eq!(names(path.parent().unwrap()), ["hardwon.db"]);
}

#[test]
fn a_copy_in_memory_is_changed_alone() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let shown = sample_recall(&make_scope("t", "a", ""), &[LessonId(1)]);
    store.spool_recall(&shown).unwrap();
    let copy = SqliteStore::open_copy(&path).unwrap();
    learn_lesson(
        &copy,
        admitted_lesson(&make_scope("t", "a", ""), "use beta"),
    )
    .unwrap();
    assert_eq!(copy.flush(&tenant_id("t")).unwrap().recalls, 0);
    assert_eq!(texts(&copy), ["use beta", "use alpha"]);
    drop(copy);
    assert_eq!(texts(&store), ["use alpha"]);
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 1);
    let missing = SqliteStore::open_copy(&path.with_extension("no")).unwrap_err();
    assert_eq!(missing.kind(), StoreErrorKind::NotFound);
}

/// A pipe or a device is rejected before anything is read from it.
#[test]
fn what_is_no_file_is_refused() {
    let device = Path::new("/dev/zero");
    for error in [
        SqliteStore::open(device).unwrap_err(),
        SqliteStore::open_reader(device).unwrap_err(),
        restore_backup(&device.with_file_name("none.db"), device).unwrap_err(),
    ] {
        assert!(error.to_string().contains("a device"), "{error}");
    }
}

/// Otherwise a full spool would cost the recall that fills it.
#[test]
fn a_reader_can_flush_what_it_noted() {
    let (_folder, path) = place();
    drop(store_with(&path, &["use alpha"]));
    let reader = SqliteStore::open_reader(&path).unwrap();
    let shown = sample_recall(&make_scope("t", "a", ""), &[LessonId(1)]);
    reader.spool_recall(&shown).unwrap();
    assert_eq!(reader.flush(&tenant_id("t")).unwrap().recalls, 1);
    assert_eq!(lesson(&reader, 1).unwrap().counts.shown, 1);
    let log = path.with_file_name("hardwon.db-wal");
    assert_eq!(fs::metadata(log).unwrap().len(), 0);
}

/// An agent waits for a reader, so a reader does not wait for writers.
#[test]
fn a_reader_that_flushes_gives_way_to_a_writer() {
    let (_folder, path) = place();
    drop(store_with(&path, &["use alpha"]));
    let reader = SqliteStore::open_reader(&path).unwrap();
    let shown = sample_recall(&make_scope("t", "a", ""), &[LessonId(1)]);
    reader.spool_recall(&shown).unwrap();
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(
        reader.flush(&tenant_id("t")).unwrap_err().kind(),
        StoreErrorKind::Busy
    );
    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!(reader.flush(&tenant_id("t")).unwrap().recalls, 1);
}

#[test]
fn a_reader_sees_what_others_write_while_it_is_open() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let reader = SqliteStore::open_reader(&path).unwrap();
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", ""), "use beta"),
    )
    .unwrap();
    assert_eq!(texts(&reader), ["use beta", "use alpha"]);
    drop(store);
    assert_eq!(texts(&reader), ["use beta", "use alpha"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    store
        .spool_recall(&sample_recall(&make_scope("t", "a", ""), &[]))
        .unwrap();
    store.backup(&path.with_extension("copy")).unwrap();
    let data = path.parent().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(data), 0o700);
    for name in names(data) {
        assert_eq!(mode(&data.join(&name)), 0o600, "{name}");
    }
}

/// Needs a folder that cannot be written, which does not exist for a superuser.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, path) = place();
    drop(store_with(&path, &["use alpha"]));
    let data = path.parent().unwrap();
    let allow = |mode: u32, path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o400, &path);
    allow(0o500, data);
    if fs::write(data.join("probe"), "").is_err() {
        let reader = SqliteStore::open_reader(&path).unwrap();
        assert_eq!(texts(&reader), ["use alpha"]);
        let noted = reader.spool_recall(&sample_recall(&make_scope("t", "a", ""), &[]));
        assert_snapshot!(told(&noted.unwrap_err(), &folder), @r"
        ReadOnly
        noting a recall: Permission denied (os error 13) (FOLDER/data/hardwon.db)
        check the permissions of the file and its folder
        ");
        let error = SqliteStore::open(&path).unwrap_err();
        assert_snapshot!(told(&error, &folder), @r"
        ReadOnly
        opening the database: the file or its folder is read-only: attempt to write a readonly database (FOLDER/data/hardwon.db)
        check the permissions of the file and its folder
        ");
    } else {
        println!("skipped: this user may write everywhere");
    }
    allow(0o700, data);
}

#[test]
fn what_is_no_store_is_left_alone() {
    let (folder, path) = place();
    let refused = |make: &dyn Fn(&Path)| {
        drop(fs::remove_dir_all(path.parent().unwrap()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        let before = fs::read(&path).unwrap();
        let write = SqliteStore::open(&path).unwrap_err();
        let read = SqliteStore::open_reader(&path).unwrap_err();
        assert_eq!(write.kind(), read.kind());
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(names(path.parent().unwrap()), ["hardwon.db"]);
        told(&write, &folder)
    };
    assert_snapshot!(refused(&|path| fs::write(path, "shopping list\n".repeat(99)).unwrap()), @r"
    Damaged
    opening the database: the file is not a store: file is not a database (FOLDER/data/hardwon.db)
    restore a backup with `hardwon restore FILE`, or move the file away to start afresh
    ");
    let foreign = |path: &Path| {
        let conn = Connection::open(path).unwrap();
        conn.execute_batch("CREATE TABLE shopping (what TEXT)")
            .unwrap();
    };
    assert_snapshot!(refused(&foreign), @r"
    Damaged
    opening the database: the file is a database of another program (FOLDER/data/hardwon.db)
    restore a backup with `hardwon restore FILE`, or move the file away to start afresh
    ");
    let newer = |path: &Path| {
        drop(SqliteStore::open(path).unwrap());
        let conn = Connection::open(path).unwrap();
        conn.pragma_update(None, "user_version", 99).unwrap();
        conn.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
            .unwrap();
    };
    assert_snapshot!(refused(&newer), @"
    TooNew
    opening the database: a newer version of the program wrote it (form 99; this one knows 13) (FOLDER/data/hardwon.db)
    upgrade this hardwon in the way in which it was installed, or run `hardwon restore FILE` with a backup made before
    ");
}

/// What a person has who installs a newer version: a file of the form before the last.
#[test]
fn an_older_file_is_copied_beside_itself_and_keeps_its_lessons() {
    let (_folder, path) = place();
    drop(store_with(&path, &["Run the unit tests."]));
    let conn = Connection::open(&path).unwrap();
    // With what the last step takes away.
    conn.execute_batch("ALTER TABLE spent ADD COLUMN micros INTEGER")
        .unwrap();
    let form: i32 = conn
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    conn.pragma_update(None, "user_version", form - 1).unwrap();
    drop(conn);
    let refused = SqliteStore::open_reader(&path).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::TooOld);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(texts(&store), ["Run the unit tests."]);
    drop(store);
    let copy = format!("hardwon.db.form{}.backup", form - 1);
    assert_eq!(
        names(path.parent().unwrap()),
        ["hardwon.db", &copy],
        "beside nothing but its copy"
    );
    // Who goes back to the older version has the lessons in the copy.
    let copy = Connection::open(path.with_file_name(copy)).unwrap();
    let kept: i32 = copy
        .query_row("SELECT count(*) FROM lesson", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 1);
}

#[test]
fn a_folder_in_place_of_the_file_is_an_error() {
    let (folder, path) = place();
    fs::create_dir_all(&path).unwrap();
    assert_snapshot!(told(&SqliteStore::open(&path).unwrap_err(), &folder), @r"
    Io
    opening the database: the file cannot be opened (FOLDER/data/hardwon.db)
    -
    ");
}

#[test]
fn a_damaged_file_says_so() {
    let (_folder, path) = place();
    let many: Vec<String> = (0..200)
        .map(|number| format!("use tool number {number}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let store = store_with(&path, &many);
    assert_eq!(store.check_integrity().unwrap(), [""; 0]);
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    // The pages that hold the last lesson, which opening the file does not read.
    let last = b"use tool number 199";
    let pages = bytes.chunks_mut(4096);
    for page in pages.filter(|page| page.windows(last.len()).any(|it| it == last)) {
        page.fill(0x5a);
    }
    fs::write(&path, bytes).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert!(!store.check_integrity().unwrap().is_empty());
    let error = store
        .snapshot()
        .unwrap()
        .lessons(&tenant_id("t"), &LessonListing::default())
        .unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
}

#[test]
fn a_copy_is_whole_while_others_write() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let copy = path.with_extension("copy");
    fs::write(&copy, "an older copy").unwrap();
    store.backup(&copy).unwrap();
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", ""), "use beta"),
    )
    .unwrap();
    let copy = SqliteStore::open(&copy).unwrap();
    assert_eq!(texts(&copy), ["use alpha"]);
    assert_eq!(copy.check_integrity().unwrap(), [""; 0]);
}

#[test]
fn a_backup_is_restored_and_what_was_there_is_kept() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let copy = path.with_extension("copy");
    store.backup(&copy).unwrap();
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", ""), "use beta"),
    )
    .unwrap();
    let reader = SqliteStore::open_reader(&path).unwrap();

    let before = restore_backup(&path, &copy).unwrap().previous.unwrap();
    for store in [&store, &reader, &SqliteStore::open(&path).unwrap()] {
        assert_eq!(texts(store), ["use alpha"]);
        let found = store
            .snapshot()
            .unwrap()
            .search(&make_query(&make_scope("t", "a", ""), "beta"))
            .unwrap();
        assert_eq!(found.hits, []);
    }
    assert_eq!(
        texts(&SqliteStore::open(&before).unwrap()),
        ["use beta", "use alpha"]
    );
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", ""), "use gamma"),
    )
    .unwrap();
    assert_eq!(texts(&reader), ["use gamma", "use alpha"]);
}

#[test]
fn a_backup_takes_the_place_of_a_damaged_or_missing_store() {
    let (folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let copy = folder.path().join("copy.db");
    store.backup(&copy).unwrap();
    drop(store);
    fs::write(&path, "damaged".repeat(999)).unwrap();
    let before = restore_backup(&path, &copy).unwrap().previous.unwrap();
    assert_eq!(fs::read(before).unwrap(), "damaged".repeat(999).as_bytes());
    assert_eq!(texts(&SqliteStore::open(&path).unwrap()), ["use alpha"]);

    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(restore_backup(&path, &copy).unwrap().previous, None);
    assert_eq!(texts(&SqliteStore::open(&path).unwrap()), ["use alpha"]);
}

#[test]
fn a_bad_backup_changes_nothing() {
    let (folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let bad = folder.path().join("bad.db");
    let refused = || told(&restore_backup(&path, &bad).unwrap_err(), &folder);
    assert_snapshot!(refused(), @r"
    NotFound
    restoring a backup: there is no such file (FOLDER/bad.db)
    name a file that a backup made
    ");
    fs::write(&bad, "").unwrap();
    assert_snapshot!(refused(), @r"
    Damaged
    restoring a backup: the file is empty (FOLDER/bad.db)
    name a file that a backup made
    ");
    store.backup(&bad).unwrap();
    let mut bytes = fs::read(&bad).unwrap();
    bytes[8192..].fill(0x5a);
    fs::write(&bad, bytes).unwrap();
    assert_eq!(
        restore_backup(&path, &bad).unwrap_err().kind(),
        StoreErrorKind::Damaged
    );
    assert_eq!(texts(&store), ["use alpha"]);
    assert_eq!(names(path.parent().unwrap()).first().unwrap(), "hardwon.db");
}

#[test]
fn what_is_deleted_is_gone_from_the_files() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha", "the password is hunter2swordfish"]);
    let holds = || {
        let data = path.parent().unwrap();
        let has = |name: &String| {
            let bytes = fs::read(data.join(name)).unwrap();
            bytes.windows(7).any(|it| it == b"hunter2")
        };
        names(data).iter().any(has)
    };
    assert!(holds());
    let id = LessonId(2);
    let content = Box::new(admitted_lesson(&make_scope("t", "a", ""), "use a vault").content);
    let why = clean_text("hunter2swordfish is no password to keep");
    let status = Status::Archived {
        by: Retirement::Dismissed,
        why,
    };
    let changes = vec![
        Change::Revise { id, content },
        Change::SetStatus { id, status },
        Change::Approve { id, why: None },
    ];
    apply_changes(&store, &tenant_id("t"), changes).unwrap();
    assert!(holds(), "the journal says why it left");
    apply_changes(&store, &tenant_id("t"), vec![Change::Erase { id }]).unwrap();
    assert!(!holds());
    drop(store);
    assert!(!holds());
}

#[test]
fn an_erased_tenant_is_gone_from_the_files() {
    let (_folder, path) = place();
    let store = store_with(&path, &["the password is hunter2swordfish"]);
    let recall = Recall {
        query_text: Some(clean_text("is hunter2swordfish the password?")),
        ..sample_recall(&make_scope("t", "a", ""), &[LessonId(1)])
    };
    store.spool_recall(&recall).unwrap();
    store.flush(&tenant_id("t")).unwrap();
    store.spool_recall(&recall).unwrap();
    store.erase_tenant(&tenant_id("t")).unwrap();
    let data = path.parent().unwrap();
    for name in names(data) {
        let bytes = fs::read(data.join(&name)).unwrap();
        let held = bytes.windows(7).any(|it| it == b"hunter2");
        assert!(!held, "{name}");
    }
}

/// SQLite moves rows from page to page as they are added, grow and are deleted, and a copy may stay behind.
#[test]
fn what_is_deleted_is_gone_however_it_was_moved() {
    let (_folder, path) = place();
    let store = store_with(&path, &[]);
    let word = |id: LessonId| format!("w{}y", id.0);
    let mut drawn: u32 = 1;
    let mut draw = |below: usize| {
        drawn = drawn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(drawn >> 16).unwrap() % below
    };
    let mut ids: Vec<LessonId> = Vec::new();
    for number in 1..=120 {
        let id = LessonId(number);
        let text = format!("use {} {}", word(id), "and more ".repeat(draw(60)));
        learn_lesson(&store, admitted_lesson(&make_scope("t", "a", ""), &text)).unwrap();
        ids.push(id);
        if ids.len() < 8 {
            continue;
        }
        let id = ids[draw(ids.len())];
        let text = format!("use {} {}", word(id), "and more ".repeat(draw(60)));
        let content = Box::new(admitted_lesson(&make_scope("t", "a", ""), &text).content);
        apply_changes(
            &store,
            &tenant_id("t"),
            vec![Change::Revise { id, content }],
        )
        .unwrap();
        if draw(2) == 0 {
            let id = ids.swap_remove(draw(ids.len()));
            apply_changes(&store, &tenant_id("t"), vec![Change::Erase { id }]).unwrap();
            let data = path.parent().unwrap();
            for name in names(data) {
                let bytes = fs::read(data.join(&name)).unwrap();
                let held = String::from_utf8_lossy(&bytes).contains(&word(id));
                assert!(!held, "{} in {name}", word(id));
            }
        }
    }
}

#[test]
fn other_rules_for_words_make_the_index_anew() {
    let (_folder, path) = place();
    drop(store_with(&path, &["use alpha"]));
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(
        "UPDATE rules SET terms = 0; DELETE FROM index_doc; DELETE FROM index_scope;
         UPDATE lesson SET words = 0, twin = 0",
    )
    .unwrap();
    drop(conn);
    let store = SqliteStore::open(&path).unwrap();
    let found = store
        .snapshot()
        .unwrap()
        .search(&make_query(&make_scope("t", "a", ""), "alpha"))
        .unwrap();
    assert_eq!((found.hits.len(), found.stats.docs), (1, 1));
    let known = store
        .snapshot()
        .unwrap()
        .decision_context(&admitted_lesson(&make_scope("t", "a", ""), "use alpha"), 9);
    assert_eq!(known.unwrap().similar.len(), 1);
    drop(store);

    let conn = Connection::open(&path).unwrap();
    conn.execute("UPDATE index_scope SET docs = 7", []).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let docs = || {
        store
            .snapshot()
            .unwrap()
            .search(&make_query(&make_scope("t", "a", ""), "alpha"))
            .unwrap()
            .stats
            .docs
    };
    assert_eq!(docs(), 7);
    store.rebuild_derived().unwrap();
    assert_eq!(docs(), 1);
}

/// The files of the spool of tenant `t`, by the end of their names.
struct Spooled(PathBuf);

impl Spooled {
    fn path(&self, end: &str) -> PathBuf {
        let mut name = self.0.clone().into_os_string();
        let hash = hardwon_core::digest::hash_parts([b"t".as_slice()]);
        let hash = hardwon_core::digest::to_hex(&hash);
        name.push(format!("-spool-{}{end}", &hash[..16]));
        PathBuf::from(name)
    }
}

#[test]
fn a_line_cut_off_spoils_no_other() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let shown = sample_recall(&make_scope("t", "a", ""), &[LessonId(1)]);
    let spool = Spooled(path).path("");
    store.spool_recall(&shown).unwrap();
    let whole = fs::read(&spool).unwrap();
    for cut in 2..whole.len() - 2 {
        let torn = [&whole[..cut], &whole[..], b"not json\n\xff\n"].concat();
        fs::write(&spool, torn).unwrap();
        let expected = FlushCounts {
            recalls: 1,
            unreadable: 3,
        };
        assert_eq!(
            store.flush(&tenant_id("t")).unwrap(),
            expected,
            "cut at {cut}"
        );
    }
}

#[test]
fn a_recall_is_counted_once_whenever_the_counting_dies() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let shown = sample_recall(&make_scope("t", "a", ""), &[LessonId(1)]);
    let spool = Spooled(path);
    let count = || lesson(&store, 1).unwrap().counts.shown;

    // The writer died after it claimed the file and before it counted.
    store.spool_recall(&shown).unwrap();
    fs::rename(spool.path(""), spool.path(".1")).unwrap();
    store.spool_recall(&shown).unwrap();
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 2);
    assert_eq!(count(), 2);

    // The writer died after it counted and before it deleted; another process still had the file open.
    store.spool_recall(&shown).unwrap();
    let line = fs::read(spool.path("")).unwrap();
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 1);
    fs::write(spool.path(".3"), &line).unwrap();
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 0);
    assert!(!spool.path(".3").exists());
    assert_eq!(count(), 3);
    fs::write(spool.path(".3"), [&line[..], &line[..]].concat()).unwrap();
    store.spool_recall(&shown).unwrap();
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 2);
    assert_eq!(count(), 5);
}

#[test]
fn a_spool_that_cannot_be_read_stops_no_lesson() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    fs::create_dir(Spooled(path).path("")).unwrap();
    learn_lesson(
        &store,
        admitted_lesson(&make_scope("t", "a", ""), "use beta"),
    )
    .unwrap();
    assert_eq!(texts(&store), ["use beta", "use alpha"]);
    assert!(store.flush(&tenant_id("t")).is_err());
}

#[test]
fn a_full_spool_takes_no_more() {
    let (folder, path) = place();
    let store = store_with(&path, &[]);
    let shown = sample_recall(&make_scope("t", "a", ""), &[]);
    let spool = Spooled(path).path("");
    let with_size = |bytes: u64| {
        let file = fs::File::create(&spool).unwrap();
        file.set_len(bytes).unwrap();
    };
    with_size(hardwon_core::limits::SPOOL_DUE_BYTES);
    assert_eq!(store.spool_recall(&shown).unwrap(), SpoolLevel::FlushDue);
    with_size(hardwon_core::limits::SPOOL_BYTES);
    assert_snapshot!(told(&store.spool_recall(&shown).unwrap_err(), &folder), @r"
    Full
    noting a recall: too many recalls wait to be counted (FOLDER/data/hardwon.db)
    count them with `hardwon learn` or `hardwon lesson add`
    ");
}

#[test]
fn no_recall_is_lost_between_noting_and_counting() {
    let (_folder, path) = place();
    let store = store_with(&path, &["use alpha"]);
    let shown = sample_recall(&make_scope("t", "a", ""), &[LessonId(1)]);
    let (notes, threads) = (200, 4);
    std::thread::scope(|scope| {
        let note = || {
            for _ in 0..notes {
                store.spool_recall(&shown).unwrap();
            }
        };
        let noting: Vec<_> = (0..threads).map(|_| scope.spawn(note)).collect();
        while noting.iter().any(|it| !it.is_finished()) {
            assert_eq!(store.flush(&tenant_id("t")).unwrap().unreadable, 0);
        }
    });
    store.flush(&tenant_id("t")).unwrap();
    assert_eq!(lesson(&store, 1).unwrap().counts.shown, notes * threads);
}

#[test]
fn the_bundled_sqlite_is_built_without_what_nobody_asks_for() {
    // Cargo reads the flags from `.cargo/config.toml`; a short process pays for each of these when it starts.
    let memory = Connection::open_in_memory().unwrap();
    let mut select = memory.prepare("PRAGMA compile_options").unwrap();
    let options = select.query_map([], |row| row.get(0)).unwrap();
    let options: Vec<String> = options.map(Result::unwrap).collect();
    let is_left_out = |name: &str| {
        let names = [
            "COLUMN_METADATA",
            "DBSTAT",
            "STAT4",
            "FTS3",
            "FTS4",
            "RTREE",
        ];
        names
            .iter()
            .any(|it| name.starts_with(&format!("ENABLE_{it}")))
    };
    let unused: Vec<&String> = options.iter().filter(|it| is_left_out(it)).collect();
    assert!(unused.is_empty(), "{unused:?}");
    for option in ["DEFAULT_MEMSTATUS=0", "DEFAULT_PCACHE_INITSZ=0"] {
        assert!(options.iter().any(|it| it == option), "{options:?}");
    }
}
