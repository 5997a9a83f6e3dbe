//! Applies changes: the row, the text index, the counts and the journal entry together.

use hardwon_core::{
    change::{Change, ChangeBatch, apply_change},
    credit::BaselineKey,
    digest,
    id::{LessonId, TenantId},
    journal::{EntryBody, JournalComment, JournalEntry},
    lesson::{FailureKey, GaussianMessage, Lesson},
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    request::RequestMark,
    scope::Scope,
    text::CleanText,
};
use hardwon_store::{
    CandidateLesson, JudgementListing, JudgementRecord, LessonVector, Read, Result, Sighting,
    SourceProgress, StoreError, StoreErrorKind, TenantPart, Write,
    backend::{
        IndexUpdate, add_sighting, check_source_size, conflict_error, conflicting_batch_error,
        learned_share, truncate_judgement_time,
    },
    rows::{
        self, AdmittedRow, DuplicateKeys, JudgementRow, ReadColumns as _, WRITTEN_LESSON_COLUMNS,
    },
};
use jiff::Timestamp;

use crate::{
    listing::fold_content,
    options::PostgresOptions,
    postings::IndexWriter,
    session::{Session, TenantKey},
    values::{RowColumns, SqlValue, values},
    view::PostgresView,
};

/// How many tokens of past commits a tenant's row holds.
const TOKENS: usize = 32;

/// One tenant's write transaction. Its tenant's row is locked.
pub(crate) struct PostgresTransaction<'s> {
    pub(crate) view: PostgresView<'s>,
    pub(crate) tenant: &'s TenantId,
    pub(crate) key: TenantKey,
    options: &'s PostgresOptions,
    /// Scopes whose index may have to be merged.
    grown_scopes: Vec<i64>,
    has_conflict: bool,
    /// Whether the tenant is erased, and its row with it.
    pub(crate) has_erased: bool,
}

impl<'s> PostgresTransaction<'s> {
    pub(crate) fn new(
        view: PostgresView<'s>,
        tenant: &'s TenantId,
        options: &'s PostgresOptions,
    ) -> Self {
        Self {
            view,
            tenant,
            key: TenantKey::from_name(tenant),
            options,
            grown_scopes: Vec::new(),
            has_conflict: false,
            has_erased: false,
        }
    }

