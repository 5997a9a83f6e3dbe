//! Estimates whether lessons help.
//!
//! Four records make up a lesson's credit: it was retrieved; it was shown, or withheld as a control
//! ([`recall`](crate::recall)); it was followed or contradicted ([`outcome`]); and how the run went ([`judge`]).
//! Every count and estimate of a lesson is a sum over judgements, so it can be taken back exactly when the same run
//! is judged again. Outcomes are compared with what such runs come to without the lesson, several lessons share one
//! outcome, and a lesson that nobody followed is not blamed. [`sample_holdout`] withholds a lesson at random now and
//! then, which measures the effect of showing it. Nothing here reads a store; `docs/design/credit.md` has the method,
//! its assumptions and the figures.

mod assignment;
mod holdout;
mod outcome;
mod judge;
mod summary;
#[cfg(test)]
mod tests;

use crate::{
    id::{LessonId, RecallId},
    lesson::{FailureKey, GaussianMessage, RecordDelta, Trial},
    named_enum::named_enum,
    recall::Moment,
};

pub use holdout::{HoldoutChances, HoldoutSample, TrialCandidate, sample_holdout};
pub use judge::{
    CreditPriors, LessonPrior, changes_from_delta, changes_from_judgement, delta_from_feedback,
    judge_run, judgement_from_opinion, required_baselines, went_well,
};
pub use outcome::observe_outcomes;
pub use summary::{CreditSummary, MomentStats, OutcomeCounts, Period};

named_enum! {
    /// What happened to a lesson in a run.
    LessonOutcome {
        /// Its advice was followed, and worked.
        Followed = "followed",
        /// Its advice was followed, and the failure that it is about occurred all the same.
        Contradicted = "contradicted",
        /// There was occasion to follow it, and it was not followed.
        Ignored = "ignored",
        /// Nothing in the run relates to it.
        Unused = "unused",
        /// The run does not show whether it was followed.
        Unclear = "untold",
    }
}

impl LessonOutcome {
    /// Returns whether the advice was followed; `None` if that is unknown.
    #[must_use]
    pub fn was_followed(self) -> Option<bool> {
        match self {
            Self::Followed | Self::Contradicted => Some(true),
            Self::Ignored | Self::Unused => Some(false),
            Self::Unclear => None,
        }
    }
}

/// What happened after a recall to one lesson that it showed or withheld.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedOutcome {
    /// The recall.
    pub recall: RecallId,
    /// The lesson.
    pub lesson: LessonId,
    /// Whether it was withheld at random, as a control.
    pub is_control: bool,
    /// The probability of withholding it, 0 to 1.
    pub holdout_chance: f64,
    /// How well it matched, relative to the best of its recall, 0 to 1.
    pub weight: f64,
    /// The moment at which it was shown, or would have been.
    pub moment: Moment,
    /// The key of the failure that the lesson is about, if it is about one.
    pub failure: Option<FailureKey>,
    /// Whether that failure occurred after the recall; `None` if there is no such failure or no call followed.
    pub failure_recurred: Option<bool>,
    /// The result of the timing trial, if chance decided between this moment and a later one.
    pub timing: Option<TimingObservation>,
    /// What happened to the lesson.
    pub outcome: LessonOutcome,
}

/// The result of a timing trial: the lesson was shown at a moment or, by chance, deferred to a later one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimingObservation {
    /// The moment in question.
    pub moment: Moment,
    /// Whether it was deferred to a later moment.
    pub was_deferred: bool,
    /// The probability of deferring it, 0 to 1.
    pub deferral_chance: f64,
    /// Whether the lesson's failure occurred from that moment on; `None` if unknown.
    pub failure_recurred: Option<bool>,
}

/// Which success rate without lessons is meant: in general, or for one kind of failure or task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaselineKey {
    /// How often calls avoid a failure that a lesson is about.
    AllCalls,
    /// How often calls avoid this failure.
    CallsForFailure(FailureKey),
    /// How often a run goes well.
    AllRuns,
    /// How often a run goes well for which this lesson is the best match.
    RunsForLesson(LessonId),
}

impl BaselineKey {
    /// Returns the name used in SQL and JSON.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::AllCalls => "calls".to_owned(),
            Self::CallsForFailure(key) => format!("calls {}", key.as_str()),
            Self::AllRuns => "runs".to_owned(),
            Self::RunsForLesson(lesson) => format!("runs {lesson}"),
        }
    }

    /// Parses a name; `None` if it is malformed.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name.split_once(' ') {
            None if name == "calls" => Some(Self::AllCalls),
            None if name == "runs" => Some(Self::AllRuns),
            Some(("calls", key)) => Some(Self::CallsForFailure(FailureKey::new(key.to_owned()))),
            Some(("runs", lesson)) => lesson.parse().ok().map(Self::RunsForLesson),
            None | Some(_) => None,
        }
    }
}

/// What a judgement states about one lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonJudgement {
    /// The recall that showed or withheld it; `None` for feedback.
    pub recall: Option<RecallId>,
    /// The lesson.
    pub lesson: LessonId,
    /// Whether it was withheld at random, as a control.
    pub is_control: bool,
    /// The moment at which it was shown; `None` for feedback, and where it was not stored.
    pub moment: Option<Moment>,
    /// What happened to the lesson.
    pub outcome: LessonOutcome,
    /// Whether it went well: judged by the lesson's own failure if it has one, else by the end of the run. `None` if
    /// unknown.
    pub went_well: Option<bool>,
    /// What it adds to the lesson's record.
    pub delta: RecordDelta,
    /// The trial of showing it at a moment rather than later, with that moment, if there was one.
    pub timing: Option<(Moment, Trial)>,
}

/// The judgement of one run, or of one piece of feedback, about lessons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Whether the run went well; `None` if it did not end by itself.
    pub went_well: Option<bool>,
    /// One entry for each lesson that was shown or withheld, and for each that got feedback.
    pub lessons: Vec<LessonJudgement>,
    /// What it adds to the baselines without lessons.
    pub baselines: Vec<(BaselineKey, GaussianMessage)>,
}

impl Judgement {
    /// Returns what it adds to a lesson's record in all.
    #[must_use]
    pub fn delta_for_lesson(&self, lesson: LessonId) -> RecordDelta {
        let parts = self.lessons.iter().filter(|it| it.lesson == lesson);
        parts.fold(RecordDelta::default(), |sum, part| sum + part.delta)
    }

    /// Returns what the run itself shows about lessons, without feedback.
    pub fn recalled_lessons(&self) -> impl Iterator<Item = &LessonJudgement> {
        self.lessons.iter().filter(|it| it.recall.is_some())
    }

    /// Returns the feedback about lessons.
    pub fn feedback(&self) -> impl Iterator<Item = &LessonJudgement> {
        self.lessons.iter().filter(|it| it.recall.is_none())
    }

    /// Replaces the feedback about lessons.
    #[must_use]
    pub fn with_feedback(mut self, words: impl IntoIterator<Item = LessonJudgement>) -> Self {
        self.lessons.retain(|it| it.recall.is_some());
        self.lessons.extend(words);
        self
    }

    /// Returns what it adds to a baseline.
    #[must_use]
    pub fn baseline_message(&self, about: &BaselineKey) -> GaussianMessage {
        let found = self.baselines.iter().find(|it| it.0 == *about);
        found.map(|it| it.1).unwrap_or_default()
    }
}
