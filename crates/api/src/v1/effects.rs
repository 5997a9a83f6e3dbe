//! What lessons changed, as far as that is known.
//!
//! What showing lessons was worth comes first, in the words that a person reads. Shares are rounded to thousandths. An effect
//! is the difference between runs that were shown a lesson and runs that it was left out of by chance.

use hardwon_core::EffectEstimate;
use hardwon_engine::{
    EffectsReport, LessonStanding, OccasionComparison, OccasionTally, OutcomeCounts, WeekCount,
    Worth,
};
use hardwon_store::Moment;
use serde::Serialize;
use utoipa::ToSchema;

/// What is known of the effect of lessons.
#[derive(Debug, Serialize, ToSchema)]
pub struct EffectsDto<'a> {
    /// What showing lessons was worth.
    pub worth: WorthDto,
    /// Runs that were judged.
    pub runs: u64,
    /// The effect of showing lessons on the share of occasions that went well; null without enough that went without.
    pub effect: Option<EffectDto>,
    /// By the moment at which lessons were shown, the latest judgements only.
    pub moments: Vec<MomentEffectDto>,
    /// Of each lesson.
    pub lessons: Vec<LessonEffectDto<'a>>,
}

impl<'a> From<&'a EffectsReport> for EffectsDto<'a> {
    fn from(effects: &'a EffectsReport) -> Self {
        let summary = &effects.summary;
        Self {
            worth: WorthDto::from(&Worth::from_report(effects)),
            runs: summary.runs,
            effect: summary.all.trial.estimate_effect().map(EffectDto::from),
            moments: summary.moments.iter().map(MomentEffectDto::from).collect(),
            lessons: effects.lessons.iter().map(LessonEffectDto::from).collect(),
        }
    }
}

/// What showing lessons was worth.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorthDto {
    /// Whether it pays, in a sentence.
    pub answer: String,
    /// What it cost and saved, in a sentence; empty if nothing was shown.
    pub price: String,
    /// Occasions with lessons and without: those on which chance decided, or all until it left out a lesson. The weeks add
    /// up to them, as long as there are no more than twelve.
    pub compared: ComparisonDto,
    /// The same in each of the last twelve weeks, the oldest first.
    pub weeks: Vec<WeekDto>,
    /// Calls that showing lessons saved in all; null without enough occasions to compare.
    pub calls_saved: Option<EffectDto>,
    /// About how many tokens showing lessons took.
    pub tokens: u64,
    /// The lessons that spared most failures, the first one most.
    pub most: Vec<i64>,
    /// The lessons that were shown when their moment came and spared not even one, the dearest first.
    pub nothing: Vec<i64>,
}

impl From<&Worth<'_>> for WorthDto {
    fn from(worth: &Worth<'_>) -> Self {
        let number =
            |standings: &[&LessonStanding]| standings.iter().map(|row| row.lesson.id.0).collect();
        Self {
            answer: worth.answer.clone(),
            price: worth.price.clone(),
            compared: ComparisonDto::from(worth.compared),
            weeks: worth.weeks.iter().map(WeekDto::from).collect(),
            calls_saved: worth.calls_saved.map(EffectDto::from),
            tokens: worth.tokens,
            most: number(&worth.most),
            nothing: number(&worth.nothing),
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
    /// Its occasions with it and without, also those on which nothing was left to chance.
    pub compared: ComparisonDto,
    /// Its effect on the share of occasions that went well; null without enough that went without.
    pub effect: Option<EffectDto>,
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
        let [followed, avoided, repeated, in_vain, not_needed] = tally.counts();
        Self {
            followed,
            avoided,
            repeated,
            in_vain,
            not_needed,
        }
    }
}

/// Occasions with lessons and without, by whether the failure came.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonDto {
    /// Shown a lesson, and its failure came, or the run went badly.
    pub shown_met: u64,
    /// Shown a lesson, and nothing came.
    pub shown_avoided: u64,
    /// Left without it by chance, and its failure came, or the run went badly.
    pub held_met: u64,
    /// Left without it by chance, and nothing came.
    pub held_avoided: u64,
}

impl From<OccasionComparison> for ComparisonDto {
    fn from(compared: OccasionComparison) -> Self {
        Self {
            shown_met: compared.shown.met,
            shown_avoided: compared.shown.avoided,
            held_met: compared.left_out.met,
            held_avoided: compared.left_out.avoided,
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
            compared: ComparisonDto::from(outcomes.compared),
            effect: outcomes.trial.estimate_effect().map(EffectDto::from),
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
    /// The effect of showing lessons then; null without enough runs that went without.
    pub effect: Option<EffectDto>,
}

impl From<(&Moment, &OutcomeCounts)> for MomentEffectDto {
    fn from((moment, at): (&Moment, &OutcomeCounts)) -> Self {
        Self {
            moment: moment.name(),
            shown: at.shown,
            held: at.controls,
            occasions: OccasionsDto::from(at.occasions),
            effect: at.trial.estimate_effect().map(EffectDto::from),
        }
    }
}

/// The occasions with a lesson in one week.
#[derive(Debug, Serialize, ToSchema)]
pub struct WeekDto {
    /// When it begins: a Monday, in UTC.
    pub from: String,
    /// Occasions with a lesson on which the failure came, or the run went badly.
    pub met: u64,
    /// Those that passed without.
    pub avoided: u64,
    /// The same of those that a lesson was left out of by chance.
    pub held_met: u64,
    /// Those of them that passed without.
    pub held_avoided: u64,
}

impl From<&WeekCount> for WeekDto {
    fn from(week: &WeekCount) -> Self {
        Self {
            from: week.from.to_string(),
            met: week.compared.shown.met,
            avoided: week.compared.shown.avoided,
            held_met: week.compared.left_out.met,
            held_avoided: week.compared.left_out.avoided,
        }
    }
}
