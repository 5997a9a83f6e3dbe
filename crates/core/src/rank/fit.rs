//! How well a lesson fits a prompt: by words, by pairs of words, by likeness of words, and by
//! how much of its signature the prompt holds.
//!
//! All is computed from the candidate's own terms, so nothing here needs an index. Fit is about
//! words only; what became of the lesson is [`merit`](super::merit).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{background, explain::TermScore, grams::Grams};
use crate::{
    bm25::{self, Scorer, Stats},
    tokens::{DocTerms, QueryTerms, saturated},
};

/// What neighbours that are neighbours in the lesson too are worth, against a single word.
const PAIR: f32 = 0.4;
/// What a word is worth as far as its letters stand in the lesson, against the word itself.
const LIKENESS: f32 = 0.4;
/// What a signature that the prompt holds entirely adds to the whole.
const SIGNATURE: f32 = 0.4;
/// Half occurrences of one mention in a text.
const ONCE: u32 = 2;

/// How well one lesson fits.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Fit {
    /// The words found, by falling score.
    pub(super) words: Vec<TermScore>,
    pub(super) pairs: f32,
    pub(super) likeness: f32,
    /// The share of the signature's words that the prompt holds.
    pub(super) signature: f32,
    /// How surely the lesson is about the prompt's topic.
    pub(super) relevance: f32,
}

impl Fit {
    pub(super) fn score(&self) -> f32 {
        let words: f32 = self.words.iter().map(|word| word.score).sum();
        (words + PAIR * self.pairs + LIKENESS * self.likeness) * (1.0 + SIGNATURE * self.signature)
    }
}

/// A prompt as the candidates are measured against it.
pub(super) struct View<'q> {
    query: &'q QueryTerms,
    places: HashMap<&'q str, usize>,
    scorer: Scorer,
    /// Weight × idf in the bank, for each term of the query.
    weights: Vec<f32>,
    /// Weight × what it tells before the [`background`], for each term of the query.
    telling: Vec<f32>,
    /// Weights of neighbours in the prompt.
    pairs: BTreeMap<(usize, usize), f32>,
    grams: Grams,
    docs: u64,
}

impl<'q> View<'q> {
    pub(super) fn new(query: &'q QueryTerms, stats: Stats, df: &[u64]) -> Self {
        let known = |term: usize| df.get(term).copied().unwrap_or(0);
        let terms = || query.terms.iter().enumerate();
        Self {
            query,
            places: terms()
                .map(|(place, (term, _))| (term.as_str(), place))
                .collect(),
            scorer: Scorer::new(stats),
            weights: (0..query.terms.len())
                .map(|term| bm25::weight(query, term, known(term), stats.docs))
                .collect(),
            telling: terms()
                .map(|(place, (term, weight))| {
                    weight * background::telling(term, known(place), stats.docs)
                })
                .collect(),
            pairs: pairs(query),
            grams: Grams::of(query.terms.iter().map(|(term, _)| term.as_str())),
            docs: stats.docs,
        }
    }

    pub(super) fn fit(&self, terms: &DocTerms) -> Fit {
        let found = Found::of(self, terms);
        Fit {
            words: self.words(&found),
            pairs: self.pairs(&found, &self.weights),
            likeness: self.likeness(&found, terms),
            signature: self.signature(terms),
            relevance: self.relevance(&found),
        }
    }

    fn words(&self, found: &Found) -> Vec<TermScore> {
        let score = |(&place, &part): (&usize, &f32)| TermScore {
            term: self.query.terms[place].0.clone(),
            score: self.weights[place] * part,
        };
        let mut words: Vec<TermScore> = found.parts.iter().map(score).collect();
        words.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.term.cmp(&b.term))
        });
        words
    }

    /// Adds up the pairs found, each at the rate of its better half.
    fn pairs(&self, found: &Found, rates: &[f32]) -> f32 {
        let rate = |place: usize| rates[place] / self.query.terms[place].1;
        (found.pairs.iter())
            .map(|pair| self.pairs[pair] * rate(pair.0).max(rate(pair.1)) * found.once)
            .sum()
    }

    /// Adds up the prompt's words as far as their letters stand in the lesson.
    ///
    /// This is what is left of a word that is misspelt, inflected in another way, or part of a
    /// longer word; and it lets a lesson that has many of the words win over one that has one of
    /// them many times.
    fn likeness(&self, found: &Found, terms: &DocTerms) -> f32 {
        let shares = self.grams.shares(terms.halves().map(|(term, _)| term));
        let sum: f32 = self
            .weights
            .iter()
            .zip(shares)
            .map(|(weight, share)| weight * share)
            .sum();
        sum * found.once
    }

    fn signature(&self, terms: &DocTerms) -> f32 {
        let words: BTreeSet<&str> = terms.signature().collect();
        let held = words
            .iter()
            .filter(|&&word| self.places.contains_key(word))
            .count();
        held as f32 / words.len().max(1) as f32
    }

    /// Strength × coverage: strength alone lets long prompts pass that share this and that with
    /// every lesson, coverage alone lets short ones pass that share one word.
    fn relevance(&self, found: &Found) -> f32 {
        let all: f32 = self.telling.iter().sum();
        let held: f32 = found.parts.keys().map(|&place| self.telling[place]).sum();
        let strength: f32 = found
            .parts
            .iter()
            .map(|(&place, part)| self.telling[place] * part)
            .sum();
        let strength = strength + PAIR * self.pairs(found, &self.telling);
        strength * (held / all.max(f32::MIN_POSITIVE)) / background::scale(self.docs)
    }
}

/// Returns the weights of words that stand side by side in a prompt.
fn pairs(query: &QueryTerms) -> BTreeMap<(usize, usize), f32> {
    let mut pairs = BTreeMap::new();
    for two in query.sequence.windows(2).filter(|two| two[0] != two[1]) {
        let pair = (usize::from(two[0]), usize::from(two[1]));
        *pairs.entry(pair).or_insert(0.0) += 1.0;
    }
    pairs
        .values_mut()
        .for_each(|count| *count = saturated(*count));
    pairs
}

/// What of the prompt one lesson holds.
struct Found {
    /// The length-dependent part of the score of each word found.
    parts: BTreeMap<usize, f32>,
    pairs: BTreeSet<(usize, usize)>,
    /// The part of a word that stands once in the text.
    once: f32,
}

impl Found {
    fn of(view: &View<'_>, terms: &DocTerms) -> Self {
        let code = bm25::length_code(terms.length());
        let mut halves = BTreeMap::new();
        for (term, count) in terms.halves() {
            if let Some(&place) = view.places.get(term) {
                *halves.entry(place).or_default() += count;
            }
        }
        let mut pairs = BTreeSet::new();
        view.neighbours(terms.signature(), &mut pairs);
        view.neighbours(terms.text(), &mut pairs);
        Self {
            parts: (halves.into_iter())
                .map(|(place, halves)| (place, view.scorer.part(halves, code)))
                .collect(),
            pairs,
            once: view.scorer.part(ONCE, code),
        }
    }
}

impl View<'_> {
    fn neighbours<'t>(
        &self,
        terms: impl Iterator<Item = &'t str>,
        pairs: &mut BTreeSet<(usize, usize)>,
    ) {
        let mut before = None;
        for term in terms {
            let here = self.places.get(term).copied();
            if let (Some(before), Some(here)) = (before, here)
                && self.pairs.contains_key(&(before, here))
            {
                pairs.insert((before, here));
            }
            before = here;
        }
    }
}
