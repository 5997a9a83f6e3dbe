//! How alike two lessons are in what they are about.
//!
//! A term counts by how rare it is among the lessons at hand and in general, so a form that all lessons are written in
//! counts for little and a name that two of them share for much. Two lessons may also belong together without sharing
//! a word: where both are mainly about the same two concerns, such as access and time. Whether they may be grouped at
//! all is for `conflict`.

use std::collections::BTreeMap;

use super::{
    lexicon::Lexicon,
    profile::{Profile, is_telling},
};
use crate::tokens::common_share;

/// Lessons that are imagined beside those at hand, so that a word of a few is not taken for a word of all.
const IMAGINED: f64 = 200.0;
/// How common a word is in general of which nothing else is known.
const UNKNOWN_SHARE: f64 = 0.004;
/// What a name counts beside a word.
const NAME_WEIGHT: f64 = 1.25;
/// How much two lessons must share until it is no chance; the square of the rarity of about two words.
const CHANCE: f64 = 25.0;
/// The least share of a lesson that a concern must have to be one of the two that it is about.
const CONCERN_SHARE: f64 = 0.08;
/// The least share that both concerns must have together.
const CONCERNS_SHARE: f64 = 0.4;
/// The least number of its terms that speak of them.
const CONCERN_TERMS: usize = 3;
/// The least similarity of what two lessons say of their concerns.
const CONCERN_COSINE: f64 = 0.4;
/// The similarity of two lessons that share two concerns: enough to be grouped, less than that of shared words.
pub(super) const SHARED_CONCERNS: f64 = 0.42;

/// The terms of one lesson with their weights, of length one.
#[derive(Debug, Clone)]
pub(super) struct WeightedTerms {
    pub(super) terms: Vec<(u32, f64)>,
    /// The length that it had before.
    length: f64,
    /// The share of the lesson that each concern has.
    concerns: BTreeMap<&'static str, f64>,
    /// How many of its terms speak of a concern.
    concerned: usize,
}

impl WeightedTerms {
    /// Returns whether the lesson is mainly about at least two concerns.
    pub(super) fn has_two_concerns(&self) -> bool {
        self.concerns
            .values()
            .filter(|share| **share >= CONCERN_SHARE)
            .count()
            > 1
    }
}

/// What is known of the terms of the lessons at hand.
#[derive(Debug)]
pub(super) struct TermStatistics {
    numbers: BTreeMap<String, u32>,
    rarity: Vec<f64>,
}

impl TermStatistics {
    /// Counts the terms of lessons; their order does not matter.
    pub(super) fn from_profiles(profiles: &[Profile]) -> Self {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for term in profiles.iter().flat_map(|it| &it.terms) {
            *counts.entry(term).or_default() += 1;
        }
        let total = profiles.len() as f64 + IMAGINED;
        let rarity = counts.iter().map(|(term, count)| {
            let share = f64::from(common_share(term)).max(UNKNOWN_SHARE);
            (total / (f64::from(*count) + share * IMAGINED))
                .ln()
                .max(0.0)
        });
        Self {
            rarity: rarity.collect(),
            numbers: (0..)
                .zip(counts.keys())
                .map(|(number, term)| ((*term).to_owned(), number))
                .collect(),
        }
    }

    /// Returns the rarity of a term; 0 for one that no lesson holds.
    pub(super) fn rarity_of(&self, term: &str) -> f64 {
        let number = self.numbers.get(term);
        number
            .and_then(|it| self.rarity.get(*it as usize))
            .copied()
            .unwrap_or(0.0)
    }

    /// Weighs the terms of a lesson.
    pub(super) fn weigh_terms(&self, profile: &Profile, lexicon: &Lexicon) -> WeightedTerms {
        let (mut terms, mut concerns, mut concerned) = (Vec::new(), BTreeMap::new(), 0);
        let (mut sum, mut told) = (0.0, 0.0);
        for term in &profile.terms {
            let Some(number) = self.numbers.get(term) else {
                continue;
            };
            let name = if profile.names.contains(term) {
                NAME_WEIGHT
            } else {
                1.0
            };
            let weight = self.rarity_of(term) * name;
            sum += weight * weight;
            terms.push((*number, weight));
            if is_telling(term) {
                told += 1.0;
                concerned += usize::from(lexicon.concerns_of(term).next().is_some());
                for concern in lexicon.concerns_of(term) {
                    *concerns.entry(concern).or_insert(0.0) += 1.0;
                }
            }
        }
        let length = f64::sqrt(sum).max(f64::MIN_POSITIVE);
        terms.iter_mut().for_each(|(_, weight)| *weight /= length);
        concerns
            .values_mut()
            .for_each(|it| *it /= f64::max(told, f64::MIN_POSITIVE));
        WeightedTerms {
            terms,
            length,
            concerns,
            concerned,
        }
    }
}

/// Returns how alike two lessons are, 0 to 1. `share` is what is left of the similarity of their words, where something
/// else tells them apart.
pub(super) fn compare(a: &WeightedTerms, b: &WeightedTerms, share: f64) -> f64 {
    let cosine = cosine(a, b);
    // Two short lessons that share one word are alike by chance.
    let shared = cosine * a.length * b.length;
    let words = share * cosine * shared / (shared + CHANCE);
    match share_concerns(a, b) {
        true => words.max(SHARED_CONCERNS),
        false => words,
    }
}

/// Returns the cosine of the terms of two lessons.
pub(super) fn cosine(a: &WeightedTerms, b: &WeightedTerms) -> f64 {
    let (mut sum, mut rest) = (0.0, b.terms.as_slice());
    for (number, weight) in &a.terms {
        let skipped = rest.partition_point(|(other, _)| other < number);
        rest = &rest[skipped..];
        if let Some((_, theirs)) = rest.first().filter(|(other, _)| other == number) {
            sum += weight * theirs;
        }
    }
    sum
}

/// Returns whether two lessons are mainly about the same two concerns, whatever else there is.
pub(super) fn is_same_concern(a: &Profile, b: &Profile, lexicon: &Lexicon) -> bool {
    let statistics = TermStatistics::from_profiles(&[a.clone(), b.clone()]);
    share_concerns(
        &statistics.weigh_terms(a, lexicon),
        &statistics.weigh_terms(b, lexicon),
    )
}

/// Returns whether two lessons are mainly about the same two concerns.
fn share_concerns(a: &WeightedTerms, b: &WeightedTerms) -> bool {
    let main = |it: &WeightedTerms| {
        it.concerns
            .values()
            .filter(|share| **share >= CONCERN_SHARE)
            .sum::<f64>()
    };
    let both: Vec<(f64, f64)> = a
        .concerns
        .iter()
        .filter_map(|(name, share)| Some((*share, *b.concerns.get(name)?)))
        .filter(|(one, two)| one.min(*two) >= CONCERN_SHARE)
        .collect();
    if both.len() < 2
        || a.concerned.min(b.concerned) < CONCERN_TERMS
        || main(a).min(main(b)) < CONCERNS_SHARE
    {
        return false;
    }
    let dot: f64 = both.iter().map(|(one, two)| one * two).sum();
    let length = |it: &WeightedTerms| {
        it.concerns
            .values()
            .map(|share| share * share)
            .sum::<f64>()
            .sqrt()
    };
    dot >= CONCERN_COSINE * length(a) * length(b)
}
