//! Estimates what showing lessons changes in numbers, from what chance left with and without them.
//!
//! Shares are compared by [`Trial`](hardwon_core::lesson::Trial). Nothing here draws lots, or decides what a lesson is worth.

use hardwon_core::EffectEstimate;

/// Standard deviations on either side of a 95 % interval.
const SHOWN_DEVIATIONS: f64 = 1.959_964;
/// The fewest outcomes of an arm of which a mean is told.
const MEAN_OUTCOMES_MIN: f64 = 10.0;

/// Numbers with a lesson and without it, where chance decided which: each with the probability of the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeanTrial {
    shown: Vec<(f64, f64)>,
    control: Vec<(f64, f64)>,
}

impl MeanTrial {
    /// Adds a number, unless nothing was left to chance; `chance` is the probability of leaving the lesson out.
    pub(super) fn add_number(&mut self, chance: f64, is_control: bool, number: f64) {
        if chance > 0.0 && chance < 1.0 {
            if is_control {
                self.control.push((1.0 - chance, number));
            } else {
                self.shown.push((chance, number));
            }
        }
    }

    /// Returns the difference that showing the lesson makes, with a 95 % interval; `None` until both arms have enough
    /// numbers.
    pub fn estimate_effect(&self) -> Option<EffectEstimate> {
        let (shown, shown_variance, many) = describe_arm(&self.shown)?;
        let (held, held_variance, few) = describe_arm(&self.control)?;
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

/// Returns the mean and the variance of weighted numbers, and how many they are worth; `None` if those are too few.
fn describe_arm(numbers: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    let sum = |of: fn(f64, f64) -> f64| {
        let parts = numbers.iter().map(|&(weight, number)| of(weight, number));
        parts.sum::<f64>()
    };
    let weight = sum(|weight, _| weight).max(f64::MIN_POSITIVE);
    let count = weight * weight / sum(|weight, _| weight * weight).max(f64::MIN_POSITIVE);
    let mean = sum(|weight, number| weight * number) / weight;
    let variance = sum(|weight, number| weight * number * number) / weight - mean * mean;
    (count >= MEAN_OUTCOMES_MIN).then(|| (mean, variance.max(0.0), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_until_past_are_compared() {
        let mut trial = MeanTrial::default();
        for at in 0..40_u32 {
            let is_control = at % 2 == 0;
            let calls = if is_control { 4 + at % 3 } else { at % 2 };
            trial.add_number(0.5, is_control, f64::from(calls));
        }
        let effect = trial.estimate_effect().unwrap();
        assert!(effect.high < 0.0 && effect.difference < -3.0, "{effect:?}");
        trial.shown.truncate(1);
        assert_eq!(trial.estimate_effect(), None);
    }
}
