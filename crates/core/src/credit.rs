//! Finding out whether lessons help.
//!
//! Four records make a lesson's credit: it was retrieved, it was shown or held back
//! ([`recall`](crate::recall)), it was followed or contradicted ([`outcome`]), and how it went
//! ([`judge`]). All that is believed or counted of a lesson is a sum over judgements, so it can be
//! taken back to the last digit when the same run is judged again. Outcomes are weighed against
//! what such runs come to without the lesson, several lessons share one outcome, and a lesson
//! that nobody followed is not blamed. [`sample_holdout`] holds a lesson back by chance now and then, which
//! tells what showing it changes. Nothing here reads a store; `docs/design/credit.md` has the
//! method, its assumptions and the figures.

mod advice;
mod assignment;
mod holdout;
mod outcome;
mod judge;
mod prose;
mod summary;
#[cfg(test)]
mod tests;

use crate::{
    id::{LessonId, RecallId},
    lesson::{FailureKey, GaussianMessage, RecordDelta, Trial},
    recall::Moment,
};

pub use holdout::{HoldoutChances, HoldoutSample, TrialCandidate, sample_holdout};
pub use judge::{
    CreditPriors, LessonPrior, changes_from_delta, changes_from_judgement, delta_from_feedback,
    judge_run, judgement_from_opinion, required_baselines, went_well,
};
pub use outcome::observe_outcomes;
pub use summary::{CreditSummary, MomentStats, OutcomeCounts, Period};

/// What became of a lesson in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LessonOutcome {
    /// What it says to do was done, and worked.
    Followed,
    /// What it says to do was done, and the trouble that it is about came all the same.
    Contradicted,
    /// There was occasion to do what it says, and it was not done.
    Ignored,
    /// Nothing in the run bears on it.
    Unused,
    /// The run cannot tell.
    Unclear,
}

impl LessonOutcome {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Followed,
        Self::Contradicted,
        Self::Ignored,
        Self::Unused,
        Self::Unclear,
    ];

    /// Returns the word used in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Followed => "followed",
            Self::Contradicted => "contradicted",
            Self::Ignored => "ignored",
            Self::Unused => "unused",
            Self::Unclear => "untold",
        }
    }

    /// Reads the word back.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Returns whether what the lesson says was done; none where that cannot be told.
    #[must_use]
    pub fn was_followed(self) -> Option<bool> {
        match self {
            Self::Followed | Self::Contradicted => Some(true),
            Self::Ignored | Self::Unused => Some(false),
            Self::Unclear => None,
        }
    }
}

/// What became of a lesson that a recall showed or held back.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedOutcome {
    /// Which recall.
    pub recall: RecallId,
    /// Which lesson.
    pub lesson: LessonId,
    /// Whether it was held back.
    pub is_control: bool,
    /// How likely that was, 0 to 1.
    pub holdout_chance: f64,
    /// How well it matched, against the best of its recall, 0 to 1.
    pub weight: f64,
    /// At which moment it was shown, or would have been.
    pub moment: Moment,
    /// The failure that the lesson is about, if it is about one.
    pub failure: Option<FailureKey>,
    /// Whether that failure came from there on; none if it is about none, or nothing was called.
    pub failure_recurred: Option<bool>,
    /// Where chance decided whether it was shown at a moment or left to a later one.
    pub timing: Option<TimingObservation>,
    /// What became of it.
    pub outcome: LessonOutcome,
}

/// How it went where chance decided whether a lesson was shown at a moment or left to a later one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimingObservation {
    /// The moment.
    pub moment: Moment,
    /// Whether it was left to a later one.
    pub was_deferred: bool,
    /// How likely that was, 0 to 1.
    pub deferral_chance: f64,
    /// Whether the failure that the lesson is about came from that moment on.
    pub failure_recurred: Option<bool>,
}

/// How things go without any lesson, in general and for one kind of trouble or task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaselineKey {
    /// Whether a trouble comes that a lesson is about.
    AllCalls,
    /// Whether this trouble comes.
    CallsForFailure(FailureKey),
    /// Whether a run goes well.
    AllRuns,
    /// Whether a run goes well that this lesson fits best.
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

    /// Reads a name back.
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

/// What a judgement says of one lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonJudgement {
    /// The recall that showed it or held it back; none for somebody's word.
    pub recall: Option<RecallId>,
    /// Which lesson.
    pub lesson: LessonId,
    /// Whether it was held back.
    pub is_control: bool,
    /// At which moment it was shown; none for somebody's word, and where it was not kept.
    pub moment: Option<Moment>,
    /// What became of it.
    pub outcome: LessonOutcome,
    /// How it went, by its own trouble where it has one, else by the run's end; none if nobody
    /// knows.
    pub went_well: Option<bool>,
    /// What it adds to the lesson's record.
    pub delta: RecordDelta,
    /// What it tells of showing the lesson at a moment rather than at a later one, and at which.
    pub timing: Option<(Moment, Trial)>,
}

/// What one run, or one word of somebody, says of lessons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Whether the run went well; none if it did not come to an end of its own.
    pub went_well: Option<bool>,
    /// What it says of each lesson that was shown or held back, and what was said of them.
    pub lessons: Vec<LessonJudgement>,
    /// What it adds to what is believed of how things go without lessons.
    pub baselines: Vec<(BaselineKey, GaussianMessage)>,
}

impl Judgement {
    /// Returns what it adds to a lesson's record.
    #[must_use]
    pub fn delta_for_lesson(&self, lesson: LessonId) -> RecordDelta {
        let parts = self.lessons.iter().filter(|it| it.lesson == lesson);
        parts.fold(RecordDelta::default(), |sum, part| sum + part.delta)
    }

    /// Returns what the run itself shows of lessons.
    pub fn recalled_lessons(&self) -> impl Iterator<Item = &LessonJudgement> {
        self.lessons.iter().filter(|it| it.recall.is_some())
    }

    /// Returns what was said of lessons.
    pub fn feedback(&self) -> impl Iterator<Item = &LessonJudgement> {
        self.lessons.iter().filter(|it| it.recall.is_none())
    }

    /// Returns it with other words about the lessons in place of those there are.
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
