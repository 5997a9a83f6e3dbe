//! Index writes: a lesson is added fresh, merged later, and can be removed exactly.
//!
//! All of it runs inside the caller's transaction. What was indexed is read from the lesson's index row, never from the
//! lesson as it is now, so removing undoes exactly what adding did.

use hardwon_core::{DocTerms, LessonId};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    CHUNK_BYTES, doc_key, lesson_number, pack_key, read_totals,
    search::{for_each_fresh, indexed_terms},
};
use crate::{
    IndexError, LessonShare, Posting, PostingChunk, PostingLists, Result,
    index::{self, MISSING_CHUNK, MISSING_TERM},
};

/// Adds a lesson that the index does not hold yet. Call [`merge_postings`] for the scope before the commit.
///
/// A lesson with a higher number than any merged one is added fresh; another, such as one that a person approves late,
/// goes into the postings at once.
pub fn add_lesson(conn: &Connection, scope: i64, lesson: LessonId, terms: &DocTerms) -> Result<()> {
    let doc_key = doc_key(scope, lesson)?;
    let mut insert = conn.prepare_cached("INSERT INTO index_doc (key, terms) VALUES (?1, ?2)")?;
    insert.execute(params![doc_key, terms.as_str()])?;
    let row = read_totals(conn, scope)?;
    let is_fresh = lesson_number(doc_key) > row.merged_to;
    if !is_fresh {
        let mut lists = PostingLists::default();
        lists.add_lesson(lesson_number(doc_key), terms);
        write_lists(conn, scope, lists)?;
    }
    update_stats(conn, scope, &LessonShare::from_terms(terms, is_fresh), 1)
}

/// Removes a lesson; returns whether the index held it.
pub fn remove_lesson(conn: &Connection, scope: i64, lesson: LessonId) -> Result<bool> {
    let Some(terms) = indexed_terms(conn, scope, lesson)? else {
        return Ok(false);
    };
    let doc_key = doc_key(scope, lesson)?;
    conn.prepare_cached("DELETE FROM index_doc WHERE key = ?1")?
        .execute([doc_key])?;
    let row = read_totals(conn, scope)?;
    let is_fresh = lesson_number(doc_key) > row.merged_to;
    if !is_fresh {
        for term in terms.term_counts().into_keys() {
            remove_posting(conn, scope, term, lesson_number(doc_key))?;
        }
    }
    update_stats(conn, scope, &LessonShare::from_terms(&terms, is_fresh), -1)?;
    Ok(true)
}

/// Merges a scope's oldest fresh lessons if all together have more than `fresh_words` words: the excess, and a few
/// more.
///
/// A writer calls this once for each scope it added to, before it commits: with [`FRESH_WORDS`](super::FRESH_WORDS), or
/// with zero to merge all fresh lessons.
pub fn merge_postings(conn: &Connection, scope: i64, fresh_words: u32) -> Result<()> {
    loop {
        let fresh = read_totals(conn, scope)?.fresh_words;
        let Some(least) = index::merge_size(fresh, fresh_words) else {
            return Ok(());
        };
        if !merge_run(conn, scope, least)? {
            return Ok(());
        }
    }
}

/// Adds to a scope's statistics, or subtracts when `sign` is -1.
fn update_stats(conn: &Connection, scope: i64, counted: &LessonShare, sign: i64) -> Result<()> {
    let mut upsert = conn.prepare_cached(
        "INSERT INTO index_scope (scope, docs, length, merged_to, fresh)
         VALUES (?1, ?2, ?3, 0, ?4)
         ON CONFLICT (scope) DO UPDATE
         SET docs = docs + ?2, length = length + ?3, fresh = fresh + ?4",
    )?;
    upsert.execute([scope, sign, sign * counted.length, sign * counted.fresh])?;
    Ok(())
}

/// Merges the oldest fresh lessons, until they have `least` words together or none is left; returns whether there were
/// any.
fn merge_run(conn: &Connection, scope: i64, least: u64) -> Result<bool> {
    let merged_to = read_totals(conn, scope)?.merged_to;
    let (mut lists, mut last, mut words) = (PostingLists::default(), merged_to, 0);
    for_each_fresh(conn, scope, merged_to, |lesson, terms| {
        let terms = DocTerms::from_packed(terms.to_owned());
        lists.add_lesson(lesson, &terms);
        last = lesson;
        words += LessonShare::from_terms(&terms, true).fresh;
        Ok(words < least.cast_signed())
    })?;
    write_lists(conn, scope, lists)?;
    let mut update = conn.prepare_cached(
        "UPDATE index_scope SET merged_to = ?2, fresh = fresh - ?3 WHERE scope = ?1",
    )?;
    update.execute(params![scope, last, words])?;
    Ok(last > merged_to)
}

