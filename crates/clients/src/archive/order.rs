//! Sorts transcripts by time.
//!
//! A transcript is sorted by the start time in its head, else by when its file was last written; equal times by path.
//! Only heads are read, and files that are no transcripts are found out later.

use std::{
    cmp::Reverse,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{encoding::to_utf8, start_time::began_at};
use crate::opencode::database::StoredSession;

/// Most bytes of a file that are searched for its start time.
const HEAD_BYTES: u64 = 64 * 1024;

/// Sorts files by time. An unreadable one comes last: reading it reports why.
pub fn sort_by_time(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let paths = files
        .into_iter()
        .map(|path| (read_start_time(&path).ok(), path));
    let mut paths: Vec<_> = paths.collect();
    paths.sort_by(|(one, one_path), (two, two_path)| {
        let time_key = |it: &Option<Timestamp>| (Reverse(it.is_some()), *it);
        (time_key(one), one_path).cmp(&(time_key(two), two_path))
    });
    paths.into_iter().map(|(_, path)| path).collect()
}

fn read_start_time(path: &Path) -> io::Result<Timestamp> {
    match read_told_start(path)? {
        Some(began) => Ok(began),
        None => Timestamp::try_from(path.metadata()?.modified()?).map_err(io::Error::other),
    }
}

/// Returns when a transcript itself says that it began.
pub(super) fn read_told_start(path: &Path) -> io::Result<Option<Timestamp>> {
    if let Some(session) = StoredSession::open(path)? {
        return Ok(Some(session.began.unwrap_or_default()));
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(began_at(&to_utf8(&head)))
}

/// Keeps the newest files, at most `limit` of them, in the same order.
pub fn keep_newest(mut files: Vec<PathBuf>, limit: Option<usize>) -> Vec<PathBuf> {
    let surplus = limit.map_or(0, |limit| files.len().saturating_sub(limit));
    files.drain(..surplus);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_put_in_order_of_time() {
        let folder = tempfile::tempdir().unwrap();
        let written = [
            ("a.jsonl", r#"{"timestamp":"2026-03-01T00:00:00Z"}"#),
            ("b.jsonl", r#"{"timestamp":"2026-01-01T00:00:00Z"}"#),
            ("c.jsonl", r#"{"timestamp":"2026-02-01T00:00:00Z"}"#),
            ("d.jsonl", r#"{"timestamp":"2026-01-01T00:00:00Z"}"#),
            ("e.jsonl", "written now"),
        ];
        let path = |name: &str| folder.path().join(name);
        for (name, text) in written {
            std::fs::write(path(name), text).unwrap();
        }
        let names = [
            "gone", "e.jsonl", "d.jsonl", "c.jsonl", "b.jsonl", "a.jsonl",
        ];
        let ordered = sort_by_time(names.map(path).to_vec());
        let expected = [
            "b.jsonl", "d.jsonl", "c.jsonl", "a.jsonl", "e.jsonl", "gone",
        ];
        assert_eq!(ordered, expected.map(path));
    }
}
