//! The contract of stores of keys, on SQLite, and their file.

use std::path::Path;

use hardwon_core::{Actor, KeyName, TenantId};
use hardwon_server::KeyStore;
use hardwon_server::{
    ApiKey, ApiKeyRecord, KeyGrant, KeyKind, KeyLimits, KeyOrder, KeyReach, Role,
    api_key::KEY_ENTROPY_BYTES,
};
use hardwon_store::{SqliteKeyDatabase, SqliteStore, StoreErrorKind};
use hardwon_store_suite::{KEY_CASES, OLD_KEY_ROWS, check_old_keys};
use jiff::Timestamp;
use rusqlite::Connection;
use tempfile::TempDir;

#[test]
fn memory_keeps_the_contract_of_keys() {
    for (says, tell) in KEY_CASES {
        println!("{says}");
        tell(&KeyStore::new(SqliteKeyDatabase::in_memory().unwrap()));
    }
}

#[test]
fn sqlite_keeps_the_contract_of_keys() {
    let folder = TempDir::new().unwrap();
    for (number, (says, tell)) in KEY_CASES.iter().enumerate() {
        println!("{says}");
        tell(&open(&folder.path().join(format!("{number}.db"))));
    }
}

fn open(path: &Path) -> KeyStore {
    KeyStore::new(SqliteKeyDatabase::open(path).unwrap())
}

/// Makes a file with a tenant and an operator's key, and returns that.
fn plant(path: &Path) -> ApiKey {
    let store = open(path);
    let key = ApiKey::from_entropy(KeyKind::Operator, [0x5a; KEY_ENTROPY_BYTES]);
    let grant = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
    let name = KeyName::parse("root").unwrap();
    let record = ApiKeyRecord::new(&key, grant, name, Timestamp::UNIX_EPOCH, None);
    let order = KeyOrder {
        at: Timestamp::UNIX_EPOCH,
        by: Actor::person(),
        reach: KeyReach::Server,
    };
    store
        .add_tenant(&order, &TenantId::parse("t").unwrap())
        .unwrap();
    store.add_key(&order, &record).unwrap();
    key
}

#[test]
fn the_file_is_private_and_is_found_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data/keys.db");
    let key = plant(&path);
    let store = open(&path);
    let record = store.find_key(key.id()).unwrap().unwrap();
    assert_eq!(record.authenticate(&key, Timestamp::UNIX_EPOCH), Ok(()));
    #[cfg(unix)]
    for (path, expected) in [(path.parent().unwrap(), 0o700), (&path, 0o600)] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, expected, "{}", path.display());
    }
    let bytes = std::fs::read(&path).unwrap();
    let secret = &key.reveal()[14..46];
    assert!(!bytes.windows(32).any(|it| it == secret.as_bytes()));
}

#[test]
fn files_of_keys_and_of_lessons_are_not_confused() {
    let folder = TempDir::new().unwrap();
    let (lessons, keys) = (folder.path().join("l.db"), folder.path().join("k.db"));
    drop(SqliteStore::open(&lessons).unwrap());
    plant(&keys);
    for error in [
        SqliteKeyDatabase::open(&lessons).map(drop).unwrap_err(),
        SqliteStore::open(&keys).map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), StoreErrorKind::Damaged);
        assert!(error.to_string().contains("of another program"), "{error}");
    }
}

/// Makes a file as an earlier version made it.
fn plant_old(path: &Path) {
    let conn = Connection::open(path).unwrap();
    conn.execute_batch(include_str!("old_keys.sql")).unwrap();
    conn.execute_batch(OLD_KEY_ROWS).unwrap();
    let marks = "PRAGMA application_id = 0x68776b65; PRAGMA user_version = 4";
    conn.execute_batch(marks).unwrap();
}

