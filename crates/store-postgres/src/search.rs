//! Search: reads the rows that [`index`](hardwon_store::index) asks for, with one wait for the statistics, one for long
//! lists of postings if there are any, and one for the lessons found.

use std::collections::HashMap;

use hardwon_core::{
    DocTerms, Lesson, LessonId, QueryTerms, Scope, SearchHit, SearchResults, TermLookup, TypedWord,
};
use hardwon_store::{
    IndexError, IndexHit, IndexHits, IndexedLesson, LessonQuery, PostingChunk, Result, ScopeSearch,
    SearchPlan,
    index::{MISSING_CHUNK, MISSING_LESSON, add_lessons},
    rows::{self, LESSON_COLUMNS, ReadColumns as _},
    tables::read_numbered_lesson,
};
use tokio_postgres::Row;

use crate::{
    postings::read_chunk,
    rows::PostgresRows,
    session::{Request, TenantKey},
    totals::read_totals,
    values::{RowColumns, SqlValue, values},
};

/// The totals of the scopes visible from one.
const SELECT_TOTALS: &str = "SELECT s.id, i.docs, i.length, i.merged_to, i.fresh FROM hardwon.scope s \
     JOIN hardwon.index_scope i ON i.tenant = s.tenant AND i.scope = s.id \
     WHERE s.tenant = $1 AND s.agent = $2 AND s.project = ANY($3)";
/// Their merged lessons that have the terms of a query.
const SELECT_TERMS: &str = "SELECT t.scope, t.term, t.df, t.short FROM hardwon.scope s \
     JOIN hardwon.index_term t ON t.tenant = s.tenant AND t.scope = s.id \
     WHERE s.tenant = $1 AND s.agent = $2 AND s.project = ANY($3) AND t.term = ANY($4)";
/// Their fresh lessons, at most one for each fresh word. The limit is for the planner, whose statistics do not say that
/// those are few: without it, it reads all lessons of a large tenant to find them.
const SELECT_FRESH: &str = "SELECT i.scope, d.lesson, d.terms FROM hardwon.scope s \
     JOIN hardwon.index_scope i ON i.tenant = s.tenant AND i.scope = s.id \
     CROSS JOIN LATERAL (SELECT lesson, terms FROM hardwon.index_doc \
         WHERE tenant = s.tenant AND scope = i.scope AND lesson > i.merged_to \
         ORDER BY lesson LIMIT i.fresh) d \
     WHERE s.tenant = $1 AND s.agent = $2 AND s.project = ANY($3) ORDER BY i.scope, d.lesson";
/// The merged lessons of scopes that have terms of two stretches, and the chunks of those with long lists.
const SELECT_STRETCHES: &str = "SELECT t.term, t.short, c.after, c.postings FROM hardwon.index_term t \
     LEFT JOIN hardwon.index_chunk c ON c.tenant = t.tenant AND c.scope = t.scope AND c.term = t.term \
     WHERE t.tenant = $1 AND t.scope = ANY($2) \
     AND (t.term >= $3 AND t.term < $4 OR t.term >= $5 AND t.term < $6)";
/// The fresh lessons of scopes.
const SELECT_FRESH_OF: &str = "SELECT d.lesson, d.terms FROM hardwon.index_scope i \
     CROSS JOIN LATERAL (SELECT lesson, terms FROM hardwon.index_doc \
         WHERE tenant = i.tenant AND scope = i.scope AND lesson > i.merged_to \
         ORDER BY lesson LIMIT i.fresh) d \
     WHERE i.tenant = $1 AND i.scope = ANY($2)";
/// The chunks of long lists.
const SELECT_CHUNKS: &str = "SELECT scope, term, after, postings FROM hardwon.index_chunk \
     WHERE tenant = $1 AND scope = ANY($2) AND term = ANY($3) ORDER BY scope, term, after";

/// What the dictionary says of a term that merged lessons of a scope have: its postings, unless they are in chunks.
type ShortLists = HashMap<(i64, usize), Option<Vec<u8>>>;

/// The chunks of terms, by scope and place in the query.
type ChunkLists = HashMap<(i64, usize), Vec<PostingChunk>>;

