//! Records besides lessons: recalls, failures seen once, progress in transcripts.
//!
//! None of them is journaled. Little of a prompt's text is kept, apart from the recall and for days only.

use std::cmp::Reverse;

pub use hardwon_core::change::truncate_to_millisecond;
use hardwon_core::{
    AdmittedLesson, CleanText, FailureKey, Job, JobId, JobState, Judgement, Lesson, LessonId,
    Recall, RunId, Scope, Status, Treatment, Vector, limits, vector::content_fingerprint,
};
use jiff::{SignedDuration, Timestamp};

use crate::{
    ChainHead, Result, StoreError,
    StoreErrorKind::{Conflict, Invalid},
};

/// What there was of a tenant that was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErasedTenant {
    /// The number and hash of the journal's last entry.
    pub journal_head: ChainHead,
    /// Lessons in any state.
    pub lessons: u64,
    /// Recalls, counted or not yet.
    pub recalls: u64,
    /// Judgements of runs, and feedback.
    pub judgements: u64,
    /// Jobs of the queue.
    pub jobs: u64,
}

/// The result of flushing spooled recalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlushCounts {
    /// Recalls that were counted.
    pub recalls: u64,
    /// Lines that could not be read, such as one cut off by a crash.
    pub unreadable: u64,
}

/// Returns the error for a change that does not fit the lessons that are there.
pub fn conflict_error(what: impl Into<String>) -> StoreError {
    StoreError::new(Conflict, "changing lessons", what)
}

/// Returns the error if the work of a transaction went on after a batch conflicted: what it did may be half a batch.
pub fn conflicting_batch_error() -> StoreError {
    conflict_error("a batch did not fit the lessons that are there, so nothing was kept")
}

/// Returns a lesson as the last change to it left it; `None` if no change was about it. `applied` is the result of
/// [`Write::apply`](crate::Write::apply), which does not name a deleted lesson.
pub fn last_version_of(applied: Vec<Option<Lesson>>, id: LessonId) -> Option<Lesson> {
    applied.into_iter().flatten().rfind(|left| left.id == id)
}

/// Whether spooled recalls are piling up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoolLevel {
    /// There is room for more.
    HasRoom,
    /// The spool should be flushed, as soon as no agent waits.
    FlushDue,
}

/// A judgement's number within its tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JudgementId(pub i64);

/// A judgement of lessons with its run and time.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementRecord {
    /// The run that was judged; `None` for a direct report of a person or an agent.
    pub run: Option<RunId>,
    /// The time, to the millisecond.
    pub at: Timestamp,
    /// The judgement itself.
    pub judgement: Judgement,
}

/// A run hit a failure that is not worth a lesson by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    /// The scope of the run.
    pub scope: Scope,
    /// The key of the failure.
    pub failure: FailureKey,
    /// The run that hit it.
    pub run: RunId,
    /// The time of the failure.
    pub at: Timestamp,
    /// The lesson to store if the failure is seen again; `None` if none was drafted.
    pub lesson: Option<AdmittedLesson>,
}

impl Sighting {
    /// Makes a sighting without a lesson.
    pub fn new(scope: &Scope, failure: FailureKey, run: &RunId, at: Timestamp) -> Self {
        Self {
            scope: scope.clone(),
            failure,
            run: run.clone(),
            at,
            lesson: None,
        }
    }
}

/// A failure seen too few times for a lesson. A second run with the same key turns it into one.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateLesson {
    /// The runs that hit it: the first and the newest, at most `limits::WITNESS_RUNS`.
    pub runs: Vec<RunId>,
    /// The time of the first sighting.
    pub first_seen: Timestamp,
    /// The time of the last sighting.
    pub last_seen: Timestamp,
    /// The lesson to store, from the newest sighting that brought one.
    pub lesson: Option<AdmittedLesson>,
}

/// The vector of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonVector {
    /// Whose.
    pub lesson: LessonId,
    /// The embedding space; its name has at most `limits::VECTOR_SPACE_CHARS` characters.
    pub embedding_space: String,
    /// Fingerprint of the words it was made of: [`content_fingerprint`](hardwon_core::vector::content_fingerprint).
    pub fingerprint: u64,
    /// Where it points.
    pub vector: Vector,
}

/// How far a source of transcripts was read. The reader defines what the fields mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceProgress {
    /// The position, in bytes or in another unit of the source.
    pub position: u64,
    /// Identifies the source, so that a replaced file is noticed.
    pub fingerprint: String,
    /// The reader's state for reading on; at most `limits::SOURCE_STATE_BYTES`.
    pub state: Vec<u8>,
    /// When it was last read.
    pub at: Timestamp,
}

/// Returns a recall as it is stored: bounded, and to the millisecond.
pub fn bound_recall(recall: &Recall) -> Recall {
    let mut recall = recall.clone();
    recall.at = truncate_to_millisecond(recall.at);
    recall.considered.truncate(limits::CANDIDATES);
    for considered in &mut recall.considered {
        if !considered.score.is_finite() {
            considered.score = 0.0;
        }
        if !considered.holdout_chance.is_finite() {
            considered.holdout_chance = 0.0;
        }
        if let Treatment::Excluded { why } = &mut considered.treatment {
            *why = shorten_reason(why);
        }
    }
    recall.silence = recall.silence.as_ref().map(shorten_reason);
    recall.query_text = recall
        .query_text
        .as_ref()
        .map(|query_text| truncate_text(query_text, limits::QUERY_TEXT_CHARS));
    recall
}