    fn session(&self) -> &Session<'s> {
        &self.view.session
    }

    fn index(&self) -> IndexWriter<'_> {
        IndexWriter::new(self.session(), self.key, self.options, &self.view.totals)
    }

    /// Ends the work: merges what has grown, and writes the tenant's row with the token of this commit.
    pub(crate) fn finish(&self, token: i64) -> Result<()> {
        if self.has_conflict {
            return Err(conflicting_batch_error());
        }
        for scope in &self.grown_scopes {
            self.index().merge_postings(*scope)?;
        }
        if self.has_erased {
            return Ok(());
        }
        self.view.totals.send_changed(self.session(), self.key)?;
        let row = self.view.change_tenant_row(|row| {
            row.tokens.insert(0, token);
            row.tokens.truncate(TOKENS);
            row.clone()
        });
        self.session().queue(
            self.key,
            "UPDATE hardwon.tenant SET next_scope = $2, next_lesson = $3, next_recall = $4,
                 next_job = $5, sequence = $6, hash = $7, tokens = $8 WHERE tenant = $1",
            values![
                self.key,
                row.next_scope,
                row.next_lesson,
                row.next_recall,
                row.next_job,
                rows::to_sql_count(row.head.sequence),
                &row.head.hash,
                row.tokens,
            ],
        )
    }

    fn apply_batch(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        if batch.tenant != *self.tenant {
            return Err(conflict_error(
                "a batch names another tenant than its transaction",
            ));
        }
        let changes = batch.changes.iter();
        changes.map(|it| self.apply_change(it, batch)).collect()
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
            .map_err(|it| conflict_error(it.to_string()))?;
        if before == after {
            return Ok(after);
        }
        self.write_lesson(id, before.as_ref(), after.as_ref())?;
        if after.is_none() {
            self.erase_comments(id)?;
            self.view.erase_answers(self.key)?;
        }
        let body = EntryBody::from_change(change, batch, after.as_ref());
        let entry = self.view.change_tenant_row(|row| {
            let entry = row.head.next_entry(body);
            row.head = entry.head();
            entry
        });
        self.append_entry(&entry)?;
        Ok(after)
    }

    /// Checks that a new lesson's number is the next one, and takes it.
    fn take_next_number(&self, id: LessonId, scope: &Scope) -> Result<()> {
        self.check_tenant(scope, "a lesson names another tenant than its batch")?;
        self.view.change_tenant_row(|row| {
            let next = LessonId(row.next_lesson);
            if id != next {
                return Err(conflict_error(format!(
                    "the next lesson is {next}, not {id}"
                )));
            }
            if u32::try_from(id.0).is_err() {
                let what = "there are no more numbers";
                return Err(StoreError::new(StoreErrorKind::Full, "", what));
            }
            row.next_lesson += 1;
            Ok(())
        })
    }

    /// Rejects a scope of another tenant than the transaction's: its row is not locked.
    fn check_tenant(&self, scope: &Scope, what: &str) -> Result<()> {
        match scope.tenant == *self.tenant {
            true => Ok(()),
            false => Err(conflict_error(what)),
        }
    }

    /// Updates the row, the index and the scope's count from one state to another.
    pub(crate) fn write_lesson(
        &mut self,
        id: LessonId,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let place = after
            .or(before)
            .expect("a change has a lesson before or after");
        let scope = self.view.ensure_scope(self.tenant, &place.scope)?;
        match after {
            Some(lesson) => self.write_row(scope, before, lesson)?,
            None => {
                let sql = "DELETE FROM hardwon.lesson WHERE tenant = $1 AND number = $2";
                self.session()
                    .queue(self.key, sql, values![self.key, id.0])?;
            }
        }
        match before.filter(|it| it.scope != place.scope) {
            Some(moved) => {
                let from = self.view.ensure_scope(self.tenant, &moved.scope)?;
                self.view.move_vector(self.key, id, from, scope)?;
                self.update_scope(id, from, before, None)?;
                self.update_scope(id, scope, None, after)
            }
            None => self.update_scope(id, scope, before, after),
        }
    }

    /// Writes a lesson's row: a new one if there was no lesson before.
    fn write_row(&self, scope: i64, before: Option<&Lesson>, lesson: &Lesson) -> Result<()> {
        let is_reworded = before.is_none_or(|it| it.content != lesson.content);
        let likeness = is_reworded.then(|| DuplicateKeys::from_content(&lesson.content));
        let folded = fold_content(lesson.slug.as_str(), &lesson.content);
        let mut values = values![self.key, lesson.id.0, scope, folded];
        let columns = rows::lesson_values(lesson, likeness)?;
        values.extend(columns.into_iter().map(SqlValue::from));
        let sql = match before {
            None => insert_lesson_sql(),
            Some(_) => update_lesson_sql(),
        };
        self.session().queue(self.key, sql, values)
    }

    /// Updates the data of a scope as a whole for a lesson that changed in it.
    fn update_scope(
        &mut self,
        id: LessonId,
        scope: i64,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let update = IndexUpdate::between(before, after);
        if update.deletes_vector {
            self.view.delete_vector(self.key, scope, id)?;
        }
        if update.removes {
            self.index().remove_lesson(scope, id)?;
        }
        if let Some(terms) = update.adds {
            self.index().add_lesson(scope, id, &terms)?;
            if !self.grown_scopes.contains(&scope) {
                self.grown_scopes.push(scope);
            }
        }
        let more = learned_share(after) - learned_share(before);
        if more == 0 {
            return Ok(());
        }
        let sql = "UPDATE hardwon.scope SET learned = learned + $3 WHERE tenant = $1 AND id = $2";
        self.session()
            .queue(self.key, sql, values![self.key, scope, more])
    }

    pub(crate) fn append_entry(&self, entry: &JournalEntry) -> Result<()> {
        let remark = entry.body.comment.as_ref();
        let words = remark.and_then(JournalComment::text).map(CleanText::as_str);
        let digest = remark.map(JournalComment::digest);
        self.session().queue(
            self.key,
            "INSERT INTO hardwon.journal (tenant, sequence, at, kind, lesson, actor, content,
                                          previous, hash, remark_hash, remark)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            values![
                self.key,
                rows::to_sql_count(entry.sequence),
                entry.body.at.as_millisecond(),
                entry.body.kind.name(),
                entry.body.lesson.0,
                entry.body.actor.0.as_str(),
                &entry.body.content,
                &entry.previous,
                &entry.hash,
                digest,
                words,
            ],
        )
    }

    /// Erases the comments in a lesson's journal entries; the hash chain stays valid without them.
    fn erase_comments(&self, id: LessonId) -> Result<()> {
        let sql = "UPDATE hardwon.journal SET remark = NULL WHERE tenant = $1 AND lesson = $2";
        self.session().queue(self.key, sql, values![self.key, id.0])
    }

    fn add_to_baseline(&self, about: &BaselineKey, more: GaussianMessage) -> Result<()> {
        self.session().queue(
            self.key,
            "INSERT INTO hardwon.baseline AS b (tenant, about, precision, shift)
             VALUES ($1, $2, $3, $4) ON CONFLICT (tenant, about) DO UPDATE
             SET precision = b.precision + excluded.precision, shift = b.shift + excluded.shift",
            values![self.key, about.name(), more.precision, more.shift],
        )
    }

    /// Returns the number under which a judgement is saved: that of the one it replaces, or the next.
    fn next_judgement(&self) -> Result<i64> {
        let sql = "SELECT coalesce(max(id), 0) + 1 FROM hardwon.judgement WHERE tenant = $1";
        let found = self.session().query_one(self.key, sql, values![self.key])?;
        RowColumns::new(&found.expect("a number is always there")).next_integer()
    }

    /// Deletes the candidate seen longest ago if a scope has too many.
    fn delete_oldest_candidate(&self, scope: i64) -> Result<()> {
        self.session().queue(
            self.key,
            "DELETE FROM hardwon.witness WHERE tenant = $1 AND scope = $2
             AND (SELECT count(*) FROM hardwon.witness WHERE tenant = $1 AND scope = $2) > $3
             AND failure = (SELECT failure FROM hardwon.witness WHERE tenant = $1 AND scope = $2
                            ORDER BY last, failure LIMIT 1)",
            values![
                self.key,
                scope,
                rows::to_sql_bound(limits::CANDIDATE_LESSONS)
            ],
        )
    }

    /// Makes every key and term of the tenant's lessons anew, by the rules of this program.
    pub(crate) fn rebuild_derived(&self) -> Result<()> {
        self.index().clear()?;
        let mut last = 0;
        loop {
            let rest = "l.number > $2 ORDER BY l.number LIMIT $3";
            let values = values![self.key, last, rows::to_sql_page_limit(limits::PAGE_ROWS)];
            let page = self.view.select_lessons(self.tenant, rest, values)?;
            let Some(newest) = page.last() else {
                return Ok(());
            };
            last = newest.id.0;
            for lesson in &page {
                self.rebuild_lesson(lesson)?;
            }
        }
    }

    fn rebuild_lesson(&self, lesson: &Lesson) -> Result<()> {
        let DuplicateKeys { twin, words } = DuplicateKeys::from_content(&lesson.content);
        let sql =
            "UPDATE hardwon.lesson SET twin = $3, words = $4 WHERE tenant = $1 AND number = $2";
        self.session()
            .queue(self.key, sql, values![self.key, lesson.id.0, twin, words])?;
        let scope = self.view.ensure_scope(self.tenant, &lesson.scope)?;
        if let Some(terms) = IndexUpdate::between(None, Some(lesson)).adds {
            self.index().add_lesson(scope, lesson.id, &terms)?;
            self.index().merge_postings(scope)?;
        }
        Ok(())
    }
}

