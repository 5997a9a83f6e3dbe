//! The text index: which lessons of a scope share words with a prompt, best first.
//!
//! It keeps its own postings inside the database file, written in the same transaction as the lesson. A lesson's number
//! is its document number, so that a tie needs no look-up and a chunk of postings is found by key. New lessons stay
//! *fresh* (only their terms are stored) until enough have come together to merge them into the postings term by term;
//! a query reads the fresh ones directly, so statistics and scores are exact at every moment.
//!
//! [`bm25`](hardwon_core::bm25) defines scores and [`tokens`](hardwon_core::tokens) defines words. This module knows
//! scopes only by number, opens no database and begins no transaction: a writer calls it inside its own.

mod postings;
mod search;
mod top;
mod write;

#[cfg(test)]
mod tests;

use hardwon_core::id::LessonId;

pub use search::{IndexHit, IndexHits, search};
pub use write::{add_lesson, merge_postings, remove_lesson};

/// The tables of the index, as a migration creates them.
pub const SCHEMA: &str = include_str!("../schema/sqlite/0002_index.sql");

/// How many fresh words a scope may hold before [`merge_postings`] merges them, by default.
///
/// About 250 lessons. More would slow every query down by the time it takes to read them, fewer would merge more often
/// than it pays; see docs/design/index.md for the figures.
pub const FRESH_WORDS: u32 = 10_000;

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

/// A failure of the index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The database reported an error.
    #[error("the text index could not be read or written")]
    Sql(#[from] rusqlite::Error),
    /// A row differs from what this module writes.
    #[error("the text index is damaged: {0}")]
    Damaged(&'static str),
    /// A scope or lesson number is beyond what a key can hold.
    #[error("scope {scope} or lesson {lesson} is beyond the numbers that the text index can hold")]
    OutOfRange {
        /// The scope's number.
        scope: i64,
        /// The lesson's number.
        lesson: LessonId,
    },
}

const MISSING_CHUNK: IndexError = IndexError::Damaged("a term has no postings");

/// Returns the key of a lesson's terms.
pub(super) fn doc_key(scope: i64, lesson: LessonId) -> Result<i64, IndexError> {
    let beyond = IndexError::OutOfRange { scope, lesson };
    match (i32::try_from(scope), u32::try_from(lesson.0)) {
        (Ok(upper @ 0..), Ok(lower @ 1..)) => Ok(pack_key(upper, lower)),
        _ => Err(beyond),
    }
}

/// Packs a key: a scope or a term id in the high bits, a lesson number in the low ones.
fn pack_key(upper: i32, lower: u32) -> i64 {
    i64::from(upper) << 32 | i64::from(lower)
}

/// Returns the lesson number of a key.
fn lesson_number(key: i64) -> u32 {
    u32::try_from(key & 0xffff_ffff).expect("32 bits are left")
}

/// A scope's totals, read before any term is looked up.
#[derive(Debug, Clone, Copy, Default)]
struct IndexScopeRow {
    docs: u64,
    length: u64,
    merged_to: u32,
    fresh_words: u64,
}

impl IndexScopeRow {
    /// Reads the row; a scope without one has all zeros.
    fn read(conn: &rusqlite::Connection, scope: i64) -> Result<Self, IndexError> {
        let mut select = conn.prepare_cached(
            "SELECT docs, length, merged_to, fresh FROM index_scope WHERE scope = ?1",
        )?;
        let mut rows = select.query([scope])?;
        let Some(row) = rows.next()? else {
            return Ok(Self::default());
        };
        Ok(Self {
            docs: read_count(row, 0)?,
            length: read_count(row, 1)?,
            merged_to: row.get(2)?,
            fresh_words: read_count(row, 3)?,
        })
    }
}

/// Reads a column that holds a count.
fn read_count(row: &rusqlite::Row<'_>, column: usize) -> Result<u64, IndexError> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| IndexError::Damaged("a count is below zero"))
}
