//! Queries on the file. Each runs in a transaction and sees one state.

use hardwon_core::{
    change::{DecisionContext, EvictionCandidate},
    credit::BaselineKey,
    id::{LessonId, TenantId},
    journal::{ChainHead, JournalEntry, Sha256Hash},
    lesson::{AdmittedLesson, FailureKey, GaussianMessage, Lesson},
    limits,
    queue::{Job, JobId, ModelCost},
    rank::{SearchHit, SearchResults},
    request::KeptAnswer,
    scope::Scope,
    text::CleanText,
    vector::SimilarityStats,
};
use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Params, params, params_from_iter};

use super::{
    index, listing,
    rows::{self, ColumnReader, DuplicateKeys, JudgementRow, RecallRow},
    view::{ScopeRow, SqliteView},
};
use crate::{
    CandidateLesson, Census, JobCounts, JobListing, JudgementId, JudgementListing, JudgementRecord,
    LessonListing, LessonQuery, QueryTextReader, Read, Recall, RecallId, RecallListing, Result,
    SourceProgress, StatusName, TenantPart, query::search_recallable, records,
};

impl SqliteView<'_> {
    /// Returns the rows of all scopes visible from one.
    fn visible_scope_rows(&self, scope: &Scope) -> Result<Vec<(Scope, ScopeRow)>> {
        let mut visible = Vec::new();
        for scope in scope.visible_scopes() {
            if let Some(row) = self.scope_row(&scope)? {
                visible.push((scope, row));
            }
        }
        Ok(visible)
    }

    /// Returns the entries that `rest` selects from `journal`.
    fn select_entries(&self, rest: &str, params: impl Params) -> Result<Vec<JournalEntry>> {
        let sql = format!("SELECT {} FROM journal {rest}", rows::ENTRY_COLUMNS);
        let mut select = self.conn().prepare_cached(&sql)?;
        let mut rows = select.query(params)?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next()? {
            entries.push(rows::read_entry(row)?);
        }
        Ok(entries)
    }

    /// Returns lessons of a scope with the same words in any order, exact duplicates first.
    fn select_similar(&self, admitted: &AdmittedLesson, scope: i64) -> Result<Vec<Lesson>> {
        let tenant = &admitted.scope.tenant;
        let DuplicateKeys { twin, words } = DuplicateKeys::from_content(&admitted.content);
        let twins = "WHERE l.scope = ?1 AND l.words = ?2 AND l.twin = ?3 ORDER BY l.key LIMIT ?4";
        let others = "WHERE l.scope = ?1 AND l.words = ?2 AND l.twin <> ?3 \
                      ORDER BY l.twin, l.key LIMIT ?4";
        let mut near = Vec::new();
        for rest in [twins, others] {
            let room = rows::to_sql_page_limit(limits::SIMILAR_LESSONS - near.len());
            near.extend(self.select_lessons(tenant, rest, params![scope, words, twin, room])?);
        }
        Ok(near)
    }

    fn select_replaced(&self, admitted: &AdmittedLesson) -> Result<Vec<Lesson>> {
        let scope = &admitted.scope;
        let mut replaced = Vec::new();
        for id in admitted.supersedes.iter().take(limits::SIMILAR_LESSONS) {
            let lesson = self.find_lesson(&scope.tenant, *id)?;
            replaced.extend(lesson.filter(|it| it.scope.agent == scope.agent));
        }
        Ok(replaced)
    }

    /// Returns a scope's active learned lessons, as what the choice of one to evict needs.
    fn select_eviction_candidates(&self, scope: i64) -> Result<Vec<EvictionCandidate>> {
        let columns = rows::eviction_columns();
        let sql = format!(
            "SELECT {columns} FROM lesson
             WHERE scope = ?1 AND status = 'active' AND trust <> 'person'"
        );
        let mut select = self.conn().prepare_cached(&sql)?;
        let mut rows = select.query(params![scope])?;
        let mut standings = Vec::new();
        while let Some(row) = rows.next()? {
            standings.push(rows::read_eviction_candidate(row)?);
        }
        Ok(standings)
    }

    /// Returns the best matches, including expired lessons.
    ///
    /// One statement reads them all; their scopes are known already and not looked up again.
    fn search_best(
        &self,
        query: &LessonQuery,
        scopes: &[(Scope, ScopeRow)],
        limit: usize,
    ) -> Result<SearchResults> {
        let numbers: Vec<i64> = scopes.iter().map(|(_, row)| row.id).collect();
        let found = index::search(self.conn(), &numbers, &query.terms, limit)?;
        let columns = rows::lesson_columns("?2, ?3");
        let sql = format!("SELECT {columns} FROM lesson l WHERE l.key = ?1");
        let mut select = self.conn().prepare_cached(&sql)?;
        let mut hits = Vec::with_capacity(found.hits.len());
        for hit in found.hits {
            let missing =
                || crate::error::damaged_error("the text index names a lesson that is not there");
            let place = scopes.iter().find(|(_, row)| row.id == hit.scope);
            let (scope, row) = place.ok_or_else(missing)?;
            let key = rows::lesson_key(row.tenant, hit.lesson).ok_or_else(missing)?;
            let mut rows = select.query(params![
                key,
                scope.agent.as_str(),
                rows::project_column(scope)
            ])?;
            let row = rows.next()?.ok_or_else(missing)?;
            hits.push(SearchHit {
                lesson: rows::read_lesson(row, &scope.tenant)?,
                terms: hit.terms,
                score: hit.score,
                similarity: None,
            });
        }
        Ok(SearchResults {
            stats: found.stats,
            df: found.df,
            hits,
            similarity_stats: SimilarityStats::default(),
        })
    }
}

