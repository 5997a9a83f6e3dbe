//! What sessions have read from outside: one file each in a folder of their scope, with the fingerprints of its words
//! one after the other. Without hooks nothing is known of what was read.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hardwon_core::{OutsideWords, Scope, digest, limits};

use super::super::fingerprints;
use crate::private_file;

/// How long a session without a reported end is taken to go on.
const SESSION_LASTS: Duration = Duration::from_secs(limits::OUTSIDE_HOURS * 3600);

/// Returns the folder of a scope.
pub(super) fn scope_folder(state: &Path, scope: &Scope) -> PathBuf {
    let project = scope.project_name().unwrap_or_default();
    let names = [scope.tenant.as_str(), scope.agent.as_str(), project];
    let name = digest::to_hex(&digest::hash_parts(names.map(str::as_bytes))[..16]);
    state.join("outside").join(name)
}

/// How the file of a session ends that is over.
const OVER: &str = "over";
/// Longest file of what sessions wrote, in bytes; then the next one begins, and takes the place of the one before.
const WRITTEN_BYTES: u64 = 256 * 1024;

/// Adds the fingerprints of words to the file of a session. Where there is no room for them, its words are no longer known.
pub(super) fn append_words(path: &Path, words: &OutsideWords) -> io::Result<()> {
    if !path.exists() {
        // It goes on.
        drop(fs::rename(path.with_extension(OVER), path));
    }
    let mut file = private_file::open(OpenOptions::new().append(true).create(true), path)?;
    if file.metadata()?.len() < fingerprints::MAX_BYTES as u64
        && file.write_all(&fingerprints::to_bytes(words)).is_err()
    {
        // A part of a fingerprint, for which a full disk has room.
        file.set_len(1)?;
    }
    file.set_modified(SystemTime::now())
}

/// Reads the file of a session; `None` if there is none, or it is incomplete.
pub(super) fn read_words(path: &Path) -> Option<OutsideWords> {
    let bytes = fs::read(path).ok()?;
    let is_whole = bytes.len() < fingerprints::MAX_BYTES;
    Some(fingerprints::read_words(&bytes, is_whole))
}

/// Reads the file of a session, be it over or not.
pub(super) fn read_session_words(path: &Path) -> Option<OutsideWords> {
    read_words(path).or_else(|| read_words(&path.with_extension(OVER)))
}

/// Notes that a session is over.
pub(super) fn end_words(path: &Path) {
    drop(fs::rename(path, path.with_extension(OVER)));
}

/// Adds the fingerprints of words to the file of what sessions wrote.
pub(super) fn append_written(path: &Path, words: &OutsideWords) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|about| about.len() > WRITTEN_BYTES) {
        fs::rename(path, path.with_extension("old"))?;
    }
    let mut file = private_file::open(OpenOptions::new().append(true).create(true), path)?;
    file.write_all(&fingerprints::to_bytes(words))
}

/// Reads the words that sessions wrote to files.
pub(super) fn read_written(path: &Path) -> OutsideWords {
    let mut words = OutsideWords::default();
    for path in [path.to_owned(), path.with_extension("old")] {
        let bytes = fs::read(path).unwrap_or_default();
        let whole = bytes.len() - bytes.len() % size_of::<u32>();
        words.extend(&fingerprints::read_words(&bytes[..whole], true));
    }
    words
}

/// Reads the files of all sessions of a folder that go on, or are over since a while.
pub(super) fn read_all_words(folder: &Path) -> OutsideWords {
    let mut all = OutsideWords::default();
    has_live_session(folder);
    if let Ok(entries) = fs::read_dir(folder) {
        let files = entries.flatten().take(limits::SESSION_FILES);
        let words =
            files.map(|file| read_words(&file.path()).unwrap_or_else(OutsideWords::unknown));
        words.for_each(|words| all.extend(&words));
    }
    all
}

/// Returns whether a folder has a session that may still go on; deletes the files of those that are long over.
pub(super) fn has_live_session(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let now = SystemTime::now();
    let goes_on = |entry: &fs::DirEntry| {
        let read = entry.metadata().and_then(|metadata| metadata.modified());
        // A time that cannot be read, or is in the future, counts as now.
        read.map_or(true, |at| {
            now.duration_since(at)
                .map_or(true, |age| age < SESSION_LASTS)
        })
    };
    let (kept, old): (Vec<_>, Vec<_>) = entries
        .flatten()
        .take(limits::SESSION_FILES)
        .partition(goes_on);
    for entry in old {
        drop(fs::remove_file(entry.path()));
    }
    let is_over = |entry: &fs::DirEntry| entry.path().extension().is_some();
    kept.iter().any(|entry| !is_over(entry))
}
