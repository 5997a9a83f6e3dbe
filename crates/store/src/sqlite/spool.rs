//! Recalls on their way to being counted: a file of lines beside the database.
//!
//! A hook has no time for a transaction, so it appends one line and goes. The next writer claims
//! the file by renaming it, counts its lines in its own transaction together with the number it
//! claimed it under, and deletes it once that is committed. Killed at any point, it leaves either
//! a claimed file that was not counted, which the next one takes over, or one that was, which the
//! number gives away. A line is bounded, is written by a single call, and begins with a line break,
//! so a line cut off by a crash spoils no other.
//!
//! What is lost: the last lines, if the whole machine crashes. What never happens: a recall counted
//! twice.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, ErrorKind as IoKind, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use hardwon_core::limits;
use rusqlite::{Connection, params};

use super::{
    open::private_file,
    rows,
    rows::RecallRow,
    write::{forget_asked, scope, tenant},
};
use crate::{ErrorKind, Recall, Result, Settled, Spool, StoreError, Treatment, keep};

/// How often a note is tried anew because the file was being claimed just then.
const TRIES: usize = 8;

/// Where recalls are noted.
#[derive(Debug, Clone)]
pub(super) struct SpoolFile(PathBuf);

/// A claimed file that was counted in a transaction, and is deleted when that is committed.
#[derive(Debug)]
pub(super) struct Drained {
    settled: Settled,
    path: PathBuf,
    /// Holds the lock until the file is gone, so that nobody appends to it any more.
    _file: File,
}

impl Drained {
    /// Deletes the file, now that its lines are counted for good.
    pub(super) fn finish(self) -> Settled {
        // If it stays, its number says that it was counted.
        drop(fs::remove_file(&self.path));
        self.settled
    }
}

/// Which claimed file was counted last, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    sequence: i64,
    bytes: u64,
}

impl SpoolFile {
    pub(super) fn beside(database: &Path) -> Self {
        let mut name = OsString::from(database);
        name.push("-spool");
        Self(PathBuf::from(name))
    }

    /// Returns where a claimed file is.
    fn claimed(&self, sequence: i64) -> PathBuf {
        let mut name = OsString::from(&self.0);
        name.push(format!(".{sequence}"));
        PathBuf::from(name)
    }

    /// Appends a recall.
    pub(super) fn note(&self, recall: &Recall) -> Result<Spool> {
        let line = line(recall)?;
        for _ in 0..TRIES {
            let file = private_file().append(true).open(&self.0)?;
            if !enter(&file)? {
                continue;
            }
            let bytes = file.metadata()?.len();
            if bytes >= limits::SPOOL_BYTES {
                let what = "too many recalls wait to be counted";
                let error = StoreError::new(ErrorKind::Full, "", what);
                return Err(
                    error.hinting("count them with `hardwon learn` or `hardwon lesson add`")
                );
            }
            write_at_once(file, &line)?;
            return Ok(if bytes < limits::SPOOL_DUE_BYTES {
                Spool::Roomy
            } else {
                Spool::Due
            });
        }
        let what = "recalls are being counted";
        Err(StoreError::new(ErrorKind::Busy, "", what))
    }

    /// Claims the file if there is one and counts its lines in the transaction under way.
    pub(super) fn drain(&self, conn: &Connection) -> Result<Option<Drained>> {
        let before = mark(conn)?;
        let Some((next, path, mut file)) = self.open_claimed(before)? else {
            return Ok(None);
        };
        if !exclude(&file)? {
            // Somebody was stopped in the middle of a line. It keeps until next time.
            return Ok(None);
        }
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(next.bytes))?;
        (&file)
            .take(2 * limits::SPOOL_BYTES)
            .read_to_end(&mut text)?;
        let settled = count(conn, &text)?;
        let read = u64::try_from(text.len()).expect("it fits in memory");
        conn.execute(
            "UPDATE spool SET sequence = ?1, bytes = ?2",
            params![next.sequence, rows::integer(next.bytes + read)],
        )?;
        Ok(Some(Drained {
            settled,
            path,
            _file: file,
        }))
    }

    /// Drains as [`drain`](Self::drain) does; what goes wrong is left for another time, because
    /// a recall is not worth a lesson.
    pub(super) fn drain_or_leave(&self, conn: &Connection) -> Result<Option<Drained>> {
        conn.execute_batch("SAVEPOINT spool")?;
        let drained = self.drain(conn);
        if drained.is_err() {
            conn.execute_batch("ROLLBACK TO spool")?;
        }
        conn.execute_batch("RELEASE spool")?;
        Ok(drained.ok().flatten())
    }

    /// Claims a file and opens it. One that is gone by then was counted before this transaction, and
    /// whoever counted it has just come to delete it.
    fn open_claimed(&self, last: Mark) -> io::Result<Option<(Mark, PathBuf, File)>> {
        loop {
            let Some((next, path)) = self.claim(last)? else {
                return Ok(None);
            };
            match File::open(&path) {
                Err(error) if error.kind() == IoKind::NotFound => {}
                opened => return opened.map(|file| Some((next, path, file))),
            }
        }
    }

    /// Returns the file to count and from where: what is left of the last one, if whoever counted
    /// it did not come to delete it; else one that was claimed and not counted; else the spool.
    fn claim(&self, last: Mark) -> io::Result<Option<(Mark, PathBuf)>> {
        let left = self.claimed(last.sequence);
        if left.exists() {
            return Ok(Some((last, left)));
        }
        let next = Mark {
            sequence: last.sequence + 1,
            bytes: 0,
        };
        let path = self.claimed(next.sequence);
        if !path.exists() {
            match fs::rename(&self.0, &path) {
                Err(error) if error.kind() == IoKind::NotFound => return Ok(None),
                renamed => renamed?,
            }
        }
        Ok(Some((next, path)))
    }
}

