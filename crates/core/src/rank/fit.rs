//! How well a lesson fits a prompt: by words, by pairs of words, by likeness of words, and by
//! how much of its signature the prompt holds.
//!
//! All is computed from the candidate's own terms, so nothing here needs an index. Fit is about
//! words only; what became of the lesson is [`merit`](super::merit).

use std::collections::{BTreeMap, BTreeSet};

use super::{background, grams::Grams};
use crate::{
    bm25::{self, Scorer, Stats},
    tokens::{
        DocTerms, HALVES_SIGNATURE, HALVES_TASK, HALVES_TEXT, Places, QueryTerms, is_number,
        saturated,
    },
};

/// What one word brought.
#[derive(Debug, Clone, PartialEq)]
pub struct TermScore {
    /// The word as indexed.
    pub term: String,
    /// Its part of the score.
    pub score: f32,
}

/// What neighbours that are neighbours in the lesson too are worth, against a single word.
const PAIR: f32 = 0.4;
/// What a word is worth as far as its letters stand in the lesson, against the word itself.
const LIKENESS: f32 = 0.4;
/// What a signature that the prompt holds entirely adds to the whole.
const SIGNATURE: f32 = 0.4;

/// The share of what a prompt says that a task must hold to be one of its kind.
const TASK_COVERAGE: f32 = 0.7;
/// The words that the two must share, at least.
const TASK_WORDS: usize = 3;

/// How well one lesson fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// The words found, by falling score.
    pub(super) words: Vec<TermScore>,
    /// The sums behind the score.
    pub(super) sums: Sums,
    /// How surely the lesson is about the prompt's topic, or the prompt a task like the one that taught
    /// it.
    pub(super) relevance: f32,
    /// Whether only the task speaks for it.
    pub(super) is_by_task: bool,
}

/// What the parts of a fit add up to, at some rate for each word of the prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sums {
    pub(super) words: f32,
    pub(super) pairs: f32,
    pub(super) likeness: f32,
    /// The share of the signature's words that the prompt holds.
    pub(super) signature: f32,
}

impl Sums {
    pub(super) fn score(&self) -> f32 {
        let sum = self.words + PAIR * self.pairs + LIKENESS * self.likeness;
        sum * (1.0 + SIGNATURE * self.signature)
    }
}

/// A prompt as the candidates are measured against it.
pub(super) struct View<'q> {
    query: &'q QueryTerms,
    places: Places<'q>,
    scorer: Scorer,
    /// Weight × idf in the bank, for each term of the query.
    rates: Vec<f32>,
    /// Weight × what it tells before the [`background`], for each term of the query.
    telling: Vec<f32>,
    /// Weights of neighbours in the prompt.
    pairs: BTreeMap<(usize, usize), f32>,
    grams: Grams,
    docs: u64,
}

impl<'q> View<'q> {
    pub(super) fn new(query: &'q QueryTerms, stats: Stats, df: &[u64]) -> Self {
        let docs = stats.docs;
        let terms = || {
            (query
                .terms
                .iter()
                .zip(df.iter().chain(std::iter::repeat(&0))))
            .enumerate()
        };
        Self {
            query,
            places: Places::of(query),
            scorer: Scorer::new(stats),
            rates: terms()
                .map(|(place, (_, &df))| bm25::weight(query, place, df, docs))
                .collect(),
            telling: terms()
                .map(|(_, ((term, weight), &df))| weight * background::telling(term, df, docs))
                .collect(),
            pairs: pairs(query),
            grams: Grams::of(query.terms.iter().map(|(term, _)| term.as_str())),
            docs,
        }
    }

    pub(super) fn fit(&self, terms: &DocTerms) -> Fit {
        let held = Held::of(self, terms);
        let said = self.relevance(&held);
        let task = self.likeness_of_task(terms);
        Fit {
            words: self.words(&held),
            sums: self.sums(&held, &held.parts, &self.rates),
            relevance: said.max(task),
            is_by_task: task > said,
        }
    }

    /// Returns how surely a prompt is a task of the kind that taught the lesson; nothing unless the task
    /// holds most of what the prompt says. A few common words would let any prompt pass.
    fn likeness_of_task(&self, terms: &DocTerms) -> f32 {
        let shared = terms.task().filter_map(|term| self.places.place(term));
        let places: BTreeSet<usize> = shared.collect();
        if places.len() < TASK_WORDS {
            return 0.0;
        }
        let length = HALVES_TEXT * u32::try_from(terms.task().count()).unwrap_or(u32::MAX);
        let once = self.scorer.part(HALVES_TEXT, bm25::length_code(length));
        let telling = |place: usize| match is_number(&self.query.terms[place].0) {
            true => 0.0,
            false => self.telling[place],
        };
        let found = total(places.iter().map(|&place| telling(place)));
        let all = total((0..self.telling.len()).map(telling));
        let coverage = found / all.max(f32::MIN_POSITIVE);
        match coverage >= TASK_COVERAGE {
            true => once * found * coverage / background::scale(self.docs),
            false => 0.0,
        }
    }

