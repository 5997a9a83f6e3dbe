//! The rows of keys, tenants and the log, in a transaction that has locked the end of the log.

use hardwon_core::{
    api_key::{ApiKeyRecord, AuditEntry, KeyEdit, KeyId, audit_genesis},
    id::TenantId,
    journal::{ChainHead, Sha256Hash},
};
use hardwon_store::{
    Result,
    keys::KeyRows,
    rows::{
        AUDIT_COLUMNS, KEY_COLUMNS, ReadColumns as _, audit_values, key_values, read_key,
        to_sql_bound, to_sql_count,
    },
};
use jiff::Timestamp;

use crate::{
    session::{Request, Session, TenantKey},
    values::{RowColumns, SqlValue, values},
};

pub(super) const SELECT_HEAD: &str = "SELECT sequence, hash FROM hardwon.audit_head WHERE id = 1";

/// Returns the statement that selects keys.
pub(super) fn select_keys(wanted: &str) -> String {
    let columns = KEY_COLUMNS.join(", ");
    format!("SELECT {columns} FROM hardwon.api_key WHERE {wanted}")
}

/// Returns the statement that selects entries of the log.
pub(super) fn select_entries(wanted: &str) -> String {
    let columns = AUDIT_COLUMNS.join(", ");
    format!("SELECT {columns} FROM hardwon.audit WHERE {wanted}")
}

/// Reads the row of [`SELECT_HEAD`].
pub(super) fn read_head(row: &mut RowColumns<'_>) -> Result<ChainHead> {
    Ok(ChainHead {
        sequence: row.next_count()?,
        hash: row.next_hash()?,
    })
}

/// A transaction that changes keys.
pub(super) struct PostgresKeyTransaction<'s> {
    session: &'s Session<'s>,
    head: ChainHead,
}

impl<'s> PostgresKeyTransaction<'s> {
    pub(super) fn new(session: &'s Session<'s>) -> Self {
        let head = audit_genesis();
        Self { session, head }
    }

    /// Locks the end of the log, before anything else is read.
    pub(super) fn begin(&mut self) -> Result<()> {
        let insert = "INSERT INTO hardwon.audit_head (id, sequence, hash) VALUES (1, 0, $1)
             ON CONFLICT (id) DO NOTHING";
        let hash = audit_genesis().hash;
        let requests = vec![
            Request::new(insert, values![&hash]),
            Request::new(format!("{SELECT_HEAD} FOR UPDATE"), Vec::new()),
        ];
        let found = self.session.query_all(TenantKey::NOBODY, requests)?;
        let row = found[1].first().expect("it was inserted if it was missing");
        self.head = read_head(&mut RowColumns::new(row))?;
        Ok(())
    }

    /// Returns the end of the log as this transaction leaves it.
    pub(super) fn head(&self) -> ChainHead {
        self.head
    }

    /// Returns whether the log has an entry of this number and hash.
    pub(super) fn has_entry(&self, end: ChainHead) -> Result<bool> {
        let sql = "SELECT hash FROM hardwon.audit WHERE sequence = $1";
        let values = values![to_sql_count(end.sequence)];
        let hashes: Vec<Sha256Hash> = self.select(sql, values, |row| row.next_hash())?;
        Ok(hashes.contains(&end.hash))
    }

    /// Saves when keys were last used. All are in one statement, behind the lock, so that no two wait for each other.
    pub(super) fn note_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        let ids = SqlValue::from_texts(uses.iter().map(|it| it.0.as_str()));
        let times: Vec<i64> = uses.iter().map(|it| it.1.as_millisecond()).collect();
        self.queue(
            "UPDATE hardwon.api_key k SET last_used = greatest(coalesce(k.last_used, w.at), w.at)
             FROM unnest($1::text[], $2::bigint[]) AS w (id, at) WHERE k.id = w.id",
            vec![ids, times.into()],
        )
    }

    /// Keeps a secret, unless there is one of this name.
    pub(super) fn add_secret(&self, name: &str, bytes: [u8; 32]) -> Result<()> {
        let insert = "INSERT INTO hardwon.server_secret (name, bytes) VALUES ($1, $2)
             ON CONFLICT (name) DO NOTHING";
        self.queue(insert, values![name, &Sha256Hash::from_bytes(bytes)])
    }

    fn select<T>(
        &self,
        sql: impl Into<String>,
        values: Vec<SqlValue>,
        read: impl Fn(&mut RowColumns<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let found = self.session.query(TenantKey::NOBODY, sql.into(), values)?;
        let rows = found.iter().map(|row| read(&mut RowColumns::new(row)));
        rows.collect()
    }

    fn queue(&self, sql: impl Into<String>, values: Vec<SqlValue>) -> Result<()> {
        self.session.queue(TenantKey::NOBODY, sql.into(), values)
    }

    fn select_keys(&self, wanted: &str, values: Vec<SqlValue>) -> Result<Vec<ApiKeyRecord>> {
        self.select(select_keys(wanted), values, |row| read_key(row))
    }
}

