//! Work that waits for a model: what a job is, and how it goes from one state to the next.
//!
//! A job is one question: about a trouble that runs met, or about one run as a whole. It waits until it
//! is due, is claimed by a worker until a moment, and ends as done or as dead; every step returns the
//! job as it is afterwards, and the store keeps it. A worker that dies leaves its claim behind, which is
//! void once its time is over. Each claim has a number, so that a worker that comes back too late is
//! known for it.
//!
//! There is one job for each trouble, or run, and way to ask. A trouble that cost little is only
//! noted until a second run meets it; each run that meets it while nobody was asked yet adds its
//! record, and once somebody was, it is not asked about again. A run that goes on is asked about anew:
//! a job that waits takes the new record, one that is over waits again. This module calls no model,
//! reads no clock and draws no lots: how long to wait is spread by a number that it is given.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::{
    digest,
    distil::{Origin, excerpt::Excerpt},
    lesson::FailureKey,
    limits,
    text::{CleanText, RawText},
};

/// A job's number within its tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// For one lesson, in four blocks.
    Lesson,
    /// For a judgement of the run, in JSON.
    Judge,
}

impl Method {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Lesson, Self::Judge];

    /// Returns the name used in settings, JSON and SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Judge => "judge",
        }
    }

    /// Reads a name back.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What is to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// How.
    pub method: Method,
    /// Where the answer belongs.
    pub origin: Origin,
    /// What is shown of the run; empty once the job is done.
    pub excerpt: Excerpt,
}

impl Task {
    /// Returns what tells this job from others: whose trouble or run it asks about, and how.
    #[must_use]
    pub fn key(&self) -> String {
        let scope = &self.origin.scope;
        let project = scope.project.as_ref().map_or("", |it| it.as_str());
        let mut parts = vec![scope.agent.as_str(), project];
        match &self.origin.trouble {
            Some(trouble) => parts.extend(["", "trouble", trouble.key.as_str()]),
            None => parts.push(self.origin.run.as_str()),
        }
        parts.push(self.method.name());
        digest::hex(&digest::of(parts.into_iter().map(str::as_bytes))[..16])
    }

    /// Returns the task with the record of another run that met the same trouble, as long as there is
    /// room for it.
    fn met_by(self, other: Self) -> Self {
        let Some(excerpt) = self.excerpt.and(&other.excerpt) else {
            return self;
        };
        let mut origin = self.origin;
        origin.others.push(other.origin.run);
        origin.tainted |= other.origin.tainted;
        Self {
            excerpt,
            origin,
            ..self
        }
    }

    /// Returns what tells one record of the run from another.
    #[must_use]
    pub fn print(&self) -> String {
        let text = self.excerpt.text().as_str().as_bytes();
        digest::hex(&digest::of([text])[..16])
    }
}

/// A question that a run gives rise to.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    /// What is to be asked.
    pub task: Task,
    /// The failures that it is about: if lessons are about all of them, it need not be asked. None if
    /// it is about something else.
    pub unless_known: Vec<FailureKey>,
    /// Whether this run alone is reason enough to ask.
    pub is_enough: bool,
}

impl Inquiry {
    /// Returns what a job that is made of it does at first.
    #[must_use]
    pub fn state(&self, due: Timestamp) -> State {
        match self.is_enough {
            true => State::Waiting { due },
            false => State::Seen,
        }
    }
}

/// What a job is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It waits.
    Waiting {
        /// Until then at least.
        due: Timestamp,
    },
    /// A worker has it.
    Running {
        /// When the claim is void.
        until: Timestamp,
    },
    /// It is done.
    Done,
    /// It was given up.
    Dead,
    /// One run met the trouble, at little cost. It waits once a second run does.
    Seen,
}

