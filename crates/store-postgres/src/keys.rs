//! Keys, tenants and the log of both, in the same database as the lessons.
//!
//! A key is found by one statement and one wait. An order locks the row that holds the end of the log, so orders take
//! place one after another and the log is one chain; [`rows`] is what it changes. Nothing here belongs to a tenant,
//! so no policy of row-level security stands before these tables: a key is looked up before anybody knows whose it
//! is.
//!
//! After a commit whose answer was lost, the log tells whether it took place: it has the entry with the hash that was
//! sent, or it does not.

mod rows;

use std::{path::Path, sync::Arc, thread};

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditEntry, KeyDecision, KeyId, KeyOrder, KeyReach, TenantRecord,
        audit_genesis,
    },
    id::TenantId,
    journal::ChainHead,
    limits,
};
use hardwon_store::{
    KeyStore, Result, StoreError,
    keys::{AuditListing, KeyChangeError, KeyListing, apply_order},
    rows::{
        ReadColumns as _, read_audit_entry, read_key, read_tenant_record, to_sql_bound,
        to_sql_count,
    },
};
use jiff::Timestamp;
use tokio_postgres::Row;

use self::rows::{PostgresKeyTransaction, SELECT_HEAD, read_head, select_entries, select_keys};
use crate::{
    database::Database,
    errors::{Interruption, exhausted_error},
    session::{CommitError, TransactionMode},
    transact::{RETRIES, draw_pause, lost_error},
    values::{RowColumns, SqlValue, values},
};

/// A store of keys in one database.
pub struct PostgresKeyStore {
    database: Arc<Database>,
}

impl std::fmt::Debug for PostgresKeyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresKeyStore")
            .field("server", &self.database.server)
            .finish_non_exhaustive()
    }
}

/// A commit of unknown outcome: where the log ends if it took place, and what its work returned.
struct LostOrder<T> {
    head: ChainHead,
    value: T,
}

/// How an attempt to write ended, if not well.
enum KeyAttemptError<T, E> {
    /// The same would fail again.
    Failed(E),
    /// Nothing was committed, and the same may succeed.
    Interrupted(StoreError),
    /// It may have been committed.
    Lost(StoreError, Box<LostOrder<T>>),
}

impl<T, E: From<StoreError>> KeyAttemptError<T, E> {
    fn from_error(error: StoreError, interruption: Option<Interruption>) -> Self {
        match interruption {
            Some(_) => Self::Interrupted(error),
            None => Self::Failed(error.into()),
        }
    }
}

impl PostgresKeyStore {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Reads what a statement selects, after one wait.
    fn read<T>(
        &self,
        sql: &str,
        values: Vec<SqlValue>,
        read: impl Fn(&mut RowColumns<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let read_all = |found: Vec<Row>| -> Result<Vec<T>> {
            let rows = found.iter().map(|row| read(&mut RowColumns::new(row)));
            rows.collect()
        };
        let found = self.database.read(sql, &values).and_then(read_all);
        found.map_err(|it| self.add_context(it, "reading the keys"))
    }

    fn add_context(&self, error: StoreError, action: &'static str) -> StoreError {
        error
            .with_action(action)
            .with_path(Path::new(&self.database.server))
    }

    /// Changes keys in a transaction, again if need be.
    fn write<T, E: From<StoreError>>(
        &self,
        work: &dyn Fn(&mut PostgresKeyTransaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut lost = None;
        let mut retries = 0;
        let at_place = |it| E::from(self.add_context(it, "changing the keys"));
        loop {
            match self.attempt(work, lost.take()) {
                Ok(value) => return Ok(value),
                Err(KeyAttemptError::Failed(error)) => return Err(error),
                Err(KeyAttemptError::Interrupted(error)) if retries == RETRIES => {
                    return Err(at_place(exhausted_error(error)));
                }
                Err(KeyAttemptError::Lost(error, ..)) if retries == RETRIES => {
                    return Err(at_place(lost_error(error)));
                }
                Err(KeyAttemptError::Interrupted(_)) => {}
                Err(KeyAttemptError::Lost(_, order)) => lost = Some(order),
            }
            thread::sleep(draw_pause(retries));
            retries += 1;
        }
    }

    fn attempt<T, E: From<StoreError>>(
        &self,
        work: &dyn Fn(&mut PostgresKeyTransaction<'_>) -> Result<T, E>,
        lost: Option<Box<LostOrder<T>>>,
    ) -> Result<T, KeyAttemptError<T, E>> {
        let session = self.database.open_session(TransactionMode::Write);
        let session = match session {
            Ok(session) => session,
            Err((error, interruption)) => return Err(keep_lost(error, interruption, lost)),
        };
        let mut transaction = PostgresKeyTransaction::new(&session);
        let begun = transaction.begin().and_then(|()| match &lost {
            Some(order) => transaction.has_entry(order.head),
            None => Ok(false),
        });
        match (begun, lost) {
            (Err(error), lost) => return Err(keep_lost(error, session.interruption(), lost)),
            (Ok(true), Some(order)) => return Ok(order.value),
            (Ok(_), _) => {}
        }
        let worked = work(&mut transaction);
        let head = transaction.head();
        let value = match (worked, session.interruption()) {
            (Ok(value), None) => value,
            (Err(error), None) => return Err(KeyAttemptError::Failed(error)),
            (_, Some(_)) => {
                let error = StoreError::refused("another change was in the way");
                return Err(KeyAttemptError::Interrupted(error));
            }
        };
        match session.commit() {
            Ok(()) => Ok(value),
            Err(CommitError::RolledBack(error, interruption)) => {
                Err(KeyAttemptError::from_error(error, interruption))
            }
            Err(CommitError::Unknown(error)) => Err(KeyAttemptError::Lost(
                error,
                Box::new(LostOrder { head, value }),
            )),
        }
    }
}

/// An attempt that ended before it could look for a lost commit leaves that lost.
fn keep_lost<T, E: From<StoreError>>(
    error: StoreError,
    interruption: Option<Interruption>,
    lost: Option<Box<LostOrder<T>>>,
) -> KeyAttemptError<T, E> {
    match lost {
        Some(order) => KeyAttemptError::Lost(error, order),
        None => KeyAttemptError::from_error(error, interruption),
    }
}

impl KeyStore for PostgresKeyStore {
    fn find_key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        let found = self.read(&select_keys("id = $1"), values![id.as_str()], |row| {
            read_key(row)
        });
        Ok(found?.pop())
    }

    fn keys(&self, listing: &KeyListing) -> Result<Vec<ApiKeyRecord>> {
        let after = listing.after.as_ref().map_or("", KeyId::as_str);
        let mut values = values![after, bound_page(listing.limit)];
        let wanted = match &listing.reach {
            KeyReach::Server => "id > $1 ORDER BY id LIMIT $2",
            KeyReach::Tenant(own) => {
                values.push(own.as_str().into());
                "tenant = $3 AND id > $1 ORDER BY id LIMIT $2"
            }
        };
        self.read(&select_keys(wanted), values, |row| read_key(row))
    }

    fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM hardwon.api_key
             WHERE revoked_at IS NULL AND (expires IS NULL OR expires > $1))";
        let found = self.read(sql, values![now.as_millisecond()], |row| row.next_flag());
        Ok(found?.contains(&true))
    }

