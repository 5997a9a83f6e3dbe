//! What lessons changed, as far as that is known.
//!
//! Shares are of runs that were judged, rounded to thousandths. An effect is the difference between runs
//! that were shown a lesson and runs that it was left out of by chance.

use hardwon_core::{
    credit::{EffectTrials, MomentStats, OccasionTally, OutcomeCounts, Period},
    lesson::EffectEstimate,
};
use hardwon_engine::{EffectsReport, LessonStanding};
use hardwon_store::Moment;
use serde::Serialize;
use utoipa::ToSchema;

/// What is known of the effect of lessons.
#[derive(Debug, Serialize, ToSchema)]
pub struct EffectsDto<'a> {
    /// Runs that were judged.
    pub runs: u64,
    /// The effect of showing lessons on the share of occasions that went well; null without enough that went without.
    pub effect: Option<EffectDto>,
    /// The same in three measures.
    pub measures: EffectMeasuresDto,
    /// By the moment at which lessons were shown, the latest judgements only.
    pub moments: Vec<MomentEffectDto>,
    /// Of each lesson.
    pub lessons: Vec<LessonEffectDto<'a>>,
    /// Stretches of time, the oldest first.
    pub periods: Vec<PeriodDto>,
}

impl<'a> EffectsDto<'a> {
    /// Builds it from what was found out, and of the stretches of time that its summary was cut into.
    pub fn from_report(effects: &'a EffectsReport, periods: &[Period]) -> Self {
        let summary = &effects.summary;
        Self {
            runs: summary.runs,
            effect: summary.trial.estimate_effect().map(EffectDto::from),
            measures: EffectMeasuresDto::from(summary.trials),
            moments: summary.moments.iter().map(MomentEffectDto::from).collect(),
            lessons: effects.lessons.iter().map(LessonEffectDto::from).collect(),
            periods: periods.iter().map(PeriodDto::from).collect(),
        }
    }
}

/// A difference between two shares of runs that went well, -1 to 1.
#[derive(Debug, Serialize, ToSchema)]
pub struct EffectDto {
    /// The best guess.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<EffectEstimate> for EffectDto {
    fn from(effect: EffectEstimate) -> Self {
        Self {
            difference: round_to_thousandths(effect.difference),
            low: round_to_thousandths(effect.low),
            high: round_to_thousandths(effect.high),
        }
    }
}

/// What showing lessons changed, in three measures: each the difference between occasions with and without, null without
/// enough of both.
#[derive(Debug, Serialize, ToSchema)]
pub struct EffectMeasuresDto {
    /// The share of runs that went well.
    pub success: Option<EffectDto>,
    /// The share of occasions on which the failure, or the call that is warned of, was met again.
    pub met_again: Option<EffectDto>,
    /// How many calls it took until the occasion was past.
    pub calls: Option<EffectDto>,
}

impl From<EffectTrials> for EffectMeasuresDto {
    fn from(trials: EffectTrials) -> Self {
        Self {
            success: trials.success.estimate_effect().map(EffectDto::from),
            met_again: trials.estimate_met_again().map(EffectDto::from),
            calls: trials.calls.estimate_effect().map(EffectDto::from),
        }
    }
}

/// Rounds a share; more digits would say more than is known.
fn round_to_thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// What one lesson did.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonEffectDto<'a> {
    /// Its number.
    pub id: i64,
    /// What calls for it; may be empty.
    pub signature: &'a str,
    /// Its first line.
    pub title: &'a str,
    /// Its state.
    pub status: &'static str,
    /// Why it is not active; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether it harmed more than it helped, so that it is shown as a warning.
    pub caution: bool,
    /// Recalls that showed it.
    pub shown: u64,
    /// Runs that it fitted but was left out of by chance, however they went.
    pub held: u64,
    /// What became of its occasions where it was shown; its keys stand beside the others.
    #[serde(flatten)]
    pub occasions: OccasionsDto,
    /// Occasions that went well, as far as known.
    pub well: u64,
    /// The same that went badly.
    pub badly: u64,
    /// Outcomes that speak for it.
    pub helped: u64,
    /// Outcomes that speak against it.
    pub wrong: u64,
    /// Judged runs, by whether they were shown it and how they went.
    pub outcomes: OutcomesDto,
    /// The estimated share of successes with it where half succeed without.
    pub utility: f64,
    /// The lower end of its 95 % interval.
    pub utility_low: f64,
    /// The upper end.
    pub utility_high: f64,
    /// Its effect on the share of occasions that went well, beside those of all lessons; null without enough that went
    /// without.
    pub effect: Option<EffectDto>,
    /// The same in three measures, as they were seen.
    pub measures: EffectMeasuresDto,
    /// About how many tokens showing it took, in all.
    pub tokens: u64,
}

