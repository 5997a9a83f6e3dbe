//! Holds a lesson back by chance, which tells what showing it changes.
//!
//! Each lesson that a recall would show is drawn for by itself; a [`Trial`] keeps what came of it. Drawing the lots is the
//! caller's affair, and so is whether a lesson may be drawn for at all (a placed one is not), and that it is drawn for once in a context.

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
/// The confidence at which an effect counts as known, in standard deviations (99.9 %). At the 95 % that is shown, a
/// lucky streak would end the trial that could correct it.
const KNOWN_DEVIATIONS: f64 = 3.290_527;

/// Returns how often a lesson is to be held back, as a share from 0 to 1: by the results of earlier trials, and by how
/// often it was shown so far.
pub fn holdout_share(trial: &Trial, shown: u64) -> f64 {
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
}
