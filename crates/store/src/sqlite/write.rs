//! Applies changes: the row, the text index, the counts and the journal entry together.

use hardwon_core::{
    change::{Change, ChangeBatch, apply_change},
    credit::BaselineKey,
    id::{LessonId, TenantId},
    journal::{EntryBody, JournalComment, JournalEntry},
    lesson::{FailureKey, GaussianMessage, Lesson},
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    request::RequestMark,
    scope::Scope,
    text::CleanText,
};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::{
    answers,
    index::{self, IndexTuning},
    jobs, parts,
    rows::{self, AdmittedRow, DuplicateKeys, JudgementRow},
    scopes::{ensure_scope, ensure_tenant},
    vectors,
    view::{SqliteView, TenantRow},
};
use crate::{
    CandidateLesson, JudgementListing, JudgementRecord, LessonVector, Read, Result, Sighting,
    SourceProgress, StoreError, StoreErrorKind, TenantPart, Write,
    copying::check_next_entry,
    derived::{IndexUpdate, learned_share},
    error::damaged_error,
    records,
};

/// One tenant's write transaction.
pub(super) struct SqliteTransaction<'c> {
    pub(super) conn: &'c Connection,
    pub(super) view: SqliteView<'c>,
    pub(super) tenant_name: &'c TenantId,
    tenant: TenantRow,
    /// Scopes whose index may have to be merged.
    grown_scopes: Vec<i64>,
    has_deleted: bool,
    has_conflict: bool,
}

/// What the caller must know of a finished transaction.
pub(super) struct TransactionSummary {
    pub(super) has_deleted: bool,
}

impl<'c> SqliteTransaction<'c> {
    pub(super) fn begin(conn: &'c Connection, name: &'c TenantId) -> Result<Self> {
        Ok(Self {
            conn,
            view: SqliteView::from_connection(conn),
            tenant_name: name,
            tenant: ensure_tenant(conn, name)?,
            grown_scopes: Vec::new(),
            has_deleted: false,
            has_conflict: false,
        })
    }

    /// Ends the work; the caller commits.
    pub(super) fn finish(self, tuning: IndexTuning) -> Result<TransactionSummary> {
        if self.has_conflict {
            return Err(records::conflicting_batch_error());
        }
        for scope in self.grown_scopes {
            index::merge_postings(self.conn, scope, tuning.fresh_words)?;
        }
        Ok(TransactionSummary {
            has_deleted: self.has_deleted,
        })
    }

    fn apply_batch(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        if batch.tenant != *self.tenant_name {
            return Err(records::conflict_error(
                "a batch names another tenant than its transaction",
            ));
        }
        let changes = batch.changes.iter();
        let after = changes.map(|it| self.apply_change(it, batch));
        let after = after.collect::<Result<_>>()?;
        self.save_tenant_row()?;
        Ok(after)
    }

    fn save_tenant_row(&self) -> Result<()> {
        let mut update = self.conn.prepare_cached(
            "UPDATE tenant SET next_lesson = ?2, sequence = ?3, hash = ?4 WHERE id = ?1",
        )?;
        let TenantRow {
            id,
            next_lesson,
            head,
            ..
        } = &self.tenant;
        update.execute(params![
            id,
            next_lesson,
            rows::to_sql_count(head.sequence),
            head.hash.as_bytes()
        ])?;
        Ok(())
    }

    fn apply_change(&mut self, change: &Change, batch: &ChangeBatch) -> Result<Option<Lesson>> {
        let id = change.lesson_id();
        let before = match change {
            Change::Add { id, admitted } => {
                self.take_next_number(*id, &admitted.scope)?;
                None
            }
            _ => self.view.lesson(self.tenant_name, id)?,
        };
        let after = apply_change(before.clone(), change, batch.at)
            .map_err(|it| records::conflict_error(it.to_string()))?;
        if before == after {
            return Ok(after);
        }
        self.write_lesson(id, before.as_ref(), after.as_ref())?;
        if after.is_none() {
            erase_comments(self.conn, self.tenant.id, id)?;
        }
        let entry =
            self.tenant
                .head
                .next_entry(EntryBody::from_change(change, batch, after.as_ref()));
        self.tenant.head = entry.head();
        append_entry(self.conn, self.tenant.id, &entry)?;
        Ok(after)
    }

