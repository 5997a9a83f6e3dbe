//! Keys, tenants and the log of both, in the same database as the lessons.
//!
//! A key is found by one statement and one wait. Who changes keys locks one row first, so changes take place one after
//! another. Nothing here belongs to a tenant, so no policy of row-level security stands before these tables: a key is
//! looked up before anybody knows whose it is. What is read and written is in `hardwon_store::keys`.

use std::{path::Path, sync::Arc, thread};

use hardwon_store::{
    Result, StoreError,
    keys::{KeyChangeError, KeyDatabase, KeyReader, KeyTransaction, KeyWork, ReadRow},
    rows::ColumnValue,
};
use tokio_postgres::Row;

use crate::{
    database::Database,
    errors::{Interruption, exhausted_error},
    session::{CommitError, Request, Session, TenantKey, TransactionMode},
    transact::{RETRIES, draw_pause, lost_error},
    values::{RowColumns, SqlValue},
};

/// The tables of keys in one database.
pub(crate) struct PostgresKeyDatabase {
    database: Arc<Database>,
}

impl std::fmt::Debug for PostgresKeyDatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresKeyDatabase")
            .field("server", &self.database.server)
            .finish_non_exhaustive()
    }
}

/// How an attempt to write ended, if not well.
enum KeyAttemptError {
    /// The same would fail again.
    Failed(KeyChangeError),
    /// Nothing was committed, and the same may succeed.
    Interrupted(StoreError),
    /// It may have been committed.
    Lost(StoreError),
}

impl KeyAttemptError {
    fn from_error(error: StoreError, interruption: Option<Interruption>) -> Self {
        match interruption {
            Some(_) => Self::Interrupted(error),
            None => Self::Failed(error.into()),
        }
    }
}

impl PostgresKeyDatabase {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    fn add_context(&self, error: StoreError, action: &'static str) -> StoreError {
        error
            .with_action(action)
            .with_path(Path::new(&self.database.server))
    }

    fn attempt(&self, work: KeyWork<'_>, is_lost: bool) -> Result<(), KeyAttemptError> {
        // What ends before it can be looked for a lost commit leaves that lost.
        let not_begun = |error, why| {
            if is_lost {
                KeyAttemptError::Lost(error)
            } else {
                KeyAttemptError::from_error(error, why)
            }
        };
        let session = self.database.open_session(TransactionMode::Write);
        let session = session.map_err(|(error, why)| not_begun(error, why))?;
        lock_keys(&session).map_err(|error| not_begun(error, session.interruption()))?;
        let worked = work(&session, is_lost);
        match (worked, session.interruption()) {
            (Ok(()), None) => {}
            (Err(error), None) => return Err(KeyAttemptError::Failed(error)),
            (_, Some(_)) => {
                let error = StoreError::refused("another change was in the way");
                return Err(KeyAttemptError::Interrupted(error));
            }
        }
        session.commit().map_err(|error| match error {
            CommitError::RolledBack(error, why) => KeyAttemptError::from_error(error, why),
            CommitError::Unknown(error) => KeyAttemptError::Lost(error),
        })
    }
}

/// Waits until nobody else changes keys.
fn lock_keys(session: &Session<'_>) -> Result<()> {
    let insert = "INSERT INTO hardwon.key_lock (id) VALUES (1) ON CONFLICT (id) DO NOTHING";
    let lock = "SELECT id FROM hardwon.key_lock WHERE id = 1 FOR UPDATE";
    let requests = [insert, lock].map(|sql| Request::new(sql, Vec::new()));
    session.query_all(TenantKey::NOBODY, requests.into())?;
    Ok(())
}

fn convert_values(values: &[ColumnValue<'_>]) -> Vec<SqlValue> {
    values.iter().cloned().map(SqlValue::from).collect()
}

fn read_rows(rows: &[Row], read: ReadRow<'_>) -> Result<()> {
    rows.iter()
        .try_for_each(|row| read(&mut RowColumns::new(row)))
}

impl KeyReader for PostgresKeyDatabase {
    fn select(&self, sql: &str, values: &[ColumnValue<'_>], read: ReadRow<'_>) -> Result<()> {
        let rows = self.database.read(sql, &convert_values(values));
        let selected = rows.and_then(|rows| read_rows(&rows, read));
        selected.map_err(|error| self.add_context(error, "reading the keys"))
    }
}

impl KeyReader for Session<'_> {
    fn select(&self, sql: &str, values: &[ColumnValue<'_>], read: ReadRow<'_>) -> Result<()> {
        let values = convert_values(values);
        read_rows(
            &self.query(TenantKey::NOBODY, sql.to_owned(), values)?,
            read,
        )
    }
}

impl KeyTransaction for Session<'_> {
    fn execute(&self, sql: &str, values: &[ColumnValue<'_>]) -> Result<()> {
        self.queue(TenantKey::NOBODY, sql.to_owned(), convert_values(values))
    }
}

impl KeyDatabase for PostgresKeyDatabase {
    fn write(&self, work: KeyWork<'_>) -> Result<(), KeyChangeError> {
        let mut is_lost = false;
        let mut retries = 0;
        loop {
            let error = match self.attempt(work, is_lost) {
                Ok(()) => return Ok(()),
                Err(KeyAttemptError::Failed(error)) => return Err(error),
                Err(KeyAttemptError::Interrupted(error)) => error,
                Err(KeyAttemptError::Lost(error)) => {
                    is_lost = true;
                    error
                }
            };
            if retries == RETRIES {
                let tell = if is_lost { lost_error } else { exhausted_error };
                return Err(self.add_context(tell(error), "changing the keys").into());
            }
            thread::sleep(draw_pause(retries));
            retries += 1;
        }
    }
}
