//! Keys of a server.
//!
//! A secret is in one type only, [`NewKeyDto`], which is sent once.

use serde::Serialize;
use utoipa::ToSchema;

use hardwon_core::{AgentId, ProjectId};

use crate::{ApiKey, ApiKeyRecord, KeyId};

/// A key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApiKeyDto<'a> {
    /// Its public part.
    pub id: &'a str,
    /// What it is for: `hwk` (a tenant's), `hwa` (an operator's), `hws` (a session in a browser) or `hwi` (of an earlier version; it lets nobody in).
    pub kind: &'static str,
    /// What it was given for: `agent`, `viewer`, `curator`, `owner` or `operator`.
    pub role: &'static str,
    /// Its tenant; absent for an operator's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<&'a str>,
    /// The agents that it is tied to; empty if it is tied to none.
    pub agents: Vec<&'a str>,
    /// The projects that it is tied to; empty if it is tied to none.
    pub projects: Vec<&'a str>,
    /// What a person calls it.
    pub name: &'a str,
    /// The key that opened the session; absent for a key that is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<&'a str>,
    /// When it was made.
    pub created: String,
    /// When it ends; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// Until when its secret before the present one is accepted; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_secret_until: Option<String>,
    /// When it was last used, to about a minute; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<String>,
    /// When it was revoked; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
    /// Who revoked it; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_by: Option<&'a str>,
}

impl<'a> From<&'a ApiKeyRecord> for ApiKeyDto<'a> {
    fn from(record: &'a ApiKeyRecord) -> Self {
        let limits = record.grant.limits();
        Self {
            id: record.id.as_str(),
            kind: record.kind.name(),
            role: record.grant.role().name(),
            tenant: record.grant.tenant().map(|tenant| tenant.as_str()),
            agents: limits.agents.iter().map(AgentId::as_str).collect(),
            projects: limits.projects.iter().map(ProjectId::as_str).collect(),
            name: record.name.as_str(),
            opened_by: record.opened_by.as_ref().map(KeyId::as_str),
            created: record.created.to_string(),
            expires: record.expires.map(|expire| expire.to_string()),
            older_secret_until: record
                .older_secret
                .as_ref()
                .map(|older_secret| older_secret.until.to_string()),
            last_used: record.last_used.map(|last_used| last_used.to_string()),
            revoked: record.revoked.as_ref().map(|end| end.at.to_string()),
            revoked_by: record.revoked.as_ref().map(|end| end.by.0.as_str()),
        }
    }
}

/// A key that was just made or rotated, with its secret, which is nowhere else.
#[derive(Serialize, ToSchema)]
pub struct NewKeyDto<'a> {
    /// The whole key.
    pub key: String,
    /// What is kept of it; its keys stand beside the other.
    #[serde(flatten)]
    pub record: ApiKeyDto<'a>,
}

impl<'a> NewKeyDto<'a> {
    /// Makes it of a key and its record.
    pub fn new(key: &ApiKey, record: &'a ApiKeyRecord) -> Self {
        Self {
            key: key.reveal(),
            record: record.into(),
        }
    }
}
