//! Where lessons live.
//!
//! [`Store::snapshot`] gives a consistent reader ([`Read`]). [`Commit::commit`] is the one door
//! through which anything changes: it opens a transaction ([`Write`]), lets the caller look and decide
//! inside it, and appends the journal in the same transaction. A backend may roll a transaction back
//! and run its work again, so the work changes nothing but the transaction. What is decided is
//! `hardwon_core::change`'s business; the store numbers, keeps, finds and counts. Beside the lessons it
//! keeps what helps to learn and to explain: recalls, judgements, failures seen once, how far each
//! transcript was read, the queue of questions that wait for a model, and the vectors of lessons.
//!
//! Two stores behave alike: [`MemoryStore`] is the readable reference, [`SqliteStore`] is one file on disk.
//! Both run the contract in `suite` (feature of that name). Nothing here ranks, renders or reads a
//! clock.

mod error;
mod records;
mod memory;
mod similarity;
mod query;
pub mod sqlite;
#[cfg(feature = "suite")]
pub mod suite;

use hardwon_core::{
    change::{ChangeBatch, DecisionContext},
    credit::BaselineKey,
    id::{LessonId, TenantId},
    journal::{ChainHead, JournalEntry},
    lesson::{AdmittedLesson, FailureKey, GaussianMessage, Lesson},
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    rank::SearchResults,
    scope::Scope,
    text::CleanText,
};
use jiff::Timestamp;

pub use error::{Result, StoreError, StoreErrorKind};
pub use hardwon_core::{
    id::RecallId,
    recall::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment},
};
pub use memory::MemoryStore;
pub use query::{
    Census, JobCounts, JobListing, JudgementListing, LessonListing, LessonOrder, LessonQuery,
    QueryTextReader, QueryVector, RecallListing, ScopeFilter, StatusName,
};
pub use records::{
    CandidateLesson, FlushCounts, JudgementId, JudgementRecord, LessonVector, Sighting,
    SourceProgress, SpoolLevel, last_version_of,
};
pub use sqlite::SqliteStore;

/// One consistent state of a store, to be read: a [snapshot](Store::snapshot), or what a
/// [transaction](Write) sees, its own changes among it.
///
/// Every question names the tenant, and no answer holds anything of another one's: not in bytes,
/// counts, statistics or numbers. Pages hold at most `limits::PAGE` rows.
pub trait Read {
    /// Returns a lesson in whatever state, if it is there.
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>>;

    /// Returns a page of lessons, in the order that is asked for.
    fn lessons(&self, tenant: &TenantId, listing: &LessonListing) -> Result<Vec<Lesson>>;

    /// Returns what [`decide_admission`](hardwon_core::change::decide_admission) must know about an admitted lesson.
    /// `capacity` is the one that will be decided with.
    fn decision_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext>;

    /// Returns lessons about a failure that somebody in this scope may see, in whatever state:
    /// active ones first, then the newest; at most `limits::CANDIDATES`.
    fn lessons_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>>;

    /// Returns whether there is any lesson [about a failure](Self::lessons_for_failure), which takes one
    /// look however many there are.
    fn has_lesson_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<bool> {
        Ok(!self.lessons_for_failure(scope, failure)?.is_empty())
    }

