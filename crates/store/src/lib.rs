//! Storage of lessons.
//!
//! [`Store::snapshot`] gives a consistent reader ([`Read`]). [`Commit::commit`] is the only way to change anything: it
//! opens a transaction ([`Write`]), lets the caller read and decide inside it, and appends the journal in the same
//! transaction. A backend may roll a transaction back and run its work again, so the work must change nothing but the
//! transaction. Deciding is the task of `hardwon_core::change`; the store numbers, keeps, finds and counts. Besides
//! lessons it keeps the records that learning and explaining need: recalls, judgements, failures seen once, how far
//! each transcript was read, the queue of questions for a model, and the vectors of lessons.
//!
//! [`SqliteStore`] is one file on disk, or a database in memory. The contract of all stores, and the readable reference
//! that they are compared with, are a crate for tests (`store-suite`). Nothing here ranks, renders or reads a clock. The state of sessions
//! that several servers share is in a store of its own ([`sessions`]), and so are the rows of a server's keys, which it
//! reads itself ([`SqliteKeyDatabase`]).

pub mod journal;
pub mod request;
mod error;
mod records;
pub mod sessions;
mod similarity;
pub mod private_file;
pub mod regular_file;
mod query;
mod derived;
pub mod paging;
pub mod index;
pub mod rows;
pub mod port;
pub mod backend;
pub mod tables;
pub mod sqlite;

use hardwon_core::{
    AdmittedLesson, BaselineKey, ChangeBatch, CleanText, DecisionContext, FailureKey,
    GaussianMessage, Job, JobId, JobState, JobTask, Lesson, LessonId, ModelCost, Scope,
    SearchResults, TenantId, TypedWord,
};
use jiff::Timestamp;

pub(crate) use derived::IndexUpdate;
pub(crate) use error::damaged_error;
pub use error::{Result, StoreError, StoreErrorKind};
pub use hardwon_core::{
    ConsideredLesson, Moment, PromptDigest, Recall, RecallId, StatusName, Treatment,
};
pub(crate) use index::Posting;
pub use index::{
    FoundIndex, IndexError, IndexHit, IndexHits, IndexedLesson, LessonShare, PostingChunk,
    PostingLists, ScopeSearch, ScopeTotals, SearchPlan,
};
pub use journal::{
    ChainHead, Discrepancy, EntryBody, JournalComment, JournalEntry, LessonLedger, Sha256Hash,
};
pub use port::{ReadRow, ReadRowOf, ReadRows, RowDatabase, RowWork, Statement, WriteRows};
pub use query::{
    JobCounts, JobListing, JudgementListing, LessonListing, LessonOrder, LessonQuery,
    QueryTextReader, QueryVector, RecallListing, ScopeFilter,
};
pub use records::{
    CandidateLesson, ErasedTenant, FlushCounts, JudgementId, JudgementRecord, LessonVector,
    Sighting, SourceProgress, SpoolLevel, last_version_of,
};
pub use request::{IdempotencyKey, KeptAnswer, RequestConflict, RequestMark};
pub(crate) use rows::{AdmittedRow, DuplicateKeys, JudgementRow};
pub use rows::{ColumnValue, ReadColumns, RecallRow};
pub use sessions::{SessionAddition, SessionLock, SessionPlace, SessionRecord, SessionStore};
pub use sqlite::{SqliteKeyDatabase, SqliteStore, replica};
pub(crate) use tables::TenantTables;
pub use tables::{Column, TableWords, TenantDatabase, TenantRow, TenantTransaction, TenantView};

/// A reader of one consistent state: a [snapshot](Store::snapshot), or a [transaction](Write) with its own changes.
///
/// Every method names the tenant, and no answer holds anything of another tenant: no bytes, counts, statistics or
/// numbers. Pages hold at most `limits::PAGE` rows.
pub trait Read {
    /// Returns a lesson in any state, or `None` if there is none of this number.
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>>;

    /// Returns a page of lessons, in the order that the listing names.
    fn lessons(&self, tenant: &TenantId, listing: &LessonListing) -> Result<Vec<Lesson>>;

    /// Collects the state that [`decide_admission`](hardwon_core::change::decide_admission) needs for an admitted
    /// lesson. `capacity` must be the one that the decision will use.
    fn decision_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext>;

    /// Returns the lessons about a failure that are visible from this scope, in any state: active ones first, then the
    /// newest; at most `limits::CANDIDATES`.
    fn lessons_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>>;

