//! Decides what an order to change keys or tenants does.
//!
//! A store reads the [state](KeyState) that an order is about, asks [`decide_key_order`], and carries the
//! [decision](KeyDecision) out in the same transaction.

use jiff::Timestamp;

use super::{
    ApiKeyRecord, AuditAction, AuditEvent, KeyId, KeyKind, OlderSecret, Revocation, SecretHash,
    audit::describe_record,
};
use crate::{change::Actor, id::TenantId, limits};

/// An order to change keys or tenants.
#[derive(Debug, Clone)]
pub struct KeyOrder {
    /// When it was given, in whole milliseconds.
    pub at: Timestamp,
    /// Who gave it.
    pub by: Actor,
    /// What whoever gave it can reach.
    pub reach: KeyReach,
    /// What is to change.
    pub change: KeyChange,
}

/// Which keys an order can reach. One that it cannot does not exist for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyReach {
    /// All keys and tenants: an operator's.
    Server,
    /// The keys of one tenant: an owner's.
    Tenant(TenantId),
}

/// A change to keys or tenants.
#[derive(Debug, Clone)]
pub enum KeyChange {
    /// Adds a tenant.
    AddTenant(TenantId),
    /// Removes a tenant and revokes its keys. Its lessons are the business of their own store.
    RemoveTenant(TenantId),
    /// Adds a key, or a session that a key opened, or an identity, which may be there already and is renewed.
    AddKey(Box<ApiKeyRecord>),
    /// Gives a key a new secret, and ends the sessions that it opened.
    RotateKey {
        /// The key.
        key: KeyId,
        /// The hash of its new secret.
        secret: SecretHash,
        /// Until when the present secret is accepted as well. A time in the past ends it at once.
        older_until: Timestamp,
    },
    /// Revokes a key, and the sessions that it opened.
    RevokeKey(KeyId),
    /// Ends the keys whose time is over, and forgets sessions whose time is.
    EndExpired,
    /// Forgets keys that ended before a time. What was done with them and to them stays in the log.
    PruneKeys {
        /// The time.
        ended_before: Timestamp,
    },
}

/// What is there of the keys and tenants that an order is about.
#[derive(Debug, Clone, Default)]
pub struct KeyState {
    /// Whether its tenant exists.
    pub has_tenant: bool,
    /// How many keys of its tenant are neither revoked nor ended, sessions apart.
    pub key_count: usize,
    /// The keys: the named one with its sessions, the one that opened a session to be added with its others, all of a
    /// tenant to be removed, or those whose time is over or that ended.
    pub keys: Vec<ApiKeyRecord>,
}

/// What is kept about a tenant of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRecord {
    /// Its name.
    pub id: TenantId,
    /// When it was added, in whole milliseconds.
    pub created: Timestamp,
}

/// One thing that a store has to do.
#[derive(Debug, Clone)]
pub enum KeyEdit {
    /// Save a record in place of the one of the same id.
    SaveKey(Box<ApiKeyRecord>),
    /// Delete a record.
    DeleteKey(KeyId),
    /// Add a tenant.
    AddTenant(TenantRecord),
    /// Delete a tenant's row.
    RemoveTenant(TenantId),
}

/// What an order does. An order without effect, such as to revoke a revoked key, has none of either.
#[derive(Debug, Clone, Default)]
pub struct KeyDecision {
    /// What a store has to do, in order.
    pub edits: Vec<KeyEdit>,
    /// What its log has to record, in order.
    pub events: Vec<AuditEvent>,
}

/// Why an order was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyChangeRefusal {
    /// No such key, or one out of reach.
    #[error("there is no key {0}")]
    UnknownKey(KeyId),
    /// The key was revoked or has expired.
    #[error("key {0} has ended: add another")]
    EndedKey(KeyId),
    /// A key of this id exists already.
    #[error("there is a key {0} already")]
    KeyExists(KeyId),
    /// A session ends by itself and has no other secret.
    #[error("{0} is a session in a browser, and its secret cannot be changed")]
    SessionKey(KeyId),
    /// Nobody holds the secret of an identity.
    #[error("{0} is known by an identity provider, and has no secret")]
    IdentityKey(KeyId),
    /// No such tenant.
    #[error("there is no tenant {0}")]
    UnknownTenant(TenantId),
    /// There is one of this name.
    #[error("there is a tenant {0} already")]
    TenantExists(TenantId),
    /// Too many keys.
    #[error("tenant {0} has {max} keys already: revoke some first", max = limits::TENANT_KEYS)]
    TooManyKeys(TenantId),
    /// Only an operator changes this.
    #[error("only an operator of the server may do this")]
    OutOfReach,
}

