//! Withholds lessons at random, and estimates their effect from that.
//!
//! A recall that would show lessons may withhold one of them. Because the probability of that is known, results with
//! and without the lesson can be compared, although the tasks for which it is recalled are not chosen at random.
//! [`sample_holdout`] makes the choice from random numbers that the caller supplies, [`Trial`] sums up the results,
//! [`Trial::estimate_effect`] returns the difference with its confidence interval.

use std::ops::{Add, Neg, Sub};

use super::posterior::round_to_i64;

/// The unit of stored sums: millionths.
const UNIT: f64 = 1e6;
/// How many recalls show a lesson before any withholds it: a new lesson gets its chance first, and so few results
/// would show nothing anyway.
const SHOWN_BEFORE_HOLDOUT: u64 = 20;
/// The share of recalls that withhold a lesson while its effect is uncertain.
const HOLDOUT_SHARE_UNCERTAIN: f64 = 0.2;
/// The share once its effect is known.
const HOLDOUT_SHARE_KNOWN: f64 = 0.05;
/// The share of withheld lessons that are only deferred, where the run may have a later moment.
const DEFERRED_SHARE: f64 = 0.5;
/// The confidence at which an effect counts as known, in standard deviations (99.9 %). At the 95 % that is shown, a
/// lucky streak would end the trial that could correct it.
const KNOWN_DEVIATIONS: f64 = 3.290_527;
/// The confidence of the interval that is shown, in standard deviations (95 %).
pub(super) const SHOWN_DEVIATIONS: f64 = 1.959_964;

/// The outcomes of one arm of a trial, each weighted by the probability of the other arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arm {
    /// The sum of the weights, in millionths.
    pub weight: i64,
    /// The sum of the squared weights, in millionths.
    pub square: i64,
    /// The sum of the weights of good outcomes, in millionths.
    pub good: i64,
}

impl Arm {
    /// Creates an arm with one outcome of this weight.
    ///
    /// Weighted by the probability of the other arm, both arms represent the same recalls even if that probability
    /// changes, and no single outcome gets a large weight: so-called overlap weights.
    fn from_outcome(weight: f64, is_good: bool) -> Self {
        Self {
            weight: round_to_i64(weight * UNIT),
            square: round_to_i64(weight * weight * UNIT),
            good: if is_good {
                round_to_i64(weight * UNIT)
            } else {
                0
            },
        }
    }

    /// Returns the share of good outcomes and the effective number of outcomes; `None` without outcomes.
    fn success_share(self) -> Option<(f64, f64)> {
        let (weight, square) = (self.weight as f64 / UNIT, self.square as f64 / UNIT);
        let is_some = self.weight > 0 && self.square > 0;
        let share = (self.good as f64 / UNIT / weight).clamp(0.0, 1.0);
        is_some.then(|| (share, weight * weight / square))
    }

    fn combine_with(self, other: Self, of: impl Fn(i64, i64) -> i64) -> Self {
        Self {
            weight: of(self.weight, other.weight),
            square: of(self.square, other.square),
            good: of(self.good, other.good),
        }
    }
}

/// A randomised comparison of results with a lesson and without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    /// Outcomes with the lesson shown.
    pub shown: Arm,
    /// Outcomes with the lesson withheld.
    pub control: Arm,
}

impl Add for Trial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            shown: self.shown.combine_with(other.shown, i64::saturating_add),
            control: self
                .control
                .combine_with(other.control, i64::saturating_add),
        }
    }
}

impl Neg for Trial {
    type Output = Self;

    fn neg(self) -> Self {
        Self::default() - self
    }
}

impl Sub for Trial {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            shown: self.shown.combine_with(other.shown, i64::saturating_sub),
            control: self
                .control
                .combine_with(other.control, i64::saturating_sub),
        }
    }
}