    fn find_tenant(&self, id: &TenantId) -> Result<Option<TenantRecord>> {
        let sql = "SELECT name, created FROM hardwon.served_tenant WHERE name = $1";
        let found = self.read(sql, values![id.as_str()], |row| read_tenant_record(row));
        Ok(found?.pop())
    }

    fn tenants(&self, after: Option<&TenantId>, limit: usize) -> Result<Vec<TenantRecord>> {
        let after = after.map_or("", TenantId::as_str);
        let sql = "SELECT name, created FROM hardwon.served_tenant
             WHERE name > $1 ORDER BY name LIMIT $2";
        self.read(sql, values![after, bound_page(limit)], |row| {
            read_tenant_record(row)
        })
    }

    fn apply(&self, order: &KeyOrder) -> Result<KeyDecision, KeyChangeError> {
        self.write(&|rows| apply_order(rows, order))
    }

    fn note_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        if uses.is_empty() {
            return Ok(());
        }
        self.write(&|rows: &mut PostgresKeyTransaction<'_>| rows.note_uses(uses))
    }

    fn share_secret(&self, name: &str, drawn: [u8; 32]) -> Result<[u8; 32]> {
        let sql = "SELECT bytes FROM hardwon.server_secret WHERE name = $1";
        let find = || self.read(sql, values![name], |row| row.next_hash());
        if let Some(kept) = find()?.pop() {
            return Ok(*kept.as_bytes());
        }
        self.write(&|rows: &mut PostgresKeyTransaction<'_>| rows.add_secret(name, drawn))?;
        // What was kept is what is read: another server may have been faster, and the answer of a commit may be lost.
        let kept = find()?.pop();
        kept.map(|it| *it.as_bytes())
            .ok_or_else(|| StoreError::refused("a secret of the servers could not be kept"))
    }

    fn audit(&self, listing: &AuditListing) -> Result<Vec<AuditEntry>> {
        let mut values = values![to_sql_count(listing.after), bound_page(listing.limit)];
        let wanted = match &listing.reach {
            KeyReach::Server => "sequence > $1 ORDER BY sequence LIMIT $2",
            KeyReach::Tenant(own) => {
                values.push(own.as_str().into());
                "tenant = $3 AND sequence > $1 ORDER BY sequence LIMIT $2"
            }
        };
        self.read(&select_entries(wanted), values, |row| read_audit_entry(row))
    }

    fn audit_head(&self) -> Result<ChainHead> {
        let found = self.read(SELECT_HEAD, Vec::new(), read_head);
        Ok(found?.pop().unwrap_or_else(audit_genesis))
    }
}

fn bound_page(rows: usize) -> i64 {
    to_sql_bound(rows.min(limits::PAGE_ROWS))
}