/// Returns the time before which query texts are deleted.
pub fn query_text_cutoff(now: Timestamp) -> Timestamp {
    let hours = SignedDuration::from_hours(24 * limits::QUERY_TEXT_DAYS);
    now.checked_sub(hours).unwrap_or(Timestamp::MIN)
}

fn shorten_reason(reason: &CleanText) -> CleanText {
    truncate_text(reason, limits::REASON_CHARS)
}

fn truncate_text(text: &CleanText, chars: usize) -> CleanText {
    if text.as_str().len() <= chars {
        return text.clone();
    }
    CleanText::from_stored(text.as_str().chars().take(chars).collect())
}

/// Adds a sighting to a candidate lesson, or starts one.
pub fn add_sighting(before: Option<CandidateLesson>, sighting: &Sighting) -> CandidateLesson {
    let at = truncate_to_millisecond(sighting.at);
    let mut witness = before.unwrap_or(CandidateLesson {
        runs: Vec::new(),
        first_seen: at,
        last_seen: at,
        lesson: None,
    });
    if !witness.runs.contains(&sighting.run) {
        witness.runs.push(sighting.run.clone());
        let surplus = witness
            .runs
            .len()
            .saturating_sub(limits::CANDIDATE_LESSON_RUNS);
        witness.runs.drain(1..1 + surplus);
    }
    witness.last_seen = witness.last_seen.max(at);
    if let Some(lesson) = &sighting.lesson {
        let mut lesson = lesson.clone();
        lesson.expires_at = lesson.expires_at.map(truncate_to_millisecond);
        witness.lesson = Some(lesson);
    }
    witness
}

/// Rejects a vector whose space has too long a name.
pub fn check_vector_space(vector: &LessonVector) -> Result<()> {
    let most = limits::VECTOR_SPACE_CHARS;
    if vector.embedding_space.chars().count() <= most {
        return Ok(());
    }
    let message = format!("the name of its space is longer than {most} characters");
    Err(StoreError::new(Invalid, "keeping a vector", message))
}

/// Returns whether the lesson is active and the vector was made of its present words.
pub fn is_current_vector(vector: &LessonVector, lesson: &Lesson) -> bool {
    lesson.status == Status::Active && content_fingerprint(&lesson.content) == vector.fingerprint
}

/// Rejects a source that is too large to store.
pub fn check_source_size(name: &str, source: &SourceProgress) -> Result<()> {
    let too_large = |what: &str, limit: usize| {
        let message = format!("{what} is longer than {limit} bytes");
        Err(StoreError::new(Invalid, "keeping a source", message))
    };
    if name.len() > limits::SOURCE_NAME_BYTES {
        return too_large("its name", limits::SOURCE_NAME_BYTES);
    }
    if source.state.len() > limits::SOURCE_STATE_BYTES {
        return too_large("its state", limits::SOURCE_STATE_BYTES);
    }
    Ok(())
}

/// Returns a judgement as it is stored: to the millisecond.
pub fn truncate_judgement_time(judged: &JudgementRecord) -> JudgementRecord {
    JudgementRecord {
        at: truncate_to_millisecond(judged.at),
        ..judged.clone()
    }
}

/// Returns the sort key of jobs: the time they became ready, then the number.
pub fn job_order_key(job: &Job) -> (Timestamp, JobId) {
    let ready = match job.state {
        JobState::Waiting { due: at } | JobState::Running { until: at } => at,
        JobState::Done | JobState::Dead | JobState::Seen => Timestamp::MAX,
    };
    (ready, job.id)
}

/// Returns how many jobs in this state are kept; `None` if they are never deleted for room.
pub fn max_jobs_in_state(state: JobState) -> Option<usize> {
    match state {
        JobState::Waiting { .. } | JobState::Running { .. } => None,
        JobState::Done => Some(limits::QUEUE_DONE),
        JobState::Dead => Some(limits::QUEUE_DEAD),
        JobState::Seen => Some(limits::QUEUE_SEEN),
    }
}

/// Returns the error for a job whose key another one has.
pub fn duplicate_job_error() -> StoreError {
    StoreError::new(Conflict, "adding a job", "there is one already")
}

/// Returns the error for a job that does not exist.
pub fn missing_job_error() -> StoreError {
    StoreError::new(Conflict, "keeping a job", "it is not there any more")
}

/// Returns the sort key of proven lessons: the widest margin of helped over harmed, then the newest.
pub fn proof_order_key(lesson: &Lesson) -> (Reverse<u64>, Reverse<LessonId>) {
    let margin = lesson.counts.helped.saturating_sub(lesson.counts.harmed);
    (Reverse(margin), Reverse(lesson.id))
}

/// Returns the time up to which requests are forgotten.
pub fn forgotten_answer_cutoff(now: Timestamp) -> Timestamp {
    let memory_time = SignedDuration::from_hours(limits::ANSWER_HOURS);
    now.checked_sub(memory_time).unwrap_or(Timestamp::MIN)
}

/// Returns an answer as it is kept: not at all if it is too long.
pub fn bound_answer(answer: Option<&str>) -> Option<&str> {
    answer.filter(|answer| answer.len() <= limits::ANSWER_BYTES)
}
