//! What is believed of a lesson's effect.
//!
//! An effect is a number on the probit scale: 0 does nothing, 1 turns a task that goes well every
//! second time into one that goes well five times in six. A [`Posterior`] is a normal distribution
//! over it: what the word of its author is worth before anything was seen ([`Posterior::prior`]), and
//! what outcomes have added since, its [`GaussianMessage`]. How an outcome is divided among beliefs is
//! for [`credit`](crate::credit); `docs/design/credit.md` has the formulas.

use std::{
    f64::consts::SQRT_2,
    ops::{Add, Neg, Sub},
};

use super::trust::Trust;

/// Parts of one in which a leaning is kept.
const UNIT: f64 = 1e6;
/// The effect that a lesson is taken to have before anything was seen: most do help.
const PRIOR_MEAN: f64 = 0.5;
/// The same for one that content from outside had a part in, even if a person let it in.
const PRIOR_MEAN_TAINTED: f64 = -0.5;
/// How far lessons differ from that, as a variance.
const PRIOR_VARIANCE: f64 = 0.5;
/// The least precision that a belief keeps, whatever is taken back from it.
const PRECISION_MIN: f64 = 1e-3;

/// What outcomes added to a belief: precision, and precision times mean.
///
/// Kept as whole millionths, so that what was added can be taken back and leaves nothing behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GaussianMessage {
    /// How much more precise a belief got.
    pub precision: i64,
    /// How far it was drawn, and to which side.
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

/// Returns the nearest whole number. What outcomes add is far below the largest.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is rounded and clamped"
)]
pub(crate) fn round_to_i64(value: f64) -> i64 {
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
    /// Its middle.
    pub mean: f64,
    /// How far it may be off.
    pub variance: f64,
}

impl Posterior {
    /// Returns what is believed of a lesson before anything was seen.
    #[must_use]
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

    /// Returns what is believed of a lesson that outcomes have spoken about.
    #[must_use]
    pub fn from_trust(trust: Trust, leaning: GaussianMessage) -> Self {
        Self::prior(trust).with_message(leaning)
    }

    /// Returns the belief after something was added to it.
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

    /// Returns how likely the effect is below a bound.
    #[must_use]
    pub fn probability_below(self, bound: f64) -> f64 {
        normal_cdf((bound - self.mean) / self.variance.sqrt())
    }

    /// Returns how likely a task goes well with it that goes well every second time without.
    #[must_use]
    pub fn utility(self) -> f64 {
        normal_cdf(self.mean / (1.0 + self.variance).sqrt())
    }

    /// Returns the same with a margin of `deviations` on either side.
    #[must_use]
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
