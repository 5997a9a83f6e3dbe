//! What a store keeps beside lessons: recalls, troubles seen once, sources of transcripts.
//!
//! None of it is journaled. Of a prompt's text little is kept, apart and for days only.

use std::cmp::Reverse;

use hardwon_core::{
    credit::Judgement,
    id::{LessonId, RunId},
    lesson::{AdmittedLesson, FailureKey, Lesson, Status},
    limits,
    queue::{Job, JobId, JobState},
    recall::{Recall, Treatment},
    scope::Scope,
    text::CleanText,
    vector::{Vector, content_fingerprint},
};
use jiff::{SignedDuration, Timestamp};

use crate::{Result, StoreError, StoreErrorKind};

/// How many noted recalls a flush counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlushCounts {
    /// Those that were counted.
    pub recalls: u64,
    /// Lines that could not be read, such as one that a crash cut off.
    pub unreadable: u64,
}

/// Returns a lesson as the last change that left it there did; `None` if none was about it. `applied` is
/// what [`Write::apply`](crate::Write::apply) returned, which does not name a deleted lesson.
#[must_use]
pub fn last_version_of(applied: Vec<Option<Lesson>>, id: LessonId) -> Option<Lesson> {
    applied.into_iter().flatten().rfind(|it| it.id == id)
}

/// Whether notes of recalls are piling up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoolLevel {
    /// There is room.
    HasRoom,
    /// It is time to flush, as soon as no agent waits.
    FlushDue,
}

/// A judgement's number within its tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JudgementId(pub i64);

/// What was judged of lessons, by whom and when.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementRecord {
    /// The run that it was read off; none if somebody said so.
    pub run: Option<RunId>,
    /// When; milliseconds are kept.
    pub at: Timestamp,
    /// What.
    pub judgement: Judgement,
}

/// A run met a trouble that is not worth a lesson by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    /// Where.
    pub scope: Scope,
    /// Which trouble.
    pub failure: FailureKey,
    /// Which run.
    pub run: RunId,
    /// When.
    pub at: Timestamp,
    /// What the lesson would be, if it is seen again.
    pub lesson: Option<AdmittedLesson>,
}

/// A trouble that was seen and is not yet a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateLesson {
    /// The runs that met it: the first and the newest, at most `limits::WITNESS_RUNS`.
    pub runs: Vec<RunId>,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// What the lesson would be: the newest that a sighting brought.
    pub lesson: Option<AdmittedLesson>,
}

/// The vector of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonVector {
    /// Whose.
    pub lesson: LessonId,
    /// The space it is in; at most `limits::VECTOR_SPACE_CHARS` characters.
    pub embedding_space: String,
    /// Which words it was made of: [`content_fingerprint`](hardwon_core::vector::content_fingerprint).
    pub fingerprint: u64,
    /// Where it points.
    pub vector: Vector,
}

/// How far a source of transcripts was read. What the fields mean is the reader's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceProgress {
    /// How far, in bytes or in whatever the source counts.
    pub position: u64,
    /// What tells that it is still the same source.
    pub fingerprint: String,
    /// What is needed to read on; at most `limits::SOURCE_STATE_BYTES`.
    pub state: Vec<u8>,
    /// When it was read.
    pub at: Timestamp,
}

/// Returns a recall as it is kept: within its bounds, to the millisecond.
pub(crate) fn bound_recall(recall: &Recall) -> Recall {
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
        .map(|it| truncate_text(it, limits::QUERY_TEXT_CHARS));
    recall
}

