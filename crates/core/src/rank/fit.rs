//! Computes how well a lesson matches a prompt: by words, by pairs of words, by similar words, and by how much of its
//! signature the prompt contains.
//!
//! All is computed from the candidate's own terms, so nothing here needs an index. Only words count here; the
//! lesson's record counts in [`merit`](super::merit).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{background, grams::PromptGrams};
use crate::{
    bm25::{self, CorpusStats, Scorer},
    tokens::{
        DocTerms, HALVES_SIGNATURE, HALVES_TASK, HALVES_TEXT, QueryTerms, TermLookup, common_share,
        has_digit, is_unspaced_term, saturate_count,
    },
};

/// The score of one matched word. Its JSON is part of an explained recall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermScore {
    /// The word as indexed.
    pub term: String,
    /// Its part of the score.
    pub score: f32,
}

/// The weight of a pair of neighbours, relative to a single word.
const PAIR_WEIGHT: f32 = 0.4;
/// The weight of a partly matching word, relative to the word itself.
const LIKENESS_WEIGHT: f32 = 0.4;
/// What a signature that the prompt contains entirely adds, as a share of the whole.
const SIGNATURE_WEIGHT: f32 = 0.4;

/// The weight, in what a long prompt is about, of a word that no lesson here contains: a detail of this one task says less about
/// whether a lesson fits than a word that others have and this one lacks.
const UNKNOWN_WORD: f32 = 0.7;
/// A word that this share of all texts holds joins others, and asks for nothing.
const JOINING_SHARE: f32 = 0.2;
/// The weight, in what a prompt is about, of a pair of characters: where words have two, every second pair belongs to
/// no word.
const PAIR_OF_CHARACTERS: f32 = 0.5;
/// The weight, in what a lesson has of a prompt, of a word that it has only partly.
const PARTLY_FOUND: f32 = 0.5;
/// The least that a prompt is about, as a sum of rates: one telling word. Of *run it* a lesson that holds *run* has not all.
const LEAST_ASKED: f32 = 7.5;
/// What a short request says at most, as a sum of rates: some eight telling words.
const REQUEST: f32 = 60.0;
/// What a request of a sentence or two says, as a sum of rates: some twelve telling words.
const SENTENCES: f32 = 90.0;
/// How what a lesson can have of a longer prompt grows with it.
const GROWTH: f32 = 0.7;
/// The share of a prompt's information that a task must contain to be of the same kind.
const TASK_COVERAGE: f32 = 0.7;
/// The fewest words that the two must share.
const TASK_WORDS: usize = 3;

/// How well one lesson matches.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LessonFit {
    /// The matched words, by falling score.
    pub(super) words: Vec<TermScore>,
    /// The sums that make up the score.
    pub(super) sums: FitSums,
    /// How certainly the lesson is about the prompt's topic, or the prompt a task like the one that taught the
    /// lesson.
    pub(super) relevance: f32,
    /// Whether only the similar task makes it relevant.
    pub(super) is_by_task: bool,
}

/// The sums of the parts of a match, at given rates for each word of the prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FitSums {
    pub(super) words: f32,
    pub(super) pairs: f32,
    pub(super) likeness: f32,
    /// The share of the signature's words that the prompt contains.
    pub(super) signature: f32,
}

impl FitSums {
    pub(super) fn score(&self) -> f32 {
        let sum = self.words + PAIR_WEIGHT * self.pairs + LIKENESS_WEIGHT * self.likeness;
        sum * (1.0 + SIGNATURE_WEIGHT * self.signature)
    }
}

/// A prompt, prepared for comparison with candidates.
pub(super) struct PromptView<'q> {
    query: &'q QueryTerms,
    places: TermLookup<'q>,
    scorer: Scorer,
    /// Weight × idf with the [`background`], for each term of the query.
    rates: Vec<f32>,
    /// What a lesson about the prompt's topic can be expected to have of it, as a sum of rates: nothing of what no lesson
    /// [is expected](is_expected) to have.
    asked: f32,
    /// Weights of the pairs of neighbours in the prompt.
    pairs: BTreeMap<(usize, usize), f32>,
    grams: PromptGrams,
    /// The divisor of a relevance.
    bar: f32,
}