impl State {
    /// The names of all states.
    pub const NAMES: [&'static str; 5] = ["waiting", "running", "done", "dead", "seen"];

    /// Returns the name used in JSON and SQL.
    #[must_use]
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

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What is to be asked.
    pub task: Task,
    /// Which record of the run it asks, or asked, about: [`Task::print`].
    pub print: String,
    /// What it is doing.
    pub state: State,
    /// How often it was given to a worker; also the number of the present claim.
    pub claims: u32,
    /// How many workers did not come back with it.
    pub lost: u32,
    /// How often a model failed at it.
    pub attempts: u32,
    /// What went wrong the last time.
    pub why: Option<CleanText>,
    /// When it was made.
    pub created: Timestamp,
}

/// How a job came out that did not come to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Setback {
    /// What went wrong.
    pub why: RawText,
    /// How often that may happen; nothing if the job is not to blame.
    pub tries: Option<u32>,
    /// How long to wait at least, if somebody said.
    pub after: Option<SignedDuration>,
}

impl Job {
    /// Makes a job.
    #[must_use]
    pub fn new(id: JobId, task: Task, now: Timestamp, state: State) -> Self {
        Self {
            id,
            print: task.print(),
            task,
            state,
            claims: 0,
            lost: 0,
            attempts: 0,
            why: None,
            created: now,
        }
    }

    /// Returns what becomes of the job when its trouble was met again, or its run went on; none if it
    /// stays as it is. What a worker has is left alone: the record it has is nearly as new.
    #[must_use]
    pub fn renewed(self, inquiry: Inquiry, due: Timestamp) -> Option<Self> {
        match inquiry.task.origin.trouble {
            Some(_) => self.met_again(inquiry, due),
            None => self.gone_on(inquiry.task, due),
        }
    }

    fn gone_on(self, task: Task, due: Timestamp) -> Option<Self> {
        let is_over = match self.state {
            State::Running { .. } => return None,
            State::Waiting { .. } | State::Seen => false,
            State::Done | State::Dead => true,
        };
        self.with(task, State::Waiting { due }).map(|it| Self {
            attempts: if is_over { 0 } else { it.attempts },
            lost: if is_over { 0 } else { it.lost },
            ..it
        })
    }

    fn met_again(self, inquiry: Inquiry, due: Timestamp) -> Option<Self> {
        let run = &inquiry.task.origin.run;
        let is_another = !self.task.origin.runs().any(|known| known == run);
        let state = match self.state {
            State::Running { .. } | State::Done | State::Dead => return None,
            State::Seen if !is_another && !inquiry.is_enough => State::Seen,
            State::Seen | State::Waiting { .. } => State::Waiting { due },
        };
        let task = match is_another {
            true => self.task.clone().met_by(inquiry.task),
            // Which of several records is this run's is not known any more.
            false if !self.task.origin.others.is_empty() => return None,
            false => inquiry.task,
        };
        self.with(task, state)
    }

    /// Takes another record; none if it is the one that it has.
    fn with(self, task: Task, state: State) -> Option<Self> {
        let print = task.print();
        (print != self.print).then_some(Self {
            task,
            print,
            state,
            ..self
        })
    }

    /// Returns whether a worker may have it.
    #[must_use]
    pub fn is_ready(&self, now: Timestamp) -> bool {
        match self.state {
            State::Waiting { due: at } | State::Running { until: at } => at <= now,
            State::Done | State::Dead | State::Seen => false,
        }
    }

    /// Returns whether this claim of it still holds.
    #[must_use]
    pub fn is_held(&self, claim: u32) -> bool {
        matches!(self.state, State::Running { .. }) && self.claims == claim
    }

    /// Gives it to a worker, or gives it up if it was given to too many that never came back.
    #[must_use]
    pub fn claimed(self, until: Timestamp) -> Self {
        let lost = self.lost + u32::from(matches!(self.state, State::Running { .. }));
        if lost >= limits::QUEUE_LOST {
            let why = format!("{lost} workers took it up and did not come back");
            return Self { lost, ..self }.dead(&RawText::new(why));
        }
        Self {
            state: State::Running { until },
            claims: self.claims + 1,
            lost,
            ..self
        }
    }

    /// Ends it well. What was shown is not needed any more.
    #[must_use]
    pub fn done(self) -> Self {
        let task = Task {
            method: self.task.method,
            origin: Origin {
                task: None,
                ..self.task.origin
            },
            excerpt: Excerpt::default(),
        };
        Self {
            task,
            state: State::Done,
            why: None,
            ..self
        }
    }

