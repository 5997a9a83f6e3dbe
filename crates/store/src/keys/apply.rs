//! Applies an order over the rows of one transaction: what every backend does alike.

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditEntry, KeyChange, KeyDecision, KeyEdit, KeyId, KeyOrder, KeyState,
        decide_key_order,
    },
    id::TenantId,
    journal::ChainHead,
    limits,
};
use jiff::Timestamp;

use super::KeyChangeError;
use crate::{Result, records::truncate_to_millisecond};

/// The rows of keys, tenants and the audit log, in a transaction that sees its own changes and nobody else's.
pub trait KeyRows {
    /// Returns the record of a key.
    fn key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>>;
    /// Returns the sessions that a key opened and that are not revoked.
    fn sessions_of(&self, opener: &KeyId) -> Result<Vec<ApiKeyRecord>>;
    /// Returns the keys and sessions of a tenant that are not revoked.
    fn unrevoked_keys_of(&self, tenant: &TenantId) -> Result<Vec<ApiKeyRecord>>;
    /// Counts those, sessions apart.
    fn count_unrevoked_keys_of(&self, tenant: &TenantId) -> Result<usize>;
    /// Returns keys whose time is over and that are not revoked, and sessions whose time is over.
    fn expired_keys(&self, now: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>>;
    /// Returns keys that were revoked, or whose time was over, before a time.
    fn ended_keys(&self, before: Timestamp, limit: usize) -> Result<Vec<ApiKeyRecord>>;
    /// Returns whether a tenant exists.
    fn has_tenant(&self, id: &TenantId) -> Result<bool>;
    /// Returns the end of the audit log.
    fn audit_head(&self) -> Result<ChainHead>;

    /// Does one thing that was decided.
    fn carry_out(&mut self, edit: &KeyEdit) -> Result<()>;
    /// Appends an entry to the audit log.
    fn append_audit(&mut self, entry: &AuditEntry) -> Result<()>;
}

/// Decides about an order and carries the decision out. On an error the transaction must be rolled back.
pub fn apply_order(
    rows: &mut dyn KeyRows,
    order: &KeyOrder,
) -> Result<KeyDecision, KeyChangeError> {
    let order = truncate_times(order);
    let decision = decide_key_order(&order, &read_state(rows, &order)?)?;
    for edit in &decision.edits {
        rows.carry_out(edit)?;
    }
    let mut head = rows.audit_head()?;
    for event in &decision.events {
        let entry = event.clone().chain_after(head);
        rows.append_audit(&entry)?;
        head = entry.head();
    }
    Ok(decision)
}

/// Reads what the decision about an order needs.
fn read_state(rows: &dyn KeyRows, order: &KeyOrder) -> Result<KeyState> {
    let with_keys = |keys: Vec<ApiKeyRecord>| KeyState {
        keys,
        ..KeyState::default()
    };
    Ok(match &order.change {
        KeyChange::AddTenant(tenant) => KeyState {
            has_tenant: rows.has_tenant(tenant)?,
            ..KeyState::default()
        },
        KeyChange::RemoveTenant(tenant) => KeyState {
            has_tenant: rows.has_tenant(tenant)?,
            ..with_keys(rows.unrevoked_keys_of(tenant)?)
        },
        KeyChange::AddKey(record) => state_for_new(rows, record)?,
        KeyChange::RotateKey { key, .. } | KeyChange::RevokeKey(key) => {
            let mut keys: Vec<_> = rows.key(key)?.into_iter().collect();
            keys.extend(rows.sessions_of(key)?);
            with_keys(keys)
        }
        KeyChange::EndExpired => with_keys(rows.expired_keys(order.at, limits::PAGE_ROWS)?),
        KeyChange::PruneKeys { ended_before } => {
            with_keys(rows.ended_keys(*ended_before, limits::PAGE_ROWS)?)
        }
    })
}

fn state_for_new(rows: &dyn KeyRows, record: &ApiKeyRecord) -> Result<KeyState> {
    let mut state = KeyState::default();
    if let Some(tenant) = record.grant.tenant() {
        state.has_tenant = rows.has_tenant(tenant)?;
        state.key_count = rows.count_unrevoked_keys_of(tenant)?;
    }
    for id in [Some(&record.id), record.opened_by.as_ref()] {
        let found = id.map(|it| rows.key(it)).transpose()?;
        state.keys.extend(found.flatten());
    }
    if let Some(opener) = &record.opened_by {
        state.keys.extend(rows.sessions_of(opener)?);
    }
    Ok(state)
}

/// Truncates every time of an order to what is kept of it, so that all backends keep the same.
fn truncate_times(order: &KeyOrder) -> KeyOrder {
    let cut = truncate_to_millisecond;
    let change = match &order.change {
        KeyChange::AddKey(record) => KeyChange::AddKey(Box::new(ApiKeyRecord {
            created: cut(record.created),
            expires: record.expires.map(cut),
            ..(**record).clone()
        })),
        KeyChange::RotateKey {
            key,
            secret,
            older_until,
        } => KeyChange::RotateKey {
            key: key.clone(),
            secret: secret.clone(),
            older_until: cut(*older_until),
        },
        KeyChange::PruneKeys { ended_before } => KeyChange::PruneKeys {
            ended_before: cut(*ended_before),
        },
        other => other.clone(),
    };
    KeyOrder {
        at: cut(order.at),
        change,
        ..order.clone()
    }
}
