//! The replicas that were packed last, so that who asks again costs one look at the journal.
//!
//! Where there are too many bytes or too many replicas, what is kept is dropped and packed again for those who ask. What a
//! key may see is checked before anything is looked up here.

use std::collections::HashMap;

use hardwon_core::Scope;
use hardwon_engine::PackedReplica;
use hardwon_store::ChainHead;
use parking_lot::Mutex;

/// Most replicas that are remembered.
const MAX_REPLICAS: usize = 4096;
/// Most bytes of all files.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Whose replica it is: the key with the names that it asked for, and the scope which those were at that time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ReplicaOwner {
    pub(crate) name: String,
    pub(crate) scope: Scope,
}

/// The replicas by their owners.
#[derive(Debug, Default)]
pub(crate) struct ReplicaCache(Mutex<HashMap<ReplicaOwner, PackedReplica>>);

impl ReplicaCache {
    /// Returns an owner's replica, if the journal ends where it did.
    pub(crate) fn find(&self, owner: &ReplicaOwner, head: ChainHead) -> Option<PackedReplica> {
        self.0
            .lock()
            .get(owner)
            .filter(|kept| kept.head == head)
            .cloned()
    }

    /// Remembers a replica, and drops those of its tenant that were packed when the journal ended elsewhere.
    pub(crate) fn keep(&self, owner: ReplicaOwner, mut replica: PackedReplica) {
        let mut all = self.0.lock();
        let tenant = &owner.scope.tenant;
        all.retain(|other, kept| other.scope.tenant != *tenant || kept.head == replica.head);
        replica.file = replica.file.filter(|file| file.len() <= MAX_BYTES);
        if all.len() >= MAX_REPLICAS {
            all.clear();
        }
        let length = |kept: &PackedReplica| kept.file.as_ref().map_or(0, |file| file.len());
        if all.values().map(length).sum::<usize>() + length(&replica) > MAX_BYTES {
            all.values_mut().for_each(|kept| kept.file = None);
        }
        all.insert(owner, replica);
    }
}

#[cfg(test)]
mod tests {
    use hardwon_core::TenantId;

    use super::*;

    fn owner(name: &str) -> ReplicaOwner {
        ReplicaOwner {
            name: name.to_owned(),
            scope: Scope::default(),
        }
    }

    fn replica(sequence: u64, bytes: usize) -> PackedReplica {
        let head = ChainHead::genesis(&TenantId::default());
        PackedReplica {
            head: ChainHead { sequence, ..head },
            tag: "t".to_owned(),
            file: Some(vec![0; bytes].into()),
        }
    }

    #[test]
    fn files_and_replicas_are_bounded() {
        let cache = ReplicaCache::default();
        let length = |name: &str| {
            let found = cache.find(&owner(name), replica(3, 0).head);
            found.map(|it| it.file.map(|it| it.len()))
        };
        let half = MAX_BYTES / 2;
        for name in ["a", "b"] {
            cache.keep(owner(name), replica(3, half));
        }
        assert_eq!(
            (length("a"), length("b")),
            (Some(Some(half)), Some(Some(half)))
        );
        cache.keep(owner("c"), replica(3, 1));
        let all = (length("a"), length("b"), length("c"));
        assert_eq!(all, (Some(None), Some(None), Some(Some(1))));
        for number in 3..=MAX_REPLICAS {
            cache.keep(owner(&number.to_string()), replica(3, 0));
        }
        assert_eq!((length("a"), length("4096")), (None, Some(Some(0))));
        assert!(cache.0.lock().len() < MAX_REPLICAS);
    }

    #[test]
    fn another_journal_and_another_scope_have_another_replica() {
        let cache = ReplicaCache::default();
        cache.keep(owner("a"), replica(3, 1));
        cache.keep(owner("b"), replica(3, 1));
        assert!(cache.find(&owner("a"), replica(3, 0).head).is_some());
        assert!(cache.find(&owner("a"), replica(4, 0).head).is_none());
        let mut moved = owner("a");
        moved.scope.tenant = TenantId::parse("other").unwrap();
        assert!(cache.find(&moved, replica(3, 0).head).is_none());
        cache.keep(moved, replica(9, 1));
        cache.keep(owner("a"), replica(4, 1));
        assert_eq!(
            cache.0.lock().len(),
            2,
            "another tenant's, and the newest of this one"
        );
    }
}
