//! Holds a lesson back by chance, which tells what showing it changes.
//!
//! Each lesson that a recall would show is drawn for by itself, from numbers that the caller brings; a [`Trial`] keeps what
//! came of it. Whether a lesson may be drawn for at all (a placed one is not) and that it is drawn for once in a context is
//! the caller's affair.

use crate::lesson::Trial;

/// How many recalls show a lesson before any withholds it: whoever just taught it expects to see it.
const SHOWN_BEFORE_HOLDOUT: u64 = 5;
/// The share of contexts that go without a lesson while little is known of its effect.
const HOLDOUT_SHARE_UNCERTAIN: f64 = 0.5;
/// The share once its effect is known.
const HOLDOUT_SHARE_KNOWN: f64 = 0.05;
/// Little is known while the 95 % interval reaches further than this to either side, and enough once it reaches no further
/// than the second; between them the share falls.
const WIDE_MARGIN: f64 = 0.25;
const NARROW_MARGIN: f64 = 0.1;
/// The share of withheld lessons that are only deferred, where the run may have a later moment. Those shown later are no
/// controls, so there are few.
const DEFERRED_SHARE: f64 = 0.2;
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

/// What chance decided for a lesson.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HoldoutSample {
    /// Whether it is not shown now.
    pub is_withheld: bool,
    /// Whether it is only deferred to a later moment.
    pub is_deferred: bool,
    /// The probabilities of not being shown.
    pub chances: HoldoutChances,
}

/// Decides whether a lesson that is to be shown is withheld. If later moments of the run may show what this one does not,
/// some of the withheld are only deferred.
pub fn sample_holdout(candidate: &TrialCandidate, may_come_later: bool) -> HoldoutSample {
    let share = holdout_share(&candidate.trial, candidate.shown_count);
    let left = if may_come_later { DEFERRED_SHARE } else { 0.0 };
    let is_withheld = candidate.holdout_draw < share;
    HoldoutSample {
        is_withheld,
        is_deferred: is_withheld && candidate.deferral_draw < left,
        chances: HoldoutChances {
            holdout: to_single_precision(share * (1.0 - left)),
            deferral: to_single_precision(share * left),
        },
    }
}

/// Rounds a probability to the precision that is stored.
#[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 1")]
fn to_single_precision(chance: f64) -> f32 {
    chance as f32
}

/// Returns how often a lesson with this record is to be held back.
fn holdout_share(trial: &Trial, shown: u64) -> f64 {
    if shown < SHOWN_BEFORE_HOLDOUT {
        return 0.0;
    }
    let Some(effect) = trial.estimate_effect() else {
        return HOLDOUT_SHARE_UNCERTAIN;
    };
    let sure = trial.estimate_effect_within(KNOWN_DEVIATIONS);
    if sure.is_some_and(|sure| sure.excludes_zero()) {
        return HOLDOUT_SHARE_KNOWN;
    }
    let margin = (effect.high - effect.low) / 2.0;
    let wide = ((margin - NARROW_MARGIN) / (WIDE_MARGIN - NARROW_MARGIN)).clamp(0.0, 1.0);
    HOLDOUT_SHARE_KNOWN + wide * (HOLDOUT_SHARE_UNCERTAIN - HOLDOUT_SHARE_KNOWN)
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
    fn a_half_is_held_back_while_little_is_known() {
        for (shown, trial, expected) in [
            (0, Trial::default(), 0.0),
            (4, Trial::default(), 0.0),
            (5, Trial::default(), 0.5),
            (99, trial((12, 20), (8, 20), 0.5), 0.5),
            (99, trial((65, 125), (62, 125), 0.5), 0.11),
            (99, trial((300, 600), (300, 600), 0.5), 0.05),
            (99, trial((45, 50), (1, 20), 0.5), 0.05),
            (99, trial((1, 50), (19, 20), 0.5), 0.05),
        ] {
            let share = holdout_share(&trial, shown);
            assert!((share - expected).abs() < 0.01, "{share} {shown} {trial:?}");
        }
    }

    #[test]
    fn some_of_those_held_back_are_left_to_a_later_moment() {
        for (draws, may_come_later, expected) in [
            ((0.0, 0.1), true, (true, true, 0.4, 0.1)),
            ((0.0, 0.3), true, (true, false, 0.4, 0.1)),
            ((0.0, 0.1), false, (true, false, 0.5, 0.0)),
            ((0.6, 0.1), true, (false, false, 0.4, 0.1)),
        ] {
            let candidate = TrialCandidate {
                shown_count: 30,
                trial: Trial::default(),
                holdout_draw: draws.0,
                deferral_draw: draws.1,
            };
            let drawn = sample_holdout(&candidate, may_come_later);
            let HoldoutChances { holdout, deferral } = drawn.chances;
            let got = (drawn.is_withheld, drawn.is_deferred, holdout, deferral);
            assert_eq!(got, expected, "{draws:?}");
        }
    }
}
