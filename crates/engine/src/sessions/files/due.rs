//! The sessions due to be learned from: one small file each, until it is done.
//!
//! A hook writes it and ends. The learning process claims it by renaming; killed in the middle, it leaves the claim
//! behind, and the next one takes it over. A session that changes meanwhile is written again, so however many events
//! say that it is due, it is learned from once for each state that it was left in.

use std::{fs, io, path::PathBuf};

use hardwon_core::limits;

use super::DueSession;
use crate::{private_file, sessions::SessionKey};

/// The extension of a claimed file.
const CLAIMED_EXTENSION: &str = "claimed";

/// The folder of due sessions.
pub(super) struct DueFolder(pub(super) PathBuf);

impl DueFolder {
    pub(super) fn write_due(&self, key: &SessionKey, due: &DueSession) -> io::Result<()> {
        let text = serde_json::to_vec(due).map_err(io::Error::other)?;
        let waiting = self.waiting_path(key);
        // If it is claimed from here on, the session is learned from as it is now.
        if fs::read(&waiting).is_ok_and(|before| before == text) {
            return Ok(());
        }
        let fresh = self.0.join(format!("{key}.{}", std::process::id()));
        private_file::write(&fresh, &text)?;
        fs::rename(&fresh, waiting)
    }

    pub(super) fn list_keys(&self) -> Vec<SessionKey> {
        let mut keys = self.list_all_keys();
        keys.truncate(limits::CAPTURE_BATCH);
        keys
    }

    /// Returns the keys of all due sessions, abandoned claims first.
    pub(super) fn list_all_keys(&self) -> Vec<SessionKey> {
        let Ok(entries) = fs::read_dir(&self.0) else {
            return Vec::new();
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        let mut claims = Vec::new();
        let mut waiting = Vec::new();
        for name in names.take(limits::SESSION_FILES) {
            match name.split_once('.') {
                Some((key, CLAIMED_EXTENSION)) => claims.push(SessionKey(key.to_owned())),
                Some(_) => {}
                None => waiting.push(SessionKey(name)),
            }
        }
        waiting.retain(|key| !claims.contains(key));
        claims.extend(waiting);
        claims
    }

    pub(super) fn claim_due(&self, key: &SessionKey) -> Option<DueSession> {
        let path = self.claimed_path(key);
        match fs::rename(self.waiting_path(key), &path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return None,
            Ok(()) | Err(_) => {}
        }
        let due = serde_json::from_slice(&fs::read(&path).ok()?);
        if due.is_err() {
            drop(fs::remove_file(&path));
        }
        due.ok()
    }

    pub(super) fn remove_claim(&self, key: &SessionKey) {
        drop(fs::remove_file(self.claimed_path(key)));
    }

    pub(super) fn put_off_due(&self, key: &SessionKey, due: &DueSession) -> bool {
        let due = due.with_retry();
        let again = due.tries < limits::CAPTURE_TRIES;
        // A newer entry for the session takes precedence.
        if again && !self.waiting_path(key).exists() {
            drop(self.write_due(key, &due));
        }
        self.remove_claim(key);
        again
    }

    fn waiting_path(&self, key: &SessionKey) -> PathBuf {
        self.0.join(&key.0)
    }

    fn claimed_path(&self, key: &SessionKey) -> PathBuf {
        self.0.join(format!("{key}.{CLAIMED_EXTENSION}"))
    }
}
