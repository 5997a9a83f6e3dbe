//! The spool: recalls on their way to the database, in a file of lines beside it.
//!
//! A hook has no time for a transaction, so it appends one line and ends. The next writer claims the file by renaming
//! it, counts its lines in its own transaction together with the number it claimed it under, and deletes it once that
//! is committed. If the writer is killed at any point, it leaves either a claimed file that was not counted, which the
//! next one takes over, or one that was, which the number shows. A line is bounded, is written by a single call, and
//! begins with a line break, so a line cut off by a crash spoils no other. Each tenant has files of its own, so that
//! none waits for another's to be counted.
//!
//! What can get lost: the last lines, if the whole machine crashes. What never happens: a recall counted twice.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, ErrorKind as IoKind, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use hardwon_core::{TenantId, digest, limits};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    database::{SqliteRows, SqliteTransaction},
    index::IndexTuning,
};
use crate::{
    FlushCounts, Recall, RecallId, Result, SpoolLevel, StoreError, StoreErrorKind, private_file,
    records, rows, tables::TenantDatabase as _,
};

/// How often an append is retried because the file was being claimed.
const APPEND_TRIES: usize = 8;
/// How long to wait for a line that is being appended.
const CLAIM_PATIENCE: Duration = Duration::from_millis(100);

/// The spool of one tenant.
#[derive(Debug, Clone)]
pub(super) struct SpoolFile {
    tenant: TenantId,
    path: PathBuf,
}

/// The recalls counted in a transaction, and the files to delete once it is committed.
#[derive(Debug, Default)]
pub(super) struct DrainedSpool {
    counts: FlushCounts,
    files: Vec<ClaimedFile>,
}

/// A claimed file whose lines were counted.
#[derive(Debug)]
struct ClaimedFile {
    path: PathBuf,
    /// Keeps the file open until it is deleted, and with it, where files themselves are locked, the lock.
    _file: File,
}

impl DrainedSpool {
    /// Deletes the files, after the commit of their lines.
    pub(super) fn delete_files(self) -> FlushCounts {
        for claimed in &self.files {
            // If it stays, its number shows that it was counted.
            drop(fs::remove_file(&claimed.path));
        }
        self.counts
    }
}

/// The last claimed file that was counted, and how many bytes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SpoolMark {
    sequence: i64,
    bytes: u64,
}

impl SpoolFile {
    /// Returns the file of a tenant beside a database. A tenant's name may hold characters that a file name cannot, so
    /// it is hashed; the default tenant's file has no hash.
    pub(super) fn for_tenant(database: &Path, tenant: &TenantId) -> Self {
        let mut name = OsString::from(database);
        name.push("-spool");
        if *tenant != TenantId::default() {
            let hash = digest::to_hex(&digest::hash_parts([tenant.as_str().as_bytes()]));
            name.push(format!("-{}", &hash[..16]));
        }
        Self {
            tenant: tenant.clone(),
            path: PathBuf::from(name),
        }
    }

