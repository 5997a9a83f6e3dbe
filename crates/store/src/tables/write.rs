//! Applies changes: the row, the text index, the counts and the journal entry together.

use std::collections::BTreeSet;

use hardwon_core::{
    BaselineKey, Change, ChangeBatch, CleanText, FailureKey, GaussianMessage, Job, JobId, JobState,
    JobTask, Lesson, LessonId, ModelCost, Recall, RecallId, Scope, TenantId, change::apply_change,
    limits,
};
use jiff::Timestamp;

use super::{KnownTenant, name_key};
use crate::{
    AdmittedRow, CandidateLesson, DuplicateKeys, EntryBody, ErasedTenant, IndexUpdate,
    JournalComment, JournalEntry, JudgementId, JudgementListing, JudgementRecord, JudgementRow,
    LessonVector, Read, RecallRow, RequestMark, Result, Sighting, SourceProgress, StoreError,
    StoreErrorKind, Write, derived::learned_share, port::values, records, rows,
};
use crate::{Column, TenantDatabase, TenantRow, TenantTables, TenantView};

/// One tenant's write transaction.
#[derive(Debug)]
pub struct TenantTransaction<'t, D> {
    /// What it sees, its own changes among it.
    pub view: TenantView<D>,
    /// Whose it is.
    pub tenant: &'t TenantId,
    /// The tenant's number.
    pub key: i64,
    /// Scopes whose index may have to be merged.
    grown_scopes: Vec<i64>,
    /// The scopes with a new candidate.
    candidate_scopes: BTreeSet<i64>,
    has_conflict: bool,
    /// Whether a lesson was erased.
    pub has_deleted: bool,
}

/// The names of columns, their places in a statement, and their values.
fn split_columns(columns: Vec<Column<'_>>) -> (Vec<&'static str>, Vec<rows::ColumnValue<'_>>) {
    columns.into_iter().unzip()
}

