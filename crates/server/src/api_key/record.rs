//! What is kept about a key: whose it is, what it may do, and until when.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{ApiKey, KeyId, KeyKind, SecretHash};
use hardwon_core::{Actor, AgentId, KeyName, ProjectId, TenantId, limits, named_enum};

named_enum! {
    /// One thing that a key may be used for; a role is a set of them.
    Capability {
        /// Ask which lessons fit a task.
        Recall = "recall",
        /// Send what happened, write lessons, and report on them.
        Learn = "learn",
        /// Look up lessons, the journal and effects.
        Read = "read",
        /// Decide about lessons that wait, and change the words of others.
        Curate = "curate",
        /// Erase lessons.
        Erase = "delete",
        /// Add, rotate and revoke keys.
        ManageKeys = "keys",
        /// Add and remove tenants, and read the server's own figures.
        ManageServer = "server",
    }
}

named_enum! {
    /// What a key was given to its holder for.
    Role {
        /// A program at work: recalls lessons, and teaches them.
        Agent = "agent",
        /// A person or a program that looks and changes nothing.
        Viewer = "viewer",
        /// A person who reviews lessons.
        Curator = "curator",
        /// A person to whom everything of a tenant belongs.
        Owner = "owner",
        /// A person who runs the server. It holds tenants and keys, and reads no lesson.
        Operator = "operator",
    }
}

impl Role {
    /// Returns what a key of this role may be used for.
    pub fn capabilities(self) -> &'static [Capability] {
        use Capability as May;
        match self {
            Self::Agent => &[May::Recall, May::Learn, May::Read],
            Self::Viewer => &[May::Read],
            Self::Curator => &[May::Recall, May::Learn, May::Read, May::Curate],
            Self::Owner => &[
                May::Recall,
                May::Learn,
                May::Read,
                May::Curate,
                May::Erase,
                May::ManageKeys,
            ],
            Self::Operator => &[May::ManageKeys, May::ManageServer],
        }
    }
}

/// The agents and projects that a key is tied to. An empty set sets no limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyLimits {
    /// The agents whose lessons it reaches.
    pub agents: BTreeSet<AgentId>,
    /// The projects whose lessons it reaches, besides lessons of no project.
    pub projects: BTreeSet<ProjectId>,
}

impl KeyLimits {
    /// Returns whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.projects.is_empty()
    }
}

/// Why a role cannot be given in this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidGrant {
    /// Every role but the operator's is about one tenant.
    #[error("a key of this role needs a tenant")]
    NoTenant,
    /// An operator's key is for the server.
    #[error("an operator's key is for the whole server and belongs to no tenant")]
    OperatorOfTenant,
    /// Owners and operators hold everything.
    #[error("a key of this role cannot be tied to agents or projects")]
    Limited,
    /// More names than a key can hold.
    #[error(
        "a key can be tied to at most {} agents and as many projects",
        limits::KEY_LIMIT_NAMES
    )]
    TooManyNames,
}

/// What a key was given: a role, the tenant that it is about, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrant {
    role: Role,
    tenant: Option<TenantId>,
    limits: KeyLimits,
}

impl KeyGrant {
    /// Grants a role; an error says which parts do not go together.
    pub fn new(
        role: Role,
        tenant: Option<TenantId>,
        limits: KeyLimits,
    ) -> Result<Self, InvalidGrant> {
        match (role, &tenant) {
            (Role::Operator, Some(_)) => return Err(InvalidGrant::OperatorOfTenant),
            (Role::Operator, None) | (_, Some(_)) => {}
            (_, None) => return Err(InvalidGrant::NoTenant),
        }
        if matches!(role, Role::Owner | Role::Operator) && !limits.is_empty() {
            return Err(InvalidGrant::Limited);
        }
        if limits.agents.len().max(limits.projects.len()) > limits::KEY_LIMIT_NAMES {
            return Err(InvalidGrant::TooManyNames);
        }
        Ok(Self {
            role,
            tenant,
            limits,
        })
    }

    /// Returns the role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the tenant; `None` for an operator.
    pub fn tenant(&self) -> Option<&TenantId> {
        self.tenant.as_ref()
    }

    /// Returns the limits.
    pub fn limits(&self) -> &KeyLimits {
        &self.limits
    }