impl PostgresRows<'_> {
    /// Returns the best matches, including expired lessons.
    pub(crate) fn find_best(&self, query: &LessonQuery, limit: usize) -> Result<SearchResults> {
        let key = TenantKey::from_name(&query.scope.tenant);
        let (banks, lists) = self.load_scopes(key, &query.scope, &query.terms)?;
        let plan = SearchPlan::new(&query.terms, &banks);
        let mut chunks = self.load_chunks(key, &query.terms, &plan, lists)?;
        let best_hits = plan.find_best(banks, limit, |scope, chosen| {
            let take = |term: usize| chunks.remove(&(scope, term)).unwrap_or_default();
            Ok::<_, IndexError>(chosen.iter().map(|term| term.term).map(take).collect())
        })?;
        let (lessons, hits) = self.load_hits(key, &query.scope, &best_hits)?;
        let IndexHits { stats, df, hits } = plan.into_hits(hits);
        let hits = hits
            .into_iter()
            .zip(lessons)
            .map(|(hit, lesson)| SearchHit {
                lesson,
                terms: hit.terms,
                score: hit.score,
                similarity: None,
            });
        Ok(SearchResults {
            stats,
            df,
            hits: hits.collect(),
        })
    }

    /// Returns the lessons of scopes that have a term which a word may be, in ascending order.
    pub(crate) fn find_with_word(
        &self,
        key: TenantKey,
        scopes: &[i64],
        word: &TypedWord,
    ) -> Result<Vec<u32>> {
        let scopes = scopes.to_vec();
        let bounds = word.stretches().into_iter().flatten().map(SqlValue::from);
        let places = values![key, scopes.clone()].into_iter().chain(bounds);
        let answers = self.session.query_all(
            key,
            vec![
                Request::new(SELECT_STRETCHES, places.collect()),
                Request::new(SELECT_FRESH_OF, values![key, scopes]),
            ],
        )?;
        let mut lessons = Vec::new();
        for row in &answers[0] {
            let mut row = RowColumns::new(row);
            if word.may_be(&row.next_string()?) {
                let short = row.next_optional_bytes()?.map(|short| (0, short.to_vec()));
                for (after, data) in short.into_iter().chain(read_chunk(&mut row)?) {
                    add_lessons(&mut lessons, after, &data)?;
                }
            }
        }
        for row in &answers[1] {
            let mut row = RowColumns::new(row);
            let lesson = row.next_small_count()?;
            lessons.extend(word.may_be_in(&row.next_string()?).then_some(lesson));
        }
        lessons.sort_unstable();
        lessons.dedup();
        Ok(lessons)
    }

    /// Reads what the visible scopes know of each term.
    fn load_scopes(
        &self,
        key: TenantKey,
        scope: &Scope,
        query: &QueryTerms,
    ) -> Result<(Vec<ScopeSearch>, ShortLists)> {
        self.totals.send_changed(&self.session, key)?;
        let visible = scope.visible_scopes();
        let projects = SqlValue::from_texts(visible.iter().map(rows::project_column));
        let places = || vec![key.into(), scope.agent.as_str().into(), projects.clone()];
        let terms = SqlValue::from_texts(query.terms.iter().map(|(term, _)| term.as_str()));
        let answers = self.session.query_all(
            key,
            vec![
                Request::new(SELECT_TOTALS, places()),
                Request::new(SELECT_TERMS, places().into_iter().chain([terms]).collect()),
                Request::new(SELECT_FRESH, places()),
            ],
        )?;
        let mut banks = read_banks(&answers[0], query)?;
        let lists = count_merged(&answers[1], query, &mut banks)?;
        count_fresh(&answers[2], query, &mut banks)?;
        Ok((banks, lists))
    }

    /// Reads the postings of the chosen terms: those at hand, and long lists.
    fn load_chunks(
        &self,
        key: TenantKey,
        query: &QueryTerms,
        plan: &SearchPlan,
        mut lists: ShortLists,
    ) -> Result<ChunkLists> {
        let is_chosen = |term: usize| plan.chosen().iter().any(|other| other.term == term);
        lists.retain(|(_, term), _| is_chosen(*term));
        let long = lists
            .iter()
            .filter(|list| list.1.is_none())
            .map(|list| *list.0);
        let long: Vec<(i64, usize)> = long.collect();
        let mut chunks = ChunkLists::new();
        if !long.is_empty() {
            let scopes: Vec<i64> = long.iter().map(|long| long.0).collect();
            let terms =
                SqlValue::from_texts(long.iter().map(|long| query.terms[long.1].0.as_str()));
            let values = vec![key.into(), scopes.into(), terms];
            for row in &self.session.query(key, SELECT_CHUNKS, values)? {
                let mut row = RowColumns::new(row);
                let (scope, term) = (row.next_integer()?, row.next_string()?);
                let chunk = (row.next_small_count()?, row.next_bytes()?.to_vec());
                let place = find_place(query, &term).ok_or(MISSING_CHUNK)?;
                chunks.entry((scope, place)).or_default().push(chunk);
            }
        }
        for (place, short) in lists {
            match short {
                Some(data) => drop(chunks.insert(place, vec![(0, data)])),
                None if !chunks.contains_key(&place) => return Err(MISSING_CHUNK.into()),
                None => {}
            }
        }
        Ok(chunks)
    }

    /// Reads the lessons found, with their terms.
    fn load_hits(
        &self,
        key: TenantKey,
        scope: &Scope,
        found: &[IndexedLesson],
    ) -> Result<(Vec<Lesson>, Vec<IndexHit>)> {
        if found.is_empty() {
            return Ok(Default::default());
        }
        let sql = format!(
            "SELECT d.terms, l.number, s.agent, s.project, {LESSON_COLUMNS} FROM hardwon.lesson l
             JOIN hardwon.scope s ON s.tenant = l.tenant AND s.id = l.scope
             JOIN hardwon.index_doc d ON d.tenant = l.tenant AND d.scope = l.scope AND d.lesson = l.number
             WHERE l.tenant = $1 AND l.number = ANY($2)"
        );
        let numbers: Vec<i64> = found.iter().map(|row| row.lesson.into()).collect();
        let mut there = HashMap::with_capacity(found.len());
        for row in &self.session.query(key, sql, values![key, numbers])? {
            let mut row = RowColumns::new(row);
            let terms = DocTerms::from_packed(row.next_string()?);
            let lesson = read_numbered_lesson(&mut row, &scope.tenant)?;
            there.insert(lesson.id, (lesson, terms));
        }
        let (mut lessons, mut hits) = (Vec::new(), Vec::new());
        for found in found {
            let id = LessonId(found.lesson.into());
            let (lesson, terms) = there.remove(&id).ok_or(MISSING_LESSON)?;
            lessons.push(lesson);
            hits.push(IndexHit {
                scope: found.scope,
                lesson: id,
                terms,
                score: found.score,
            });
        }
        Ok((lessons, hits))
    }
}

