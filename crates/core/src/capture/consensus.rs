//! Whether runs agree on what to do about a failure.
//!
//! One run shows only what it did next. A remedy is believed when at least two runs that met a failure
//! went on with the same, and did so far more often than runs do after other troubles: what follows
//! every failure (`git status`, reading a file) mends none. The test is a binomial one, with the share
//! of runs in which the remedy followed anything at all as what chance would do.

use super::Fix;
use crate::{lesson::FailureKey, trace::failure};

/// How many runs must agree at least.
const AGREEING_RUNS_MIN: usize = 2;
/// How likely chance may be to do as much.
const CHANCE_MAX: f64 = 0.1;

/// Under what each count of runs is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsensusKeys {
    /// Runs that went on from this failure with this remedy.
    pub pair: FailureKey,
    /// Runs that went on from this failure in any way.
    pub failure: FailureKey,
    /// Runs that went on from any failure with this remedy.
    pub remedy: FailureKey,
    /// Runs that went on from any failure in any way.
    pub any: FailureKey,
}

impl ConsensusKeys {
    /// Returns under what a candidate counts.
    #[must_use]
    pub fn from_fix(candidate: &Fix) -> Self {
        let failure = candidate.failure.key.as_str();
        Self {
            pair: pair_key(candidate),
            failure: failure::hash_key_parts(&["met", failure]),
            remedy: failure::hash_key_parts(&["followed", &remedy_name(candidate)]),
            any: failure::hash_key_parts(&["met", "any"]),
        }
    }
}

/// Returns what a failure together with what was done about it is recognised by.
pub(super) fn pair_key(fix: &Fix) -> FailureKey {
    failure::hash_key_parts(&["then", fix.failure.key.as_str(), &remedy_name(fix)])
}

/// What was done otherwise, as one text: two runs that did the same have the same.
fn remedy_name(fix: &Fix) -> String {
    format!("{:?}", fix.difference)
}

/// Numbers of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreement {
    /// Those that went on from the failure with the remedy.
    pub pair: usize,
    /// Those that went on from the failure in any way.
    pub failure: usize,
    /// Those that went on from any failure with the remedy.
    pub remedy: usize,
    /// Those that went on from any failure in any way.
    pub any: usize,
}

impl Agreement {
    /// Returns whether enough runs agree for a lesson.
    #[must_use]
    pub fn is_enough(self) -> bool {
        let Self {
            pair,
            failure,
            remedy,
            any,
        } = self;
        let elsewhere = any.saturating_sub(failure);
        let by_chance = remedy.saturating_sub(pair);
        let chance = (by_chance as f64 + 0.5) / (elsewhere as f64 + 2.0);
        let is_common = 2 * pair >= failure;
        pair >= AGREEING_RUNS_MIN
            && is_common
            && binomial_tail(failure.max(pair), pair, chance) <= CHANCE_MAX
    }
}

/// Returns how likely at least `hits` of `tries` are, if each has this chance.
fn binomial_tail(tries: usize, hits: usize, chance: f64) -> f64 {
    if chance >= 1.0 {
        return 1.0;
    }
    let chance = chance.max(0.0);
    let mut term = (1.0 - chance).powi(i32::try_from(tries).unwrap_or(i32::MAX));
    let mut below = 0.0;
    for hit in 0..hits {
        below += term;
        let (hit, tries) = (hit as f64, tries as f64);
        term *= (tries - hit) / (hit + 1.0) * chance / (1.0 - chance);
    }
    (1.0 - below).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_agree_or_it_may_be_chance() {
        for (pair, failure, remedy, any, expected) in [
            // One run is no agreement, however often others met it.
            (1, 1, 1, 40, false),
            // Two of two, and nobody else did it: enough once a few runs met other troubles.
            (2, 2, 2, 2, true),
            (2, 2, 2, 10, true),
            (2, 3, 2, 20, true),
            // It follows every other trouble too.
            (2, 2, 12, 20, false),
            (5, 5, 18, 20, false),
            // Most who met it did something else.
            (2, 9, 2, 40, false),
            (31, 43, 31, 64, true),
        ] {
            let agreement = Agreement {
                pair,
                failure,
                remedy,
                any,
            };
            assert_eq!(agreement.is_enough(), expected, "{agreement:?}");
        }
    }

    #[test]
    fn chances_add_up() {
        assert!((binomial_tail(3, 0, 0.3) - 1.0).abs() < 1e-9);
        assert!((binomial_tail(2, 2, 0.5) - 0.25).abs() < 1e-9);
        assert!((binomial_tail(4, 1, 0.5) - 0.9375).abs() < 1e-9);
        assert!(binomial_tail(5, 3, 1.0) <= 1.0);
    }
}
