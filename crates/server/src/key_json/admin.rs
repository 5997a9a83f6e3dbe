//! What whoever manages the keys and tenants of a server sends, and the answers.

use hardwon_core::TenantId;
use hardwon_store::ErasedTenant;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ApiKeyDto, KeyLogEntry, KeyLogReport, TenantRecord};

/// Asks for a new key. A member that is not known is refused: it may be one that was to limit the key.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKeyBody {
    /// `agent`, `viewer`, `curator`, `owner` or `operator`.
    #[schema(value_type = String, required = true)]
    pub role: Option<String>,
    /// What a person calls it; if absent, it is called after its role.
    pub name: Option<String>,
    /// Its tenant: an owner's own, unless said. An operator has to name one, but for an operator's key.
    pub tenant: Option<String>,
    /// The agents that it is tied to; if absent or empty, none.
    #[serde(default)]
    pub agents: Vec<String>,
    /// The projects that it is tied to; if absent or empty, none.
    #[serde(default)]
    pub projects: Vec<String>,
    /// After how many seconds it ends; if absent, never.
    #[schema(minimum = 1)]
    pub expires_in_seconds: Option<u32>,
}

/// Asks for another secret.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct RotationBody {
    /// For how many seconds the present secret is accepted as well; if absent, it ends at once.
    pub keep_seconds: Option<u32>,
}

/// A page of keys, in the order of their ids.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyPageReply<'a> {
    /// The keys, also those that were revoked; never a secret.
    pub keys: Vec<ApiKeyDto<'a>>,
    /// What to give as `cursor` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<&'a str>,
}

/// What was revoked: the key, and the sessions in browsers that it had opened.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokedKeysReply<'a> {
    /// The ids; empty if the key had been revoked before.
    pub revoked: Vec<&'a str>,
}

/// Asks for a new tenant.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewTenantBody {
    /// Its name: letters, digits, spaces and `-_.@`, of which a letter or digit is the first.
    pub tenant: String,
}

/// A page of tenants, by name.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantPageReply<'a> {
    /// The tenants.
    pub tenants: &'a [TenantRecord],
    /// What to give as `cursor` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<&'a str>,
}

/// The receipt of a tenant's erasure.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErasureReceiptDto<'a> {
    /// The tenant's name.
    pub tenant: &'a str,
    /// When it was erased.
    pub erased_at: String,
    /// Keys and sessions that were revoked before.
    pub keys_revoked: usize,
    /// Lessons, in any state.
    pub lessons: u64,
    /// Recalls.
    pub recalls: u64,
    /// Judgements of runs, and feedback.
    pub judgements: u64,
    /// Questions for a model that waited or had been asked.
    pub jobs: u64,
    /// Entries of its journal, which are gone with their hashes.
    pub journal_entries: u64,
    /// The digest of the journal's last entry: an export of the journal that was made before ends with it.
    pub journal_head: String,
}

impl<'a> ErasureReceiptDto<'a> {
    /// Builds it from what there was, and when it went; `None` if there was nothing: the tenant was not on the list, so that
    /// there are no revoked keys to count, and nothing was stored for it.
    pub fn new(
        tenant: &'a TenantId,
        erased: &ErasedTenant,
        keys_revoked: Option<usize>,
        erased_at: String,
    ) -> Option<Self> {
        let has_data = erased.journal_head.sequence > 0 || erased.recalls > 0;
        (has_data || keys_revoked.is_some()).then(|| Self {
            tenant: tenant.as_str(),
            erased_at,
            keys_revoked: keys_revoked.unwrap_or(0),
            lessons: erased.lessons,
            recalls: erased.recalls,
            judgements: erased.judgements,
            jobs: erased.jobs,
            journal_entries: erased.journal_head.sequence,
            journal_head: erased.journal_head.hash.to_string(),
        })
    }
}

/// A page of the log of changes to keys and tenants, the oldest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditPageReply<'a> {
    /// The entries.
    pub entries: &'a [KeyLogEntry],
    /// What to give as `after` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_after: Option<u64>,
}

/// Whether the log comes to the keys and tenants that there are.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditVerificationDto {
    /// Whether it does.
    pub sound: bool,
    /// How many entries there are.
    pub entries: u64,
    /// What differs, one after another; null if nothing does.
    pub trouble: Option<String>,
}

impl From<KeyLogReport> for AuditVerificationDto {
    fn from(report: KeyLogReport) -> Self {
        Self {
            sound: report.faults.is_empty(),
            entries: report.entries,
            trouble: (!report.faults.is_empty()).then(|| report.faults.join("; ")),
        }
    }
}
