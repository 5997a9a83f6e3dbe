//! Backup, restore and integrity check of the file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    copying::{append_to_name, copy_to_file},
    migrate::FileMarks,
};
use crate::{
    Result, SqliteStore, StoreError, StoreErrorKind, damaged_error, regular_file::check_regular,
};

/// What taking a backup back did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreOutcome {
    /// Path of the store that was there before, if there was one.
    pub previous: Option<PathBuf>,
}

/// Checks a file, and returns the problems found, in words for a person.
pub(super) fn find_problems(conn: &Connection) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for look in [check_pages, check_references] {
        match look(conn) {
            Ok(found) => problems.extend(found),
            // Too damaged to be checked.
            Err(error) if error.kind() == StoreErrorKind::Damaged => {
                problems.push(error.message().to_owned());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}

fn check_pages(conn: &Connection) -> Result<Vec<String>> {
    let mut select = conn.prepare("PRAGMA quick_check(20)")?;
    let lines = select.query_map([], |row| row.get(0))?;
    let mut lines = lines.collect::<rusqlite::Result<Vec<String>>>()?;
    lines.retain(|line| line != "ok");
    Ok(lines)
}

fn check_references(conn: &Connection) -> Result<Vec<String>> {
    let mut select = conn.prepare("PRAGMA foreign_key_check")?;
    let line = |row: &rusqlite::Row<'_>| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        Ok(format!(
            "a row of {table} belongs to a {parent} that is not there"
        ))
    };
    let lines = select.query_map([], line)?;
    Ok(lines.take(20).collect::<rusqlite::Result<_>>()?)
}

/// Restores a backup over a store.
///
/// The backup is checked first, and nothing happens if it is damaged. The existing store is kept beside it under
/// another name. A store that can be read is replaced from inside, in one transaction, so that others may have it open;
/// one that cannot is moved away.
///
/// # Errors
///
/// `NotFound` or `Damaged` if the backup is missing or unusable, and as [`SqliteStore::open`].
pub fn restore_backup(path: &Path, from: &Path) -> Result<RestoreOutcome> {
    let source = open_verified(from).map_err(|entry| {
        let error = entry.with_action("restoring a backup").with_path(from);
        error.with_hint("name a file that a backup made")
    })?;
    let replace = || -> Result<RestoreOutcome> {
        if path.exists() {
            return replace_store(path, &source);
        }
        drop(SqliteStore::open(path)?);
        SqliteStore::open(path)?.replace_contents(&source)?;
        Ok(RestoreOutcome { previous: None })
    };
    let report =
        replace().map_err(|replace| replace.with_action("restoring a backup").with_path(path))?;
    // Opening it migrates an older backup and sets any up for use.
    drop(SqliteStore::open(path)?);
    Ok(report)
}

/// Replaces an existing store with a backup, and keeps the existing one under another name.
fn replace_store(path: &Path, source: &Connection) -> Result<RestoreOutcome> {
    let before = match SqliteStore::open(path) {
        Ok(store) => {
            let before = find_free_name(path, "before-restore");
            store.backup(&before)?;
            store.replace_contents(source)?;
            before
        }
        // It is intact, and others may have it open.
        Err(error)
            if matches!(
                error.kind(),
                StoreErrorKind::Busy | StoreErrorKind::ReadOnly
            ) =>
        {
            return Err(error);
        }
        Err(_) => {
            let before = move_away(path)?;
            copy_to_file(source, path)?;
            before
        }
    };
    Ok(RestoreOutcome {
        previous: Some(before),
    })
}

/// Opens a backup and checks it.
fn open_verified(from: &Path) -> Result<Connection> {
    if !from.exists() {
        return Err(StoreError::new(
            StoreErrorKind::NotFound,
            "",
            "there is no such file",
        ));
    }
    check_regular(from)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(from, flags)?;
    FileMarks::read(&conn)?.check_known()?;
    match find_problems(&conn)?.first() {
        Some(problem) => Err(damaged_error(format!("the backup is damaged ({problem})"))),
        None => Ok(conn),
    }
}

/// Moves an unreadable store out of the way, with its log files.
fn move_away(path: &Path) -> Result<PathBuf> {
    let before = find_free_name(path, "damaged");
    fs::rename(path, &before)?;
    for end in ["-wal", "-shm"] {
        let neighbour = append_to_name(path, end);
        if neighbour.exists() {
            fs::rename(neighbour, append_to_name(&before, end))?;
        }
    }
    Ok(before)
}

/// Returns an unused file name beside the store.
fn find_free_name(path: &Path, what: &str) -> PathBuf {
    let mut number = 1;
    loop {
        let name = append_to_name(path, &format!(".{what}-{number}"));
        if !name.exists() {
            return name;
        }
        number += 1;
    }
}
