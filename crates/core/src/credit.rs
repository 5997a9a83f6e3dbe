//! Estimates whether lessons help.
//!
//! Four records make up a lesson's credit: it was retrieved; it was shown, or withheld as a control
//! ([`recall`](crate::recall)); what became of its occasion ([`outcome`]); and how the
//! run went ([`judge`]).
//! Every count and estimate of a lesson is a sum over judgements, so it can be taken back exactly when the same run
//! is judged again. Outcomes are compared with what such runs come to without the lesson, several lessons share one
//! outcome, and a lesson that nobody followed is not blamed. [`holdout_share`] says how often a lesson is
//! withheld at random, which measures the effect of showing it. Nothing here reads a store; `docs/design/credit.md` has the method,
//! its assumptions and the figures.

mod aftermath;
mod assignment;
mod breadth;
mod holdout;
mod outcome;
mod prepared;
mod judge;
mod observed_call;
#[cfg(test)]
mod tests;

use crate::{
    FailureKey, GaussianMessage, LessonId, RecordDelta, id::RecallId, lesson::Trial,
    named_enum::named_enum, recall::Moment,
};

pub use breadth::{count_calls, is_too_broad};
pub use holdout::holdout_share;
pub use judge::{
    CreditPriors, LessonPrior, changes_from_delta, changes_from_judgement, delta_from_feedback,
    judge_run, judgement_from_opinion, required_baselines, went_well,
};
pub use outcome::{may_show_vain, observe_outcomes, were_in_vain, worked_programs};
pub use prepared::was_prepared;

named_enum! {
    /// What became of a lesson's occasion in a run.
    LessonOutcome {
        /// Its advice was followed, and what it is about did not come after that.
        Followed = "followed",
        /// Its moment came, and after it neither its failure nor the call that it warns of.
        Avoided = "avoided",
        /// Its failure came, or the call that it warns of was made, without its advice.
        Repeated = "repeated",
        /// Its advice was followed, and its failure came all the same.
        InVain = "in_vain",
        /// Its moment never came.
        NotNeeded = "not_needed",
    }
}

impl LessonOutcome {
    /// Returns whether the advice was followed.
    pub fn was_followed(self) -> bool {
        matches!(self, Self::Followed | Self::InVain)
    }

    /// Returns the name as people read it: `in vain`.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }

    /// Parses the name in a judgement, also one of before: `went_well` is what it says besides. `None` if it is unknown.
    pub fn from_stored(name: &str, went_well: Option<bool>) -> Option<Self> {
        match (name, went_well) {
            ("contradicted", _) => Some(Self::InVain),
            ("ignored", _) | ("untold", Some(false)) => Some(Self::Repeated),
            ("untold", Some(true)) => Some(Self::Avoided),
            ("unused" | "untold", _) => Some(Self::NotNeeded),
            (name, _) => Self::from_name(name),
        }
    }
}

/// What shows the outcome of a lesson's occasion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeEvidence {
    /// Calls, and their failures.
    Calls,
    /// How the run ended.
    RunEnd,
    /// Nothing that speaks for or against the lesson.
    None,
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
    /// What became of the occasion.
    pub outcome: LessonOutcome,
    /// What shows it.
    pub evidence: OutcomeEvidence,
    /// Whether its failure came, or the call that it warns of was made, after the recall; `None` without an occasion.
    pub met_again: Option<bool>,
    /// Whether that came before its advice was followed, or without.
    pub has_failed_first: bool,
    /// How many calls it took until the occasion was past; `None` without one.
    pub calls_until_past: Option<u32>,
    /// Whether nothing but the run's end can tell how its occasion went.
    pub is_told_by_end: bool,
    /// Whether the run shows that the lesson is of use where it is shown; `None` if it does not tell.
    pub was_of_use: Option<bool>,
}

impl ObservedOutcome {
    /// Returns whether how the occasion went speaks for or against the lesson: not where it passed by, and no call shows what
    /// the lesson had to do with it.
    fn bears_on_lesson(&self) -> bool {
        match self.outcome {
            LessonOutcome::Repeated => self.evidence == OutcomeEvidence::RunEnd,
            LessonOutcome::Avoided => {
                self.evidence == OutcomeEvidence::Calls || self.is_told_by_end
            }
            LessonOutcome::Followed | LessonOutcome::InVain | LessonOutcome::NotNeeded => true,
        }
    }

    /// Returns whether its occasion went well, in the terms of a randomised trial: the same whether the lesson was followed
    /// or not, shown or withheld. `None` if it had none.
    fn trial_outcome(&self, end: Option<bool>) -> Option<bool> {
        let by_calls = self.met_again.map(|is_met| !is_met);
        by_calls.or(end.filter(|_| self.is_told_by_end))
    }
}

/// Which success rate without lessons is meant: in general, or for one kind of failure or task; or which calls are counted.
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
    /// How many calls were seen, in a scope of this digest.
    CallsSeen(String),
    /// At how many of them this lesson's advice was done in another way, in a scope and with words of this digest.
    CallsOtherwise(LessonId, String),
}

