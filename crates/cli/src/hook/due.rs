//! Which sessions are to be learned from: one small file each, until it is done.
//!
//! A hook writes it down and goes. Whoever learns claims it by renaming; killed in the middle, it
//! leaves the claim behind, and the next one takes it up. A session that changes meanwhile is
//! written down anew, so however many events say that it is due, it is learned from once for each
//! state that it was left in.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use hardwon_core::limits;
use serde::{Deserialize, Serialize};

use super::memory::private_folder;

/// What is known of a session that is to be learned from. Where it lies is needed as it is; nothing
/// of what was said in it stands here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Due {
    /// Its run.
    pub(super) run: String,
    /// The client that said so.
    pub(super) client: String,
    /// Where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) folder: Option<PathBuf>,
    /// Its transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) transcript: Option<PathBuf>,
    /// How often learning from it failed.
    #[serde(default)]
    pub(super) tries: u32,
}

/// What a claimed file's name ends in.
const CLAIMED: &str = "claimed";

/// Returns the folder of what is due.
pub(super) fn folder(state: &Path) -> PathBuf {
    state.join("due")
}

/// Writes down that a session is to be learned from.
pub(super) fn write(state: &Path, key: &str, due: &Due) -> io::Result<()> {
    let text = serde_json::to_vec(due).map_err(io::Error::other)?;
    let folder = folder(state);
    // If it is claimed from here on, it is learned from as it is now.
    if fs::read(folder.join(key)).is_ok_and(|before| before == text) {
        return Ok(());
    }
    let fresh = folder.join(format!("{key}.{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(&fresh) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private_folder(&folder)?;
            options.open(&fresh)?
        }
        opened => opened?,
    };
    file.write_all(&text)?;
    fs::rename(&fresh, folder.join(key))
}

/// Returns whether any session is to be learned from.
#[must_use]
pub(super) fn is_any(state: &Path) -> bool {
    fs::read_dir(folder(state)).is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns the keys of sessions that are to be learned from, claimed ones first; not all at once if
/// there are very many.
#[must_use]
pub(super) fn list(state: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder(state)) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut claimed = Vec::new();
    let mut waiting = Vec::new();
    for name in names.take(limits::SESSION_FILES) {
        match name.split_once('.') {
            Some((key, CLAIMED)) => claimed.push(key.to_owned()),
            Some(_) => {}
            None => waiting.push(name),
        }
    }
    waiting.retain(|key| !claimed.contains(key));
    claimed.extend(waiting);
    claimed.truncate(limits::CAPTURES);
    claimed
}

/// Claims a session, or takes up a claim that was left behind; none if there is nothing to claim.
pub(super) fn claim(state: &Path, key: &str) -> Option<Due> {
    let (waiting, claimed) = paths(state, key);
    match fs::rename(&waiting, &claimed) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return None,
        Ok(()) | Err(_) => {}
    }
    let due = serde_json::from_slice(&fs::read(&claimed).ok()?);
    if due.is_err() {
        drop(fs::remove_file(&claimed));
    }
    due.ok()
}

/// Lets go of a claim: what was to be learned is learned, or will never be.
pub(super) fn finish(state: &Path, key: &str) {
    drop(fs::remove_file(paths(state, key).1));
}

/// Lets go of a claim so that it is tried another time; false if it was tried often enough.
pub(super) fn put_off(state: &Path, key: &str, due: &Due) -> bool {
    let due = Due {
        tries: due.tries + 1,
        ..due.clone()
    };
    let again = due.tries < limits::CAPTURE_TRIES;
    // A newer word about the session counts for more.
    if again && !paths(state, key).0.exists() {
        drop(write(state, key, &due));
    }
    finish(state, key);
    again
}

fn paths(state: &Path, key: &str) -> (PathBuf, PathBuf) {
    let folder = folder(state);
    (folder.join(key), folder.join(format!("{key}.{CLAIMED}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_claimed_until_it_is_done() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        let due = Due {
            run: "s1".to_owned(),
            client: "codex".to_owned(),
            folder: None,
            transcript: Some("/t.jsonl".into()),
            tries: 0,
        };
        assert!(!is_any(&state));
        write(&state, "k1", &due).unwrap();
        write(&state, "k1", &due).unwrap();
        write(&state, "k2", &due).unwrap();
        assert!(is_any(&state));
        assert_eq!(claim(&state, "k1"), Some(due.clone()));
        assert_eq!(
            list(&state),
            ["k1", "k2"],
            "a claim may have been left behind"
        );
        assert_eq!(claim(&state, "k1"), Some(due.clone()), "so it is taken up");
        write(&state, "k1", &due).unwrap();
        finish(&state, "k1");
        assert_eq!(
            claim(&state, "k1"),
            Some(due.clone()),
            "it changed meanwhile"
        );
        assert!(put_off(&state, "k1", &due));
        assert!(put_off(&state, "k1", &claim(&state, "k1").unwrap()));
        assert!(!put_off(&state, "k1", &claim(&state, "k1").unwrap()));
        assert_eq!(list(&state), ["k2"]);
        fs::write(folder(&state).join("k2"), "half a wo").unwrap();
        assert_eq!(claim(&state, "k2"), None);
        assert!(!is_any(&state));
    }
}
