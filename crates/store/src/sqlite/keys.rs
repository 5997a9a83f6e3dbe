//! Keys in one SQLite file of their own, beside the lessons.
//!
//! It has one connection behind a lock: keys change seldom, and a server remembers for a while what it found. Many
//! processes may use the file at once. What is read and written is the server's affair.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{copying, durability_pragma, migrate, migrate::FileForm, open, waiting::LockPatience};
use crate::{Durability, ReadRow, ReadRows, Result, RowDatabase, RowWork, Statement, StoreError};

/// A file of keys: `hwke`.
pub(super) const KEYS: FileForm<'_> = FileForm {
    application: 0x6877_6b65,
    schema: &[include_str!("../schema/keys.sql")],
    oldest: 3,
    steps: &[
        include_str!("../schema/keys/0004_no_webhook.sql"),
        include_str!("../schema/keys/0005_one_log.sql"),
    ],
};

/// A file of keys.
#[derive(Debug)]
pub struct SqliteKeyDatabase {
    path: PathBuf,
    conn: Mutex<Connection>,
}

impl SqliteKeyDatabase {
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
        let conn = open().map_err(|error| error.with_action("opening the keys").with_path(path))?;
        Ok(Self {
            path: path.to_owned(),
            conn: Mutex::new(conn),
        })
    }

    /// Makes an empty database of keys in memory, gone when it is dropped.
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
        let result = copying::copy_to_file(&self.lock(), to);
        result.map_err(|error| self.add_context(error, "backing the keys up"))
    }

    /// Locks the connection. A panic in another thread rolled its transaction back.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_context(&self, error: StoreError, action: &'static str) -> StoreError {
        error.with_action(action).with_path(&self.path)
    }
}

impl ReadRows for SqliteKeyDatabase {
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        let result = self.lock().select(statement, read);
        result.map_err(|error| self.add_context(error, "reading the keys"))
    }
}

impl RowDatabase for SqliteKeyDatabase {
    fn write(&self, work: RowWork<'_>) -> Result<()> {
        let result = write(&mut self.lock(), work);
        result.map_err(|error| self.add_context(error, "changing the keys"))
    }
}

fn write(conn: &mut Connection, work: RowWork<'_>) -> Result<()> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    work(&*transaction, false)?;
    Ok(transaction.commit()?)
}
