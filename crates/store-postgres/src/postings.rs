//! Index writes: a lesson is added fresh, merged later, and can be removed exactly.
//!
//! All of it runs inside a write transaction, and touches all terms of a lesson or of many with a few statements. A
//! term's postings are in its row as long as they are short, then in chunks, and stay there.

use std::collections::HashMap;

use hardwon_core::{DocTerms, LessonId};
use hardwon_store::{
    FoundIndex, IndexError, LessonShare, PostingChunk, PostingLists, Result, ScopeTotals,
    index::{self, MISSING_CHUNK, MISSING_TERM},
    rows::ReadColumns as _,
};

use crate::{
    options::PostgresOptions,
    session::{Session, TenantKey},
    totals::{KnownTotals, read_totals},
    values::{RowColumns, SqlValue, values},
};

/// The index of one tenant, as its writer sees it.
pub(crate) struct IndexWriter<'s> {
    session: &'s Session<'s>,
    key: TenantKey,
    options: &'s PostgresOptions,
    totals: &'s KnownTotals,
}

/// A term's row, and the chunk of its postings that is to change.
struct TermRow {
    df: i64,
    /// The whole list, if it is short.
    short: Option<Vec<u8>>,
    /// The chunk of a long list in which a lesson's posting is or belongs.
    chunk: Option<PostingChunk>,
}

/// What to write: rows of terms, and chunks of long lists.
#[derive(Default)]
struct ChangedRows {
    terms: Vec<(String, i64, Option<Vec<u8>>)>,
    chunks: Vec<(String, PostingChunk)>,
    gone: Vec<String>,
}

impl<'s> IndexWriter<'s> {
    pub(crate) fn new(
        session: &'s Session<'s>,
        key: TenantKey,
        options: &'s PostgresOptions,
        totals: &'s KnownTotals,
    ) -> Self {
        Self {
            session,
            key,
            options,
            totals,
        }
    }

    /// Adds a lesson that the index does not hold yet. Call [`merge_postings`](Self::merge_postings) for the scope
    /// before the commit.
    ///
    /// A lesson with a higher number than any merged one is added fresh; another goes into the postings at once.
    pub(crate) fn add_lesson(&self, scope: i64, lesson: LessonId, terms: &DocTerms) -> Result<()> {
        let number = lesson_number(scope, lesson)?;
        self.session.queue(
            self.key,
            "INSERT INTO hardwon.index_doc (tenant, scope, lesson, terms) VALUES ($1, $2, $3, $4)",
            values![self.key, scope, lesson.0, terms.as_str()],
        )?;
        let is_fresh = number > self.read_totals(scope)?.merged_to;
        if !is_fresh {
            let mut lists = PostingLists::default();
            lists.add_lesson(number, terms);
            self.write_lists(scope, lists)?;
        }
        self.update_totals(scope, LessonShare::from_terms(terms, is_fresh), 1)
    }

    /// Removes a lesson, if the index holds it.
    pub(crate) fn remove_lesson(&self, scope: i64, lesson: LessonId) -> Result<()> {
        let number = lesson_number(scope, lesson)?;
        let doc_row = self.session.query_one(
            self.key,
            "DELETE FROM hardwon.index_doc WHERE tenant = $1 AND scope = $2 AND lesson = $3
             RETURNING terms",
            values![self.key, scope, lesson.0],
        )?;
        let Some(row) = doc_row else {
            return Ok(());
        };
        let terms = DocTerms::from_packed(RowColumns::new(&row).next_string()?);
        let is_fresh = number > self.read_totals(scope)?.merged_to;
        if !is_fresh {
            self.remove_postings(scope, number, &terms)?;
        }
        self.update_totals(scope, LessonShare::from_terms(&terms, is_fresh), -1)
    }

    /// Merges a scope's oldest fresh lessons if all together have too many words: the excess, and a few more.
    pub(crate) fn merge_postings(&self, scope: i64) -> Result<()> {
        loop {
            let fresh = self.read_totals(scope)?.fresh_words;
            let Some(least) = index::merge_size(fresh, self.options.fresh_words) else {
                return Ok(());
            };
            if !self.merge_run(scope, least)? {
                return Ok(());
            }
        }
    }

