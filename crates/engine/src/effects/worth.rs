//! What showing lessons was worth, as one value with its sentences, which every door renders.
//!
//! [`Worth`] is a pure function of the report. It says what was seen, and beside it what chance left without a lesson; what
//! is not known is said to be unknown. Nothing here draws or prints.

use std::cmp::{Ordering, Reverse};

use hardwon_core::{EffectEstimate, TrialVerdict, limits};

use super::{EffectsReport, OccasionComparison, OccasionCount, WeekCount};
use crate::{LessonStanding, OutcomeCounts};

/// Weeks of the picture.
const MAX_WEEKS: usize = 12;
/// Lessons that are named as those that did most, and as those that did nothing.
const NAMED_LESSONS: usize = 3;
/// The fewest failures that a lesson of those spared: less is what the common rate alone gives to one that is shown often.
const MOST_SPARED_MIN: f64 = 1.0;
/// As if a lesson had been left out of so many runs more, which failed as often as with it.
const PRIOR_RUNS: f64 = 4.0;

/// What showing lessons was worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Worth<'a> {
    /// Whether it pays, in a sentence.
    pub answer: String,
    /// What it cost and saved, in a sentence; empty if nothing was shown.
    pub price: String,
    /// Calls that showing lessons saved in all, with a 95 % interval; `None` without enough occasions to compare.
    pub calls_saved: Option<EffectEstimate>,
    /// Approximate number of tokens that showing lessons cost.
    pub tokens: u64,
    /// Occasions with lessons and without: those on which chance decided, or all until it left out a lesson.
    pub compared: OccasionComparison,
    /// The same by week, of the last ones, the oldest first.
    pub weeks: Vec<WeekCount>,
    /// The lessons that spared most failures, the first one most.
    pub most: Vec<&'a LessonStanding>,
    /// The lessons that were shown when their moment came and spared not even one, the dearest first.
    pub nothing: Vec<&'a LessonStanding>,
}

impl<'a> Worth<'a> {
    /// Works out what the lessons of a report were worth.
    pub fn from_report(report: &'a EffectsReport) -> Self {
        let summary = &report.summary;
        let calls = summary.calls.estimate_effect();
        let calls_saved = calls.map(|calls| scale_saved(calls, summary.runs_with_calls));
        let tokens = report.lessons.iter().map(|lesson| lesson.tokens).sum();
        let (most, nothing) = name_lessons(report);
        Self {
            answer: describe_worth(report),
            price: describe_price(tokens, calls_saved),
            calls_saved,
            tokens,
            compared: summary.compared(),
            weeks: summary.list_weeks(MAX_WEEKS),
            most,
            nothing,
        }
    }
}

impl LessonStanding {
    /// Says in how many runs its failure came with it and without, and what showing it cost: `left out 12 times: met 9 of
    /// 12 then, 3 of 40 when shown; about 2.3k tokens`. Of one that was never left out, its occasions are told.
    pub fn describe_record(&self) -> String {
        let OutcomeCounts {
            shown,
            controls,
            compared,
            ..
        } = self.outcomes;
        let (with, without) = (compared.shown, compared.left_out);
        let record = match (shown, controls) {
            (0, 0) if self.tokens == 0 => return "not shown yet".to_owned(),
            (0, 0) => {
                let times = pluralize(self.lesson.counts.shown, "time");
                format!("shown {times}, in no run that is judged yet")
            }
            (0, _) => format!("left out {}", describe_occasions(controls, without)),
            _ if controls == 0 => {
                format!("shown {}, never left out", describe_occasions(shown, with))
            }
            _ if with.total() + without.total() == 0 => {
                format!("shown {}", describe_occasions(shown, with))
            }
            // Runs that did not need it are no measure for those that did.
            _ if without.total() == 0 || with.total() == 0 => format!(
                "left out {}; shown {}",
                describe_occasions(controls, without),
                describe_occasions(shown, with)
            ),
            _ => format!(
                "left out {}: met {} of {} then{}, {} of {} when shown",
                pluralize(controls, "time"),
                without.met,
                without.total(),
                describe_untold(controls, without),
                with.met,
                with.total(),
            ),
        };
        format!("{record}; {}", describe_tokens(self.tokens))
    }
}

/// Says how the occasions of some runs went: `in 3 runs: met 1 of 2`.
pub(super) fn describe_occasions(runs: u64, occasions: OccasionCount) -> String {
    let in_runs = format!("in {}", pluralize(runs, "run"));
    match occasions.total() {
        0 => format!("{in_runs}: not needed"),
        total => format!(
            "{in_runs}: met {} of {total}{}",
            occasions.met,
            describe_untold(runs, occasions)
        ),
    }
}