/// Selects the proven lessons of a scope, in the form that its index serves.
pub(super) const WHERE_PROVEN: &str = "WHERE l.scope = ?1 AND l.status = 'active' \
    AND l.helped > l.harmed ORDER BY l.harmed - l.helped, l.key DESC LIMIT ?2";

impl Read for SqliteView<'_> {
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        self.find_lesson(tenant, id)
    }

    fn lessons(&self, tenant: &TenantId, listing: &LessonListing) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let Some(row) = self.tenant_row(tenant)? else {
                return Ok(Vec::new());
            };
            let (rest, values) = listing::lessons_page_sql(self.conn(), row.id, listing)?;
            self.select_lessons(tenant, &rest, params_from_iter(values))
        })
    }

    fn decision_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext> {
        self.add_error_context(|| {
            let tenant = self.tenant_row(&admitted.scope.tenant)?;
            let scope = self.scope_row(&admitted.scope)?;
            let learned = scope.map_or(0, |it| it.learned);
            let learned = usize::try_from(learned).unwrap_or(0);
            let (near, standings) = match scope {
                Some(scope) if learned >= capacity => (
                    self.select_similar(admitted, scope.id)?,
                    self.select_eviction_candidates(scope.id)?,
                ),
                Some(scope) => (self.select_similar(admitted, scope.id)?, Vec::new()),
                None => (Vec::new(), Vec::new()),
            };
            Ok(DecisionContext {
                next_id: LessonId(tenant.map_or(1, |it| it.next_lesson)),
                similar: near,
                replaced: self.select_replaced(admitted)?,
                learned_count: learned,
                eviction_candidates: standings,
            })
        })
    }

    fn lessons_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let mut about = Vec::new();
            for (_, row) in self.visible_scope_rows(scope)? {
                let rest = "WHERE l.scope = ?1 AND l.failure = ?2
                 ORDER BY l.status <> 'active', l.key DESC LIMIT ?3";
                let params = params![
                    row.id,
                    failure.as_str(),
                    rows::to_sql_page_limit(limits::CANDIDATES)
                ];
                about.extend(self.select_lessons(&scope.tenant, rest, params)?);
            }
            about.sort_by_key(|it| {
                let is_active = it.status == hardwon_core::lesson::Status::Active;
                (!is_active, std::cmp::Reverse(it.id))
            });
            about.truncate(limits::CANDIDATES);
            Ok(about)
        })
    }

    fn has_lesson_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<bool> {
        self.add_error_context(|| {
            let mut select = self
                .conn()
                .prepare_cached("SELECT 1 FROM lesson WHERE scope = ?1 AND failure = ?2 LIMIT 1")?;
            for (_, row) in self.visible_scope_rows(scope)? {
                if select.exists(params![row.id, failure.as_str()])? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    fn proven_lessons(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let mut proven = Vec::new();
            for (_, row) in self.visible_scope_rows(scope)? {
                let params = params![row.id, rows::to_sql_page_limit(limits::CANDIDATES)];
                proven.extend(self.select_lessons(&scope.tenant, WHERE_PROVEN, params)?);
            }
            proven.retain(|it| it.is_recallable(now));
            proven.sort_by_key(records::proof_order_key);
            proven.truncate(limits::CANDIDATES);
            Ok(proven)
        })
    }

    fn search(&self, query: &LessonQuery) -> Result<SearchResults> {
        self.add_error_context(|| {
            let scopes = self.visible_scope_rows(&query.scope)?;
            let found = search_recallable(query, |limit| self.search_best(query, &scopes, limit))?;
            match &query.vector {
                Some(near) => {
                    let numbers: Vec<i64> = scopes.iter().map(|(_, row)| row.id).collect();
                    self.add_similar(query, near, &numbers, found)
                }
                None => Ok(found),
            }
        })
    }

    fn census(&self, scope: &Scope) -> Result<Census> {
        self.add_error_context(|| {
            let mut census = Census::default();
            let Some(scope) = self.scope_row(scope)? else {
                return Ok(census);
            };
            census.learned = rows::parse_count(scope.learned)?;
            let mut select = self.conn().prepare_cached(
                "SELECT status, count(*), sum(shown), sum(helped), sum(harmed)
             FROM lesson WHERE scope = ?1 GROUP BY status",
            )?;
            let mut rows = select.query([scope.id])?;
            while let Some(row) = rows.next()? {
                let status = rows::parse_word(&row.get::<_, String>(0)?, StatusName::from_name)?;
                *census.count_mut(status) = rows::parse_count(row.get(1)?)?;
                census.shown += rows::parse_count(row.get(2)?)?;
                census.helped += rows::parse_count(row.get(3)?)?;
                census.harmed += rows::parse_count(row.get(4)?)?;
            }
            Ok(census)
        })
    }

    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>> {
        self.add_error_context(|| {
            let mut select = self.conn().prepare_cached(
                "SELECT s.agent, s.project FROM tenant t JOIN scope s ON s.tenant = t.id
             WHERE t.name = ?1 ORDER BY s.agent, s.project",
            )?;
            let mut rows = select.query([tenant.as_str()])?;
            let mut scopes = Vec::new();
            while let Some(row) = rows.next()? {
                let (agent, project): (String, String) = (row.get(0)?, row.get(1)?);
                scopes.push(rows::parse_scope(tenant, &agent, &project)?);
            }
            Ok(scopes)
        })
    }

    fn journal_head(&self, tenant: &TenantId) -> Result<ChainHead> {
        self.add_error_context(|| {
            let row = self.tenant_row(tenant)?;
            Ok(row.map_or_else(|| ChainHead::genesis(tenant), |it| it.head))
        })
    }

    fn journal(&self, tenant: &TenantId, after: u64, count: usize) -> Result<Vec<JournalEntry>> {
        self.add_error_context(|| {
            let Some(row) = self.tenant_row(tenant)? else {
                return Ok(Vec::new());
            };
            let rest = "WHERE tenant = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3";
            self.select_entries(
                rest,
                params![
                    row.id,
                    rows::to_sql_count(after),
                    rows::to_sql_page_limit(count)
                ],
            )
        })
    }

    fn lesson_history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        count: usize,
    ) -> Result<Vec<JournalEntry>> {
        self.add_error_context(|| {
            let Some(row) = self.tenant_row(tenant)? else {
                return Ok(Vec::new());
            };
            let rest = "WHERE tenant = ?1 AND lesson = ?2 AND sequence > ?3
             ORDER BY sequence LIMIT ?4";
            let after = rows::to_sql_count(after);
            self.select_entries(
                rest,
                params![row.id, lesson.0, after, rows::to_sql_page_limit(count)],
            )
        })
    }

    fn lessons_replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let Some(row) = self.tenant_row(tenant)? else {
                return Ok(Vec::new());
            };
            let keys = rows::lesson_key_range(row.id, None);
            let rest = "WHERE l.by = ?1 AND l.key >= ?2 AND l.key < ?3 ORDER BY l.key LIMIT ?4";
            let page = rows::to_sql_page_limit(limits::PAGE_ROWS);
            self.select_lessons(tenant, rest, params![id.0, keys.start, keys.end, page])
        })
    }

    fn recalls(
        &self,
        tenant: &TenantId,
        listing: &RecallListing,
    ) -> Result<Vec<(RecallId, Recall)>> {
        self.add_error_context(|| {
            let Some(row) = self.tenant_row(tenant)? else {
                return Ok(Vec::new());
            };
            let (rest, values) = listing::recalls_page_sql(row.id, listing);
            let sql = format!("SELECT id, line FROM recall {rest}");
            let mut select = self.conn().prepare_cached(&sql)?;
            let mut rows = select.query(params_from_iter(values))?;
            let mut recalls = Vec::new();
            while let Some(row) = rows.next()? {
                let line: RecallRow =
                    rows::from_json(row.get_ref(1)?.as_str().map_err(text_error)?)?;
                recalls.push((RecallId(row.get(0)?), line.into_recall()?));
            }
            Ok(recalls)
        })
    }

    fn query_text(
        &self,
        tenant: &TenantId,
        recall: RecallId,
        reader: QueryTextReader<'_>,
    ) -> Result<Option<CleanText>> {
        self.add_error_context(|| {
            let mut select = self.conn().prepare_cached(
                "SELECT a.agent, a.text FROM tenant t JOIN asked a ON a.tenant = t.id
             WHERE t.name = ?1 AND a.recall = ?2",
            )?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let found = select.query_row(params![tenant.as_str(), recall.0], row);
            let found: Option<(String, String)> = found.optional()?;
            let read = found.filter(|(agent, _)| reader.may_read(agent));
            Ok(read.map(|(_, text)| CleanText::from_stored(text)))
        })
    }

    fn judgements(
        &self,
        tenant: &TenantId,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        self.add_error_context(|| {
            let Some(row) = self.tenant_row(tenant)? else {
                return Ok(Vec::new());
            };
            let mut select = self.conn().prepare_cached(match listing.run {
                None => {
                    "SELECT id, run, line FROM judgement
                 WHERE tenant = ?1 AND id < ?2 AND ?3 IS NULL ORDER BY id DESC LIMIT ?4"
                }
                Some(_) => {
                    "SELECT id, run, line FROM judgement
                 WHERE tenant = ?1 AND id < ?2 AND run = ?3 ORDER BY id DESC LIMIT ?4"
                }
            })?;
            let before = listing.before.map_or(i64::MAX, |it| it.0);
            let run = listing.run.as_ref().map(|it| it.as_str());
            let mut rows = select.query(params![
                row.id,
                before,
                run,
                rows::to_sql_page_limit(listing.limit)
            ])?;
            let mut judgements = Vec::new();
            while let Some(row) = rows.next()? {
                let line: JudgementRow =
                    rows::from_json(row.get_ref(2)?.as_str().map_err(text_error)?)?;
                let run: Option<String> = row.get(1)?;
                judgements.push((JudgementId(row.get(0)?), line.into_record(run.as_deref())?));
            }
            Ok(judgements)
        })
    }

    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage> {
        self.add_error_context(|| {
            let mut select = self.conn().prepare_cached(
                "SELECT b.precision, b.shift FROM tenant t JOIN baseline b ON b.tenant = t.id
             WHERE t.name = ?1 AND b.about = ?2",
            )?;
            let leaning = |row: &rusqlite::Row<'_>| {
                Ok(GaussianMessage {
                    precision: row.get(0)?,
                    shift: row.get(1)?,
                })
            };
            let found = select.query_row([tenant.as_str(), &about.name()], leaning);
            Ok(found.optional()?.unwrap_or_default())
        })
    }

    fn candidate_lesson(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>> {
        self.add_error_context(|| {
            let Some(row) = self.scope_row(scope)? else {
                return Ok(None);
            };
            let sql = format!(
                "SELECT {} FROM witness w WHERE w.scope = ?1 AND w.failure = ?2",
                rows::CANDIDATE_COLUMNS
            );
            let mut select = self.conn().prepare_cached(&sql)?;
            let mut found = select.query(params![row.id, failure.as_str()])?;
            let Some(row) = found.next()? else {
                return Ok(None);
            };
            rows::read_candidate(&mut ColumnReader::new(row), &scope.tenant).map(Some)
        })
    }

    fn source_progress(&self, tenant: &TenantId, name: &str) -> Result<Option<SourceProgress>> {
        self.add_error_context(|| {
            let mut select = self.conn().prepare_cached(
                "SELECT s.position, s.fingerprint, s.state, s.at
             FROM tenant t JOIN source s ON s.tenant = t.id WHERE t.name = ?1 AND s.name = ?2",
            )?;
            let mut rows = select.query([tenant.as_str(), name])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            Ok(Some(SourceProgress {
                position: rows::parse_count(row.get(0)?)?,
                fingerprint: row.get(1)?,
                state: row.get(2)?,
                at: rows::parse_time(row.get(3)?)?,
            }))
        })
    }

    fn job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>> {
        self.add_error_context(|| self.select_job(tenant, id))
    }

    fn job_with_key(&self, tenant: &TenantId, key: &str) -> Result<Option<Job>> {
        self.add_error_context(|| self.select_job_by_key(tenant, key))
    }

    fn jobs(&self, tenant: &TenantId, listing: &JobListing) -> Result<Vec<Job>> {
        self.add_error_context(|| self.select_job_page(tenant, listing))
    }

    fn next_job(&self, tenant: &TenantId, now: Timestamp) -> Result<Option<Job>> {
        self.add_error_context(|| self.select_ready_job(tenant, now))
    }

    fn count_jobs(&self, tenant: &TenantId, now: Timestamp) -> Result<JobCounts> {
        self.add_error_context(|| self.select_job_counts(tenant, now))
    }

    fn model_cost(&self, tenant: &TenantId, day: i64) -> Result<ModelCost> {
        self.add_error_context(|| self.select_model_cost(tenant, day))
    }

    fn kept_answer(&self, tenant: &TenantId, name: &Sha256Hash) -> Result<Option<KeptAnswer>> {
        self.add_error_context(|| self.select_kept_answer(tenant, name))
    }

    fn lessons_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>> {
        self.add_error_context(|| self.select_without_vector(tenant, space, after, limit))
    }

    fn count_vectors(&self, scope: &Scope, space: &str) -> Result<u64> {
        self.add_error_context(|| self.select_vector_count(scope, space))
    }

    fn loose_parts(&self, tenant: &TenantId) -> Result<Vec<TenantPart>> {
        self.add_error_context(|| self.list_loose_parts(tenant))
    }
}

fn text_error(error: rusqlite::types::FromSqlError) -> crate::StoreError {
    crate::error::damaged_error(format!("a line is not text ({error})"))
}
