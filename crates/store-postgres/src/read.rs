//! Queries on the database. Each runs in a transaction and sees one state.

use hardwon_core::{
    change::DecisionContext,
    credit::BaselineKey,
    id::{LessonId, TenantId},
    journal::{ChainHead, JournalEntry, Sha256Hash},
    lesson::{AdmittedLesson, FailureKey, GaussianMessage, Lesson, Status},
    limits,
    queue::{Job, JobId, ModelCost},
    rank::SearchResults,
    request::KeptAnswer,
    scope::Scope,
    text::CleanText,
};
use hardwon_store::{
    CandidateLesson, Census, JobCounts, JobListing, JudgementId, JudgementListing, JudgementRecord,
    LessonListing, LessonQuery, QueryTextReader, Read, Recall, RecallId, RecallListing, Result,
    SourceProgress, StatusName, TenantPart,
    backend::proof_order_key,
    rows::{self, DuplicateKeys, ENTRY_COLUMNS, JudgementRow, ReadColumns as _, RecallRow},
};
use jiff::Timestamp;

use crate::{
    listing,
    session::TenantKey,
    values::{RowColumns, SqlValue, values},
    view::{PostgresView, lessons_request, read_lessons, read_scope_row, scope_request},
    write::hash_source_name,
};

/// The lessons of a scope with the same words in any order: exact duplicates, and others.
const TWINS: &str = "s.agent = $2 AND s.project = $3 AND l.words = $4 AND l.twin = $5
     ORDER BY l.number LIMIT $6";
const SIMILAR: &str = "s.agent = $2 AND s.project = $3 AND l.words = $4 AND l.twin <> $5
     ORDER BY l.twin, l.number LIMIT $6";

/// Selects visible lessons that helped more often than they harmed, the best of each scope.
const PROVEN: &str =
    "l.status = 'active' AND l.helped > l.harmed AND s.agent = $2 AND s.project = $3
     ORDER BY l.harmed - l.helped, l.number DESC LIMIT $4";

const ABOUT_FAILURE: &str = "s.agent = $2 AND s.project = $3 AND l.failure = $4
     ORDER BY l.status <> 'active', l.number DESC LIMIT $5";

impl PostgresView<'_> {
    /// Returns the entries that `rest` selects from `journal`.
    fn select_entries(
        &self,
        tenant: &TenantId,
        rest: &str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<JournalEntry>> {
        let sql =
            format!("SELECT {ENTRY_COLUMNS} FROM hardwon.journal WHERE tenant = $1 AND {rest}");
        let found = self.query(tenant, sql, values)?;
        found
            .iter()
            .map(|row| rows::read_entry(&mut RowColumns::new(row)))
            .collect()
    }

    /// Returns the lessons that `rest` selects in each of the scopes visible from one. Its values are the tenant, the
    /// agent, the project, and more.
    fn select_visible(
        &self,
        scope: &Scope,
        rest: &str,
        more: Vec<SqlValue>,
    ) -> Result<Vec<Lesson>> {
        let key = TenantKey::from_name(&scope.tenant);
        let request = |place: Scope| {
            let mut values = values![key, place.agent.as_str(), rows::project_column(&place)];
            values.extend_from_slice(&more);
            lessons_request(rest, values)
        };
        let requests = scope.visible_scopes().into_iter().map(request).collect();
        let mut lessons = Vec::new();
        for found in self.session.query_all(key, requests)? {
            lessons.extend(read_lessons(&found, &scope.tenant)?);
        }
        Ok(lessons)
    }

    /// Returns what there is to know before a lesson is admitted, except the lessons that it might evict.
    fn collect_context(&self, admitted: &AdmittedLesson) -> Result<(DecisionContext, Option<i64>)> {
        let scope = &admitted.scope;
        let (key, most) = (TenantKey::from_name(&scope.tenant), limits::SIMILAR_LESSONS);
        let DuplicateKeys { twin, words } = DuplicateKeys::from_content(&admitted.content);
        let (agent, project) = (scope.agent.as_str(), rows::project_column(scope));
        let alike = values![
            key,
            agent,
            project,
            words,
            twin,
            rows::to_sql_page_limit(most)
        ];
        let replaced: Vec<LessonId> = admitted.supersedes.iter().take(most).copied().collect();
        let numbers: Vec<i64> = replaced.iter().map(|it| it.0).collect();
        let found = self.session.query_all(
            key,
            vec![
                scope_request(key, scope),
                lessons_request(TWINS, alike.clone()),
                lessons_request(SIMILAR, alike),
                lessons_request("l.number = ANY($2)", values![key, numbers]),
            ],
        )?;
        let row = read_scope_row(&found[0])?;
        let mut similar = read_lessons(&found[1], &scope.tenant)?;
        similar.extend(read_lessons(&found[2], &scope.tenant)?);
        similar.truncate(most);
        let there = read_lessons(&found[3], &scope.tenant)?;
        let find = |id: &LessonId| there.iter().find(|it| it.id == *id).cloned();
        let replaced = replaced.iter().filter_map(find);
        let context = DecisionContext {
            next_id: LessonId(
                self.tenant_row(&scope.tenant)?
                    .map_or(1, |it| it.next_lesson),
            ),
            similar,
            replaced: replaced
                .filter(|it| it.scope.agent == scope.agent)
                .collect(),
            learned_count: row.map_or(0, |it| usize::try_from(it.learned).unwrap_or(0)),
            eviction_candidates: Vec::new(),
        };
        Ok((context, row.map(|it| it.id)))
    }

    /// Returns a scope's active learned lessons, as what the choice of one to evict needs.
    fn select_eviction_candidates(
        &self,
        tenant: &TenantId,
        scope: i64,
    ) -> Result<Vec<hardwon_core::change::EvictionCandidate>> {
        let sql = format!(
            "SELECT number, {} FROM hardwon.lesson
             WHERE tenant = $1 AND scope = $2 AND status = 'active' AND trust <> 'person'",
            rows::EVICTION_COLUMNS
        );
        let found = self.query(tenant, sql, values![TenantKey::from_name(tenant), scope])?;
        let read = |row| {
            let mut row = RowColumns::new(row);
            let id = LessonId(row.next_integer()?);
            rows::read_eviction_candidate(&mut row, id)
        };
        found.iter().map(read).collect()
    }
}