    /// Merges the oldest fresh lessons, until they have `least` words together or none is left; returns whether there
    /// were any.
    fn merge_run(&self, scope: i64, least: u64) -> Result<bool> {
        const LESSONS: i64 = 2_000;
        let mut totals = self.read_totals(scope)?;
        let before = totals.merged_to;
        let rows = self.session.query(
            self.key,
            "SELECT lesson, terms FROM hardwon.index_doc
             WHERE tenant = $1 AND scope = $2 AND lesson > $3 ORDER BY lesson LIMIT $4",
            values![self.key, scope, before, LESSONS],
        )?;
        let (mut lists, mut words) = (PostingLists::default(), 0);
        for row in &rows {
            let mut row = RowColumns::new(row);
            totals.merged_to = row.next_small_count()?;
            let terms = DocTerms::from_packed(row.next_string()?);
            lists.add_lesson(totals.merged_to, &terms);
            words += LessonShare::from_terms(&terms, true).fresh.cast_unsigned();
            if words >= least {
                break;
            }
        }
        self.write_lists(scope, lists)?;
        totals.fresh_words = totals.fresh_words.saturating_sub(words);
        self.totals.keep_changed(scope, totals);
        Ok(totals.merged_to > before)
    }

    /// Returns a scope's totals as they are by now.
    fn read_totals(&self, scope: i64) -> Result<ScopeTotals> {
        if let Some(known) = self.totals.get(scope) {
            return Ok(known);
        }
        let totals_row = self.session.query_one(
            self.key,
            "SELECT docs, length, merged_to, fresh FROM hardwon.index_scope
             WHERE tenant = $1 AND scope = $2",
            values![self.key, scope],
        )?;
        let totals = match totals_row {
            Some(row) => read_totals(&mut RowColumns::new(&row))?,
            None => ScopeTotals::default(),
        };
        self.totals.keep_read(scope, totals);
        Ok(totals)
    }

    /// Reads all that the index of a scope holds.
    pub(crate) fn read_all(&self, scope: i64) -> Result<FoundIndex> {
        let mut index = FoundIndex {
            totals: self.read_totals(scope)?,
            ..FoundIndex::default()
        };
        let lessons =
            "SELECT lesson, terms FROM hardwon.index_doc WHERE tenant = $1 AND scope = $2";
        for row in &self
            .session
            .query(self.key, lessons, values![self.key, scope])?
        {
            let mut row = RowColumns::new(row);
            index
                .lessons
                .insert(row.next_small_count()?, row.next_string()?);
        }
        let terms =
            "SELECT t.term, t.df, t.short, c.after, c.postings FROM hardwon.index_term t
             LEFT JOIN hardwon.index_chunk c ON c.tenant = t.tenant AND c.scope = t.scope AND c.term = t.term
             WHERE t.tenant = $1 AND t.scope = $2 ORDER BY t.term, c.after";
        for row in &self
            .session
            .query(self.key, terms, values![self.key, scope])?
        {
            let mut row = RowColumns::new(row);
            let (term, df) = (row.next_string()?, row.next_count()?);
            let (_, chunks) = index.terms.entry(term).or_insert((df, Vec::new()));
            if let Some(short) = row.next_optional_bytes()? {
                chunks.push((0, short.to_vec()));
            }
            chunks.extend(read_chunk(&mut row)?);
        }
        Ok(index)
    }

    /// Adds a lesson's share to a scope's totals, or subtracts it when `sign` is -1.
    fn update_totals(&self, scope: i64, share: LessonShare, sign: i64) -> Result<()> {
        let mut totals = self.read_totals(scope)?;
        let below = IndexError::Damaged("a count is below zero");
        for (total, more) in [
            (&mut totals.docs, 1),
            (&mut totals.length, share.length),
            (&mut totals.fresh_words, share.fresh),
        ] {
            *total = total.checked_add_signed(sign * more).ok_or(below)?;
        }
        self.totals.keep_changed(scope, totals);
        Ok(())
    }

