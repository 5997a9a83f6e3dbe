//! One row is edited by hand, in each column of each table: it is found, but for the columns that docs/journal.md names.

use std::{collections::BTreeSet, fs, path::Path};

use hardwon_core::{Actor, KeyName, LessonId, Vector, vector::content_fingerprint};
use hardwon_engine::{Engine, Policy, Principal, Scope, SystemClock};
use hardwon_server::{
    ApiKey, ApiKeyRecord, KeyGrant, KeyKind, KeyLimits, KeyOrder, KeyReach, KeyStore, Role,
    api_key::KEY_ENTROPY_BYTES,
};
use hardwon_store::{
    LessonVector, SourceProgress, SqliteKeyDatabase, SqliteStore, Store as _, sqlite::IndexTuning,
};
use hardwon_store_suite::{
    fill_tenant,
    samples::{commit_work, tenant_id, time_at},
};
use rusqlite::{Connection, types::Value};
use tempfile::TempDir;

const TENANT: &str = "local";

/// Fills a file of lessons with something in every table, in the index merged and fresh words.
fn fill_lessons(path: &Path) {
    let tuning = IndexTuning { fresh_words: 20 };
    let store = SqliteStore::open_with_tuning(path, tuning).unwrap();
    fill_tenant(&store, TENANT);
    let tenant = tenant_id(TENANT);
    store.flush(&tenant).unwrap();
    let lesson = store.snapshot().unwrap().lesson(&tenant, LessonId(1));
    let vector = LessonVector {
        lesson: LessonId(1),
        embedding_space: "s".to_owned(),
        fingerprint: content_fingerprint(&lesson.unwrap().unwrap().content),
        vector: Vector::from_numbers(&[1.0, 2.0]).unwrap(),
    };
    let source = SourceProgress {
        position: 7,
        fingerprint: "f".to_owned(),
        state: vec![1, 2],
        at: time_at(0),
    };
    let work = commit_work(&store, &tenant, |transaction| {
        transaction.save_source_progress("/a.jsonl", &source)?;
        transaction.save_vector(&vector)
    });
    assert!(work.unwrap());
}

/// Fills a file of keys: one with a secret of before, one that was revoked, and a session.
fn fill_keys(path: &Path) {
    let keys = KeyStore::new(SqliteKeyDatabase::open(path).unwrap());
    let order = KeyOrder {
        at: time_at(0),
        by: Actor::person(),
        reach: KeyReach::Server,
    };
    let tenant = tenant_id("acme");
    keys.add_tenant(&order, &tenant).unwrap();
    let add = |byte: u8| {
        let key = ApiKey::from_entropy(KeyKind::Tenant, [byte; KEY_ENTROPY_BYTES]);
        let grant = KeyGrant::new(Role::Agent, Some(tenant.clone()), KeyLimits::default());
        let name = KeyName::parse("a test").unwrap();
        let record =
            ApiKeyRecord::new(&key, grant.unwrap(), name, time_at(0), Some(time_at(9_000)));
        keys.add_key(&order, &record).unwrap()
    };
    let (rotated, revoked) = (add(1), add(2));
    let secret = add(3).secret;
    keys.rotate_key(&order, &rotated.id, &secret, time_at(500))
        .unwrap();
    keys.revoke_key(&order, &revoked.id).unwrap();
    let session = ApiKey::from_entropy(KeyKind::Session, [4; KEY_ENTROPY_BYTES]);
    let session = rotated.open_session(&session, time_at(1), time_at(400));
    keys.add_key(&order, &session).unwrap();
    keys.note_uses(&[(rotated.id, time_at(3))]).unwrap();
}

/// Returns what is found wrong with a file of lessons: by `doctor`, and by `journal verify`.
fn examine_lessons(path: &Path) -> Vec<String> {
    let store = match SqliteStore::open_reader(path) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    let mut troubles = match store.check_integrity() {
        Ok(troubles) => troubles,
        Err(error) => vec![error.to_string()],
    };
    let engine = Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock));
    let desk = engine.acting_as(Principal::person(Scope::default()));
    match desk.audit_journal() {
        Ok(audit) if audit.is_sound() => {}
        Ok(audit) => troubles.push(format!("{audit:?}")),
        Err(error) => troubles.push(error.to_string()),
    }
    troubles
}

/// Returns what is found wrong with a file of keys, by `doctor` and `key log`.
fn examine_keys(path: &Path) -> Vec<String> {
    let database = match SqliteKeyDatabase::open(path) {
        Ok(database) => database,
        Err(error) => return vec![error.to_string()],
    };
    match KeyStore::new(database).verify() {
        Ok(report) => report.faults,
        Err(error) => vec![error.to_string()],
    }
}

/// Returns the columns of all tables, each table's name before it.
fn list_columns(path: &Path) -> Vec<(String, String)> {
    let conn = Connection::open(path).unwrap();
    let sql = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
               WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid";
    let mut select = conn.prepare(sql).unwrap();
    let columns = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    columns.unwrap().map(Result::unwrap).collect()
}

