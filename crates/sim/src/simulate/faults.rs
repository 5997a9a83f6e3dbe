//! A store that fails when it is told to.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use hardwon_core::id::TenantId;
use hardwon_store::{Durability, Flushed, Read, Recall, Result, Spool, Store, StoreError, Write};

use super::plan::{Fault, FaultKind};

/// What is going to fail, shared by a store and whoever plans its trouble.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    fault: Mutex<Option<Fault>>,
    is_gone: Mutex<bool>,
    pub(super) struck: AtomicU64,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trouble {
    /// Plans what the next step meets.
    pub(super) fn plan(&self, fault: Option<Fault>) {
        *lock(&self.fault) = fault;
    }

    /// Returns whether the process died of it, and begins another one.
    pub(super) fn bury(&self) -> bool {
        std::mem::take(&mut lock(&self.is_gone))
    }

    /// Returns what the write that begins now meets.
    fn next(&self) -> Option<FaultKind> {
        let mut fault = lock(&self.fault);
        match fault.as_mut() {
            Some(it) if it.at == 0 => {
                self.struck.fetch_add(1, Ordering::Relaxed);
                *lock(&self.is_gone) = it.kills;
                fault.take().map(|it| it.kind)
            }
            Some(it) => {
                it.at -= 1;
                None
            }
            None => None,
        }
    }

    fn is_alive(&self) -> Result<()> {
        if *lock(&self.is_gone) {
            return Err(StoreError::refused("this process is gone"));
        }
        Ok(())
    }
}

/// A store with trouble.
pub(super) struct Faulty {
    pub(super) inner: Arc<dyn Store>,
    pub(super) trouble: Arc<Trouble>,
}

fn fails() -> StoreError {
    StoreError::refused("a planned fault")
}

impl Faulty {
    fn write<T>(&self, work: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
        self.trouble.is_alive()?;
        match self.trouble.next() {
            None => work(&*self.inner),
            Some(FaultKind::Before | FaultKind::Inside) => Err(fails()),
            Some(FaultKind::After) => work(&*self.inner).and(Err(fails())),
        }
    }
}

impl Store for Faulty {
    /// Reads go through as long as the process lives.
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        self.trouble.is_alive()?;
        self.inner.snapshot()
    }

    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        self.trouble.is_alive()?;
        let inner = &self.inner;
        match self.trouble.next() {
            None => inner.transact(tenant, durability, work),
            Some(FaultKind::Before) => Err(fails()),
            Some(FaultKind::Inside) => inner.transact(tenant, durability, &mut |transaction| {
                work(transaction).and_then(|()| Err(fails()))
            }),
            Some(FaultKind::After) => inner
                .transact(tenant, durability, work)
                .and_then(|()| Err(fails())),
        }
    }

    fn remember(&self, recall: &Recall) -> Result<Spool> {
        self.write(|it| it.remember(recall))
    }

    fn flush(&self, tenant: &TenantId) -> Result<Flushed> {
        self.write(|it| it.flush(tenant))
    }
}