    /// Returns visible lessons that helped more often than they harmed and may be recalled at `now`. The widest margin
    /// comes first, then the newest; at most `limits::CANDIDATES`. Only as many of each scope are looked at.
    fn proven_lessons(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>>;

    /// Finds the recallable lessons that match a query best, in the scopes visible to it, with the statistics of just
    /// these scopes. If the query has a vector, the nearest lessons follow, unless there are too many to compare them
    /// all.
    fn search(&self, query: &LessonQuery) -> Result<SearchResults>;

    /// Returns the newest `most` active lessons of a part of a tenant that may hold all of these words, the newest first:
    /// those of which the text index has a term that each word may be. There must be a word.
    fn lessons_with_words(
        &self,
        tenant: &TenantId,
        within: &ScopeFilter,
        words: &[TypedWord],
        most: usize,
    ) -> Result<Vec<LessonId>>;

    /// Counts the lessons of each scope that wait for a person to decide. It takes no longer with many that do not.
    fn count_waiting(&self, tenant: &TenantId) -> Result<Vec<(Scope, u64)>>;

    /// Returns every scope of a tenant that anything was ever stored for.
    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>>;

    /// Returns the number and hash of the tenant's last journal entry.
    fn journal_head(&self, tenant: &TenantId) -> Result<ChainHead>;

    /// Returns the journal entries after a sequence number, oldest first; 0 starts at the first one.
    fn journal(&self, tenant: &TenantId, after: u64, limit: usize) -> Result<Vec<JournalEntry>>;

    /// Returns the journal entries of one lesson after a sequence number, oldest first. A deleted lesson keeps its
    /// entries.
    fn lesson_history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>>;

    /// Returns the lessons that this one superseded, by number.
    fn lessons_replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>>;

    /// Returns a page of flushed recalls, the newest first.
    fn recalls(
        &self,
        tenant: &TenantId,
        listing: &RecallListing,
    ) -> Result<Vec<(RecallId, Recall)>>;

    /// Returns the prompt or call that a recall was made for. `None` if it was not kept, or this reader may not see it.
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

    /// Returns the estimate of how runs or calls go without lessons, as the sum of judgements.
    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage>;

    /// Returns the candidate lesson of a failure that has been seen and is not yet a lesson.
    fn candidate_lesson(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>>;

    /// Returns the candidate lessons of a scope that have words, the one seen last first.
    fn candidate_lessons(&self, scope: &Scope) -> Result<Vec<(FailureKey, CandidateLesson)>>;

    /// Returns how far a source of transcripts was read; `None` if never.
    fn source_progress(&self, tenant: &TenantId, name: &str) -> Result<Option<SourceProgress>>;

    /// Returns a job of the queue, if it exists.
    fn job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>>;

    /// Returns the job with this key ([`JobTask::key`]), if it exists.
    fn job_with_key(&self, tenant: &TenantId, key: &str) -> Result<Option<Job>>;

    /// Returns a page of jobs, the newest first.
    fn jobs(&self, tenant: &TenantId, listing: &JobListing) -> Result<Vec<Job>>;

    /// Returns the job that has been ready longest; `None` if none is ready at `now`.
    fn next_job(&self, tenant: &TenantId, now: Timestamp) -> Result<Option<Job>>;

    /// Counts a tenant's jobs by state.
    fn count_jobs(&self, tenant: &TenantId, now: Timestamp) -> Result<JobCounts>;

    /// Returns what models cost on a day, counted from 1970-01-01.
    fn model_cost(&self, tenant: &TenantId, day: i64) -> Result<ModelCost>;

    /// Returns active lessons without a vector in this space, by number, starting after `after`.
    fn lessons_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>>;

    /// Returns what is kept of the request of this name, however long ago it was made.
    fn kept_answer(&self, tenant: &TenantId, name: &Sha256Hash) -> Result<Option<KeptAnswer>>;

    /// Counts the lessons of one scope that have a vector in this space.
    fn count_vectors(&self, scope: &Scope, space: &str) -> Result<u64>;

    /// Compares rows that are made of others with those, the text index among them, and returns what differs, a sentence
    /// each. Takes as long as reading all of a tenant. A store that keeps no such rows finds none.
    fn find_faults(&self, _tenant: &TenantId) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// A write transaction of one tenant: it sees its own changes, and nothing else writes meanwhile.
///
/// Records besides lessons can be written here as well, together with lessons or not at all.
pub trait Write {
    /// Returns a reader of the state including this transaction's changes so far.
    fn reader(&self) -> &dyn Read;

    /// Applies a batch, appends its entries to the journal, and returns each change's lesson as it is afterwards, in
    /// order; `None` for a deleted one. A change without effect leaves no entry.
    ///
    /// # Errors
    ///
    /// `Conflict` if a change does not fit the lessons that are there, or names another tenant.
    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>>;

    /// Records that a run hit a failure, and returns the candidate lesson with all its sightings.
    fn record_sighting(&mut self, sighting: &Sighting) -> Result<CandidateLesson>;

    /// Deletes the candidate lesson of a failure, because it became a lesson.
    fn delete_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()>;

    /// Saves how far a source of transcripts was read.
    fn save_source_progress(&mut self, name: &str, source: &SourceProgress) -> Result<()>;

    /// Deletes the query texts of recalls before a time.
    fn erase_query_texts(&mut self, before: Timestamp) -> Result<()>;

    /// Adds a job in its first state, under the next number.
    ///
    /// # Errors
    ///
    /// `Conflict` if there is already a job with its key.
    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId>;

    /// Updates a job. If there are too many done, dead or seen jobs, the oldest of them is deleted; adding a job does
    /// the same.
    ///
    /// # Errors
    ///
    /// `Conflict` if there is no job of its number.
    fn update_job(&mut self, job: &Job) -> Result<()>;

    /// Deletes a job, and returns whether it existed.
    fn delete_job(&mut self, id: JobId) -> Result<bool>;

    /// Sets what models have cost on a day. Days long past are deleted.
    fn set_model_cost(&mut self, day: i64, spent: ModelCost) -> Result<()>;

    /// Saves a judgement in place of the earlier one of the same run, and adds it to the baselines. It does not change
    /// lessons: a batch made from the same judgement does, see
    /// [`credit::changes_from_judgement`](hardwon_core::credit::changes_from_judgement).
    fn save_judgement(&mut self, judged: &JudgementRecord) -> Result<()>;

    /// Saves that a request was made, with its answer once there is one, in place of an earlier one of its name. An
    /// answer longer than `limits::ANSWER_BYTES` is left out. Requests of more than `limits::ANSWER_HOURS` before are
    /// deleted, and now and then ([`RequestMark::makes_room`]) the oldest beyond `limits::KEPT_ANSWER_BYTES`. Erasing any
    /// lesson erases the answers of its tenant, because they may hold its words, though not that the requests were made.
    fn save_answer(
        &mut self,
        mark: &RequestMark,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()>;

    /// Saves a lesson's vector in place of any earlier one, and returns whether it was saved. It is not if the lesson
    /// is inactive or its words differ from those the vector was made of. A lesson loses its vector when its words
    /// change or it stops being active.
    ///
    /// # Errors
    ///
    /// `Invalid` if the name of the space is too long.
    fn save_vector(&mut self, vector: &LessonVector) -> Result<bool>;
}

/// How much of a commit a crash of the whole machine may lose. A crash of the process alone loses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing: the commit is on disk when it returns.
    Full,
    /// The commits of the last moments; for data that can be recomputed.
    Lazy,
}

/// A store of lessons. Backends implement it; callers write through [`Commit`].
pub trait Store: Send + Sync {
    /// Returns a reader of one consistent state, which later commits do not change. Several threads may hold several at
    /// once, and none waits for another.
    fn snapshot(&self) -> Result<Box<dyn Read + '_>>;

    /// Runs `work` in a write transaction of one tenant: see [`Commit::commit`]. `work` is called again if the backend
    /// has to roll back.
    fn transact(
        &self,
        tenant: &TenantId,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
    ) -> Result<()>;

    /// Appends a recall to the spool, in microseconds and without waiting for a lock. A crash of the machine may lose
    /// it. The next transaction of its tenant sees it, and readers after that or after a [`flush`](Self::flush).
    fn spool_recall(&self, recall: &Recall) -> Result<SpoolLevel>;

    /// Moves a tenant's spooled recalls into the store, so that readers see them, and counts them. Query texts older
    /// than [`QUERY_TEXT_DAYS`](hardwon_core::limits::QUERY_TEXT_DAYS) are deleted.
    fn flush(&self, tenant: &TenantId) -> Result<FlushCounts>;

    /// Sends the recalls of all tenants that are noted in this process's memory alone to where other processes count
    /// them, so that the process may end. A spool that is a file needs nothing of it.
    ///
    /// # Errors
    ///
    /// The first reason why some could not be sent; they are kept.
    fn send_noted_recalls(&self) -> Result<()> {
        Ok(())
    }

    /// Erases a tenant, all of it or nothing, and returns what there was: lessons, journal, recalls and their texts,
    /// spooled ones too, judgements, jobs and everything else. What is written for a tenant of this name afterwards
    /// begins anew, and so does its journal.
    ///
    /// The journal's hashes go with its words: a digest of a short text tells whether a guess of it is right. Whoever
    /// has to show later that there was a journal keeps the head that is returned.
    fn erase_tenant(&self, tenant: &TenantId) -> Result<ErasedTenant>;
}

/// Writing to a store: the one way in.
pub trait Commit {
    /// Runs `work` in a write transaction of one tenant, and returns its value. When this returns, what it applied is
    /// on disk, all of it or, on an error, nothing.
    ///
    /// `work` sees the latest state and no other writer comes between its reads and its changes, so many processes
    /// learning the same thing at once store it once. It must not call the store itself, only the transaction it is
    /// given, and it may be run again after everything it did was rolled back.
    ///
    /// # Errors
    ///
    /// The error that `work` returned, or the reason why the store could not be written.
    fn commit<T, E: From<StoreError>>(
        &self,
        tenant: &TenantId,
        work: impl Fn(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        self.commit_with(tenant, Durability::Full, work)
    }

    /// Commits as [`commit`](Self::commit) does, with the given durability.
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
        let result = self.transact(tenant, durability, &mut |transaction| {
            let ran = work(transaction);
            let rolls_back = ran.is_err();
            outcome = Some(ran);
            if rolls_back {
                Err(StoreError::refused("the work of the transaction failed"))
            } else {
                Ok(())
            }
        });
        match (result, outcome) {
            (_, Some(Err(error))) => Err(error),
            (Ok(()), Some(Ok(value))) => Ok(value),
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => unreachable!("a transaction that was committed ran its work"),
        }
    }
}