/// Edits a column in one row; in a later one, if only that has a value. Returns whether there was a row.
fn edit(path: &Path, table: &str, column: &str) -> bool {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    // The highest, so that the next is free.
    let sql = format!("SELECT \"{column}\" FROM {table} ORDER BY \"{column}\" DESC LIMIT 1");
    let Ok(value) = conn.query_row(&sql, [], |row| row.get::<_, Value>(0)) else {
        return false;
    };
    let place: String = conn
        .query_row(
            "SELECT group_concat(name || ' IS ?' || pk, ' AND ') FROM pragma_table_info(?1) WHERE pk > 0",
            [table],
            |row| row.get::<_, Option<String>>(0),
        )
        .unwrap()
        .unwrap_or_else(|| "rowid IS ?1".to_owned());
    let names = place
        .split(" AND ")
        .map(|part| part.split(' ').next().unwrap());
    let names = names.collect::<Vec<_>>().join(", ");
    let sql = format!("SELECT {names} FROM {table} ORDER BY \"{column}\" DESC LIMIT 1");
    let key: Vec<Value> = conn
        .query_row(&sql, [], |row| {
            (0..row.as_ref().column_count())
                .map(|at| row.get(at))
                .collect()
        })
        .unwrap();
    let sql = format!(
        "UPDATE {table} SET \"{column}\" = ?{} WHERE {place}",
        key.len() + 1
    );
    let mut values = key;
    values.push(change(value, column));
    let changed = conn.execute(&sql, rusqlite::params_from_iter(values));
    assert_eq!(changed, Ok(1), "{table}.{column}");
    true
}

/// Returns another value of the same kind.
fn change(value: Value, column: &str) -> Value {
    match value {
        // A column that nothing wrote to yet.
        Value::Null if ["revoked_by", "trial", "opened_by"].contains(&column) => {
            "x".to_owned().into()
        }
        Value::Null => Value::Integer(1),
        // A truth is as true with 2.
        Value::Integer(number @ 0..=1) => Value::Integer(1 - number),
        Value::Integer(number) => Value::Integer(number + 1),
        Value::Real(number) => Value::Real(number / 2.0),
        Value::Text(text) => Value::Text(change_text(&text)),
        Value::Blob(mut bytes) => {
            *bytes.last_mut().unwrap() ^= 1;
            Value::Blob(bytes)
        }
    }
}

/// Changes a word, or the first word or number of a value in JSON.
fn change_text(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut json) if text.starts_with(['{', '[']) => {
            change_json(&mut json);
            json.to_string()
        }
        _ => format!("{text}x"),
    }
}

fn change_json(json: &mut serde_json::Value) -> bool {
    match json {
        serde_json::Value::String(text) => {
            text.push('x');
            true
        }
        serde_json::Value::Array(items) => {
            let is_changed = items.iter_mut().any(change_json);
            if !is_changed {
                items.push("x".into());
            }
            true
        }
        serde_json::Value::Object(members) => members.values_mut().any(change_json),
        _ => false,
    }
}

/// Returns the columns that docs/journal.md says stay uncompared.
fn read_documented() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/journal.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once("## What stays uncompared").unwrap();
    let section = rest.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| row.split(" |").next().unwrap());
    cells
        .flat_map(|cell| cell.split(','))
        .map(|name| name.trim().trim_matches('`').to_owned())
        .collect()
}

/// Edits each column of a file, and returns those of which nothing is found.
fn find_unnoticed(whole: &Path, examine: fn(&Path) -> Vec<String>) -> BTreeSet<String> {
    let copy = whole.with_extension("edited");
    assert_eq!(examine(whole), Vec::<String>::new());
    let mut unnoticed = BTreeSet::new();
    for (table, column) in list_columns(whole) {
        for end in ["edited-wal", "edited-shm"] {
            fs::remove_file(whole.with_extension(end)).ok();
        }
        fs::copy(whole, &copy).unwrap();
        assert!(edit(&copy, &table, &column), "{table} is empty");
        if examine(&copy).is_empty() {
            unnoticed.insert(format!("{table}.{column}"));
        }
    }
    unnoticed
}

#[test]
fn an_edited_row_is_found_in_every_table_that_counts() {
    let folder = TempDir::new().unwrap();
    let [lessons, keys] = ["lessons.db", "keys.db"].map(|name| folder.path().join(name));
    fill_lessons(&lessons);
    fill_keys(&keys);
    let mut unnoticed = find_unnoticed(&lessons, examine_lessons);
    unnoticed.extend(find_unnoticed(&keys, examine_keys));
    assert_eq!(unnoticed, read_documented());
}

/// A lesson in use has no reason for its state.
#[test]
fn a_reason_is_found_where_there_was_none() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lessons.db");
    fill_lessons(&path);
    let sql = "UPDATE lesson SET why = 'x' WHERE key = (SELECT min(key) FROM lesson WHERE status = 'active')";
    let changed = Connection::open(&path).unwrap().execute(sql, []);
    assert_eq!(changed, Ok(1));
    assert_ne!(examine_lessons(&path), Vec::<String>::new());
}