/// Writes what a statement says of each of some names, of which the first has a place.
fn list_names(
    names: &[&str],
    first: usize,
    between: &str,
    say: fn(&str, usize) -> String,
) -> String {
    let parts = names
        .iter()
        .zip(first..)
        .map(|(name, place)| say(name, place));
    parts.collect::<Vec<_>>().join(between)
}

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Returns the columns of a key that begins with the tenant.
    pub(super) fn own<'c>(&self, column: Column<'c>) -> Vec<Column<'c>> {
        vec![("tenant", self.key.into()), column]
    }

    /// Runs a statement of which all values are columns'.
    fn run(&self, sql: String, values: Vec<rows::ColumnValue<'_>>) -> Result<()> {
        let tenant = self.key;
        let sql = sql.into();
        self.view.database.execute(crate::port::Statement {
            tenant,
            sql,
            values,
        })
    }

    /// Inserts a row.
    pub(super) fn insert(&self, table: &str, columns: Vec<Column<'_>>) -> Result<()> {
        let (names, values) = split_columns(columns);
        self.run(insert_sql(table, &names), values)
    }

    /// Saves a row in place of the one of its key.
    pub(super) fn save(
        &self,
        table: &str,
        key: Vec<Column<'_>>,
        columns: Vec<Column<'_>>,
    ) -> Result<()> {
        let keys = key.len();
        let (names, values) = split_columns(key.into_iter().chain(columns).collect());
        let conflict = names[..keys].join(", ");
        let set = list_names(&names[keys..], 0, ", ", |name, _| {
            format!("{name} = excluded.{name}")
        });
        let insert = insert_sql(table, &names);
        self.run(
            format!("{insert} ON CONFLICT ({conflict}) DO UPDATE SET {set}"),
            values,
        )
    }

    /// Changes columns of the row of a key.
    pub(super) fn update(
        &self,
        table: &str,
        key: Vec<Column<'_>>,
        columns: Vec<Column<'_>>,
    ) -> Result<()> {
        let keys = key.len();
        let (names, values) = split_columns(key.into_iter().chain(columns).collect());
        let set = list_names(&names[keys..], keys + 1, ", ", |name, place| {
            format!("{name} = ${place}")
        });
        let key = list_key(&names[..keys]);
        self.run(
            format!("UPDATE hardwon.{table} SET {set} WHERE {key}"),
            values,
        )
    }

    /// Deletes the row of a key.
    pub(super) fn delete(&self, table: &str, key: Vec<Column<'_>>) -> Result<()> {
        let (names, values) = split_columns(key);
        let key = list_key(&names);
        self.run(format!("DELETE FROM hardwon.{table} WHERE {key}"), values)
    }

    /// Returns a scope's number, and inserts its row if there is none. The scope is of this tenant, whatever tenant it
    /// names.
    pub(crate) fn ensure_scope(&self, scope: &Scope) -> Result<i64> {
        let tenant = self.name.clone();
        let scope = Scope {
            tenant,
            ..scope.clone()
        };
        let scopes = self.view.scopes.borrow();
        if let Some((_, id)) = scopes.iter().find(|scopes| scopes.0 == scope) {
            return Ok(*id);
        }
        drop(scopes);
        let id = match self.scope_row(&scope)? {
            Some(row) => row.id,
            None => self.view.database.insert_scope(self.key, &scope)?,
        };
        self.view.scopes.borrow_mut().push((scope, id));
        Ok(id)
    }

    pub(super) fn append_entry(&self, entry: &JournalEntry) -> Result<()> {
        let remark = entry.body.comment.as_ref();
        let words = remark.and_then(JournalComment::text).map(CleanText::as_str);
        let mut columns = self.own(("sequence", entry.sequence.into()));
        columns.extend([
            ("at", entry.body.at.into()),
            ("kind", entry.body.kind.name().into()),
            ("lesson", entry.body.lesson.0.into()),
            ("actor", entry.body.actor.0.as_str().into()),
            ("content", (&entry.body.content).into()),
            ("previous", (&entry.previous).into()),
            ("hash", (&entry.hash).into()),
            ("remark_hash", remark.map(JournalComment::digest).into()),
            ("remark", words.into()),
        ]);
        self.insert("journal", columns)
    }

    /// Erases the comments in a lesson's journal entries; the hash chain stays valid without them.
    fn erase_comments(&self, id: LessonId) -> Result<()> {
        let sql = "UPDATE hardwon.journal SET remark = NULL WHERE tenant = $1 AND lesson = $2";
        self.execute(sql, values![id.0])
    }

    /// Writes a recall under a number, with the text that it was made for.
    pub(crate) fn insert_recall(&self, id: RecallId, recall: &Recall) -> Result<()> {
        let line = RecallRow::from_recall(recall).without_query_text();
        let mut columns = self.own(("id", id.0.into()));
        let run = recall.run.as_ref().map(|run| run.as_str());
        columns.push(("run", run.into()));
        let beside = [id.0.to_string(), run.unwrap_or_default().to_owned()];
        columns.push(("line", rows::to_sealed_json(&line, &beside)?.into()));
        self.insert("recall", columns)?;
        let Some(text) = &recall.query_text else {
            return Ok(());
        };
        let mut columns = self.own(("recall", id.0.into()));
        columns.push(("agent", recall.scope.agent.as_str().into()));
        columns.push(("at", recall.at.into()));
        columns.push(("text", text.as_str().into()));
        self.insert("asked", columns)
    }

    fn add_to_baseline(&self, about: &BaselineKey, more: GaussianMessage) -> Result<()> {
        self.execute(
            "INSERT INTO hardwon.baseline AS b (tenant, about, precision, shift)
             VALUES ($1, $2, $3, $4) ON CONFLICT (tenant, about) DO UPDATE
             SET precision = b.precision + excluded.precision, shift = b.shift + excluded.shift",
            values![about.name(), more.precision, more.shift],
        )
    }

    /// Saves a judgement in place of the earlier one of the same run.
    fn replace_judgement(&self, judged: &JudgementRecord) -> Result<()> {
        let former = match &judged.run {
            Some(run) => (self.select_judgements(&JudgementListing::of_run(run.clone()))?).pop(),
            None => None,
        };
        for (about, leaning) in former
            .iter()
            .flat_map(|(_, earlier)| &earlier.judgement.baselines)
        {
            self.add_to_baseline(about, -*leaning)?;
        }
        for (about, leaning) in &judged.judgement.baselines {
            self.add_to_baseline(about, *leaning)?;
        }
        let next = "SELECT coalesce(max(id), 0) + 1 FROM hardwon.judgement WHERE tenant = $1";
        let id = match former {
            Some((id, _)) => Some(id.0),
            None => self.select_first(next, Vec::new(), |row| row.next_integer())?,
        };
        let id = JudgementId(id.expect("a number is always there"));
        self.write_judgement(id, judged)?;
        let past = id.0 - rows::to_sql_bound(limits::JUDGEMENTS);
        let sql = "DELETE FROM hardwon.judgement WHERE tenant = $1 AND id <= $2";
        self.execute(sql, values![past])
    }

    fn write_judgement(&self, id: JudgementId, judged: &JudgementRecord) -> Result<()> {
        let run = judged.run.as_ref().map(|run| run.as_str());
        let beside = [id.0.to_string(), run.unwrap_or_default().to_owned()];
        let line = rows::to_sealed_json(&JudgementRow::from_record(judged), &beside)?;
        let columns = vec![("run", run.into()), ("line", line.into())];
        self.save("judgement", self.own(("id", id.0.into())), columns)
    }

    fn write_candidate(
        &self,
        scope: &Scope,
        failure: &FailureKey,
        found: &CandidateLesson,
    ) -> Result<()> {
        let runs = rows::to_json(&found.runs)?;
        let scope = self.ensure_scope(scope)?;
        let beside = [
            scope.to_string(),
            failure.as_str().to_owned(),
            found.first_seen.as_millisecond().to_string(),
            found.last_seen.as_millisecond().to_string(),
            runs.clone(),
        ];
        let lesson = found.lesson.as_ref();
        let lesson =
            lesson.map(|lesson| rows::to_sealed_json(&AdmittedRow::from_admitted(lesson), &beside));
        let mut place = D::scope_place(self.key, scope);
        place.push(("failure", failure.as_str().into()));
        let columns = vec![
            ("first", found.first_seen.into()),
            ("last", found.last_seen.into()),
            ("runs", runs.into()),
            ("lesson", lesson.transpose()?.into()),
        ];
        self.save("witness", place, columns)
    }

    /// Deletes the candidates seen longest ago of a scope that has too many.
    fn delete_oldest_candidates(&self, scope: i64) -> Result<()> {
        let place = D::scope_place(self.key, scope);
        let (names, mut values) = split_columns(place);
        let (of_scope, most) = (list_key(&names), names.len() + 1);
        values.push(rows::to_sql_bound(limits::CANDIDATE_LESSONS).into());
        let all = i64::MAX;
        self.run(
            format!(
                "DELETE FROM hardwon.witness WHERE {of_scope}
                 AND (SELECT count(*) FROM hardwon.witness WHERE {of_scope}) > ${most}
                 AND failure IN (SELECT failure FROM hardwon.witness WHERE {of_scope}
                                 ORDER BY last DESC, failure DESC LIMIT {all} OFFSET ${most})"
            ),
            values,
        )
    }

    /// Deletes the query texts of recalls before a time.
    pub(crate) fn erase_query_texts(&self, before: Timestamp) -> Result<()> {
        let sql = "DELETE FROM hardwon.asked WHERE tenant = $1 AND at < $2";
        self.execute(sql, values![before])
    }
}

