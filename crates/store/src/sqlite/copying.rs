//! Copies one database into another, whole and consistent.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, backup::Backup};

use crate::{Result, private_file};

/// Pages copied in one step: all, because a copy starts over when another process writes between steps, and readers of
/// one state do not keep others from writing.
const PAGES_PER_STEP: i32 = i32::MAX;
/// How long to wait before a step is retried because another process is writing.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Copies a database, complete and consistent, to a file that appears only when it is whole.
pub(super) fn copy_to_file(conn: &Connection, to: &Path) -> Result<()> {
    let draft = append_to_name(to, &format!(".{}.part", std::process::id()));
    let outcome = copy_into(conn, &draft).and_then(|()| Ok(fs::rename(&draft, to)?));
    if outcome.is_err() {
        drop(fs::remove_file(&draft));
    }
    outcome.map_err(|outcome| outcome.with_path(to))?;
    sync_folder(to);
    Ok(())
}

fn copy_into(conn: &Connection, draft: &Path) -> Result<()> {
    private_file::create_options()
        .write(true)
        .truncate(true)
        .open(draft)?;
    let mut target = Connection::open(draft)?;
    copy_pages(conn, &mut target)?;
    // A copy is one file: none of it may stay in a log beside it.
    target.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    drop(target);
    // Windows has only those write a file through who may write to it.
    File::options().write(true).open(draft)?.sync_all()?;
    Ok(())
}

pub(super) fn copy_pages(from: &Connection, to: &mut Connection) -> Result<()> {
    let backup = Backup::new(from, to)?;
    backup.run_to_completion(PAGES_PER_STEP, RETRY_PAUSE, None)?;
    Ok(())
}

/// Makes a rename durable. Best effort: not every system can.
fn sync_folder(path: &Path) {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    drop(File::open(folder.unwrap_or(Path::new("."))).and_then(|file| file.sync_all()));
}

/// Returns a path with something appended to its name.
pub(super) fn append_to_name(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}
