//! How long the journals of tenants are, as of a moment ago: so that many who wait for a change ask the store once.
//!
//! Another process over the same store may change a journal, so it is asked again and again; a change of this process
//! is seen no sooner.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use hardwon_core::id::TenantId;

/// How old a length may be. Whoever waits for a change learns of it after twice this time at most.
pub(crate) const MAX_AGE: Duration = Duration::from_millis(100);

/// The lengths that were last seen.
#[derive(Debug, Default)]
pub(crate) struct JournalWatch {
    seen: Mutex<HashMap<TenantId, (Instant, u64)>>,
}

impl JournalWatch {
    /// Returns the length of a tenant's journal, if it was seen just now.
    pub(crate) fn recent_length(&self, tenant: &TenantId, now: Instant) -> Option<u64> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, length) = *seen.get(tenant)?;
        (now.saturating_duration_since(at) < MAX_AGE).then_some(length)
    }

    /// Notes a length, and forgets those of tenants that nobody waits for any more.
    pub(crate) fn note_length(&self, tenant: &TenantId, length: u64, now: Instant) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, (at, _)| now.saturating_duration_since(*at) < MAX_AGE);
        seen.insert(tenant.clone(), (now, length));
    }
}
