//! Opens regular files and nothing else.
//!
//! What is not there is no error for whoever asks so. A pipe, a socket or a device may be where a file is expected, and reading it may never end.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Opens a file to read it.
///
/// # Errors
///
/// `InvalidInput` if it is a pipe, a socket or a device; else those of opening it.
pub fn open(path: &Path) -> io::Result<File> {
    check_regular(path)?;
    File::open(path)
}

/// Reads a text file.
///
/// # Errors
///
/// As [`open`], and those of reading it.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    check_regular(path)?;
    fs::read_to_string(path)
}

/// Returns what was found of a file or folder; `None` if it is not there.
///
/// # Errors
///
/// Every other one that was met.
pub fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Lists what is in a folder; nothing if it is not there.
///
/// # Errors
///
/// Every other one of opening it.
pub fn list_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = if_there(fs::read_dir(folder))?.into_iter().flatten();
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Reads a text file of at most so many bytes.
///
/// # Errors
///
/// As [`open`], those of reading it, `FileTooLarge` if it is longer, and `InvalidData` if it is no UTF-8.
pub fn read_within(path: &Path, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it is longer than {} MB", most / (1024 * 1024));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let no_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(bytes).map_err(no_text)
}

/// Checks that it is a file, or a folder: its own error is clear enough.
///
/// # Errors
///
/// `InvalidInput` if it is anything else; else those of looking.
pub fn check_regular(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        Ok(())
    } else {
        Err(not_regular_error())
    }
}

/// Returns the error for anything but a file or a folder.
pub fn not_regular_error() -> io::Error {
    let message = "it is a pipe, a socket or a device, not a file";
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