    /// Returns the path of a claimed file.
    fn claimed_path(&self, sequence: i64) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(format!(".{sequence}"));
        PathBuf::from(name)
    }

    /// Appends a recall.
    pub(super) fn append_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        let line = format!("\n{}\n", rows::render_recall_line(recall)?);
        for _ in 0..APPEND_TRIES {
            let Some(file) = AppendedFile::open(&self.path)? else {
                continue;
            };
            let bytes = file.lines.metadata()?.len();
            if bytes >= limits::SPOOL_BYTES {
                let message = "too many recalls wait to be counted";
                let error = StoreError::new(StoreErrorKind::Full, "", message);
                return Err(
                    error.with_hint("count them with `hardwon learn` or `hardwon lesson add`")
                );
            }
            write_line(file, &line)?;
            return Ok(if bytes < limits::SPOOL_DUE_BYTES {
                SpoolLevel::HasRoom
            } else {
                SpoolLevel::FlushDue
            });
        }
        let message = "recalls are being counted";
        Err(StoreError::new(StoreErrorKind::Busy, "", message))
    }

    /// Counts all spooled recalls in the current transaction: files that another writer claimed and did not count, and
    /// the spool itself.
    pub(super) fn drain(&self, conn: &Connection) -> Result<DrainedSpool> {
        let mut spool_drain = DrainedSpool::default();
        while let Some((flushed, claimed)) =
            self.drain_next_file(conn, spool_drain.files.is_empty())?
        {
            spool_drain.counts.recalls += flushed.recalls;
            spool_drain.counts.unreadable += flushed.unreadable;
            spool_drain.files.push(claimed);
        }
        Ok(spool_drain)
    }

    /// Claims the next file, if there is one, and counts its lines.
    fn drain_next_file(
        &self,
        conn: &Connection,
        is_first: bool,
    ) -> Result<Option<(FlushCounts, ClaimedFile)>> {
        let before = self.read_mark(conn)?;
        let Some((next, path, mut file)) = self.open_claimed(before, is_first)? else {
            return Ok(None);
        };
        if !wait_for_appends(&self.path, &file)? {
            // A writer was stopped in the middle of a line. The file keeps until next time.
            return Ok(None);
        }
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(next.bytes))?;
        (&file)
            .take(2 * limits::SPOOL_BYTES)
            .read_to_end(&mut text)?;
        let counts = count_lines(conn, &text)?;
        let read = u64::try_from(text.len()).expect("it fits in memory");
        self.set_mark(conn, next.sequence, next.bytes + read)?;
        Ok(Some((counts, ClaimedFile { path, _file: file })))
    }

    fn read_mark(&self, conn: &Connection) -> Result<SpoolMark> {
        let mut select =
            conn.prepare_cached("SELECT sequence, bytes FROM spool WHERE tenant = ?1")?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let mark = select.query_row([self.tenant.as_str()], row).optional()?;
        let (sequence, bytes) = mark.unwrap_or_default();
        Ok(SpoolMark {
            sequence,
            bytes: rows::parse_count(bytes)?,
        })
    }

    fn set_mark(&self, conn: &Connection, sequence: i64, bytes: u64) -> Result<()> {
        conn.execute(
            "INSERT INTO spool (tenant, sequence, bytes) VALUES (?1, ?2, ?3)
             ON CONFLICT (tenant) DO UPDATE SET sequence = ?2, bytes = ?3",
            params![self.tenant.as_str(), sequence, rows::to_sql_count(bytes)],
        )?;
        Ok(())
    }

    /// Drains as [`drain`](Self::drain) does, and rolls back on an error: losing a recall for now is better than losing
    /// the lesson being written.
    pub(super) fn try_drain(&self, conn: &Connection) -> Result<DrainedSpool> {
        conn.execute_batch("SAVEPOINT spool")?;
        let result = self.drain(conn);
        if result.is_err() {
            conn.execute_batch("ROLLBACK TO spool")?;
        }
        conn.execute_batch("RELEASE spool")?;
        Ok(result.unwrap_or_default())
    }

    /// Claims a file and opens it. If it is gone by then, it was counted before this transaction and has just been
    /// deleted.
    fn open_claimed(
        &self,
        last: SpoolMark,
        is_first: bool,
    ) -> io::Result<Option<(SpoolMark, PathBuf, File)>> {
        loop {
            let Some((next, path)) = self.claim_next(last, is_first)? else {
                return Ok(None);
            };
            match File::open(&path) {
                Err(error) if error.kind() == IoKind::NotFound => {}
                opened => return opened.map(|file| Some((next, path, file))),
            }
        }
    }

    /// Returns the file to count and from where: the rest of the last one, if its writer did not get to delete it; else
    /// one that was claimed and not counted; else the spool.
    fn claim_next(
        &self,
        last: SpoolMark,
        is_first: bool,
    ) -> io::Result<Option<(SpoolMark, PathBuf)>> {
        let left = self.claimed_path(last.sequence);
        if is_first {
            // Of two files counted in one transaction, the first stays if the deletion is cut short.
            drop(fs::remove_file(self.claimed_path(last.sequence - 1)));
            if left.exists() {
                return Ok(Some((last, left)));
            }
        }
        let next = SpoolMark {
            sequence: last.sequence + 1,
            bytes: 0,
        };
        let path = self.claimed_path(next.sequence);
        if !path.exists() {
            match fs::rename(&self.path, &path) {
                Err(error) if error.kind() == IoKind::NotFound => return Ok(None),
                renamed => renamed?,
            }
        }
        Ok(Some((next, path)))
    }
}

