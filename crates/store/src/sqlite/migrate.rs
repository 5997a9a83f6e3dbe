//! Migrations of a file: numbered steps, each in `schema/sqlite` or, for the file of keys, in `schema/keys`.
//!
//! The file's header says that it is a store and how many steps were applied. An older file is copied beside itself
//! before it is changed; a newer one is left alone. A released step is never edited: changes come as a new step.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::{
    copying,
    index::{self, IndexTuning},
    rules, waiting,
};
use crate::{Result, StoreError, StoreErrorKind, error::damaged_error};

/// What a file of ours is: the application id in its header, and its steps in order, the first one from an empty file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileForm<'s> {
    pub(super) application: i32,
    pub(super) steps: &'s [&'s str],
}

/// A store of lessons: `hwon`.
const LESSONS: FileForm<'_> = FileForm {
    application: 0x6877_6f6e,
    steps: LESSON_STEPS,
};

const LESSON_STEPS: &[&str] = &[
    include_str!("../schema/sqlite/0001_init.sql"),
    index::SCHEMA,
    include_str!("../schema/sqlite/0003_proven.sql"),
    include_str!("../schema/sqlite/0004_history.sql"),
    include_str!("../schema/sqlite/0005_queue.sql"),
    include_str!("../schema/sqlite/0006_credit.sql"),
    include_str!("../schema/sqlite/0007_vector.sql"),
    include_str!("../schema/sqlite/0008_story.sql"),
    include_str!("../schema/sqlite/0009_spools.sql"),
    include_str!("../schema/sqlite/0010_answers.sql"),
    include_str!("../schema/sqlite/0011_shown.sql"),
];

/// The application id and version in a database's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FileMarks {
    application: i32,
    version: i32,
}

impl FileMarks {
    /// Reads both in one transaction, because another process may be writing them.
    pub(super) fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let moment = match conn.is_autocommit() {
            true => Some(conn.unchecked_transaction()?),
            false => None,
        };
        let marks = Self {
            application: conn.query_row("PRAGMA application_id", [], |row| row.get(0))?,
            version: conn.query_row("PRAGMA user_version", [], |row| row.get(0))?,
        };
        moment.map_or(Ok(()), rusqlite::Transaction::commit)?;
        Ok(marks)
    }

    /// Returns the marks of a file to which every step was applied.
    fn of_current(form: FileForm<'_>) -> Self {
        Self {
            application: form.application,
            version: i32::try_from(form.steps.len()).expect("there are few steps"),
        }
    }

    /// Returns an error unless this is a store of exactly this version.
    pub(super) fn check_current(self, conn: &Connection) -> Result<()> {
        let (kind, what) = match self.count_steps_done(LESSONS)? {
            0 => {
                refuse_foreign(conn)?;
                (StoreErrorKind::NotFound, "there is no database yet")
            }
            done if done < LESSONS.steps.len() => {
                let what = "an older version wrote it, and it was not brought up to date yet";
                (StoreErrorKind::TooOld, what)
            }
            _ => return Ok(()),
        };
        Err(StoreError::new(kind, "", what))
    }

    /// Returns an error unless this is a store of this version or an older one.
    pub(super) fn check_known(self) -> Result<()> {
        match self.count_steps_done(LESSONS)? {
            0 => Err(damaged_error("the file is empty")),
            _ => Ok(()),
        }
    }

    /// Returns how many of the steps were applied; none to an empty file.
    fn count_steps_done(self, form: FileForm<'_>) -> Result<usize> {
        let is_empty = self == Self::default();
        if self.application != form.application && !is_empty {
            return Err(damaged_error("the file is a database of another program"));
        }
        let done =
            usize::try_from(self.version).map_err(|_| damaged_error("its version is negative"))?;
        if done > form.steps.len() {
            let (newest, what) = (form.steps.len(), "a newer version of the program wrote it");
            let what = format!("{what} (form {done}; this one knows {newest})");
            return Err(StoreError::new(StoreErrorKind::TooNew, "", what));
        }
        Ok(done)
    }
}

/// Migrates a file, and rebuilds its keys and terms if the rules for them changed.
pub(super) fn migrate_to_current(
    conn: &mut Connection,
    path: &Path,
    tuning: IndexTuning,
) -> Result<()> {
    apply_steps(conn, path, LESSONS)?;
    if !rules::has_current_rules(conn)? {
        let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        rules::rebuild_derived(&transaction, tuning)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Applies the steps that are missing.
pub(super) fn apply_steps(conn: &mut Connection, path: &Path, form: FileForm<'_>) -> Result<()> {
    let done = FileMarks::read(conn)?.count_steps_done(form)?;
    if done == 0 {
        refuse_foreign(conn)?;
    }
    enable_wal(conn)?;
    if done == form.steps.len() {
        return Ok(());
    }
    if done > 0 {
        copying::copy_to_file(conn, &backup_path(path, done))?;
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let done = FileMarks::read(&transaction)?.count_steps_done(form)?;
    for step in &form.steps[done..] {
        transaction.execute_batch(step)?;
    }
    let marks = FileMarks::of_current(form);
    transaction.pragma_update(None, "application_id", marks.application)?;
    transaction.pragma_update(None, "user_version", marks.version)?;
    transaction.commit()?;
    // A step may have written every lesson, and the next reader would index all of that log. If another process has the
    // file open just now, the next writer does it.
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// Returns the path for the backup of an older file.
fn backup_path(path: &Path, version: usize) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".form{version}.backup"));
    PathBuf::from(name)
}

/// Rejects a database that has tables and no application id. A store that another process is creating at this moment
/// may look like one, but has our tables.
fn refuse_foreign(conn: &Connection) -> Result<()> {
    let foreign = "SELECT count(*) > 0 AND total(name = 'tenant') = 0 FROM sqlite_schema";
    if conn.query_row(foreign, [], |row| row.get(0))? {
        return Err(damaged_error("the file is a database of another program"));
    }
    Ok(())
}

/// Lets many read while one writes. The file keeps this setting; a copy of it does not.
fn enable_wal(conn: &Connection) -> Result<()> {
    let mode: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    let mut tries = 0;
    loop {
        match conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
            // SQLite does not wait for this lock by itself.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && waiting::wait_for_lock(tries) =>
            {
                tries += 1;
            }
            outcome => return Ok(outcome?),
        }
    }
}

#[cfg(test)]
mod tests;
