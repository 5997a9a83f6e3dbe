//! Lessons in memory: the readable reference, and a store for tests of those who embed us.
//!
//! Plain maps, every question answered by looking at everything. What is slow here is what
//! [`Sqlite`](crate::Sqlite) must agree with. Nothing survives the process.

mod state;

use std::sync::{Mutex, MutexGuard, PoisonError};

use hardwon_core::{
    change::Batch,
    id::TenantId,
    lesson::FailureKey,
    limits,
    queue::{Job, JobId, Spent, State as JobState, Task},
    scope::Scope,
};
use jiff::Timestamp;

use self::state::State;
use crate::{
    ErrorKind, Judged, LessonVector, Read as _, Recall, Receipt, Result, Settled, Sighting, Source,
    Spool, Store, StoreError, Witness, Write, keep, read_through,
};

/// A store that lives as long as the value.
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<State>,
}

impl Memory {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the state. A panic elsewhere left it whole: changes replace it in one step.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lend<T>(&self, ask: impl FnOnce(&State) -> Result<T>) -> Result<T> {
        ask(&self.lock())
    }
}

read_through!(Memory);

/// A copy of everything, which takes the place of the original when the work is done.
struct Transaction {
    tenant: TenantId,
    state: State,
    added: Vec<hardwon_core::id::LessonId>,
    is_misfit: bool,
}

impl Transaction {
    fn lend<T>(&self, ask: impl FnOnce(&State) -> Result<T>) -> Result<T> {
        ask(&self.state)
    }
}

read_through!(Transaction);

impl Write for Transaction {
    fn apply(&mut self, batch: &Batch) -> Result<()> {
        let outcome = self.state.apply(&self.tenant, batch);
        self.is_misfit |= outcome.is_err();
        self.added.extend(outcome?);
        Ok(())
    }

    fn sight(&mut self, sighting: &Sighting) -> Result<Witness> {
        Ok(self.state.sight(sighting))
    }

    fn forget_witness(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.state.forget_witness(scope, failure);
        Ok(())
    }

    fn keep_source(&mut self, name: &str, source: &Source) -> Result<()> {
        keep::check_source(name, source)?;
        self.state.keep_source(&self.tenant, name, source);
        Ok(())
    }

    fn add_job(&mut self, task: &Task, now: Timestamp, state: JobState) -> Result<JobId> {
        self.state.add_job(&self.tenant, task, now, state)
    }

    fn keep_job(&mut self, job: &Job) -> Result<()> {
        self.state.keep_job(&self.tenant, job)
    }

    fn forget_job(&mut self, id: JobId) -> Result<bool> {
        Ok(self.state.forget_job(&self.tenant, id))
    }

    fn set_spent(&mut self, day: i64, spent: Spent) -> Result<()> {
        self.state.set_spent(&self.tenant, day, spent);
        Ok(())
    }

    fn judge(&mut self, judged: &Judged) -> Result<()> {
        self.state.judge(&self.tenant, keep::judged(judged));
        Ok(())
    }

    fn keep_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        keep::check_vector(vector)?;
        Ok(self.state.keep_vector(&self.tenant, vector))
    }
}

impl Store for Memory {
    fn commit(
        &self,
        tenant: &TenantId,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<Receipt> {
        let mut state = self.lock();
        let mut transaction = Transaction {
            tenant: tenant.clone(),
            state: state.clone(),
            added: Vec::new(),
            is_misfit: false,
        };
        work(&mut transaction)?;
        if transaction.is_misfit {
            return Err(misfit());
        }
        *state = transaction.state;
        Ok(Receipt {
            added: transaction.added,
            head: state.head(tenant)?,
            settled: state.settle(),
        })
    }

    fn remember(&self, recall: &Recall) -> Result<Spool> {
        self.lock().note(keep::bounded(recall));
        Ok(Spool::Roomy)
    }

    fn settle(&self) -> Result<Settled> {
        Ok(self.lock().settle())
    }

    fn forget_asked(&self, tenant: &TenantId, before: Timestamp) -> Result<()> {
        self.lock().forget_asked(tenant, keep::millisecond(before));
        Ok(())
    }

    fn sight(&self, sighting: &Sighting) -> Result<Witness> {
        Ok(self.lock().sight(sighting))
    }

    fn forget_witness(&self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.lock().forget_witness(scope, failure);
        Ok(())
    }

    fn keep_source(&self, tenant: &TenantId, name: &str, source: &Source) -> Result<()> {
        keep::check_source(name, source)?;
        self.lock().keep_source(tenant, name, source);
        Ok(())
    }
}

/// The work went on after a batch did not fit, so what it did may be half a batch.
pub(crate) fn misfit() -> StoreError {
    let what = "a batch did not fit the lessons that are there, so nothing was kept";
    StoreError::new(ErrorKind::Conflict, "changing lessons", what)
}

const _: () = assert!(limits::NEAR <= limits::PAGE && limits::CANDIDATES <= limits::PAGE);
