//! Measures how many failures of recorded sessions lessons would have covered.
//!
//! Sessions are replayed in order of time, each with the lessons learned from earlier ones. A *failure* is what
//! capture regards as one; it is a *recurrence* if another session of the project had it earlier. A lesson *covers* a
//! failure if it is about it (it has its key, or names the command, or contains two words of the error), is in sight
//! of it, and states the fix that the run found ([`fix_search`]). In sight is what was shown before that very call,
//! at that failure or an earlier one of its kind, in the prompt of that turn, or at the session's start; a failure
//! that only the start covers is counted separately. A showing gets the worth that it had for the failure it served
//! best; see [`ShowingWorth`].
//!
//! The agent of a recording did not read the lessons: nothing here says what it would have done with them. Replaying
//! the sessions and learning the lessons is done elsewhere.

mod score;
pub mod fix_search;

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

pub use self::score::{ReplaySession, ScoredFailure, Showing, ShowingWorth};
use hardwon_core::{
    CallEffect, CallFailure, FailureFamily, FailureKey, LessonId, ParsedCall, ProjectId,
    capture::is_path_guess, named_enum, shell::is_listed, trace::effect,
};

named_enum! {
    /// The moment at which a replay shows a lesson.
    ReplayMoment {
        /// At the session's start.
        Start = "start",
        /// With a prompt.
        Prompt = "prompt",
        /// Before a call.
        Call = "call",
        /// At a failure.
        Failure = "failure",
        /// At a failure, what a single earlier session did after it.
        Once = "once",
    }
}

/// The class of a failure, for statistics. Its JSON is part of a replay's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct FailureClass {
    /// Whether a lesson could have prevented it: it is not the work itself, a guess at a path, a temporary failure, a
    /// denied call or a failure without a message.
    #[serde(rename = "can_be_spared")]
    pub is_preventable: bool,
    /// The name of the class.
    #[serde(rename = "class")]
    pub name: &'static str,
}

/// Programs that run a project's own work: where they fail without a known reason, it was the work that failed.
const WORKER_PROGRAMS: &str = "cargo go npm npx pnpm yarn bun bunx make just task mise turbo nx pytest jest vitest mocha tsc eslint \
    biome prettier golangci-lint gofmt mvn gradle gradlew dotnet python python3 node deno tsx ts-node ruby rake bundle swift";

impl FailureClass {
    /// Returns the class of a call's failure.
    pub fn classify(failure: &CallFailure, call: &ParsedCall) -> Self {
        let is_workers = || {
            let program = failure.label.split(' ').next().unwrap_or_default();
            call.line().is_some()
                && (is_listed(WORKER_PROGRAMS, program) || program.starts_with("./"))
        };
        let is_guess = || {
            let line = call.line();
            effect::classify_call(call) == CallEffect::Reads
                || line.is_some_and(|line| is_path_guess(line, failure))
        };
        let (is_preventable, name) = match failure.family {
            FailureFamily::TestFailed | FailureFamily::CodeFailed => (false, "the work itself"),
            FailureFamily::Other if is_workers() => (false, "the work itself"),
            FailureFamily::FileMissing if is_guess() => (false, "guessed path"),
            FailureFamily::NoMatch => (false, "nothing found"),
            FailureFamily::Silent => (false, "no message"),
            FailureFamily::Transient | FailureFamily::Offline => (false, "passing trouble"),
            FailureFamily::Interrupted | FailureFamily::Denied => (false, "refused"),
            family => (true, family.name()),
        };
        Self {
            is_preventable,
            name,
        }
    }
}

/// The counts of one class of failures. Their JSON is part of a replay's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ClassCounts {
    /// All failures of the class.
    pub failures: u64,
    /// Failures that another session had earlier.
    #[serde(rename = "repeats")]
    pub recurrences: u64,
    /// Recurrences that the run fixed.
    #[serde(rename = "got_over")]
    pub fixed: u64,
    /// Recurrences that a lesson covered, not counting those shown only at the start.
    #[serde(rename = "met")]
    pub covered: u64,
    /// Recurrences covered only by a lesson shown at the start.
    #[serde(rename = "met_only_at_start")]
    pub covered_at_start: u64,
}

/// The counts of one moment. Their JSON is part of a replay's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MomentCounts {
    /// How many lessons were shown.
    pub shown: u64,
    /// Those that covered a failure.
    #[serde(rename = "met")]
    pub covered: u64,
    /// Those about a failure that was fixed in another way.
    #[serde(rename = "another_way")]
    pub fixed_otherwise: u64,
    /// Those about a failure that was never fixed.
    #[serde(rename = "untold")]
    pub unclear: u64,
    /// Those about no failure of the session.
    #[serde(rename = "for_nothing")]
    pub unneeded: u64,
    /// Preventable recurrences covered by a lesson shown at this moment.
    #[serde(rename = "repeats_met")]
    pub recurrences_covered: u64,
}

/// The counts of one lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LessonScores {
    /// How often it was shown.
    pub shown: u64,
    /// How many of these showings covered a failure.
    pub covered: u64,
    /// How many of them were about no failure.
    pub unneeded: u64,
}

