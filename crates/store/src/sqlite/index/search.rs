//! Search: reads the rows that [`index`](crate::index) asks for.

use hardwon_core::{DocTerms, LessonId, QueryTerms, TermLookup, TypedWord};
use rusqlite::{Connection, OptionalExtension as _, Statement, params};

use super::{doc_key, lesson_number, pack_key, read_count, read_totals};
use crate::{
    IndexError, IndexHit, IndexHits, IndexedLesson, PostingChunk, Result, ScopeSearch, SearchPlan,
    index::{MISSING_CHUNK, MISSING_LESSON, add_lessons},
};

/// Finds the best `limit` lessons of these scopes, which must differ from one another.
///
/// Everything is read from one state of the database: the caller's transaction, or one of its own.
pub fn search(
    conn: &Connection,
    scopes: &[i64],
    query: &QueryTerms,
    limit: usize,
) -> Result<IndexHits> {
    let own_transaction = conn.is_autocommit().then(|| conn.unchecked_transaction());
    let _one_state = own_transaction.transpose()?;
    let banks = scopes.iter().map(|scope| load_scope(conn, *scope, query));
    let (banks, ids): (Vec<_>, Vec<_>) = banks.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let plan = SearchPlan::new(query, &banks);
    let best_hits = plan.find_best(banks, limit, |scope, chosen| {
        let place = scopes.iter().position(|other| *other == scope);
        let ids: &Vec<Option<i32>> = &ids[place.expect("it is one of those searched")];
        let ids = chosen.iter().map(|term| ids[term.term]);
        ids.map(|id| id.map_or_else(|| Ok(Vec::new()), |id| read_chunks(conn, id)))
            .collect::<Result<_>>()
    })?;
    let mut select = conn.prepare_cached(SELECT_TERMS)?;
    let hits = best_hits
        .into_iter()
        .map(|best_hit| build_hit(&mut select, best_hit));
    let hits = hits.collect::<Result<_>>()?;
    Ok(plan.into_hits(hits))
}

/// Returns the newest `most` lessons of each of these scopes that have a term which a word may be, in ascending order;
/// perhaps a few more.
///
/// Fresh lessons are newer than all merged ones, so these are only read where the fresh ones are too few.
pub fn find_lessons_with(
    conn: &Connection,
    scopes: &[i64],
    word: &TypedWord,
    most: usize,
) -> Result<Vec<u32>> {
    let mut lessons = Vec::new();
    for scope in scopes {
        let merged_to = read_totals(conn, *scope)?.merged_to;
        let mut found = find_fresh_with(conn, *scope, merged_to, word, most)?;
        if found.len() < most {
            for id in find_term_ids(conn, *scope, word)? {
                found.extend(read_newest_lessons(conn, id, most)?);
            }
        }
        lessons.append(&mut found);
    }
    lessons.sort_unstable();
    lessons.dedup();
    Ok(lessons)
}

/// Returns the newest fresh lessons of a scope that have a term which a word may be.
fn find_fresh_with(
    conn: &Connection,
    scope: i64,
    merged_to: u32,
    word: &TypedWord,
    most: usize,
) -> Result<Vec<u32>> {
    let mut lessons = Vec::new();
    visit_fresh(conn, NEWEST_FRESH, scope, merged_to, |lesson, terms| {
        lessons.extend(word.may_be_in(terms).then_some(lesson));
        Ok(lessons.len() < most)
    })?;
    Ok(lessons)
}

/// Returns the terms of a scope's merged lessons that a word may be.
fn find_term_ids(conn: &Connection, scope: i64, word: &TypedWord) -> Result<Vec<i32>> {
    let mut select = conn.prepare_cached(
        "SELECT id, term FROM index_term WHERE scope = ?1 AND term >= ?2 AND term < ?3",
    )?;
    let mut ids = Vec::new();
    for [from, to] in word.stretches() {
        let mut rows = select.query(params![scope, from, to])?;
        while let Some(row) = rows.next()? {
            let term = row.get_ref(1)?.as_str().map_err(|_| TERMS_NOT_TEXT)?;
            if word.may_be(term) {
                ids.push(row.get(0)?);
            }
        }
    }
    Ok(ids)
}

fn build_hit(select: &mut Statement<'_>, found: IndexedLesson) -> Result<IndexHit> {
    let lesson = LessonId(found.lesson.into());
    let terms = select_terms(select, found.scope, lesson)?;
    Ok(IndexHit {
        scope: found.scope,
        lesson,
        terms: terms.ok_or(MISSING_LESSON)?,
        score: found.score,
    })
}

const TERMS_NOT_TEXT: IndexError = IndexError::Damaged("a lesson's terms are not text");

/// Selects a lesson's terms.
const SELECT_TERMS: &str = "SELECT terms FROM index_doc WHERE key = ?1";

