//! The queue of jobs for a model: what a job is, and its transitions between states.
//!
//! A job is one question: about a failure of one or more runs, or about one run as a whole. It waits until a set
//! time, is claimed by a worker until a deadline, and ends as done or dead; every transition returns the new job, and
//! the store keeps it. A worker that dies leaves its claim behind, which becomes void at the deadline. Each claim has
//! a number, so that a worker which comes back too late is recognised.
//!
//! There is one job for each failure, or run, and method. A failure that cost little is only noted until a second run
//! has it; each run that has it before the question is asked adds its record, and after that it is not asked about
//! again. A run that continues is asked about again: a waiting job takes the new record, a finished one waits again.
//! This module calls no model, reads no clock and uses no randomness: the spread of waiting times is computed from a
//! number that it is given.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

pub use crate::distil::{Inquiry, JobMethod, JobTask};
use crate::{CleanText, Excerpt, RawText, digest, distil::InquiryOrigin, limits};

/// A job's number within its tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a job is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// The job waits for a worker.
    Waiting {
        /// The earliest time at which a worker may claim it.
        due: Timestamp,
    },
    /// A worker has claimed it.
    Running {
        /// When the claim becomes void.
        until: Timestamp,
    },
    /// The job is done.
    Done,
    /// The job was given up.
    Dead,
    /// One run had the failure, at little cost. The job waits once a second run has it.
    Seen,
}

impl JobState {
    /// The names of all states.
    pub const NAMES: [&'static str; 5] = ["waiting", "running", "done", "dead", "seen"];

    /// Returns what a job that is made of a question does at first; `due` is when it may be asked.
    pub fn from_inquiry(inquiry: &Inquiry, due: Timestamp) -> Self {
        if inquiry.is_sufficient_alone {
            Self::Waiting { due }
        } else {
            Self::Seen
        }
    }

    /// Returns the name used in JSON and SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting { .. } => Self::NAMES[0],
            Self::Running { .. } => Self::NAMES[1],
            Self::Done => Self::NAMES[2],
            Self::Dead => Self::NAMES[3],
            Self::Seen => Self::NAMES[4],
        }
    }
}

/// A question to a model, with the state of its processing.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The job's number.
    pub id: JobId,
    /// The question.
    pub task: JobTask,
    /// The digest of the record that it asks, or asked, about: [`JobTask::fingerprint`].
    pub fingerprint: String,
    /// The state of the job.
    pub state: JobState,
    /// How often it was claimed; also the number of the present claim.
    pub claims: u32,
    /// How many workers claimed it and did not come back.
    pub lost_workers: u32,
    /// How often a model failed at it.
    pub attempts: u32,
    /// The last error, if there was one.
    pub why: Option<CleanText>,
    /// When the job was created.
    pub created: Timestamp,
}

/// Why an attempt at a job failed.
#[derive(Debug, Clone, PartialEq)]
pub struct JobFailure {
    /// The error message.
    pub why: RawText,
    /// How often this may happen before the job is given up; `None` for no limit, if the job is not to blame.
    pub max_attempts: Option<u32>,
    /// The least time to wait before the next attempt, if the service stated one.
    pub retry_after: Option<SignedDuration>,
}

impl Job {
    /// Creates a job that no worker has claimed yet.
    pub fn new(id: JobId, task: JobTask, now: Timestamp, state: JobState) -> Self {
        Self {
            id,
            fingerprint: task.fingerprint(),
            task,
            state,
            claims: 0,
            lost_workers: 0,
            attempts: 0,
            why: None,
            created: now,
        }
    }

    /// Returns the job after its failure recurred or its run continued; `None` if it stays unchanged. A claimed job
    /// is left alone: its record is nearly as new.
    #[must_use]
    pub fn apply_inquiry(self, inquiry: Inquiry, due: Timestamp) -> Option<Self> {
        match inquiry.task.origin.failure {
            Some(_) => self.apply_repeated_failure(inquiry, due),
            None => self.apply_continued_run(inquiry.task, due),
        }
    }

    fn apply_continued_run(self, task: JobTask, due: Timestamp) -> Option<Self> {
        let is_over = match self.state {
            JobState::Running { .. } => return None,
            JobState::Waiting { .. } | JobState::Seen => false,
            JobState::Done | JobState::Dead => true,
        };
        self.with_task(task, JobState::Waiting { due })
            .map(|task| Self {
                attempts: if is_over { 0 } else { task.attempts },
                lost_workers: if is_over { 0 } else { task.lost_workers },
                ..task
            })
    }

    fn apply_repeated_failure(self, inquiry: Inquiry, due: Timestamp) -> Option<Self> {
        let run = &inquiry.task.origin.run;
        let is_another = !self.task.origin.runs().any(|known| known == run);
        let state = match self.state {
            JobState::Running { .. } | JobState::Done | JobState::Dead => return None,
            JobState::Seen if !is_another && !inquiry.is_sufficient_alone => JobState::Seen,
            JobState::Seen | JobState::Waiting { .. } => JobState::Waiting { due },
        };
        let task = if is_another {
            self.task.clone().with_other_run(inquiry.task)
        } else if self.task.origin.other_runs.is_empty() {
            inquiry.task
        } else {
            // It is no longer known which of several records is this run's.
            return None;
        };
        self.with_task(task, state)
    }

