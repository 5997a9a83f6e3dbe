//! Pauses hooks and background work by a file, for one project or for all.
//!
//! They are files below the state folder and not rows, because a hook checks them before it opens the database, and
//! because a person must be able to stop everything while the database is damaged. A file holds the end of the pause,
//! in milliseconds since 1970, or nothing for one that lasts until it is ended. Only automatic work checks it; commands
//! that a person types always run. Whoever starts an agent can pause it as well, by the variable
//! [`config::PAUSED_VARIABLE`]. Removing hardwon pauses the hooks of sessions that are still open: their clients have read
//! the settings long before.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::{ProjectId, digest};
use hardwon_engine::{private_file, regular_file};
use jiff::Timestamp;

use crate::config;

/// Bytes of a project's digest that name its file.
const DIGEST_BYTES: usize = 8;

/// A pause in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// Whether it holds in every project.
    pub everywhere: bool,
    /// When it ends by itself; `None` if never.
    pub until: Option<Timestamp>,
}

/// Returns the path of the file that pauses this project, or with `None` everything.
pub fn pause_file(state: &Path, project: Option<&ProjectId>) -> PathBuf {
    let folder = state.join("paused");
    match project {
        None => folder.join("everywhere"),
        Some(project) => {
            let digest = digest::hash_parts([project.as_str().as_bytes()]);
            folder.join(digest::to_hex(&digest[..DIGEST_BYTES]))
        }
    }
}

/// Returns the path of the file that pauses everything because hardwon was removed.
fn removal_file(state: &Path) -> PathBuf {
    state.join("paused").join("removed")
}

/// Returns whether automatic work is paused in this project at this time.
pub fn is_paused(state: &Path, project: Option<&ProjectId>, now: Timestamp) -> bool {
    config::is_pause_requested() || active_pause(state, project, now).is_some()
}

/// Returns the pause in force in this project; one of all projects comes first.
pub fn active_pause(state: &Path, project: Option<&ProjectId>, now: Timestamp) -> Option<Pause> {
    let is_on = |pause: &Pause| pause.until.is_none_or(|end| now < end);
    let files = [pause_file(state, None), removal_file(state)];
    let mut everywhere = files.iter().filter_map(|file| read_pause(file, true));
    let everywhere = everywhere.find(is_on);
    everywhere.or_else(|| read_pause(&pause_file(state, Some(project?)), false).filter(is_on))
}

/// Begins a pause, replacing an earlier one.
pub fn begin_pause(
    state: &Path,
    project: Option<&ProjectId>,
    until: Option<Timestamp>,
) -> io::Result<()> {
    write_pause(&pause_file(state, project), until)
}

/// Pauses everything until then, or until hardwon is set up again.
pub fn begin_removal(state: &Path, until: Timestamp) -> io::Result<()> {
    write_pause(&removal_file(state), Some(until))
}

/// Ends the pause of a removal; returns whether there was one.
pub fn end_removal(state: &Path) -> io::Result<bool> {
    remove_pause(&removal_file(state))
}

fn write_pause(path: &Path, until: Option<Timestamp>) -> io::Result<()> {
    let text = until.map(|end| end.as_millisecond().to_string());
    // Atomically: half a number would be another time.
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    private_file::write(&fresh, text.unwrap_or_default().as_bytes())?;
    fs::rename(&fresh, path)
}

/// Ends a pause; returns whether there was one.
pub fn end_pause(state: &Path, project: Option<&ProjectId>) -> io::Result<bool> {
    let was_removed = project.is_none() && end_removal(state)?;
    Ok(remove_pause(&pause_file(state, project))? || was_removed)
}

fn remove_pause(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reads a pause. An unreadable file counts as a pause without an end.
fn read_pause(path: &Path, everywhere: bool) -> Option<Pause> {
    let text = match regular_file::read_to_string(path) {
        Ok(text) => text,
        Err(error) if is_absent(&error) => return None,
        Err(_) => String::new(),
    };
    let milliseconds = text.trim().parse().ok();
    Some(Pause {
        everywhere,
        until: milliseconds.and_then(|millisecond| Timestamp::from_millisecond(millisecond).ok()),
    })
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn project(name: &str) -> ProjectId {
        ProjectId::parse(name).unwrap()
    }

    #[test]
    fn a_pause_holds_where_and_as_long_as_it_should() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        let (a, b) = (project("host/a"), project("host/b"));
        let paused = |second: i64| {
            [Some(&a), Some(&b), None].map(|it| u8::from(is_paused(&state, it, at(second))))
        };
        assert_eq!(paused(0), [0, 0, 0]);
        begin_pause(&state, Some(&a), None).unwrap();
        assert_eq!(paused(1_000_000), [1, 0, 0]);
        begin_pause(&state, Some(&a), Some(at(10))).unwrap();
        assert_eq!((paused(9), paused(10)), ([1, 0, 0], [0, 0, 0]));
        begin_pause(&state, None, Some(at(20))).unwrap();
        assert_eq!((paused(19), paused(20)), ([1, 1, 1], [0, 0, 0]));
        let both = active_pause(&state, Some(&a), at(5)).unwrap();
        assert_eq!((both.everywhere, both.until), (true, Some(at(20))));
        assert!(end_pause(&state, None).unwrap());
        assert!(!end_pause(&state, None).unwrap());
        assert_eq!(paused(5), [1, 0, 0]);
        let left = fs::read_dir(state.join("paused")).unwrap().count();
        assert_eq!(
            left, 1,
            "a file of the project, and none that was being written"
        );
    }

    #[test]
    fn what_cannot_be_read_is_a_pause() {
        let home = tempfile::tempdir().unwrap();
        let paused = || is_paused(home.path(), None, at(1));
        fs::create_dir(home.path().join("paused")).unwrap();
        for bytes in [&b"soon"[..], b"99999999999999999999", b"\xff", b" \n"] {
            fs::write(pause_file(home.path(), None), bytes).unwrap();
            assert!(paused(), "{bytes:?}");
        }
        fs::remove_file(pause_file(home.path(), None)).unwrap();
        fs::remove_dir(home.path().join("paused")).unwrap();
        fs::write(
            home.path().join("paused"),
            "a file where the folder should be",
        )
        .unwrap();
        assert!(!paused());
    }
}
