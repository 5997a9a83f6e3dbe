//! Scores lessons with BM25 from statistics, without knowing where postings are stored.
//!
//! A lesson's score is the sum, over the terms that [`select_terms`] chose and in that order, of [`term_weight`] ×
//! [`Scorer::posting_score`], in `f32`. Every backend computes just that, so all rank alike; the suite of all stores
//! has a readable form of it. Lengths and counts are in half occurrences, because a signature's term counts one and a
//! half times.

use crate::{limits, tokens::QueryTerms};

/// BM25's `k1`: how soon further occurrences of a term stop adding to the score.
const K1: f32 = 1.2;
/// BM25's `b`: how strongly the length of a lesson normalises its counts.
const B: f32 = 0.75;

/// Statistics of the lessons that a query may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CorpusStats {
    /// Number of lessons in the index.
    pub docs: u64,
    /// Sum of their weighted lengths, in half occurrences.
    pub length: u64,
}

/// Returns the inverse document frequency of a term that `df` of `docs` lessons contain.
pub fn idf(docs: u64, df: u64) -> f32 {
    let (n, df) = (docs as f32, df.min(docs) as f32);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

/// Returns what a query term adds to the score of every lesson that contains it: its weight in the query × its
/// [`idf`].
pub fn term_weight(query: &QueryTerms, term: usize, df: u64, docs: u64) -> f32 {
    query.terms[term].1 * idf(docs, df)
}

/// Lengths up to this one keep their exact value in a code.
const EXACT_LENGTHS: u32 = 64;
/// Codes for each doubling of the length from there on, as a power of two.
const STEP_BITS: u32 = 4;

/// Packs a weighted length into one byte, losing a little.
///
/// Monotone; exact below 64 half occurrences, in steps of 3 to 6 % up to 262,143, and one code
/// for all that is longer.
pub fn encode_length(length: u32) -> u8 {
    if length < EXACT_LENGTHS {
        return u8::try_from(length).expect("EXACT fits a byte");
    }
    let exponent = length.ilog2() - STEP_BITS;
    let mantissa = (length >> exponent) - (1 << STEP_BITS);
    let octave = exponent - (EXACT_LENGTHS.ilog2() - STEP_BITS);
    u8::try_from(EXACT_LENGTHS + (octave << STEP_BITS) + mantissa).unwrap_or(u8::MAX)
}

/// Returns the length that a code stands for, in half occurrences: the middle of its step.
pub fn decode_length(code: u8) -> f32 {
    let code = u32::from(code);
    if code < EXACT_LENGTHS {
        return code as f32;
    }
    let octave = (code - EXACT_LENGTHS) >> STEP_BITS;
    let mantissa = (code - EXACT_LENGTHS) & ((1 << STEP_BITS) - 1);
    let step = 1 << (octave + EXACT_LENGTHS.ilog2() - STEP_BITS);
    let first = ((1 << STEP_BITS) + mantissa) * step;
    first as f32 + (step - 1) as f32 / 2.0
}

/// The part of the score that depends on a posting, with length factors computed in advance.
#[derive(Debug, Clone)]
pub struct Scorer {
    norms: Box<[f32; 256]>,
}

impl Scorer {
    /// Computes the length factor of every code for these statistics.
    pub fn new(stats: CorpusStats) -> Self {
        let average = stats.length as f32 / stats.docs.max(1) as f32;
        let norm = |code: u8| K1 * (1.0 - B + B * decode_length(code) / average.max(1.0));
        let norms = std::array::from_fn(|code| norm(u8::try_from(code).expect("256 codes")));
        Self {
            norms: Box::new(norms),
        }
    }

    /// Returns `tf·(k1+1) / (tf + k1·(1−b + b·len/avg))`.
    pub fn posting_score(&self, halves: u32, length_code: u8) -> f32 {
        let tf = halves as f32 / 2.0;
        tf * (K1 + 1.0) / (tf + self.norms[usize::from(length_code)])
    }
}

/// Chooses which query terms to score, within a budget of postings. Returns indexes into `query.terms`, by falling
/// [`term_weight`]. `df` holds the document frequency of each term.
///
/// The budget is a third of the lessons, at least [`limits::POSTINGS_FREE`] and at most [`limits::POSTINGS_MAX`]; a
/// term whose postings no longer fit is skipped and the next one tried, because a rare term after it is cheap. If
/// nothing fits, the rarest term is taken alone as long as its postings stay below the upper bound.
///
/// Every backend adds up a lesson's score in this order, so that all give the same sums.
pub fn select_terms(query: &QueryTerms, df: &[u64], docs: u64) -> Vec<usize> {
    let weights: Vec<f32> = (df.iter().enumerate())
        .map(|(term, &df)| term_weight(query, term, df, docs))
        .collect();
    let mut terms: Vec<usize> = (0..df.len()).filter(|&term| df[term] > 0).collect();
    terms.sort_by(|&a, &b| {
        let text = || query.terms[a].0.cmp(&query.terms[b].0);
        weights[b].total_cmp(&weights[a]).then_with(text)
    });
    let mut left = (docs / 3).clamp(limits::POSTINGS_FREE, limits::POSTINGS_MAX);
    let mut selection = terms.clone();
    selection.retain(|&term| {
        let fits = df[term] <= left;
        left -= if fits { df[term] } else { 0 };
        fits
    });
    if selection.is_empty() {
        let rarest = terms.into_iter().min_by_key(|&term| df[term]);
        selection.extend(rarest.filter(|&term| df[term] <= limits::POSTINGS_MAX));
    }
    selection
}

#[cfg(test)]
mod tests;
