//! Where the state of sessions is kept: a folder for each tenant and agent.
//!
//! Callers choose the names of their sessions, and two of them may choose the same. So the names of one tenant's agent
//! are never looked up among those of another.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_core::{digest, scope::Scope};
use hardwon_engine::sessions::FileSessions;

/// The folder below which the state of all sessions is.
#[derive(Debug, Clone)]
pub struct SessionFolders(PathBuf);

impl SessionFolders {
    /// Keeps the state below this folder.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self(root.to_path_buf())
    }

    /// Returns the folder of bodies that are being read.
    pub(crate) fn sent_folder(&self) -> PathBuf {
        self.0.join("sent")
    }

    /// Returns the sessions of every tenant and agent.
    pub(crate) fn list_all(&self) -> Vec<FileSessions> {
        let Ok(entries) = fs::read_dir(&self.0) else {
            return Vec::new();
        };
        let folders = entries.flatten().map(|entry| entry.path());
        let folders = folders.filter(|path| *path != self.sent_folder());
        folders.map(|path| FileSessions::new(&path)).collect()
    }

    /// Returns the sessions of a scope's tenant and agent.
    #[must_use]
    pub fn for_scope(&self, scope: &Scope) -> FileSessions {
        // A name may hold any character but a control one, so a folder is named after its hash.
        let names = [scope.tenant.as_str(), scope.agent.as_str()];
        let hash = digest::hash_parts(names.map(str::as_bytes));
        FileSessions::new(&self.0.join(digest::to_hex(&hash)))
    }
}
