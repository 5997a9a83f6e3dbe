//! Storage of API keys and tenants, apart from lessons.
//!
//! A [`KeyStore`] finds, lists and [changes](KeyStore::add_key) them, with the same statements over every
//! [database](RowDatabase): a table of keys, one of tenants, and a log of what was done to both, which grows in the
//! transaction of the change. May something be changed? `crate::api_key` decides. Of keys no secret comes here:
//! records hold hashes. [`SqliteKeyDatabase`](hardwon_store::SqliteKeyDatabase) is a file beside the lessons.

mod changes;
mod rows;
mod verify;

use hardwon_core::{TenantId, limits};
use hardwon_store::{
    ColumnValue, ReadRows, Result, RowDatabase, StoreError,
    paging::read_pages,
    port::{select_rows, values},
};
use jiff::Timestamp;

use self::{
    rows::{
        LOG_COLUMNS, SELECT_TENANTS, bound_page, find_keys, key_statement, limit_reach,
        read_log_entry, read_tenant,
    },
    verify::verify,
};

use crate::{
    ApiKeyRecord, KeyChangeRefusal, KeyId, KeyLogEntry, KeyLogReport, KeyReach, TenantRecord,
};

/// Why keys or tenants were not changed; nothing of it was done.
#[derive(Debug, thiserror::Error)]
pub enum KeyChangeError {
    /// It does not fit what is there.
    #[error(transparent)]
    Refused(#[from] KeyChangeRefusal),
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads keys, tenants and the log. Pages hold `limits::PAGE_ROWS` at most.
pub trait KeyReader: ReadRows {
    /// Returns the record of a key, whatever became of it.
    fn find_key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        Ok(find_keys(self, "id = $1", values![id.as_str()])?.pop())
    }

    /// Returns keys and sessions in the order of their ids, also those that were revoked, starting after `after`.
    fn keys(
        &self,
        reach: &KeyReach,
        after: Option<&KeyId>,
        limit: usize,
    ) -> Result<Vec<ApiKeyRecord>> {
        let after = ColumnValue::from(after.map_or("", KeyId::as_str));
        let (own, values) = limit_reach(reach, after, limit);
        find_keys(self, &format!("{own}id > $1 ORDER BY id LIMIT $2"), values)
    }

    /// Returns whether any key at all is accepted at a time, so that a server may be opened to others.
    fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        let condition = "revoked_at IS NULL AND (expires IS NULL OR expires > $1) LIMIT 1";
        Ok(!find_keys(self, condition, values![now])?.is_empty())
    }

    /// Returns a tenant; `None` if there is none of this name.
    fn find_tenant(&self, id: &TenantId) -> Result<Option<TenantRecord>> {
        let sql = format!("{SELECT_TENANTS} name = $1");
        let statement = key_statement(sql, values![id.as_str()]);
        Ok(select_rows(self, statement, read_tenant)?.pop())
    }

    /// Returns tenants by name, starting after `after`.
    fn tenants(&self, after: Option<&TenantId>, limit: usize) -> Result<Vec<TenantRecord>> {
        let sql = format!("{SELECT_TENANTS} name > $1 ORDER BY name LIMIT $2");
        let after = ColumnValue::from(after.map_or("", TenantId::as_str));
        select_rows(
            self,
            key_statement(sql, [after, bound_page(limit)]),
            read_tenant,
        )
    }

    /// Returns entries of the log, the oldest first, starting after the one of a number. A tenant's are counted among its
    /// own: numbers of the whole log would tell how much happens elsewhere.
    fn log(&self, reach: &KeyReach, after: u64, limit: usize) -> Result<Vec<KeyLogEntry>> {
        let (own, values) = limit_reach(reach, ColumnValue::from(after), limit);
        let sequence = match reach {
            KeyReach::Server => "sequence",
            KeyReach::Tenant(_) => "row_number() OVER (ORDER BY sequence) AS sequence",
        };
        let sql = format!(
            "SELECT * FROM (SELECT {sequence}, {LOG_COLUMNS} FROM hardwon.key_log WHERE {own}true) AS log \
             WHERE sequence > $1 ORDER BY sequence LIMIT $2"
        );
        select_rows(self, key_statement(sql, values), read_log_entry)
    }
}

impl<R: ReadRows + ?Sized> KeyReader for R {}

/// Returns all tenants, by name.
pub(crate) fn read_tenants(
    keys: &(impl KeyReader + ?Sized),
) -> impl Iterator<Item = Result<TenantRecord>> {
    let page = |after: &Option<TenantId>| keys.tenants(after.as_ref(), limits::PAGE_ROWS);
    read_pages(None, page, |after, last| *after = Some(last.id.clone()))
}

/// A database that has the tables of keys.
trait KeyDatabase: RowDatabase + KeyReader {}

impl<D: RowDatabase> KeyDatabase for D {}

/// A store of keys and tenants, which reads as its database does.
pub struct KeyStore {
    database: Box<dyn KeyDatabase>,
}

impl std::fmt::Debug for KeyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyStore").finish_non_exhaustive()
    }
}

impl std::ops::Deref for KeyStore {
    type Target = dyn KeyReader;

    fn deref(&self) -> &Self::Target {
        &*self.database
    }
}

impl KeyStore {
    /// Makes a store of keys over a database.
    pub fn new(database: impl RowDatabase + 'static) -> Self {
        let database = Box::new(database);
        Self { database }
    }

    /// Compares the log with the tables. Changes wait meanwhile.
    pub fn verify(&self) -> Result<KeyLogReport> {
        let mut report = KeyLogReport::default();
        self.database.write(&mut |rows, _| {
            report = verify(rows)?;
            Ok(())
        })?;
        Ok(report)
    }
}