    /// Checks that a new lesson's number is the next one, and takes it.
    fn take_next_number(&mut self, id: LessonId, scope: &Scope) -> Result<()> {
        if scope.tenant != *self.tenant_name {
            return Err(records::conflict_error(
                "a lesson names another tenant than its batch",
            ));
        }
        let next = LessonId(self.tenant.next_lesson);
        if id != next {
            return Err(records::conflict_error(format!(
                "the next lesson is {next}, not {id}"
            )));
        }
        self.tenant.next_lesson += 1;
        Ok(())
    }

    /// Updates the row, the index and the scope's count from one state to another.
    pub(super) fn write_lesson(
        &mut self,
        id: LessonId,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let key = rows::lesson_key(self.tenant.id, id).ok_or_else(|| {
            StoreError::new(StoreErrorKind::Full, "", "there are no more numbers")
        })?;
        let place = after
            .or(before)
            .expect("a change has a lesson before or after");
        let scope = self.scope_id(place)?;
        match (before, after) {
            (None, Some(lesson)) => {
                let mut insert = self.conn.prepare_cached(rows::INSERT_LESSON)?;
                let likeness = DuplicateKeys::from_content(&lesson.content);
                rows::write_lesson(&mut insert, key, scope, lesson, Some(likeness))?;
            }
            (Some(before), Some(lesson)) => {
                let mut update = self.conn.prepare_cached(rows::UPDATE_LESSON)?;
                let is_reworded = before.content != lesson.content;
                let likeness = is_reworded.then(|| DuplicateKeys::from_content(&lesson.content));
                rows::write_lesson(&mut update, key, scope, lesson, likeness)?;
            }
            (_, None) => {
                self.conn
                    .prepare_cached("DELETE FROM lesson WHERE key = ?1")?
                    .execute([key])?;
                answers::erase_answers(self.conn, self.tenant.id)?;
                self.has_deleted = true;
            }
        }
        match before.filter(|it| it.scope != place.scope) {
            Some(moved) => {
                let from = self.scope_id(moved)?;
                vectors::move_vector(self.conn, id, from, scope)?;
                self.update_scope(id, from, before, None)?;
                self.update_scope(id, scope, None, after)
            }
            None => self.update_scope(id, scope, before, after),
        }
    }

    pub(super) fn scope_id(&self, lesson: &Lesson) -> Result<i64> {
        ensure_scope(self.conn, self.tenant.id, &lesson.scope)
    }

    /// Updates the data of a scope as a whole for a lesson that changed in it.
    fn update_scope(
        &mut self,
        id: LessonId,
        scope: i64,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        self.update_index(id, scope, before, after)?;
        add_to_learned(
            self.conn,
            scope,
            learned_share(after) - learned_share(before),
        )
    }

    /// Updates the text index, which holds active lessons only, from one state to another.
    fn update_index(
        &mut self,
        id: LessonId,
        scope: i64,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let update = IndexUpdate::between(before, after);
        if update.deletes_vector {
            vectors::delete_vector(self.conn, scope, id)?;
        }
        if update.removes {
            index::remove_lesson(self.conn, scope, id)?;
        }
        if let Some(terms) = update.adds {
            index::add_lesson(self.conn, scope, id, &terms)?;
            if !self.grown_scopes.contains(&scope) {
                self.grown_scopes.push(scope);
            }
        }
        Ok(())
    }
}