/// Says in how many runs it was not needed or came too late: ` (no case in 3 runs)`.
fn describe_untold(runs: u64, occasions: OccasionCount) -> String {
    match runs.saturating_sub(occasions.total()) {
        0 => String::new(),
        untold => format!(" (no case in {})", pluralize(untold, "run")),
    }
}

/// Turns the change in calls on one occasion into the calls saved on so many.
fn scale_saved(change: EffectEstimate, occasions: u64) -> EffectEstimate {
    let scale = |calls: f64| -calls * occasions as f64;
    EffectEstimate {
        difference: scale(change.difference),
        low: scale(change.high),
        high: scale(change.low),
    }
}

/// Returns the lessons that spared most failures, and those that were shown and spared none.
fn name_lessons(report: &EffectsReport) -> (Vec<&LessonStanding>, Vec<&LessonStanding>) {
    let common = failure_rate(report.summary.all.compared.left_out, 0.5, 2.0);
    let lessons = report.lessons.iter();
    let lessons = lessons.filter(|standing| standing.lesson.counts.shown > 0);
    let guess = |standing: &LessonStanding| guess_spared(&standing.outcomes, common);
    let count = |standing: &LessonStanding| match standing.outcomes.controls {
        0 => guess(standing),
        _ => count_spared(standing.outcomes.compared),
    };
    let (mut most, mut nothing): (Vec<_>, Vec<_>) =
        lessons.partition(|standing| count(standing) >= MOST_SPARED_MIN);
    // What others make likely stands behind what was seen.
    let is_guess = |standing: &LessonStanding| standing.outcomes.controls == 0;
    let by_count = |a: &&LessonStanding, b: &&LessonStanding| count(b).total_cmp(&count(a));
    most.sort_by(|a, b| is_guess(a).cmp(&is_guess(b)).then_with(|| by_count(a, b)));
    // Of one that may have spared a failure it is too early to say that it did nothing: measured against nothing but itself,
    // each did. One whose moment never came had nothing to do, until it was shown in vain for long.
    let is_known = |standing: &LessonStanding| {
        let (outcomes, left_out) = (&standing.outcomes, standing.outcomes.compared.left_out);
        let has_come = outcomes.shown > outcomes.occasions.not_needed || left_out.met > 0;
        let is_measured = left_out.total() as f64 >= PRIOR_RUNS;
        let is_vain =
            i64::try_from(outcomes.shown).is_ok_and(|runs| runs >= limits::NOT_NEEDED_RUNS);
        // Whatever others make likely, its own row must not say that it spared some.
        let is_guessed = || guess(standing) < 0.0 && count_spared(outcomes.compared) <= 0.0;
        if has_come {
            is_measured || is_guessed()
        } else {
            is_vain
        }
    };
    nothing.retain(|standing| is_known(standing) && !standing.lesson.status.is_retired());
    nothing.sort_by_key(|standing| Reverse(standing.tokens));
    most.truncate(NAMED_LESSONS);
    nothing.truncate(NAMED_LESSONS);
    (most, nothing)
}

/// Returns about how many failures showing a lesson spared: those that the runs with it would have had at the rate of the
/// runs that it was left out of, less those that they had. That rate is drawn towards the one with it, so that a lesson spared
/// nothing until runs without it fail more often.
fn count_spared(compared: OccasionComparison) -> f64 {
    let (with, without) = (compared.shown, compared.left_out);
    let number = |count: u64| count as f64;
    (number(without.met) * number(with.total()) - number(with.met) * number(without.total()))
        / (number(without.total()) + PRIOR_RUNS)
}

/// Guesses how many failures a lesson spared that was never left out, by the rate of others that were. Runs that may have
/// needed it unseen say something only beside others like them.
fn guess_spared(outcomes: &OutcomeCounts, common: f64) -> f64 {
    let occasions = outcomes.shown - outcomes.occasions.not_needed.min(outcomes.shown);
    common * occasions as f64 - outcomes.compared.shown.met as f64
}

/// Returns the share of occasions with the failure, as if there were some more of a rate that is likely beforehand.
fn failure_rate(count: OccasionCount, prior: f64, weight: f64) -> f64 {
    (count.met as f64 + prior * weight) / (count.total() as f64 + weight)
}

