//! What sessions have read from outside: one file each in a folder of their scope, with the fingerprints of its words
//! one after the other. Without hooks nothing is known of what was read.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hardwon_core::{digest, limits, outside::OutsideWords, scope::Scope};

use super::super::fingerprints;
use crate::private_file;

/// How long a session without a reported end is taken to go on.
const SESSION_LASTS: Duration = Duration::from_secs(limits::OUTSIDE_HOURS * 3600);

/// Returns the folder of a scope.
pub(super) fn scope_folder(state: &Path, scope: &Scope) -> PathBuf {
    let project = scope.project.as_ref().map_or("", |it| it.as_str());
    let names = [scope.tenant.as_str(), scope.agent.as_str(), project];
    let name = digest::to_hex(&digest::hash_parts(names.map(str::as_bytes))[..16]);
    state.join("outside").join(name)
}

/// Adds the fingerprints of words to the file of a session.
pub(super) fn append_words(path: &Path, words: &OutsideWords) -> io::Result<()> {
    let mut file = private_file::open(OpenOptions::new().append(true).create(true), path)?;
    if file.metadata()?.len() < fingerprints::MAX_BYTES as u64 {
        file.write_all(&fingerprints::to_bytes(words))?;
    }
    file.set_modified(SystemTime::now())
}

/// Reads the file of a session; `None` if there is none, or it is incomplete.
pub(super) fn read_words(path: &Path) -> Option<OutsideWords> {
    let bytes = fs::read(path).ok()?;
    let is_whole = bytes.len() < fingerprints::MAX_BYTES;
    Some(fingerprints::read_words(&bytes, is_whole))
}

/// Reads the files of all sessions of a folder that may still go on.
pub(super) fn read_all_words(folder: &Path) -> OutsideWords {
    let mut all = OutsideWords::default();
    if has_live_session(folder)
        && let Ok(entries) = fs::read_dir(folder)
    {
        let files = entries.flatten().take(limits::SESSION_FILES);
        let words =
            files.map(|file| read_words(&file.path()).unwrap_or_else(OutsideWords::unknown));
        words.for_each(|words| all.extend(&words));
    }
    all
}

/// Returns whether a folder has a session that may still go on; deletes the files of the others.
pub(super) fn has_live_session(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let now = SystemTime::now();
    let goes_on = |entry: &fs::DirEntry| {
        let read = entry.metadata().and_then(|it| it.modified());
        // A time that cannot be read, or is in the future, counts as now.
        read.map_or(true, |at| {
            now.duration_since(at)
                .map_or(true, |age| age < SESSION_LASTS)
        })
    };
    let (on, over): (Vec<_>, Vec<_>) = entries
        .flatten()
        .take(limits::SESSION_FILES)
        .partition(goes_on);
    for entry in over {
        drop(fs::remove_file(entry.path()));
    }
    !on.is_empty()
}
