//! A store that fails on command.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use hardwon_core::TenantId;
use hardwon_store::{
    Durability, ErasedTenant, FlushCounts, Read, Recall, Result, SpoolLevel, Store, StoreError,
    Write,
};

use super::plan::{FaultKind, PlannedFault};

/// The next fault, shared by a store and the plan.
#[derive(Debug, Default)]
pub(super) struct FaultPlan {
    fault: Mutex<Option<PlannedFault>>,
    is_killed: Mutex<bool>,
    pub(super) fault_count: AtomicU64,
}

fn lock_unpoisoned<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultPlan {
    /// Sets the fault of the next step.
    pub(super) fn set_fault(&self, fault: Option<PlannedFault>) {
        *lock_unpoisoned(&self.fault) = fault;
    }

    /// Returns whether the process died, and resets that for the next process.
    pub(super) fn take_killed(&self) -> bool {
        std::mem::take(&mut lock_unpoisoned(&self.is_killed))
    }

    /// Returns the fault of the write that begins now, if there is one.
    fn next_fault(&self) -> Option<FaultKind> {
        let mut fault = lock_unpoisoned(&self.fault);
        match fault.as_mut() {
            Some(it) if it.write_index == 0 => {
                self.fault_count.fetch_add(1, Ordering::Relaxed);
                *lock_unpoisoned(&self.is_killed) = it.kills_process;
                fault.take().map(|fault| fault.kind)
            }
            Some(it) => {
                it.write_index -= 1;
                None
            }
            None => None,
        }
    }

    fn check_alive(&self) -> Result<()> {
        if *lock_unpoisoned(&self.is_killed) {
            return Err(StoreError::refused("this process is gone"));
        }
        Ok(())
    }
}

/// A store whose writes fail as planned.
pub(super) struct FaultyStore {
    pub(super) inner: Arc<dyn Store>,
    pub(super) faults: Arc<FaultPlan>,
}

fn planned_error() -> StoreError {
    StoreError::refused("a planned fault")
}

impl FaultyStore {
    fn write_with_fault<T>(&self, work: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
        self.faults.check_alive()?;
        match self.faults.next_fault() {
            None => work(&*self.inner),
            Some(FaultKind::BeforeWrite | FaultKind::BeforeCommit) => Err(planned_error()),
            Some(FaultKind::AfterWrite) => work(&*self.inner).and(Err(planned_error())),
        }
    }
}

impl Store for FaultyStore {
    /// Reads succeed as long as the process lives.
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        self.faults.check_alive()?;
        self.inner.snapshot()
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        self.faults.check_alive()?;
        let inner = &self.inner;
        match self.faults.next_fault() {
            None => inner.transact(tenant, durability, work),
            Some(FaultKind::BeforeWrite) => Err(planned_error()),
            Some(FaultKind::BeforeCommit) => {
                inner.transact(tenant, durability, &mut |transaction| {
                    work(transaction).and_then(|()| Err(planned_error()))
                })
            }
            Some(FaultKind::AfterWrite) => inner
                .transact(tenant, durability, work)
                .and_then(|()| Err(planned_error())),
        }
    }

    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        self.write_with_fault(|store| store.spool_recall(recall))
    }

    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts> {
        self.write_with_fault(|store| store.flush(tenant))
    }

    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant> {
        self.write_with_fault(|store| store.erase_tenant(tenant))
    }
}
