//! The lessons that may be recalled from the principal's own scope, as a file to recall from elsewhere.
//!
//! Lessons that wait for review, or are out of use, are not in it. Whoever keeps it, and how it gets there, is not known
//! here.

use std::sync::Arc;

use hardwon_store::{ChainHead, replica};

use crate::{Desk, Result, access::Rights};

/// What a replica holds at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedReplica {
    /// The journal's end at that time.
    pub head: ChainHead,
    /// What its contents are called. It tells of nothing that is not in them.
    pub tag: String,
    /// The file; `None` if its contents are known.
    pub file: Option<Arc<[u8]>>,
}

impl Desk<'_> {
    /// Returns the end of the journal: while it stays, so does what a replica holds.
    pub fn replica_head(&self) -> Result<ChainHead> {
        self.check_access(Rights::Read, &self.principal.scope)?;
        Ok(self.snapshot()?.journal_head(self.tenant())?)
    }

    /// Packs a replica for an owner, unless contents that are called so are known.
    pub fn pack_replica(
        &self,
        owner: &str,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Result<PackedReplica> {
        let scope = &self.principal.scope;
        self.check_access(Rights::Read, scope)?;
        let reader = self.snapshot()?;
        let head = reader.journal_head(self.tenant())?;
        let tag = replica::tag_replica(&*reader, scope, owner)?;
        let file = if is_known(&tag) {
            None
        } else {
            Some(replica::pack_replica(&*reader, scope, owner)?)
        };
        Ok(PackedReplica { head, tag, file })
    }
}
