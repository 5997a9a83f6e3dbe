//! Holding a lesson back by chance, and what that tells of its effect.
//!
//! A recall that would show lessons may hold one of them back. Who knows how likely that was can
//! compare how things went with and without the lesson, although nobody chose at random which
//! tasks it was recalled for. [`draw`] makes the choice from a number that the caller brings,
//! [`Trial`] keeps what came of it, [`Trial::effect`] is the difference with its interval.

use std::ops::{Add, Neg, Sub};

use super::belief::units;

/// Parts of one in which an arm is kept.
const UNIT: f64 = 1e6;
/// Recalls that show a lesson before any holds it back: a new lesson gets its chance first, and
/// from so few nothing could be told anyway.
const SHOWN_FIRST: u64 = 20;
/// How often a lesson is held back while its effect is uncertain.
const SHARE_UNCERTAIN: f64 = 0.2;
/// How often once it is known.
const SHARE_KNOWN: f64 = 0.05;
/// How many of those held back are only left to a later moment, where there may be one.
const SHARE_LEFT: f64 = 0.5;
/// How sure the interval must be to call an effect known, in standard deviations (99.9 %). Were
/// it as sure as the one that is shown, a lucky streak would end the trial that could correct it.
const KNOWN_DEVIATIONS: f64 = 3.290_527;
/// How sure the interval is that is shown, in standard deviations (95 %).
pub(super) const SHOWN_DEVIATIONS: f64 = 1.959_964;

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
    fn of(weight: f64, is_good: bool) -> Self {
        Self {
            weight: units(weight * UNIT),
            square: units(weight * weight * UNIT),
            good: if is_good { units(weight * UNIT) } else { 0 },
        }
    }

    /// Returns the share that went well, and how many outcomes of equal weight would tell as much;
    /// none if there are none.
    fn share(self) -> Option<(f64, f64)> {
        let (weight, square) = (self.weight as f64 / UNIT, self.square as f64 / UNIT);
        let is_some = self.weight > 0 && self.square > 0;
        let share = (self.good as f64 / UNIT / weight).clamp(0.0, 1.0);
        is_some.then(|| (share, weight * weight / square))
    }

    fn each(self, other: Self, of: impl Fn(i64, i64) -> i64) -> Self {
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
    pub held: Arm,
}

impl Add for Trial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            shown: self.shown.each(other.shown, i64::saturating_add),
            held: self.held.each(other.held, i64::saturating_add),
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
            shown: self.shown.each(other.shown, i64::saturating_sub),
            held: self.held.each(other.held, i64::saturating_sub),
        }
    }
}

/// A difference of shares, and the interval it lies in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The share that went well with the lesson, less the share without.
    pub difference: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Effect {
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
    pub fn of(chance: f64, was_held: bool, is_good: bool) -> Self {
        let mut trial = Self::default();
        if chance > 0.0 && chance < 1.0 {
            if was_held {
                trial.held = Arm::of(1.0 - chance, is_good);
            } else {
                trial.shown = Arm::of(chance, is_good);
            }
        }
        trial
    }

    /// Returns what showing the lesson changed, with a 95 % interval; none until both were seen.
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        self.effect_within(SHOWN_DEVIATIONS)
    }

    /// The difference of two shares with Newcombe's hybrid score interval, which keeps its word
    /// where the simple one fails: few outcomes, or shares near 0 and 1.
    fn effect_within(&self, deviations: f64) -> Option<Effect> {
        let (shown, many) = self.shown.share()?;
        let (held, few) = self.held.share()?;
        let (shown_low, shown_high) = wilson(shown, many, deviations);
        let (held_low, held_high) = wilson(held, few, deviations);
        let difference = shown - held;
        Some(Effect {
            difference,
            low: difference - (shown - shown_low).hypot(held_high - held),
            high: difference + (shown_high - shown).hypot(held - held_low),
        })
    }

    /// Returns how often a lesson with this record is to be held back.
    fn share(&self, shown: u64) -> f64 {
        let is_known = |it: Effect| it.excludes_zero();
        if shown < SHOWN_FIRST {
            0.0
        } else if self.effect_within(KNOWN_DEVIATIONS).is_some_and(is_known) {
            SHARE_KNOWN
        } else {
            SHARE_UNCERTAIN
        }
    }
}

/// Wilson's interval for a share of so many outcomes.
fn wilson(share: f64, count: f64, deviations: f64) -> (f64, f64) {
    let square = deviations * deviations;
    let scale = 1.0 + square / count;
    let middle = (share + square / (2.0 * count)) / scale;
    let spread = share * (1.0 - share) / count + square / (4.0 * count * count);
    let margin = deviations / scale * spread.sqrt();
    ((middle - margin).max(0.0), (middle + margin).min(1.0))
}

/// A lesson that is to be shown, and what chance had in mind for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// How often it was shown so far.
    pub shown: u64,
    /// What came of earlier trials.
    pub trial: Trial,
    /// A number drawn evenly from 0 to 1.
    pub lot: f64,
    /// Another one: which way it is held back.
    pub way: f64,
}

/// How likely a lesson is not to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Chances {
    /// To be held back from the whole run.
    pub held: f32,
    /// To be left to a later moment of it.
    pub later: f32,
}

/// Which lesson to hold back, and how likely each one was to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The place of the lesson to hold back; usually none.
    pub held: Option<usize>,
    /// Whether that one is only left to a later moment.
    pub is_left: bool,
    /// How likely each was not to be shown, in order.
    pub chances: Vec<Chances>,
}