    /// Puts it off after a setback, or gives it up. `spread`, from 0 to 1, keeps jobs that failed
    /// together from coming back together.
    #[must_use]
    pub fn set_back(self, setback: &Setback, now: Timestamp, spread: f64) -> Self {
        let attempts = self.attempts + u32::from(setback.tries.is_some());
        let job = Self { attempts, ..self };
        if setback.tries.is_some_and(|tries| attempts >= tries) {
            return job.dead(&setback.why);
        }
        let wait = backoff(attempts, spread).max(setback.after.unwrap_or_default());
        Self {
            state: State::Waiting {
                due: later(now, wait),
            },
            why: Some(short(&setback.why)),
            ..job
        }
    }

    /// Has it tried again, as if it were new; none if it is at work or done.
    #[must_use]
    pub fn retried(self, now: Timestamp) -> Option<Self> {
        match self.state {
            State::Running { .. } | State::Done => None,
            State::Waiting { .. } | State::Dead | State::Seen => Some(Self {
                state: State::Waiting { due: now },
                attempts: 0,
                lost: 0,
                ..self
            }),
        }
    }

    fn dead(self, why: &RawText) -> Self {
        Self {
            state: State::Dead,
            why: Some(short(why)),
            ..self
        }
    }
}

fn short(why: &RawText) -> CleanText {
    let clean = crate::redact::clean_chars(why, limits::REASON_CHARS);
    CleanText::assume(crate::guard::neutralise(clean.as_str()).into_owned())
}

/// Returns how long to wait after so many failures: twice as long each time, a fifth more or less.
#[must_use]
pub fn backoff(attempts: u32, spread: f64) -> SignedDuration {
    let doubled = limits::QUEUE_BACKOFF_SECONDS << attempts.saturating_sub(1).min(16);
    let seconds = doubled.min(limits::QUEUE_BACKOFF_MAX_SECONDS);
    let factor = 0.8 + 0.4 * spread.clamp(0.0, 1.0);
    let wait = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    wait.mul_f64(factor)
}

/// Returns a number from 0 to 1 that is another one for each job and attempt.
#[must_use]
pub fn spread(job: &Job) -> f64 {
    let attempt = job.attempts.to_be_bytes();
    let bytes = digest::of([job.print.as_bytes(), &attempt]);
    f64::from(u16::from_be_bytes([bytes[0], bytes[1]])) / f64::from(u16::MAX)
}

fn later(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.checked_add(wait).unwrap_or(Timestamp::MAX)
}

/// What a model cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls.
    pub calls: u64,
    /// Tokens, in and out.
    pub tokens: u64,
    /// Millionths of whatever the prices are in.
    pub micros: u64,
}

impl Spent {
    /// Returns both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            micros: self.micros.saturating_add(other.micros),
        }
    }

    /// Returns this without what was only reckoned with.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(other.calls),
            tokens: self.tokens.saturating_sub(other.tokens),
            micros: self.micros.saturating_sub(other.micros),
        }
    }
}

/// What may be spent in a day. Nothing means that there is no end to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowance {
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// Millionths of whatever the prices are in.
    pub micros: Option<u64>,
}

impl Allowance {
    /// Returns whether this much is still within it.
    #[must_use]
    pub fn covers(self, spent: Spent) -> bool {
        self.tokens.is_none_or(|most| spent.tokens <= most)
            && self.micros.is_none_or(|most| spent.micros <= most)
    }
}

