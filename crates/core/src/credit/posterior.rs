//! Estimates a lesson's effect, and updates the estimates after an outcome.
//!
//! An effect is a number on the probit scale: 0 does nothing, 1 turns a task that succeeds every second time into one
//! that succeeds five times in six. A [`Posterior`] is a normal distribution over it: the prior that depends on the
//! author's trust ([`Posterior::prior`]), combined with the evidence of outcomes, a [`GaussianMessage`].
//! [`assign_credit`] divides one outcome among all its contributors, by assumed-density filtering;
//! `docs/design/credit.md` has the formulas.

use std::{
    f64::consts::{PI, SQRT_2},
    ops::{Add, Neg, Sub},
};

use crate::lesson::{Trust, TrustClass};

/// The unit of a stored message: millionths.
const UNIT: f64 = 1e6;
/// The prior mean of a lesson's effect: most lessons help.
const PRIOR_MEAN: f64 = 0.5;
/// The prior mean of a tainted lesson, even if a person approved it.
const PRIOR_MEAN_TAINTED: f64 = -0.5;
/// The prior variance: how far lessons differ from the mean.
const PRIOR_VARIANCE: f64 = 0.5;
/// The least precision of a posterior, whatever is subtracted from it.
const PRECISION_MIN: f64 = 1e-3;

/// Evidence of outcomes about an effect, as the natural parameters of a normal distribution: precision, and precision
/// times mean.
///
/// Stored in whole millionths, so that subtracting what was added restores the sum exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GaussianMessage {
    /// The precision that it adds, in millionths.
    pub precision: i64,
    /// Precision times mean, in millionths.
    pub shift: i64,
}

impl GaussianMessage {
    /// Creates the message of an observed effect of this precision.
    pub(super) fn from_observation(effect: f64, precision: f64) -> Self {
        Self {
            precision: round_to_i64(precision * UNIT),
            shift: round_to_i64(precision * effect * UNIT),
        }
    }

    /// Returns the message that turns one posterior into the other.
    fn from_posteriors(before: Posterior, after: Posterior) -> Self {
        let units = |value: f64| round_to_i64(value * UNIT);
        Self {
            precision: units(1.0 / after.variance - 1.0 / before.variance),
            shift: units(after.mean / after.variance - before.mean / before.variance),
        }
    }
}

/// Rounds to the nearest integer. Messages are far below the largest `i64`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is rounded and clamped"
)]
pub(super) fn round_to_i64(value: f64) -> i64 {
    value.round().clamp(-1e15, 1e15) as i64
}

impl Add for GaussianMessage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            precision: self.precision.saturating_add(other.precision),
            shift: self.shift.saturating_add(other.shift),
        }
    }
}

impl Neg for GaussianMessage {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            precision: self.precision.saturating_neg(),
            shift: self.shift.saturating_neg(),
        }
    }
}

impl Sub for GaussianMessage {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

/// A normal distribution over an effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posterior {
    /// The mean of the effect.
    pub mean: f64,
    /// The variance of the effect.
    pub variance: f64,
}

impl Posterior {
    /// Returns the prior of a lesson with this trust.
    #[must_use]
    pub fn prior(trust: Trust) -> Self {
        Self {
            mean: match trust.class {
                _ if trust.tainted => PRIOR_MEAN_TAINTED,
                TrustClass::Person
                | TrustClass::Agent
                | TrustClass::Derived
                | TrustClass::Distilled
                | TrustClass::Imported => PRIOR_MEAN,
            },
            variance: PRIOR_VARIANCE,
        }
    }

    /// Returns the posterior of a lesson with this trust, given the evidence of outcomes.
    #[must_use]
    pub fn from_trust(trust: Trust, leaning: GaussianMessage) -> Self {
        Self::prior(trust).with_message(leaning)
    }

    /// Returns the posterior after more evidence.
    #[must_use]
    pub fn with_message(self, leaning: GaussianMessage) -> Self {
        let part = |units: i64| units as f64 / UNIT;
        let precision = 1.0 / self.variance + part(leaning.precision);
        let precision = precision.max(PRECISION_MIN);
        let shift = self.mean / self.variance + part(leaning.shift);
        Self {
            mean: shift / precision,
            variance: 1.0 / precision,
        }
    }

    /// Returns the probability that the effect is below a bound.
    #[must_use]
    pub fn probability_below(self, bound: f64) -> f64 {
        normal_cdf((bound - self.mean) / self.variance.sqrt())
    }

    /// Returns the probability that a task succeeds with the lesson, if it succeeds every second time without.
    #[must_use]
    pub fn utility(self) -> f64 {
        normal_cdf(self.mean / (1.0 + self.variance).sqrt())
    }

    /// Returns that probability for the mean minus and plus `deviations` standard deviations.
    #[must_use]
    pub fn utility_interval(self, deviations: f64) -> (f64, f64) {
        let margin = deviations * self.variance.sqrt();
        (
            normal_cdf(self.mean - margin),
            normal_cdf(self.mean + margin),
        )
    }
}

/// A lesson or baseline that had a part in an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contributor {
    /// How large its part was, 0 to 1.
    pub(super) weight: f64,
    /// Its posterior before the outcome.
    pub(super) posterior: Posterior,
}

/// How unreliable an outcome is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// The variance of all other influences on the outcome.
    pub(super) variance: f64,
    /// The probability that the outcome is reported the wrong way round.
    pub(super) flip_chance: f64,
}