fn insert_sql(table: &str, names: &[&str]) -> String {
    let places = list_names(names, 1, ", ", |_, place| format!("${place}"));
    let names = names.join(", ");
    format!("INSERT INTO hardwon.{table} ({names}) VALUES ({places})")
}

/// Writes the condition that columns have the first values.
fn list_key(names: &[&str]) -> String {
    list_names(names, 1, " AND ", |name, place| {
        format!("{name} = ${place}")
    })
}

impl<'t, D: TenantDatabase> TenantTransaction<'t, D> {
    /// Begins to write for a tenant, whose row is this one until the transaction ends.
    pub fn new(view: TenantView<D>, tenant: &'t TenantId, row: TenantRow) -> Self {
        view.tenant.replace(Some(KnownTenant::new(tenant, row)));
        Self {
            view,
            tenant,
            key: row.key,
            grown_scopes: Vec::new(),
            candidate_scopes: BTreeSet::new(),
            has_conflict: false,
            has_deleted: false,
        }
    }

    pub(crate) fn tables(&self) -> TenantTables<'_, D> {
        TenantTables {
            view: &self.view,
            name: self.tenant,
            key: self.key,
        }
    }

    /// Returns a scope's number, and inserts its row if there is none.
    pub fn ensure_scope(&self, scope: &Scope) -> Result<i64> {
        self.tables().ensure_scope(scope)
    }

    /// Counts what there is of the tenant, before it is erased.
    ///
    /// # Errors
    ///
    /// The reason why rows could not be read.
    pub fn count_records(&self) -> Result<ErasedTenant> {
        let (tables, own) = (self.tables(), D::WORDS.own_lesson);
        let keys = name_key::<D>("l.KEY >= $2 AND l.KEY < $3");
        let sql = format!(
            "SELECT (SELECT count(*) FROM hardwon.lesson l WHERE {own}{keys}),
             (SELECT count(*) FROM hardwon.recall WHERE tenant = $1),
             (SELECT count(*) FROM hardwon.judgement WHERE tenant = $1),
             (SELECT count(*) FROM hardwon.job WHERE tenant = $1)"
        );
        let journal_head = self.view.change_tenant(|row| row.head);
        let record_counts = tables.select_first(sql, tables.lesson_keys_below(None), |row| {
            Ok(ErasedTenant {
                journal_head,
                lessons: row.next_count()?,
                recalls: row.next_count()?,
                judgements: row.next_count()?,
                jobs: row.next_count()?,
            })
        })?;
        Ok(record_counts.expect("counts are always there"))
    }

    /// Ends the work: merges what has grown, and writes the tenant's row. The caller commits.
    ///
    /// # Errors
    ///
    /// `Conflict` if a batch did not fit, whatever the work made of that.
    pub fn finish(&self) -> Result<()> {
        if self.has_conflict {
            return Err(records::conflicting_batch_error());
        }
        for scope in &self.grown_scopes {
            self.view.database.merge_index(self.key, *scope)?;
        }
        for scope in &self.candidate_scopes {
            self.tables().delete_oldest_candidates(*scope)?;
        }
        let tenant = self.view.tenant.borrow();
        let tenant = tenant.as_ref().expect("a writer knows its tenant");
        self.view
            .database
            .save_tenant(&tenant.row, tenant.is_changed)
    }

    /// Makes every key and term of the tenant's lessons anew, by the rules of this program. The text index must be empty.
    ///
    /// # Errors
    ///
    /// The reason why lessons could not be read or written.
    pub fn rebuild_derived(&self) -> Result<()> {
        let mut last = LessonId(0);
        loop {
            let page = self.tables().select_lessons_after(last)?;
            let Some(newest) = page.last() else {
                return Ok(());
            };
            last = newest.id;
            page.iter()
                .try_for_each(|lesson| self.rebuild_lesson(lesson))?;
        }
    }

    fn rebuild_lesson(&self, lesson: &Lesson) -> Result<()> {
        let DuplicateKeys { twin, words } = DuplicateKeys::from_content(&lesson.content);
        let columns = vec![("twin", twin.into()), ("words", words.into())];
        let key = D::lesson_key(self.key, lesson.id).expect("it was found by it");
        let place = D::lesson_place(self.key, key);
        self.tables().update("lesson", place, columns)?;
        let Some(terms) = IndexUpdate::between(None, Some(lesson)).adds else {
            return Ok(());
        };
        let (scope, database) = (self.ensure_scope(&lesson.scope)?, &self.view.database);
        database.index_lesson(self.key, scope, lesson.id, &terms)?;
        database.merge_index(self.key, scope)
    }

    fn apply_batch(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        if batch.tenant != *self.tenant {
            return Err(records::conflict_error(
                "a batch names another tenant than its transaction",
            ));
        }
        let changes = batch.changes.iter();
        changes
            .map(|change| self.apply_change(change, batch))
            .collect()
    }

    fn apply_change(&mut self, change: &Change, batch: &ChangeBatch) -> Result<Option<Lesson>> {
        let id = change.lesson_id();
        let before = match change {
            Change::Add { id, admitted } => {
                self.take_next_number(*id, &admitted.scope)?;
                None
            }
            _ => self.view.find_lesson(self.tenant, id)?,
        };
        let after = apply_change(before.clone(), change, batch.at)
            .map_err(|error| records::conflict_error(error.to_string()))?;
        if before == after {
            return Ok(after);
        }
        self.write_lesson(id, before.as_ref(), after.as_ref())?;
        if after.is_none() {
            self.tables().erase_comments(id)?;
            self.tables().erase_answers()?;
            self.has_deleted = true;
        }
        let body = EntryBody::from_change(change, batch, [before.as_ref(), after.as_ref()]);
        let entry = self.view.change_tenant(|row| {
            let entry = row.head.next_entry(body);
            row.head = entry.head();
            entry
        });
        self.tables().append_entry(&entry)?;
        Ok(after)
    }

    /// Checks that a new lesson's number is the next one, and takes it.
    fn take_next_number(&self, id: LessonId, scope: &Scope) -> Result<()> {
        self.check_tenant(scope, "a lesson names another tenant than its batch")?;
        self.view.change_tenant(|row| {
            let next = LessonId(row.next_lesson);
            if id != next {
                let message = format!("the next lesson is {next}, not {id}");
                return Err(records::conflict_error(message));
            }
            row.next_lesson += 1;
            Ok(())
        })
    }

    /// Rejects a scope of another tenant than the transaction's.
    fn check_tenant(&self, scope: &Scope, what: &str) -> Result<()> {
        if scope.tenant == *self.tenant {
            Ok(())
        } else {
            Err(records::conflict_error(what))
        }
    }

    /// Updates the row, the index and the scope's count from one state to another.
    pub(crate) fn write_lesson(
        &mut self,
        id: LessonId,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let message = "there are no more numbers";
        let full = || StoreError::new(StoreErrorKind::Full, "", message);
        let key = D::lesson_key(self.key, id).ok_or_else(full)?;
        let place = after
            .or(before)
            .expect("a change has a lesson before or after");
        let scope = self.ensure_scope(&place.scope)?;
        match after {
            Some(lesson) => self.write_row(key, scope, before, lesson)?,
            None => {
                let place = D::lesson_place(self.key, key);
                self.tables().delete("lesson", place)?;
            }
        }
        match before.filter(|before| before.scope != place.scope) {
            Some(moved) => {
                let from = self.ensure_scope(&moved.scope)?;
                self.tables().move_vector(id, from, scope)?;
                self.update_scope(id, from, before, None)?;
                self.update_scope(id, scope, None, after)
            }
            None => self.update_scope(id, scope, before, after),
        }
    }

    /// Writes a lesson's row: a new one if there was no lesson before.
    fn write_row(
        &self,
        key: i64,
        scope: i64,
        before: Option<&Lesson>,
        lesson: &Lesson,
    ) -> Result<()> {
        let is_reworded = before.is_none_or(|before| before.content != lesson.content);
        let likeness = is_reworded.then(|| DuplicateKeys::from_content(&lesson.content));
        let mut columns: Vec<Column<'_>> = vec![("scope", scope.into())];
        columns.extend(D::extra_lesson_columns(lesson));
        columns.extend(rows::written_columns(lesson, likeness)?);
        let mut place = D::lesson_place(self.key, key);
        if before.is_some() {
            return self.tables().update("lesson", place, columns);
        }
        place.extend(columns);
        self.tables().insert("lesson", place)
    }

    /// Updates the data of a scope as a whole for a lesson that changed in it.
    fn update_scope(
        &mut self,
        id: LessonId,
        scope: i64,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let (update, database) = (IndexUpdate::between(before, after), &self.view.database);
        if update.deletes_vector {
            self.tables().delete_vector(scope, id)?;
        }
        if update.removes {
            database.unindex_lesson(self.key, scope, id)?;
        }
        if let Some(terms) = update.adds {
            database.index_lesson(self.key, scope, id, &terms)?;
            if !self.grown_scopes.contains(&scope) {
                self.grown_scopes.push(scope);
            }
        }
        let more = learned_share(after) - learned_share(before);
        if more == 0 {
            return Ok(());
        }
        let sql = "UPDATE hardwon.scope SET learned = learned + $3 WHERE tenant = $1 AND id = $2";
        self.tables().execute(sql, values![scope, more])
    }
}

