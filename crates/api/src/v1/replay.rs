//! What lessons would have been worth to recorded sessions. `docs/replay.md` says how it is counted.

use std::collections::BTreeMap;

use hardwon_core::Lesson;
use hardwon_engine::ReplayReport;
use hardwon_engine::{
    ClassCounts, FailureClass, LessonScores, MomentCounts, RecurringFailure,
    replay::scores::ReplayMoment,
};
use serde::Serialize;
use serde_json::Value;

use super::lesson::LessonDto;

/// Most failures that came again that are listed.
const RECURRING_MAX: usize = 200;

/// What a replay came to. Where nothing else is said, it counts failures that a lesson can prevent.
#[derive(Debug, Serialize)]
pub struct ReplayDto {
    /// Sessions that were replayed.
    pub sessions: u64,
    /// Runs in them, with those of sub-agents.
    pub runs: u64,
    /// Prompts in them.
    pub prompts: u64,
    /// Calls in them.
    pub calls: u64,
    /// Files of no known format.
    pub not_transcripts: u64,
    /// What could not be read, a sentence each.
    pub unreadable: Vec<String>,
    /// Lines that could not be read.
    pub broken_lines: u64,
    /// Failures of all classes.
    pub failures: u64,
    /// Failures that an earlier session had.
    pub repeats: u64,
    /// Repeats that the session solved.
    pub got_over: u64,
    /// Repeats that a lesson would have covered.
    pub met: u64,
    /// Repeats that only what was shown at the session's start would have covered.
    pub met_only_at_start: u64,
    /// The share of what was shown after the start that covered a failure; null if nothing was.
    pub precision: Option<f64>,
    /// Lessons shown after the start for a hundred calls.
    pub shown_per_100_calls: f64,
    /// Those of them that were about nothing that went wrong.
    pub for_nothing_per_100_calls: f64,
    /// Tokens of everything that was shown.
    pub tokens: u64,
    /// Those of them that were shown at sessions' starts.
    pub start_tokens: u64,
    /// Most tokens that were shown at one session's start.
    pub start_tokens_most: u64,
    /// Lessons that were learned.
    pub learned: u64,
    /// Sessions in which the agent would have been asked for a lesson.
    pub asked: u64,
    /// Lessons shown, by the moment: `start`, `prompt`, `call` and `failure`.
    pub moments: BTreeMap<&'static str, MomentCounts>,
    /// Failures, by class.
    pub classes: Vec<FailureClassDto>,
    /// The lessons that were shown.
    pub lessons: Vec<ReplayLessonDto>,
    /// The failures that came again, those first that nothing covered most often; at most 200.
    pub recurring: Vec<RecurringFailureDto>,
}

impl ReplayDto {
    /// Builds it from what was measured and of the lessons that were shown. Files of no known format and
    /// what could not be read are for the caller to add.
    ///
    /// # Errors
    ///
    /// Fails if a lesson cannot be written as JSON.
    pub fn from_report(
        report: &ReplayReport,
        lessons: &[(Lesson, LessonScores)],
    ) -> serde_json::Result<Self> {
        let totals = &report.totals;
        let counts = totals.preventable_counts();
        let later = totals.counts_after_start();
        let moment = |at: &ReplayMoment| totals.moments.get(at).copied().unwrap_or_default();
        let moments = ReplayMoment::ALL.map(|at| (at.name(), moment(&at)));
        let recurring = totals.recurring_failures().into_iter();
        Ok(Self {
            sessions: report.sessions,
            runs: report.runs,
            prompts: report.prompts,
            calls: report.calls,
            not_transcripts: 0,
            unreadable: Vec::new(),
            broken_lines: report.unreadable,
            failures: totals.classes.values().map(|value| value.failures).sum(),
            repeats: counts.recurrences,
            got_over: counts.fixed,
            met: counts.covered,
            met_only_at_start: counts.covered_at_start,
            precision: later
                .precision()
                .map(|precision| (precision * 1000.0).round() / 1000.0),
            shown_per_100_calls: per_hundred_calls(later.shown, report.calls),
            for_nothing_per_100_calls: per_hundred_calls(later.unneeded, report.calls),
            tokens: report.tokens,
            start_tokens: report.start_tokens,
            start_tokens_most: report.max_start_tokens,
            learned: report.learned,
            asked: report.sessions_asked,
            moments: moments.into(),
            classes: totals.classes.iter().map(FailureClassDto::from).collect(),
            lessons: lessons
                .iter()
                .map(ReplayLessonDto::from_scores)
                .collect::<Result<_, _>>()?,
            recurring: recurring
                .take(RECURRING_MAX)
                .map(RecurringFailureDto::from)
                .collect(),
        })
    }
}

/// Returns a number for a hundred calls, with one digit behind the point; 0 without calls.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
pub fn per_hundred_calls(number: u64, calls: u64) -> f64 {
    match calls {
        0 => 0.0,
        _ => (number as f64 / calls as f64 * 1000.0).round() / 10.0,
    }
}

/// The failures of one class.
#[derive(Debug, Serialize)]
pub struct FailureClassDto {
    /// Its name.
    pub class: &'static str,
    /// Whether a lesson can prevent failures of this class.
    pub can_be_spared: bool,
    /// How many there were, and what became of them; its keys stand beside the others.
    #[serde(flatten)]
    pub counts: ClassCounts,
}

impl From<(&FailureClass, &ClassCounts)> for FailureClassDto {
    fn from((class, counts): (&FailureClass, &ClassCounts)) -> Self {
        Self {
            class: class.name,
            can_be_spared: class.is_preventable,
            counts: *counts,
        }
    }
}

/// A lesson, with what it would have been worth. All its keys are in alphabetical order.
#[derive(Debug, Serialize)]
pub struct ReplayLessonDto {
    /// How often it was shown though nothing that it is about went wrong.
    pub for_nothing: u64,
    /// The lesson: the keys of a [`LessonDto`].
    pub lesson: Value,
    /// How often it covered a failure.
    pub met: u64,
    /// How often it was shown.
    pub shown: u64,
}

impl ReplayLessonDto {
    fn from_scores((lesson, counts): &(Lesson, LessonScores)) -> serde_json::Result<Self> {
        Ok(Self {
            for_nothing: counts.unneeded,
            lesson: serde_json::to_value(LessonDto::from(lesson))?,
            met: counts.covered,
            shown: counts.shown,
        })
    }
}

/// A failure that came again.
#[derive(Debug, Serialize)]
pub struct RecurringFailureDto {
    /// The failure, without what differs from run to run.
    pub failure: String,
    /// The name of its class.
    pub class: &'static str,
    /// How many sessions had it.
    pub sessions: u64,
    /// How often it had happened in an earlier session.
    pub repeats: u64,
    /// How often a lesson would have covered it.
    pub met: u64,
}

impl From<&RecurringFailure> for RecurringFailureDto {
    fn from(it: &RecurringFailure) -> Self {
        Self {
            failure: it.pattern.clone(),
            class: it.class.name,
            sessions: it.sessions,
            repeats: it.recurrences,
            met: it.covered,
        }
    }
}