impl Read for PostgresView<'_> {
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        self.add_error_context(|| self.find_lesson(tenant, id))
    }

    fn lessons(&self, tenant: &TenantId, listing: &LessonListing) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let (rest, values) = listing::lessons_page_sql(TenantKey::from_name(tenant), listing);
            self.select_lessons(tenant, &rest, values)
        })
    }

    fn decision_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext> {
        self.add_error_context(|| {
            let (mut context, scope) = self.collect_context(admitted)?;
            if let Some(scope) = scope.filter(|_| context.learned_count >= capacity) {
                context.eviction_candidates =
                    self.select_eviction_candidates(&admitted.scope.tenant, scope)?;
            }
            Ok(context)
        })
    }

    fn lessons_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let most = rows::to_sql_page_limit(limits::CANDIDATES);
            let mut about =
                self.select_visible(scope, ABOUT_FAILURE, values![failure.as_str(), most])?;
            about.sort_by_key(|it| (it.status != Status::Active, std::cmp::Reverse(it.id)));
            about.truncate(limits::CANDIDATES);
            Ok(about)
        })
    }

    fn has_lesson_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<bool> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(&scope.tenant);
            let visible = scope.visible_scopes();
            let projects = SqlValue::from_texts(visible.iter().map(rows::project_column));
            let found = self.session.query_one(
                key,
                "SELECT 1::bigint FROM hardwon.scope s JOIN hardwon.lesson l ON l.tenant = s.tenant AND l.scope = s.id
                 WHERE s.tenant = $1 AND s.agent = $2 AND s.project = ANY($3) AND l.failure = $4 LIMIT 1",
                vec![key.into(), scope.agent.as_str().into(), projects, failure.as_str().into()],
            )?;
            Ok(found.is_some())
        })
    }

    fn proven_lessons(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let most = rows::to_sql_page_limit(limits::CANDIDATES);
            let mut proven = self.select_visible(scope, PROVEN, values![most])?;
            proven.retain(|it| it.is_recallable(now));
            proven.sort_by_key(proof_order_key);
            proven.truncate(limits::CANDIDATES);
            Ok(proven)
        })
    }

    fn search(&self, query: &LessonQuery) -> Result<SearchResults> {
        self.add_error_context(|| self.search_all(query))
    }

    fn census(&self, scope: &Scope) -> Result<Census> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(&scope.tenant);
            let mut census = Census::default();
            let Some(row) = self.scope_row(scope)? else {
                return Ok(census);
            };
            census.learned = rows::parse_count(row.learned)?;
            let found = self.session.query(
                key,
                "SELECT status, count(*), sum(shown)::bigint, sum(helped)::bigint, sum(harmed)::bigint
                 FROM hardwon.lesson WHERE tenant = $1 AND scope = $2 GROUP BY status",
                values![key, row.id],
            )?;
            for row in &found {
                let mut row = RowColumns::new(row);
                let status = rows::parse_word(&row.next_string()?, StatusName::from_name)?;
                *census.count_mut(status) = row.next_count()?;
                census.shown += row.next_count()?;
                census.helped += row.next_count()?;
                census.harmed += row.next_count()?;
            }
            Ok(census)
        })
    }

    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>> {
        self.add_error_context(|| {
            let sql = "SELECT agent, project FROM hardwon.scope WHERE tenant = $1 ORDER BY agent, project";
            let found = self.query(tenant, sql, values![TenantKey::from_name(tenant)])?;
            let read = |row| {
                let mut row = RowColumns::new(row);
                rows::parse_scope(tenant, &row.next_string()?, &row.next_string()?)
            };
            found.iter().map(read).collect()
        })
    }

    fn journal_head(&self, tenant: &TenantId) -> Result<ChainHead> {
        self.add_error_context(|| {
            let row = self.tenant_row(tenant)?;
            Ok(row.map_or_else(|| ChainHead::genesis(tenant), |it| it.head))
        })
    }

    fn journal(&self, tenant: &TenantId, after: u64, limit: usize) -> Result<Vec<JournalEntry>> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(tenant);
            let (after, most) = (rows::to_sql_count(after), rows::to_sql_page_limit(limit));
            let rest = "sequence > $2 ORDER BY sequence LIMIT $3";
            self.select_entries(tenant, rest, values![key, after, most])
        })
    }

    fn lesson_history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(tenant);
            let (after, most) = (rows::to_sql_count(after), rows::to_sql_page_limit(limit));
            let rest = "lesson = $2 AND sequence > $3 ORDER BY sequence LIMIT $4";
            self.select_entries(tenant, rest, values![key, lesson.0, after, most])
        })
    }

    fn lessons_replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(tenant);
            let most = rows::to_sql_page_limit(limits::PAGE_ROWS);
            let rest = "l.by = $2 ORDER BY l.number LIMIT $3";
            self.select_lessons(tenant, rest, values![key, id.0, most])
        })
    }

    fn recalls(
        &self,
        tenant: &TenantId,
        listing: &RecallListing,
    ) -> Result<Vec<(RecallId, Recall)>> {
        self.add_error_context(|| {
            let (rest, values) = listing::recalls_page_sql(TenantKey::from_name(tenant), listing);
            let sql = format!("SELECT id, line FROM hardwon.recall WHERE tenant = $1 AND {rest}");
            let found = self.query(tenant, sql, values)?;
            let read = |row| {
                let mut row = RowColumns::new(row);
                let id = RecallId(row.next_integer()?);
                let line: RecallRow = rows::from_json(&row.next_string()?)?;
                Ok((id, line.into_recall()?))
            };
            found.iter().map(read).collect()
        })
    }

    fn query_text(
        &self,
        tenant: &TenantId,
        recall: RecallId,
        reader: QueryTextReader<'_>,
    ) -> Result<Option<CleanText>> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(tenant);
            let sql = "SELECT agent, text FROM hardwon.asked WHERE tenant = $1 AND recall = $2";
            let Some(row) = self.session.query_one(key, sql, values![key, recall.0])? else {
                return Ok(None);
            };
            let mut row = RowColumns::new(&row);
            let may_read = reader.may_read(&row.next_string()?);
            let text = row.next_text()?;
            Ok(may_read.then_some(text))
        })
    }

    fn judgements(
        &self,
        tenant: &TenantId,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        self.add_error_context(|| {
            let (rest, values) =
                listing::judgements_page_sql(TenantKey::from_name(tenant), listing);
            let sql =
                format!("SELECT id, run, line FROM hardwon.judgement WHERE tenant = $1 AND {rest}");
            let found = self.query(tenant, sql, values)?;
            let read = |row| {
                let mut row = RowColumns::new(row);
                let (id, run) = (
                    JudgementId(row.next_integer()?),
                    row.next_optional_string()?,
                );
                let line: JudgementRow = rows::from_json(&row.next_string()?)?;
                Ok((id, line.into_record(run.as_deref())?))
            };
            found.iter().map(read).collect()
        })
    }

    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(tenant);
            let sql =
                "SELECT precision, shift FROM hardwon.baseline WHERE tenant = $1 AND about = $2";
            let Some(row) = self
                .session
                .query_one(key, sql, values![key, about.name()])?
            else {
                return Ok(GaussianMessage::default());
            };
            let mut row = RowColumns::new(&row);
            Ok(GaussianMessage {
                precision: row.next_integer()?,
                shift: row.next_integer()?,
            })
        })
    }

    fn candidate_lesson(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>> {
        self.add_error_context(|| self.find_candidate(scope, failure))
    }

    fn source_progress(&self, tenant: &TenantId, name: &str) -> Result<Option<SourceProgress>> {
        self.add_error_context(|| {
            let key = TenantKey::from_name(tenant);
            let sql = "SELECT position, fingerprint, state, at FROM hardwon.source
                 WHERE tenant = $1 AND name_hash = $2";
            let values = values![key, hash_source_name(name)];
            let Some(row) = self.session.query_one(key, sql, values)? else {
                return Ok(None);
            };
            let mut row = RowColumns::new(&row);
            Ok(Some(SourceProgress {
                position: row.next_count()?,
                fingerprint: row.next_string()?,
                state: row.next_bytes()?.to_vec(),
                at: row.next_time()?,
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

impl PostgresView<'_> {
    /// Returns the candidate lesson of a failure.
    pub(crate) fn find_candidate(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>> {
        let key = TenantKey::from_name(&scope.tenant);
        let sql = format!(
            "SELECT {} FROM hardwon.scope s
             JOIN hardwon.witness w ON w.tenant = s.tenant AND w.scope = s.id
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project = $3 AND w.failure = $4",
            rows::CANDIDATE_COLUMNS
        );
        let values = values![
            key,
            scope.agent.as_str(),
            rows::project_column(scope),
            failure.as_str()
        ];
        let found = self.session.query_one(key, sql, values)?;
        let read = |row| rows::read_candidate(&mut RowColumns::new(row), &scope.tenant);
        found.as_ref().map(read).transpose()
    }
}