    /// Returns lessons that somebody in this scope may see, that helped more often than they harmed
    /// and may be recalled at this moment: the widest margin first, then the newest; at most
    /// `limits::CANDIDATES`. Of each scope only as many are looked at.
    fn proven_lessons(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>>;

    /// Returns the recallable lessons that match a query best, from the scopes visible to it, and
    /// the statistics of just these scopes. Where the query has a vector, the nearest lessons come
    /// after them, unless there are too many to compare all.
    fn search(&self, query: &LessonQuery) -> Result<SearchResults>;

    /// Counts the lessons of one scope, without the project-less ones that are visible from it.
    fn census(&self, scope: &Scope) -> Result<Census>;

    /// Returns every scope of a tenant that anything was ever kept for.
    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>>;

    /// Returns where the tenant's journal ends.
    fn journal_head(&self, tenant: &TenantId) -> Result<ChainHead>;

    /// Returns the journal entries after a sequence number, oldest first; zero begins at the
    /// beginning.
    fn journal(&self, tenant: &TenantId, after: u64, limit: usize) -> Result<Vec<JournalEntry>>;

    /// Returns the journal entries of one lesson after a sequence number, oldest first. A lesson
    /// that was deleted has its entries still.
    fn lesson_history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>>;

    /// Returns the lessons that are superseded by this one, by number.
    fn lessons_replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>>;

    /// Returns a page of settled recalls, the newest first.
    fn recalls(
        &self,
        tenant: &TenantId,
        listing: &RecallListing,
    ) -> Result<Vec<(RecallId, Recall)>>;

    /// Returns the prompt or the call that a recall was made for, as far as it is kept and this
    /// reader may see it.
    fn query_text(
        &self,
        tenant: &TenantId,
        recall: RecallId,
        reader: QueryTextReader<'_>,
    ) -> Result<Option<CleanText>>;

    /// Returns a page of judgements, the newest first.
    fn judgements(
        &self,
        tenant: &TenantId,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>>;

    /// Returns what judgements add up to on how things go without lessons.
    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage>;

    /// Returns a trouble that was seen and is not yet a lesson.
    fn candidate_lesson(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>>;

    /// Returns how far a source of transcripts was read.
    fn source_progress(&self, tenant: &TenantId, name: &str) -> Result<Option<SourceProgress>>;

    /// Returns a job of the queue.
    fn job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>>;

    /// Returns the job with this key ([`JobTask::key`]).
    fn job_with_key(&self, tenant: &TenantId, key: &str) -> Result<Option<Job>>;

    /// Returns a page of jobs, the newest first.
    fn jobs(&self, tenant: &TenantId, listing: &JobListing) -> Result<Vec<Job>>;

    /// Returns the job whose turn it is, if one is ready: the one that has been ready longest.
    fn next_job(&self, tenant: &TenantId, now: Timestamp) -> Result<Option<Job>>;

    /// Counts the jobs of a tenant.
    fn count_jobs(&self, tenant: &TenantId, now: Timestamp) -> Result<JobCounts>;

    /// Returns what models cost on a day.
    fn model_cost(&self, tenant: &TenantId, day: i64) -> Result<ModelCost>;

    /// Returns active lessons that have no vector of this space, by number, from the one after
    /// `after` on.
    fn lessons_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>>;

    /// Counts the lessons of one scope that have a vector of this space.
    fn count_vectors(&self, scope: &Scope, space: &str) -> Result<u64>;
}

/// A transaction of one tenant: it sees its own changes, and nobody else writes meanwhile.
///
/// What is kept beside lessons can be kept here as well, together with them or not at all.
pub trait Write {
    /// Returns a reader of the state as this transaction has changed it so far.
    fn reader(&self) -> &dyn Read;

    /// Carries out a batch, appends its entries to the journal, and returns each change's lesson as it
    /// stands after it, in order; `None` for one that is deleted. A change that changes nothing leaves
    /// no entry.
    ///
    /// # Errors
    ///
    /// `Conflict` if a change does not fit the lessons that are there, or names another tenant.
    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>>;

    /// Remembers that a run met a failure, and returns all that is remembered of it.
    fn record_sighting(&mut self, sighting: &Sighting) -> Result<CandidateLesson>;

    /// Forgets a failure, because it became a lesson.
    fn forget_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()>;

    /// Remembers how far a source of transcripts was read.
    fn save_source_progress(&mut self, name: &str, source: &SourceProgress) -> Result<()>;

    /// Forgets what recalls before a moment were made for.
    fn forget_query_texts(&mut self, before: Timestamp) -> Result<()>;

    /// Adds a job in its first state, under the next number.
    ///
    /// # Errors
    ///
    /// `Conflict` if there is one with its key.
    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId>;

    /// Brings a job up to date. Of those that are done, dead or only seen the oldest is forgotten where
    /// there are too many, and so it is when one is added.
    ///
    /// # Errors
    ///
    /// `Conflict` if there is none of its number.
    fn update_job(&mut self, job: &Job) -> Result<()>;

    /// Forgets a job, and returns whether it was there.
    fn forget_job(&mut self, id: JobId) -> Result<bool>;

    /// Says what models have cost on a day. Days long past are forgotten.
    fn set_model_cost(&mut self, day: i64, spent: ModelCost) -> Result<()>;

    /// Keeps a judgement in the place of the one before it of the same run, and adds it to the
    /// baselines. What it changes of lessons is a batch's business, made from the same judgement:
    /// see [`credit::changes_from_judgement`](hardwon_core::credit::changes_from_judgement).
    fn save_judgement(&mut self, judged: &JudgementRecord) -> Result<()>;

    /// Keeps the vector of a lesson in the place of the one it has, and returns whether it did: not
    /// if the lesson is not active, or has other words than those that the vector was made of. A
    /// lesson loses its vector when it changes its words or is active no longer.
    ///
    /// # Errors
    ///
    /// `Invalid` if the name of the space is too long.
    fn save_vector(&mut self, vector: &LessonVector) -> Result<bool>;
}

/// How much a crash of the whole machine may take of a commit. A crash of the process alone takes
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing: it is on disk when the commit returns.
    Full,
    /// The commits of the last moments, for what can be found out again.
    Lazy,
}

/// A place where lessons live. Backends implement it; callers write through [`Commit`].
pub trait Store: Send + Sync {
    /// Returns a reader of one consistent state, which later commits do not change. Several may be held
    /// at once, by several threads, and none waits for another.
    fn snapshot(&self) -> Result<Box<dyn Read + '_>>;

    /// Runs `work` in a write transaction of one tenant: see [`Commit::commit`]. `work` is called again
    /// after a roll-back if the backend has to.
    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()>;

    /// Notes a recall, in microseconds and without waiting for anybody. It may get lost in a crash
    /// of the machine. The next transaction of its tenant sees it, and readers after that or a
    /// [`flush`](Self::flush).
    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel>;

    /// Makes the recalls of a tenant that were only noted so far part of what readers see, and counts
    /// them. The query text of those older than [`QUERY_TEXT_DAYS`](hardwon_core::limits::QUERY_TEXT_DAYS) is
    /// forgotten.
    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts>;
}

/// Writing to a store through one door.
pub trait Commit {
    /// Runs `work` in a write transaction of one tenant, and returns its value. What it applied is on
    /// disk when this returns, all of it or, on an error, nothing.
    ///
    /// `work` sees the latest state and no other writer comes between its look and its change, so
    /// many processes learning the same thing at once store it once. It must not call the store
    /// itself, only the transaction it is given, and it may be run again after everything it did was
    /// rolled back.
    ///
    /// # Errors
    ///
    /// Whatever `work` returned, or why the store could not be written.
    fn commit<T, E: From<StoreError>>(
        &self,
        tenant: &TenantId,
        work: impl Fn(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        self.commit_with(tenant, Durability::Full, work)
    }

    /// Commits as [`commit`](Self::commit) does, with a durability of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    fn commit_with<T, E: From<StoreError>>(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: impl Fn(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E>;
}

impl<S: Store + ?Sized> Commit for S {
    fn commit_with<T, E: From<StoreError>>(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: impl Fn(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut outcome = None;
        let committed = self.transact(tenant, durability, &mut |transaction| {
            let ran = work(transaction);
            let rolls_back = ran.is_err();
            outcome = Some(ran);
            match rolls_back {
                true => Err(StoreError::refused("the work of the transaction failed")),
                false => Ok(()),
            }
        });
        match (committed, outcome) {
            (_, Some(Err(error))) => Err(error),
            (Ok(()), Some(Ok(value))) => Ok(value),
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => unreachable!("a transaction that was committed ran its work"),
        }
    }
}
