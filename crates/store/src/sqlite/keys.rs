//! Keys in one SQLite file of their own, beside the lessons.
//!
//! It has one connection behind a lock: keys change seldom, and a server remembers for a while what it found. Many
//! processes may use the file at once. What the columns mean is in [`rows`](crate::rows).

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditEntry, KeyDecision, KeyEdit, KeyId, KeyOrder, KeyReach, TenantRecord,
        audit_genesis,
    },
    id::TenantId,
    journal::ChainHead,
    limits,
};
use jiff::Timestamp;
use rusqlite::{
    Connection, OptionalExtension as _, Params, Row, TransactionBehavior, params, params_from_iter,
};

use super::{
    copying, durability_pragma, migrate,
    migrate::FileForm,
    open,
    rows::{ColumnReader, to_sql_bound, to_sql_count},
    waiting::LockPatience,
};
use crate::{
    Durability, Result, StoreError,
    keys::{AuditListing, KeyChangeError, KeyListing, KeyRows, KeyStore, apply_order},
    rows::{
        AUDIT_COLUMNS, KEY_COLUMNS, ReadColumns as _, audit_values, key_values, read_audit_entry,
        read_key, read_tenant_record,
    },
};

/// A file of keys: `hwke`.
pub(super) const KEYS: FileForm<'_> = FileForm {
    application: 0x6877_6b65,
    schema: &[include_str!("../schema/keys.sql")],
    oldest: 3,
    steps: &[include_str!("../schema/keys/0004_no_webhook.sql")],
};

/// A store of keys in one file.
#[derive(Debug)]
pub struct SqliteKeyStore {
    path: PathBuf,
    conn: Mutex<Connection>,
}

impl SqliteKeyStore {
    /// Opens a file of keys. Creates it, and its folder, if there is none, readable for its owner only; migrates an
    /// older one after making a backup beside it.
    ///
    /// # Errors
    ///
    /// As [`SqliteStore::open`](crate::SqliteStore::open).
    pub fn open(path: &Path) -> Result<Self> {
        let open = || -> Result<Connection> {
            let mut conn = open::open_writable(path, LockPatience::Command)?;
            migrate::apply_steps(&mut conn, path, KEYS)?;
            conn.execute_batch(durability_pragma(Durability::Full))?;
            Ok(conn)
        };
        let conn = open().map_err(|it| it.with_action("opening the keys").with_path(path))?;
        Ok(Self {
            path: path.to_owned(),
            conn: Mutex::new(conn),
        })
    }

    /// Makes an empty store of keys in memory, gone when it is dropped.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub fn in_memory() -> Result<Self> {
        let path = Path::new(open::MEMORY_PATH);
        let mut conn = Connection::open_in_memory()?;
        migrate::apply_steps(&mut conn, path, KEYS)?;
        Ok(Self {
            path: path.to_owned(),
            conn: Mutex::new(conn),
        })
    }

    /// Writes a complete copy of the keys while others go on using them.
    ///
    /// # Errors
    ///
    /// If the copy cannot be written.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let copied = copying::copy_to_file(&self.lock(), to);
        copied.map_err(|it| it.with_action("backing the keys up").with_path(&self.path))
    }

    /// Locks the connection. A panic in another thread rolled its transaction back.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, work: impl FnOnce(&KeyTransaction<'_>) -> Result<T>) -> Result<T> {
        let conn = self.lock();
        work(&KeyTransaction { conn: &conn })
            .map_err(|it| it.with_action("reading the keys").with_path(&self.path))
    }

    fn write<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut KeyTransaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let at_path =
            |it: StoreError| E::from(it.with_action("changing the keys").with_path(&self.path));
        let mut conn = self.lock();
        let begun = conn.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|it| at_path(it.into()))?;
        let outcome = work(&mut KeyTransaction { conn: &transaction })?;
        transaction.commit().map_err(|it| at_path(it.into()))?;
        Ok(outcome)
    }
}