/// Decides which of the lessons to be shown is held back: at most one.
///
/// Where several are to be shown, they share the risk, those of uncertain effect the most of it. Where
/// later moments of the run may show what this one does not, half of those held back are left to them.
#[must_use]
pub fn draw(candidates: &[Candidate], may_come_later: bool) -> Drawn {
    let shares: Vec<f64> = candidates
        .iter()
        .map(|it| it.trial.share(it.shown))
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
    // Of those whose lot falls below their risk, the one it falls deepest for.
    let depth = |place: &usize| candidates[*place].lot / risks[*place];
    let struck = (0..candidates.len()).filter(|place| candidates[*place].lot < risks[*place]);
    let held = struck.min_by(|a, b| depth(a).total_cmp(&depth(b)));
    let chance = |place: usize| {
        let others = risks
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place);
        // Struck as well, another one is deeper every second time.
        others.fold(risks[place], |chance, (_, risk)| {
            chance * (1.0 - risk / 2.0)
        })
    };
    let left = if may_come_later { SHARE_LEFT } else { 0.0 };
    let ways = |chance: f64| Chances {
        held: single(chance * (1.0 - left)),
        later: single(chance * left),
    };
    Drawn {
        held,
        is_left: held.is_some_and(|place| candidates[place].way < left),
        chances: (0..candidates.len()).map(|it| ways(chance(it))).collect(),
    }
}

/// A chance in the precision that is kept.
#[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 1")]
fn single(chance: f64) -> f32 {
    chance as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(shown: (u32, u32), held: (u32, u32), chance: f64) -> Trial {
        let many = |(good, of): (u32, u32), was_held: bool| {
            (0..of).fold(Trial::default(), |sum, it| {
                sum + Trial::of(chance, was_held, it < good)
            })
        };
        many(shown, false) + many(held, true)
    }

    /// Effect and interval in whole points.
    fn check(shown: (u32, u32), held: (u32, u32), expected: Option<(i64, i64, i64)>) {
        let points = |it: f64| units(it * 100.0);
        let effect = trial(shown, held, 0.2).effect();
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
        let effect = (early + late).effect().expect("both arms have outcomes");
        assert!(effect.difference.abs() < 1e-6, "{effect:?}");
    }

    #[test]
    fn shares() {
        for (shown, trial, expected) in [
            (0, Trial::default(), 0.0),
            (SHOWN_FIRST - 1, Trial::default(), 0.0),
            (SHOWN_FIRST, Trial::default(), SHARE_UNCERTAIN),
            (99, trial((40, 50), (5, 10), 0.2), SHARE_UNCERTAIN),
            (99, trial((45, 50), (1, 20), 0.2), SHARE_KNOWN),
            (99, trial((1, 50), (19, 20), 0.2), SHARE_KNOWN),
        ] {
            assert!(
                (trial.share(shown) - expected).abs() < 1e-9,
                "{shown} {trial:?}"
            );
        }
    }

    /// What is held back agrees with the chances that are told.
    #[test]
    fn chances_are_what_they_are_said_to_be() {
        let lots = |step: u32| f64::from(step) / 400.0 + 0.5 / 400.0;
        let mut held = [0_u32; 2];
        let mut chances = Vec::new();
        for a in 0..400 {
            for b in 0..400 {
                let candidate = |lot: f64, trial: Trial| Candidate {
                    shown: 50,
                    trial,
                    lot,
                    way: 0.0,
                };
                let known = trial((45, 50), (1, 20), 0.2);
                let candidates = [
                    candidate(lots(a), Trial::default()),
                    candidate(lots(b), known),
                ];
                let drawn = draw(&candidates, false);
                chances = drawn.chances;
                if let Some(place) = drawn.held {
                    held[place] += 1;
                }
            }
        }
        for (held, chance) in held.iter().zip(chances) {
            let share = f64::from(*held) / 160_000.0;
            assert!(
                (share - f64::from(chance.held)).abs() < 0.002 && chance.later == 0.0,
                "{share} {chance:?}"
            );
        }
    }

    #[test]
    fn nobody_new_is_held_back() {
        let candidate = |shown, lot| Candidate {
            shown,
            trial: Trial::default(),
            lot,
            way: 0.0,
        };
        for (candidates, expected) in [
            (vec![], None),
            (vec![candidate(3, 0.0)], None),
            (vec![candidate(30, 0.19)], Some(0)),
            (vec![candidate(30, 0.21)], None),
            (vec![candidate(3, 0.0), candidate(30, 0.1)], Some(1)),
            (vec![candidate(30, 0.09), candidate(30, 0.02)], Some(1)),
        ] {
            assert_eq!(draw(&candidates, false).held, expected, "{candidates:?}");
        }
    }

    #[test]
    fn half_of_those_held_back_are_left_to_a_later_moment() {
        for (way, may_come_later, expected) in [
            (0.4, true, (true, 0.1, 0.1)),
            (0.6, true, (false, 0.1, 0.1)),
            (0.4, false, (false, 0.2, 0.0)),
        ] {
            let candidate = Candidate {
                shown: 30,
                trial: Trial::default(),
                lot: 0.0,
                way,
            };
            let drawn = draw(&[candidate], may_come_later);
            let chances = drawn.chances[0];
            assert_eq!((drawn.is_left, chances.held, chances.later), expected);
        }
    }
}
