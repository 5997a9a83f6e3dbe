//! The log of changes to keys and tenants, chained as the journal of lessons is.
//!
//! A server has one chain. An entry says who did what to which key, and how the key's record read before and after:
//! never a secret, nor a hash of one.

use jiff::Timestamp;

use super::{ApiKeyRecord, KeyId};
use crate::{
    change::Actor,
    id::TenantId,
    journal::{ChainBreak, ChainHead, FieldHasher, Sha256Hash},
    named_enum::named_enum,
    text::CleanText,
};

const GENESIS_TAG: &str = "hardwon keys 1";
const ENTRY_TAG: &str = "hardwon key entry 1";

named_enum! {
    /// What was done.
    AuditAction {
        /// A tenant was added.
        TenantAdded = "tenant-added",
        /// A tenant was removed; its keys were revoked.
        TenantRemoved = "tenant-removed",
        /// A key was added.
        KeyAdded = "key-added",
        /// A key got a new secret.
        KeyRotated = "key-rotated",
        /// A key was revoked.
        KeyRevoked = "key-revoked",
        /// A key reached the end of its time.
        KeyExpired = "key-expired",
        /// The webhook of a tenant was set. Earlier versions had them, and their entries are read.
        WebhookSet = "webhook-set",
        /// The webhook of a tenant was removed, by an earlier version.
        WebhookRemoved = "webhook-removed",
        /// The record of a key that had ended was deleted.
        KeyForgotten = "key-forgotten",
    }
}

/// What an entry records, before it is chained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// When, in whole milliseconds.
    pub at: Timestamp,
    /// Who did it.
    pub by: Actor,
    /// What was done.
    pub action: AuditAction,
    /// The tenant concerned; `None` for an operator's key.
    pub tenant: Option<TenantId>,
    /// The key concerned; `None` if it is about a tenant.
    pub key: Option<KeyId>,
    /// The record before, as JSON.
    pub before: Option<CleanText>,
    /// The record after, as JSON.
    pub after: Option<CleanText>,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its position in the chain, from 1.
    pub sequence: u64,
    /// What it records.
    pub event: AuditEvent,
    /// The hash of the previous entry.
    pub previous: Sha256Hash,
    /// The hash of all fields above.
    pub hash: Sha256Hash,
}

impl AuditEntry {
    /// Returns the head of a chain that ends with this entry.
    #[must_use]
    pub fn head(&self) -> ChainHead {
        ChainHead {
            sequence: self.sequence,
            hash: self.hash,
        }
    }
}

impl AuditEvent {
    /// Returns the entry that records this after the last one.
    #[must_use]
    pub fn chain_after(self, head: ChainHead) -> AuditEntry {
        let sequence = head.sequence + 1;
        AuditEntry {
            sequence,
            hash: hash_entry(sequence, &self, &head.hash),
            event: self,
            previous: head.hash,
        }
    }
}

/// Returns the head of an empty log.
#[must_use]
pub fn audit_genesis() -> ChainHead {
    ChainHead {
        sequence: 0,
        hash: FieldHasher::new(GENESIS_TAG).finish(),
    }
}

/// Returns the head after an entry; an error says how the entry breaks the chain.
pub fn verify_next_audit(head: ChainHead, entry: &AuditEntry) -> Result<ChainHead, ChainBreak> {
    let sequence = entry.sequence;
    if sequence != head.sequence + 1 {
        return Err(ChainBreak::OutOfSequence {
            expected: head.sequence + 1,
            found: sequence,
        });
    }
    if entry.previous != head.hash {
        return Err(ChainBreak::BrokenLink { sequence });
    }
    match entry.hash == hash_entry(sequence, &entry.event, &head.hash) {
        true => Ok(entry.head()),
        false => Err(ChainBreak::Altered { sequence }),
    }
}

/// Hashes an entry. Destructured, so that a new field cannot be forgotten here.
fn hash_entry(sequence: u64, event: &AuditEvent, previous: &Sha256Hash) -> Sha256Hash {
    let AuditEvent {
        at,
        by,
        action,
        tenant,
        key,
        before,
        after,
    } = event;
    let clean = |fields: FieldHasher, text: &CleanText| fields.write_text(text.as_str());
    FieldHasher::new(ENTRY_TAG)
        .write_count(sequence)
        .write_time(*at)
        .write_text(by.0.as_str())
        .write_text(action.name())
        .write_each(tenant, |fields, tenant| fields.write_text(tenant.as_str()))
        .write_each(key, |fields, key| fields.write_text(key.as_str()))
        .write_each(before, clean)
        .write_each(after, clean)
        .write_bytes(previous.as_bytes())
        .finish()
}

/// Writes what of a record may be read by whoever reads the log.
pub(super) fn describe_record(record: &ApiKeyRecord) -> CleanText {
    let mut fields = serde_json::json!({
        "kind": record.kind.name(),
        "name": record.name.as_str(),
        "role": record.grant.role().name(),
    });
    let limits = record.grant.limits();
    let agents: Vec<&str> = limits.agents.iter().map(|it| it.as_str()).collect();
    let projects: Vec<&str> = limits.projects.iter().map(|it| it.as_str()).collect();
    if !agents.is_empty() {
        fields["agents"] = agents.into();
    }
    if !projects.is_empty() {
        fields["projects"] = projects.into();
    }
    let times = [
        ("expires", record.expires),
        (
            "older_secret_until",
            record.older_secret.as_ref().map(|it| it.until),
        ),
        ("revoked", record.revoked.as_ref().map(|it| it.at)),
    ];
    for (name, time) in times {
        if let Some(time) = time {
            fields[name] = time.to_string().into();
        }
    }
    if let Some(opener) = &record.opened_by {
        fields["opened_by"] = opener.as_str().into();
    }
    CleanText::assume_clean(fields.to_string())
}
