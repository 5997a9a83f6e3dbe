//! Tests of sessions in opencode's database: they read the same as its export, and stay unchanged.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_clients::archive::{self, ArchiveEntry, ClientTranscript};
use hardwon_engine::{Engine, FileRead, FixedClock, Policy, id::RunId, store::SqliteStore};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::person;

/// The tables of opencode 1.18.33 for sessions, with their indexes; the columns for a session's cost are left out.
const TABLES: &str = "
    PRAGMA journal_mode = WAL;
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text,
      slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL,
      time_created integer NOT NULL, time_updated integer NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id),
      time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id),
      session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
      data text NOT NULL);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    CREATE INDEX part_session_idx ON part (session_id);";

fn made(path: &Path, tables: &str) -> Connection {
    let conn = Connection::open(path).unwrap();
    conn.execute_batch(tables).unwrap();
    conn
}

/// Returns the recorded exports.
fn exports() -> Vec<(PathBuf, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/opencode");
    let files = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let export = |path: PathBuf| {
        let json = fs::read_to_string(&path).unwrap();
        (path, serde_json::from_str(&json).unwrap())
    };
    paths.into_iter().map(export).collect()
}

/// Writes an export as the client stores it: names are columns, and the rest is a message's `data`.
fn keep(conn: &Connection, export: &Value) {
    let info = &export["info"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let session = "INSERT INTO session VALUES (?1, 'p', NULL, ?2, '', ?3, '', '', '', ?4, ?5)";
    let (began, ended) = (&info["time"]["created"], &info["time"]["updated"]);
    let (id, parent, directory) = (
        text(&info["id"]),
        text(&info["parentID"]),
        text(&info["directory"]),
    );
    let row = params![id, parent, directory, began.as_i64(), ended.as_i64()];
    conn.execute(session, row).unwrap();
    for message in export["messages"].as_array().unwrap() {
        let mut data = message["info"].clone();
        let message_id = text(&data["id"]);
        let at = data["time"]["created"].as_i64();
        strip(&mut data);
        let sql = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
        conn.execute(sql, params![message_id, id, at, data.to_string()])
            .unwrap();
        for part in message["parts"].as_array().unwrap() {
            let (part_id, mut data) = (text(&part["id"]), part.clone());
            strip(&mut data);
            let sql = "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
            let row = params![part_id, message_id, id, at, data.to_string()];
            conn.execute(sql, row).unwrap();
        }
    }
}

fn strip(data: &mut Value) {
    for name in ["id", "sessionID", "messageID"] {
        data.as_object_mut().unwrap().remove(name);
    }
}

fn engine() -> Engine {
    let monday = "2026-03-02T09:00:00Z".parse().unwrap();
    let clock = Box::new(FixedClock(monday));
    Engine::new(
        Box::new(SqliteStore::in_memory().unwrap()),
        Policy::default(),
        clock,
    )
}

fn read(engine: &Engine, path: &Path) -> hardwon_engine::Result<FileRead> {
    person(engine).read_transcript::<ClientTranscript>(path, &|_| None, &mut |_| ())
}

/// Returns the sessions below a path, and the errors of unreadable ones.
fn sessions(path: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for source in archive::list_entries([path.to_owned()]) {
        match source {
            ArchiveEntry::File(path) => found.push(path),
            ArchiveEntry::Unreadable(_, error) => faults.push(error.to_string()),
        }
    }
    (found, faults)
}

#[test]
fn a_session_in_the_database_is_what_its_export_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode.db");
    let conn = made(&path, TABLES);
    let exports = exports();
    exports.iter().for_each(|(_, export)| keep(&conn, export));
    let (found, faults) = sessions(&path);
    assert_eq!((found.len(), faults.len()), (exports.len(), 0));
    for (name, export) in exports {
        // Its arguments are in the same order, too.
        let file = dir.path().join(name.file_name().unwrap());
        fs::write(&file, export.to_string()).unwrap();
        let id = export["info"]["id"].as_str().unwrap();
        let (stored, run) = (path.join(id), RunId::parse(id).unwrap());
        assert!(found.contains(&stored), "{id}");
        let told = |path: &Path| match read(&engine(), path).unwrap() {
            FileRead::Read {
                format,
                runs,
                unreadable: broken,
                ..
            } => format!("{format} {broken} {runs:?}"),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(&stored), told(&file), "{id}");
        let trace = |path: &Path| archive::read_run(path, &run).unwrap().unwrap();
        assert_eq!(trace(&stored), trace(&file), "{id}");
        assert!(archive::entry_size(&stored) > 1_000, "{id}");
    }
    let order = archive::sort_by_time(found.iter().rev().cloned().collect());
    assert_eq!(order, found, "the oldest is first");
}

