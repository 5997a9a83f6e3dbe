//! Queries. Each runs in a transaction and sees one state.

use std::cmp::Reverse;

use hardwon_core::{
    AdmittedLesson, BaselineKey, CleanText, DecisionContext, EvictionCandidate, FailureKey,
    GaussianMessage, Job, JobId, Lesson, LessonId, ModelCost, Scope, SearchResults, Status,
    TenantId, TypedWord, limits,
};
use jiff::Timestamp;

use super::{
    SELECT_SCOPE, listing::scopes_sql, name_key, one_of, place_values, read_numbered_lesson,
    read_scope_row,
};
use crate::{
    CandidateLesson, ChainHead, ColumnValue, DuplicateKeys, JobCounts, JobListing, JournalEntry,
    JudgementId, JudgementListing, JudgementRecord, JudgementRow, KeptAnswer, LessonListing,
    LessonQuery, QueryTextReader, Read, Recall, RecallId, RecallListing, RecallRow, Result,
    ScopeFilter, Sha256Hash, SourceProgress, StatusName, TenantDatabase, TenantTables, TenantView,
    port::values,
    query::search_recallable,
    records,
    rows::{self, ENTRY_COLUMNS},
};

/// The lessons of a scope with the same words in any order: exact duplicates, and others.
const TWINS: &str = "l.words = $4 AND l.twin = $5 ORDER BY l.KEY LIMIT $6";
const SIMILAR: &str = "l.words = $4 AND l.twin <> $5 ORDER BY l.twin, l.KEY LIMIT $6";
/// The lessons of a scope that helped more often than they harmed, the best first, as an index has them.
pub(crate) const PROVEN: &str = "l.status = 'active' AND l.helped > l.harmed \
     ORDER BY l.harmed - l.helped, l.KEY DESC LIMIT $4";
