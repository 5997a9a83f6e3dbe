//! A store that fails when it is told to.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use hardwon_core::{
    change::Known,
    credit::{About, Leaning},
    id::{LessonId, TenantId},
    journal::{Entry, Head},
    lesson::{Admitted, FailureKey, Lesson},
    queue::{Job, JobId, Spent},
    rank::Found,
    scope::Scope,
    text::CleanText,
};
use hardwon_store::{
    Census, JobListing, Judged, JudgementId, JudgementListing, Listing, Query, Queue, Read, Reader,
    Recall, RecallId, RecallListing, Receipt, Result, Settled, Sighting, Source, Spool, Store,
    StoreError, Witness, Write,
};
use jiff::Timestamp;

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
    fn commit(
        &self,
        tenant: &TenantId,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<Receipt> {
        self.trouble.is_alive()?;
        match self.trouble.next() {
            None => self.inner.commit(tenant, work),
            Some(FaultKind::Before) => Err(fails()),
            Some(FaultKind::Inside) => self.inner.commit(tenant, &mut |transaction| {
                work(transaction).and_then(|()| Err(fails()))
            }),
            Some(FaultKind::After) => self.inner.commit(tenant, work).and_then(|_| Err(fails())),
        }
    }

    fn remember(&self, recall: &Recall) -> Result<Spool> {
        self.write(|it| it.remember(recall))
    }

    fn settle(&self) -> Result<Settled> {
        self.write(|it| it.settle())
    }

    fn forget_asked(&self, tenant: &TenantId, before: Timestamp) -> Result<()> {
        self.write(|it| it.forget_asked(tenant, before))
    }

    fn sight(&self, sighting: &Sighting) -> Result<Witness> {
        self.write(|it| it.sight(sighting))
    }

    fn forget_witness(&self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.write(|it| it.forget_witness(scope, failure))
    }

    fn keep_source(&self, tenant: &TenantId, name: &str, source: &Source) -> Result<()> {
        self.write(|it| it.keep_source(tenant, name, source))
    }
}

/// Reads go through as long as the process lives.
macro_rules! reads {
    ($($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl Read for Faulty {
            $(fn $name(&self, $($arg: $type),*) -> Result<$answer> {
                self.trouble.is_alive()?;
                self.inner.$name($($arg),*)
            })+
        }
    };
}

reads! {
    lesson(tenant: &TenantId, id: LessonId) -> Option<Lesson>;
    lessons(tenant: &TenantId, listing: &Listing) -> Vec<Lesson>;
    known(admitted: &Admitted, capacity: usize) -> Known;
    about_failure(scope: &Scope, failure: &FailureKey) -> Vec<Lesson>;
    proven(scope: &Scope, now: Timestamp) -> Vec<Lesson>;
    search(query: &Query) -> Found;
    census(scope: &Scope) -> Census;
    scopes(tenant: &TenantId) -> Vec<Scope>;
    head(tenant: &TenantId) -> Head;
    journal(tenant: &TenantId, after: u64, limit: usize) -> Vec<Entry>;
    history(tenant: &TenantId, lesson: LessonId, after: u64, limit: usize) -> Vec<Entry>;
    replaced_by(tenant: &TenantId, id: LessonId) -> Vec<Lesson>;
    recalls(tenant: &TenantId, listing: &RecallListing) -> Vec<(RecallId, Recall)>;
    asked(tenant: &TenantId, recall: RecallId, reader: Reader<'_>) -> Option<CleanText>;
    judgements(tenant: &TenantId, listing: &JudgementListing) -> Vec<(JudgementId, Judged)>;
    baseline(tenant: &TenantId, about: &About) -> Leaning;
    witness(scope: &Scope, failure: &FailureKey) -> Option<Witness>;
    source(tenant: &TenantId, name: &str) -> Option<Source>;
    job(tenant: &TenantId, id: JobId) -> Option<Job>;
    job_of(tenant: &TenantId, key: &str) -> Option<Job>;
    jobs(tenant: &TenantId, listing: &JobListing) -> Vec<Job>;
    next_job(tenant: &TenantId, now: Timestamp) -> Option<Job>;
    queue(tenant: &TenantId, now: Timestamp) -> Queue;
    spent(tenant: &TenantId, day: i64) -> Spent;
    without_vector(tenant: &TenantId, space: &str, after: LessonId, limit: usize) -> Vec<Lesson>;
    vectors(scope: &Scope, space: &str) -> u64;
}
