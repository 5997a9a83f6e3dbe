//! Holds a lesson back by chance, which tells what showing it changes.
//!
//! A recall that would show lessons may hold one of them back. [`sample_holdout`] makes the choice from
//! numbers that the caller brings; a [`Trial`] keeps what came of it.

use crate::lesson::{EffectEstimate, Trial};

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
        .map(|it| holdout_share(&it.trial, it.shown_count))
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

/// Returns how often a lesson with this record is to be held back.
fn holdout_share(trial: &Trial, shown: u64) -> f64 {
    let is_known = |it: EffectEstimate| it.excludes_zero();
    if shown < SHOWN_BEFORE_HOLDOUT {
        0.0
    } else if trial
        .estimate_effect_within(KNOWN_DEVIATIONS)
        .is_some_and(is_known)
    {
        HOLDOUT_SHARE_KNOWN
    } else {
        HOLDOUT_SHARE_UNCERTAIN
    }
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
                (holdout_share(&trial, shown) - expected).abs() < 1e-9,
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
