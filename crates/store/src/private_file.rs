//! Files and folders that only their owner may read.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// How long to wait before another try to lock a file.
const LOCK_PAUSE: Duration = Duration::from_micros(500);

/// Returns options that create a file that only its owner may read.
pub fn create_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a file; if it is new, only its owner may read it, in a folder that only its owner may enter.
///
/// # Errors
///
/// Those of opening the file, or of creating its folder where there is none.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(path.parent().unwrap_or(path))?;
            options.open(path)
        }
        opened => opened,
    }
}

/// Opens a file to be locked, and makes it if there is none.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_lock(path: &Path) -> io::Result<File> {
    // Windows locks no file that is open for appending alone.
    open(create_options().read(true).append(true), path)
}

/// Writes a file that only its owner may read, replacing its content.
///
/// # Errors
///
/// Those of [`open`] and of writing.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open(create_options().write(true).truncate(true), path)?.write_all(bytes)
}

/// Creates a folder that only its owner may enter, and those above it.
///
/// # Errors
///
/// If it cannot be created.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Deletes the files of a folder that were last written longer ago than this, of the first so many.
pub fn delete_older(folder: &Path, now: SystemTime, most_age: Duration, most_files: usize) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.take(most_files) {
        let write_time = entry.metadata().and_then(|about| about.modified());
        let age = write_time.ok().and_then(|at| now.duration_since(at).ok());
        if age.is_some_and(|age| age > most_age) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// Locks a file; returns false if another process holds it until then. On a file system without locks everybody gets it.
///
/// # Errors
///
/// If it cannot be locked.
pub fn lock_until(file: &File, until: Instant) -> io::Result<bool> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(true);
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