fn read_schema(path: &Path) -> Vec<(String, String)> {
    let conn = Connection::open(path).unwrap();
    let sql = "SELECT name, replace(coalesce(sql, ''), '\"', '') FROM sqlite_schema ORDER BY name";
    let mut select = conn.prepare(sql).unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let rows: Vec<(String, String)> = rows.unwrap().map(Result::unwrap).collect();
    let words = |sql: String| {
        sql.replace(')', " )")
            .split_whitespace()
            .collect::<String>()
    };
    rows.into_iter()
        .map(|(name, sql)| (name, words(sql)))
        .collect()
}

#[test]
fn a_file_of_the_version_that_chained_its_log_is_brought_up_to_date() {
    let folder = TempDir::new().unwrap();
    let [path, new] = ["keys.db", "new.db"].map(|name| folder.path().join(name));
    plant_old(&path);
    check_old_keys(&open(&path));
    let copy = Connection::open(folder.path().join("keys.db.form4.backup")).unwrap();
    let entries = copy.query_row("SELECT count(*) FROM audit", [], |row| row.get(0));
    assert_eq!(entries, Ok(12));
    plant(&new);
    assert_eq!(read_schema(&path), read_schema(&new));
}

#[test]
fn webhooks_of_an_earlier_version_go_and_the_log_of_them_stays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys.db");
    plant_old(&path);
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TABLE webhook (tenant TEXT PRIMARY KEY, url TEXT NOT NULL) STRICT, WITHOUT ROWID;
         INSERT INTO webhook VALUES ('acme', 'https://hooks.example');
         INSERT INTO audit (sequence, at, actor, action, tenant, previous, hash)
             VALUES (13, 0, 'person', 'webhook-set', 'acme', zeroblob(32), zeroblob(32));
         PRAGMA user_version = 3;",
    )
    .unwrap();
    let report = open(&path).verify().unwrap();
    assert_eq!((report.entries, report.faults), (13, Vec::new()));
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'webhook'";
    assert_eq!(conn.query_row(tables, [], |row| row.get(0)), Ok(0));
}

#[test]
fn a_difference_between_the_log_and_the_tables_is_told() {
    let check = |edit: &str, expected: &[&str]| {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("keys.db");
        let key = plant(&path);
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch(edit).unwrap();
        let faults = open(&path).verify().unwrap().faults;
        let named = |fault: &String| fault.replace(key.id().as_str(), "ID");
        let faults: Vec<String> = faults.iter().map(named).collect();
        assert_eq!(faults, expected, "{edit}");
    };
    check("UPDATE api_key SET last_used = 7", &[]);
    check(
        "UPDATE served_tenant SET created = 7",
        &["tenant t is not as the log has it: added"],
    );
    check(
        "DELETE FROM served_tenant",
        &["tenant t should be there by the log, and is not"],
    );
    check(
        "INSERT INTO served_tenant VALUES ('u', 0)",
        &["tenant u is there, and by the log it should not be"],
    );
    let differs = |members: &str| format!("key ID (root) is not as the log has it: {members}");
    check(
        "UPDATE api_key SET secret = zeroblob(32)",
        &[&differs("secret_mark")],
    );
    check(
        "UPDATE api_key SET role = 'owner', tenant = 't', expires = 7",
        &[&differs("role, tenant, expires")],
    );
    check(
        "UPDATE api_key SET revoked_at = 7, revoked_by = 'nobody'",
        &[&differs("revoked")],
    );
    check(
        "DELETE FROM api_key",
        &["key ID (root) should be there by the log, and is not"],
    );
    check(
        "DELETE FROM key_log WHERE sequence = 2",
        &["key ID (root) is there, and by the log it should not be"],
    );
    check(
        "DELETE FROM key_log WHERE sequence = 1",
        &[
            "the log has entry 2 where entry 1 should be",
            "tenant t is there, and by the log it should not be",
        ],
    );
    check(
        "INSERT INTO key_log SELECT 3, at, actor, 'key-rotated', tenant, key, '{}', after FROM key_log WHERE sequence = 2",
        &["entry 3 does not go on from what the log said before of key ID"],
    );
}