impl Write for SqliteTransaction<'_> {
    fn reader(&self) -> &dyn Read {
        &self.view
    }

    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        let outcome = self.apply_batch(batch);
        self.has_conflict |= outcome.is_err();
        outcome
    }

    fn record_sighting(&mut self, sighting: &Sighting) -> Result<CandidateLesson> {
        record_sighting(self.conn, sighting)
    }

    fn delete_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        delete_candidate_lesson(self.conn, scope, failure)
    }

    fn save_source_progress(&mut self, name: &str, source: &SourceProgress) -> Result<()> {
        records::check_source_size(name, source)?;
        save_source_progress(self.conn, self.tenant.id, name, source)
    }

    fn erase_query_texts(&mut self, before: Timestamp) -> Result<()> {
        erase_query_texts(self.conn, self.tenant.id, before)
    }

    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId> {
        if self
            .view
            .select_job_by_key(self.tenant_name, &task.key())?
            .is_some()
        {
            return Err(records::duplicate_job_error());
        }
        jobs::add_job(self.conn, self.tenant_name, task, now, state)
    }

    fn update_job(&mut self, job: &Job) -> Result<()> {
        match jobs::update_job(self.conn, self.tenant_name, job)? {
            true => Ok(()),
            false => Err(records::missing_job_error()),
        }
    }

    fn delete_job(&mut self, id: JobId) -> Result<bool> {
        jobs::delete_job(self.conn, self.tenant_name, id)
    }

    fn set_model_cost(&mut self, day: i64, spent: ModelCost) -> Result<()> {
        jobs::set_model_cost(self.conn, self.tenant_name, day, spent)
    }

    fn save_judgement(&mut self, judged: &JudgementRecord) -> Result<()> {
        save_judgement(
            self.conn,
            self.tenant_name,
            self.tenant.id,
            &records::truncate_judgement_time(judged),
        )
    }

    fn save_answer(
        &mut self,
        mark: &RequestMark,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        let answer = records::bound_answer(answer);
        answers::save_answer(self.conn, self.tenant.id, mark, answer, at)
    }

    fn save_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        records::check_vector_space(vector)?;
        vectors::save_vector(self.conn, self.tenant_name, vector)
    }

    fn put_part(&mut self, part: &TenantPart) -> Result<()> {
        match part {
            TenantPart::Entry(entry) => {
                check_next_entry(self.tenant.head, entry)?;
                append_entry(self.conn, self.tenant.id, entry)?;
                self.tenant.head = entry.head();
                let next = entry.body.lesson.0 + 1;
                self.tenant.next_lesson = self.tenant.next_lesson.max(next);
                self.save_tenant_row()
            }
            TenantPart::Lesson(lesson) => {
                if lesson.scope.tenant != *self.tenant_name {
                    let what = "a lesson is of another tenant than its copy";
                    return Err(damaged_error(what));
                }
                self.write_lesson(lesson.id, None, Some(lesson))
            }
            other => parts::put_part(self.conn, self.tenant.id, other),
        }
    }
}

fn add_to_learned(conn: &Connection, scope: i64, more: i64) -> Result<()> {
    if more != 0 {
        conn.prepare_cached("UPDATE scope SET learned = learned + ?2 WHERE id = ?1")?
            .execute([scope, more])?;
    }
    Ok(())
}

fn append_entry(conn: &Connection, tenant: i64, entry: &JournalEntry) -> Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO journal (tenant, sequence, at, kind, lesson, actor, content, previous, hash,
                              remark_hash, remark)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let remark = entry.body.comment.as_ref();
    insert.execute(params![
        tenant,
        rows::to_sql_count(entry.sequence),
        entry.body.at.as_millisecond(),
        entry.body.kind.name(),
        entry.body.lesson.0,
        entry.body.actor.0.as_str(),
        entry.body.content.as_bytes(),
        entry.previous.as_bytes(),
        entry.hash.as_bytes(),
        remark.map(|it| it.digest().as_bytes()),
        remark.and_then(JournalComment::text).map(CleanText::as_str),
    ])?;
    Ok(())
}

/// Erases the comments in a lesson's journal entries; the hash chain stays valid without them.
fn erase_comments(conn: &Connection, tenant: i64, id: LessonId) -> Result<()> {
    conn.prepare_cached("UPDATE journal SET remark = NULL WHERE tenant = ?1 AND lesson = ?2")?
        .execute([tenant, id.0])?;
    Ok(())
}

