//! Search: from a prompt's terms to the best lessons, with bounded work.
//!
//! First the dictionary says how many lessons have each term and the fresh lessons are counted in; then
//! [`bm25::select`] chooses the terms whose postings are worth reading; then their postings are added up window by
//! window, each lesson's parts in the order of that choice.

use std::collections::VecDeque;

use hardwon_core::{
    bm25::{self, CorpusStats, Scorer},
    id::LessonId,
    tokens::{DocTerms, QueryTerms, TermLookup},
};
use rusqlite::{Connection, OptionalExtension as _, Statement, params};

use super::{
    IndexError, IndexScopeRow, MISSING_CHUNK, doc_key, lesson_number, pack_key,
    postings::{self, Posting},
    read_count,
    top::{BestLessons, ScoreWindow},
};

/// The result of an index search.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexHits {
    /// Statistics of all the scopes together.
    pub stats: CorpusStats,
    /// How many lessons have each query term, in the order of [`QueryTerms::terms`].
    pub df: Vec<u64>,
    /// The best lessons, by descending score, then descending lesson number.
    pub hits: Vec<IndexHit>,
}

/// A lesson that shares terms with the query.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexHit {
    /// The scope it was found in.
    pub scope: i64,
    /// The lesson's number.
    pub lesson: LessonId,
    /// Its terms as they were indexed.
    pub terms: DocTerms,
    /// Its BM25 score over the selected query terms.
    pub score: f32,
}

/// Finds the best `limit` lessons of these scopes, which must differ from one another.
///
/// Everything is read from one state of the database: the caller's transaction, or one of its own.
pub fn search(
    conn: &Connection,
    scopes: &[i64],
    query: &QueryTerms,
    limit: usize,
) -> Result<IndexHits, IndexError> {
    let own_transaction = conn.is_autocommit().then(|| conn.unchecked_transaction());
    let _one_state = own_transaction.transpose()?;
    let banks = scopes
        .iter()
        .map(|scope| ScopeSearch::load(conn, *scope, query));
    let banks = banks.collect::<Result<Vec<_>, _>>()?;
    let stats = CorpusStats {
        docs: banks.iter().map(|bank| bank.row.docs).sum(),
        length: banks.iter().map(|bank| bank.row.length).sum(),
    };
    let df = |term: usize| banks.iter().map(|bank| bank.terms[term].df).sum();
    let df: Vec<u64> = (0..query.terms.len()).map(df).collect();
    let boost = |term: usize| (term, bm25::term_weight(query, term, df[term], stats.docs));
    let selected = bm25::select_terms(query, &df, stats.docs)
        .into_iter()
        .map(boost);
    let selected: Vec<(usize, f32)> = selected.collect();

    let scorer = Scorer::new(stats);
    let mut window = ScoreWindow::new();
    let mut found = Vec::new();
    for bank in banks {
        let scope = bank.scope;
        let best = bank.top_lessons(conn, &selected, &scorer, &mut window, limit)?;
        found.extend(
            best.into_iter()
                .map(|(lesson, score)| (scope, lesson, score)),
        );
    }
    found.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then(b.1.cmp(&a.1)));
    found.truncate(limit);
    let mut select = conn.prepare_cached(SELECT_TERMS)?;
    let hits = found
        .into_iter()
        .map(|found| build_hit(&mut select, found))
        .collect::<Result<_, _>>()?;
    Ok(IndexHits { stats, df, hits })
}