impl<'q> PromptView<'q> {
    pub(super) fn new(query: &'q QueryTerms, stats: CorpusStats, df: &[u64]) -> Self {
        let dfs = || df.iter().chain(std::iter::repeat(&0));
        let rate = |((term, weight), df): (&(String, f32), &u64)| {
            weight * background::background_idf(term, *df, stats.docs)
        };
        let mut rates: Vec<f32> = query.terms.iter().zip(dfs()).map(rate).collect();
        rates[query.terms.len() - query.added_terms..].fill(0.0);
        let sum_asked = |weigh: &dyn Fn(usize, &str, u64) -> f32| {
            let asked = query.terms.iter().zip(&rates).zip(dfs()).enumerate();
            sum_from_zero(asked.map(|(place, (((term, _), rate), df))| {
                let part = if is_unspaced_term(term) {
                    PAIR_OF_CHARACTERS
                } else {
                    1.0
                };
                weigh(place, term, *df) * rate * part
            }))
        };
        let is_aside =
            |place| u16::try_from(place).is_ok_and(|place| query.asides.contains(&place));
        // In a log or a long ticket, paths and numbers are what it is about.
        let mut asked = sum_asked(&|_, _, df| if df == 0 { UNKNOWN_WORD } else { 1.0 });
        if asked < REQUEST {
            asked = sum_asked(&|place, term, df| {
                f32::from(u8::from(is_expected(term, df, is_aside(place))))
            });
        }
        Self {
            query,
            places: TermLookup::from_query(query),
            scorer: Scorer::new(stats),
            asked: expected_share(asked),
            rates,
            pairs: neighbour_pairs(query),
            grams: PromptGrams::from_words(query.terms.iter().map(|(term, _)| term.as_str())),
            bar: background::relevance_scale(stats.docs),
        }
    }

    pub(super) fn fit_lesson(&self, terms: &DocTerms) -> LessonFit {
        let matches = MatchedTerms::from_terms(self, terms);
        let relevance = self.own_relevance(&matches);
        let task = self.task_relevance(terms);
        LessonFit {
            words: self.score_words(&matches),
            sums: self.sum_scores(&matches, &matches.word_scores),
            relevance: relevance.max(task),
            is_by_task: task > relevance,
        }
    }

    /// Returns how certainly a prompt is a task of the kind that taught the lesson; 0 unless that task contains most
    /// of what the prompt says. A few common words would let any prompt pass.
    fn task_relevance(&self, terms: &DocTerms) -> f32 {
        let places = terms.task_terms().filter_map(|term| self.places.find(term));
        let places: BTreeSet<usize> = places.collect();
        if places.len() < TASK_WORDS {
            return 0.0;
        }
        let length = HALVES_TEXT * u32::try_from(terms.task_terms().count()).unwrap_or(u32::MAX);
        let once = self
            .scorer
            .posting_score(HALVES_TEXT, bm25::encode_length(length));
        let telling = |place: usize| {
            if has_digit(&self.query.terms[place].0) {
                0.0
            } else {
                self.rates[place]
            }
        };
        let sum = sum_from_zero(places.iter().map(|&place| telling(place)));
        let all = sum_from_zero((0..self.rates.len()).map(telling));
        let coverage = sum / all.max(f32::MIN_POSITIVE);
        if coverage >= TASK_COVERAGE {
            once * sum * coverage / self.bar
        } else {
            0.0
        }
    }

    fn score_words(&self, held: &MatchedTerms) -> Vec<TermScore> {
        let score = |(&place, &part): (&usize, &f32)| TermScore {
            term: self.query.terms[place].0.clone(),
            score: self.rates[place] * part,
        };
        // Words that only its task contains are not shown.
        let said = held.own_word_scores.iter();
        let said = said.filter(|(place, _)| !self.query.is_respelled(**place));
        let mut words: Vec<TermScore> = said.map(score).collect();
        words.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.term.cmp(&b.term))
        });
        words
    }

    /// Sums the scores: a pair at the rate of its better half, a similar word at its share of letters.
    ///
    /// Similarity of words catches those that are misspelt, inflected differently or part of a longer word; and it
    /// lets a lesson that has many of the words win over one that has one of them many times.
    fn sum_scores(&self, held: &MatchedTerms, parts: &BTreeMap<usize, f32>) -> FitSums {
        let rate = |place: usize| self.rates[place] / self.query.terms[place].1;
        let pair = |pair: &(usize, usize)| self.pairs[pair] * rate(pair.0).max(rate(pair.1));
        let shares = self.rates.iter().zip(&held.shares);
        FitSums {
            words: sum_from_zero(parts.iter().map(|(&place, part)| self.rates[place] * part)),
            pairs: sum_from_zero(held.pairs.iter().map(pair)) * held.single_word_score,
            likeness: sum_from_zero(shares.map(|(rate, share)| rate * share))
                * held.single_word_score,
            signature: held.signature,
        }
    }

    /// Returns strength × coverage: strength alone lets long prompts pass that share a few words with every lesson,
    /// coverage alone lets short ones pass that share one word.
    fn own_relevance(&self, held: &MatchedTerms) -> f32 {
        let strength = self.sum_scores(held, &held.own_word_scores).score();
        let part_of = |(place, (rate, share)): (usize, (&f32, &f32))| {
            if held.own_word_scores.contains_key(&place) {
                *rate
            } else {
                rate * share * PARTLY_FOUND
            }
        };
        let sum = sum_from_zero(self.rates.iter().zip(&held.shares).enumerate().map(part_of));
        // What a signature says is what its lesson is about, however common it is.
        let least = (LEAST_ASKED * (1.0 - held.signature)).max(f32::MIN_POSITIVE);
        strength * (sum / self.asked.max(least)).min(1.0) / self.bar
    }
}