    fn words(&self, held: &Held) -> Vec<TermScore> {
        let score = |(&place, &part): (&usize, &f32)| TermScore {
            term: self.query.terms[place].0.clone(),
            score: self.rates[place] * part,
        };
        // What only its task holds is not told.
        let mut words: Vec<TermScore> = held.said.iter().map(score).collect();
        words.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.term.cmp(&b.term))
        });
        words
    }

    /// Adds up what is held: a pair at the rate of its better half, a likeness at its share.
    ///
    /// Likeness is what is left of a word that is misspelt, inflected in another way or part of
    /// a longer word; and it lets a lesson that has many of the words win over one that has one
    /// of them many times.
    fn sums(&self, held: &Held, parts: &BTreeMap<usize, f32>, rates: &[f32]) -> Sums {
        let rate = |place: usize| rates[place] / self.query.terms[place].1;
        let pair = |pair: &(usize, usize)| self.pairs[pair] * rate(pair.0).max(rate(pair.1));
        let shares = rates.iter().zip(&held.shares);
        Sums {
            words: total(parts.iter().map(|(&place, part)| rates[place] * part)),
            pairs: total(held.pairs.iter().map(pair)) * held.once,
            likeness: total(shares.map(|(rate, share)| rate * share)) * held.once,
            signature: held.signature,
        }
    }

    /// Strength × coverage: strength alone lets long prompts pass that share this and that with
    /// every lesson, coverage alone lets short ones pass that share one word.
    fn relevance(&self, held: &Held) -> f32 {
        let strength = self.sums(held, &held.said, &self.telling).score();
        let found = total(held.said.keys().map(|&place| self.telling[place]));
        let all: f32 = self.telling.iter().sum();
        strength * found / all.max(f32::MIN_POSITIVE) / background::scale(self.docs)
    }
}

/// Adds up from a positive zero, which is what nothing should print as.
fn total(parts: impl Iterator<Item = f32>) -> f32 {
    parts.fold(0.0, |sum, part| sum + part)
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
struct Held {
    /// For each word found, the part of its score that depends on the lesson and on its task.
    parts: BTreeMap<usize, f32>,
    /// The same for the words that the lesson itself says.
    said: BTreeMap<usize, f32>,
    pairs: BTreeSet<(usize, usize)>,
    /// For each word of the prompt, the share of its letters found.
    shares: Vec<f32>,
    /// The share of the signature's words that the prompt holds.
    signature: f32,
    /// The part of the score of a word that stands once in the text.
    once: f32,
}

impl Held {
    fn of(view: &View<'_>, terms: &DocTerms) -> Self {
        let mut counts = Counts::default();
        let signature = counts.read(view, terms.signature(), HALVES_SIGNATURE);
        let text = counts.read(view, terms.text(), HALVES_TEXT);
        let shares = view
            .grams
            .shares(signature.iter().chain(&text).map(|(term, _)| *term));
        let shares = shares.collect();
        let signature: BTreeMap<&str, bool> = signature.into_iter().collect();
        let held = signature.values().filter(|&&held| held).count();
        let code = bm25::length_code(counts.length);
        let part = |(&place, &halves): (&usize, &u32)| (place, view.scorer.part(halves, code));
        let said = counts.halves.iter().map(part).collect();
        for place in terms.task().filter_map(|term| view.places.place(term)) {
            *counts.halves.entry(place).or_default() += HALVES_TASK;
        }
        Self {
            parts: counts.halves.iter().map(part).collect(),
            said,
            pairs: counts.pairs,
            shares,
            signature: held as f32 / signature.len().max(1) as f32,
            once: view.scorer.part(HALVES_TEXT, code),
        }
    }
}

/// The prompt's words and pairs being counted in a lesson.
#[derive(Default)]
struct Counts {
    halves: BTreeMap<usize, u32>,
    pairs: BTreeSet<(usize, usize)>,
    /// The weighted length of what was read.
    length: u32,
}

impl Counts {
    /// Reads one field of a lesson; returns its words and whether the prompt holds them.
    fn read<'t>(
        &mut self,
        view: &View<'_>,
        terms: impl Iterator<Item = &'t str>,
        halves: u32,
    ) -> Vec<(&'t str, bool)> {
        let mut before = None;
        let mut read = Vec::new();
        for term in terms {
            let here = view.places.place(term);
            if let Some(place) = here {
                *self.halves.entry(place).or_default() += halves;
            }
            let pair = before
                .zip(here)
                .filter(|pair| view.pairs.contains_key(pair));
            self.pairs.extend(pair);
            before = here;
            self.length += halves;
            read.push((term, here.is_some()));
        }
        read
    }
}
