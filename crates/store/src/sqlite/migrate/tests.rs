//! Migrations of files that other steps made.

use std::fs;

use tempfile::TempDir;

use super::*;

const ONE: &str = "CREATE TABLE tenant (name TEXT); INSERT INTO tenant VALUES ('t')";
const TWO: &str = "ALTER TABLE tenant ADD COLUMN color TEXT; UPDATE tenant SET color = 'red'";
const BROKEN: &str = "UPDATE tenant SET color = 'blue'; CREATE TABLE tenant (name TEXT)";

/// A form whose first is made by the first step, and the newest by all of them.
fn form<'s>(steps: &'s [&'s str]) -> FileForm<'s> {
    FileForm {
        schema: steps,
        oldest: 1,
        steps: &steps[1..],
        ..LESSONS
    }
}

fn colors(conn: &Connection) -> rusqlite::Result<String> {
    conn.query_row("SELECT group_concat(color) FROM tenant", [], |row| {
        row.get(0)
    })
}

#[test]
fn an_old_file_is_copied_and_brought_up_to_date() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let mut conn = Connection::open(&path).unwrap();
    apply_steps(&mut conn, &path, form(&[ONE])).unwrap();
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        3,
        "no copy of an empty file"
    );

    let behind = FileMarks::read(&conn).unwrap();
    apply_steps(&mut conn, &path, form(&[ONE, TWO])).unwrap();
    assert_eq!(colors(&conn).unwrap(), "red");
    // The next reader has no log of it to read through.
    let log = fs::metadata(folder.path().join("hardwon.db-wal")).unwrap();
    assert_eq!(log.len(), 0);
    apply_steps(&mut conn, &path, form(&[ONE, TWO])).unwrap();
    assert_eq!(colors(&conn).unwrap(), "red");

    let copy = Connection::open(backup_path(&path, 1)).unwrap();
    assert_eq!(FileMarks::read(&copy).unwrap(), behind);
    assert!(colors(&copy).is_err());
}

#[test]
fn a_step_that_fails_leaves_the_file_as_it_was() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let mut conn = Connection::open(&path).unwrap();
    apply_steps(&mut conn, &path, form(&[ONE, TWO])).unwrap();
    let before = FileMarks::read(&conn).unwrap();
    assert!(apply_steps(&mut conn, &path, form(&[ONE, TWO, BROKEN])).is_err());
    assert_eq!(FileMarks::read(&conn).unwrap(), before);
    assert_eq!(colors(&conn).unwrap(), "red");
}

#[test]
fn what_an_older_version_cannot_know_it_leaves_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let mut conn = Connection::open(&path).unwrap();
    apply_steps(&mut conn, &path, form(&[ONE, TWO])).unwrap();
    let error = apply_steps(&mut conn, &path, form(&[ONE])).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::TooNew);
    assert_eq!(colors(&conn).unwrap(), "red");
}

/// A change of the schema is written twice.
#[test]
fn the_last_step_leads_to_what_the_schema_makes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let mut conn = Connection::open(&path).unwrap();
    apply_steps(&mut conn, &path, LESSONS).unwrap();
    let read = |conn: &Connection| -> Vec<(String, Option<String>)> {
        let mut select = conn
            .prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")
            .unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let made = read(&conn);
    let before = "DROP INDEX lesson_shown; DROP INDEX lesson_waiting; DROP INDEX lesson_used;
        DROP TABLE spent;
CREATE TABLE spent (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    day    INTEGER NOT NULL,
    calls  INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 10";
    conn.execute_batch(before).unwrap();
    assert_ne!(read(&conn), made);
    apply_steps(&mut conn, &path, LESSONS).unwrap();
    assert_eq!(read(&conn), made);
}

#[test]
fn a_form_that_nobody_was_given_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let mut conn = Connection::open(&path).unwrap();
    apply_steps(&mut conn, &path, form(&[ONE])).unwrap();
    let newer = FileForm {
        oldest: 2,
        ..form(&[ONE, TWO])
    };
    let error = apply_steps(&mut conn, &path, newer).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::TooOld);
    assert!(
        error.to_string().contains("(form 1; this one knows 3)"),
        "{error}"
    );
}

#[test]
fn marks_are_read_at_one_moment() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let open = || {
        let mut conn = Connection::open(&path).unwrap();
        conn.busy_handler(Some(waiting::wait_for_lock)).unwrap();
        conn
    };
    let (empty, made) = (
        FileMarks::default(),
        FileMarks::of_current(form(&[ONE, TWO])),
    );
    let maker = open();
    enable_wal(&maker).unwrap();
    maker.execute_batch("PRAGMA synchronous = OFF").unwrap();
    let reader = open();
    std::thread::scope(|scope| {
        let making = scope.spawn(move || {
            for marks in [made, empty].iter().cycle().take(2_000) {
                let FileMarks {
                    application,
                    version,
                } = marks;
                let both = format!(
                    "BEGIN IMMEDIATE; PRAGMA application_id = {application};
                     PRAGMA user_version = {version}; COMMIT"
                );
                maker.execute_batch(&both).unwrap();
            }
        });
        while !making.is_finished() {
            let seen = FileMarks::read(&reader).unwrap();
            assert!(seen == empty || seen == made, "{seen:?}");
        }
    });
}