/// A difference of success rates, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectEstimate {
    /// The success rate with the lesson minus the rate without.
    pub difference: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl EffectEstimate {
    /// Returns whether the interval does not contain zero.
    #[must_use]
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

impl Trial {
    /// Creates a trial with one outcome. `chance` is the probability of withholding the lesson; the trial is empty if
    /// nothing was left to chance.
    #[must_use]
    pub fn from_outcome(chance: f64, was_held: bool, is_good: bool) -> Self {
        let mut trial = Self::default();
        if chance > 0.0 && chance < 1.0 {
            if was_held {
                trial.control = Arm::from_outcome(1.0 - chance, is_good);
            } else {
                trial.shown = Arm::from_outcome(chance, is_good);
            }
        }
        trial
    }

    /// Returns the effect of showing the lesson, with a 95 % interval; `None` until both arms have outcomes.
    #[must_use]
    pub fn estimate_effect(&self) -> Option<EffectEstimate> {
        self.estimate_effect_within(SHOWN_DEVIATIONS)
    }

    /// Returns the difference of two rates with Newcombe's hybrid score interval, which keeps its coverage where the
    /// simple one fails: with few outcomes, or rates near 0 and 1.
    fn estimate_effect_within(&self, deviations: f64) -> Option<EffectEstimate> {
        let (shown, many) = self.shown.success_share()?;
        let (held, few) = self.control.success_share()?;
        let (shown_low, shown_high) = wilson_interval(shown, many, deviations);
        let (held_low, held_high) = wilson_interval(held, few, deviations);
        let difference = shown - held;
        Some(EffectEstimate {
            difference,
            low: difference - (shown - shown_low).hypot(held_high - held),
            high: difference + (shown_high - shown).hypot(held - held_low),
        })
    }

    /// Returns the share of recalls that should withhold a lesson with this record.
    fn holdout_share(&self, shown: u64) -> f64 {
        let is_known = |it: EffectEstimate| it.excludes_zero();
        if shown < SHOWN_BEFORE_HOLDOUT {
            0.0
        } else if self
            .estimate_effect_within(KNOWN_DEVIATIONS)
            .is_some_and(is_known)
        {
            HOLDOUT_SHARE_KNOWN
        } else {
            HOLDOUT_SHARE_UNCERTAIN
        }
    }
}

/// Returns Wilson's score interval for a rate over `count` outcomes.
fn wilson_interval(share: f64, count: f64, deviations: f64) -> (f64, f64) {
    let square = deviations * deviations;
    let scale = 1.0 + square / count;
    let middle = (share + square / (2.0 * count)) / scale;
    let spread = share * (1.0 - share) / count + square / (4.0 * count * count);
    let margin = deviations / scale * spread.sqrt();
    ((middle - margin).max(0.0), (middle + margin).min(1.0))
}

/// A lesson that is about to be shown, with its random draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialCandidate {
    /// How often it was shown so far.
    pub shown_count: u64,
    /// The results of earlier trials.
    pub trial: Trial,
    /// A random number from 0 to 1 that decides whether it is withheld.
    pub holdout_draw: f64,
    /// A random number from 0 to 1 that decides whether it is only deferred.
    pub deferral_draw: f64,
}

/// The probabilities that a lesson is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HoldoutChances {
    /// Probability of being withheld from the whole run.
    pub holdout: f32,
    /// Probability of being deferred to a later moment of the run.
    pub deferral: f32,
}

/// The lesson to withhold, with the probabilities of all.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldoutSample {
    /// The index of the lesson to withhold; usually `None`.
    pub control: Option<usize>,
    /// Whether it is only deferred to a later moment.
    pub is_deferred: bool,
    /// The probabilities of not being shown, in the order of the candidates.
    pub chances: Vec<HoldoutChances>,
}

/// Decides which of the lessons to be shown is withheld: at most one.
///
/// If several are to be shown, they share the risk, most of it going to those of uncertain effect. If later moments
/// of the run may show what this one does not, half of the withheld lessons are only deferred.
#[must_use]
pub fn sample_holdout(candidates: &[TrialCandidate], may_come_later: bool) -> HoldoutSample {
    let shares: Vec<f64> = candidates
        .iter()
        .map(|it| it.trial.holdout_share(it.shown_count))
        .collect();
    let total: f64 = shares.iter().sum();
    let risk = |share: &f64| {
        if total > 0.0 {
            share * share / total
        } else {
            0.0
        }
    };
    let risks: Vec<f64> = shares.iter().map(risk).collect();
    // Of those whose draw is below their risk, the one for which it is lowest in proportion.
    let depth = |place: &usize| candidates[*place].holdout_draw / risks[*place];
    let struck =
        (0..candidates.len()).filter(|place| candidates[*place].holdout_draw < risks[*place]);
    let held = struck.min_by(|a, b| depth(a).total_cmp(&depth(b)));
    let chance = |place: usize| {
        let others = risks
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place);
        // If another is drawn as well, it wins every second time.
        others.fold(risks[place], |chance, (_, risk)| {
            chance * (1.0 - risk / 2.0)
        })
    };
    let left = if may_come_later { DEFERRED_SHARE } else { 0.0 };
    let ways = |chance: f64| HoldoutChances {
        holdout: to_single_precision(chance * (1.0 - left)),
        deferral: to_single_precision(chance * left),
    };
    HoldoutSample {
        control: held,
        is_deferred: held.is_some_and(|place| candidates[place].deferral_draw < left),
        chances: (0..candidates.len()).map(|it| ways(chance(it))).collect(),
    }
}

