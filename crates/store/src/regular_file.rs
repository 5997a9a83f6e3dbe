//! Opens regular files and nothing else.
//!
//! A pipe, a socket or a device may be where a file is expected, and reading it may never end.

use std::{
    fs::{self, File},
    io,
    path::Path,
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
