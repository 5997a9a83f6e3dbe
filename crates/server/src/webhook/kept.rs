//! Webhooks as they are kept beside the keys of their tenants, where all servers over one store find them.

use hardwon_core::{api_key::WebhookRecord, id::TenantId};
use hardwon_store::{Result, keys::KeyStore};

use super::record::WebhookProgress;

/// A webhook, and how its deliveries fare.
#[derive(Debug, Clone)]
pub(crate) struct Webhook {
    pub(crate) record: WebhookRecord,
    pub(crate) progress: WebhookProgress,
}

impl Webhook {
    /// Reads what is kept. If a newer program wrote of its deliveries what this one cannot read, it is not served here.
    pub(crate) fn read(record: WebhookRecord) -> Option<Self> {
        let progress = serde_json::from_str(&record.progress).ok()?;
        Some(Self { record, progress })
    }

    /// Changes how deliveries fare if nobody else has since this was read, and returns the webhook then.
    pub(crate) fn change(
        &self,
        keys: &dyn KeyStore,
        change: impl FnOnce(&mut WebhookProgress),
    ) -> Result<Option<Self>> {
        let mut changed = self.clone();
        change(&mut changed.progress);
        changed.record.progress = changed.progress.to_json();
        let is_saved = keys.note_deliveries(&self.record, &changed.record.progress)?;
        Ok(is_saved.then_some(changed))
    }
}

/// Returns the webhook of a tenant, if it has one.
pub(crate) fn find_webhook(keys: &dyn KeyStore, tenant: &TenantId) -> Result<Option<Webhook>> {
    Ok(keys.find_webhook(tenant)?.and_then(Webhook::read))
}

/// Returns the webhooks of all tenants.
pub(crate) fn list_webhooks(keys: &dyn KeyStore) -> Result<Vec<Webhook>> {
    let mut all = Vec::new();
    let mut after: Option<TenantId> = None;
    loop {
        let page = keys.webhooks(after.as_ref())?;
        let Some(last) = page.last() else {
            return Ok(all);
        };
        after = Some(last.tenant.clone());
        all.extend(page.into_iter().filter_map(Webhook::read));
    }
}
