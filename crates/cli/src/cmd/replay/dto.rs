//! What a replay came to, as JSON shows it.

use std::collections::BTreeMap;

use hardwon_core::replay::{
    ClassCounts, FailureClass, LessonScores, MomentCounts, RecurringFailure, ReplayMoment,
};
use serde::Serialize;

use super::{ReplayedSessions, per_hundred};
use crate::{dto::LessonDto, error::CliError};

/// Most failures that came again that are listed.
const MAX_RECURRING: usize = 200;

/// What a replay came to.
#[derive(Debug, Serialize)]
pub(super) struct ReplayDto {
    sessions: u64,
    runs: u64,
    prompts: u64,
    calls: u64,
    not_transcripts: u64,
    unreadable: Vec<String>,
    broken_lines: u64,
    failures: u64,
    /// Failures that a lesson can spare and that an earlier session had.
    repeats: u64,
    got_over: u64,
    met: u64,
    met_only_at_start: u64,
    /// The share of what was shown after the start that met a failure.
    precision: Option<f64>,
    shown_per_100_calls: f64,
    for_nothing_per_100_calls: f64,
    tokens: u64,
    start_tokens: u64,
    start_tokens_most: u64,
    learned: u64,
    /// Sessions in which the agent would have been asked for a lesson.
    asked: u64,
    moments: BTreeMap<&'static str, ReplayMomentDto>,
    classes: Vec<FailureClassDto>,
    lessons: Vec<serde_json::Value>,
    recurring: Vec<RecurringFailureDto>,
}

#[derive(Debug, Serialize)]
struct ReplayMomentDto {
    shown: u64,
    met: u64,
    another_way: u64,
    untold: u64,
    for_nothing: u64,
    repeats_met: u64,
}

#[derive(Debug, Serialize)]
struct FailureClassDto {
    class: &'static str,
    can_be_spared: bool,
    failures: u64,
    repeats: u64,
    got_over: u64,
    met: u64,
    met_only_at_start: u64,
}

/// A lesson, with what it would have been worth.
#[derive(Debug, Serialize)]
struct ReplayLessonDto<'a> {
    shown: u64,
    met: u64,
    for_nothing: u64,
    lesson: LessonDto<'a>,
}

#[derive(Debug, Serialize)]
struct RecurringFailureDto {
    failure: String,
    class: &'static str,
    sessions: u64,
    repeats: u64,
    met: u64,
}

pub(super) fn build_dto(played: &ReplayedSessions) -> Result<ReplayDto, CliError> {
    let report = played.replay.report();
    let totals = &report.totals;
    let counts = totals.preventable_counts();
    let later = totals.counts_after_start();
    let lessons = played.replay.lessons()?;
    let lessons = lessons
        .iter()
        .map(|(lesson, counts)| lesson_json(lesson, *counts));
    let recurring = totals.recurring_failures();
    Ok(ReplayDto {
        sessions: report.sessions,
        runs: report.runs,
        prompts: report.prompts,
        calls: report.calls,
        not_transcripts: played.not_transcripts,
        unreadable: played.unreadable.clone(),
        broken_lines: report.unreadable,
        failures: totals.classes.values().map(|it| it.failures).sum(),
        repeats: counts.recurrences,
        got_over: counts.fixed,
        met: counts.covered,
        met_only_at_start: counts.covered_at_start,
        precision: later.precision().map(|it| (it * 1000.0).round() / 1000.0),
        shown_per_100_calls: per_hundred(later.shown, report.calls),
        for_nothing_per_100_calls: per_hundred(later.unneeded, report.calls),
        tokens: report.tokens,
        start_tokens: report.start_tokens,
        start_tokens_most: report.max_start_tokens,
        learned: report.learned,
        asked: report.sessions_asked,
        moments: ReplayMoment::ALL
            .into_iter()
            .map(|at| (at.name(), moment_dto(totals.moments.get(&at).copied())))
            .collect(),
        classes: totals.classes.iter().map(class_dto).collect(),
        lessons: lessons.collect::<Result<_, _>>()?,
        recurring: recurring
            .into_iter()
            .take(MAX_RECURRING)
            .map(recurring_dto)
            .collect(),
    })
}

fn moment_dto(counts: Option<MomentCounts>) -> ReplayMomentDto {
    let it = counts.unwrap_or_default();
    ReplayMomentDto {
        shown: it.shown,
        met: it.covered,
        another_way: it.fixed_otherwise,
        untold: it.unclear,
        for_nothing: it.unneeded,
        repeats_met: it.recurrences_covered,
    }
}

fn class_dto((class, it): (&FailureClass, &ClassCounts)) -> FailureClassDto {
    FailureClassDto {
        class: class.name,
        can_be_spared: class.is_preventable,
        failures: it.failures,
        repeats: it.recurrences,
        got_over: it.fixed,
        met: it.covered,
        met_only_at_start: it.covered_at_start,
    }
}

fn lesson_json(
    lesson: &hardwon_engine::Lesson,
    counts: LessonScores,
) -> Result<serde_json::Value, CliError> {
    let weighed = ReplayLessonDto {
        shown: counts.shown,
        met: counts.covered,
        for_nothing: counts.unneeded,
        lesson: LessonDto::from(lesson),
    };
    serde_json::to_value(&weighed)
        .map_err(|error| CliError::internal(format!("writing JSON: {error}")))
}

fn recurring_dto(it: &RecurringFailure) -> RecurringFailureDto {
    RecurringFailureDto {
        failure: it.pattern.clone(),
        class: it.class.name,
        sessions: it.sessions,
        repeats: it.recurrences,
        met: it.covered,
    }
}