/// Decides what an order does to what is there.
pub fn decide_key_order(
    order: &KeyOrder,
    state: &KeyState,
) -> Result<KeyDecision, KeyChangeRefusal> {
    match &order.change {
        KeyChange::AddTenant(tenant) => add_tenant(order, state, tenant),
        KeyChange::RemoveTenant(tenant) => remove_tenant(order, state, tenant),
        KeyChange::AddKey(record) => add_key(order, state, record),
        KeyChange::RotateKey {
            key,
            secret,
            older_until,
        } => rotate_key(order, state, key, secret, *older_until),
        KeyChange::RevokeKey(key) => revoke_key(order, state, key),
        KeyChange::EndExpired => end_expired(order, state),
        KeyChange::PruneKeys { ended_before } => prune_keys(order, state, *ended_before),
    }
}

fn add_tenant(
    order: &KeyOrder,
    state: &KeyState,
    tenant: &TenantId,
) -> Result<KeyDecision, KeyChangeRefusal> {
    order.check_reaches_server()?;
    if state.has_tenant {
        return Err(KeyChangeRefusal::TenantExists(tenant.clone()));
    }
    Ok(KeyDecision {
        edits: vec![KeyEdit::AddTenant(TenantRecord {
            id: tenant.clone(),
            created: order.at,
        })],
        events: vec![order.tenant_event(AuditAction::TenantAdded, tenant)],
    })
}

fn remove_tenant(
    order: &KeyOrder,
    state: &KeyState,
    tenant: &TenantId,
) -> Result<KeyDecision, KeyChangeRefusal> {
    order.check_reaches_server()?;
    if !state.has_tenant {
        return Err(KeyChangeRefusal::UnknownTenant(tenant.clone()));
    }
    let mut decision = KeyDecision::default();
    decision.revoke_all(order, &state.keys);
    // Those of a later tenant of this name are not kept out for what became of this one.
    let identities = state.keys.iter().filter(|it| it.kind == KeyKind::Identity);
    let forgotten = identities.map(|it| KeyEdit::DeleteKey(it.id.clone()));
    decision.edits.extend(forgotten);
    let removed = order.tenant_event(AuditAction::TenantRemoved, tenant);
    decision.edits.push(KeyEdit::RemoveTenant(tenant.clone()));
    decision.events.push(removed);
    Ok(decision)
}

fn add_key(
    order: &KeyOrder,
    state: &KeyState,
    record: &ApiKeyRecord,
) -> Result<KeyDecision, KeyChangeRefusal> {
    if !order.can_reach(record) {
        return Err(KeyChangeRefusal::OutOfReach);
    }
    let find = |id: &KeyId| state.keys.iter().find(|it| it.id == *id);
    let before = find(&record.id);
    if let Some(kept) = before.filter(|it| !record.renews(it)) {
        let id = record.id.clone();
        return Err(match kept.kind {
            KeyKind::Identity => KeyChangeRefusal::EndedKey(id),
            _ => KeyChangeRefusal::KeyExists(id),
        });
    }
    if let Some(opener) = &record.opened_by
        && !find(opener).is_some_and(|it| it.is_valid_at(order.at))
    {
        return Err(KeyChangeRefusal::EndedKey(opener.clone()));
    }
    if let Some(tenant) = record.grant.tenant() {
        if !state.has_tenant {
            return Err(KeyChangeRefusal::UnknownTenant(tenant.clone()));
        }
        let is_counted = record.kind != KeyKind::Session && before.is_none();
        if state.key_count >= limits::TENANT_KEYS && is_counted {
            return Err(KeyChangeRefusal::TooManyKeys(tenant.clone()));
        }
    }
    let mut decision = KeyDecision::default();
    if let Some(opener) = &record.opened_by {
        decision.end_oldest_sessions(order, state, opener);
    }
    let after = ApiKeyRecord {
        last_used: before.and_then(|it| it.last_used),
        ..record.clone()
    };
    decision.save(order, AuditAction::KeyAdded, before, after);
    Ok(decision)
}

fn rotate_key(
    order: &KeyOrder,
    state: &KeyState,
    id: &KeyId,
    secret: &SecretHash,
    older_until: Timestamp,
) -> Result<KeyDecision, KeyChangeRefusal> {
    let before = order.find_key(state, id)?;
    match before.kind {
        KeyKind::Session => return Err(KeyChangeRefusal::SessionKey(id.clone())),
        KeyKind::Identity => return Err(KeyChangeRefusal::IdentityKey(id.clone())),
        KeyKind::Tenant | KeyKind::Operator => {}
    }
    if !before.is_valid_at(order.at) {
        return Err(KeyChangeRefusal::EndedKey(id.clone()));
    }
    let after = ApiKeyRecord {
        secret: secret.clone(),
        older_secret: (order.at < older_until).then(|| OlderSecret {
            hash: before.secret.clone(),
            until: older_until,
        }),
        ..before.clone()
    };
    let mut decision = KeyDecision::default();
    decision.save(order, AuditAction::KeyRotated, Some(before), after);
    let sessions = state.keys.iter().filter(|it| it.id != *id);
    decision.revoke_all(order, sessions);
    Ok(decision)
}

fn revoke_key(
    order: &KeyOrder,
    state: &KeyState,
    id: &KeyId,
) -> Result<KeyDecision, KeyChangeRefusal> {
    order.find_key(state, id)?;
    let mut decision = KeyDecision::default();
    decision.revoke_all(order, &state.keys);
    Ok(decision)
}