    /// Replaces the record; `None` if it is the same.
    fn with_task(self, task: JobTask, state: JobState) -> Option<Self> {
        let print = task.fingerprint();
        (print != self.fingerprint).then_some(Self {
            task,
            fingerprint: print,
            state,
            ..self
        })
    }

    /// Returns whether a worker may claim it.
    pub fn is_ready(&self, now: Timestamp) -> bool {
        match self.state {
            JobState::Waiting { due: at } | JobState::Running { until: at } => at <= now,
            JobState::Done | JobState::Dead | JobState::Seen => false,
        }
    }

    /// Returns whether this claim is still valid.
    pub fn has_claim(&self, claim: u32) -> bool {
        matches!(self.state, JobState::Running { .. }) && self.claims == claim
    }

    /// Claims it for a worker, or gives it up if too many workers were lost with it.
    #[must_use]
    pub fn claim(self, until: Timestamp) -> Self {
        let lost_workers =
            self.lost_workers + u32::from(matches!(self.state, JobState::Running { .. }));
        if lost_workers >= limits::QUEUE_LOST_WORKERS {
            let reason = format!("{lost_workers} workers took it up and did not come back");
            return Self {
                lost_workers,
                ..self
            }
            .give_up(&RawText::new(reason));
        }
        Self {
            state: JobState::Running { until },
            claims: self.claims + 1,
            lost_workers,
            ..self
        }
    }

    /// Marks it as done, and drops the record, which is no longer needed.
    #[must_use]
    pub fn complete(self) -> Self {
        let task = JobTask {
            method: self.task.method,
            origin: InquiryOrigin {
                task: None,
                ..self.task.origin
            },
            excerpt: Excerpt::default(),
        };
        Self {
            task,
            state: JobState::Done,
            why: None,
            ..self
        }
    }

    /// Delays it after a failed attempt, or gives it up. `spread`, from 0 to 1, keeps jobs that failed together from
    /// being retried together.
    #[must_use]
    pub fn fail(self, setback: &JobFailure, now: Timestamp, spread: f64) -> Self {
        let attempts = self.attempts + u32::from(setback.max_attempts.is_some());
        let job = Self { attempts, ..self };
        if setback.max_attempts.is_some_and(|tries| attempts >= tries) {
            return job.give_up(&setback.why);
        }
        let wait = backoff_delay(attempts, spread).max(setback.retry_after.unwrap_or_default());
        Self {
            state: JobState::Waiting {
                due: now.checked_add(wait).unwrap_or(Timestamp::MAX),
            },
            why: Some(clean_reason(&setback.why)),
            ..job
        }
    }

    /// Resets it to be tried again; `None` if it is running or done.
    #[must_use]
    pub fn requeue(self, now: Timestamp) -> Option<Self> {
        match self.state {
            JobState::Running { .. } | JobState::Done => None,
            JobState::Waiting { .. } | JobState::Dead | JobState::Seen => Some(Self {
                state: JobState::Waiting { due: now },
                attempts: 0,
                lost_workers: 0,
                ..self
            }),
        }
    }

    fn give_up(self, why: &RawText) -> Self {
        Self {
            state: JobState::Dead,
            why: Some(clean_reason(why)),
            ..self
        }
    }
}

fn clean_reason(why: &RawText) -> CleanText {
    let clean = hardwon_redact::clean_to_chars(why, limits::REASON_CHARS);
    hardwon_redact::clean_derived(&crate::guard::neutralise(clean.as_str()))
}

/// Returns the waiting time after this many failures: twice as long each time, a fifth more or less.
pub fn backoff_delay(attempts: u32, spread: f64) -> SignedDuration {
    let seconds = limits::QUEUE_BACKOFF_SECONDS << attempts.saturating_sub(1).min(16);
    let seconds = seconds.min(limits::QUEUE_BACKOFF_MAX_SECONDS);
    let factor = 0.8 + 0.4 * spread.clamp(0.0, 1.0);
    let wait = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    wait.mul_f64(factor)
}

/// Returns a number from 0 to 1 that is different for each job and attempt.
pub fn backoff_jitter(job: &Job) -> f64 {
    let attempt = job.attempts.to_be_bytes();
    let bytes = digest::hash_parts([job.fingerprint.as_bytes(), &attempt]);
    f64::from(u16::from_be_bytes([bytes[0], bytes[1]])) / f64::from(u16::MAX)
}

/// The cost of model calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelCost {
    /// The number of calls.
    pub calls: u64,
    /// The number of tokens, in and out.
    pub tokens: u64,
}

impl ModelCost {
    /// Returns the cost of one call.
    pub fn of_call(tokens: u64) -> Self {
        Self { calls: 1, tokens }
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Returns the difference, for replacing an estimate by the real cost.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(other.calls),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }

