//! A store in memory: the readable reference.
//!
//! Plain maps; every query scans everything. Where this is slow, [`SqliteStore`](hardwon_store::SqliteStore) must still agree
//! with it. Nothing survives the process.

mod state;

use std::sync::{Mutex, MutexGuard, PoisonError};

use hardwon_core::{
    ChangeBatch, FailureKey, Job, JobId, JobState, JobTask, Lesson, ModelCost, Scope, TenantId,
    limits,
};
use hardwon_store::{
    CandidateLesson, Durability, ErasedTenant, FlushCounts, JudgementRecord, KeptAnswer,
    LessonVector, Read, Recall, RequestMark, Result, Sighting, SourceProgress, SpoolLevel, Store,
    Write, backend as records,
};
use jiff::Timestamp;

use self::state::{MemoryState, SharedState, TenantState};

/// A store in memory, gone when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<SharedState>,
}

impl MemoryStore {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a store of lessons as they are, whoever made them, with no word of them in the journal.
    #[must_use]
    pub fn of_lessons(lessons: &[Lesson]) -> Self {
        let store = Self::new();
        let mut state = store.lock_state();
        for lesson in lessons {
            state
                .make_mut()
                .tenant_mut(&lesson.scope.tenant)
                .put_lesson(lesson.clone());
        }
        drop(state);
        store
    }

    /// Locks the state. A panic in another thread left it intact: changes replace it in one step.
    fn lock_state(&self) -> MutexGuard<'_, SharedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A transaction's copy of the state, which replaces the original when the work is done.
struct MemoryTransaction<'t> {
    tenant: &'t TenantId,
    state: SharedState,
    has_conflict: bool,
}

impl MemoryTransaction<'_> {
    fn state_mut(&mut self) -> &mut MemoryState {
        self.state.make_mut()
    }

    fn tenant_mut(&mut self) -> &mut TenantState {
        let name = self.tenant;
        self.state_mut().tenant_mut(name)
    }
}

impl Write for MemoryTransaction<'_> {
    fn reader(&self) -> &dyn Read {
        &self.state
    }

    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        let name = self.tenant;
        let outcome = self.tenant_mut().apply(name, batch);
        self.has_conflict |= outcome.is_err();
        outcome
    }

    fn record_sighting(&mut self, sighting: &Sighting) -> Result<CandidateLesson> {
        Ok(self.state_mut().record_sighting(sighting))
    }

    fn delete_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.state_mut().delete_candidate_lesson(scope, failure);
        Ok(())
    }

    fn save_source_progress(&mut self, name: &str, source: &SourceProgress) -> Result<()> {
        records::check_source_size(name, source)?;
        self.tenant_mut().save_source_progress(name, source);
        Ok(())
    }

    fn erase_query_texts(&mut self, before: Timestamp) -> Result<()> {
        self.tenant_mut()
            .erase_query_texts(records::truncate_to_millisecond(before));
        Ok(())
    }

    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId> {
        self.tenant_mut().add_job(task, now, state)
    }

    fn update_job(&mut self, job: &Job) -> Result<()> {
        self.tenant_mut().update_job(job)
    }

    fn delete_job(&mut self, id: JobId) -> Result<bool> {
        Ok(self.tenant_mut().delete_job(id))
    }

    fn set_model_cost(&mut self, day: i64, spent: ModelCost) -> Result<()> {
        self.tenant_mut().set_model_cost(day, spent);
        Ok(())
    }

    fn save_judgement(&mut self, judged: &JudgementRecord) -> Result<()> {
        self.tenant_mut()
            .save_judgement(records::truncate_judgement_time(judged));
        Ok(())
    }

    fn save_answer(
        &mut self,
        mark: &RequestMark,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        let kept = KeptAnswer {
            digest: mark.digest,
            answer: records::bound_answer(answer).map(str::to_owned),
            at: records::truncate_to_millisecond(at),
        };
        self.tenant_mut().save_answer(mark, kept);
        Ok(())
    }

    fn save_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        records::check_vector_space(vector)?;
        Ok(self.tenant_mut().save_vector(vector))
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.lock_state().clone()))
    }

    fn transact(
        &self,
        tenant: &TenantId,
        _: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.lock_state();
        let mut transaction = MemoryTransaction {
            tenant,
            state: state.clone(),
            has_conflict: false,
        };
        transaction.state_mut().flush(tenant);
        work(&mut transaction)?;
        if transaction.has_conflict {
            return Err(records::conflicting_batch_error());
        }
        transaction.state_mut().delete_oldest_candidates(tenant);
        *state = transaction.state;
        Ok(())
    }

    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel> {
        self.lock_state()
            .make_mut()
            .spool_recall(records::bound_recall(recall));
        Ok(SpoolLevel::HasRoom)
    }

    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts> {
        Ok(self.lock_state().make_mut().flush(tenant))
    }

    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant> {
        Ok(self.lock_state().make_mut().erase_tenant(tenant))
    }
}

const _: () = assert!(
    limits::SIMILAR_LESSONS <= limits::PAGE_ROWS && limits::CANDIDATES <= limits::PAGE_ROWS
);
