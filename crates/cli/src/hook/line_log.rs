//! A bounded file of JSON lines in the state folder: a full file replaces the one before it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::text_log;

/// Longest file, in bytes: hooks read it.
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
        let text = serde_json::to_string(line)? + "\n";
        text_log::append_within(&self.file, &self.rotated, FILE_BYTES, &text)
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
