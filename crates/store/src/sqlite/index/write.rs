//! Index writes: a lesson is added fresh, merged later, and can be removed exactly.
//!
//! All of it runs inside the caller's transaction. What was indexed is read from the lesson's index row, never from the
//! lesson as it is now, so removing undoes exactly what adding did.

use std::collections::HashMap;

use hardwon_core::{bm25, id::LessonId, tokens::DocTerms};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    IndexError, IndexScopeRow, MISSING_CHUNK, doc_key, lesson_number, pack_key,
    postings::{Posting, pack_postings, unpack_chunk},
    search::{fresh_key_range, indexed_terms},
};

/// Most words whose postings are gathered in memory at once: about 20 MB.
const MERGE_WORDS_MAX: u64 = 1_000_000;
/// Fewest words to merge at once, so that not every commit has to merge: some 25 lessons.
const MERGE_WORDS_MIN: u64 = 1_000;

/// Adds a lesson that the index does not hold yet. Call [`merge_postings`] for the scope before the commit.
///
/// A lesson with a higher number than any merged one is added fresh; another, such as one that a person approves late,
/// goes into the postings at once.
pub fn add_lesson(
    conn: &Connection,
    scope: i64,
    lesson: LessonId,
    terms: &DocTerms,
) -> Result<(), IndexError> {
    let doc_key = doc_key(scope, lesson)?;
    let mut insert = conn.prepare_cached("INSERT INTO index_doc (key, terms) VALUES (?1, ?2)")?;
    insert.execute(params![doc_key, terms.as_str()])?;
    let row = IndexScopeRow::read(conn, scope)?;
    let is_fresh = lesson_number(doc_key) > row.merged_to;
    if !is_fresh {
        let mut lists = PostingLists::default();
        lists.add_lesson(lesson_number(doc_key), terms);
        lists.write_to(conn, scope)?;
    }
    update_stats(conn, scope, &StatsDelta::from_terms(terms, is_fresh), 1)
}

/// Removes a lesson; returns whether the index held it.
pub fn remove_lesson(conn: &Connection, scope: i64, lesson: LessonId) -> Result<bool, IndexError> {
    let Some(terms) = indexed_terms(conn, scope, lesson)? else {
        return Ok(false);
    };
    let doc_key = doc_key(scope, lesson)?;
    conn.prepare_cached("DELETE FROM index_doc WHERE key = ?1")?
        .execute([doc_key])?;
    let row = IndexScopeRow::read(conn, scope)?;
    let is_fresh = lesson_number(doc_key) > row.merged_to;
    if !is_fresh {
        for term in terms.term_counts().into_keys() {
            remove_posting(conn, scope, term, lesson_number(doc_key))?;
        }
    }
    update_stats(conn, scope, &StatsDelta::from_terms(&terms, is_fresh), -1)?;
    Ok(true)
}

/// Merges a scope's oldest fresh lessons if all together have more than `fresh_words` words: the excess, and a few
/// more.
///
/// A writer calls this once for each scope it added to, before it commits: with [`FRESH_WORDS`](super::FRESH_WORDS), or
/// with zero to merge all fresh lessons.
pub fn merge_postings(conn: &Connection, scope: i64, fresh_words: u32) -> Result<(), IndexError> {
    loop {
        let fresh = IndexScopeRow::read(conn, scope)?.fresh_words;
        let too_many = fresh.saturating_sub(fresh_words.into());
        if too_many == 0
            || !merge_run(
                conn,
                scope,
                too_many.clamp(MERGE_WORDS_MIN, MERGE_WORDS_MAX),
            )?
        {
            return Ok(());
        }
    }
}

/// One lesson's share of its scope's statistics.
struct StatsDelta {
    length: i64,
    fresh: i64,
}

impl StatsDelta {
    fn from_terms(terms: &DocTerms, is_fresh: bool) -> Self {
        let words = i64::try_from(terms.weighted_terms().count()).expect("a lesson fits in memory");
        Self {
            length: terms.weighted_length().into(),
            fresh: if is_fresh { words + 1 } else { 0 },
        }
    }
}