#[test]
fn a_session_is_read_again_when_it_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode.db");
    let conn = made(&path, TABLES);
    let exports = exports();
    exports.iter().for_each(|(_, export)| keep(&conn, export));
    let (found, _) = sessions(&path);
    let engine = engine();
    let is_read = || -> Vec<bool> {
        let read = found.iter().map(|it| read(&engine, it).unwrap());
        read.map(|it| matches!(it, FileRead::Read { .. })).collect()
    };
    let changes = [
        ("", [true, true, true]),
        ("", [false, false, false]),
        // Other data in the database does not belong to the session.
        (
            "CREATE TABLE other (x); UPDATE session SET title = 'shop'",
            [false; 3],
        ),
        (
            "UPDATE part SET time_updated = time_updated + 1 WHERE session_id = ?",
            [false, true, false],
        ),
        (
            "UPDATE message SET data = data || ' ' WHERE session_id = ?",
            [false, true, false],
        ),
    ];
    let second = found[1].file_name().unwrap().to_str().unwrap();
    for (change, expected) in changes {
        conn.execute_batch(&change.replace('?', &format!("'{second}'")))
            .unwrap();
        assert_eq!(is_read(), expected, "{change}");
    }
}

#[test]
fn a_broken_part_costs_itself_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode.db");
    let conn = made(&path, TABLES);
    let (_, export) = exports().pop().unwrap();
    keep(&conn, &export);
    let breaks = "UPDATE part SET data = '{\"type\":' WHERE id = (SELECT max(id) FROM part); \
         UPDATE message SET data = x'00' WHERE id = (SELECT max(id) FROM message)";
    conn.execute_batch(breaks).unwrap();
    let (found, _) = sessions(&path);
    let FileRead::Read {
        runs,
        unreadable: broken,
        bytes,
        ..
    } = read(&engine(), &found[0]).unwrap()
    else {
        panic!("it is a transcript");
    };
    assert_eq!((runs.len(), broken), (1, 2));
    assert!(bytes > 1_000);
}

#[test]
fn what_is_no_database_of_sessions_is_said_and_left() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("empty.db"), "").unwrap();
    made(&path("sessionless.db"), TABLES);
    made(
        &path("foreign.db"),
        "CREATE TABLE session (id TEXT, name TEXT)",
    );
    let locked = made(&path("locked.db"), &TABLES.replace("WAL", "DELETE"));
    locked.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for (name, expected_files, expected_fault) in [
        ("empty.db", 1, ""),
        ("sessionless.db", 0, ""),
        ("foreign.db", 0, "not one of opencode's sessions"),
        ("locked.db", 0, "locked by the program that writes it"),
        ("sessionless.db/ses_gone", 1, ""),
    ] {
        let (files, faults) = sessions(&path(name));
        assert_eq!(files.len(), expected_files, "{name}");
        assert_eq!(faults.is_empty(), expected_fault.is_empty(), "{name}");
        assert!(
            faults.iter().all(|it| it.contains(expected_fault)),
            "{faults:?}"
        );
    }
    // In a folder, another program's database is a file like any other.
    let (files, faults) = sessions(dir.path());
    let is_foreign = |path: &PathBuf| path.ends_with("foreign.db");
    assert!(files.iter().any(is_foreign), "{files:?} {faults:?}");
    let not_one = read(&engine(), &path("foreign.db"));
    assert!(matches!(not_one, Ok(FileRead::NotATranscript)));
    let gone = read(&engine(), &path("sessionless.db/ses_gone")).unwrap_err();
    assert!(gone.to_string().contains("no such session"), "{gone}");
}
