//! How things went with a lesson and without it, where chance decided which.
//!
//! Who knows how likely it was that a lesson was held back can compare how things went with and
//! without it, although nobody chose at random which tasks it was recalled for. [`Trial`] keeps what
//! came of it, [`Trial::estimate_effect`] is the difference with its interval. Whom chance holds back is
//! for [`credit`](crate::credit).

use super::{posterior::round_to_i64, sums::sum_fields};

/// The unit of stored sums: millionths.
const UNIT: f64 = 1e6;
/// How sure the interval is that is shown, in standard deviations (95 %).
const SHOWN_DEVIATIONS: f64 = 1.959_964;
/// The difference of success rates that a comparison should be able to show.
const WANTED_DIFFERENCE: f64 = 0.2;
/// With fewer outcomes than this in either arm nothing is said, whatever the interval is.
const MIN_OUTCOMES: f64 = 10.0;

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

    /// Returns the share of bad outcomes, as they are weighted; `None` without outcomes.
    pub fn failure_share(self) -> Option<f64> {
        Some(1.0 - self.success_share()?.0)
    }

    /// Returns the share of good outcomes and the effective number of outcomes; `None` without outcomes.
    fn success_share(self) -> Option<(f64, f64)> {
        let (weight, square) = (self.weight as f64 / UNIT, self.square as f64 / UNIT);
        let is_some = self.weight > 0 && self.square > 0;
        let share = (self.good as f64 / UNIT / weight).clamp(0.0, 1.0);
        is_some.then(|| (share, weight * weight / square))
    }
}

sum_fields!(Arm {
    weight,
    square,
    good
});

/// A randomised comparison of results with a lesson and without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    /// Outcomes with the lesson shown.
    pub shown: Arm,
    /// Outcomes with the lesson withheld.
    pub control: Arm,
}

sum_fields!(Trial { shown, control });

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
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// What a trial tells so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialVerdict {
    /// There are too few outcomes to tell.
    TooEarly,
    /// Things go better with it.
    Helps,
    /// Things go worse with it.
    Harms,
    /// If there is a difference, it is small.
    NoneSeen,
}

impl Trial {
    /// Says what the trial tells so far. An early interval without zero in it is no verdict: with few outcomes, chance
    /// makes one now and then, and whoever looks often enough sees it.
    pub fn judge_effect(&self) -> TrialVerdict {
        let count = |arm: Arm| arm.success_share().map_or(0.0, |(_, count)| count);
        let (shown, controls) = (count(self.shown), count(self.control));
        let threshold = controls_needed(shown, controls);
        match self.estimate_effect() {
            Some(effect) if shown.min(controls) >= MIN_OUTCOMES && effect.excludes_zero() => {
                if effect.difference > 0.0 {
                    TrialVerdict::Helps
                } else {
                    TrialVerdict::Harms
                }
            }
            Some(_) if controls >= threshold => TrialVerdict::NoneSeen,
            _ => TrialVerdict::TooEarly,
        }
    }

    /// Creates a trial with one outcome. `chance` is the probability of withholding the lesson; the trial is empty if
    /// nothing was left to chance.
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

    /// Returns the shares of outcomes that were bad with the lesson and without it, each outcome weighted by the probability
    /// of the other arm; `None` until both arms have outcomes.
    pub fn failure_shares(&self) -> Option<(f64, f64)> {
        Some((self.shown.failure_share()?, self.control.failure_share()?))
    }

    /// Returns the effect of showing the lesson, with a 95 % interval; `None` until both arms have outcomes.
    pub fn estimate_effect(&self) -> Option<EffectEstimate> {
        self.estimate_effect_within(SHOWN_DEVIATIONS)
    }

    /// The difference of two shares with Newcombe's hybrid score interval, which keeps its word
    /// where the simple one fails: few outcomes, or shares near 0 and 1.
    pub(crate) fn estimate_effect_within(&self, deviations: f64) -> Option<EffectEstimate> {
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
}

/// Returns how many outcomes without the lesson it takes to tell the wanted difference from none, when half of all go
/// well and the arms go on growing as they did; as one another, as long as either is empty.
fn controls_needed(shown: f64, controls: f64) -> f64 {
    let ratio = if shown > 0.0 && controls > 0.0 {
        controls / shown
    } else {
        1.0
    };
    (SHOWN_DEVIATIONS / WANTED_DIFFERENCE).powi(2) * 0.25 * (1.0 + ratio)
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
    fn what_a_trial_tells() {
        let check = |shown, held, expected| {
            assert_eq!(
                trial(shown, held, 0.2).judge_effect(),
                expected,
                "{shown:?} {held:?}"
            );
        };
        let early = TrialVerdict::TooEarly;
        check((0, 0), (0, 0), early);
        check((40, 80), (0, 0), early);
        check((8, 16), (2, 4), early);
        // The interval leaves zero out, but three outcomes are no ground to stand on.
        check((90, 90), (0, 3), early);
        check((224, 320), (40, 80), TrialVerdict::Helps);
        check((100, 320), (40, 80), TrialVerdict::Harms);
        check((160, 320), (40, 80), TrialVerdict::NoneSeen);
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
}