/// A failure that recurred in other sessions. Its JSON is part of a replay's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecurringFailure {
    /// The failure in words for people.
    #[serde(rename = "failure")]
    pub pattern: String,
    /// The class of the failure.
    #[serde(serialize_with = "write_class_name")]
    pub class: FailureClass,
    /// How many sessions had it.
    pub sessions: u64,
    /// How often it recurred.
    #[serde(rename = "repeats")]
    pub recurrences: u64,
    /// How many of the recurrences a lesson covered.
    #[serde(rename = "met")]
    pub covered: u64,
    #[serde(skip)]
    first_session: String,
    #[serde(skip)]
    last_session: String,
}

fn write_class_name<S: Serializer>(class: &FailureClass, to: S) -> Result<S::Ok, S::Error> {
    class.name.serialize(to)
}

/// The totals of all sessions replayed so far.
#[derive(Debug, Default)]
pub struct ReplayTotals {
    /// Counts of failures by class.
    pub classes: BTreeMap<FailureClass, ClassCounts>,
    /// Counts of showings by moment.
    pub moments: BTreeMap<ReplayMoment, MomentCounts>,
    /// Counts of showings by lesson.
    pub lessons: BTreeMap<LessonId, LessonScores>,
    failures: BTreeMap<(Option<ProjectId>, FailureKey), RecurringFailure>,
}

impl ReplayTotals {
    /// Adds a replayed session. `name` is the session's, which its sub-agents share.
    pub fn add_session(&mut self, project: Option<&ProjectId>, name: &str, played: ReplaySession) {
        let (failures, showings) = played.finish();
        for failure in &failures {
            self.add_failure(project, name, failure);
        }
        for showing in &showings {
            self.add_showing(showing);
        }
    }

    fn add_failure(&mut self, project: Option<&ProjectId>, name: &str, scored: &ScoredFailure) {
        let key = (project.cloned(), scored.failure.key.clone());
        let failure = self
            .failures
            .entry(key)
            .or_insert_with(|| RecurringFailure {
                pattern: scored.failure.signature(),
                class: scored.class,
                sessions: 0,
                recurrences: 0,
                covered: 0,
                first_session: name.to_owned(),
                last_session: String::new(),
            });
        let is_repeat = failure.sessions > 1 || failure.first_session != name;
        if failure.last_session != name {
            failure.sessions += 1;
            name.clone_into(&mut failure.last_session);
        }
        let is_met = scored
            .covered_at
            .iter()
            .any(|at| *at != ReplayMoment::Start);
        let class = self.classes.entry(scored.class).or_default();
        class.failures += 1;
        if !is_repeat {
            return;
        }
        failure.recurrences += 1;
        failure.covered += u64::from(is_met);
        class.recurrences += 1;
        class.fixed += u64::from(scored.fix.is_some());
        class.covered += u64::from(is_met);
        class.covered_at_start += u64::from(!is_met && !scored.covered_at.is_empty());
        if scored.class.is_preventable {
            for at in &scored.covered_at {
                self.moments.entry(*at).or_default().recurrences_covered += 1;
            }
        }
    }

    fn add_showing(&mut self, showing: &Showing) {
        let moment = self.moments.entry(showing.at).or_default();
        let lesson = self.lessons.entry(showing.lesson).or_default();
        moment.shown += 1;
        lesson.shown += 1;
        match showing.worth {
            ShowingWorth::Covered => {
                moment.covered += 1;
                lesson.covered += 1;
            }
            ShowingWorth::FixedOtherwise => moment.fixed_otherwise += 1,
            ShowingWorth::Unclear => moment.unclear += 1,
            ShowingWorth::Unneeded => {
                moment.unneeded += 1;
                lesson.unneeded += 1;
            }
        }
    }

    /// Returns the counts of all failures that a lesson could have prevented.
    pub fn preventable_counts(&self) -> ClassCounts {
        let mut sum = ClassCounts::default();
        let counts = self
            .classes
            .iter()
            .filter(|(class, _)| class.is_preventable);
        for (_, it) in counts {
            sum.failures += it.failures;
            sum.recurrences += it.recurrences;
            sum.fixed += it.fixed;
            sum.covered += it.covered;
            sum.covered_at_start += it.covered_at_start;
        }
        sum
    }

    /// Returns the counts of all moments but the session's start.
    pub fn counts_after_start(&self) -> MomentCounts {
        let mut sum = MomentCounts::default();
        let moments = self
            .moments
            .iter()
            .filter(|(at, _)| **at != ReplayMoment::Start);
        for (_, it) in moments {
            sum.shown += it.shown;
            sum.covered += it.covered;
            sum.fixed_otherwise += it.fixed_otherwise;
            sum.unclear += it.unclear;
            sum.unneeded += it.unneeded;
            sum.recurrences_covered += it.recurrences_covered;
        }
        sum
    }

    /// Returns the failures that recurred, first those with the most recurrences that no lesson covered.
    pub fn recurring_failures(&self) -> Vec<&RecurringFailure> {
        let again = self.failures.values();
        let again = again.filter(|again| again.recurrences > 0 && again.class.is_preventable);
        let mut again: Vec<&RecurringFailure> = again.collect();
        again.sort_by_key(|again| (again.covered.abs_diff(again.recurrences), again.recurrences));
        again.reverse();
        again
    }
}

impl MomentCounts {
    /// Returns the share of showings that covered a failure, among those whose worth is known; `None` if there are
    /// none.
    pub fn precision(&self) -> Option<f64> {
        let judged_count = self.covered + self.fixed_otherwise + self.unneeded;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
        (judged_count > 0).then(|| self.covered as f64 / judged_count as f64)
    }
}

#[cfg(test)]
mod tests;