impl KeyRows for PostgresKeyTransaction<'_> {
    fn key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        Ok(self.select_keys("id = $1", values![id.as_str()])?.pop())
    }

    fn sessions_of(&self, opener: &KeyId) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "opened_by = $1 AND revoked_at IS NULL ORDER BY id";
        self.select_keys(wanted, values![opener.as_str()])
    }

    fn unrevoked_keys_of(&self, tenant: &TenantId) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "tenant = $1 AND revoked_at IS NULL ORDER BY id";
        self.select_keys(wanted, values![tenant.as_str()])
    }

    fn count_unrevoked_keys_of(&self, tenant: &TenantId) -> Result<usize> {
        let sql = "SELECT count(*) FROM hardwon.api_key
             WHERE tenant = $1 AND revoked_at IS NULL AND kind <> 'hws'";
        let found = self.select(sql, values![tenant.as_str()], |row| row.next_count())?;
        let count = found.into_iter().sum::<u64>();
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn expired_keys(&self, now: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "expires <= $1 AND (revoked_at IS NULL OR kind = 'hws') ORDER BY id LIMIT $2";
        self.select_keys(wanted, values![now.as_millisecond(), to_sql_bound(limit)])
    }

    fn ended_keys(&self, before: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>> {
        let wanted = "(revoked_at < $1 OR expires < $1) ORDER BY id LIMIT $2";
        self.select_keys(
            wanted,
            values![before.as_millisecond(), to_sql_bound(limit)],
        )
    }

    fn has_tenant(&self, id: &TenantId) -> Result<bool> {
        let sql = "SELECT created FROM hardwon.served_tenant WHERE name = $1";
        let found = self.select(sql, values![id.as_str()], |row| row.next_time())?;
        Ok(!found.is_empty())
    }

    fn audit_head(&self) -> Result<ChainHead> {
        Ok(self.head)
    }

    fn carry_out(&mut self, edit: &KeyEdit) -> Result<()> {
        match edit {
            KeyEdit::SaveKey(record) => {
                let values = key_values(record)?.into_iter().map(SqlValue::from);
                self.queue(save_key_sql(), values.collect())
            }
            KeyEdit::DeleteKey(id) => {
                let delete = "DELETE FROM hardwon.api_key WHERE id = $1";
                self.queue(delete, values![id.as_str()])
            }
            KeyEdit::AddTenant(tenant) => {
                let insert = "INSERT INTO hardwon.served_tenant (name, created) VALUES ($1, $2)";
                let created = tenant.created.as_millisecond();
                self.queue(insert, values![tenant.id.as_str(), created])
            }
            KeyEdit::RemoveTenant(id) => {
                let delete = "DELETE FROM hardwon.served_tenant WHERE name = $1";
                self.queue(delete, values![id.as_str()])
            }
        }
    }

    fn append_audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let (names, places) = name_columns(&AUDIT_COLUMNS);
        let values = audit_values(entry).into_iter().map(SqlValue::from);
        self.queue(
            format!("INSERT INTO hardwon.audit ({names}) VALUES ({places})"),
            values.collect(),
        )?;
        self.head = entry.head();
        self.queue(
            "UPDATE hardwon.audit_head SET sequence = $1, hash = $2 WHERE id = 1",
            values![to_sql_count(entry.sequence), &entry.hash],
        )
    }
}

/// Returns the statement that saves a key in place of an earlier one of its id.
fn save_key_sql() -> String {
    let (names, places) = name_columns(&KEY_COLUMNS);
    let set: Vec<String> = KEY_COLUMNS
        .iter()
        .skip(1)
        .map(|name| format!("{name} = excluded.{name}"))
        .collect();
    format!(
        "INSERT INTO hardwon.api_key ({names}) VALUES ({places}) ON CONFLICT (id) DO UPDATE SET {}",
        set.join(", ")
    )
}

/// Returns columns, and the places of their values.
fn name_columns(columns: &[&str]) -> (String, String) {
    let places: Vec<String> = (1..=columns.len()).map(|it| format!("${it}")).collect();
    (columns.join(", "), places.join(", "))
}
