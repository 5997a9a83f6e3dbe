//! Keeps webhooks in one file a tenant, which only the server's user can read: each holds a secret.
//!
//! All servers of a machine share the files. One is changed under a lock and replaced whole.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use hardwon_core::{digest, id::TenantId};
use tempfile::NamedTempFile;

use super::record::Webhook;

/// The folder of webhooks.
#[derive(Debug, Clone)]
pub(crate) struct WebhookFiles(PathBuf);

impl WebhookFiles {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// Returns the webhook of a tenant, if it has one.
    pub(crate) fn find(&self, tenant: &TenantId) -> io::Result<Option<Webhook>> {
        read_webhook(&self.path_of(tenant, "json"))
    }

    /// Returns those of all tenants that can be read.
    pub(crate) fn list(&self) -> Vec<Webhook> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let paths = entries.map(|it| it.path());
        let files = paths.filter(|it| it.extension().is_some_and(|end| end == "json"));
        files.filter_map(|it| read_webhook(&it).ok()?).collect()
    }

    /// Changes a tenant's webhook: `change` gets the one that is there, and returns the one to be there after it.
    pub(crate) fn change<T>(
        &self,
        tenant: &TenantId,
        change: impl FnOnce(Option<Webhook>) -> (Option<Webhook>, T),
    ) -> io::Result<T> {
        self.make_folder()?;
        let _lock = self.lock(tenant)?;
        let path = self.path_of(tenant, "json");
        let before = read_webhook(&path)?;
        let (after, told) = change(before.clone());
        match &after {
            _ if after == before => {}
            Some(webhook) => self.write(&path, webhook)?,
            None => fs::remove_file(&path)?,
        }
        Ok(told)
    }

    /// Deletes a tenant's webhook, if it has one, and says whether it had.
    pub(crate) fn delete(&self, tenant: &TenantId) -> io::Result<bool> {
        match self.find(tenant)? {
            None => Ok(false),
            Some(_) => self.change(tenant, |before| (None, before.is_some())),
        }
    }

    fn write(&self, path: &Path, webhook: &Webhook) -> io::Result<()> {
        let mut file = NamedTempFile::new_in(&self.0)?;
        file.write_all(&serde_json::to_vec(webhook)?)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    fn lock(&self, tenant: &TenantId) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let path = self.path_of(tenant, "lock");
        let file = options.create(true).append(true).open(path)?;
        file.lock()?;
        Ok(file)
    }

    fn make_folder(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0)
    }

    /// A tenant's name may hold any character but a control one.
    fn path_of(&self, tenant: &TenantId, end: &str) -> PathBuf {
        let name = digest::hash_parts([tenant.as_str().as_bytes()]);
        self.0.join(format!("{}.{end}", digest::to_hex(&name)))
    }
}

fn read_webhook(path: &Path) -> io::Result<Option<Webhook>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