impl Write for PostgresTransaction<'_> {
    fn reader(&self) -> &dyn Read {
        &self.view
    }

    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        let outcome = self.apply_batch(batch);
        self.has_conflict |= outcome.is_err();
        outcome
    }

    fn record_sighting(&mut self, sighting: &Sighting) -> Result<CandidateLesson> {
        self.check_tenant(
            &sighting.scope,
            "a sighting names another tenant than its transaction",
        )?;
        let scope = self.view.ensure_scope(self.tenant, &sighting.scope)?;
        let before = self
            .view
            .find_candidate(&sighting.scope, &sighting.failure)?;
        let is_new = before.is_none();
        let witness = add_sighting(before, sighting);
        let lesson = witness.lesson.as_ref();
        let lesson = lesson.map(|it| rows::to_json(&AdmittedRow::from_admitted(it)));
        self.session().queue(
            self.key,
            "INSERT INTO hardwon.witness (tenant, scope, failure, first, last, runs, lesson)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, scope, failure) DO UPDATE
             SET first = excluded.first, last = excluded.last, runs = excluded.runs,
                 lesson = excluded.lesson",
            values![
                self.key,
                scope,
                sighting.failure.as_str(),
                witness.first_seen.as_millisecond(),
                witness.last_seen.as_millisecond(),
                rows::runs_to_json(&witness.runs)?,
                lesson.transpose()?,
            ],
        )?;
        if is_new {
            self.delete_oldest_candidate(scope)?;
        }
        Ok(witness)
    }

    fn delete_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        self.check_tenant(
            scope,
            "a candidate is of another tenant than its transaction",
        )?;
        if let Some(row) = self.view.scope_row(scope)? {
            let sql =
                "DELETE FROM hardwon.witness WHERE tenant = $1 AND scope = $2 AND failure = $3";
            self.session()
                .queue(self.key, sql, values![self.key, row.id, failure.as_str()])?;
        }
        Ok(())
    }

    fn save_source_progress(&mut self, name: &str, source: &SourceProgress) -> Result<()> {
        check_source_size(name, source)?;
        self.session().queue(
            self.key,
            "INSERT INTO hardwon.source (tenant, name_hash, position, fingerprint, state, at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, name_hash) DO UPDATE
             SET position = excluded.position, fingerprint = excluded.fingerprint,
                 state = excluded.state, at = excluded.at",
            values![
                self.key,
                hash_source_name(name),
                rows::to_sql_count(source.position),
                source.fingerprint.as_str(),
                source.state.clone(),
                source.at.as_millisecond(),
            ],
        )
    }

    fn erase_query_texts(&mut self, before: Timestamp) -> Result<()> {
        let sql = "DELETE FROM hardwon.asked WHERE tenant = $1 AND at < $2";
        self.session()
            .queue(self.key, sql, values![self.key, before.as_millisecond()])
    }

    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId> {
        self.view.add_job(self.tenant, task, now, state)
    }

    fn update_job(&mut self, job: &Job) -> Result<()> {
        self.view.update_job(self.tenant, job)
    }

    fn delete_job(&mut self, id: JobId) -> Result<bool> {
        self.view.delete_job(self.tenant, id)
    }

    fn set_model_cost(&mut self, day: i64, spent: ModelCost) -> Result<()> {
        self.view.set_model_cost(self.tenant, day, spent)
    }

    fn save_judgement(&mut self, judged: &JudgementRecord) -> Result<()> {
        let judged = truncate_judgement_time(judged);
        let listing = JudgementListing {
            run: judged.run.clone(),
            limit: usize::from(judged.run.is_some()),
            ..JudgementListing::default()
        };
        let replaced = self
            .view
            .judgements(self.tenant, &listing)?
            .into_iter()
            .next();
        for (about, leaning) in replaced.iter().flat_map(|it| &it.1.judgement.baselines) {
            self.add_to_baseline(about, -*leaning)?;
        }
        for (about, leaning) in &judged.judgement.baselines {
            self.add_to_baseline(about, *leaning)?;
        }
        let id = match replaced {
            Some((id, _)) => id.0,
            None => self.next_judgement()?,
        };
        let line = rows::to_json(&JudgementRow::from_record(&judged))?;
        let run = judged.run.as_ref().map(|it| it.as_str());
        self.session().queue(
            self.key,
            "INSERT INTO hardwon.judgement (tenant, id, run, line) VALUES ($1, $2, $3, $4)
             ON CONFLICT (tenant, id) DO UPDATE SET run = excluded.run, line = excluded.line",
            values![self.key, id, run, line],
        )?;
        let sql = "DELETE FROM hardwon.judgement WHERE tenant = $1 AND id <= $2";
        let past = id - rows::to_sql_bound(limits::JUDGEMENTS);
        self.session().queue(self.key, sql, values![self.key, past])
    }

    fn save_answer(
        &mut self,
        mark: &RequestMark,
        answer: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        self.view.save_answer(self.key, mark, answer, at)
    }

    fn save_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        self.view.save_vector(self.tenant, vector)
    }

    fn put_part(&mut self, part: &TenantPart) -> Result<()> {
        self.insert_part(part)
    }
}