/// Says whether it pays, by the cases that the weeks count too. Where lessons were left out more often at one time than at
/// another, the shares that the verdict rests on are others.
fn describe_worth(report: &EffectsReport) -> String {
    let all = &report.summary.all;
    let (with, without) = (all.compared.shown, all.compared.left_out);
    let is_shown = (report.lessons.iter()).any(|standing| standing.lesson.counts.shown > 0);
    match all.trial.failure_shares() {
        _ if !is_shown => "No lesson was shown yet, so there is nothing to judge.".to_owned(),
        _ if with.total() + without.total() == 0 => {
            "Too early to say: lessons were shown, and no moment of theirs has come yet.".to_owned()
        }
        None => format!(
            "Too early to say if it pays: with a lesson shown, what it warns of was met {} of {}; {}.",
            with.met,
            pluralize(with.total(), "time"),
            if all.controls == 0 {
                "none was left out yet, to compare"
            } else {
                "where one was left out, nothing is known yet, to compare"
            }
        ),
        Some((with, without)) => {
            let shares = [with, without].map(to_percent);
            format!(
                "{}: {}",
                name_verdict(all.trial.judge_effect(), shares),
                describe_cases(report.summary.compared(), shares)
            )
        }
    }
}

/// Tells the cases with lessons and without, and beside them the weighted shares on which the verdict rests, unless those
/// are the same to a hundredth.
fn describe_cases(compared: OccasionComparison, weighted: [f64; 2]) -> String {
    let arms = [compared.shown, compared.left_out];
    let counted = arms.map(|arm| to_percent(arm.met_share().unwrap_or(0.0)));
    let tell = |at: usize, how: &str| {
        let (met, total) = (arms[at].met, pluralize(arms[at].total(), "time"));
        format!("{met} of {total} {how} ({} %)", counted[at])
    };
    let is_near = |at: usize| (weighted[at] - counted[at]).abs() <= 1.0;
    let order = |[with, without]: [f64; 2]| with.total_cmp(&without);
    let weights = if is_near(0) && is_near(1) && order(weighted) == order(counted) {
        String::new()
    } else {
        let [with, without] = weighted;
        format!(" Weighted by that chance, on which the verdict rests: {with} % and {without} %.")
    };
    format!(
        "where chance decided, what a lesson warns of was met {}, {}.{weights}",
        tell(0, "with it"),
        tell(1, "without")
    )
}

fn to_percent(share: f64) -> f64 {
    (share * 100.0).round()
}

fn name_verdict(verdict: TrialVerdict, [with, without]: [f64; 2]) -> &'static str {
    match verdict {
        TrialVerdict::Helps => "It pays",
        TrialVerdict::Harms => "It does harm",
        TrialVerdict::NoneSeen => "It makes no difference that can be seen",
        TrialVerdict::TooEarly => match with.total_cmp(&without) {
            Ordering::Less => "It looks worth it, too early to be sure",
            Ordering::Equal => "Too early to say if it pays",
            Ordering::Greater => "It does not look worth it, too early to be sure",
        },
    }
}

/// Says what showing lessons cost and saved.
fn describe_price(tokens: u64, calls_saved: Option<EffectEstimate>) -> String {
    if tokens == 0 {
        return String::new();
    }
    let cost = describe_tokens(tokens);
    match calls_saved {
        None => format!("Showing lessons cost {cost}; how many calls it saved is not known yet."),
        Some(calls) => {
            let number = calls.difference.abs();
            let change = if calls.difference < 0.0 {
                format!("about {number:.0} calls more")
            } else {
                format!("saved about {number:.0} calls")
            };
            let surety = match (calls.excludes_zero(), calls.difference < 0.0) {
                (false, _) => format!(
                    ", which is not sure (95 %: {:.0} more to {:.0} fewer)",
                    -calls.low, calls.high
                ),
                (true, true) => format!(" (95 % sure: {:.0} to {:.0})", -calls.high, -calls.low),
                (true, false) => format!(" (95 % sure: {:.0} to {:.0})", calls.low, calls.high),
            };
            format!("Showing lessons cost {cost} and {change}{surety}.")
        }
    }
}

/// Writes a number of tokens as far as it is known: `about 3.4k tokens`.
fn describe_tokens(tokens: u64) -> String {
    match tokens {
        ..1000 => format!("about {tokens} tokens"),
        _ => format!("about {:.1}k tokens", tokens as f64 / 1000.0),
    }
}

/// Writes a number of things: `1 lesson`, `2 lessons`.
pub fn pluralize(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}
