//! Where the state of sessions is kept: a folder for each tenant and agent.
//!
//! Callers choose the names of their sessions, and two of them may choose the same. So the names of one tenant's agent
//! are never looked up among those of another.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::{digest, id::TenantId, scope::Scope};
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

    /// Returns the folder of webhooks.
    pub(crate) fn webhook_folder(&self) -> PathBuf {
        self.0.join("webhooks")
    }

    /// Returns the sessions of every tenant and agent.
    pub(crate) fn list_all(&self) -> Vec<FileSessions> {
        let others = [self.sent_folder(), self.webhook_folder()];
        let tenants = list_folder(&self.0).filter(|path| !others.contains(path));
        let agents = tenants.flat_map(|tenant| list_folder(&tenant));
        agents.map(|path| FileSessions::new(&path)).collect()
    }

    /// Returns the sessions of a scope's tenant and agent.
    #[must_use]
    pub fn for_scope(&self, scope: &Scope) -> FileSessions {
        let folder = self.tenant_folder(&scope.tenant);
        FileSessions::new(&folder.join(hash_name(scope.agent.as_str())))
    }

    /// Deletes the state of all sessions of a tenant.
    pub(crate) fn erase_tenant(&self, tenant: &TenantId) -> io::Result<()> {
        match fs::remove_dir_all(self.tenant_folder(tenant)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn tenant_folder(&self, tenant: &TenantId) -> PathBuf {
        self.0.join(hash_name(tenant.as_str()))
    }
}

/// Lists what is in a folder; nothing if it cannot be read.
fn list_folder(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

/// Returns the name of a folder: a tenant's or agent's name may hold any character but a control one.
fn hash_name(name: &str) -> String {
    digest::to_hex(&digest::hash_parts([name.as_bytes()]))
}