/// Rounds a probability to the precision that is stored.
#[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 1")]
fn to_single_precision(chance: f64) -> f32 {
    chance as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(shown: (u32, u32), held: (u32, u32), chance: f64) -> Trial {
        let many = |(good, of): (u32, u32), was_held: bool| {
            (0..of).fold(Trial::default(), |sum, it| {
                sum + Trial::from_outcome(chance, was_held, it < good)
            })
        };
        many(shown, false) + many(held, true)
    }

    /// Checks effect and interval in whole percentage points.
    fn check(shown: (u32, u32), held: (u32, u32), expected: Option<(i64, i64, i64)>) {
        let points = |it: f64| round_to_i64(it * 100.0);
        let effect = trial(shown, held, 0.2).estimate_effect();
        let got = effect.map(|it| (points(it.difference), points(it.low), points(it.high)));
        assert_eq!(got, expected, "{shown:?} {held:?}");
    }

    #[test]
    fn the_difference_and_its_interval() {
        check((0, 0), (0, 0), None);
        check((5, 5), (0, 0), None);
        check((224, 320), (40, 80), Some((20, 8, 32)));
        check((160, 320), (40, 80), Some((0, -12, 12)));
        // Newcombe 1998, table II: 56/70 - 48/80 gives 0.0524 to 0.3339.
        check((56, 70), (48, 80), Some((20, 5, 33)));
        check((10, 10), (0, 20), Some((100, 68, 100)));
        check((0, 8), (2, 2), Some((-100, -100, -27)));
    }

    #[test]
    fn a_change_of_shares_is_no_effect() {
        // Early on half of all outcomes are good and a fifth is withheld, later nine in ten and a twentieth: with
        // equal rates in both arms there is no effect.
        let early = trial((40, 80), (10, 20), 0.2);
        let late = trial((171, 190), (9, 10), 0.05);
        let effect = (early + late)
            .estimate_effect()
            .expect("both arms have outcomes");
        assert!(effect.difference.abs() < 1e-6, "{effect:?}");
    }

    #[test]
    fn shares() {
        for (shown, trial, expected) in [
            (0, Trial::default(), 0.0),
            (SHOWN_BEFORE_HOLDOUT - 1, Trial::default(), 0.0),
            (
                SHOWN_BEFORE_HOLDOUT,
                Trial::default(),
                HOLDOUT_SHARE_UNCERTAIN,
            ),
            (99, trial((40, 50), (5, 10), 0.2), HOLDOUT_SHARE_UNCERTAIN),
            (99, trial((45, 50), (1, 20), 0.2), HOLDOUT_SHARE_KNOWN),
            (99, trial((1, 50), (19, 20), 0.2), HOLDOUT_SHARE_KNOWN),
        ] {
            assert!(
                (trial.holdout_share(shown) - expected).abs() < 1e-9,
                "{shown} {trial:?}"
            );
        }
    }

    /// The frequency of withholding equals the stated probabilities.
    #[test]
    fn chances_are_what_they_are_said_to_be() {
        let lots = |step: u32| f64::from(step) / 400.0 + 0.5 / 400.0;
        let mut held = [0_u32; 2];
        let mut chances = Vec::new();
        for a in 0..400 {
            for b in 0..400 {
                let candidate = |lot: f64, trial: Trial| TrialCandidate {
                    shown_count: 50,
                    trial,
                    holdout_draw: lot,
                    deferral_draw: 0.0,
                };
                let known = trial((45, 50), (1, 20), 0.2);
                let candidates = [
                    candidate(lots(a), Trial::default()),
                    candidate(lots(b), known),
                ];
                let drawn = sample_holdout(&candidates, false);
                chances = drawn.chances;
                if let Some(place) = drawn.control {
                    held[place] += 1;
                }
            }
        }
        for (held, chance) in held.iter().zip(chances) {
            let share = f64::from(*held) / 160_000.0;
            assert!(
                (share - f64::from(chance.holdout)).abs() < 0.002 && chance.deferral == 0.0,
                "{share} {chance:?}"
            );
        }
    }

    #[test]
    fn nobody_new_is_held_back() {
        let candidate = |shown, lot| TrialCandidate {
            shown_count: shown,
            trial: Trial::default(),
            holdout_draw: lot,
            deferral_draw: 0.0,
        };
        for (candidates, expected) in [
            (vec![], None),
            (vec![candidate(3, 0.0)], None),
            (vec![candidate(30, 0.19)], Some(0)),
            (vec![candidate(30, 0.21)], None),
            (vec![candidate(3, 0.0), candidate(30, 0.1)], Some(1)),
            (vec![candidate(30, 0.09), candidate(30, 0.02)], Some(1)),
        ] {
            assert_eq!(
                sample_holdout(&candidates, false).control,
                expected,
                "{candidates:?}"
            );
        }
    }

    #[test]
    fn half_of_those_held_back_are_left_to_a_later_moment() {
        for (way, may_come_later, expected) in [
            (0.4, true, (true, 0.1, 0.1)),
            (0.6, true, (false, 0.1, 0.1)),
            (0.4, false, (false, 0.2, 0.0)),
        ] {
            let candidate = TrialCandidate {
                shown_count: 30,
                trial: Trial::default(),
                holdout_draw: 0.0,
                deferral_draw: way,
            };
            let drawn = sample_holdout(&[candidate], may_come_later);
            let chances = drawn.chances[0];
            assert_eq!(
                (drawn.is_deferred, chances.holdout, chances.deferral),
                expected
            );
        }
    }
}