/// Adds to a scope's statistics, or subtracts when `sign` is -1.
fn update_stats(
    conn: &Connection,
    scope: i64,
    counted: &StatsDelta,
    sign: i64,
) -> Result<(), IndexError> {
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
fn merge_run(conn: &Connection, scope: i64, least: u64) -> Result<bool, IndexError> {
    let merged_to = IndexScopeRow::read(conn, scope)?.merged_to;
    let [from, to] = fresh_key_range(scope, merged_to)?;
    let mut select = conn.prepare_cached(
        "SELECT key, terms FROM index_doc WHERE key > ?1 AND key <= ?2 ORDER BY key",
    )?;
    let mut rows = select.query([from, to])?;
    let (mut lists, mut last, mut words) = (PostingLists::default(), merged_to, 0);
    while words < least.cast_signed() {
        let Some(row) = rows.next()? else { break };
        let terms = DocTerms::from_packed(row.get(1)?);
        last = lesson_number(row.get(0)?);
        lists.add_lesson(last, &terms);
        words += StatsDelta::from_terms(&terms, true).fresh;
    }
    drop(rows);
    lists.write_to(conn, scope)?;
    let mut update = conn.prepare_cached(
        "UPDATE index_scope SET merged_to = ?2, fresh = fresh - ?3 WHERE scope = ?1",
    )?;
    update.execute(params![scope, last, words])?;
    Ok(last > merged_to)
}

/// Postings gathered by term.
#[derive(Default)]
struct PostingLists(HashMap<String, Vec<Posting>>);

impl PostingLists {
    /// Gathers a lesson's postings; lessons must come in ascending order.
    fn add_lesson(&mut self, lesson: u32, terms: &DocTerms) {
        let length = bm25::encode_length(terms.weighted_length());
        for (term, halves) in terms.term_counts() {
            let posting = Posting {
                lesson,
                halves,
                length,
            };
            match self.0.get_mut(term) {
                Some(list) => list.push(posting),
                None => drop(self.0.insert(term.to_owned(), vec![posting])),
            }
        }
    }

    /// Writes the postings, in the dictionary's order of terms.
    fn write_to(self, conn: &Connection, scope: i64) -> Result<(), IndexError> {
        let mut lists: Vec<_> = self.0.into_iter().collect();
        lists.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut next_id = next_term_id(conn)?;
        for (term, list) in lists {
            let more = i64::try_from(list.len()).expect("a list fits in memory");
            match find_term(conn, scope, &term)? {
                Some(known) => {
                    insert_postings(conn, known.id, &list)?;
                    set_df(conn, scope, &term, known.df + more)?;
                }
                None => {
                    write_chunks(conn, next_id, 0, &list)?;
                    insert_term(conn, scope, &term, next_id, more)?;
                    next_id = next_id.checked_add(1).ok_or(TERM_IDS_EXHAUSTED)?;
                }
            }
        }
        Ok(())
    }
}

const TERM_IDS_EXHAUSTED: IndexError = IndexError::Damaged("there are no term numbers left");
const MISSING_TERM: IndexError = IndexError::Damaged("a lesson's term is not in the dictionary");
const MISSING_POSTING: IndexError = IndexError::Damaged("a lesson's posting is not there");

/// A term's row in the dictionary.
struct TermEntry {
    id: i32,
    df: i64,
}

fn find_term(conn: &Connection, scope: i64, term: &str) -> Result<Option<TermEntry>, IndexError> {
    let mut select =
        conn.prepare_cached("SELECT id, df FROM index_term WHERE scope = ?1 AND term = ?2")?;
    let known = select.query_row(params![scope, term], |row| {
        Ok(TermEntry {
            id: row.get(0)?,
            df: row.get(1)?,
        })
    });
    Ok(known.optional()?)
}

fn insert_term(
    conn: &Connection,
    scope: i64,
    term: &str,
    id: i32,
    df: i64,
) -> Result<(), IndexError> {
    let mut insert = conn
        .prepare_cached("INSERT INTO index_term (scope, term, id, df) VALUES (?1, ?2, ?3, ?4)")?;
    insert.execute(params![scope, term, id, df])?;
    Ok(())
}

fn set_df(conn: &Connection, scope: i64, term: &str, df: i64) -> Result<(), IndexError> {
    let mut update =
        conn.prepare_cached("UPDATE index_term SET df = ?3 WHERE scope = ?1 AND term = ?2")?;
    update.execute(params![scope, term, df])?;
    Ok(())
}

/// Returns a term id above every used one. Every term in the dictionary has postings.
fn next_term_id(conn: &Connection) -> Result<i32, IndexError> {
    let mut select = conn.prepare_cached("SELECT max(key) FROM index_posting")?;
    let highest: Option<i64> = select.query_row([], |row| row.get(0))?;
    let next = highest.map_or(0, |key| (key >> 32) + 1);
    i32::try_from(next).map_err(|_| TERM_IDS_EXHAUSTED)
}

/// Adds postings to a term; all of them belong in the same chunk.
fn insert_postings(conn: &Connection, id: i32, new: &[Posting]) -> Result<(), IndexError> {
    let lowest = new.first().map_or(0, |posting| posting.lesson);
    let (base, mut postings) = find_chunk(conn, id, lowest)?;
    postings.extend_from_slice(new);
    postings.sort_by_key(|posting| posting.lesson);
    write_chunks(conn, id, base, &postings)
}

/// Removes a lesson from a term's postings, and the term from the dictionary after its last one.
fn remove_posting(
    conn: &Connection,
    scope: i64,
    term: &str,
    lesson: u32,
) -> Result<(), IndexError> {
    let known = find_term(conn, scope, term)?.ok_or(MISSING_TERM)?;
    if known.df <= 1 {
        conn.prepare_cached("DELETE FROM index_term WHERE scope = ?1 AND term = ?2")?
            .execute(params![scope, term])?;
        return delete_chunks(conn, known.id);
    }
    let (base, mut postings) = find_chunk(conn, known.id, lesson)?;
    let place = postings.binary_search_by_key(&lesson, |posting| posting.lesson);
    postings.remove(place.map_err(|_| MISSING_POSTING)?);
    write_chunks(conn, known.id, base, &postings)?;
    set_df(conn, scope, term, known.df - 1)
}

/// Returns the base and postings of the chunk in which a lesson's posting is or belongs.
fn find_chunk(conn: &Connection, id: i32, lesson: u32) -> Result<(u32, Vec<Posting>), IndexError> {
    let mut select = conn.prepare_cached(
        "SELECT key, data FROM index_posting WHERE key >= ?1 AND key < ?2
         ORDER BY key DESC LIMIT 1",
    )?;
    let mut rows = select.query([pack_key(id, 0), pack_key(id, lesson)])?;
    let row = rows.next()?.ok_or(MISSING_CHUNK)?;
    let base = lesson_number(row.get(0)?);
    let data = row.get_ref(1)?.as_blob().map_err(|_| MISSING_CHUNK)?;
    Ok((base, unpack_chunk(base, data)?))
}

fn write_chunks(
    conn: &Connection,
    id: i32,
    base: u32,
    postings: &[Posting],
) -> Result<(), IndexError> {
    let mut replace =
        conn.prepare_cached("INSERT OR REPLACE INTO index_posting (key, data) VALUES (?1, ?2)")?;
    for (base, data) in pack_postings(base, postings)? {
        replace.execute(params![pack_key(id, base), data])?;
    }
    Ok(())
}

fn delete_chunks(conn: &Connection, id: i32) -> Result<(), IndexError> {
    let mut delete =
        conn.prepare_cached("DELETE FROM index_posting WHERE key BETWEEN ?1 AND ?2")?;
    delete.execute([pack_key(id, 0), pack_key(id, u32::MAX)])?;
    Ok(())
}
