//! Estimates what showing lessons changes, from what chance left with and without them.
//!
//! Each lesson is compared with itself by the normal model with a common spread (Gelman et al., *Bayesian Data Analysis*,
//! 5.4; Efron and Morris 1975): its difference is known with an error, and effects of lessons scatter about zero as far as
//! those of all lessons show. So a lesson about which little is known is drawn towards no effect, and none gets a claim from
//! what other lessons did. Nothing here draws lots, or decides what a lesson is worth.

use std::ops::Add;

use crate::lesson::{EffectEstimate, NormalEstimate, Trial};

/// The spreads of effects that are weighed, in units of the scale: effects of less than the first are not told from each
/// other, so that few lessons cannot make all others look alike.
const SPREADS: [f64; 9] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
/// Standard deviations on either side of a 95 % interval.
const SHOWN_DEVIATIONS: f64 = 1.959_964;
/// The fewest outcomes of an arm of which a mean is told.
const MEAN_OUTCOMES_MIN: f64 = 10.0;

/// Numbers of one arm, each weighted by the probability of the other arm.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct MeanArm {
    weight: f64,
    square: f64,
    sum: f64,
    sum_of_squares: f64,
}

impl MeanArm {
    fn from_number(weight: f64, number: f64) -> Self {
        Self {
            weight,
            square: weight * weight,
            sum: weight * number,
            sum_of_squares: weight * number * number,
        }
    }

    /// Returns the mean, the variance of a number and the effective count; `None` with too few.
    fn describe(self) -> Option<(f64, f64, f64)> {
        let count = self.weight * self.weight / self.square.max(f64::MIN_POSITIVE);
        let mean = self.sum / self.weight.max(f64::MIN_POSITIVE);
        let variance = self.sum_of_squares / self.weight.max(f64::MIN_POSITIVE) - mean * mean;
        (count >= MEAN_OUTCOMES_MIN).then(|| (mean, variance.max(0.0), count))
    }
}

impl Add for MeanArm {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            weight: self.weight + other.weight,
            square: self.square + other.square,
            sum: self.sum + other.sum,
            sum_of_squares: self.sum_of_squares + other.sum_of_squares,
        }
    }
}

/// A randomised comparison of numbers with a lesson and without it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanTrial {
    shown: MeanArm,
    control: MeanArm,
}

impl MeanTrial {
    /// Creates a trial with one number; empty if nothing was left to chance.
    fn from_number(chance: f64, is_control: bool, number: f64) -> Self {
        let mut trial = Self::default();
        if chance > 0.0 && chance < 1.0 {
            if is_control {
                trial.control = MeanArm::from_number(1.0 - chance, number);
            } else {
                trial.shown = MeanArm::from_number(chance, number);
            }
        }
        trial
    }

    /// Returns the difference that showing the lesson makes and its standard error; `None` with too few numbers.
    fn normal_estimate(&self) -> Option<NormalEstimate> {
        let (shown, shown_variance, many) = self.shown.describe()?;
        let (held, held_variance, few) = self.control.describe()?;
        // Arms in which every number is the same are not known without error.
        let variance = |of: f64| of.max(0.25);
        let error = variance(shown_variance) / many + variance(held_variance) / few;
        Some(NormalEstimate {
            mean: shown - held,
            deviation: error.sqrt(),
        })
    }

    /// Returns the difference with a 95 % interval; `None` with too few numbers.
    pub fn estimate_effect(&self) -> Option<EffectEstimate> {
        let estimate = self.normal_estimate()?;
        Some(estimate.interval(SHOWN_DEVIATIONS))
    }
}

/// What chance left with and without a lesson, or all lessons, in three measures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EffectTrials {
    /// Runs: whether they went well.
    pub success: Trial,
    /// Occasions: whether what the lesson is to prevent was *not* met again.
    pub unmet: Trial,
    /// Occasions: how many calls it took until they were past.
    pub calls: MeanTrial,
}

impl EffectTrials {
    /// Returns what showing the lesson changes of the share of occasions on which its trouble was met again; `None` until
    /// both arms have outcomes.
    pub fn estimate_met_again(&self) -> Option<EffectEstimate> {
        let unmet = self.unmet.estimate_effect()?;
        Some(EffectEstimate {
            difference: -unmet.difference,
            low: -unmet.high,
            high: -unmet.low,
        })
    }

    /// Creates the trials with one occasion; `went_well` is how its run ended.
    pub(super) fn from_occasion(
        seen: &super::OccasionRecord,
        is_control: bool,
        went_well: Option<bool>,
    ) -> Self {
        let chance = seen.holdout_chance;
        let trial = |good: Option<bool>| {
            good.map_or_else(Trial::default, |good| {
                Trial::from_outcome(chance, is_control, good)
            })
        };
        let calls = seen.calls_until_past.map(f64::from);
        Self {
            success: trial(went_well),
            unmet: trial(seen.met_again.map(|is_met| !is_met)),
            calls: calls.map_or_else(MeanTrial::default, |calls| {
                MeanTrial::from_number(chance, is_control, calls)
            }),
        }
    }
}

impl Add for EffectTrials {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            success: self.success + other.success,
            unmet: self.unmet + other.unmet,
            calls: MeanTrial {
                shown: self.calls.shown + other.calls.shown,
                control: self.calls.control + other.calls.control,
            },
        }
    }
}

