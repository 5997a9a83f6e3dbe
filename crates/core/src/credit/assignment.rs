//! Divides one outcome among all that had a part in it, by assumed-density filtering.
//!
//! `docs/design/credit.md` has the formulas.

use std::f64::consts::PI;

use crate::{GaussianMessage, Posterior, lesson::normal_cdf};

/// A lesson or baseline that had a part in an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contributor {
    /// How large its part was, 0 to 1.
    pub(super) weight: f64,
    /// Its posterior before the outcome.
    pub(super) posterior: Posterior,
}

/// How unreliable an outcome is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// The variance of all other influences on the outcome.
    pub(super) variance: f64,
    /// The probability that the outcome is reported the wrong way round.
    pub(super) flip_chance: f64,
}

fn total_effect(parties: &[Contributor], noise: Noise) -> (f64, f64) {
    let mean = parties
        .iter()
        .map(|party| party.weight * party.posterior.mean)
        .sum();
    let square = |it: &Contributor| it.weight * it.weight * it.posterior.variance;
    let variance = parties.iter().map(square).sum::<f64>() + noise.variance;
    (mean, variance)
}

/// Divides one outcome among all its contributors: returns the message for each posterior, in order.
///
/// An expected outcome changes little. A surprise changes those most about whom least was known, so that one outcome
/// is never blamed in full on several at once.
pub(super) fn assign_credit(
    parties: &[Contributor],
    is_good: bool,
    noise: Noise,
) -> Vec<GaussianMessage> {
    let (mean, variance) = total_effect(parties, noise);
    let deviation = variance.sqrt();
    let side = if is_good { 1.0 } else { -1.0 };
    let surprise = side * mean / deviation;
    let likelihood = noise.flip_chance + (1.0 - 2.0 * noise.flip_chance) * normal_cdf(surprise);
    let density = (-surprise * surprise / 2.0).exp() / (2.0 * PI).sqrt();
    let pull = (1.0 - 2.0 * noise.flip_chance) * density / likelihood.max(1e-12);
    let narrowing = (pull * (pull + surprise)).clamp(0.0, 1.0);
    let message_to = |party: &Contributor| {
        let Posterior {
            mean,
            variance: own,
        } = party.posterior;
        let after = Posterior {
            mean: mean + side * party.weight * own / deviation * pull,
            variance: own * (1.0 - party.weight * party.weight * own / variance * narrowing),
        };
        GaussianMessage::from_posteriors(party.posterior, after)
    };
    parties.iter().map(message_to).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lesson::round_to_i64;

    const FAIR: Noise = Noise {
        variance: 1.0,
        flip_chance: 0.05,
    };

    fn party(weight: f64, mean: f64, variance: f64) -> Contributor {
        let belief = Posterior { mean, variance };
        Contributor {
            weight,
            posterior: belief,
        }
    }

    /// Checks the means after one outcome, in hundredths.
    fn check(parties: &[Contributor], is_good: bool, expected: &[i64]) {
        let leanings = assign_credit(parties, is_good, FAIR);
        let after = parties.iter().zip(leanings);
        let means: Vec<i64> = after
            .map(|(party, leaning)| {
                round_to_i64(party.posterior.with_message(leaning).mean * 100.0)
            })
            .collect();
        assert_eq!(means, expected, "{parties:?} {is_good}");
    }

    #[test]
    fn one_outcome_is_divided() {
        // Alone, it changes by the whole; two equals share it; of two, the less known changes more.
        check(&[party(1.0, 0.0, 0.5)], false, &[-29]);
        check(
            &[party(1.0, 0.0, 0.5), party(1.0, 0.0, 0.5)],
            false,
            &[-25, -25],
        );
        check(
            &[party(1.0, 0.0, 0.5), party(1.0, 0.0, 0.05)],
            false,
            &[-29, -3],
        );
        // A lesson that hardly matched the task had hardly a part in it.
        check(
            &[party(1.0, 0.0, 0.5), party(0.2, 0.0, 0.5)],
            false,
            &[-29, -6],
        );
        // Where such tasks fail anyway, a failure means little and a success much.
        check(
            &[party(1.0, -1.5, 0.01), party(1.0, 0.0, 0.5)],
            false,
            &[-150, -8],
        );
        check(
            &[party(1.0, -1.5, 0.01), party(1.0, 0.0, 0.5)],
            true,
            &[-149, 46],
        );
    }

    proptest! {
        #[test]
        fn an_outcome_can_be_taken_back(
            means in prop::collection::vec(-3.0..3.0_f64, 1..6),
            weight in 0.0..1.0_f64,
            is_good: bool,
        ) {
            let parties: Vec<Contributor> = means.iter().map(|mean| party(weight, *mean, 0.5)).collect();
            for (party, leaning) in parties.iter().zip(assign_credit(&parties, is_good, FAIR)) {
                let after = party.posterior.with_message(leaning);
                let side = if is_good { 1.0 } else { -1.0 };
                prop_assert!((after.mean - party.posterior.mean) * side >= -1e-5);
                prop_assert!(after.variance <= party.posterior.variance + 1e-5);
                prop_assert_eq!(leaning - leaning, GaussianMessage::default());
            }
        }
    }
}
