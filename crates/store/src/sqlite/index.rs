//! The rows of the text index: which lessons of a scope share words with a prompt, best first.
//!
//! It keeps its own postings inside the database file, written in the same transaction as the lesson.
//! [`index`](crate::index) packs and scores; this module reads and writes rows for it. It knows scopes only by number,
//! opens no database and begins no transaction: a writer calls it inside its own.

mod audit;
mod search;
mod write;

#[cfg(test)]
mod tests;

use hardwon_core::LessonId;

pub(super) use audit::{find_strays, read_index};
pub use search::{find_lessons_with, search};
pub use write::{add_lesson, merge_postings, remove_lesson};

pub use crate::index::{FRESH_WORDS, IndexHit, IndexHits, IndexTuning};
use crate::{IndexError, Result, ScopeTotals};

/// The tables of the index, as a migration creates them.
pub const SCHEMA: &str = include_str!("../schema/index.sql");

/// Largest chunk, in bytes: what a leaf page of 4,096 bytes holds without spilling over.
///
/// Small in tests, so that few lessons make many chunks.
const CHUNK_BYTES: usize = if cfg!(test) { 40 } else { 4000 };

/// Returns the key of a lesson's terms.
pub(super) fn doc_key(scope: i64, lesson: LessonId) -> Result<i64, IndexError> {
    let lesson = lesson.0;
    match (i32::try_from(scope), u32::try_from(lesson)) {
        (Ok(upper @ 0..), Ok(lower @ 1..)) => Ok(pack_key(upper, lower)),
        _ => Err(IndexError::OutOfRange { scope, lesson }),
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

/// Reads a scope's totals.
pub(super) fn read_totals(conn: &rusqlite::Connection, scope: i64) -> Result<ScopeTotals> {
    let mut select = conn.prepare_cached(
        "SELECT docs, length, merged_to, fresh FROM index_scope WHERE scope = ?1",
    )?;
    let mut rows = select.query([scope])?;
    let Some(row) = rows.next()? else {
        return Ok(ScopeTotals::default());
    };
    Ok(ScopeTotals {
        docs: read_count(row, 0)?,
        length: read_count(row, 1)?,
        merged_to: row.get(2)?,
        fresh_words: read_count(row, 3)?,
    })
}

/// Reads a column that holds a count.
fn read_count(row: &rusqlite::Row<'_>, column: usize) -> Result<u64> {
    let value: i64 = row.get(column)?;
    let count = u64::try_from(value).map_err(|_| IndexError::Damaged("a count is below zero"))?;
    Ok(count)
}
