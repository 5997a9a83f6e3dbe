//! Estimates what showing lessons changes in numbers, from what chance left with and without them.
//!
//! Shares are compared by [`Trial`](hardwon_core::lesson::Trial). Nothing here draws lots, or decides what a lesson is worth.

use std::ops::Add;

use hardwon_core::lesson::EffectEstimate;

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
    pub(super) fn from_number(chance: f64, is_control: bool, number: f64) -> Self {
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

    /// Returns the difference that showing the lesson makes, with a 95 % interval; `None` with too few numbers.
    pub fn estimate_effect(&self) -> Option<EffectEstimate> {
        let (shown, shown_variance, many) = self.shown.describe()?;
        let (held, held_variance, few) = self.control.describe()?;
        // Arms in which every number is the same are not known without error.
        let variance = |of: f64| of.max(0.25);
        let error = variance(shown_variance) / many + variance(held_variance) / few;
        let (difference, margin) = (shown - held, SHOWN_DEVIATIONS * error.sqrt());
        Some(EffectEstimate {
            difference,
            low: difference - margin,
            high: difference + margin,
        })
    }
}

impl Add for MeanTrial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            shown: self.shown + other.shown,
            control: self.control + other.control,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_until_past_are_compared() {
        let occasion = |is_control: bool, calls: u32| {
            MeanTrial::from_number(0.5, is_control, f64::from(calls))
        };
        let sum = (0..40_u32).fold(MeanTrial::default(), |sum, at| {
            sum + occasion(at % 2 == 0, if at % 2 == 0 { 4 + at % 3 } else { at % 2 })
        });
        let effect = sum.estimate_effect().unwrap();
        assert!(effect.high < 0.0 && effect.difference < -3.0, "{effect:?}");
        assert_eq!(occasion(true, 3).estimate_effect(), None);
    }
}
