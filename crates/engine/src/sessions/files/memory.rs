//! A session's memory as a file of lines, locked while one event is decided.
//!
//! Systems of Unix lock the file itself. On Windows a lock keeps everybody else from reading, so a file beside it is locked.
//!
//! One file a session, named by the session's hash, so that hooks of two clients that report one session share it. Only
//! its end is read, only whole lines are appended, by one call. The wait for the lock is short: an event that did not
//! get it is recorded all the same, and gets no reply. [`attend`](crate::attend) defines the lines.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    time::{Duration, Instant},
};

use hardwon_core::limits;

use super::OpenMemory;
use crate::{
    AgentSession,
    private_file::{self, lock_until},
};

/// How long to wait for the lock of a session.
const LOCK_PATIENCE: Duration = Duration::from_millis(150);

/// The file of one session, open, and locked as long as this lives.
#[derive(Debug)]
pub(super) struct MemoryFile {
    locked: LockedFile,
    /// Whether its last line was cut off.
    is_torn: bool,
    size: u64,
    tail: Vec<u8>,
}

/// The file of a memory, locked by this process unless another did not release it in time.
#[derive(Debug)]
struct LockedFile {
    file: File,
    is_locked: bool,
    /// The file beside it that holds the lock.
    #[cfg(not(unix))]
    _beside: File,
}

impl LockedFile {
    #[cfg(unix)]
    fn open_until(path: &Path, until: Instant) -> io::Result<Self> {
        loop {
            let file = open_file(path)?;
            let is_locked = lock_until(&file, until)?;
            // Shortening a memory replaces its file.
            if !is_locked || is_linked(&file)? {
                return Ok(Self { file, is_locked });
            }
        }
    }

    #[cfg(not(unix))]
    fn open_until(path: &Path, until: Instant) -> io::Result<Self> {
        let beside = open_file(&path.with_extension("lock"))?;
        let is_locked = lock_until(&beside, until)?;
        Ok(Self {
            file: open_file(path)?,
            is_locked,
            _beside: beside,
        })
    }
}

impl MemoryFile {
    pub(super) fn open_memory(path: &Path, reach: usize) -> io::Result<Self> {
        let mut locked_file = LockedFile::open_until(path, Instant::now() + LOCK_PATIENCE)?;
        let file = &mut locked_file.file;
        let size = file.metadata()?.len();
        let mut end = read_tail(file, size, reach)?;
        let is_all = size <= reach as u64 || reach >= limits::SESSION_LONG_TAIL_BYTES;
        if !is_all && !AgentSession::has_state_line(&end) {
            end = read_tail(file, size, limits::SESSION_LONG_TAIL_BYTES)?;
        }
        Ok(Self {
            locked: locked_file,
            is_torn: end.last().is_some_and(|byte| *byte != b'\n'),
            size,
            tail: end,
        })
    }
}

impl OpenMemory for MemoryFile {
    fn tail(&self) -> &[u8] {
        &self.tail
    }

    fn is_locked(&self) -> bool {
        self.locked.is_locked
    }

    fn append(mut self: Box<Self>, lines: &str) -> io::Result<()> {
        if lines.is_empty() || self.size > limits::SESSION_BYTES {
            return Ok(());
        }
        let text = if self.is_torn || !self.locked.is_locked {
            format!("\n{lines}")
        } else {
            lines.to_owned()
        };
        self.locked.file.write_all(text.as_bytes())
    }
}

/// Reads a whole memory, as much of its end as is ever kept.
pub(super) fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    read_tail(&mut file, size, limits::SESSION_KEPT_BYTES)
}

/// Shortens a memory that has grown too long: its end stays, from a whole line on.
pub(super) fn shorten_memory(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.len() <= 2 * limits::SESSION_KEPT_BYTES as u64 {
        return Ok(());
    }
    let mut memory = MemoryFile::open_memory(path, limits::SESSION_TAIL_BYTES)?;
    if !memory.locked.is_locked {
        return Ok(());
    }
    let tail = read_tail(
        &mut memory.locked.file,
        memory.size,
        limits::SESSION_KEPT_BYTES,
    )?;
    let from = tail.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let fresh = path.with_extension("new");
    drop(fs::remove_file(&fresh));
    open_file(&fresh)?.write_all(&tail[from..])?;
    fs::rename(&fresh, path)
}

fn read_tail(file: &mut File, size: u64, bytes: usize) -> io::Result<Vec<u8>> {
    let bytes = bytes as u64;
    file.seek(SeekFrom::Start(size.saturating_sub(bytes)))?;
    let mut tail = Vec::with_capacity(usize::try_from(size.min(bytes)).unwrap_or(0));
    file.take(bytes).read_to_end(&mut tail)?;
    Ok(tail)
}

fn open_file(path: &Path) -> io::Result<File> {
    private_file::open(
        OpenOptions::new().read(true).append(true).create(true),
        path,
    )
}

#[cfg(unix)]
fn is_linked(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.nlink() > 0)
}