/// Writes postings, in the dictionary's order of terms.
fn write_lists(conn: &Connection, scope: i64, lists: PostingLists) -> Result<()> {
    let mut next_id = next_term_id(conn)?;
    for (term, list) in lists.into_sorted() {
        let more = i64::try_from(list.len()).expect("a list fits in memory");
        match find_term(conn, scope, &term)? {
            Some(known) => {
                insert_postings(conn, known.id, &list)?;
                set_df(conn, scope, &term, known.df + more)?;
            }
            None => {
                write_chunks(conn, next_id, index::pack_postings(0, &list, CHUNK_BYTES)?)?;
                insert_term(conn, scope, &term, next_id, more)?;
                next_id = next_id.checked_add(1).ok_or(TERM_IDS_EXHAUSTED)?;
            }
        }
    }
    Ok(())
}

const TERM_IDS_EXHAUSTED: IndexError = IndexError::Damaged("there are no term numbers left");

/// A term's row in the dictionary.
struct TermEntry {
    id: i32,
    df: i64,
}

fn find_term(conn: &Connection, scope: i64, term: &str) -> Result<Option<TermEntry>> {
    let mut select =
        conn.prepare_cached("SELECT id, df FROM index_term WHERE scope = ?1 AND term = ?2")?;
    let entry = select.query_row(params![scope, term], |row| {
        Ok(TermEntry {
            id: row.get(0)?,
            df: row.get(1)?,
        })
    });
    Ok(entry.optional()?)
}

fn insert_term(conn: &Connection, scope: i64, term: &str, id: i32, df: i64) -> Result<()> {
    let mut insert = conn
        .prepare_cached("INSERT INTO index_term (scope, term, id, df) VALUES (?1, ?2, ?3, ?4)")?;
    insert.execute(params![scope, term, id, df])?;
    Ok(())
}

fn set_df(conn: &Connection, scope: i64, term: &str, df: i64) -> Result<()> {
    let mut update =
        conn.prepare_cached("UPDATE index_term SET df = ?3 WHERE scope = ?1 AND term = ?2")?;
    update.execute(params![scope, term, df])?;
    Ok(())
}

/// Returns a term id above every used one. Every term in the dictionary has postings.
fn next_term_id(conn: &Connection) -> Result<i32> {
    let mut select = conn.prepare_cached("SELECT max(key) FROM index_posting")?;
    let highest: Option<i64> = select.query_row([], |row| row.get(0))?;
    let next = highest.map_or(0, |key| (key >> 32) + 1);
    Ok(i32::try_from(next).map_err(|_| TERM_IDS_EXHAUSTED)?)
}

/// Adds postings to a term; all of them belong in the same chunk.
fn insert_postings(conn: &Connection, id: i32, new: &[Posting]) -> Result<()> {
    let lowest = new.first().map_or(0, |posting| posting.lesson);
    let (base, data) = find_chunk(conn, id, lowest)?;
    let chunks = index::insert_postings((base, &data), new, CHUNK_BYTES)?;
    write_chunks(conn, id, chunks)
}

/// Removes a lesson from a term's postings, and the term from the dictionary after its last one.
fn remove_posting(conn: &Connection, scope: i64, term: &str, lesson: u32) -> Result<()> {
    let entry = find_term(conn, scope, term)?.ok_or(MISSING_TERM)?;
    if entry.df <= 1 {
        conn.prepare_cached("DELETE FROM index_term WHERE scope = ?1 AND term = ?2")?
            .execute(params![scope, term])?;
        return delete_chunks(conn, entry.id);
    }
    let (base, data) = find_chunk(conn, entry.id, lesson)?;
    let chunks = index::remove_posting((base, &data), lesson, CHUNK_BYTES)?;
    write_chunks(conn, entry.id, chunks)?;
    set_df(conn, scope, term, entry.df - 1)
}

/// Returns the chunk in which a lesson's posting is or belongs.
fn find_chunk(conn: &Connection, id: i32, lesson: u32) -> Result<PostingChunk> {
    let mut select = conn.prepare_cached(
        "SELECT key, data FROM index_posting WHERE key >= ?1 AND key < ?2
         ORDER BY key DESC LIMIT 1",
    )?;
    let mut rows = select.query([pack_key(id, 0), pack_key(id, lesson)])?;
    let row = rows.next()?.ok_or(MISSING_CHUNK)?;
    let data = row.get_ref(1)?.as_blob().map_err(|_| MISSING_CHUNK)?;
    Ok((lesson_number(row.get(0)?), data.to_owned()))
}

fn write_chunks(conn: &Connection, id: i32, chunks: Vec<PostingChunk>) -> Result<()> {
    let mut replace =
        conn.prepare_cached("INSERT OR REPLACE INTO index_posting (key, data) VALUES (?1, ?2)")?;
    for (base, data) in chunks {
        replace.execute(params![pack_key(id, base), data])?;
    }
    Ok(())
}

fn delete_chunks(conn: &Connection, id: i32) -> Result<()> {
    let mut delete =
        conn.prepare_cached("DELETE FROM index_posting WHERE key BETWEEN ?1 AND ?2")?;
    delete.execute([pack_key(id, 0), pack_key(id, u32::MAX)])?;
    Ok(())
}