impl<D: TenantDatabase> Write for TenantTransaction<'_, D> {
    fn reader(&self) -> &dyn Read {
        &self.view
    }

    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        let outcome = self.apply_batch(batch);
        self.has_conflict |= outcome.is_err();
        outcome
    }

    fn record_sighting(&mut self, sighting: &Sighting) -> Result<CandidateLesson> {
        let (scope, failure) = (&sighting.scope, &sighting.failure);
        let mismatch = "a sighting names another tenant than its transaction";
        self.check_tenant(scope, mismatch)?;
        let tables = self.tables();
        let before = tables.select_candidate(scope, failure)?;
        let is_new = before.is_none();
        let witness = records::add_sighting(before, sighting);
        tables.write_candidate(scope, failure, &witness)?;
        if is_new {
            let scope = tables.ensure_scope(scope)?;
            self.candidate_scopes.insert(scope);
        }
        Ok(witness)
    }

    fn delete_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        let mismatch = "a candidate is of another tenant than its transaction";
        self.check_tenant(scope, mismatch)?;
        let Some(row) = self.tables().scope_row(scope)? else {
            return Ok(());
        };
        let mut place = D::scope_place(self.key, row.id);
        place.push(("failure", failure.as_str().into()));
        self.tables().delete("witness", place)
    }

    fn save_source_progress(&mut self, name: &str, source: &SourceProgress) -> Result<()> {
        records::check_source_size(name, source)?;
        let columns = vec![
            ("position", source.position.into()),
            ("fingerprint", source.fingerprint.as_str().into()),
            ("state", source.state[..].into()),
            ("at", source.at.into()),
        ];
        let tables = self.tables();
        tables.save("source", tables.own(D::source_place(name)), columns)
    }

    fn erase_query_texts(&mut self, before: Timestamp) -> Result<()> {
        self.tables().erase_query_texts(before)
    }

    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId> {
        let tables = self.tables();
        if tables.select_job_by_key(&task.key())?.is_some() {
            return Err(records::duplicate_job_error());
        }
        let id = self.view.change_tenant(|row| {
            row.next_job += 1;
            JobId(row.next_job - 1)
        });
        tables.write_job(&Job::new(id, task.clone(), now, state))?;
        tables.delete_oldest_job(state)?;
        Ok(id)
    }

    fn update_job(&mut self, job: &Job) -> Result<()> {
        let tables = self.tables();
        if tables.select_job(job.id)?.is_none() {
            return Err(records::missing_job_error());
        }
        tables.write_job(job)?;
        tables.delete_oldest_job(job.state)
    }

    fn delete_job(&mut self, id: JobId) -> Result<bool> {
        self.tables().delete_job(id)
    }

    fn set_model_cost(&mut self, day: i64, spent: ModelCost) -> Result<()> {
        self.tables().write_model_cost(day, spent)?;
        self.tables().delete_past_costs(day)
    }

    fn save_judgement(&mut self, judged: &JudgementRecord) -> Result<()> {
        let record = records::truncate_judgement_time(judged);
        self.tables().replace_judgement(&record)
    }

    fn save_answer(
        &mut self,
        mark: &RequestMark,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        let answer = records::bound_answer(answer);
        let tables = self.tables();
        tables.write_answer(&mark.name, &mark.digest, answer, at)?;
        tables.forget_answers(mark, at)
    }

    fn save_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        self.tables().write_vector(vector)
    }
}