/// Returns a lesson's terms as they were indexed; `None` if the index does not hold it.
pub(super) fn indexed_terms(
    conn: &Connection,
    scope: i64,
    lesson: LessonId,
) -> Result<Option<DocTerms>> {
    let mut select = conn.prepare_cached(SELECT_TERMS)?;
    select_terms(&mut select, scope, lesson)
}

fn select_terms(
    select: &mut Statement<'_>,
    scope: i64,
    lesson: LessonId,
) -> Result<Option<DocTerms>> {
    let terms = select.query_row([doc_key(scope, lesson)?], |row| row.get(0));
    Ok(terms.optional()?.map(DocTerms::from_packed))
}

/// Reads what a scope knows of each query term, and each term's id in the dictionary if merged lessons have it.
fn load_scope(
    conn: &Connection,
    scope: i64,
    query: &QueryTerms,
) -> Result<(ScopeSearch, Vec<Option<i32>>)> {
    let totals = read_totals(conn, scope)?;
    let mut bank = ScopeSearch::new(scope, totals, query);
    let mut ids = vec![None; query.terms.len()];
    if totals.merged_to > 0 {
        count_merged(conn, &mut bank, query, &mut ids)?;
    }
    if totals.fresh_words > 0 {
        let lookup = TermLookup::from_query(query);
        for_each_fresh(conn, scope, totals.merged_to, |lesson, terms| {
            bank.count_fresh(lesson, terms, &lookup)?;
            Ok(true)
        })?;
    }
    Ok((bank, ids))
}

fn count_merged(
    conn: &Connection,
    bank: &mut ScopeSearch,
    query: &QueryTerms,
    ids: &mut [Option<i32>],
) -> Result<()> {
    let mut select =
        conn.prepare_cached("SELECT id, df FROM index_term WHERE scope = ?1 AND term = ?2")?;
    for (place, (term, _)) in query.terms.iter().enumerate() {
        let mut rows = select.query(params![bank.scope(), term])?;
        if let Some(row) = rows.next()? {
            ids[place] = Some(row.get(0)?);
            bank.count_merged(place, read_count(row, 1)?);
        }
    }
    Ok(())
}

/// Visits the fresh lessons of a scope with their packed terms, in ascending order, until `visit` returns false.
pub(super) fn for_each_fresh(
    conn: &Connection,
    scope: i64,
    merged_to: u32,
    visit: impl FnMut(u32, &str) -> Result<bool>,
) -> Result<()> {
    visit_fresh(conn, OLDEST_FRESH, scope, merged_to, visit)
}

const OLDEST_FRESH: &str =
    "SELECT key, terms FROM index_doc WHERE key > ?1 AND key <= ?2 ORDER BY key";
const NEWEST_FRESH: &str =
    "SELECT key, terms FROM index_doc WHERE key > ?1 AND key <= ?2 ORDER BY key DESC";

fn visit_fresh(
    conn: &Connection,
    sql: &str,
    scope: i64,
    merged_to: u32,
    mut visit: impl FnMut(u32, &str) -> Result<bool>,
) -> Result<()> {
    let start = doc_key(scope, LessonId(1))? - 1;
    let keys = [start + i64::from(merged_to), start + i64::from(u32::MAX)];
    let mut select = conn.prepare_cached(sql)?;
    let mut rows = select.query(keys)?;
    while let Some(row) = rows.next()? {
        let terms = row.get_ref(1)?.as_str().map_err(|_| TERMS_NOT_TEXT)?;
        if !visit(lesson_number(row.get(0)?), terms)? {
            break;
        }
    }
    Ok(())
}

/// Returns the newest `most` lessons that have a term, in no order; the rest of the chunk in which the last of them is too.
fn read_newest_lessons(conn: &Connection, id: i32, most: usize) -> Result<Vec<u32>> {
    let mut select = conn.prepare_cached(
        "SELECT key, data FROM index_posting WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC",
    )?;
    let mut rows = select.query([pack_key(id, 0), pack_key(id, u32::MAX)])?;
    let mut lessons = Vec::new();
    while lessons.len() < most
        && let Some(row) = rows.next()?
    {
        let data = row.get_ref(1)?.as_blob().map_err(|_| MISSING_CHUNK)?;
        add_lessons(&mut lessons, lesson_number(row.get(0)?), data)?;
    }
    if lessons.is_empty() {
        Err(MISSING_CHUNK.into())
    } else {
        Ok(lessons)
    }
}

/// Reads a term's chunks.
pub(super) fn read_chunks(conn: &Connection, id: i32) -> Result<Vec<PostingChunk>> {
    let mut select = conn.prepare_cached(
        "SELECT key, data FROM index_posting WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    )?;
    let mut rows = select.query([pack_key(id, 0), pack_key(id, u32::MAX)])?;
    let mut chunks = Vec::new();
    while let Some(row) = rows.next()? {
        chunks.push((lesson_number(row.get(0)?), row.get(1)?));
    }
    if chunks.is_empty() {
        Err(MISSING_CHUNK.into())
    } else {
        Ok(chunks)
    }
}