/// How many occasions had each outcome.
#[derive(Debug, Serialize, ToSchema)]
pub struct OccasionsDto {
    /// The advice was seen or said to be followed.
    pub followed: u64,
    /// Neither the failure nor the call that is warned of came.
    pub avoided: u64,
    /// One of them came, without the advice.
    pub repeated: u64,
    /// The advice was followed, and the failure came all the same.
    pub in_vain: u64,
    /// The moment never came.
    pub not_needed: u64,
}

impl From<OccasionTally> for OccasionsDto {
    fn from(tally: OccasionTally) -> Self {
        let OccasionTally {
            followed,
            avoided,
            repeated,
            in_vain,
            not_needed,
        } = tally;
        Self {
            followed,
            avoided,
            repeated,
            in_vain,
            not_needed,
        }
    }
}

/// Judged runs, by whether they were shown a lesson and how they went.
#[derive(Debug, Serialize, ToSchema)]
pub struct OutcomesDto {
    /// Shown it, and went well.
    pub shown_good: u64,
    /// Shown it, and went badly.
    pub shown_bad: u64,
    /// Left without it by chance, and went well.
    pub held_good: u64,
    /// Left without it by chance, and went badly.
    pub held_bad: u64,
}

impl From<&OutcomeCounts> for OutcomesDto {
    fn from(outcomes: &OutcomeCounts) -> Self {
        Self {
            shown_good: outcomes.shown_good,
            shown_bad: outcomes.shown_bad,
            held_good: outcomes.control_good,
            held_bad: outcomes.control_bad,
        }
    }
}

impl<'a> From<&'a LessonStanding> for LessonEffectDto<'a> {
    fn from(it: &'a LessonStanding) -> Self {
        let (lesson, outcomes) = (&it.lesson, &it.outcomes);
        Self {
            id: lesson.id.0,
            signature: lesson.content.signature.as_str(),
            title: lesson.content.title.as_str(),
            status: lesson.status.name(),
            why: hardwon_engine::status_reason(&lesson.status),
            caution: lesson.is_caution(),
            shown: lesson.counts.shown,
            held: outcomes.controls,
            occasions: OccasionsDto::from(outcomes.occasions),
            well: lesson.counts.went_well,
            badly: lesson.counts.went_badly,
            helped: lesson.counts.helped,
            wrong: lesson.counts.harmed,
            outcomes: OutcomesDto::from(outcomes),
            utility: round_to_thousandths(it.utility),
            utility_low: round_to_thousandths(it.utility_interval.0),
            utility_high: round_to_thousandths(it.utility_interval.1),
            effect: it.effect.map(EffectDto::from),
            measures: EffectMeasuresDto::from(it.trials),
            tokens: it.tokens,
        }
    }
}

/// What came of showing lessons at one moment.
#[derive(Debug, Serialize, ToSchema)]
pub struct MomentEffectDto {
    /// When in a run: `start`, `turn`, `call`, `failure` or `asked`.
    pub moment: &'static str,
    /// Lessons that runs were shown then, each once a run.
    pub shown: u64,
    /// Lessons that would have been shown then and were left out by chance.
    pub held: u64,
    /// What became of the occasions of those shown; its keys stand beside the others.
    #[serde(flatten)]
    pub occasions: OccasionsDto,
    /// Those shown that it went well with.
    pub good: u64,
    /// Those shown that it went badly with.
    pub bad: u64,
    /// The effect of showing lessons then; null without enough runs that went without.
    pub effect: Option<EffectDto>,
    /// The effect over leaving them to later moments of the session; null as above.
    pub effect_over_later: Option<EffectDto>,
}

impl From<(&Moment, &MomentStats)> for MomentEffectDto {
    fn from((moment, at): (&Moment, &MomentStats)) -> Self {
        Self {
            moment: moment.name(),
            shown: at.shown,
            held: at.controls,
            occasions: OccasionsDto::from(at.occasions),
            good: at.good,
            bad: at.bad,
            effect: at.trial.estimate_effect().map(EffectDto::from),
            effect_over_later: at.timing.estimate_effect().map(EffectDto::from),
        }
    }
}

/// A stretch of time.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodDto {
    /// When it begins.
    pub from: String,
    /// When it ends.
    pub to: String,
    /// Runs in it that there was a lesson for.
    pub runs: u64,
    /// Those of them that failed, or in which the lesson's trouble came again.
    pub failed: u64,
}

impl From<&Period> for PeriodDto {
    fn from(period: &Period) -> Self {
        Self {
            from: period.from.to_string(),
            to: period.to.to_string(),
            runs: period.runs,
            failed: period.failed,
        }
    }
}
