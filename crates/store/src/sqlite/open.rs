//! Opens the file: to write, or only to read as fast as possible.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process,
};

use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, config::DbConfig};

use super::{
    backup, copying,
    index::IndexTuning,
    migrate::{self, FileMarks},
    waiting::LockPatience,
};
use crate::{
    Result, StoreError, StoreErrorKind, damaged_error, private_file, regular_file::check_regular,
};

/// Prepared statements kept; more than the code has.
const STATEMENT_CACHE_SIZE: usize = 96;
/// Settings of a writer. Learning many lessons returns to the same index pages, so more of them are cached (in KiB)
/// than by SQLite's default; a connection that writes little caches little.
const WRITER_PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; \
     PRAGMA cache_size = -32768";
/// Settings of a reader that reads once: it reads few pages twice, so it caches few, and reuses their memory for the
/// next ones.
const READ_ONCE_PRAGMAS: &str = "PRAGMA cache_size = 20";
/// Opens a file to write; creates or migrates it if needed.
pub(super) fn open_writer(
    path: &Path,
    tuning: IndexTuning,
    patience: LockPatience,
) -> Result<Connection> {
    let open = || -> Result<Connection> {
        if !path.exists() {
            // Where that fails it is made in its place, and if that fails too, that says why.
            drop(place_whole_file(path, tuning));
        }
        let mut conn = open_writable(path, patience)?;
        migrate::migrate_to_current(&mut conn, path, tuning)?;
        Ok(conn)
    };
    open().map_err(|open| open.with_action("opening the database").with_path(path))
}

/// Makes an empty store beside its place and puts it there whole: many processes may open a new one at once, and none of
/// them waits until another one has made it.
fn place_whole_file(path: &Path, tuning: IndexTuning) -> Result<()> {
    let draft = copying::append_to_name(path, &format!(".{}.part", process::id()));
    private_file::open(
        private_file::create_options().write(true).create_new(true),
        &draft,
    )?;
    let result = make_file(&draft, tuning).and_then(|()| Ok(fs::hard_link(&draft, path)?));
    drop(fs::remove_file(&draft));
    result
}

fn make_file(draft: &Path, tuning: IndexTuning) -> Result<()> {
    let mut conn = open_writable(draft, LockPatience::Command)?;
    conn.execute_batch("PRAGMA synchronous = OFF")?;
    migrate::migrate_to_current(&mut conn, draft, tuning)?;
    conn.close().map_err(|(_, error)| error)?;
    File::options().write(true).open(draft)?.sync_all()?;
    Ok(())
}

/// Opens a file to write, whatever it holds; creates an empty one if there is none.
pub(super) fn open_writable(path: &Path, patience: LockPatience) -> Result<Connection> {
    if path.exists() {
        check_regular(path)?;
    } else {
        private_file::open(private_file::create_options().append(true), path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    if conn.is_readonly(MAIN_DB)? {
        // SQLite opens a file that cannot be written all the same, to read it.
        let message = "the file or its folder is read-only";
        return Err(StoreError::new(StoreErrorKind::ReadOnly, "", message));
    }
    conn.busy_handler(Some(patience.busy_handler()))?;
    configure_statements(&conn)?;
    conn.execute_batch(WRITER_PRAGMAS)?;
    Ok(conn)
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
        check_regular(path)?;
        let (conn, marks) = match open_readable(path) {
            Err(error) if may_be_sidecar_failure(&error) => open_readable(&immutable_uri(path))?,
            opened => opened?,
        };
        marks.check_current(&conn)?;
        Ok(conn)
    };
    open().map_err(|open| open.with_action("opening the database").with_path(path))
}

/// The path of a store that is in no file: its folder does not exist, so no recall is spooled there and no writer
/// queues up.
pub(super) const MEMORY_PATH: &str = "in memory/hardwon.db";

/// Makes an empty database in memory.
pub(super) fn open_empty_memory(tuning: IndexTuning) -> Result<Connection> {
    let open = || -> Result<Connection> {
        let mut conn = Connection::open_in_memory()?;
        configure_statements(&conn)?;
        conn.execute_batch(WRITER_PRAGMAS)?;
        migrate::migrate_to_current(&mut conn, Path::new(MEMORY_PATH), tuning)?;
        Ok(conn)
    };
    open().map_err(|open| open.with_action("making a store in memory"))
}

/// Copies an existing file into memory, to write to the copy.
pub(super) fn open_memory_copy(path: &Path) -> Result<Connection> {
    let copy = copy_into_memory(&open_reader(path)?);
    copy.map_err(|copy| copy.with_action("copying the store").with_path(path))
}

/// Copies a file that came from elsewhere into memory, checks it there and brings it up to date.
pub(super) fn open_received(path: &Path) -> Result<Connection> {
    let open = || -> Result<Connection> {
        check_regular(path)?;
        let (source, marks) = open_readable(path)?;
        marks.check_known()?;
        let mut conn = copy_into_memory(&source)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // Nothing of ours has any: what is done to the lessons would do something else as well.
        let is_plain =
            "SELECT total(type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%') = 0
                        FROM sqlite_schema";
        let problem = if conn.query_row(is_plain, [], |row| row.get(0))? {
            backup::find_problems(&conn)?.pop()
        } else {
            Some("it does more than hold lessons".to_owned())
        };
        if let Some(problem) = problem {
            return Err(damaged_error(problem));
        }
        migrate::migrate_to_current(&mut conn, Path::new(MEMORY_PATH), IndexTuning::default())?;
        Ok(conn)
    };
    open().map_err(|open| open.with_action("reading a replica"))
}

fn copy_into_memory(source: &Connection) -> Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    copying::copy_pages(source, &mut conn)?;
    configure_statements(&conn)?;
    conn.execute_batch(WRITER_PRAGMAS)?;
    Ok(conn)
}

/// Opens a file as [`open_reader`] does, for a process that reads once.
pub(super) fn open_reader_once(path: &Path) -> Result<Connection> {
    let conn = open_reader(path)?;
    let ready = conn
        .execute_batch(READ_ONCE_PRAGMAS)
        .map_err(StoreError::from);
    ready.map_err(|ready| ready.with_action("opening the database").with_path(path))?;
    Ok(conn)
}

/// Opens a file and reads its header, which shows whether it can be read at all.
fn open_readable(path: &Path) -> rusqlite::Result<(Connection, FileMarks)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_handler(Some(LockPatience::Hook.busy_handler()))?;
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
    let path_text = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    PathBuf::from(format!("file:{path_text}?immutable=1"))
}
