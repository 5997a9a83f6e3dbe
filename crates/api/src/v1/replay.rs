//! What lessons would have been worth to recorded sessions. `docs/replay.md` says how it is counted.

use std::collections::BTreeMap;

use hardwon_core::Lesson;
use hardwon_engine::{
    ClassCounts, FailureClass, LessonScores, MomentCounts, RecurringFailure, ReplayReport,
    replay::scores::ReplayMoment,
};
use serde::Serialize;
use serde_json::Value;

use super::lesson::LessonDto;

/// Most failures that came again that are listed.
const RECURRING_MAX: usize = 200;

/// What a replay came to. Where nothing else is said, it counts failures that a lesson can prevent.
#[derive(Debug, Serialize)]
pub struct ReplayDto<'a> {
    /// What was played and shown; its keys stand beside the others.
    #[serde(flatten)]
    pub report: &'a ReplayReport,
    /// Files of no known format.
    pub not_transcripts: u64,
    /// What could not be read, a sentence each.
    pub unreadable: &'a [String],
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
    /// Lessons shown, by the moment: `start`, `prompt`, `call` and `failure`.
    pub moments: BTreeMap<&'static str, MomentCounts>,
    /// Failures, by class.
    pub classes: Vec<FailureClassDto>,
    /// The lessons that were shown.
    pub lessons: Vec<ReplayLessonDto>,
    /// The failures that came again, those first that nothing covered most often; at most 200.
    pub recurring: Vec<&'a RecurringFailure>,
}

impl<'a> ReplayDto<'a> {
    /// Builds it from what was measured, of the lessons that were shown, and of files that are not among the sessions: of
    /// how many no format is known, and what could not be read.
    ///
    /// # Errors
    ///
    /// Fails if a lesson cannot be written as JSON.
    pub fn from_report(
        report: &'a ReplayReport,
        lessons: &[(Lesson, LessonScores)],
        (not_transcripts, unreadable): (u64, &'a [String]),
    ) -> serde_json::Result<Self> {
        let totals = &report.totals;
        let counts = totals.preventable_counts();
        let later = totals.counts_after_start();
        let moment = |at: &ReplayMoment| totals.moments.get(at).copied().unwrap_or_default();
        let moments = ReplayMoment::ALL.map(|at| (at.name(), moment(&at)));
        let classes = totals.classes.iter();
        let classes = classes.map(|(class, counts)| FailureClassDto {
            class: *class,
            counts: *counts,
        });
        let lessons = lessons.iter().map(ReplayLessonDto::from_scores);
        let precision = later.precision();
        let mut recurring = totals.recurring_failures();
        recurring.truncate(RECURRING_MAX);
        Ok(Self {
            report,
            not_transcripts,
            unreadable,
            failures: totals.classes.values().map(|value| value.failures).sum(),
            repeats: counts.recurrences,
            got_over: counts.fixed,
            met: counts.covered,
            met_only_at_start: counts.covered_at_start,
            precision: precision.map(|precision| (precision * 1000.0).round() / 1000.0),
            shown_per_100_calls: per_hundred_calls(later.shown, report.calls),
            for_nothing_per_100_calls: per_hundred_calls(later.unneeded, report.calls),
            moments: moments.into(),
            classes: classes.collect(),
            lessons: lessons.collect::<Result<_, _>>()?,
            recurring,
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
    /// Its name, and whether a lesson can prevent failures of this class; its keys stand beside the others.
    #[serde(flatten)]
    pub class: FailureClass,
    /// How many there were, and what became of them; its keys stand beside the others.
    #[serde(flatten)]
    pub counts: ClassCounts,
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
