//! From candidates to the two or three worth showing, with reasons.

use crate::{bm25::Stats, lesson::Lesson, tokens::DocTerms};

/// A candidate that the store selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The lesson.
    pub lesson: Lesson,
    /// Its terms in order.
    pub terms: DocTerms,
    /// Its BM25 score over the selected query terms.
    pub score: f32,
}

/// What the store found for a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Statistics of the visible scopes together.
    pub stats: Stats,
    /// Document frequency of each query term, in the order of `QueryTerms::terms`.
    pub df: Vec<u64>,
    /// The best candidates: falling score, then falling lesson number.
    pub hits: Vec<Hit>,
}