fn total_effect(parties: &[Contributor], noise: Noise) -> (f64, f64) {
    let mean = parties.iter().map(|it| it.weight * it.posterior.mean).sum();
    let square = |it: &Contributor| it.weight * it.weight * it.posterior.variance;
    let variance = parties.iter().map(square).sum::<f64>() + noise.variance;
    (mean, variance)
}

/// Divides one outcome among all its contributors: returns the message for each posterior, in order.
///
/// An expected outcome changes little. A surprise changes those most about whom least was known, so that one outcome
/// is never blamed in full on several at once.
pub(super) fn assign_credit(
    parties: &[Contributor],
    is_good: bool,
    noise: Noise,
) -> Vec<GaussianMessage> {
    let (mean, variance) = total_effect(parties, noise);
    let deviation = variance.sqrt();
    let side = if is_good { 1.0 } else { -1.0 };
    let surprise = side * mean / deviation;
    let told = noise.flip_chance + (1.0 - 2.0 * noise.flip_chance) * normal_cdf(surprise);
    let pull = (1.0 - 2.0 * noise.flip_chance) * normal_density(surprise) / told.max(1e-12);
    let narrowing = (pull * (pull + surprise)).clamp(0.0, 1.0);
    let moved = |party: &Contributor| {
        let Posterior {
            mean,
            variance: own,
        } = party.posterior;
        let after = Posterior {
            mean: mean + side * party.weight * own / deviation * pull,
            variance: own * (1.0 - party.weight * party.weight * own / variance * narrowing),
        };
        GaussianMessage::from_posteriors(party.posterior, after)
    };
    parties.iter().map(moved).collect()
}

/// Returns the standard normal density.
fn normal_density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// Returns the standard normal distribution function, with a relative error below 1.2e-7 everywhere.
///
/// Computed from the complementary error function in the Chebyshev form of Numerical Recipes (section 6.2).
pub(super) fn normal_cdf(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ];
    let z = (x / SQRT_2).abs();
    let t = 1.0 / (1.0 + z / 2.0);
    let series = COEFFICIENTS.iter().fold(0.0, |sum, it| sum * t + it);
    let upper = t * (-z * z + series).exp() / 2.0;
    if x < 0.0 { upper } else { 1.0 - upper }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FAIR: Noise = Noise {
        variance: 1.0,
        flip_chance: 0.05,
    };

    fn party(weight: f64, mean: f64, variance: f64) -> Contributor {
        let belief = Posterior { mean, variance };
        Contributor {
            weight,
            posterior: belief,
        }
    }

    #[test]
    fn the_distribution_function() {
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_75),
            (-1.0, 0.158_655_25),
            (1.959_964, 0.975),
            (-3.0, 0.001_349_9),
            (8.0, 1.0),
            (-40.0, 0.0),
        ] {
            let got = normal_cdf(x);
            assert!((got - expected).abs() < 2e-7, "{x}: {got}");
        }
    }

    /// Checks the means after one outcome, in hundredths.
    fn check(parties: &[Contributor], is_good: bool, expected: &[i64]) {
        let leanings = assign_credit(parties, is_good, FAIR);
        let after = parties.iter().zip(leanings);
        let means: Vec<i64> = after
            .map(|(party, leaning)| {
                round_to_i64(party.posterior.with_message(leaning).mean * 100.0)
            })
            .collect();
        assert_eq!(means, expected, "{parties:?} {is_good}");
    }

    #[test]
    fn one_outcome_is_divided() {
        // Alone, it changes by the whole; two equals share it; of two, the less known changes more.
        check(&[party(1.0, 0.0, 0.5)], false, &[-29]);
        check(
            &[party(1.0, 0.0, 0.5), party(1.0, 0.0, 0.5)],
            false,
            &[-25, -25],
        );
        check(
            &[party(1.0, 0.0, 0.5), party(1.0, 0.0, 0.05)],
            false,
            &[-29, -3],
        );
        // A lesson that hardly matched the task had hardly a part in it.
        check(
            &[party(1.0, 0.0, 0.5), party(0.2, 0.0, 0.5)],
            false,
            &[-29, -6],
        );
        // Where such tasks fail anyway, a failure means little and a success much.
        check(
            &[party(1.0, -1.5, 0.01), party(1.0, 0.0, 0.5)],
            false,
            &[-150, -8],
        );
        check(
            &[party(1.0, -1.5, 0.01), party(1.0, 0.0, 0.5)],
            true,
            &[-149, 46],
        );
    }

    proptest! {
        #[test]
        fn an_outcome_can_be_taken_back(
            means in prop::collection::vec(-3.0..3.0_f64, 1..6),
            weight in 0.0..1.0_f64,
            is_good: bool,
        ) {
            let parties: Vec<Contributor> = means.iter().map(|mean| party(weight, *mean, 0.5)).collect();
            for (party, leaning) in parties.iter().zip(assign_credit(&parties, is_good, FAIR)) {
                let after = party.posterior.with_message(leaning);
                let side = if is_good { 1.0 } else { -1.0 };
                prop_assert!((after.mean - party.posterior.mean) * side >= -1e-5);
                prop_assert!(after.variance <= party.posterior.variance + 1e-5);
                prop_assert_eq!(leaning - leaning, GaussianMessage::default());
            }
        }
    }
}