/// Returns the place of a term in a query.
fn find_place(query: &QueryTerms, term: &str) -> Option<usize> {
    query.terms.iter().position(|pair| pair.0 == term)
}

fn read_banks(found: &[Row], query: &QueryTerms) -> Result<Vec<ScopeSearch>> {
    let read = |row| {
        let mut row = RowColumns::new(row);
        let scope = row.next_integer()?;
        Ok(ScopeSearch::new(scope, read_totals(&mut row)?, query))
    };
    found.iter().map(read).collect()
}

fn find_bank(banks: &mut [ScopeSearch], scope: i64) -> Result<&mut ScopeSearch> {
    let missing = IndexError::Damaged("a scope has terms and no totals");
    Ok(banks
        .iter_mut()
        .find(|bank| bank.scope() == scope)
        .ok_or(missing)?)
}

fn count_merged(
    found: &[Row],
    query: &QueryTerms,
    banks: &mut [ScopeSearch],
) -> Result<ShortLists> {
    let mut lists = ShortLists::with_capacity(found.len());
    for row in found {
        let mut row = RowColumns::new(row);
        let (scope, term, df) = (row.next_integer()?, row.next_string()?, row.next_count()?);
        let Some(place) = find_place(query, &term) else {
            continue;
        };
        find_bank(banks, scope)?.count_merged(place, df);
        lists.insert(
            (scope, place),
            row.next_optional_bytes()?.map(<[u8]>::to_vec),
        );
    }
    Ok(lists)
}

fn count_fresh(found: &[Row], query: &QueryTerms, banks: &mut [ScopeSearch]) -> Result<()> {
    let lookup = TermLookup::from_query(query);
    for row in found {
        let mut row = RowColumns::new(row);
        let (scope, lesson) = (row.next_integer()?, row.next_small_count()?);
        find_bank(banks, scope)?.count_fresh(lesson, &row.next_string()?, &lookup)?;
    }
    Ok(())
}