fn mark(conn: &Connection) -> Result<Mark> {
    let mut select = conn.prepare_cached("SELECT sequence, bytes FROM spool")?;
    let (sequence, bytes) = select.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Mark {
        sequence,
        bytes: rows::natural(bytes)?,
    })
}

/// Returns a recall's line, its break in front. A recall too long for a line loses what was found
/// and not shown, from the least on.
fn line(recall: &Recall) -> Result<String> {
    let mut recall = recall.clone();
    loop {
        let line = format!("\n{}\n", rows::to_json(&RecallRow::of(&recall))?);
        if line.len() <= limits::SPOOL_LINE_BYTES {
            return Ok(line);
        }
        let passed_over = |it: &crate::Considered| it.treatment != Treatment::Shown;
        match recall.considered.iter().rposition(passed_over) {
            Some(place) => drop(recall.considered.remove(place)),
            None => {
                let what = format!("it is longer than {} bytes", limits::SPOOL_LINE_BYTES);
                return Err(StoreError::new(ErrorKind::Invalid, "", what));
            }
        }
    }
}

/// Writes a line by one call, which is whole or, on a full disk, a broken line that is skipped.
fn write_at_once(mut file: File, line: &str) -> Result<()> {
    let written = file.write(line.as_bytes())?;
    if written < line.len() {
        let what = "there was no room for the whole line";
        return Err(StoreError::new(ErrorKind::Full, "", what));
    }
    Ok(())
}

/// Joins those who append; false if the file was claimed meanwhile.
#[cfg(unix)]
fn enter(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    match file.try_lock_shared() {
        Ok(()) => Ok(file.metadata()?.nlink() > 0),
        Err(fs::TryLockError::WouldBlock) => Ok(false),
        // A file system without locks: a line may get lost in the moment of claiming.
        Err(fs::TryLockError::Error(error)) if error.kind() == IoKind::Unsupported => Ok(true),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Waits until nobody appends any more; false if somebody does not come to an end.
#[cfg(unix)]
fn exclude(file: &File) -> io::Result<bool> {
    for _ in 0..100 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(fs::TryLockError::WouldBlock) => {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Err(fs::TryLockError::Error(error)) if error.kind() == IoKind::Unsupported => {
                return Ok(true);
            }
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Elsewhere a lock keeps its own holder from writing, so there is none.
#[cfg(not(unix))]
fn enter(_: &File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(not(unix))]
fn exclude(_: &File) -> io::Result<bool> {
    Ok(true)
}

fn count(conn: &Connection, text: &[u8]) -> Result<Settled> {
    let mut settled = Settled::default();
    for line in text.split(|byte| *byte == b'\n') {
        if line.is_empty() {
            continue;
        }
        match read(line) {
            Some(recall) => {
                settle(conn, &recall)?;
                settled.recalls += 1;
            }
            None => settled.broken += 1,
        }
    }
    Ok(settled)
}

fn read(line: &[u8]) -> Option<Recall> {
    if line.len() > limits::SPOOL_LINE_BYTES {
        return None;
    }
    serde_json::from_slice::<RecallRow>(line).ok()?.read().ok()
}

/// Counts one recall and remembers it.
fn settle(conn: &Connection, recall: &Recall) -> Result<()> {
    let row = tenant(conn, &recall.scope.tenant)?;
    scope(conn, row.id, &recall.scope)?;
    let mut shown = conn.prepare_cached(
        "UPDATE lesson SET shown = shown + 1, last_seen = max(coalesce(last_seen, ?2), ?2)
         WHERE key = ?1",
    )?;
    for id in recall.shown() {
        if let Some(key) = rows::lesson_key(row.id, id) {
            shown.execute([key, recall.at.as_millisecond()])?;
        }
    }
    let run = recall.run.as_ref().map(|it| it.as_str());
    let line = rows::to_json(&RecallRow::of(recall).without_asked())?;
    conn.prepare_cached("INSERT INTO recall (tenant, id, run, line) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![row.id, row.next_recall, run, line])?;
    keep_asked(conn, row.id, row.next_recall, recall)?;
    let forgotten = [row.id, row.next_recall - rows::page(limits::RECALLS)];
    conn.prepare_cached("DELETE FROM recall WHERE tenant = ?1 AND id <= ?2")?
        .execute(forgotten)?;
    conn.prepare_cached("DELETE FROM asked WHERE tenant = ?1 AND recall <= ?2")?
        .execute(forgotten)?;
    conn.prepare_cached("UPDATE tenant SET next_recall = next_recall + 1 WHERE id = ?1")?
        .execute([row.id])?;
    Ok(())
}

/// Keeps what a recall was made for, if it is to be kept, and forgets what is past its days.
fn keep_asked(conn: &Connection, tenant: i64, id: i64, recall: &Recall) -> Result<()> {
    forget_asked(conn, tenant, keep::asked_until(recall.at))?;
    let Some(asked) = &recall.asked else {
        return Ok(());
    };
    conn.prepare_cached(
        "INSERT INTO asked (tenant, recall, agent, at, text) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        tenant,
        id,
        recall.scope.agent.as_str(),
        recall.at.as_millisecond(),
        asked.as_str()
    ])?;
    Ok(())
}
