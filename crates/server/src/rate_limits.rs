//! How often a key may ask, so that one busy caller leaves room for the others.
//!
//! Each key has a bucket of its own, in memory of this process; a session in a browser shares that of the key that opened
//! it. Requests without a valid key have none: what they cost is bounded elsewhere.

use std::num::NonZeroU32;

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
    state::keyed::HashMapStateStore,
};

use crate::{ApiKeyRecord, KeyId};

/// The buckets of all keys.
pub(crate) struct RateLimits {
    buckets: Option<RateLimiter<KeyId, HashMapStateStore<KeyId>, DefaultClock>>,
    clock: DefaultClock,
}

impl RateLimits {
    /// Lets every key ask so often a second on average, and so often at once; without a number, as often as it likes.
    pub(crate) fn new(per_second: Option<NonZeroU32>, at_once: NonZeroU32) -> Self {
        let quota = per_second.map(|per_second| Quota::per_second(per_second).allow_burst(at_once));
        Self {
            buckets: quota.map(RateLimiter::hashmap),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request with a key. An error says after how many seconds another try makes sense.
    pub(crate) fn count_request(&self, record: &ApiKeyRecord) -> Result<(), u32> {
        let Some(buckets) = &self.buckets else {
            return Ok(());
        };
        let id = record.opened_by.as_ref().unwrap_or(&record.id);
        buckets.check_key(id).map_err(|refused| {
            let wait = refused.wait_time_from(self.clock.now());
            let seconds = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX);
            seconds
                .saturating_add(u32::from(wait.subsec_nanos() > 0))
                .max(1)
        })
    }

    /// Forgets the buckets that are full again.
    pub(crate) fn forget_idle(&self) {
        if let Some(buckets) = &self.buckets {
            buckets.retain_recent();
        }
    }
}