/// Returns the effect of each lesson with a 95 % interval, given those of all; `None` where either arm is empty.
pub fn estimate_effects(trials: &[Trial]) -> Vec<Option<EffectEstimate>> {
    let own_estimates: Vec<Option<NormalEstimate>> =
        trials.iter().map(Trial::normal_estimate).collect();
    let estimates: Vec<NormalEstimate> = own_estimates.iter().copied().flatten().collect();
    let spreads = weigh_spreads(&estimates);
    let shrunk = own_estimates.into_iter().map(|own_estimate| {
        let shrunk = shrink(own_estimate?, &spreads);
        Some(shrunk.interval(SHOWN_DEVIATIONS))
    });
    shrunk.collect()
}

/// Returns each spread with its probability, given what is known of all lessons.
fn weigh_spreads(known: &[NormalEstimate]) -> Vec<(f64, f64)> {
    let log_density = |spread: f64| {
        let of_one = |it: &NormalEstimate| {
            let variance = it.deviation * it.deviation + spread * spread;
            -0.5 * variance.ln() - it.mean * it.mean / (2.0 * variance)
        };
        // A half-normal prior of scale 1.
        -spread * spread / 2.0 + known.iter().map(of_one).sum::<f64>()
    };
    let logs = SPREADS.map(log_density);
    let most = logs.into_iter().fold(f64::MIN, f64::max);
    let weights = logs.map(|log| (log - most).exp());
    let total: f64 = weights.iter().sum();
    let shares = weights.into_iter().map(|weight| weight / total);
    SPREADS.into_iter().zip(shares).collect()
}

/// Draws an estimate towards no effect, over all spreads.
fn shrink(it: NormalEstimate, spreads: &[(f64, f64)]) -> NormalEstimate {
    let error = it.deviation * it.deviation;
    let (mut mean, mut square) = (0.0, 0.0);
    for (spread, weight) in spreads {
        let share = spread * spread / (spread * spread + error);
        let at = share * it.mean;
        mean += weight * at;
        square += weight * (share * error + at * at);
    }
    NormalEstimate {
        mean,
        deviation: (square - mean * mean).max(0.0).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credit::OccasionRecord;

    /// Pseudo-random numbers from 0 to 1.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Returns the trial of a lesson that half of its occasions go without, of which so many go well with it and without.
    fn play(dice: &mut Dice, with: f64, without: f64, occasions: u32) -> Trial {
        (0..occasions).fold(Trial::default(), |sum, _| {
            let is_control = dice.roll() < 0.5;
            let chance = if is_control { without } else { with };
            sum + Trial::from_outcome(0.5, is_control, dice.roll() < chance)
        })
    }

    /// Returns how often the interval of the first of so many lessons leaves out zero, over 200 seeds. The others help by 20
    /// points.
    fn share_told(with: f64, without: f64, occasions: u32, others: usize) -> f64 {
        let told = (1..=200_u64).filter(|seed| {
            let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut trials = vec![play(&mut dice, with, without, occasions)];
            trials.extend((0..others).map(|_| play(&mut dice, 0.7, 0.5, 60)));
            estimate_effects(&trials)[0].is_some_and(EffectEstimate::excludes_zero)
        });
        told.count() as f64 / 200.0
    }

    #[test]
    fn an_effect_is_told_and_none_is_not() {
        for others in [0, 9] {
            for base in [0.3, 0.5] {
                let told =
                    |effect: f64, occasions| share_told(base + effect, base, occasions, others);
                let (large, small) = (told(0.4, 60), told(0.2, 250));
                let nothing = [told(0.0, 60), told(0.0, 250)];
                assert!(large >= 0.8 && small >= 0.8, "{large} {small}");
                assert!(nothing.iter().all(|it| *it <= 0.05), "{nothing:?}");
            }
        }
    }

    #[test]
    fn little_is_drawn_towards_nothing_and_much_is_not() {
        let trial = |scale: u32| {
            let many = |is_control: bool, good: u32| {
                (0..10 * scale).fold(Trial::default(), |sum, at| {
                    sum + Trial::from_outcome(0.5, is_control, at < good * scale)
                })
            };
            many(false, 8) + many(true, 5)
        };
        let effects = estimate_effects(&[trial(1), trial(100), Trial::default()]);
        let [little, much] = [0, 1].map(|at| effects[at].unwrap().difference);
        assert!(little > 0.05 && little < 0.22, "{little}");
        assert!((much - 0.3).abs() < 0.01, "{much}");
        assert_eq!(effects[2], None);
    }

    #[test]
    fn calls_until_past_are_compared() {
        let occasion = |is_control: bool, calls: u32| {
            let seen = OccasionRecord {
                holdout_chance: 0.5,
                met_again: Some(calls > 0),
                calls_until_past: Some(calls),
            };
            EffectTrials::from_occasion(&seen, is_control, None)
        };
        let sum = (0..40_u32).fold(EffectTrials::default(), |sum, at| {
            sum + occasion(at % 2 == 0, if at % 2 == 0 { 4 + at % 3 } else { at % 2 })
        });
        let effect = sum.calls.estimate_effect().unwrap();
        assert!(effect.high < 0.0 && effect.difference < -3.0, "{effect:?}");
        assert_eq!(occasion(true, 3).calls.estimate_effect(), None);
        assert_eq!(sum.success, Trial::default());
    }
}
