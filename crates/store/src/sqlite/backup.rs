//! Backup, restore and integrity check of the file.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, backup::Backup};

use super::{
    SqliteStore,
    errors::damaged_error,
    migrate::FileMarks,
    open::{private_file_options, refuse_device},
};
use crate::{Result, StoreError, StoreErrorKind};

/// Pages copied in one step: all, because a copy starts over when another process writes between steps, and readers of
/// one state do not keep others from writing.
const PAGES_PER_STEP: i32 = i32::MAX;
/// How long to wait before a step is retried because another process is writing.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// The result of restoring a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreOutcome {
    /// Path of the store that was there before, if there was one.
    pub previous: Option<PathBuf>,
}

/// Copies a database, complete and consistent, to a file that appears only when it is whole.
pub(super) fn copy_to_file(conn: &Connection, to: &Path) -> Result<()> {
    let draft = append_to_name(to, &format!(".{}.part", std::process::id()));
    let outcome = copy_into(conn, &draft).and_then(|()| Ok(fs::rename(&draft, to)?));
    if outcome.is_err() {
        drop(fs::remove_file(&draft));
    }
    outcome.map_err(|it| it.with_path(to))?;
    sync_folder(to);
    Ok(())
}

fn copy_into(conn: &Connection, draft: &Path) -> Result<()> {
    drop(
        private_file_options()
            .write(true)
            .truncate(true)
            .open(draft)?,
    );
    let mut target = Connection::open(draft)?;
    copy_pages(conn, &mut target)?;
    // A copy is one file: none of it may stay in a log beside it.
    target.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    drop(target);
    File::open(draft)?.sync_all()?;
    Ok(())
}

pub(super) fn copy_pages(from: &Connection, to: &mut Connection) -> Result<()> {
    let backup = Backup::new(from, to)?;
    backup.run_to_completion(PAGES_PER_STEP, RETRY_PAUSE, None)?;
    Ok(())
}

/// Makes a rename durable. Best effort: not every system can.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    drop(File::open(folder.unwrap_or(Path::new("."))).and_then(|it| it.sync_all()));
}

/// Returns a path with a suffix added to its file name.
fn append_to_name(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
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
    let source = open_verified(from).map_err(|it| {
        let error = it.with_action("restoring a backup").with_path(from);
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
    let restored = replace().map_err(|it| it.with_action("restoring a backup").with_path(path))?;
    // Opening it migrates an older backup and sets any up for use.
    drop(SqliteStore::open(path)?);
    Ok(restored)
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
    refuse_device(from)?;
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
