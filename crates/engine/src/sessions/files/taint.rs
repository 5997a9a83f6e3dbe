//! Which sessions have read content from outside: one empty file each, in a folder of their scope.
//! Without hooks nobody knows what was read.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hardwon_core::{digest, limits, scope::Scope};

use crate::private;

/// How long a session is taken to go on that was not told to be over.
const LASTS: Duration = Duration::from_secs(limits::OUTSIDE_HOURS * 3600);

/// Returns the folder of a scope.
pub(super) fn folder(state: &Path, scope: &Scope) -> PathBuf {
    let project = scope.project.as_ref().map_or("", |it| it.as_str());
    let names = [scope.tenant.as_str(), scope.agent.as_str(), project];
    let name = digest::hex(&digest::of(names.map(str::as_bytes))[..16]);
    state.join("outside").join(name)
}

pub(super) fn touch(path: &Path) -> io::Result<()> {
    let file = private::open(OpenOptions::new().write(true).create(true), path)?;
    file.set_modified(SystemTime::now())
}

/// Returns whether a session that may still go on is noted in a folder; the others are taken out.
pub(super) fn is_any(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let now = SystemTime::now();
    let goes_on = |entry: &fs::DirEntry| {
        let read = entry.metadata().and_then(|it| it.modified());
        // A time that cannot be told, or is ahead of ours, is as good as now.
        read.map_or(true, |at| {
            now.duration_since(at).map_or(true, |age| age < LASTS)
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