fn end_expired(order: &KeyOrder, state: &KeyState) -> Result<KeyDecision, KeyChangeRefusal> {
    order.check_reaches_server()?;
    let mut decision = KeyDecision::default();
    for before in &state.keys {
        if before.revoked.is_none() {
            let after = order.revoked(before);
            decision.save(order, AuditAction::KeyExpired, Some(before), after);
        }
        // An identity that comes again is added again; one that somebody revoked stays so.
        if matches!(before.kind, KeyKind::Session | KeyKind::Identity) {
            decision.edits.push(KeyEdit::DeleteKey(before.id.clone()));
        }
    }
    Ok(decision)
}

fn prune_keys(
    order: &KeyOrder,
    state: &KeyState,
    ended_before: Timestamp,
) -> Result<KeyDecision, KeyChangeRefusal> {
    order.check_reaches_server()?;
    let mut decision = KeyDecision::default();
    let ended = |it: &&ApiKeyRecord| {
        it.ended_at()
            .is_some_and(|at| at < ended_before.min(order.at))
    };
    for before in state.keys.iter().filter(ended) {
        decision.edits.push(KeyEdit::DeleteKey(before.id.clone()));
        decision.events.push(AuditEvent {
            at: order.at,
            by: order.by.clone(),
            action: AuditAction::KeyForgotten,
            tenant: before.grant.tenant().cloned(),
            key: Some(before.id.clone()),
            before: Some(describe_record(before)),
            after: None,
        });
    }
    Ok(decision)
}

impl KeyOrder {
    fn check_reaches_server(&self) -> Result<(), KeyChangeRefusal> {
        match self.reach {
            KeyReach::Server => Ok(()),
            KeyReach::Tenant(_) => Err(KeyChangeRefusal::OutOfReach),
        }
    }

    fn can_reach(&self, record: &ApiKeyRecord) -> bool {
        match &self.reach {
            KeyReach::Server => true,
            KeyReach::Tenant(own) => record.grant.tenant() == Some(own),
        }
    }

    /// Finds a key that the order names; one out of reach is not there.
    fn find_key<'s>(
        &self,
        state: &'s KeyState,
        id: &KeyId,
    ) -> Result<&'s ApiKeyRecord, KeyChangeRefusal> {
        let found = state.keys.iter().find(|it| it.id == *id);
        found
            .filter(|it| self.can_reach(it))
            .ok_or_else(|| KeyChangeRefusal::UnknownKey(id.clone()))
    }

    fn revoked(&self, record: &ApiKeyRecord) -> ApiKeyRecord {
        ApiKeyRecord {
            revoked: Some(Revocation {
                at: self.at,
                by: self.by.clone(),
            }),
            ..record.clone()
        }
    }

    fn tenant_event(&self, action: AuditAction, tenant: &TenantId) -> AuditEvent {
        AuditEvent {
            at: self.at,
            by: self.by.clone(),
            action,
            tenant: Some(tenant.clone()),
            key: None,
            before: None,
            after: None,
        }
    }
}

impl KeyDecision {
    fn save(
        &mut self,
        order: &KeyOrder,
        action: AuditAction,
        before: Option<&ApiKeyRecord>,
        after: ApiKeyRecord,
    ) {
        self.events.push(AuditEvent {
            at: order.at,
            by: order.by.clone(),
            action,
            tenant: after.grant.tenant().cloned(),
            key: Some(after.id.clone()),
            before: before.map(describe_record),
            after: Some(describe_record(&after)),
        });
        self.edits.push(KeyEdit::SaveKey(Box::new(after)));
    }

    /// Ends the sessions of a key that were opened first, so that there is room for one more. A person who logs in once
    /// more is not to be turned away because of browsers that were closed.
    fn end_oldest_sessions(&mut self, order: &KeyOrder, state: &KeyState, opener: &KeyId) {
        let is_open =
            |it: &&ApiKeyRecord| it.opened_by.as_ref() == Some(opener) && it.revoked.is_none();
        let mut sessions: Vec<&ApiKeyRecord> = state.keys.iter().filter(is_open).collect();
        sessions.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
        let surplus = (sessions.len() + 1).saturating_sub(limits::KEY_SESSIONS);
        self.revoke_all(order, sessions.into_iter().take(surplus));
    }

    /// Revokes those that are not revoked yet. Of a session the log tells enough: it is forgotten, so that logging in and out
    /// leaves nothing behind.
    fn revoke_all<'k>(
        &mut self,
        order: &KeyOrder,
        keys: impl IntoIterator<Item = &'k ApiKeyRecord>,
    ) {
        let live = keys.into_iter().filter(|it| it.revoked.is_none());
        for before in live {
            let after = order.revoked(before);
            self.save(order, AuditAction::KeyRevoked, Some(before), after);
            if before.kind == KeyKind::Session {
                self.edits.push(KeyEdit::DeleteKey(before.id.clone()));
            }
        }
    }
}
