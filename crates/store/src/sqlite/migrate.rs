//! The form of a file, and migrations to it.
//!
//! The file's header says that it is a store and of which form. An empty file is made by the schema; an older one is copied
//! beside itself and changed by the numbered steps that it lacks; a newer one is left alone. A change of the schema is a
//! new step as well, and a step is never edited.

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
use crate::{Result, StoreError, StoreErrorKind, damaged_error};

/// What a file of ours is.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileForm<'s> {
    /// The application id in its header.
    pub(super) application: i32,
    /// What makes an empty file one of the newest form.
    pub(super) schema: &'s [&'s str],
    /// The oldest form that can be brought up to date.
    pub(super) oldest: usize,
    /// The steps that do so, in order, the first one from the oldest form.
    pub(super) steps: &'s [&'s str],
}

impl FileForm<'_> {
    /// Returns the number of the newest form.
    fn newest(self) -> usize {
        self.oldest + self.steps.len()
    }
}

/// A store of lessons: `hwon`. Forms before the oldest were those of programs that nobody was given.
const LESSONS: FileForm<'_> = FileForm {
    application: 0x6877_6f6e,
    schema: &[include_str!("../schema/lessons.sql"), index::SCHEMA],
    oldest: 10,
    steps: &[
        include_str!("../schema/lessons/0011_shown.sql"),
        include_str!("../schema/lessons/0012_waiting.sql"),
        include_str!("../schema/lessons/0013_no_money.sql"),
    ],
};

/// The application id and version in a database's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FileMarks {
    application: i32,
    version: i32,
}

impl FileMarks {
    /// Reads both in one transaction, because another process may be writing them.
    pub(super) fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let moment = if conn.is_autocommit() {
            Some(conn.unchecked_transaction()?)
        } else {
            None
        };
        let marks = Self {
            application: conn.query_row("PRAGMA application_id", [], |row| row.get(0))?,
            version: conn.query_row("PRAGMA user_version", [], |row| row.get(0))?,
        };
        moment.map_or(Ok(()), rusqlite::Transaction::commit)?;
        Ok(marks)
    }

    /// Returns the marks of a file of the newest form.
    fn of_current(form: FileForm<'_>) -> Self {
        Self {
            application: form.application,
            version: i32::try_from(form.newest()).expect("there are few forms"),
        }
    }

    /// Returns an error unless this is a store of exactly this version.
    pub(super) fn check_current(self, conn: &Connection) -> Result<()> {
        let (kind, what) = match self.find_form(LESSONS)? {
            0 => {
                refuse_foreign(conn)?;
                (StoreErrorKind::NotFound, "there is no database yet")
            }
            form if form < LESSONS.newest() => {
                let message = "an older version wrote it, and it was not brought up to date yet";
                (StoreErrorKind::TooOld, message)
            }
            _ => return Ok(()),
        };
        Err(StoreError::new(kind, "", what))
    }

    /// Returns an error unless this is a store of this version or an older one.
    pub(super) fn check_known(self) -> Result<()> {
        match self.find_form(LESSONS)? {
            0 => Err(damaged_error("the file is empty")),
            _ => Ok(()),
        }
    }

    /// Returns the form of a file that can be brought up to date; 0 for an empty one.
    fn find_form(self, form: FileForm<'_>) -> Result<usize> {
        if self == Self::default() {
            return Ok(0);
        }
        if self.application != form.application {
            return Err(damaged_error("the file is a database of another program"));
        }
        let version =
            usize::try_from(self.version).map_err(|_| damaged_error("its version is negative"))?;
        let describe = |what| format!("{what} (form {version}; this one knows {})", form.newest());
        match version {
            it if it > form.newest() => {
                let message = describe("a newer version of the program wrote it");
                Err(StoreError::new(StoreErrorKind::TooNew, "", message))
            }
            it if it < form.oldest => {
                let message = describe("a trial version of the program wrote it");
                let error = StoreError::new(StoreErrorKind::TooOld, "", message);
                Err(error.with_hint("export its lessons with that program"))
            }
            _ => Ok(version),
        }
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

/// Makes an empty file, or applies the steps that are missing.
pub(super) fn apply_steps(conn: &mut Connection, path: &Path, form: FileForm<'_>) -> Result<()> {
    let version = FileMarks::read(conn)?.find_form(form)?;
    if version == 0 {
        refuse_foreign(conn)?;
    }
    enable_wal(conn)?;
    if version == form.newest() {
        return Ok(());
    }
    // One in memory is a copy itself.
    if version > 0 && path.exists() {
        copying::copy_to_file(conn, &backup_path(path, version))?;
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let missing = match FileMarks::read(&transaction)?.find_form(form)? {
        0 => form.schema,
        version => &form.steps[version - form.oldest..],
    };
    for step in missing {
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
    let foreign =
        "SELECT count(*) > 0 AND total(name IN ('tenant', 'served_tenant')) = 0 FROM sqlite_schema";
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