/// Returns the day that a moment's costs count for, in days since 1970, UTC.
#[must_use]
pub fn day(now: Timestamp) -> i64 {
    now.as_second().div_euclid(24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        id::RunId,
        lesson::{Cause, Outcome},
        scope::Scope,
    };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn task(text: &str) -> Task {
        Task {
            method: Method::Lesson,
            origin: Origin {
                scope: Scope::default(),
                run: RunId::parse("r1").unwrap(),
                others: Vec::new(),
                trouble: None,
                cause: Cause::Error,
                outcome: Outcome::Failure,
                tainted: false,
                task: None,
            },
            excerpt: Excerpt::stored(CleanText::stored(text.to_owned())),
        }
    }

    fn job() -> Job {
        Job::new(JobId(1), task("a"), at(0), State::Waiting { due: at(10) })
    }

    fn setback(tries: Option<u32>) -> Setback {
        Setback {
            why: "no answer".into(),
            tries,
            after: None,
        }
    }

    #[test]
    fn a_job_goes_from_worker_to_worker_until_it_is_done() {
        let job = job();
        assert!(!job.is_ready(at(9)) && job.is_ready(at(10)));
        let first = job.claimed(at(60));
        assert!(!first.is_ready(at(59)) && first.is_held(1));
        assert!(first.is_ready(at(60)), "its worker is gone");
        let second = first.claimed(at(120));
        assert!(!second.is_held(1), "the first worker comes too late");
        let done = second.done();
        assert!(!done.is_ready(at(999)) && !done.is_held(2));
        assert_eq!(done.task.excerpt, Excerpt::default());
        assert_eq!(done.clone().retried(at(0)), None);
    }

    #[test]
    fn a_job_is_put_off_and_then_given_up() {
        let mut job = job();
        let mut waits = Vec::new();
        while job.state != State::Dead {
            job = job.claimed(at(0)).set_back(&setback(Some(5)), at(0), 0.5);
            if let State::Waiting { due } = job.state {
                waits.push(due.as_second());
            }
        }
        assert_eq!(waits, [10, 20, 40, 80]);
        assert_eq!(job.why.as_ref().map(CleanText::as_str), Some("no answer"));
        let again = job.retried(at(7)).unwrap();
        assert!(again.is_ready(at(7)) && again.attempts == 0);
    }

    #[test]
    fn what_is_not_a_jobs_fault_does_not_count_against_it() {
        let mut job = job();
        for _ in 0..2 * limits::QUEUE_LOST {
            job = job.claimed(at(0)).set_back(&setback(None), at(0), 0.5);
            assert_eq!(job.attempts, 0);
        }
        let limited = Setback {
            after: Some(SignedDuration::from_secs(100)),
            ..setback(None)
        };
        let put_off = self::job().claimed(at(0)).set_back(&limited, at(0), 0.5);
        assert_eq!(put_off.state, State::Waiting { due: at(100) });
    }

    #[test]
    fn a_job_that_kills_its_workers_is_given_up() {
        let mut job = job();
        let mut claims = 0;
        while job.state != State::Dead {
            job = job.claimed(at(0));
            claims += 1;
        }
        assert_eq!(claims, limits::QUEUE_LOST + 1);
    }

    #[test]
    fn a_run_that_goes_on_is_asked_about_anew() {
        let inquiry = |text: &str| Inquiry {
            task: task(text),
            unless_known: Vec::new(),
            is_enough: true,
        };
        let renewed = |job: Job, text: &str| job.renewed(inquiry(text), at(99)).map(|it| it.state);
        let waiting = Some(State::Waiting { due: at(99) });
        assert_eq!(renewed(job(), "b"), waiting);
        assert_eq!(renewed(job(), "a"), None);
        assert_eq!(renewed(job().claimed(at(60)), "b"), None);
        assert_eq!(renewed(job().claimed(at(60)).done(), "a"), None);
        assert_eq!(renewed(job().claimed(at(60)).done(), "b"), waiting);
        assert_eq!(task("a").key(), task("b").key());
    }

    #[test]
    fn an_allowance_covers_what_is_within_it() {
        let spent = Spent {
            calls: 1,
            tokens: 10,
            micros: 5,
        };
        for (tokens, micros, covers) in [
            (None, None, true),
            (Some(10), Some(5), true),
            (Some(9), None, false),
            (None, Some(4), false),
        ] {
            assert_eq!(Allowance { tokens, micros }.covers(spent), covers);
        }
        assert_eq!((day(at(-1)), day(at(0)), day(at(86_400))), (-1, 0, 1));
    }

    proptest! {
        #[test]
        fn a_wait_is_bounded(attempts in any::<u32>(), spread in any::<f64>()) {
            let wait = backoff(attempts, spread);
            prop_assert!(wait >= SignedDuration::from_secs(8));
            prop_assert!(wait <= SignedDuration::from_secs(72 * 60));
        }
    }
}
