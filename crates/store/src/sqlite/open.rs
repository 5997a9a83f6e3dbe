//! Opening the file: to write, or just to read as fast as can be.

use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::{
    index,
    migrate::{self, Marks},
};
use crate::{ErrorKind, Result, StoreError};

/// Statements kept ready; more than the number there are.
const STATEMENTS: usize = 96;
/// Settings of a writer. Learning many lessons comes back to the same pages of the indexes, so some
/// more of them are kept (in KiB) than SQLite would; one that writes little keeps little.
const WRITER: &str = "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; \
     PRAGMA cache_size = -32768";
/// Settings of a reader that asks once: it meets few pages of the file twice, so it keeps few, and
/// reads the next one into memory that it has already been given.
const ONCE: &str = "PRAGMA cache_size = 20";
/// How often a writer asks for the lock before it gives up: some 40 seconds.
const TRIES: i32 = 2_000;

/// Settings that are there for tests and measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// How many words of new lessons a scope holds before they are merged into the index.
    pub fresh_words: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            fresh_words: index::FRESH_WORDS,
        }
    }
}

/// Opens a file to write; makes it or brings it up to date if need be.
pub(super) fn writer(path: &Path, tuning: Tuning) -> Result<Connection> {
    writer_that(wait, path, tuning)
}

/// Opens a file to write for somebody who has no time to wait until others are done.
pub(super) fn hasty_writer(path: &Path, tuning: Tuning) -> Result<Connection> {
    writer_that(wait_briefly, path, tuning)
}

fn writer_that(wait: fn(i32) -> bool, path: &Path, tuning: Tuning) -> Result<Connection> {
    let open = || -> Result<Connection> {
        make_private(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut conn = Connection::open_with_flags(path, flags)?;
        conn.busy_handler(Some(wait))?;
        prepare(&conn)?;
        conn.execute_batch(WRITER)?;
        migrate::up(&mut conn, path, tuning)?;
        Ok(conn)
    };
    open().map_err(|it| it.doing("opening the store").at(path))
}

/// Opens a file that is there to read it.
///
/// SQLite keeps two small files beside a database in use. In a folder where it may not make them
/// the file is read as one that nobody changes, which holds there.
pub(super) fn reader(path: &Path) -> Result<Connection> {
    let open = || -> Result<Connection> {
        if !path.exists() {
            return Err(StoreError::new(
                ErrorKind::NotFound,
                "",
                "there is no store yet",
            ));
        }
        let (conn, marks) = match readable(path) {
            Err(error) if is_about_neighbours(&error) => readable(&unchanging(path))?,
            opened => opened?,
        };
        marks.check_current(&conn)?;
        Ok(conn)
    };
    open().map_err(|it| it.doing("opening the store").at(path))
}

/// Opens a file as [`reader`] does, for somebody who asks once.
pub(super) fn reader_once(path: &Path) -> Result<Connection> {
    let conn = reader(path)?;
    let ready = conn.execute_batch(ONCE).map_err(StoreError::from);
    ready.map_err(|it| it.doing("opening the store").at(path))?;
    Ok(conn)
}

/// Opens a file and reads its marks, which is what shows whether it can be read at all.
fn readable(path: &Path) -> rusqlite::Result<(Connection, Marks)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_handler(Some(wait_briefly))?;
    prepare(&conn)?;
    let marks = Marks::read(&conn)?;
    Ok((conn, marks))
}

/// Keeps statements ready to be used again.
///
/// Without the second setting SQLite would plan a statement anew for every value bound to it,
/// because a partial index might then serve; that takes ten times as long as reading the row.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Returns whether what fails may be the files beside the database.
fn is_about_neighbours(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// Returns the address of a file that nobody changes while it is read.
fn unchanging(path: &Path) -> PathBuf {
    let escaped = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    PathBuf::from(format!("file:{escaped}?immutable=1"))
}

/// Waits for the write lock, longer each time, and not in step with the other processes.
pub(super) fn wait(tries: i32) -> bool {
    let step = match tries {
        0..20 => 1,
        20..200 => 5,
        _ => 20,
    };
    let apart = u64::from(std::process::id()) % 7;
    thread::sleep(Duration::from_micros(step * 1_000 + apart * 150));
    tries < TRIES
}

/// Waits for what a reader may have to wait for: another process tidying up. A reader's time is
/// an agent's time, so it gives up early.
fn wait_briefly(tries: i32) -> bool {
    thread::sleep(Duration::from_millis(1));
    tries < 50
}

/// Makes the file and its folder so that only their owner can read them; leaves what is there.
fn make_private(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        private_folder(folder)?;
    }
    private_file().append(true).open(path).map(drop)
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Returns how a file is made that only its owner can read.
#[cfg(unix)]
pub(super) fn private_file() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = fs::OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

#[cfg(not(unix))]
pub(super) fn private_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.create(true);
    options
}
