//! A bounded file of JSON lines in the state folder: a full file replaces the one before it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use hardwon_engine::private_file;
use serde::{Serialize, de::DeserializeOwned};

/// Longest file, in bytes.
pub(super) const FILE_BYTES: u64 = 256 * 1024;

/// The file and the one before it.
pub(super) struct LineLog {
    pub(super) file: PathBuf,
    pub(super) rotated: PathBuf,
}

impl LineLog {
    pub(super) fn new(state: &Path, name: &str) -> Self {
        Self {
            file: state.join(format!("{name}.jsonl")),
            rotated: state.join(format!("{name}.1.jsonl")),
        }
    }

    pub(super) fn append(&self, line: &impl Serialize) -> io::Result<()> {
        if fs::metadata(&self.file).is_ok_and(|about| about.len() > FILE_BYTES) {
            fs::rename(&self.file, &self.rotated)?;
        }
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        let mut options = OpenOptions::new();
        let mut file = private_file::open(options.append(true).create(true), &self.file)?;
        file.write_all(text.as_bytes())
    }

    /// Returns the lines, the oldest first; an unreadable one was cut off in a crash.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Vec<T> {
        let texts =
            [&self.rotated, &self.file].map(|path| fs::read_to_string(path).unwrap_or_default());
        let lines = texts.iter().flat_map(|text| text.lines());
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }
}