/// Writes a line by one call. On a full disk it may be incomplete, and is then skipped.
fn write_line(mut file: AppendedFile, line: &str) -> Result<()> {
    let length = file.lines.write(line.as_bytes())?;
    if length < line.len() {
        let message = "there was no room for the whole line";
        return Err(StoreError::new(StoreErrorKind::Full, "", message));
    }
    Ok(())
}

/// The spool, open for appending, and locked so that nobody who counts it reads it before the line is there.
struct AppendedFile {
    lines: File,
    /// The file beside it that holds the lock.
    #[cfg(not(unix))]
    _beside: File,
}

#[cfg(unix)]
impl AppendedFile {
    /// Opens and locks it; returns `None` if it was claimed meanwhile.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        let lines = private_file::create_options().append(true).open(path)?;
        Ok(lock_shared(&lines)?.then_some(Self { lines }))
    }
}

#[cfg(not(unix))]
impl AppendedFile {
    /// Opens and locks it.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        let beside = open_lock(path)?;
        beside.lock_shared()?;
        Ok(Some(Self {
            lines: private_file::create_options().append(true).open(path)?,
            _beside: beside,
        }))
    }
}

#[cfg(unix)]
fn lock_shared(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    match file.try_lock_shared() {
        Ok(()) => Ok(file.metadata()?.nlink() > 0),
        Err(fs::TryLockError::WouldBlock) => Ok(false),
        // A file system without locks: a line may get lost in the moment of claiming.
        Err(fs::TryLockError::Error(error)) if error.kind() == IoKind::Unsupported => Ok(true),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Waits until nobody appends to a claimed file any more; returns false if that takes too long.
#[cfg(unix)]
fn wait_for_appends(_: &Path, claimed: &File) -> io::Result<bool> {
    lock_exclusive(claimed)
}

/// Waits until nobody appends to a claimed file any more; returns false if that takes too long.
///
/// Whoever takes the lock after that appends to the next file. The claimed one is not locked: that would keep others from
/// reading it.
#[cfg(not(unix))]
fn wait_for_appends(path: &Path, _: &File) -> io::Result<bool> {
    lock_exclusive(&open_lock(path)?)
}

/// Opens the file that holds the lock of a spool.
#[cfg(not(unix))]
fn open_lock(path: &Path) -> io::Result<File> {
    let mut name = OsString::from(path);
    name.push(".lock");
    private_file::create_options()
        .read(true)
        .write(true)
        .open(name)
}

fn lock_exclusive(file: &File) -> io::Result<bool> {
    private_file::lock_until(file, Instant::now() + CLAIM_PATIENCE)
}

fn count_lines(conn: &Connection, text: &[u8]) -> Result<FlushCounts> {
    let mut counts = FlushCounts::default();
    for line in text.split(|byte| *byte == b'\n') {
        if line.is_empty() {
            continue;
        }
        match rows::parse_recall_line(line) {
            Some(recall) => {
                record_recall(conn, &recall)?;
                counts.recalls += 1;
            }
            None => counts.unreadable += 1,
        }
    }
    Ok(counts)
}

/// Counts one recall and saves it.
pub(super) fn record_recall(conn: &Connection, recall: &Recall) -> Result<()> {
    let name = &recall.scope.tenant;
    let transaction = SqliteTransaction::begin(conn, name, IndexTuning::default())?;
    let tables = transaction.tables();
    tables.ensure_scope(&recall.scope)?;
    let mut count_showing = conn.prepare_cached(
        "UPDATE lesson SET shown = shown + 1, last_seen = max(coalesce(last_seen, ?2), ?2)
         WHERE key = ?1",
    )?;
    for id in recall.counted_lessons() {
        if let Some(key) = SqliteRows::lesson_key(tables.key, id) {
            count_showing.execute([key, recall.at.as_millisecond()])?;
        }
    }
    let id = transaction.view.change_tenant(|row| {
        row.next_recall += 1;
        row.next_recall - 1
    });
    tables.erase_query_texts(records::query_text_cutoff(recall.at))?;
    tables.insert_recall(RecallId(id), recall)?;
    let bounds = [tables.key, id - rows::to_sql_bound(limits::RECALLS)];
    conn.prepare_cached("DELETE FROM recall WHERE tenant = ?1 AND id <= ?2")?
        .execute(bounds)?;
    conn.prepare_cached("DELETE FROM asked WHERE tenant = ?1 AND recall <= ?2")?
        .execute(bounds)?;
    transaction.finish()
}