    /// Returns the kind of key that this is given with, outside of a browser.
    pub fn key_kind(&self) -> KeyKind {
        match self.role {
            Role::Operator => KeyKind::Operator,
            Role::Agent | Role::Viewer | Role::Curator | Role::Owner => KeyKind::Tenant,
        }
    }
}

/// A secret that was rotated out and is still accepted for a while.
#[derive(Debug, Clone)]
pub struct OlderSecret {
    /// Its hash.
    pub hash: SecretHash,
    /// When it is no longer accepted.
    pub until: Timestamp,
}

/// That a key was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Actor,
}

/// What is kept about a key. Times are in whole milliseconds.
#[derive(Debug, Clone)]
pub struct ApiKeyRecord {
    /// Its public part.
    pub id: KeyId,
    /// What it is for.
    pub kind: KeyKind,
    /// Its role, tenant and limits.
    pub grant: KeyGrant,
    /// What a person calls it.
    pub name: KeyName,
    /// The hash of its secret.
    pub secret: SecretHash,
    /// The secret before that, while both are accepted.
    pub older_secret: Option<OlderSecret>,
    /// For a session in a browser: the key that opened it.
    pub opened_by: Option<KeyId>,
    /// When it was made.
    pub created: Timestamp,
    /// When it is no longer accepted, if ever.
    pub expires: Option<Timestamp>,
    /// When it was last used, to about a minute.
    pub last_used: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: Option<Revocation>,
}

/// Why a key, or what is asked with it, is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// No such key, another secret, or one that expired or was revoked: a caller is told the same of each (401).
    #[error("this key is not known")]
    Unknown,
    /// Its role does not include this.
    #[error("a key of role `{}` may not be used for `{}`", .role.name(), .needed.name())]
    MissingCapability {
        /// The role of the key.
        role: Role,
        /// What was asked for.
        needed: Capability,
    },
    /// The request names an agent or a project that the key is not tied to.
    #[error("this key does not reach that {what}")]
    BeyondLimits {
        /// `agent` or `project`.
        what: &'static str,
    },
    /// The key is tied to several agents or projects, and the request names none.
    #[error("this key is for several {what}s: name one in the request")]
    Unnamed {
        /// `agent` or `project`.
        what: &'static str,
    },
}

impl ApiKeyRecord {
    /// Makes the record of a new key.
    pub fn new(
        key: &ApiKey,
        grant: KeyGrant,
        name: KeyName,
        created: Timestamp,
        expires: Option<Timestamp>,
    ) -> Self {
        Self {
            id: key.id().clone(),
            kind: key.kind(),
            grant,
            name,
            secret: key.secret_hash(),
            older_secret: None,
            opened_by: None,
            created,
            expires,
            last_used: None,
            revoked: None,
        }
    }

    /// Makes the record of a session in a browser, with what the key that opens it was given. It ends with that key.
    pub fn open_session(&self, session: &ApiKey, created: Timestamp, expires: Timestamp) -> Self {
        let expires = Some(self.expires.map_or(expires, |own| own.min(expires)));
        let (grant, name) = (self.grant.clone(), self.name.clone());
        Self {
            opened_by: Some(self.id.clone()),
            ..Self::new(session, grant, name, created, expires)
        }
    }

    /// Decides whether a key is the one of this record and may be used at `now`.
    ///
    /// The secret is compared in constant time.
    pub fn authenticate(&self, key: &ApiKey, now: Timestamp) -> Result<(), KeyRefusal> {
        let hash = key.secret_hash();
        let is_older = |older: &OlderSecret| older.hash.matches(&hash) & (now < older.until);
        let is_secret =
            self.secret.matches(&hash) | self.older_secret.as_ref().is_some_and(is_older);
        let is_its = is_secret && self.kind == key.kind() && self.id == *key.id();
        if is_its && self.is_valid_at(now) {
            Ok(())
        } else {
            Err(KeyRefusal::Unknown)
        }
    }

    /// Checks that the key may be used for something.
    pub fn check_capability(&self, needed: Capability) -> Result<(), KeyRefusal> {
        let role = self.grant.role();
        if role.capabilities().contains(&needed) {
            Ok(())
        } else {
            Err(KeyRefusal::MissingCapability { role, needed })
        }
    }

    /// Returns whether the key would be accepted at a time.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }
}
