//! A store that runs the work of transactions more than once, as a backend may that has to roll back.
//!
//! It changes nothing else: its user sees what the inner store does, unless the work of a transaction had an effect
//! outside of it.

use std::sync::atomic::{AtomicU64, Ordering};

use hardwon_core::{Recall, TenantId};
use hardwon_store::{
    Durability, ErasedTenant, FlushCounts, Read, Result, SpoolLevel, Store, StoreError, Write,
};

/// A store whose transactions are rolled back and run again, pseudo-randomly.
pub struct RerunStore {
    inner: Box<dyn Store>,
    dice: AtomicU64,
}

impl RerunStore {
    /// Wraps another store. The seed decides which work is run again, and how often.
    pub fn new(inner: Box<dyn Store>, seed: u64) -> Self {
        Self {
            inner,
            dice: AtomicU64::new(seed),
        }
    }

    /// Draws how often the next work is rolled back: not at all, once or twice.
    fn draw_rollback_count(&self) -> u64 {
        // The constants of Knuth's MMIX generator.
        let next = |it: u64| {
            let grown = it.wrapping_mul(6_364_136_223_846_793_005);
            Some(grown.wrapping_add(1_442_695_040_888_963_407))
        };
        let rolled = self
            .dice
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        (rolled.unwrap_or_default() >> 33) % 3
    }
}

impl Store for RerunStore {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        self.inner.snapshot()
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        for _ in 0..self.draw_rollback_count() {
            let rolled_back = self.inner.transact(tenant, durability, &mut |transaction| {
                // Its result does not matter: the next run decides.
                drop(work(transaction));
                Err(StoreError::refused("this work is run again"))
            });
            drop(rolled_back);
        }
        self.inner.transact(tenant, durability, work)
    }

    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        self.inner.spool_recall(recall)
    }

    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts> {
        self.inner.flush(tenant)
    }

    fn send_noted_recalls(&self) -> Result<()> {
        self.inner.send_noted_recalls()
    }

    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant> {
        self.inner.erase_tenant(tenant)
    }
}