const ABOUT_FAILURE: &str = "l.failure = $4 ORDER BY l.status <> 'active', l.KEY DESC LIMIT $5";

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Returns the entries that `rest` selects from `journal`.
    fn select_entries(&self, rest: &str, more: Vec<ColumnValue<'_>>) -> Result<Vec<JournalEntry>> {
        let sql =
            format!("SELECT {ENTRY_COLUMNS} FROM hardwon.journal WHERE tenant = $1 AND {rest}");
        self.select(sql, more, |row| rows::read_entry(row))
    }

    /// Returns the lessons that `rest` selects in each of the scopes visible from one.
    fn select_visible(
        &self,
        scope: &Scope,
        rest: &str,
        more: &[ColumnValue<'_>],
    ) -> Result<Vec<Lesson>> {
        let visible = scope.visible_scopes();
        let rest = name_key::<D>(rest);
        let statement = |place| self.scope_lessons_statement(place, &rest, more.to_vec());
        let mut lessons = Vec::new();
        let statements = visible.iter().map(statement).collect();
        self.view.database.select_all(statements, &mut |_, row| {
            lessons.push(read_numbered_lesson(row, self.name)?);
            Ok(())
        })?;
        Ok(lessons)
    }

    /// Collects what there is to know before a lesson is admitted.
    fn collect_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext> {
        let (scope, most) = (&admitted.scope, limits::SIMILAR_LESSONS);
        let DuplicateKeys { twin, words } = DuplicateKeys::from_content(&admitted.content);
        let alike = |rest| {
            let values = values![words, twin, rows::to_sql_page_limit(most)];
            self.scope_lessons_statement(scope, &name_key::<D>(rest), values)
        };
        let old_lessons = admitted.supersedes.iter().take(most);
        let keys = old_lessons
            .clone()
            .filter_map(|id| D::lesson_key(self.key, *id));
        let key_condition = one_of::<D>();
        let statements = vec![
            self.statement(SELECT_SCOPE, place_values(scope)),
            alike(TWINS),
            alike(SIMILAR),
            self.lessons_statement(&key_condition, values![keys.collect::<Vec<i64>>()]),
        ];
        let (mut found, mut similar, mut there) = (None, Vec::new(), Vec::new());
        self.view
            .database
            .select_all(statements, &mut |place, row| {
                match place {
                    0 => found = Some(read_scope_row(row)?),
                    1 | 2 => similar.push(read_numbered_lesson(row, self.name)?),
                    _ => there.push(read_numbered_lesson(row, self.name)?),
                }
                Ok(())
            })?;
        similar.truncate(most);
        there.retain(|lesson: &Lesson| lesson.scope.agent == scope.agent);
        let find = |id: &LessonId| there.iter().find(|lesson| lesson.id == *id).cloned();
        let learned_count = found.map_or(0, |row| usize::try_from(row.learned).unwrap_or(0));
        Ok(DecisionContext {
            next_id: LessonId(
                self.view
                    .tenant_row(self.name)?
                    .map_or(1, |row| row.next_lesson),
            ),
            similar,
            replaced: old_lessons.filter_map(find).collect(),
            learned_count,
            eviction_candidates: match found.filter(|_| learned_count >= capacity) {
                Some(row) => self.select_eviction_candidates(row.id)?,
                None => Vec::new(),
            },
        })
    }

    /// Returns a scope's active learned lessons, as what the choice of one to evict needs.
    fn select_eviction_candidates(&self, scope: i64) -> Result<Vec<EvictionCandidate>> {
        let (number, own) = (D::WORDS.lesson_number, D::WORDS.own_lesson);
        let sql = format!(
            "SELECT {number}, {} FROM hardwon.lesson l
             WHERE {own}scope = $2 AND status = 'active' AND trust <> 'person'",
            rows::EVICTION_COLUMNS
        );
        self.select(sql, values![scope], |row| {
            let id = LessonId(row.next_integer()?);
            rows::read_eviction_candidate(row, id)
        })
    }

    pub(super) fn select_candidate(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>> {
        let candidates = self.select_candidates(scope, "w.failure = $4", Some(failure))?;
        Ok(candidates
            .into_iter()
            .next()
            .map(|(_, candidate)| candidate))
    }

    fn select_candidates(
        &self,
        scope: &Scope,
        rest: &str,
        failure: Option<&FailureKey>,
    ) -> Result<Vec<(FailureKey, CandidateLesson)>> {
        let (columns, of_scope) = (rows::CANDIDATE_COLUMNS, D::WORDS.witness_of_scope);
        let sql = format!(
            "SELECT w.failure, {columns} FROM hardwon.scope s JOIN hardwon.witness w ON {of_scope}
             WHERE s.tenant = $1 AND s.agent = $2 AND s.project = $3 AND {rest}"
        );
        let mut values = place_values(scope);
        values.extend(failure.map(|failure| failure.as_str().into()));
        self.select(sql, values, |row| {
            let failure = FailureKey::new(row.next_string()?);
            Ok((failure, rows::read_candidate(row, self.name)?))
        })
    }

    pub(super) fn select_judgements(
        &self,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        let (rest, values) = super::listing::judgements_page_sql(listing);
        let sql =
            format!("SELECT id, run, line FROM hardwon.judgement WHERE tenant = $1 AND {rest}");
        self.select(sql, values, |row| {
            let id = JudgementId(row.next_integer()?);
            let run = row.next_optional_string()?;
            let line: JudgementRow = rows::from_json(&row.next_string()?)?;
            Ok((id, line.into_record(run.as_deref())?))
        })
    }

    fn count_waiting(&self) -> Result<Vec<(Scope, u64)>> {
        let (join, own) = (D::WORDS.scope_of_lesson, D::WORDS.own_lesson);
        let sql = format!(
            "SELECT s.agent, s.project, count(*) FROM hardwon.lesson l {join}
             WHERE {own}l.KEY >= $2 AND l.KEY < $3 AND l.status IN ('pending', 'quarantined')
             GROUP BY s.agent, s.project"
        );
        self.select(name_key::<D>(&sql), self.lesson_keys_below(None), |row| {
            let scope = rows::parse_scope(self.name, row.next_string()?, row.next_string()?)?;
            Ok((scope, row.next_count()?))
        })
    }

    /// Returns the newest `most` active lessons that may hold all of these words, the newest first.
    fn find_lessons_with(
        &self,
        within: &ScopeFilter,
        words: &[TypedWord],
        most: usize,
    ) -> Result<Vec<LessonId>> {
        let scopes = self.select_scope_numbers(within)?;
        // Of several words, the newest lessons with one may have no other.
        let most_of_each = if words.len() == 1 { most } else { usize::MAX };
        let mut common_ids: Option<Vec<u32>> = None;
        for word in words {
            let database = &self.view.database;
            let mut lessons = database.find_lessons_with(self.key, &scopes, word, most_of_each)?;
            if let Some(common_ids) = &common_ids {
                lessons.retain(|lesson| common_ids.binary_search(lesson).is_ok());
            }
            if lessons.is_empty() {
                return Ok(Vec::new());
            }
            common_ids = Some(lessons);
        }
        let newest_first = common_ids.unwrap_or_default().into_iter().rev().take(most);
        Ok(newest_first.map(|lesson| LessonId(lesson.into())).collect())
    }

    fn select_scope_numbers(&self, within: &ScopeFilter) -> Result<Vec<i64>> {
        let (condition, values) = scopes_sql(within);
        let sql = format!("SELECT s.id FROM hardwon.scope s WHERE s.tenant = $1 AND {condition}");
        self.select(sql, values, |row| row.next_integer())
    }

    /// Returns whether a listing is one of few lessons in use, wherever they are among others.
    fn lists_small_scopes(&self, listing: &LessonListing) -> Result<bool> {
        let is_of_scopes = matches!(
            listing.within,
            ScopeFilter::Scope(_) | ScopeFilter::Visible(_)
        );
        let is_in_use = listing.status == Some(StatusName::Active) && listing.among.is_none();
        Ok(is_of_scopes && is_in_use && {
            let scopes = self.select_scope_numbers(&listing.within)?;
            self.view.database.are_small(&scopes)?
        })
    }

    pub(super) fn select_scopes(&self) -> Result<Vec<Scope>> {
        let sql =
            "SELECT agent, project FROM hardwon.scope WHERE tenant = $1 ORDER BY agent, project";
        self.select(sql, Vec::new(), |row| {
            rows::parse_scope(self.name, row.next_string()?, row.next_string()?)
        })
    }
}

impl<D: TenantDatabase> Read for TenantView<D> {
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        self.find_lesson(tenant, id)
    }

    fn lessons(&self, tenant: &TenantId, listing: &LessonListing) -> Result<Vec<Lesson>> {
        self.ask(tenant, |tenant| {
            let (rest, values) = tenant.lessons_page_sql(listing)?;
            let statement = if tenant.lists_small_scopes(listing)? {
                tenant.small_scopes_statement(&rest, values)
            } else {
                tenant.lessons_statement(&rest, values)
            };
            tenant.select_lessons_by(statement)
        })
    }

    fn decision_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext> {
        let context = self.ask(&admitted.scope.tenant, |tenant| {
            tenant.collect_context(admitted, capacity).map(Some)
        })?;
        Ok(context.unwrap_or_else(|| DecisionContext {
            next_id: LessonId(1),
            similar: Vec::new(),
            replaced: Vec::new(),
            learned_count: 0,
            eviction_candidates: Vec::new(),
        }))
    }

    fn lessons_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>> {
        self.ask(&scope.tenant, |tenant| {
            let most = rows::to_sql_page_limit(limits::CANDIDATES);
            let values = values![failure.as_str(), most];
            let mut about = tenant.select_visible(scope, ABOUT_FAILURE, &values)?;
            about.sort_by_key(|lesson| (lesson.status != Status::Active, Reverse(lesson.id)));
            about.truncate(limits::CANDIDATES);
            Ok(about)
        })
    }

    fn proven_lessons(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>> {
        self.ask(&scope.tenant, |tenant| {
            let most = rows::to_sql_page_limit(limits::CANDIDATES);
            let mut proven = tenant.select_visible(scope, PROVEN, &[most.into()])?;
            proven.retain(|lesson| lesson.is_recallable(now));
            proven.sort_by_key(records::proof_order_key);
            proven.truncate(limits::CANDIDATES);
            Ok(proven)
        })
    }

    fn search(&self, query: &LessonQuery) -> Result<SearchResults> {
        self.add_error_context(|| {
            let hits = search_recallable(query, |limit| D::search_best(self, query, limit))?;
            match (&query.vector, self.tables_of(&query.scope.tenant)?) {
                (Some(near), Some(tenant)) => tenant.add_similar(query, near, hits),
                _ => Ok(hits),
            }
        })
    }

    fn lessons_with_words(
        &self,
        tenant: &TenantId,
        within: &ScopeFilter,
        words: &[TypedWord],
        most: usize,
    ) -> Result<Vec<LessonId>> {
        self.ask(tenant, |tenant| {
            tenant.find_lessons_with(within, words, most)
        })
    }

    fn count_waiting(&self, tenant: &TenantId) -> Result<Vec<(Scope, u64)>> {
        self.ask(tenant, |tenant| tenant.count_waiting())
    }

    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>> {
        self.ask(tenant, |tenant| tenant.select_scopes())
    }

    fn journal_head(&self, tenant: &TenantId) -> Result<ChainHead> {
        self.add_error_context(|| {
            let row = self.tenant_row(tenant)?;
            Ok(row.map_or_else(|| ChainHead::genesis(tenant), |row| row.head))
        })
    }

    fn journal(&self, tenant: &TenantId, after: u64, limit: usize) -> Result<Vec<JournalEntry>> {
        self.ask(tenant, |tenant| {
            let rest = "sequence > $2 ORDER BY sequence LIMIT $3";
            tenant.select_entries(rest, values![after, rows::to_sql_page_limit(limit)])
        })
    }

    fn lesson_history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>> {
        self.ask(tenant, |tenant| {
            let most = rows::to_sql_page_limit(limit);
            let rest = "lesson = $2 AND sequence > $3 ORDER BY sequence LIMIT $4";
            tenant.select_entries(rest, values![lesson.0, after, most])
        })
    }

    fn lessons_replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>> {
        self.ask(tenant, |tenant| {
            let mut values = tenant.lesson_keys_below(None);
            values.extend(values![id.0, rows::to_sql_page_limit(limits::PAGE_ROWS)]);
            let rest = "l.by = $4 AND l.KEY >= $2 AND l.KEY < $3 ORDER BY l.KEY LIMIT $5";
            tenant.select_lessons(&name_key::<D>(rest), values)
        })
    }

    fn recalls(
        &self,
        tenant: &TenantId,
        listing: &RecallListing,
    ) -> Result<Vec<(RecallId, Recall)>> {
        self.ask(tenant, |tenant| {
            let (rest, values) = super::listing::recalls_page_sql::<D>(listing);
            let sql = format!("SELECT id, line FROM hardwon.recall WHERE tenant = $1 AND {rest}");
            tenant.select(sql, values, |row| {
                let id = RecallId(row.next_integer()?);
                let line: RecallRow = rows::from_json(&row.next_string()?)?;
                Ok((id, line.into_recall()?))
            })
        })
    }

    fn query_text(
        &self,
        tenant: &TenantId,
        recall: RecallId,
        reader: QueryTextReader<'_>,
    ) -> Result<Option<CleanText>> {
        self.ask(tenant, |tenant| {
            let sql = "SELECT agent, text FROM hardwon.asked WHERE tenant = $1 AND recall = $2";
            let text = tenant.select_first(sql, values![recall.0], |row| {
                let may_read = reader.may_read(&row.next_string()?);
                Ok(Some(row.next_text()?).filter(|_| may_read))
            })?;
            Ok(text.flatten())
        })
    }

    fn judgements(
        &self,
        tenant: &TenantId,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        self.ask(tenant, |tenant| tenant.select_judgements(listing))
    }

    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage> {
        self.ask(tenant, |tenant| {
            let sql =
                "SELECT precision, shift FROM hardwon.baseline WHERE tenant = $1 AND about = $2";
            let message = tenant.select_first(sql, values![about.name()], |row| {
                let (precision, shift) = (row.next_integer()?, row.next_integer()?);
                Ok(GaussianMessage { precision, shift })
            })?;
            Ok(message.unwrap_or_default())
        })
    }

    fn candidate_lesson(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>> {
        self.ask(&scope.tenant, |tenant| {
            tenant.select_candidate(scope, failure)
        })
    }

    fn candidate_lessons(&self, scope: &Scope) -> Result<Vec<(FailureKey, CandidateLesson)>> {
        self.ask(&scope.tenant, |tenant| {
            let rest = "w.lesson IS NOT NULL ORDER BY w.last DESC, w.failure";
            tenant.select_candidates(scope, rest, None)
        })
    }

    fn source_progress(&self, tenant: &TenantId, name: &str) -> Result<Option<SourceProgress>> {
        self.ask(tenant, |tenant| {
            let (column, value) = D::source_place(name);
            let sql = format!(
                "SELECT position, fingerprint, state, at FROM hardwon.source
                 WHERE tenant = $1 AND {column} = $2"
            );
            tenant.select_first(sql, vec![value], |row| {
                Ok(SourceProgress {
                    position: row.next_count()?,
                    fingerprint: row.next_string()?,
                    state: row.next_bytes()?.to_vec(),
                    at: row.next_time()?,
                })
            })
        })
    }

    fn job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>> {
        self.ask(tenant, |tenant| tenant.select_job(id))
    }

    fn job_with_key(&self, tenant: &TenantId, key: &str) -> Result<Option<Job>> {
        self.ask(tenant, |tenant| tenant.select_job_by_key(key))
    }

    fn jobs(&self, tenant: &TenantId, listing: &JobListing) -> Result<Vec<Job>> {
        self.ask(tenant, |tenant| tenant.select_job_page(listing))
    }

    fn next_job(&self, tenant: &TenantId, now: Timestamp) -> Result<Option<Job>> {
        self.ask(tenant, |tenant| tenant.select_ready_job(now))
    }

    fn count_jobs(&self, tenant: &TenantId, now: Timestamp) -> Result<JobCounts> {
        self.ask(tenant, |tenant| tenant.select_job_counts(now))
    }

    fn model_cost(&self, tenant: &TenantId, day: i64) -> Result<ModelCost> {
        self.ask(tenant, |tenant| tenant.select_model_cost(day))
    }

    fn kept_answer(&self, tenant: &TenantId, name: &Sha256Hash) -> Result<Option<KeptAnswer>> {
        self.ask(tenant, |tenant| tenant.select_kept_answer(name))
    }

    fn lessons_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>> {
        self.ask(tenant, |tenant| {
            tenant.select_without_vector(space, after, limit)
        })
    }

    fn count_vectors(&self, scope: &Scope, space: &str) -> Result<u64> {
        self.ask(&scope.tenant, |tenant| {
            tenant.select_vector_count(scope, space)
        })
    }

    fn find_faults(&self, tenant: &TenantId) -> Result<Vec<String>> {
        self.ask(tenant, |tenant| tenant.find_faults())
    }
}