/// Returns whether a lesson about a prompt's topic is expected to have a word of it, of which so many have it: not one that
/// only joins others, and of those that no lesson has none that is common or an aside (a path, a ticket, a greeting).
fn is_expected(term: &str, df: u64, is_aside: bool) -> bool {
    let share = common_share(term);
    share < JOINING_SHARE && (df > 0 || share == 0.0 && !is_aside)
}

/// Sums from a positive zero, so that an empty sum does not print as `-0`.
fn sum_from_zero(parts: impl Iterator<Item = f32>) -> f32 {
    parts.fold(0.0, |sum, part| sum + part)
}

/// Returns how much of a prompt that says so much a lesson can be expected to have: of a request all, of a ticket or a log, which
/// tells a story besides, less and less.
fn expected_share(asked: f32) -> f32 {
    let times = (asked / SENTENCES).max(1.0);
    asked * times.powf(GROWTH - 1.0)
}

/// Returns the weights of words that are neighbours in a prompt.
fn neighbour_pairs(query: &QueryTerms) -> BTreeMap<(usize, usize), f32> {
    let mut pairs = BTreeMap::new();
    for two in query.sequence.windows(2).filter(|two| two[0] != two[1]) {
        let pair = (usize::from(two[0]), usize::from(two[1]));
        *pairs.entry(pair).or_insert(0.0) += 1.0;
    }
    pairs
        .values_mut()
        .for_each(|count| *count = saturate_count(*count));
    pairs
}

/// The parts of the prompt that one lesson contains.
struct MatchedTerms {
    /// For each matched word, the part of its score that depends on the lesson and on its task.
    word_scores: BTreeMap<usize, f32>,
    /// The same for the words of the lesson itself.
    own_word_scores: BTreeMap<usize, f32>,
    pairs: BTreeSet<(usize, usize)>,
    /// For each word of the prompt, the share of its letters that were found.
    shares: Vec<f32>,
    /// The share of the signature's words that the prompt contains.
    signature: f32,
    /// The part of the score of a word that occurs once in the text.
    single_word_score: f32,
}

impl MatchedTerms {
    fn from_terms(view: &PromptView<'_>, terms: &DocTerms) -> Self {
        let mut counts = TermCounts::default();
        let signature = counts.count_field(view, terms.signature_terms(), HALVES_SIGNATURE);
        let text = counts.count_field(view, terms.text_terms(), HALVES_TEXT);
        counts.add_respelled(view.query);
        let shares = view
            .grams
            .overlap_shares(signature.iter().chain(&text).map(|(term, _)| *term));
        let shares = shares.collect();
        let signature: BTreeMap<&str, bool> = signature.into_iter().collect();
        let hits = signature.values().filter(|&&held| held).count();
        let code = bm25::encode_length(counts.length);
        let part =
            |(&place, &halves): (&usize, &u32)| (place, view.scorer.posting_score(halves, code));
        let own_word_scores = counts.halves.iter().map(part).collect();
        for place in terms.task_terms().filter_map(|term| view.places.find(term)) {
            *counts.halves.entry(place).or_default() += HALVES_TASK;
        }
        Self {
            word_scores: counts.halves.iter().map(part).collect(),
            own_word_scores,
            pairs: counts.pairs,
            shares,
            signature: hits as f32 / signature.len().max(1) as f32,
            single_word_score: view.scorer.posting_score(HALVES_TEXT, code),
        }
    }
}

/// Counts of the prompt's words and pairs in a lesson.
#[derive(Default)]
struct TermCounts {
    halves: BTreeMap<usize, u32>,
    pairs: BTreeSet<(usize, usize)>,
    /// The weighted length of what was counted.
    length: u32,
}

impl TermCounts {
    /// Counts what the lesson has in another spelling as said.
    fn add_respelled(&mut self, query: &QueryTerms) {
        let place = |place: &u16| usize::from(*place);
        for respelling in &query.respellings {
            let other = respelling.other.iter().map(place);
            let counts: Option<Vec<u32>> = other
                .map(|place| self.halves.get(&place).copied())
                .collect();
            if let Some(least) = counts.and_then(|counts| counts.into_iter().min()) {
                for said in respelling.said.iter().map(place) {
                    self.halves.entry(said).or_insert(least);
                }
            }
        }
    }

    /// Counts one field of a lesson; returns its words and whether the prompt contains them.
    fn count_field<'t>(
        &mut self,
        view: &PromptView<'_>,
        terms: impl Iterator<Item = &'t str>,
        halves: u32,
    ) -> Vec<(&'t str, bool)> {
        const MANY_WORDS: usize = 64;
        let mut before = None;
        let mut read = Vec::with_capacity(MANY_WORDS);
        for term in terms {
            let here = view.places.find(term);
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