fn build_hit(
    select: &mut Statement<'_>,
    (scope, lesson, score): (i64, u32, f32),
) -> Result<IndexHit, IndexError> {
    let lesson = LessonId(lesson.into());
    let terms = select_terms(select, scope, lesson)?;
    Ok(IndexHit {
        scope,
        lesson,
        terms: terms.ok_or(IndexError::Damaged(
            "a posting names a lesson that is not there",
        ))?,
        score,
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
) -> Result<Option<DocTerms>, IndexError> {
    let mut select = conn.prepare_cached(SELECT_TERMS)?;
    select_terms(&mut select, scope, lesson)
}

fn select_terms(
    select: &mut Statement<'_>,
    scope: i64,
    lesson: LessonId,
) -> Result<Option<DocTerms>, IndexError> {
    let terms = select.query_row([doc_key(scope, lesson)?], |row| row.get(0));
    Ok(terms.optional()?.map(DocTerms::from_packed))
}

/// The search of one scope, with its postings for each query term.
struct ScopeSearch {
    scope: i64,
    row: IndexScopeRow,
    terms: Vec<TermList>,
}

/// A scope's postings for one query term.
#[derive(Clone, Default)]
struct TermList {
    /// The term's id in the dictionary; `None` if no merged lesson has the term.
    id: Option<i32>,
    /// Lessons that have the term, merged and fresh.
    df: u64,
    /// The fresh ones as a chunk of postings, and the last of them.
    fresh: Vec<u8>,
    fresh_last: u32,
}

impl ScopeSearch {
    fn load(conn: &Connection, scope: i64, query: &QueryTerms) -> Result<Self, IndexError> {
        let row = IndexScopeRow::read(conn, scope)?;
        let mut bank = Self {
            scope,
            row,
            terms: vec![TermList::default(); query.terms.len()],
        };
        if row.merged_to > 0 {
            bank.load_merged(conn, query)?;
        }
        if row.fresh_words > 0 {
            bank.count_fresh(conn, query)?;
        }
        Ok(bank)
    }

    fn load_merged(&mut self, conn: &Connection, query: &QueryTerms) -> Result<(), IndexError> {
        let mut select =
            conn.prepare_cached("SELECT id, df FROM index_term WHERE scope = ?1 AND term = ?2")?;
        for (list, (term, _)) in self.terms.iter_mut().zip(&query.terms) {
            let mut rows = select.query(params![self.scope, term])?;
            if let Some(row) = rows.next()? {
                (list.id, list.df) = (Some(row.get(0)?), read_count(row, 1)?);
            }
        }
        Ok(())
    }

    /// Counts the query terms in the fresh lessons.
    fn count_fresh(&mut self, conn: &Connection, query: &QueryTerms) -> Result<(), IndexError> {
        let wanted = TermLookup::from_query(query);
        let mut halves_of = vec![0_u32; query.terms.len()];
        let mut select = conn.prepare_cached(
            "SELECT key, terms FROM index_doc WHERE key > ?1 AND key <= ?2 ORDER BY key",
        )?;
        let mut rows = select.query(fresh_key_range(self.scope, self.row.merged_to)?)?;
        while let Some(row) = rows.next()? {
            let packed = row.get_ref(1)?.as_str().map_err(|_| TERMS_NOT_TEXT)?;
            let length = wanted.for_each_match(packed, |place, halves| halves_of[place] += halves);
            let lesson = lesson_number(row.get(0)?);
            let length = bm25::encode_length(length);
            for (list, halves) in self.terms.iter_mut().zip(&mut halves_of) {
                if *halves > 0 {
                    list.push_fresh(
                        self.row.merged_to,
                        Posting {
                            lesson,
                            halves: *halves,
                            length,
                        },
                    )?;
                    *halves = 0;
                }
            }
        }
        Ok(())
    }

    /// Scores the lessons by the selected terms, and returns the best.
    fn top_lessons(
        mut self,
        conn: &Connection,
        selected: &[(usize, f32)],
        scorer: &Scorer,
        window: &mut ScoreWindow,
        limit: usize,
    ) -> Result<Vec<(u32, f32)>, IndexError> {
        let merged_to = self.row.merged_to;
        let stream = |(term, boost): &(usize, f32)| {
            let list = std::mem::take(&mut self.terms[*term]);
            PostingStream::open(conn, list, merged_to, *boost)
        };
        let mut streams = selected.iter().map(stream).collect::<Result<Vec<_>, _>>()?;
        let mut best = BestLessons::new(limit);
        while let Some(next) = lowest_next_lesson(&streams)? {
            let last = ScoreWindow::last_lesson(next);
            for stream in &mut streams {
                stream.add_scores_until(window, last, scorer)?;
            }
            window.drain_into(last, &mut best);
        }
        Ok(best.into_sorted())
    }
}

impl TermList {
    fn push_fresh(&mut self, merged_to: u32, posting: Posting) -> Result<(), IndexError> {
        let before = self.fresh_last.max(merged_to);
        postings::push_posting(&mut self.fresh, before, posting)?;
        self.fresh_last = posting.lesson;
        self.df += 1;
        Ok(())
    }
}

/// Returns the range of keys of a scope's fresh lessons, without the lower bound.
pub(super) fn fresh_key_range(scope: i64, merged_to: u32) -> Result<[i64; 2], IndexError> {
    let start = doc_key(scope, LessonId(1))? - 1;
    Ok([start + i64::from(merged_to), start + i64::from(u32::MAX)])
}

fn lowest_next_lesson(streams: &[PostingStream]) -> Result<Option<u32>, IndexError> {
    let mut least = None;
    for stream in streams {
        let next = stream.next_lesson()?;
        least = least.into_iter().chain(next).min();
    }
    Ok(least)
}

/// A reader over one term's postings.
struct PostingStream {
    boost: f32,
    chunks: VecDeque<ChunkReader>,
}

/// A reader over one chunk.
struct ChunkReader {
    /// The lesson after which to continue.
    before: u32,
    data: Vec<u8>,
    read: usize,
}

impl PostingStream {
    fn open(
        conn: &Connection,
        list: TermList,
        merged_to: u32,
        boost: f32,
    ) -> Result<Self, IndexError> {
        let mut chunks = VecDeque::new();
        if let Some(id) = list.id {
            let mut select = conn.prepare_cached(
                "SELECT key, data FROM index_posting WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
            )?;
            let mut rows = select.query([pack_key(id, 0), pack_key(id, u32::MAX)])?;
            while let Some(row) = rows.next()? {
                chunks.push_back(ChunkReader::new(lesson_number(row.get(0)?), row.get(1)?));
            }
            if chunks.is_empty() {
                return Err(MISSING_CHUNK);
            }
        }
        chunks.push_back(ChunkReader::new(merged_to, list.fresh));
        chunks.retain(|chunk| !chunk.data.is_empty());
        Ok(Self { boost, chunks })
    }

    fn next_lesson(&self) -> Result<Option<u32>, IndexError> {
        let Some(chunk) = self.chunks.front() else {
            return Ok(None);
        };
        postings::first_lesson(chunk.before, chunk.unread())
    }

    fn add_scores_until(
        &mut self,
        window: &mut ScoreWindow,
        last: u32,
        scorer: &Scorer,
    ) -> Result<(), IndexError> {
        while let Some(chunk) = self.chunks.front_mut() {
            let add = |posting: Posting| {
                let part = scorer.posting_score(posting.halves, posting.length);
                window.add_score(posting.lesson, self.boost * part);
            };
            let (before, left) = postings::for_each_until(chunk.before, chunk.unread(), last, add)?;
            (chunk.before, chunk.read) = (before, chunk.data.len() - left.len());
            if chunk.read < chunk.data.len() {
                break;
            }
            self.chunks.pop_front();
            if self.chunks.front().is_some_and(|next| next.before < before) {
                return Err(IndexError::Damaged("posting chunks overlap"));
            }
        }
        Ok(())
    }
}

impl ChunkReader {
    fn new(base: u32, data: Vec<u8>) -> Self {
        Self {
            before: base,
            data,
            read: 0,
        }
    }

    fn unread(&self) -> &[u8] {
        &self.data[self.read..]
    }
}