    /// Adds postings to their terms.
    fn write_lists(&self, scope: i64, lists: PostingLists) -> Result<()> {
        let lists = lists.into_sorted();
        let first_lessons = lists
            .iter()
            .map(|(term, list)| (term.as_str(), list[0].lesson));
        let mut term_rows = self.read_terms(scope, first_lessons)?;
        let mut changes = ChangedRows::default();
        for (term, list) in lists {
            let more = i64::try_from(list.len()).expect("a list fits in memory");
            let row = term_rows.remove(&term).unwrap_or(TermRow {
                df: 0,
                short: Some(Vec::new()),
                chunk: None,
            });
            let df = row.df + more;
            let insert = |chunk: (u32, &[u8]), bytes| index::insert_postings(chunk, &list, bytes);
            self.change_list(&mut changes, term, df, row, insert)?;
        }
        self.write_rows(scope, changes)
    }

    /// Removes a lesson from the postings of its terms, and terms from the dictionary after their last one.
    fn remove_postings(&self, scope: i64, lesson: u32, terms: &DocTerms) -> Result<()> {
        let terms: Vec<&str> = terms.term_counts().into_keys().collect();
        let mut term_rows = self.read_terms(scope, terms.iter().map(|term| (*term, lesson)))?;
        let mut changes = ChangedRows::default();
        for term in terms {
            let row = term_rows.remove(term).ok_or(MISSING_TERM)?;
            if row.df <= 1 {
                changes.gone.push(term.to_owned());
                continue;
            }
            let df = row.df - 1;
            let remove = |chunk: (u32, &[u8]), bytes| index::remove_posting(chunk, lesson, bytes);
            self.change_list(&mut changes, term.to_owned(), df, row, remove)?;
        }
        self.write_rows(scope, changes)
    }

    /// Changes the chunk of a list, or a whole short one, which may have become too long for that.
    fn change_list(
        &self,
        changed: &mut ChangedRows,
        term: String,
        df: i64,
        row: TermRow,
        change: impl Fn((u32, &[u8]), usize) -> Result<Vec<PostingChunk>, IndexError>,
    ) -> Result<()> {
        let chunk_bytes = self.options.chunk_bytes;
        let chunks = match row.short {
            Some(short) => {
                let mut whole = change((0, &short), usize::MAX)?;
                let is_short = whole[0].1.len() <= self.options.short_bytes;
                if is_short {
                    let (_, data) = whole.remove(0);
                    changed.terms.push((term, df, Some(data)));
                    return Ok(());
                }
                change((0, &short), chunk_bytes)?
            }
            None => {
                let (base, data) = row.chunk.ok_or(MISSING_CHUNK)?;
                change((base, &data), chunk_bytes)?
            }
        };
        changed
            .chunks
            .extend(chunks.into_iter().map(|chunk| (term.clone(), chunk)));
        changed.terms.push((term, df, None));
        Ok(())
    }

    /// Reads the rows of terms, each with the chunk in which a lesson's posting is or belongs.
    fn read_terms<'t>(
        &self,
        scope: i64,
        wanted: impl Iterator<Item = (&'t str, u32)>,
    ) -> Result<HashMap<String, TermRow>> {
        let (terms, lessons): (Vec<&str>, Vec<i64>) = wanted
            .map(|(term, lesson)| (term, i64::from(lesson)))
            .unzip();
        let terms = SqlValue::from_texts(terms);
        let rows = self.session.query(
            self.key,
            "SELECT t.term, t.df, t.short, c.after, c.postings
             FROM unnest($3::text[], $4::bigint[]) AS w (term, lesson)
             JOIN hardwon.index_term t ON t.tenant = $1 AND t.scope = $2 AND t.term = w.term
             LEFT JOIN LATERAL (
                 SELECT k.after, k.postings FROM hardwon.index_chunk k
                 WHERE t.short IS NULL AND k.tenant = $1 AND k.scope = $2 AND k.term = w.term
                 AND k.after < w.lesson ORDER BY k.after DESC LIMIT 1) c ON true",
            vec![self.key.into(), scope.into(), terms, lessons.into()],
        )?;
        let mut term_rows = HashMap::with_capacity(rows.len());
        for row in &rows {
            let mut row = RowColumns::new(row);
            let (term, df) = (row.next_string()?, row.next_integer()?);
            let short = row.next_optional_bytes()?.map(<[u8]>::to_vec);
            let chunk = read_chunk(&mut row)?;
            term_rows.insert(term, TermRow { df, short, chunk });
        }
        Ok(term_rows)
    }