/// Returns the key of a source: its name may be longer than an index can hold.
pub(crate) fn hash_source_name(name: &str) -> Vec<u8> {
    digest::hash_parts([name.as_bytes()]).to_vec()
}

/// The first columns of a lesson's row, before [`WRITTEN_LESSON_COLUMNS`].
const KEY_COLUMNS: [&str; 4] = ["tenant", "number", "scope", "folded"];

/// Returns the columns that are written, each with the place of its value.
fn written_columns() -> impl Iterator<Item = (usize, &'static str)> {
    (1..).zip(KEY_COLUMNS.into_iter().chain(WRITTEN_LESSON_COLUMNS))
}

fn insert_lesson_sql() -> String {
    let names: Vec<&str> = written_columns().map(|it| it.1).collect();
    let places: Vec<String> = written_columns().map(|it| format!("${}", it.0)).collect();
    let (names, places) = (names.join(", "), places.join(", "));
    format!("INSERT INTO hardwon.lesson ({names}) VALUES ({places})")
}

fn update_lesson_sql() -> String {
    let set = |(place, name): (usize, &str)| match name {
        "twin" | "words" => format!("{name} = coalesce(${place}, {name})"),
        _ => format!("{name} = ${place}"),
    };
    let set: Vec<String> = written_columns().skip(2).map(set).collect();
    format!(
        "UPDATE hardwon.lesson SET {} WHERE tenant = $1 AND number = $2",
        set.join(", ")
    )
}
