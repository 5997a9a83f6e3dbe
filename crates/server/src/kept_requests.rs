//! How many requests with a name of their own are remembered of each tenant, as of a moment ago.
//!
//! A tenant that has very many is refused another one, because to forget one would be to do it twice. They are counted in the
//! store once a minute, and those of this process in between.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use hardwon_core::id::TenantId;

/// How long a count is good.
const MAX_AGE: Duration = Duration::from_secs(60);
/// Most tenants whose counts are kept.
const MAX_TENANTS: usize = 10_000;

/// The counts of tenants.
#[derive(Debug, Default)]
pub(crate) struct KeptRequests(Mutex<HashMap<TenantId, (Instant, u64)>>);

impl KeptRequests {
    /// Counts one more request of a tenant, and returns how many there are; `None` if that has to be counted anew.
    pub(crate) fn count_one(&self, tenant: &TenantId, now: Instant) -> Option<u64> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, count) = counts.get_mut(tenant)?;
        if now.saturating_duration_since(*at) >= MAX_AGE {
            return None;
        }
        *count += 1;
        Some(*count)
    }

    /// Notes how many there are of a tenant.
    pub(crate) fn note(&self, tenant: &TenantId, count: u64, now: Instant) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_TENANTS {
            counts.retain(|_, (at, _)| now.saturating_duration_since(*at) < MAX_AGE);
        }
        if counts.len() < MAX_TENANTS {
            counts.insert(tenant.clone(), (now, count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_grows_until_it_is_old() {
        let all = KeptRequests::default();
        let (acme, other) = (
            TenantId::parse("acme").unwrap(),
            TenantId::parse("globex").unwrap(),
        );
        let start = Instant::now();
        assert_eq!(all.count_one(&acme, start), None);
        all.note(&acme, 7, start);
        assert_eq!(all.count_one(&acme, start), Some(8));
        assert_eq!(all.count_one(&acme, start + MAX_AGE / 2), Some(9));
        assert_eq!(all.count_one(&other, start), None);
        assert_eq!(all.count_one(&acme, start + MAX_AGE), None);
    }
}
