//! Lessons in memory: the readable reference, and a store for tests of those who embed us.
//!
//! Plain maps, every question answered by looking at everything. What is slow here is what
//! [`Sqlite`](crate::Sqlite) must agree with. Nothing survives the process.

mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hardwon_core::{
    change::ChangeBatch,
    id::TenantId,
    lesson::{FailureKey, Lesson},
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    scope::Scope,
};
use jiff::Timestamp;

use self::state::State;
use crate::{
    Durability, ErrorKind, Flushed, Judged, LessonVector, Read, Recall, Result, Sighting, Source,
    Spool, Store, StoreError, Witness, Write, keep,
};

/// A store that lives as long as the value.
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<Arc<State>>,
}

impl Memory {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the state. A panic elsewhere left it whole: changes replace it in one step.
    fn lock(&self) -> MutexGuard<'_, Arc<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state as a transaction changes it, which takes the place of the original when the work is done.
struct Transaction<'t> {
    tenant: &'t TenantId,
    state: Arc<State>,
    is_misfit: bool,
}

impl Transaction<'_> {
    fn state(&mut self) -> &mut State {
        Arc::make_mut(&mut self.state)
    }
}

impl Write for Transaction<'_> {
    fn reader(&self) -> &dyn Read {
        &self.state
    }

    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        let tenant = self.tenant;
        let outcome = self.state().apply(tenant, batch);
        self.is_misfit |= outcome.is_err();
        outcome
    }

    fn sight(&mut self, sighting: &Sighting) -> Result<Witness> {
        Ok(self.state().sight(sighting))
    }

    fn forget_witness(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.state().forget_witness(scope, failure);
        Ok(())
    }

    fn keep_source(&mut self, name: &str, source: &Source) -> Result<()> {
        let tenant = self.tenant;
        keep::check_source(name, source)?;
        self.state().keep_source(tenant, name, source);
        Ok(())
    }

    fn forget_asked(&mut self, before: Timestamp) -> Result<()> {
        let tenant = self.tenant;
        self.state().forget_asked(tenant, keep::millisecond(before));
        Ok(())
    }

    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId> {
        let tenant = self.tenant;
        self.state().add_job(tenant, task, now, state)
    }

    fn keep_job(&mut self, job: &Job) -> Result<()> {
        let tenant = self.tenant;
        self.state().keep_job(tenant, job)
    }

    fn forget_job(&mut self, id: JobId) -> Result<bool> {
        let tenant = self.tenant;
        Ok(self.state().forget_job(tenant, id))
    }

    fn set_spent(&mut self, day: i64, spent: ModelCost) -> Result<()> {
        let tenant = self.tenant;
        self.state().set_spent(tenant, day, spent);
        Ok(())
    }

    fn judge(&mut self, judged: &Judged) -> Result<()> {
        let tenant = self.tenant;
        self.state().judge(tenant, keep::judged(judged));
        Ok(())
    }

    fn keep_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        let tenant = self.tenant;
        keep::check_vector(vector)?;
        Ok(self.state().keep_vector(tenant, vector))
    }
}

impl Store for Memory {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(Arc::clone(&self.lock())))
    }

    fn transact(
        &self,
        tenant: &TenantId,
        _: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.lock();
        let mut transaction = Transaction {
            tenant,
            state: Arc::clone(&state),
            is_misfit: false,
        };
        transaction.state().flush(tenant);
        work(&mut transaction)?;
        if transaction.is_misfit {
            return Err(misfit());
        }
        *state = transaction.state;
        Ok(())
    }

    fn remember(&self, recall: &Recall) -> Result<Spool> {
        Arc::make_mut(&mut self.lock()).note(keep::bounded(recall));
        Ok(Spool::Roomy)
    }

    fn flush(&self, tenant: &TenantId) -> Result<Flushed> {
        Ok(Arc::make_mut(&mut self.lock()).flush(tenant))
    }
}

/// The work went on after a batch did not fit, so what it did may be half a batch.
pub(crate) fn misfit() -> StoreError {
    let what = "a batch did not fit the lessons that are there, so nothing was kept";
    StoreError::new(ErrorKind::Conflict, "changing lessons", what)
}

const _: () = assert!(
    limits::SIMILAR_LESSONS <= limits::PAGE_ROWS && limits::CANDIDATES <= limits::PAGE_ROWS
);
