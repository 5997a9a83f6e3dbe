//! How things went with a lesson and without it, where chance decided which.
//!
//! Who knows how likely it was that a lesson was held back can compare how things went with and
//! without it, although nobody chose at random which tasks it was recalled for. [`Trial`] keeps what
//! came of it, [`Trial::estimate_effect`] is the difference with its interval. Whom chance holds back is
//! for [`credit`](crate::credit).

use std::ops::{Add, Sub};

use super::posterior::round_to_i64;

/// Parts of one in which an arm is kept.
const UNIT: f64 = 1e6;
/// How sure the interval is that is shown, in standard deviations (95 %).
const SHOWN_DEVIATIONS: f64 = 1.959_964;

/// Outcomes of one kind, each weighed by how likely it was to be of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arm {
    /// The sum of weights, in millionths.
    pub weight: i64,
    /// The sum of their squares, in millionths.
    pub square: i64,
    /// The sum of those that went well, in millionths.
    pub good: i64,
}

impl Arm {
    /// One outcome of this weight.
    ///
    /// Weighed by the chance of the other kind, both kinds stand for the same recalls however the
    /// chance changes, and no single outcome ever weighs much: what is called overlap weights.
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

    /// Returns the share that went well, and how many outcomes of equal weight would tell as much;
    /// none if there are none.
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

/// How things went with a lesson and without it, where chance decided which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    /// When it was shown.
    pub shown: Arm,
    /// When it was held back.
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

/// A difference of shares, and the interval it lies in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectEstimate {
    /// The share that went well with the lesson, less the share without.
    pub difference: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl EffectEstimate {
    /// Returns whether the interval leaves out that there is no difference.
    #[must_use]
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

impl Trial {
    /// One outcome of a recall in which a lesson had this chance to be held back; nothing where
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

    /// Returns what showing the lesson changed, with a 95 % interval; none until both were seen.
    #[must_use]
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

/// Wilson's interval for a share of so many outcomes.
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

    /// Effect and interval in whole points.
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
        // Early on half of all goes well and a fifth is held back, later nine in ten and a
        // twentieth: with the same share of good ones in both arms there is nothing to see.
        let early = trial((40, 80), (10, 20), 0.2);
        let late = trial((171, 190), (9, 10), 0.05);
        let effect = (early + late)
            .estimate_effect()
            .expect("both arms have outcomes");
        assert!(effect.difference.abs() < 1e-6, "{effect:?}");
    }
}
