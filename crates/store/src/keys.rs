//! Storage of API keys and tenants, apart from lessons.
//!
//! A [`KeyStore`] finds the record of a key, lists, and applies orders. What an order does is decided by
//! `hardwon_core::api_key`; [`apply_order`] reads what the decision needs and carries it out over the
//! [rows](KeyRows) of one transaction, so a backend has nothing to decide. Every change appends to the audit log in the
//! same transaction. Of keys no secret comes here: records hold hashes.
//! [`SqliteKeyStore`](crate::SqliteKeyStore) is a file beside the lessons.

mod apply;

use hardwon_core::{
    api_key::{
        ApiKeyRecord, AuditEntry, KeyChangeRefusal, KeyDecision, KeyId, KeyOrder, KeyReach,
        TenantRecord, audit_genesis, verify_next_audit,
    },
    id::TenantId,
    journal::{ChainBreak, ChainHead},
    limits,
};
use jiff::Timestamp;

pub use apply::{KeyRows, apply_order};

use crate::{Result, StoreError};

/// Which keys a page holds, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyListing {
    /// Whose keys.
    pub reach: KeyReach,
    /// Start after this key.
    pub after: Option<KeyId>,
    /// Most rows; [`limits::PAGE_ROWS`] at most.
    pub limit: usize,
}

impl KeyListing {
    /// Returns the first page of a listing.
    #[must_use]
    pub fn first(reach: KeyReach) -> Self {
        Self {
            reach,
            after: None,
            limit: limits::PAGE_ROWS,
        }
    }
}

/// Which entries of the audit log a page holds, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditListing {
    /// Whose entries. Those of one tenant are no whole chain.
    pub reach: KeyReach,
    /// Start after this entry; 0 starts at the first one.
    pub after: u64,
    /// Most rows; [`limits::PAGE_ROWS`] at most.
    pub limit: usize,
}

/// Why an order was not applied; nothing of it was.
#[derive(Debug, thiserror::Error)]
pub enum KeyChangeError {
    /// It does not fit what is there.
    #[error(transparent)]
    Refused(#[from] KeyChangeRefusal),
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A store of keys and tenants.
pub trait KeyStore: Send + Sync {
    /// Returns the record of a key, whatever became of it.
    fn find_key(&self, id: &KeyId) -> Result<Option<ApiKeyRecord>>;

    /// Returns a page of keys and sessions, also of those that were revoked.
    fn keys(&self, listing: &KeyListing) -> Result<Vec<ApiKeyRecord>>;

    /// Returns whether any key at all is accepted at a time, so that a server may be opened to others.
    fn has_valid_key(&self, now: Timestamp) -> Result<bool>;

    /// Returns a tenant; `None` if there is none of this name.
    fn find_tenant(&self, id: &TenantId) -> Result<Option<TenantRecord>>;

    /// Returns tenants by name, starting after `after`; `limits::PAGE_ROWS` at most.
    fn tenants(&self, after: Option<&TenantId>, limit: usize) -> Result<Vec<TenantRecord>>;

    /// Applies an order, all of it or nothing, and returns what it did.
    ///
    /// `EndExpired` and `PruneKeys` are about `limits::PAGE_ROWS` keys at most: repeat them until they do nothing.
    fn apply(&self, order: &KeyOrder) -> Result<KeyDecision, KeyChangeError>;

    /// Records when keys were last used. A time before the recorded one changes nothing, nor does a key that is gone.
    fn note_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()>;

    /// Returns a secret that all servers over the store share: the one that is kept under a name, or `drawn`, which is kept
    /// from now on.
    fn share_secret(&self, name: &str, drawn: [u8; 32]) -> Result<[u8; 32]>;

    /// Returns a page of the audit log.
    fn audit(&self, listing: &AuditListing) -> Result<Vec<AuditEntry>>;

    /// Returns the number and hash of the last entry of the audit log.
    fn audit_head(&self) -> Result<ChainHead>;
}

/// Verifies the whole audit log, and returns its head or its first break.
pub fn verify_audit(store: &dyn KeyStore) -> Result<Result<ChainHead, ChainBreak>> {
    let mut head = audit_genesis();
    loop {
        let page = store.audit(&AuditListing {
            reach: KeyReach::Server,
            after: head.sequence,
            limit: limits::PAGE_ROWS,
        })?;
        if page.is_empty() {
            break;
        }
        for entry in &page {
            match verify_next_audit(head, entry) {
                Ok(next) => head = next,
                Err(broken) => return Ok(Err(broken)),
            }
        }
    }
    Ok(check_end(head, store.audit_head()?))
}

/// Checks that no entry is missing at the end. Entries may have been added meanwhile.
fn check_end(read: ChainHead, kept: ChainHead) -> Result<ChainHead, ChainBreak> {
    if kept.sequence < read.sequence || kept == read {
        return Ok(read);
    }
    Err(ChainBreak::OutOfSequence {
        expected: kept.sequence,
        found: read.sequence,
    })
}
