//! A bounded file of lines in the state folder: a full file replaces the one before it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use hardwon_core::limits;
use hardwon_engine::private_file;

/// Appends a line, which ends with a line break, to a log of which the file before it is called `.log.1`.
///
/// # Errors
///
/// If the file cannot be written, or not be put aside when it is full.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    append_within(path, &path.with_extension("log.1"), limits::LOG_BYTES, line)
}

/// Appends a line, unless the file has more bytes than `most`: then it is put aside, and the line begins another.
///
/// # Errors
///
/// If the file cannot be written, or not be put aside when it is full.
pub fn append_within(path: &Path, aside: &Path, most: u64, line: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|about| about.len() > most) {
        fs::rename(path, aside)?;
    }
    let mut file = private_file::open(OpenOptions::new().append(true).create(true), path)?;
    file.write_all(line.as_bytes())
}