impl BaselineKey {
    /// Returns the name used in SQL and JSON.
    pub fn name(&self) -> String {
        match self {
            Self::AllCalls => "calls".to_owned(),
            Self::CallsForFailure(key) => format!("calls {}", key.as_str()),
            Self::AllRuns => "runs".to_owned(),
            Self::RunsForLesson(lesson) => format!("runs {lesson}"),
            Self::CallsSeen(scope) => format!("seen {scope}"),
            Self::CallsOtherwise(lesson, digest) => format!("otherwise {lesson} {digest}"),
        }
    }

    /// Parses a name; `None` if it is malformed.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.split_once(' ') {
            None if name == "calls" => Some(Self::AllCalls),
            None if name == "runs" => Some(Self::AllRuns),
            Some(("calls", key)) => Some(Self::CallsForFailure(FailureKey::new(key.to_owned()))),
            Some(("runs", lesson)) => lesson.parse().ok().map(Self::RunsForLesson),
            Some(("seen", scope)) => Some(Self::CallsSeen(scope.to_owned())),
            Some(("otherwise", rest)) => {
                let (lesson, digest) = rest.split_once(' ')?;
                Some(Self::CallsOtherwise(
                    lesson.parse().ok()?,
                    digest.to_owned(),
                ))
            }
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
    /// What became of its occasion.
    pub outcome: LessonOutcome,
    /// Whether that went well: as the calls show, else as the run ended. `None` if unknown.
    pub went_well: Option<bool>,
    /// What the run shows for a comparison with runs without the lesson; `None` for feedback, and where it was not stored.
    pub observed: Option<OccasionRecord>,
    /// What it adds to the lesson's record.
    pub delta: RecordDelta,
}

impl LessonJudgement {
    /// Says what became of the lesson's occasion, as people read it.
    pub fn words(&self) -> String {
        let met_again = self.observed.and_then(|seen| seen.met_again);
        let words = if self.outcome == LessonOutcome::Followed && met_again == Some(true) {
            "met, then followed".to_owned()
        } else {
            self.outcome.words()
        };
        if self.is_control {
            format!("without it: {words}")
        } else {
            words
        }
    }

    /// Returns whether its failure came, or the call that it warns of was made; where calls do not tell, whether the run
    /// went badly. `None` if it was not needed, or nothing tells. Where chance decided, it is what the trial counts: a run
    /// whose occasion may have passed unseen too, and none whose call was under way.
    pub fn has_failed(&self) -> Option<bool> {
        if self.observed.is_some_and(|seen| seen.holdout_chance > 0.0) {
            let Trial { shown, control } = self.delta.trial;
            return self.was_drawn().then_some(shown.good + control.good == 0);
        }
        let by_calls = self.observed.and_then(|seen| seen.met_again);
        let has_failed = by_calls.or(self.went_well.map(|is_good| !is_good));
        has_failed.filter(|_| self.outcome != LessonOutcome::NotNeeded)
    }

    /// Returns whether chance decided if the lesson was shown, and something came of it.
    pub fn was_drawn(&self) -> bool {
        self.delta.trial != Trial::default()
    }
}

/// What a run shows of an occasion that chance left with or without a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OccasionRecord {
    /// The probability that the lesson was withheld, 0 to 1; 0 where nothing was left to chance.
    pub holdout_chance: f64,
    /// Whether its failure came, or the call that it warns of was made; `None` without an occasion.
    pub met_again: Option<bool>,
    /// How many calls it took until the occasion was past; `None` without one.
    pub calls_until_past: Option<u32>,
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
    pub fn delta_for_lesson(&self, lesson: LessonId) -> RecordDelta {
        let parts = self.lessons.iter().filter(|part| part.lesson == lesson);
        parts.fold(RecordDelta::default(), |sum, part| sum + part.delta)
    }

    /// Returns what the run itself shows about lessons, without feedback.
    pub fn recalled_lessons(&self) -> impl Iterator<Item = &LessonJudgement> {
        self.lessons.iter().filter(|lesson| lesson.recall.is_some())
    }

    /// Returns the feedback about lessons.
    pub fn feedback(&self) -> impl Iterator<Item = &LessonJudgement> {
        self.lessons.iter().filter(|lesson| lesson.recall.is_none())
    }

    /// Replaces the feedback about lessons.
    #[must_use]
    pub fn with_feedback(mut self, words: impl IntoIterator<Item = LessonJudgement>) -> Self {
        self.lessons.retain(|lesson| lesson.recall.is_some());
        self.lessons.extend(words);
        self
    }

    /// Returns what it adds to a baseline.
    pub fn baseline_message(&self, about: &BaselineKey) -> GaussianMessage {
        let baseline = self.baselines.iter().find(|baseline| baseline.0 == *about);
        baseline.map(|baseline| baseline.1).unwrap_or_default()
    }
}
