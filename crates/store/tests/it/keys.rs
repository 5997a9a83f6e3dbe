//! The contracts of stores of keys and of sessions, on all of them.

use std::{cell::Cell, path::Path};

use hardwon_core::{
    api_key::{
        ApiKey, ApiKeyRecord, AuditAction, AuditEvent, KEY_ENTROPY_BYTES, KeyChange, KeyGrant,
        KeyKind, KeyLimits, KeyOrder, KeyReach, Role,
    },
    change::Actor,
    id::{KeyName, TenantId},
    journal::ChainBreak,
};
use hardwon_store::{
    KeyStore as _, SqliteKeyStore, SqliteStore, StoreErrorKind, keys::verify_audit,
};
use hardwon_store_suite::{KEY_CASES, MakeKeyStore, MemorySessionStore, SESSION_CASES};
use jiff::Timestamp;
use rusqlite::{Connection, params};
use tempfile::TempDir;

fn each(make: MakeKeyStore<'_>) {
    for (says, tell) in KEY_CASES {
        println!("{says}");
        tell(make);
    }
}

#[test]
fn memory_keeps_the_contract_of_keys() {
    each(&|| Box::new(SqliteKeyStore::in_memory().unwrap()));
}

#[test]
fn sqlite_keeps_the_contract_of_keys() {
    let folder = TempDir::new().unwrap();
    let count = Cell::new(0);
    each(&|| {
        count.set(count.get() + 1);
        let path = folder.path().join(format!("{}.db", count.get()));
        Box::new(SqliteKeyStore::open(&path).unwrap())
    });
}

#[test]
fn memory_keeps_the_contract_of_sessions() {
    for (says, tell) in SESSION_CASES {
        println!("{says}");
        tell(&|| Box::new(MemorySessionStore::default()));
    }
}

/// Makes a file with a tenant and an operator's key, and returns that.
fn plant(path: &Path) -> ApiKey {
    let store = SqliteKeyStore::open(path).unwrap();
    let key = ApiKey::from_entropy(KeyKind::Operator, [0x5a; KEY_ENTROPY_BYTES]);
    let grant = KeyGrant::new(Role::Operator, None, KeyLimits::default()).unwrap();
    let name = KeyName::parse("root").unwrap();
    let record = ApiKeyRecord::new(&key, grant, name, Timestamp::UNIX_EPOCH, None);
    for change in [
        KeyChange::AddTenant(TenantId::parse("t").unwrap()),
        KeyChange::AddKey(Box::new(record)),
    ] {
        let order = KeyOrder {
            at: Timestamp::UNIX_EPOCH,
            by: Actor::person(),
            reach: KeyReach::Server,
            change,
        };
        store.apply(&order).unwrap();
    }
    key
}

#[test]
fn the_file_is_private_and_is_found_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data/keys.db");
    let key = plant(&path);
    let store = SqliteKeyStore::open(&path).unwrap();
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
        SqliteKeyStore::open(&lessons).map(drop).unwrap_err(),
        SqliteStore::open(&keys).map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), StoreErrorKind::Damaged);
        assert!(error.to_string().contains("of another program"), "{error}");
    }
}

/// What the third form had and no other: a webhook, and in the log that it was set.
fn add_webhook(path: &Path) {
    let store = SqliteKeyStore::open(path).unwrap();
    let set = AuditEvent {
        at: Timestamp::UNIX_EPOCH,
        by: Actor::person(),
        action: AuditAction::WebhookSet,
        tenant: TenantId::parse("t").ok(),
        key: None,
        before: None,
        after: None,
    };
    let entry = set.chain_after(store.audit_head().unwrap());
    drop(store);
    let conn = Connection::open(path).unwrap();
    conn.execute_batch(
        "CREATE TABLE webhook (
            tenant TEXT PRIMARY KEY, life INTEGER NOT NULL, url TEXT NOT NULL, secret BLOB NOT NULL,
            set_at INTEGER NOT NULL, set_by TEXT NOT NULL, progress TEXT NOT NULL
         ) STRICT, WITHOUT ROWID;
         INSERT INTO webhook VALUES ('t', 0, 'https://hooks.example', zeroblob(32), 0, 'aaaaaaaaaa', '{}');
         PRAGMA user_version = 3;",
    )
    .unwrap();
    let insert = "INSERT INTO audit (sequence, at, actor, action, tenant, previous, hash)
         VALUES (?1, 0, ?2, 'webhook-set', 't', ?3, ?4)";
    let values = params![
        entry.sequence.cast_signed(),
        entry.event.by.0.as_str(),
        entry.previous.as_bytes(),
        entry.hash.as_bytes()
    ];
    conn.execute(insert, values).unwrap();
    let head = "UPDATE audit_head SET sequence = ?1, hash = ?2";
    let values = params![entry.sequence.cast_signed(), entry.hash.as_bytes()];
    conn.execute(head, values).unwrap();
}

#[test]
fn webhooks_of_an_earlier_version_go_and_the_log_of_them_stays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys.db");
    let key = plant(&path);
    add_webhook(&path);
    let store = SqliteKeyStore::open(&path).unwrap();
    assert!(store.find_key(key.id()).unwrap().is_some());
    let verified = verify_audit(&store).unwrap();
    assert_eq!(verified.map(|head| head.sequence), Ok(3));
    let conn = Connection::open(&path).unwrap();
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'webhook'";
    assert_eq!(conn.query_row(tables, [], |row| row.get(0)), Ok(0));
}

#[test]
fn a_log_that_somebody_edited_is_seen() {
    for (edit, expected) in [
        ("UPDATE tenant SET created = 7", Ok(2)),
        (
            "UPDATE audit SET actor = 'nobody' WHERE sequence = 1",
            Err(ChainBreak::Altered { sequence: 1 }),
        ),
        (
            "UPDATE audit SET after = NULL WHERE sequence = 2",
            Err(ChainBreak::Altered { sequence: 2 }),
        ),
        (
            "DELETE FROM audit WHERE sequence = 1",
            Err(ChainBreak::OutOfSequence {
                expected: 1,
                found: 2,
            }),
        ),
        (
            "DELETE FROM audit WHERE sequence = 2",
            Err(ChainBreak::OutOfSequence {
                expected: 2,
                found: 1,
            }),
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("keys.db");
        plant(&path);
        Connection::open(&path)
            .unwrap()
            .execute_batch(edit)
            .unwrap();
        let store = SqliteKeyStore::open(&path).unwrap();
        let verified = verify_audit(&store).unwrap();
        assert_eq!(verified.map(|head| head.sequence), expected, "{edit}");
    }
}
