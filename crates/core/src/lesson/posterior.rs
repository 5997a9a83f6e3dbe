//! What is believed of a lesson's effect.
//!
//! An effect is a number on the probit scale: 0 does nothing, 1 turns a task that goes well every
//! second time into one that goes well five times in six. A [`Posterior`] is a normal distribution
//! over it: what the word of its author is worth before anything was seen ([`Posterior::prior`]), and
//! what outcomes have added since, its [`GaussianMessage`]. How an outcome is divided among beliefs is
//! for [`credit`](crate::credit); `docs/design/credit.md` has the formulas.

use std::{f64::consts::SQRT_2, ops::Neg};

use super::{sums::sum_fields, trust::Trust};

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
    /// Returns what seeing an effect adds, as precisely as it was seen.
    pub(crate) fn from_observation(effect: f64, precision: f64) -> Self {
        Self {
            precision: round_to_i64(precision * UNIT),
            shift: round_to_i64(precision * effect * UNIT),
        }
    }

    /// Returns what brings one belief to another.
    pub(crate) fn from_posteriors(before: Posterior, after: Posterior) -> Self {
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
pub(crate) fn round_to_i64(value: f64) -> i64 {
    value.round().clamp(-1e15, 1e15) as i64
}

sum_fields!(GaussianMessage { precision, shift });

impl Neg for GaussianMessage {
    type Output = Self;

    fn neg(self) -> Self {
        Self::default() - self
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
    pub fn prior(trust: Trust) -> Self {
        Self {
            mean: if trust.tainted {
                PRIOR_MEAN_TAINTED
            } else {
                PRIOR_MEAN
            },
            variance: PRIOR_VARIANCE,
        }
    }

    /// Returns the posterior of a lesson with this trust, given the evidence of outcomes.
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
    pub fn probability_below(self, bound: f64) -> f64 {
        normal_cdf((bound - self.mean) / self.variance.sqrt())
    }

    /// Returns the probability that a task succeeds with the lesson, if it succeeds every second time without.
    pub fn utility(self) -> f64 {
        normal_cdf(self.mean / (1.0 + self.variance).sqrt())
    }

    /// Returns that probability for the mean minus and plus `deviations` standard deviations.
    pub fn utility_interval(self, deviations: f64) -> (f64, f64) {
        let margin = deviations * self.variance.sqrt();
        (
            normal_cdf(self.mean - margin),
            normal_cdf(self.mean + margin),
        )
    }
}

/// The standard normal distribution function, off by less than 1.2e-7 of itself everywhere.
///
/// By way of the complementary error function in the Chebyshev form of Numerical Recipes
/// (section 6.2).
pub(crate) fn normal_cdf(x: f64) -> f64 {
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
    use super::*;

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
}