/// Saves a judgement in place of the earlier one of the same run.
fn save_judgement(
    conn: &Connection,
    name: &TenantId,
    tenant: i64,
    judged: &JudgementRecord,
) -> Result<()> {
    let listing = JudgementListing {
        run: judged.run.clone(),
        limit: usize::from(judged.run.is_some()),
        ..JudgementListing::default()
    };
    let replaced = SqliteView::from_connection(conn)
        .judgements(name, &listing)?
        .into_iter()
        .next();
    for (about, leaning) in replaced.iter().flat_map(|it| &it.1.judgement.baselines) {
        add_to_baseline(conn, tenant, about, -*leaning)?;
    }
    for (about, leaning) in &judged.judgement.baselines {
        add_to_baseline(conn, tenant, about, *leaning)?;
    }
    let last = "SELECT coalesce(max(id), 0) FROM judgement WHERE tenant = ?1";
    let id = match replaced {
        Some((id, _)) => id.0,
        None => {
            conn.prepare_cached(last)?
                .query_row([tenant], |row| row.get::<_, i64>(0))?
                + 1
        }
    };
    let run = judged.run.as_ref().map(|it| it.as_str());
    conn.prepare_cached(
        "INSERT OR REPLACE INTO judgement (tenant, id, run, line) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        tenant,
        id,
        run,
        rows::to_json(&JudgementRow::from_record(judged))?
    ])?;
    conn.prepare_cached("DELETE FROM judgement WHERE tenant = ?1 AND id <= ?2")?
        .execute([tenant, id - rows::to_sql_bound(limits::JUDGEMENTS)])?;
    Ok(())
}

/// Deletes the query texts of a tenant's recalls before a time.
pub(super) fn erase_query_texts(conn: &Connection, tenant: i64, before: Timestamp) -> Result<()> {
    conn.prepare_cached("DELETE FROM asked WHERE tenant = ?1 AND at < ?2")?
        .execute([tenant, before.as_millisecond()])?;
    Ok(())
}

fn add_to_baseline(
    conn: &Connection,
    tenant: i64,
    about: &BaselineKey,
    more: GaussianMessage,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO baseline (tenant, about, precision, shift) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET precision = precision + ?3, shift = shift + ?4",
    )?
    .execute(params![tenant, about.name(), more.precision, more.shift])?;
    Ok(())
}

/// Saves a sighting and returns the candidate lesson with all its sightings.
pub(super) fn record_sighting(conn: &Connection, sighting: &Sighting) -> Result<CandidateLesson> {
    let place = &sighting.scope;
    let tenant = ensure_tenant(conn, &place.tenant)?;
    let scope = ensure_scope(conn, tenant.id, place)?;
    let before = SqliteView::from_connection(conn).candidate_lesson(place, &sighting.failure)?;
    let is_new = before.is_none();
    let witness = records::add_sighting(before, sighting);
    let lesson = witness.lesson.as_ref();
    let lesson = lesson.map(|it| rows::to_json(&AdmittedRow::from_admitted(it)));
    conn.prepare_cached(
        "INSERT OR REPLACE INTO witness (scope, failure, first, last, runs, lesson)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        scope,
        sighting.failure.as_str(),
        witness.first_seen.as_millisecond(),
        witness.last_seen.as_millisecond(),
        rows::runs_to_json(&witness.runs)?,
        lesson.transpose()?,
    ])?;
    if is_new {
        delete_oldest_candidate(conn, scope)?;
    }
    Ok(witness)
}

/// Deletes the candidate seen longest ago if a scope has too many.
fn delete_oldest_candidate(conn: &Connection, scope: i64) -> Result<()> {
    conn.prepare_cached(
        "DELETE FROM witness WHERE scope = ?1
         AND (SELECT count(*) FROM witness WHERE scope = ?1) > ?2
         AND failure = (SELECT failure FROM witness WHERE scope = ?1
                        ORDER BY last, failure LIMIT 1)",
    )?
    .execute(params![
        scope,
        rows::to_sql_bound(limits::CANDIDATE_LESSONS)
    ])?;
    Ok(())
}

pub(super) fn delete_candidate_lesson(
    conn: &Connection,
    place: &Scope,
    failure: &FailureKey,
) -> Result<()> {
    if let Some(scope) = SqliteView::from_connection(conn).scope_row(place)? {
        conn.prepare_cached("DELETE FROM witness WHERE scope = ?1 AND failure = ?2")?
            .execute(params![scope.id, failure.as_str()])?;
    }
    Ok(())
}

pub(super) fn save_source_progress(
    conn: &Connection,
    tenant: i64,
    name: &str,
    source: &SourceProgress,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO source (tenant, name, position, fingerprint, state, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        tenant,
        name,
        rows::to_sql_count(source.position),
        source.fingerprint,
        source.state,
        source.at.as_millisecond(),
    ])?;
    Ok(())
}