    fn write_rows(&self, scope: i64, changed: ChangedRows) -> Result<()> {
        let ChangedRows {
            terms,
            chunks,
            gone,
        } = changed;
        if !terms.is_empty() {
            let names = SqlValue::from_texts(terms.iter().map(|term| term.0.as_str()));
            let (counts, lists) = terms.iter().map(|term| (term.1, term.2.clone())).unzip();
            let (counts, lists) = (SqlValue::Integers(counts), SqlValue::ByteLists(lists));
            self.session.queue(
                self.key,
                "INSERT INTO hardwon.index_term (tenant, scope, term, df, short)
                 SELECT $1, $2, w.term, w.df, w.short
                 FROM unnest($3::text[], $4::bigint[], $5::bytea[]) AS w (term, df, short)
                 ON CONFLICT (tenant, scope, term) DO UPDATE
                 SET df = excluded.df, short = excluded.short",
                vec![self.key.into(), scope.into(), names, counts, lists],
            )?;
        }
        if !chunks.is_empty() {
            let names = SqlValue::from_texts(chunks.iter().map(|chunk| chunk.0.as_str()));
            let chunks = chunks
                .into_iter()
                .map(|(_, (after, data))| (i64::from(after), Some(data)));
            let (after, lists) = chunks.unzip();
            let (after, lists) = (SqlValue::Integers(after), SqlValue::ByteLists(lists));
            self.session.queue(
                self.key,
                "INSERT INTO hardwon.index_chunk (tenant, scope, term, after, postings)
                 SELECT $1, $2, w.term, w.after, w.postings
                 FROM unnest($3::text[], $4::bigint[], $5::bytea[]) AS w (term, after, postings)
                 ON CONFLICT (tenant, scope, term, after) DO UPDATE SET postings = excluded.postings",
                vec![self.key.into(), scope.into(), names, after, lists],
            )?;
        }
        if !gone.is_empty() {
            let names = SqlValue::from_texts(gone.iter().map(String::as_str));
            for sql in [
                "DELETE FROM hardwon.index_term WHERE tenant = $1 AND scope = $2 AND term = ANY($3)",
                "DELETE FROM hardwon.index_chunk WHERE tenant = $1 AND scope = $2 AND term = ANY($3)",
            ] {
                let values = vec![self.key.into(), scope.into(), names.clone()];
                self.session.queue(self.key, sql, values)?;
            }
        }
        Ok(())
    }

    /// Forgets the whole index of the tenant.
    pub(crate) fn clear(&self) -> Result<()> {
        self.totals.clear();
        for sql in [
            "DELETE FROM hardwon.index_scope WHERE tenant = $1",
            "DELETE FROM hardwon.index_doc WHERE tenant = $1",
            "DELETE FROM hardwon.index_term WHERE tenant = $1",
            "DELETE FROM hardwon.index_chunk WHERE tenant = $1",
        ] {
            self.session.queue(self.key, sql, values![self.key])?;
        }
        Ok(())
    }
}

/// Reads a chunk of a long list; `None` where a row was joined with none.
pub(crate) fn read_chunk(row: &mut RowColumns<'_>) -> Result<Option<PostingChunk>> {
    let after = row.next_optional_integer()?.map(u32::try_from).transpose();
    let after = after.map_err(|_| MISSING_CHUNK)?;
    Ok(after.zip(row.next_optional_bytes()?.map(<[u8]>::to_vec)))
}

/// Returns a lesson's number as postings hold it.
fn lesson_number(scope: i64, lesson: LessonId) -> Result<u32, IndexError> {
    let lesson = lesson.0;
    match u32::try_from(lesson) {
        Ok(number @ 1..) => Ok(number),
        _ => Err(IndexError::OutOfRange { scope, lesson }),
    }
}
