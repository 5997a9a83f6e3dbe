//! Search: from a prompt's terms to the best lessons, with bounded work.
//!
//! First the dictionary says how many lessons have each term and the fresh lessons are counted in ([`ScopeSearch`]);
//! then [`bm25::select_terms`] chooses the terms whose postings are worth reading ([`SearchPlan`]); then their postings
//! are added up window by window, each lesson's parts in the order of that choice.

use std::collections::VecDeque;

use hardwon_core::{CorpusStats, DocTerms, LessonId, QueryTerms, Scorer, TermLookup, bm25};

use super::{
    postings::{self, Posting, PostingChunk},
    top::{BestLessons, ScoreWindow},
};
use crate::{IndexError, ScopeTotals};

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

/// What one scope knows of each query term before its postings are read.
#[derive(Debug)]
pub struct ScopeSearch {
    scope: i64,
    totals: ScopeTotals,
    terms: Vec<TermList>,
    /// Weighted counts in the fresh lesson being counted, all zeros between two lessons.
    halves_of: Vec<u32>,
}

/// A scope's lessons that have one query term.
#[derive(Debug, Clone, Default)]
struct TermList {
    /// Lessons that have the term, merged and fresh.
    df: u64,
    /// The fresh ones as a chunk of postings, and the last of them.
    fresh: Vec<u8>,
    fresh_last: u32,
}

impl ScopeSearch {
    /// Starts the search of a scope with these totals.
    pub fn new(scope: i64, totals: ScopeTotals, query: &QueryTerms) -> Self {
        Self {
            scope,
            totals,
            terms: vec![TermList::default(); query.terms.len()],
            halves_of: vec![0; query.terms.len()],
        }
    }

    /// Returns the scope's number.
    pub fn scope(&self) -> i64 {
        self.scope
    }

    /// Counts the merged lessons that have a query term, given by its place.
    pub fn count_merged(&mut self, term: usize, df: u64) {
        self.terms[term].df += df;
    }

    /// Counts the query terms in a fresh lesson; fresh lessons must come in ascending order.
    pub fn count_fresh(
        &mut self,
        lesson: u32,
        packed_terms: &str,
        wanted: &TermLookup<'_>,
    ) -> Result<(), IndexError> {
        let halves_of = &mut self.halves_of;
        let length =
            wanted.for_each_match(packed_terms, |place, halves| halves_of[place] += halves);
        let length = bm25::encode_length(length);
        for (list, halves) in self.terms.iter_mut().zip(halves_of) {
            if *halves > 0 {
                let posting = Posting {
                    lesson,
                    halves: *halves,
                    length,
                };
                list.push_fresh(self.totals.merged_to, posting)?;
                *halves = 0;
            }
        }
        Ok(())
    }

    /// Scores the lessons by the selected terms, given each one's chunks, and returns the best.
    fn top_lessons(
        self,
        plan: &SearchPlan,
        chunks: Vec<Vec<PostingChunk>>,
        window: &mut ScoreWindow,
        limit: usize,
    ) -> Result<Vec<IndexedLesson>, IndexError> {
        let (scope, merged_to) = (self.scope, self.totals.merged_to);
        let scorer = Scorer::new(plan.stats);
        let mut terms = self.terms;
        let choices = plan.chosen.iter().zip(chunks);
        let stream = |(choice, chunks): (&TermChoice, Vec<PostingChunk>)| {
            let fresh = std::mem::take(&mut terms[choice.term].fresh);
            PostingStream::new(chunks, (merged_to, fresh), choice.boost)
        };
        let mut streams: Vec<_> = choices.map(stream).collect();
        let mut best = BestLessons::new(limit);
        while let Some(next) = lowest_next_lesson(&streams)? {
            let last = ScoreWindow::last_lesson(next);
            for stream in &mut streams {
                stream.add_scores_until(window, last, &scorer)?;
            }
            window.drain_into(last, &mut best);
        }
        let hits = best.into_sorted().into_iter();
        Ok(hits
            .map(|(lesson, score)| IndexedLesson {
                scope,
                lesson,
                score,
            })
            .collect())
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

/// Which terms' postings are worth reading, by the statistics of all scopes together.
#[derive(Debug)]
pub struct SearchPlan {
    stats: CorpusStats,
    df: Vec<u64>,
    chosen: Vec<TermChoice>,
}

/// A query term whose postings are read.
#[derive(Debug, Clone, Copy)]
pub struct TermChoice {
    /// The term's place in the query.
    pub term: usize,
    boost: f32,
}

/// A lesson and its score, before its terms are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexedLesson {
    /// The scope it was found in.
    pub scope: i64,
    /// The lesson's number.
    pub lesson: u32,
    /// Its score.
    pub score: f32,
}

impl SearchPlan {
    /// Chooses the terms to read.
    pub fn new(query: &QueryTerms, scopes: &[ScopeSearch]) -> Self {
        let stats = CorpusStats {
            docs: scopes.iter().map(|scope| scope.totals.docs).sum(),
            length: scopes.iter().map(|scope| scope.totals.length).sum(),
        };
        let df = |term: usize| scopes.iter().map(|scope| scope.terms[term].df).sum();
        let df: Vec<u64> = (0..query.terms.len()).map(df).collect();
        let choice = |term: usize| TermChoice {
            term,
            boost: bm25::term_weight(query, term, df[term], stats.docs),
        };
        let terms = bm25::select_terms(query, &df, stats.docs)
            .into_iter()
            .map(choice)
            .collect();
        Self {
            stats,
            df,
            chosen: terms,
        }
    }

    /// Returns the chosen terms, in the order in which their parts are added up.
    pub fn chosen(&self) -> &[TermChoice] {
        &self.chosen
    }

    /// Finds the best `limit` lessons. `chunks` returns the postings of each chosen term in a scope, in the order of
    /// the choice; chunks of a term come in ascending order, and a term without merged lessons has none.
    pub fn find_best<E: From<IndexError>>(
        &self,
        scopes: Vec<ScopeSearch>,
        limit: usize,
        mut chunks: impl FnMut(i64, &[TermChoice]) -> Result<Vec<Vec<PostingChunk>>, E>,
    ) -> Result<Vec<IndexedLesson>, E> {
        let mut window = ScoreWindow::new();
        let mut hits = Vec::new();
        for scope in scopes {
            let chunks = chunks(scope.scope, &self.chosen)?;
            hits.extend(scope.top_lessons(self, chunks, &mut window, limit)?);
        }
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.lesson.cmp(&a.lesson)));
        hits.truncate(limit);
        Ok(hits)
    }

    /// Returns the result, once the terms of the lessons found were read.
    pub fn into_hits(self, hits: Vec<IndexHit>) -> IndexHits {
        IndexHits {
            stats: self.stats,
            df: self.df,
            hits,
        }
    }
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
    fn new(merged: Vec<PostingChunk>, fresh: PostingChunk, boost: f32) -> Self {
        let chunks = merged.into_iter().chain([fresh]);
        let chunks = chunks.filter(|(_, data)| !data.is_empty());
        Self {
            boost,
            chunks: chunks.map(ChunkReader::new).collect(),
        }
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
    fn new((base, data): PostingChunk) -> Self {
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