impl KeyStore for SqliteKeyStore {
    fn find_key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        self.read(|rows| rows.key(id))
    }

    fn keys(&self, listing: &KeyListing) -> Result<Vec<ApiKeyRecord>> {
        let after = listing.after.as_ref().map_or("", KeyId::as_str);
        let limit = bound_page(listing.limit);
        self.read(|rows| match &listing.reach {
            KeyReach::Server => {
                rows.find_keys("id > ?1 ORDER BY id LIMIT ?2", params![after, limit])
            }
            KeyReach::Tenant(own) => rows.find_keys(
                "tenant = ?3 AND id > ?1 ORDER BY id LIMIT ?2",
                params![after, limit, own.as_str()],
            ),
        })
    }

    fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        self.read(|rows| {
            let is_valid = "SELECT EXISTS (SELECT 1 FROM api_key \
                WHERE revoked_at IS NULL AND (expires IS NULL OR expires > ?1))";
            let now = now.as_millisecond();
            Ok(rows.conn.query_row(is_valid, [now], |row| row.get(0))?)
        })
    }

    fn find_tenant(&self, id: &TenantId) -> Result<Option<TenantRecord>> {
        self.read(|rows| Ok(rows.find_tenants("name = ?1", [id.as_str()])?.pop()))
    }

    fn tenants(&self, after: Option<&TenantId>, limit: usize) -> Result<Vec<TenantRecord>> {
        let after = after.map_or("", TenantId::as_str);
        let page = "name > ?1 ORDER BY name LIMIT ?2";
        self.read(|rows| rows.find_tenants(page, params![after, bound_page(limit)]))
    }

    fn apply(&self, order: &KeyOrder) -> Result<KeyDecision, KeyChangeError> {
        self.write(|rows| apply_order(rows, order))
    }

    fn note_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        if uses.is_empty() {
            return Ok(());
        }
        self.write(|rows| {
            let mut update = rows.conn.prepare_cached(
                "UPDATE api_key SET last_used = max(?2, coalesce(last_used, ?2)) WHERE id = ?1",
            )?;
            for (id, at) in uses {
                update.execute(params![id.as_str(), at.as_millisecond()])?;
            }
            Ok(())
        })
    }

    fn share_secret(&self, name: &str, drawn: [u8; 32]) -> Result<[u8; 32]> {
        self.write(|rows| {
            let insert = "INSERT OR IGNORE INTO secret (name, bytes) VALUES (?1, ?2)";
            rows.conn.execute(insert, params![name, drawn])?;
            let select = "SELECT bytes FROM secret WHERE name = ?1";
            Ok(rows.conn.query_row(select, [name], |row| row.get(0))?)
        })
    }

    fn audit(&self, listing: &AuditListing) -> Result<Vec<AuditEntry>> {
        let after = to_sql_count(listing.after);
        let limit = bound_page(listing.limit);
        self.read(|rows| match &listing.reach {
            KeyReach::Server => rows.find_entries(
                "sequence > ?1 ORDER BY sequence LIMIT ?2",
                params![after, limit],
            ),
            KeyReach::Tenant(own) => rows.find_entries(
                "tenant = ?3 AND sequence > ?1 ORDER BY sequence LIMIT ?2",
                params![after, limit, own.as_str()],
            ),
        })
    }

    fn audit_head(&self) -> Result<ChainHead> {
        self.read(|rows| rows.audit_head())
    }
}

fn bound_page(rows: usize) -> i64 {
    to_sql_bound(rows.min(limits::PAGE_ROWS))
}

/// A transaction of the file, or a moment between two.
struct KeyTransaction<'c> {
    conn: &'c Connection,
}

impl KeyTransaction<'_> {
    fn find_keys(&self, wanted: &str, values: impl Params) -> Result<Vec<ApiKeyRecord>> {
        let select = format!(
            "SELECT {} FROM api_key WHERE {wanted}",
            KEY_COLUMNS.join(", ")
        );
        self.collect_rows(&select, values, |row| read_key(row))
    }

    fn find_tenants(&self, wanted: &str, values: impl Params) -> Result<Vec<TenantRecord>> {
        let select = format!("SELECT name, created FROM tenant WHERE {wanted}");
        self.collect_rows(&select, values, |row| read_tenant_record(row))
    }

    fn find_entries(&self, wanted: &str, values: impl Params) -> Result<Vec<AuditEntry>> {
        let columns = AUDIT_COLUMNS.join(", ");
        let select = format!("SELECT {columns} FROM audit WHERE {wanted}");
        self.collect_rows(&select, values, |row| read_audit_entry(row))
    }

    fn collect_rows<T>(
        &self,
        select: &str,
        values: impl Params,
        read: fn(&mut ColumnReader<'_, '_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut select = self.conn.prepare_cached(select)?;
        let mut rows = select.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(&mut ColumnReader::new(row))?);
        }
        Ok(found)
    }
}

