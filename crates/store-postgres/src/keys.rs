//! Keys, tenants and the log of both, in the same database as the lessons.
//!
//! A key is found by one statement and one wait. Who changes keys locks one row first, so changes take place one after
//! another. Nothing here belongs to a tenant, so no policy of row-level security stands before these tables: a key is
//! looked up before anybody knows whose it is. What is read and written is the server's affair.

use std::sync::Arc;

use hardwon_store::{ReadRow, ReadRows, Result, RowDatabase, RowWork, Statement, StoreError};

use crate::{
    database::Database,
    session::{Request, Session, TenantKey, TransactionMode},
    transact::{AttemptError, repeat_attempts},
    values::{convert_values, read_rows},
};

type KeyAttemptError = AttemptError<StoreError>;

/// The tables of keys in one database.
#[derive(Debug)]
pub struct PostgresKeyDatabase {
    database: Arc<Database>,
}

impl PostgresKeyDatabase {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    fn attempt(&self, work: RowWork<'_>, is_lost: bool) -> Result<(), KeyAttemptError> {
        let not_begun = |error, why| KeyAttemptError::before_looking(error, why, is_lost);
        let session = self.database.open_session(TransactionMode::Write);
        let session = session.map_err(|(error, why)| not_begun(error, why))?;
        lock_keys(&session).map_err(|error| not_begun(error, session.interruption()))?;
        let result = work(&session, is_lost);
        if session.interruption().is_some() {
            let error = StoreError::refused("another change was in the way");
            return Err(KeyAttemptError::Interrupted(error));
        }
        result.map_err(KeyAttemptError::Failed)?;
        session.commit().map_err(KeyAttemptError::from_commit)
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

impl ReadRows for PostgresKeyDatabase {
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        let rows = self
            .database
            .read(&statement.sql, &convert_values(statement.values));
        let result = rows.and_then(|rows| read_rows(&rows, read));
        result.map_err(|error| self.database.add_context(error, "reading the keys"))
    }
}

impl RowDatabase for PostgresKeyDatabase {
    fn write(&self, work: RowWork<'_>) -> Result<()> {
        let mut is_lost = false;
        let result = repeat_attempts(|| {
            let attempt = self.attempt(work, is_lost);
            is_lost |= matches!(attempt, Err(KeyAttemptError::Lost(_)));
            attempt
        });
        result.map_err(|error| match error {
            KeyAttemptError::Failed(error)
            | KeyAttemptError::Interrupted(error)
            | KeyAttemptError::Lost(error) => self.database.add_context(error, "changing the keys"),
        })
    }
}
