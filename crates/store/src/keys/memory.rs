//! Keys in memory: the readable reference, and a store for tests. Nothing survives the process.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditEntry, KeyDecision, KeyEdit, KeyId, KeyKind, KeyOrder, KeyReach,
        TenantRecord, audit_genesis,
    },
    id::TenantId,
    journal::ChainHead,
    limits,
};
use jiff::Timestamp;

use super::{AuditListing, KeyChangeError, KeyListing, KeyRows, KeyStore, apply_order};
use crate::{Result, records::truncate_to_millisecond};

/// A store of keys in memory, gone when it is dropped.
#[derive(Default)]
pub struct MemoryKeyStore {
    tables: Mutex<KeyTables>,
}

impl fmt::Debug for MemoryKeyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryKeyStore")
    }
}

#[derive(Clone, Default)]
struct KeyTables {
    keys: BTreeMap<KeyId, ApiKeyRecord>,
    tenants: BTreeMap<TenantId, TenantRecord>,
    secrets: BTreeMap<String, [u8; 32]>,
    audit: Vec<AuditEntry>,
}

impl MemoryKeyStore {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the tables. A panic in another thread left them intact: changes replace them in one step.
    fn lock_tables(&self) -> MutexGuard<'_, KeyTables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyStore for MemoryKeyStore {
    fn find_key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        self.lock_tables().key(id)
    }

    fn keys(&self, listing: &KeyListing) -> Result<Vec<ApiKeyRecord>> {
        let tables = self.lock_tables();
        let after = |it: &&ApiKeyRecord| listing.after.as_ref().is_none_or(|last| it.id > *last);
        let seen = |it: &&ApiKeyRecord| is_within(&listing.reach, it.grant.tenant());
        let rows = tables.keys.values().filter(after).filter(seen);
        Ok(rows.take(bound_page(listing.limit)).cloned().collect())
    }

    fn has_valid_key(&self, now: Timestamp) -> Result<bool> {
        let tables = self.lock_tables();
        Ok(tables.keys.values().any(|it| it.is_valid_at(now)))
    }

    fn find_tenant(&self, id: &TenantId) -> Result<Option<TenantRecord>> {
        Ok(self.lock_tables().tenants.get(id).cloned())
    }

    fn tenants(&self, after: Option<&TenantId>, limit: usize) -> Result<Vec<TenantRecord>> {
        let tables = self.lock_tables();
        let rows = tables.tenants.values();
        let rows = rows.filter(|it| after.is_none_or(|last| it.id > *last));
        Ok(rows.take(bound_page(limit)).cloned().collect())
    }

    fn apply(&self, order: &KeyOrder) -> Result<KeyDecision, KeyChangeError> {
        let mut tables = self.lock_tables();
        let mut changed = tables.clone();
        let decision = apply_order(&mut changed, order)?;
        *tables = changed;
        Ok(decision)
    }

    fn note_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        let mut tables = self.lock_tables();
        for (id, at) in uses {
            if let Some(record) = tables.keys.get_mut(id) {
                record.last_used = record.last_used.max(Some(truncate_to_millisecond(*at)));
            }
        }
        Ok(())
    }

    fn share_secret(&self, name: &str, drawn: [u8; 32]) -> Result<[u8; 32]> {
        let mut tables = self.lock_tables();
        Ok(*tables.secrets.entry(name.to_owned()).or_insert(drawn))
    }

    fn audit(&self, listing: &AuditListing) -> Result<Vec<AuditEntry>> {
        let tables = self.lock_tables();
        let rows = tables.audit.iter().filter(|it| it.sequence > listing.after);
        let rows = rows.filter(|it| is_within(&listing.reach, it.event.tenant.as_ref()));
        Ok(rows.take(bound_page(listing.limit)).cloned().collect())
    }

    fn audit_head(&self) -> Result<ChainHead> {
        KeyRows::audit_head(&*self.lock_tables())
    }
}

fn bound_page(rows: usize) -> usize {
    rows.min(limits::PAGE_ROWS)
}

fn is_within(reach: &KeyReach, tenant: Option<&TenantId>) -> bool {
    match reach {
        KeyReach::Server => true,
        KeyReach::Tenant(own) => tenant == Some(own),
    }
}

impl KeyTables {
    fn unrevoked(&self) -> impl Iterator<Item = &ApiKeyRecord> {
        self.keys.values().filter(|it| it.revoked.is_none())
    }
}

impl KeyRows for KeyTables {
    fn key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>> {
        Ok(self.keys.get(id).cloned())
    }

    fn sessions_of(&self, opener: &KeyId) -> Result<Vec<ApiKeyRecord>> {
        let rows = self.unrevoked();
        let rows = rows.filter(|it| it.opened_by.as_ref() == Some(opener));
        Ok(rows.cloned().collect())
    }

    fn unrevoked_keys_of(&self, tenant: &TenantId) -> Result<Vec<ApiKeyRecord>> {
        let rows = self.unrevoked();
        let rows = rows.filter(|it| it.grant.tenant() == Some(tenant));
        Ok(rows.cloned().collect())
    }

    fn count_unrevoked_keys_of(&self, tenant: &TenantId) -> Result<usize> {
        let keys = self.unrevoked_keys_of(tenant)?.into_iter();
        Ok(keys.filter(|it| it.kind != KeyKind::Session).count())
    }

    fn expired_keys(&self, now: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>> {
        let is_over = |it: &&ApiKeyRecord| {
            let counts = it.revoked.is_none() || it.kind == KeyKind::Session;
            counts && it.expires.is_some_and(|end| end <= now)
        };
        let rows = self.keys.values().filter(is_over);
        Ok(rows.take(limit).cloned().collect())
    }

    fn ended_keys(&self, before: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>> {
        let has_ended = |it: &&ApiKeyRecord| it.ended_at().is_some_and(|at| at < before);
        let rows = self.keys.values().filter(has_ended);
        Ok(rows.take(limit).cloned().collect())
    }

    fn has_tenant(&self, id: &TenantId) -> Result<bool> {
        Ok(self.tenants.contains_key(id))
    }

    fn audit_head(&self) -> Result<ChainHead> {
        let last = self.audit.last();
        Ok(last.map_or_else(audit_genesis, AuditEntry::head))
    }

    fn carry_out(&mut self, edit: &KeyEdit) -> Result<()> {
        match edit {
            KeyEdit::SaveKey(record) => {
                drop(self.keys.insert(record.id.clone(), (**record).clone()));
            }
            KeyEdit::DeleteKey(id) => drop(self.keys.remove(id)),
            KeyEdit::AddTenant(tenant) => {
                drop(self.tenants.insert(tenant.id.clone(), tenant.clone()));
            }
            KeyEdit::RemoveTenant(id) => drop(self.tenants.remove(id)),
        }
        Ok(())
    }

    fn append_audit(&mut self, entry: &AuditEntry) -> Result<()> {
        self.audit.push(entry.clone());
        Ok(())
    }
}
