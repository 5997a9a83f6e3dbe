//! Where the state of sessions is kept: a folder for each tenant and agent, or a store that several servers share.
//!
//! Callers choose the names of their sessions, and two of them may choose the same. So the names of one tenant's agent
//! are never looked up among those of another.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use hardwon_core::{Scope, TenantId, digest};
use hardwon_engine::{FileSessions, Sessions, StoredSessions};
use hardwon_store::{Result, SessionStore};
use parking_lot::Mutex;

use crate::{KeyStore, key_store::read_tenants};

/// Where the state of all sessions is.
#[derive(Clone)]
pub struct SessionFolders {
    /// The folder below which it is, or what is only this server's.
    root: PathBuf,
    shared: Option<DatabaseSessions>,
}

/// The state of sessions in a store that several servers share.
#[derive(Clone)]
struct DatabaseSessions {
    store: Arc<dyn SessionStore>,
    /// Tenants of which runs were reported here, or were due when all were looked through last.
    reporting: Arc<Mutex<BTreeSet<TenantId>>>,
}

impl DatabaseSessions {
    fn list_tenant(&self, tenant: &TenantId) -> Result<Vec<Box<dyn Sessions>>> {
        let agents = self.store.list_agents(tenant)?.into_iter();
        let sessions = agents.map(|agent| -> Box<dyn Sessions> {
            let store = Arc::clone(&self.store);
            Box::new(StoredSessions::new(store, tenant.clone(), agent))
        });
        Ok(sessions.collect())
    }
}

impl SessionFolders {
    /// Keeps the state below this folder.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            shared: None,
        }
    }

    /// Keeps the state in a store that other servers use as well; only bodies that are being read stay in the folder.
    #[must_use]
    pub fn in_store(self, store: Arc<dyn SessionStore>) -> Self {
        let sessions = DatabaseSessions {
            store,
            reporting: Arc::default(),
        };
        Self {
            shared: Some(sessions),
            ..self
        }
    }

    /// Returns the folder of bodies that are being read.
    pub(crate) fn sent_folder(&self) -> PathBuf {
        self.root.join("sent")
    }

    /// Returns the sessions of every tenant and agent, and remembers which tenants have runs that are due.
    pub(crate) fn list_all(&self, keys: &KeyStore) -> Result<Vec<Box<dyn Sessions>>> {
        let Some(shared) = &self.shared else {
            return Ok(self.list_folders());
        };
        let mut all = Vec::new();
        for tenant in read_tenants(&**keys) {
            let tenant = tenant?.id;
            let sessions = shared.list_tenant(&tenant)?;
            if sessions.iter().any(|session| session.has_due()) {
                shared.reporting.lock().insert(tenant);
            }
            all.extend(sessions);
        }
        Ok(all)
    }

    /// Returns the sessions among which a run may have become quiet.
    pub(crate) fn list_reporting(&self) -> Result<Vec<Box<dyn Sessions>>> {
        let Some(shared) = &self.shared else {
            return Ok(self.list_folders());
        };
        let tenants = shared.reporting.lock().clone();
        let mut all = Vec::new();
        for tenant in tenants {
            // A report that comes meanwhile adds the tenant again.
            shared.reporting.lock().remove(&tenant);
            let sessions = shared.list_tenant(&tenant);
            let is_over =
                |found: &Vec<Box<dyn Sessions>>| !found.iter().any(|sessions| sessions.has_due());
            if !sessions.as_ref().is_ok_and(is_over) {
                shared.reporting.lock().insert(tenant);
            }
            all.extend(sessions?);
        }
        Ok(all)
    }

    /// Returns the sessions of a scope's tenant and agent.
    pub fn for_scope(&self, scope: &Scope) -> Box<dyn Sessions> {
        let Some(shared) = &self.shared else {
            let folder = self.tenant_folder(&scope.tenant);
            return Box::new(FileSessions::new(
                &folder.join(hash_name(scope.agent.as_str())),
            ));
        };
        let store = Arc::clone(&shared.store);
        let (tenant, agent) = (scope.tenant.clone(), scope.agent.clone());
        Box::new(StoredSessions::new(store, tenant, agent))
    }

    /// Returns the same for a report, after which a run may become quiet.
    pub(crate) fn for_report(&self, scope: &Scope) -> Box<dyn Sessions> {
        if let Some(shared) = &self.shared {
            shared.reporting.lock().insert(scope.tenant.clone());
        }
        self.for_scope(scope)
    }

    /// Deletes the state of all sessions of a tenant; in a store it went with the tenant's lessons.
    ///
    /// # Errors
    ///
    /// If a file cannot be deleted.
    pub fn erase_tenant(&self, tenant: &TenantId) -> io::Result<()> {
        match fs::remove_dir_all(self.tenant_folder(tenant)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn list_folders(&self) -> Vec<Box<dyn Sessions>> {
        let sent_folder = self.sent_folder();
        let tenants = list_folder(&self.root).filter(|path| *path != sent_folder);
        let agents = tenants.flat_map(|tenant| list_folder(&tenant));
        let sessions =
            agents.map(|path| -> Box<dyn Sessions> { Box::new(FileSessions::new(&path)) });
        sessions.collect()
    }

    fn tenant_folder(&self, tenant: &TenantId) -> PathBuf {
        self.root.join(hash_name(tenant.as_str()))
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
