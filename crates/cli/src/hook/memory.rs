//! Where a session's memory lies between two hooks: a file of lines, locked while one event is
//! decided.
//!
//! One file a session, named by the session's hash, so that hooks of two clients that tell of one
//! session meet in it. Only its end is read, only whole lines are appended, by one call. The lock
//! is waited for, but not long: an event that did not get it is written down all the same, and
//! nothing is said about it. What a line holds is [`attend`](hardwon_engine::attend)'s business.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use hardwon_core::{digest, id::RunId, limits, scope::Scope};
use hardwon_engine::attend::Session;

/// How long the lock of a session is waited for.
const PATIENCE: Duration = Duration::from_millis(150);
/// How long is waited before it is tried anew.
const PAUSE: Duration = Duration::from_micros(500);

/// The file of one session, open, and locked as long as this lives.
#[derive(Debug)]
pub(super) struct Memory {
    file: File,
    is_locked: bool,
    /// Whether its last line was cut off.
    is_torn: bool,
    size: u64,
    end: Vec<u8>,
}

/// Returns the name under which a session is kept.
#[must_use]
pub(super) fn key(run: &RunId) -> String {
    digest::hex(&digest::of([run.as_str().as_bytes()])[..16])
}

/// Returns the file of a session.
#[must_use]
pub(super) fn file(state: &Path, key: &str) -> PathBuf {
    folder(state).join(format!("{key}.jsonl"))
}

/// Returns the folder of all sessions.
#[must_use]
pub(super) fn folder(state: &Path) -> PathBuf {
    state.join("sessions")
}

impl Memory {
    /// Opens the memory of a session, makes it if there is none, and waits for its lock. At least
    /// `reach` bytes of its end are read, if there are so many.
    pub(super) fn open(state: &Path, run: &RunId, reach: usize) -> io::Result<Self> {
        let path = file(state, &key(run));
        let until = Instant::now() + PATIENCE;
        loop {
            let file = open_private(&path)?;
            let is_locked = lock(&file, until)?;
            // A long memory is shortened by putting another file in its place.
            if is_locked && !is_linked(&file)? {
                continue;
            }
            return Self::read(file, is_locked, reach);
        }
    }

    fn read(mut file: File, is_locked: bool, reach: usize) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let mut end = tail(&mut file, size, reach)?;
        let is_all = size <= reach as u64 || reach >= limits::SESSION_REACH_BYTES;
        if !is_all && !Session::tells_state(&end) {
            end = tail(&mut file, size, limits::SESSION_REACH_BYTES)?;
        }
        Ok(Self {
            file,
            is_locked,
            is_torn: end.last().is_some_and(|byte| *byte != b'\n'),
            size,
            end,
        })
    }

    /// Returns the session as far as it is remembered.
    #[must_use]
    pub(super) fn session(&self, run: RunId, scope: Scope) -> Session {
        Session::read(run, scope, &self.end)
    }

    /// Returns whether nobody else decides about this session at this moment.
    #[must_use]
    pub(super) fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Appends lines, and lets go of the file.
    pub(super) fn append(mut self, lines: &str) -> io::Result<()> {
        if lines.is_empty() || self.size > limits::SESSION_BYTES {
            return Ok(());
        }
        let text = match self.is_torn || !self.is_locked {
            true => format!("\n{lines}"),
            false => lines.to_owned(),
        };
        self.file.write_all(text.as_bytes())
    }
}

/// Reads a whole memory, as much of its end as is ever kept.
pub(super) fn read_whole(state: &Path, key: &str) -> io::Result<Vec<u8>> {
    let mut file = File::open(file(state, key))?;
    let size = file.metadata()?.len();
    tail(&mut file, size, limits::SESSION_KEPT_BYTES)
}

/// Shortens a memory that has grown too long: its end stays, from a whole line on.
pub(super) fn shorten(state: &Path, run: &RunId) -> io::Result<()> {
    let path = file(state, &key(run));
    if fs::metadata(&path)?.len() <= 2 * limits::SESSION_KEPT_BYTES as u64 {
        return Ok(());
    }
    let mut memory = Memory::open(state, run, limits::SESSION_TAIL_BYTES)?;
    if !memory.is_locked {
        return Ok(());
    }
    let kept = tail(&mut memory.file, memory.size, limits::SESSION_KEPT_BYTES)?;
    let from = kept.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let fresh = path.with_extension("new");
    drop(fs::remove_file(&fresh));
    open_private(&fresh)?.write_all(&kept[from..])?;
    fs::rename(&fresh, &path)
}

fn tail(file: &mut File, size: u64, bytes: usize) -> io::Result<Vec<u8>> {
    let bytes = bytes as u64;
    file.seek(SeekFrom::Start(size.saturating_sub(bytes)))?;
    let mut tail = Vec::with_capacity(usize::try_from(size.min(bytes)).unwrap_or(0));
    file.take(bytes).read_to_end(&mut tail)?;
    Ok(tail)
}

/// Opens a file that only its owner may read, in a folder that only its owner may enter.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private_folder(path.parent().unwrap_or(path))?;
            options.open(path)
        }
        opened => opened,
    }
}

/// Makes a folder that only its owner may enter.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes the lock; false if somebody else does not let go of it in time.
fn lock(file: &File, until: Instant) -> io::Result<bool> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Ok(false),
            // A file system without locks: two hooks at one moment may say a thing twice.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(true);
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(unix)]
fn is_linked(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.nlink() > 0)
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> io::Result<bool> {
    Ok(true)
}
