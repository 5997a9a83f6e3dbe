//! Decides whether keys and tenants may be changed as somebody orders it, and what a changed key is.
//!
//! Pure functions over what there is: a store reads that, asks here, and saves what it is told, in one transaction.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{ApiKeyRecord, KeyId, KeyKind, OlderSecret, Revocation, SecretHash};
use hardwon_core::{Actor, TenantId, limits};

/// On whose order keys or tenants change.
#[derive(Debug, Clone)]
pub struct KeyOrder {
    /// When it was given, in whole milliseconds.
    pub at: Timestamp,
    /// Who gave it.
    pub by: Actor,
    /// What whoever gave it can reach.
    pub reach: KeyReach,
}

/// Which keys somebody can reach. One out of reach does not exist for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyReach {
    /// All keys and tenants: an operator's.
    Server,
    /// The keys of one tenant: an owner's.
    Tenant(TenantId),
}

/// A tenant of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TenantDto)]
pub struct TenantRecord {
    /// Its name.
    #[serde(rename = "tenant")]
    #[schema(value_type = String)]
    pub id: TenantId,
    /// When it was added.
    #[schema(value_type = String)]
    pub created: Timestamp,
}

/// What there is that a new key has to fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewKeyFacts<'k> {
    /// Whether its tenant exists.
    pub has_tenant: bool,
    /// How many keys of its tenant are neither revoked nor ended, sessions apart.
    pub key_count: u64,
    /// Whether there is a key of its id.
    pub has_same_id: bool,
    /// For a session: the key that is to open it, if that exists.
    pub opener: Option<&'k ApiKeyRecord>,
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
    /// The name would be read as something else in a path, a log or a shell.
    #[error("a tenant's name begins with a letter or digit, and has only these, spaces and `-_.@`")]
    UnfitTenantName,
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

impl KeyOrder {
    /// Checks that whoever gave the order runs the server.
    pub fn check_reaches_server(&self) -> Result<(), KeyChangeRefusal> {
        match self.reach {
            KeyReach::Server => Ok(()),
            KeyReach::Tenant(_) => Err(KeyChangeRefusal::OutOfReach),
        }
    }

    /// Returns a key that the order names; one out of reach is not there.
    pub fn require_key(
        &self,
        id: &KeyId,
        record: Option<ApiKeyRecord>,
    ) -> Result<ApiKeyRecord, KeyChangeRefusal> {
        let in_reach = record.filter(|record| self.reaches(record));
        in_reach.ok_or_else(|| KeyChangeRefusal::UnknownKey(id.clone()))
    }

    fn reaches(&self, record: &ApiKeyRecord) -> bool {
        match &self.reach {
            KeyReach::Server => true,
            KeyReach::Tenant(own) => record.grant.tenant() == Some(own),
        }
    }
}

/// Checks that a key, or a session that a key opens, may be added.
pub fn check_new_key(
    order: &KeyOrder,
    record: &ApiKeyRecord,
    facts: NewKeyFacts<'_>,
) -> Result<(), KeyChangeRefusal> {
    if !order.reaches(record) {
        return Err(KeyChangeRefusal::OutOfReach);
    }
    if facts.has_same_id {
        return Err(KeyChangeRefusal::KeyExists(record.id.clone()));
    }
    if let Some(opener) = &record.opened_by
        && !facts.opener.is_some_and(|key| key.is_valid_at(order.at))
    {
        return Err(KeyChangeRefusal::EndedKey(opener.clone()));
    }
    let Some(tenant) = record.grant.tenant() else {
        return Ok(());
    };
    if !facts.has_tenant {
        return Err(KeyChangeRefusal::UnknownTenant(tenant.clone()));
    }
    if record.kind != KeyKind::Session && facts.key_count >= limits::TENANT_KEYS as u64 {
        return Err(KeyChangeRefusal::TooManyKeys(tenant.clone()));
    }
    Ok(())
}

/// Returns the sessions of a key that have to end so that there is room for one more: those that were opened first.
///
/// A person who logs in once more is not to be turned away because of browsers that were closed.
pub fn choose_surplus_sessions(mut sessions: Vec<ApiKeyRecord>) -> Vec<ApiKeyRecord> {
    sessions.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
    let surplus = (sessions.len() + 1).saturating_sub(limits::KEY_SESSIONS);
    sessions.truncate(surplus);
    sessions
}

impl ApiKeyRecord {
    /// Returns the key with a new secret. The present one is accepted until `older_until` as well; a time in the past ends
    /// it at once.
    pub fn rotate(
        &self,
        secret: SecretHash,
        older_until: Timestamp,
        now: Timestamp,
    ) -> Result<Self, KeyChangeRefusal> {
        match self.kind {
            KeyKind::Session => return Err(KeyChangeRefusal::SessionKey(self.id.clone())),
            KeyKind::Identity => return Err(KeyChangeRefusal::IdentityKey(self.id.clone())),
            KeyKind::Tenant | KeyKind::Operator => {}
        }
        if !self.is_valid_at(now) {
            return Err(KeyChangeRefusal::EndedKey(self.id.clone()));
        }
        Ok(Self {
            secret,
            older_secret: (now < older_until).then(|| OlderSecret {
                hash: self.secret.clone(),
                until: older_until,
            }),
            ..self.clone()
        })
    }

    /// Returns the key as somebody revoked it.
    pub fn revoke(&self, order: &KeyOrder) -> Self {
        Self {
            revoked: Some(Revocation {
                at: order.at,
                by: order.by.clone(),
            }),
            ..self.clone()
        }
    }
}
