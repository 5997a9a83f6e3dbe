//! Which sessions have read content from outside: one empty file each, in a folder of their scope.
//!
//! What an agent records by a tool comes without the session's name, and what the session read is
//! known to its hooks alone. So the tool's word is taken for that of whichever session here read
//! something and goes on: with two side by side one too many may be tainted. Without hooks nobody
//! knows what was read.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hardwon_core::{digest, limits, scope::Scope};
use hardwon_engine::attend::{Happened, Start};

use super::memory::private_folder;

/// How long a session is taken to go on that was not told to be over.
const LASTS: Duration = Duration::from_secs(limits::OUTSIDE_HOURS * 3600);

fn folder(state: &Path, scope: &Scope) -> PathBuf {
    let project = scope.project.as_ref().map_or("", |it| it.as_str());
    let names = [scope.tenant.as_str(), scope.agent.as_str(), project];
    let name = digest::hex(&digest::of(names.map(str::as_bytes))[..16]);
    state.join("outside").join(name)
}

/// Notes what a session's events say of it; most say nothing.
pub(super) fn note(state: &Path, scope: &Scope, key: &str, happened: &[Happened]) {
    for what in happened {
        let file = || folder(state, scope).join(key);
        match what {
            Happened::Called { what, .. } if what.external => {
                // Where nothing can be written down, nothing can be remembered either.
                drop(touch(&file()));
            }
            Happened::Started(Start::Fresh) | Happened::Ended => drop(fs::remove_file(file())),
            _ => {}
        }
    }
}

fn touch(path: &Path) -> io::Result<()> {
    let file = match File::create(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), private_folder)?;
            File::create(path)?
        }
        opened => opened?,
    };
    file.set_modified(SystemTime::now())
}

/// Returns whether a session of this scope that may still go on has read content from outside.
#[must_use]
pub(crate) fn was_read(state: &Path, scope: &Scope) -> bool {
    let Ok(entries) = fs::read_dir(folder(state, scope)) else {
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
