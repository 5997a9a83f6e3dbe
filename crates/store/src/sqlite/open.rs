//! Opens the file: to write, or only to read as fast as possible.

use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, config::DbConfig};

use super::{
    backup, index,
    migrate::{self, FileMarks},
};
use crate::{Result, StoreError, StoreErrorKind};

/// Prepared statements kept; more than the code has.
const STATEMENT_CACHE_SIZE: usize = 96;
/// Settings of a writer. Learning many lessons returns to the same index pages, so more of them are cached (in KiB)
/// than by SQLite's default; a connection that writes little caches little.
const WRITER_PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; \
     PRAGMA cache_size = -32768";
/// Settings of a reader that reads once: it reads few pages twice, so it caches few, and reuses their memory for the
/// next ones.
const READ_ONCE_PRAGMAS: &str = "PRAGMA cache_size = 20";
/// How often a writer tries to take the lock before it gives up: some 40 seconds.
const LOCK_TRIES: i32 = 8_000;

/// How long a connection waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockPatience {
    /// A command, which has time: 40 seconds.
    Command,
    /// A hook that writes while an agent waits for it: 250 milliseconds.
    Hook,
    /// A reader, which only ever waits for another process that is cleaning up. An agent waits for it: 50 milliseconds.
    Reader,
}

impl LockPatience {
    /// Returns the longest wait.
    pub(super) fn duration(self) -> Duration {
        match self {
            Self::Command => Duration::from_secs(40),
            Self::Hook => Duration::from_millis(250),
            Self::Reader => Duration::from_millis(50),
        }
    }

    /// Returns a busy handler: it sleeps a moment, and returns whether to try the lock again.
    pub(super) fn busy_handler(self) -> fn(i32) -> bool {
        match self {
            Self::Command => wait_for_lock,
            Self::Hook => |tries| wait_a_millisecond(tries, Self::Hook),
            Self::Reader => |tries| wait_a_millisecond(tries, Self::Reader),
        }
    }
}

/// Tuning of the text index, for tests and measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexTuning {
    /// How many words of new lessons a scope holds before they are merged into the index.
    pub fresh_words: u32,
}

impl Default for IndexTuning {
    fn default() -> Self {
        Self {
            fresh_words: index::FRESH_WORDS,
        }
    }
}

/// Opens a file to write; creates or migrates it if needed.
pub(super) fn open_writer(
    path: &Path,
    tuning: IndexTuning,
    patience: LockPatience,
) -> Result<Connection> {
    let open = || -> Result<Connection> {
        create_private_file(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut conn = Connection::open_with_flags(path, flags)?;
        if conn.is_readonly(MAIN_DB)? {
            // SQLite opens a file that cannot be written all the same, to read it.
            let what = "the file or its folder is read-only";
            return Err(StoreError::new(StoreErrorKind::ReadOnly, "", what));
        }
        conn.busy_handler(Some(patience.busy_handler()))?;
        configure_statements(&conn)?;
        conn.execute_batch(WRITER_PRAGMAS)?;
        migrate::migrate_to_current(&mut conn, path, tuning)?;
        Ok(conn)
    };
    open().map_err(|it| it.with_action("opening the database").with_path(path))
}

/// Opens an existing file to read it.
///
/// SQLite keeps two small files beside a database in use. In a folder where it cannot create them, the file is read as
/// one that nothing changes, which is true there.
pub(super) fn open_reader(path: &Path) -> Result<Connection> {
    let open = || -> Result<Connection> {
        if !path.exists() {
            return Err(StoreError::new(
                StoreErrorKind::NotFound,
                "",
                "there is no database yet",
            ));
        }
        refuse_device(path)?;
        let (conn, marks) = match open_readable(path) {
            Err(error) if may_be_sidecar_failure(&error) => open_readable(&immutable_uri(path))?,
            opened => opened?,
        };
        marks.check_current(&conn)?;
        Ok(conn)
    };
    open().map_err(|it| it.with_action("opening the database").with_path(path))
}

/// The path of a store that is in no file: its folder does not exist, so no recall is spooled there and no writer
/// queues up.
pub(super) const MEMORY_PATH: &str = "a copy in memory/hardwon.db";

/// Copies an existing file into memory, to write to the copy.
pub(super) fn open_memory_copy(path: &Path) -> Result<Connection> {
    let source = open_reader(path)?;
    let copy = || -> Result<Connection> {
        let mut conn = Connection::open_in_memory()?;
        backup::copy_pages(&source, &mut conn)?;
        configure_statements(&conn)?;
        conn.execute_batch(WRITER_PRAGMAS)?;
        Ok(conn)
    };
    copy().map_err(|it| it.with_action("copying the store").with_path(path))
}

/// Opens a file as [`open_reader`] does, for a process that reads once.
pub(super) fn open_reader_once(path: &Path) -> Result<Connection> {
    let conn = open_reader(path)?;
    let ready = conn
        .execute_batch(READ_ONCE_PRAGMAS)
        .map_err(StoreError::from);
    ready.map_err(|it| it.with_action("opening the database").with_path(path))?;
    Ok(conn)
}

/// Rejects a pipe, a socket or a device: opening one may block for ever.
pub(super) fn refuse_device(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    match kind.is_file() || kind.is_dir() {
        true => Ok(()),
        false => Err(io::Error::other(
            "it is a pipe, a socket or a device, not a file",
        )),
    }
}

/// Opens a file and reads its header, which shows whether it can be read at all.
fn open_readable(path: &Path) -> rusqlite::Result<(Connection, FileMarks)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_handler(Some(LockPatience::Reader.busy_handler()))?;
    configure_statements(&conn)?;
    let marks = FileMarks::read(&conn)?;
    Ok((conn, marks))
}

/// Keeps prepared statements for reuse.
///
/// Without the second setting SQLite would plan a statement again for every value bound to it, because a partial index
/// might then serve; that takes ten times as long as reading the row.
fn configure_statements(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Returns whether the files beside the database may have caused this error.
fn may_be_sidecar_failure(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// Returns the URI of a file that does not change while it is read.
fn immutable_uri(path: &Path) -> PathBuf {
    let escaped = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    PathBuf::from(format!("file:{escaped}?immutable=1"))
}

/// Sleeps before the next try for the write lock, longer each time. A writer mostly waits alone (see
/// [`turn`](super::turn)), so asking often costs little.
pub(super) fn wait_for_lock(tries: i32) -> bool {
    thread::sleep(Duration::from_micros(match tries {
        0..20 => 100,
        20..200 => 500,
        _ => 5_000,
    }));
    tries < LOCK_TRIES
}

fn wait_a_millisecond(tries: i32, patience: LockPatience) -> bool {
    thread::sleep(Duration::from_millis(1));
    u128::try_from(tries).is_ok_and(|tries| tries < patience.duration().as_millis())
}

/// Creates the file and its folder, readable by their owner only; leaves an existing file as it is.
fn create_private_file(path: &Path) -> io::Result<()> {
    if path.exists() {
        return refuse_device(path);
    }
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        create_private_folder(folder)?;
    }
    private_file_options().append(true).open(path).map(drop)
}

#[cfg(unix)]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Returns the options to create a file that only its owner can read.
#[cfg(unix)]
pub(super) fn private_file_options() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = fs::OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

#[cfg(not(unix))]
pub(super) fn private_file_options() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.create(true);
    options
}