impl KeyRows for KeyTransaction<'_> {
    fn key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        Ok(self.find_keys("id = ?1", [id.as_str()])?.pop())
    }

    fn sessions_of(&self, opener: &KeyId) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "opened_by = ?1 AND revoked_at IS NULL ORDER BY id";
        self.find_keys(wanted, [opener.as_str()])
    }

    fn unrevoked_keys_of(&self, tenant: &TenantId) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "tenant = ?1 AND revoked_at IS NULL ORDER BY id";
        self.find_keys(wanted, [tenant.as_str()])
    }

    fn count_unrevoked_keys_of(&self, tenant: &TenantId) -> Result<usize> {
        let count = "SELECT count(*) FROM api_key \
            WHERE tenant = ?1 AND revoked_at IS NULL AND kind <> 'hws'";
        let found: i64 = self
            .conn
            .query_row(count, [tenant.as_str()], |row| row.get(0))?;
        Ok(usize::try_from(found).unwrap_or(usize::MAX))
    }

    fn expired_keys(&self, now: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "expires <= ?1 AND (revoked_at IS NULL OR kind = 'hws') ORDER BY id LIMIT ?2";
        self.find_keys(wanted, params![now.as_millisecond(), to_sql_bound(limit)])
    }

    fn ended_keys(&self, before: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "(revoked_at < ?1 OR expires < ?1) ORDER BY id LIMIT ?2";
        self.find_keys(
            wanted,
            params![before.as_millisecond(), to_sql_bound(limit)],
        )
    }

    fn has_tenant(&self, id: &TenantId) -> Result<bool> {
        Ok(!self.find_tenants("name = ?1", [id.as_str()])?.is_empty())
    }

    fn audit_head(&self) -> Result<ChainHead> {
        let read = |row: &Row<'_>| {
            let mut row = ColumnReader::new(row);
            Ok(ChainHead {
                sequence: row.next_count()?,
                hash: row.next_hash()?,
            })
        };
        let select = "SELECT sequence, hash FROM audit_head";
        let found = self.conn.query_row(select, [], |row| Ok(read(row)));
        found.optional()?.unwrap_or_else(|| Ok(audit_genesis()))
    }

    fn carry_out(&mut self, edit: &KeyEdit) -> Result<()> {
        match edit {
            KeyEdit::SaveKey(record) => {
                let replace = insert_sql("INSERT OR REPLACE", "api_key", &KEY_COLUMNS);
                let mut replace = self.conn.prepare_cached(&replace)?;
                replace.execute(params_from_iter(key_values(record)?))?;
            }
            KeyEdit::DeleteKey(id) => {
                let delete = "DELETE FROM api_key WHERE id = ?1";
                self.conn.execute(delete, [id.as_str()])?;
            }
            KeyEdit::AddTenant(tenant) => {
                let values = params![tenant.id.as_str(), tenant.created.as_millisecond()];
                self.conn
                    .execute("INSERT INTO tenant (name, created) VALUES (?1, ?2)", values)?;
            }
            KeyEdit::RemoveTenant(id) => {
                let delete = "DELETE FROM tenant WHERE name = ?1";
                self.conn.execute(delete, [id.as_str()])?;
            }
        }
        Ok(())
    }

    fn append_audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let insert = insert_sql("INSERT", "audit", &AUDIT_COLUMNS);
        let mut insert = self.conn.prepare_cached(&insert)?;
        insert.execute(params_from_iter(audit_values(entry)))?;
        let head = "INSERT OR REPLACE INTO audit_head (id, sequence, hash) VALUES (1, ?1, ?2)";
        let values = params![to_sql_count(entry.sequence), entry.hash.as_bytes()];
        self.conn.execute(head, values)?;
        Ok(())
    }
}

fn insert_sql(verb: &str, table: &str, columns: &[&str]) -> String {
    let names = columns.join(", ");
    let places = vec!["?"; columns.len()].join(", ");
    format!("{verb} INTO {table} ({names}) VALUES ({places})")
}