/// Returns the moment before which nothing is kept of what recalls were made for.
pub(crate) fn query_text_cutoff(now: Timestamp) -> Timestamp {
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

/// Returns what is remembered of a trouble after one more sighting.
pub(crate) fn add_sighting(
    before: Option<CandidateLesson>,
    sighting: &Sighting,
) -> CandidateLesson {
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

/// Refuses a vector of a space whose name is too long.
pub(crate) fn check_vector_space(vector: &LessonVector) -> Result<()> {
    let most = limits::VECTOR_SPACE_CHARS;
    if vector.embedding_space.chars().count() <= most {
        return Ok(());
    }
    let what = format!("the name of its space is longer than {most} characters");
    Err(StoreError::new(
        StoreErrorKind::Invalid,
        "keeping a vector",
        what,
    ))
}

/// Returns whether a vector was made of a lesson's present words.
pub(crate) fn is_current_vector(vector: &LessonVector, lesson: &Lesson) -> bool {
    lesson.status == Status::Active && content_fingerprint(&lesson.content) == vector.fingerprint
}

/// Refuses a source that is too large to keep.
pub(crate) fn check_source_size(name: &str, source: &SourceProgress) -> Result<()> {
    let too_large = |what: &str, limit: usize| {
        let what = format!("{what} is longer than {limit} bytes");
        Err(StoreError::new(
            StoreErrorKind::Invalid,
            "keeping a source",
            what,
        ))
    };
    if name.len() > limits::SOURCE_NAME_BYTES {
        return too_large("its name", limits::SOURCE_NAME_BYTES);
    }
    if source.state.len() > limits::SOURCE_STATE_BYTES {
        return too_large("its state", limits::SOURCE_STATE_BYTES);
    }
    Ok(())
}

/// Returns a judgement as it is kept.
pub(crate) fn truncate_judgement_time(judged: &JudgementRecord) -> JudgementRecord {
    JudgementRecord {
        at: truncate_to_millisecond(judged.at),
        ..judged.clone()
    }
}

/// Returns a source as it is kept.
pub(crate) fn truncate_source_time(source: &SourceProgress) -> SourceProgress {
    SourceProgress {
        at: truncate_to_millisecond(source.at),
        ..source.clone()
    }
}

/// Orders jobs by when they were ready, then the oldest first.
pub(crate) fn job_order_key(job: &Job) -> (Timestamp, JobId) {
    let ready = match job.state {
        JobState::Waiting { due: at } | JobState::Running { until: at } => at,
        JobState::Done | JobState::Dead | JobState::Seen => Timestamp::MAX,
    };
    (ready, job.id)
}

/// Returns how many jobs in this state are remembered, if the oldest of them may be forgotten.
pub(crate) fn max_jobs_in_state(state: JobState) -> Option<usize> {
    match state {
        JobState::Waiting { .. } | JobState::Running { .. } => None,
        JobState::Done => Some(limits::QUEUE_DONE),
        JobState::Dead => Some(limits::QUEUE_DEAD),
        JobState::Seen => Some(limits::QUEUE_SEEN),
    }
}

pub(crate) fn duplicate_job_error() -> StoreError {
    StoreError::new(
        StoreErrorKind::Conflict,
        "adding a job",
        "there is one already",
    )
}

pub(crate) fn missing_job_error() -> StoreError {
    StoreError::new(
        StoreErrorKind::Conflict,
        "keeping a job",
        "it is not there any more",
    )
}

/// Returns a job as it is kept: to the millisecond.
pub(crate) fn truncate_job_times(job: &Job) -> Job {
    Job {
        state: match job.state {
            JobState::Waiting { due } => JobState::Waiting {
                due: truncate_to_millisecond(due),
            },
            JobState::Running { until } => JobState::Running {
                until: truncate_to_millisecond(until),
            },
            timeless @ (JobState::Done | JobState::Dead | JobState::Seen) => timeless,
        },
        created: truncate_to_millisecond(job.created),
        ..job.clone()
    }
}

/// Orders lessons by how far they helped more often than they harmed, then the newest first.
pub(crate) fn proof_order_key(lesson: &Lesson) -> (Reverse<u64>, Reverse<LessonId>) {
    let margin = lesson.counts.helped.saturating_sub(lesson.counts.harmed);
    (Reverse(margin), Reverse(lesson.id))
}

pub(crate) fn truncate_to_millisecond(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond())
        .expect("a timestamp's milliseconds are those of a timestamp")
}