    /// Returns whether it is within a limit of tokens, if there is one.
    pub fn is_within(self, most_tokens: Option<u64>) -> bool {
        most_tokens.is_none_or(|most| self.tokens <= most)
    }
}

/// Returns the day of a time, in days since 1970, UTC. Costs are counted by it.
pub fn day_number(now: Timestamp) -> i64 {
    now.as_second().div_euclid(24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Scope,
        id::RunId,
        lesson::{Cause, RunOutcome},
    };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn task(text: &str) -> JobTask {
        JobTask {
            method: JobMethod::Lesson,
            origin: InquiryOrigin {
                scope: Scope::default(),
                run: RunId::parse("r1").unwrap(),
                other_runs: Vec::new(),
                failure: None,
                cause: Cause::Error,
                outcome: RunOutcome::Failure,
                tainted: false,
                task: None,
            },
            excerpt: Excerpt::from_stored(CleanText::from_stored(text.to_owned())),
        }
    }

    fn job() -> Job {
        Job::new(
            JobId(1),
            task("a"),
            at(0),
            JobState::Waiting { due: at(10) },
        )
    }

    fn setback(tries: Option<u32>) -> JobFailure {
        JobFailure {
            why: "no answer".into(),
            max_attempts: tries,
            retry_after: None,
        }
    }

    #[test]
    fn a_job_goes_from_worker_to_worker_until_it_is_done() {
        let job = job();
        assert!(!job.is_ready(at(9)) && job.is_ready(at(10)));
        let first = job.claim(at(60));
        assert!(!first.is_ready(at(59)) && first.has_claim(1));
        assert!(first.is_ready(at(60)), "its worker is gone");
        let second = first.claim(at(120));
        assert!(!second.has_claim(1), "the first worker comes too late");
        let done = second.complete();
        assert!(!done.is_ready(at(999)) && !done.has_claim(2));
        assert_eq!(done.task.excerpt, Excerpt::default());
        assert_eq!(done.clone().requeue(at(0)), None);
    }

    #[test]
    fn a_job_is_put_off_and_then_given_up() {
        let mut job = job();
        let mut waits = Vec::new();
        while job.state != JobState::Dead {
            job = job.claim(at(0)).fail(&setback(Some(5)), at(0), 0.5);
            if let JobState::Waiting { due } = job.state {
                waits.push(due.as_second());
            }
        }
        assert_eq!(waits, [10, 20, 40, 80]);
        assert_eq!(job.why.as_ref().map(CleanText::as_str), Some("no answer"));
        let again = job.requeue(at(7)).unwrap();
        assert!(again.is_ready(at(7)) && again.attempts == 0);
    }

    #[test]
    fn what_is_not_a_jobs_fault_does_not_count_against_it() {
        let mut job = job();
        for _ in 0..2 * limits::QUEUE_LOST_WORKERS {
            job = job.claim(at(0)).fail(&setback(None), at(0), 0.5);
            assert_eq!(job.attempts, 0);
        }
        let limited = JobFailure {
            retry_after: Some(SignedDuration::from_secs(100)),
            ..setback(None)
        };
        let put_off = self::job().claim(at(0)).fail(&limited, at(0), 0.5);
        assert_eq!(put_off.state, JobState::Waiting { due: at(100) });
    }

    #[test]
    fn a_job_that_kills_its_workers_is_given_up() {
        let mut job = job();
        let mut claims = 0;
        while job.state != JobState::Dead {
            job = job.claim(at(0));
            claims += 1;
        }
        assert_eq!(claims, limits::QUEUE_LOST_WORKERS + 1);
    }

    #[test]
    fn a_run_that_goes_on_is_asked_about_anew() {
        let inquiry = |text: &str| Inquiry {
            task: task(text),
            unless_known: Vec::new(),
            is_sufficient_alone: true,
        };
        let renewed =
            |job: Job, text: &str| job.apply_inquiry(inquiry(text), at(99)).map(|it| it.state);
        let waiting = Some(JobState::Waiting { due: at(99) });
        assert_eq!(renewed(job(), "b"), waiting);
        assert_eq!(renewed(job(), "a"), None);
        assert_eq!(renewed(job().claim(at(60)), "b"), None);
        assert_eq!(renewed(job().claim(at(60)).complete(), "a"), None);
        assert_eq!(renewed(job().claim(at(60)).complete(), "b"), waiting);
        assert_eq!(task("a").key(), task("b").key());
    }

    #[test]
    fn a_day_has_a_limit_of_tokens() {
        for (most, is_within) in [(None, true), (Some(10), true), (Some(9), false)] {
            assert_eq!(ModelCost::of_call(10).is_within(most), is_within);
        }
        assert_eq!(
            (
                day_number(at(-1)),
                day_number(at(0)),
                day_number(at(86_400))
            ),
            (-1, 0, 1)
        );
    }

    proptest! {
        #[test]
        fn a_wait_is_bounded(attempts in any::<u32>(), spread in any::<f64>()) {
            let wait = backoff_delay(attempts, spread);
            prop_assert!(wait >= SignedDuration::from_secs(8));
            prop_assert!(wait <= SignedDuration::from_secs(72 * 60));
        }
    }
}
