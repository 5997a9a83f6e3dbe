//! The text index, without a database: packing postings, adding up scores, and choosing what to read and write.
//!
//! A lesson's number is its document number, so that a tie needs no look-up. A term's postings are kept in chunks, each
//! named by the lesson after which it begins. New lessons stay *fresh* (only their terms are stored) until enough have
//! come together to merge them into the postings; a search reads the fresh ones directly, so statistics and scores are
//! exact at every moment. Every store that keeps postings uses these functions, so all find the same with the same
//! scores.
//!
//! [`bm25`](hardwon_core::bm25) defines scores and [`tokens`](hardwon_core::tokens) defines words. Nothing here reads or
//! writes a row: a store reads rows, hands them over, and writes what it gets back.

mod audit;
mod postings;
mod top;
mod search;
mod merge;

pub use audit::{FoundIndex, IndexedLessons};
pub use merge::{LessonShare, PostingLists, merge_size};
pub use postings::{
    Posting, PostingChunk, add_lessons, insert_postings, pack_postings, remove_posting,
};
pub use search::{IndexHit, IndexHits, IndexedLesson, ScopeSearch, SearchPlan, TermChoice};

/// How many fresh words a scope may hold before they are merged, by default.
///
/// About 75 lessons. More would slow every query down by the time it takes to read them, fewer would merge more often
/// than it pays; see docs/design/index.md for the figures.
pub const FRESH_WORDS: u32 = 3_000;

/// Tuning of the text index, for tests and measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexTuning {
    /// How many words of new lessons a scope holds before they are merged into the index.
    pub fresh_words: u32,
}

impl Default for IndexTuning {
    fn default() -> Self {
        Self {
            fresh_words: FRESH_WORDS,
        }
    }
}

/// A scope's totals, read before any term is looked up. A scope that never held a lesson has all zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScopeTotals {
    /// Indexed lessons.
    pub docs: u64,
    /// Their weighted lengths together.
    pub length: u64,
    /// The last lesson that was merged: those above are fresh.
    pub merged_to: u32,
    /// The words of fresh lessons, each lesson counting for one more.
    pub fresh_words: u64,
}

/// A failure of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// A row differs from what was written.
    #[error("the text index is damaged: {0}")]
    Damaged(&'static str),
    /// A scope or lesson number is beyond what a key can hold.
    #[error("scope {scope} or lesson {lesson} is beyond the numbers that the text index can hold")]
    OutOfRange {
        /// The scope's number.
        scope: i64,
        /// The lesson's number.
        lesson: i64,
    },
}

/// A term in the dictionary has no chunk.
pub const MISSING_CHUNK: IndexError = IndexError::Damaged("a term has no postings");
/// A hit has no terms.
pub const MISSING_LESSON: IndexError =
    IndexError::Damaged("a posting names a lesson that is not there");
/// An indexed lesson has a term that the dictionary lacks.
pub const MISSING_TERM: IndexError =
    IndexError::Damaged("a lesson's term is not in the dictionary");
