//! Carrying out changes: the row, the text index, the counts and the journal entry together.

use hardwon_core::{
    change::{Change, ChangeBatch, MEANING_VERSION as WORDS, apply_change},
    credit::{BaselineKey, GaussianMessage},
    id::{LessonId, TenantId},
    journal::{ChainHead, EntryBody, JournalComment, JournalEntry},
    lesson::{FailureKey, Lesson, LessonContent, Status, TrustClass},
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    scope::Scope,
    text::CleanText,
    tokens::{DocTerms, VERSION as TERMS},
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    index, jobs,
    open::{Tuning, wait},
    read::{TenantRow, View},
    rows,
    rows::{AdmittedRow, JudgedRow, Likeness},
    vectors,
};
use crate::{
    ErrorKind, Judged, JudgementListing, LessonVector, Read, Result, Sighting, Source, StoreError,
    Witness, Write, keep, memory::misfit,
};

/// One tenant's write transaction.
pub(super) struct Transaction<'c> {
    conn: &'c Connection,
    view: View<'c>,
    name: &'c TenantId,
    tenant: TenantRow,
    /// Scopes whose index may have to be merged.
    grown: Vec<i64>,
    has_deleted: bool,
    is_misfit: bool,
}

/// What a finished transaction did.
pub(super) struct Done {
    pub(super) has_deleted: bool,
}

impl<'c> Transaction<'c> {
    pub(super) fn begin(conn: &'c Connection, name: &'c TenantId) -> Result<Self> {
        Ok(Self {
            conn,
            view: View::of(conn),
            name,
            tenant: tenant(conn, name)?,
            grown: Vec::new(),
            has_deleted: false,
            is_misfit: false,
        })
    }

    /// Ends the work; the caller commits.
    pub(super) fn finish(self, tuning: Tuning) -> Result<Done> {
        if self.is_misfit {
            return Err(misfit());
        }
        for scope in self.grown {
            index::settle(self.conn, scope, tuning.fresh_words)?;
        }
        Ok(Done {
            has_deleted: self.has_deleted,
        })
    }

    fn carry_out(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        if batch.tenant != *self.name {
            return Err(conflict(
                "a batch names another tenant than its transaction",
            ));
        }
        let changes = batch.changes.iter();
        let after = changes.map(|it| self.change(it, batch));
        let after = after.collect::<Result<_>>()?;
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
            rows::integer(head.sequence),
            head.hash.as_bytes()
        ])?;
        Ok(after)
    }

    fn change(&mut self, change: &Change, batch: &ChangeBatch) -> Result<Option<Lesson>> {
        let id = change.lesson_id();
        let before = match change {
            Change::Add { id, admitted } => {
                self.number(*id, &admitted.scope)?;
                None
            }
            _ => self.view.lesson(self.name, id)?,
        };
        let after = apply_change(before.clone(), change, batch.at)
            .map_err(|it| conflict(it.to_string()))?;
        if before == after {
            return Ok(after);
        }
        self.put(id, before.as_ref(), after.as_ref())?;
        if after.is_none() {
            forget_remarks(self.conn, self.tenant.id, id)?;
        }
        let entry =
            self.tenant
                .head
                .next_entry(EntryBody::from_change(change, batch, after.as_ref()));
        self.tenant.head = entry.head();
        append(self.conn, self.tenant.id, &entry)?;
        Ok(after)
    }

    /// Gives a new lesson its number, which must be the next one.
    fn number(&mut self, id: LessonId, scope: &Scope) -> Result<()> {
        if scope.tenant != *self.name {
            return Err(conflict("a lesson names another tenant than its batch"));
        }
        let next = LessonId(self.tenant.next_lesson);
        if id != next {
            return Err(conflict(format!("the next lesson is {next}, not {id}")));
        }
        self.tenant.next_lesson += 1;
        Ok(())
    }

    /// Brings the row, the index and the scope's count from one state to another.
    fn put(&mut self, id: LessonId, before: Option<&Lesson>, after: Option<&Lesson>) -> Result<()> {
        let key = rows::lesson_key(self.tenant.id, id)
            .ok_or_else(|| StoreError::new(ErrorKind::Full, "", "there are no more numbers"))?;
        let place = after
            .or(before)
            .expect("a change has a lesson before or after");
        let scope = self.scope(place)?;
        match (before, after) {
            (None, Some(lesson)) => {
                let mut insert = self.conn.prepare_cached(rows::INSERT_LESSON)?;
                let likeness = Likeness::of(&lesson.content);
                rows::put_lesson(&mut insert, key, scope, lesson, Some(likeness))?;
            }
            (Some(before), Some(lesson)) => {
                let mut update = self.conn.prepare_cached(rows::UPDATE_LESSON)?;
                let is_reworded = before.content != lesson.content;
                let likeness = is_reworded.then(|| Likeness::of(&lesson.content));
                rows::put_lesson(&mut update, key, scope, lesson, likeness)?;
            }
            (_, None) => {
                self.conn
                    .prepare_cached("DELETE FROM lesson WHERE key = ?1")?
                    .execute([key])?;
                self.has_deleted = true;
            }
        }
        match before.filter(|it| it.scope != place.scope) {
            Some(moved) => {
                let from = self.scope(moved)?;
                vectors::relocate(self.conn, id, from, scope)?;
                self.count(id, from, before, None)?;
                self.count(id, scope, None, after)
            }
            None => self.count(id, scope, before, after),
        }
    }

    fn scope(&self, lesson: &Lesson) -> Result<i64> {
        scope(self.conn, self.tenant.id, &lesson.scope)
    }

    /// Brings what is kept of a scope as a whole from one state of a lesson in it to another.
    fn count(
        &mut self,
        id: LessonId,
        scope: i64,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        self.index(id, scope, before, after)?;
        let learned = |lesson: Option<&Lesson>| i64::from(lesson.is_some_and(is_learned));
        count_learned(self.conn, scope, learned(after) - learned(before))
    }

    /// Brings the text index, which holds active lessons only, from one state to another.
    fn index(
        &mut self,
        id: LessonId,
        scope: i64,
        before: Option<&Lesson>,
        after: Option<&Lesson>,
    ) -> Result<()> {
        let (before, after) = (indexed(before), indexed(after));
        if before.map(says) == after.map(says) {
            return Ok(());
        }
        if before.is_some() {
            vectors::forget(self.conn, scope, id)?;
        }
        let terms = |it: &Lesson| DocTerms::from_content(&it.content, it.task.as_ref());
        let (before, after) = (before.map(terms), after.map(terms));
        if before == after {
            return Ok(());
        }
        if before.is_some() {
            index::remove(self.conn, scope, id)?;
        }
        if let Some(terms) = after {
            index::add(self.conn, scope, id, &terms)?;
            if !self.grown.contains(&scope) {
                self.grown.push(scope);
            }
        }
        Ok(())
    }
}

impl Write for Transaction<'_> {
    fn reader(&self) -> &dyn Read {
        &self.view
    }

    fn apply(&mut self, batch: &ChangeBatch) -> Result<Vec<Option<Lesson>>> {
        let outcome = self.carry_out(batch);
        self.is_misfit |= outcome.is_err();
        outcome
    }

    fn sight(&mut self, sighting: &Sighting) -> Result<Witness> {
        sight(self.conn, sighting)
    }

    fn forget_witness(&mut self, scope: &Scope, failure: &FailureKey) -> Result<()> {
        forget_witness(self.conn, scope, failure)
    }

    fn keep_source(&mut self, name: &str, source: &Source) -> Result<()> {
        keep::check_source(name, source)?;
        keep_source(self.conn, self.tenant.id, name, source)
    }

    fn forget_asked(&mut self, before: Timestamp) -> Result<()> {
        forget_asked(self.conn, self.tenant.id, before)
    }

    fn add_job(&mut self, task: &JobTask, now: Timestamp, state: JobState) -> Result<JobId> {
        if self.view.job_by_key(self.name, &task.key())?.is_some() {
            return Err(keep::known_job());
        }
        jobs::add(self.conn, self.name, task, now, state)
    }

    fn keep_job(&mut self, job: &Job) -> Result<()> {
        match jobs::keep_job(self.conn, self.name, job)? {
            true => Ok(()),
            false => Err(keep::no_job()),
        }
    }

    fn forget_job(&mut self, id: JobId) -> Result<bool> {
        jobs::forget(self.conn, self.name, id)
    }

    fn set_spent(&mut self, day: i64, spent: ModelCost) -> Result<()> {
        jobs::set_spent(self.conn, self.name, day, spent)
    }

    fn judge(&mut self, judged: &Judged) -> Result<()> {
        judge(self.conn, self.name, self.tenant.id, &keep::judged(judged))
    }

    fn keep_vector(&mut self, vector: &LessonVector) -> Result<bool> {
        keep::check_vector(vector)?;
        vectors::keep_one(self.conn, self.name, vector)
    }
}

fn conflict(what: impl Into<String>) -> StoreError {
    StoreError::new(ErrorKind::Conflict, "changing lessons", what)
}

fn is_learned(lesson: &Lesson) -> bool {
    lesson.status == Status::Active && lesson.trust.class != TrustClass::Person
}

/// Returns what the text index holds of a lesson, if it holds it.
/// Returns what the index knows a lesson by.
fn says(lesson: &Lesson) -> (&LessonContent, &Option<CleanText>) {
    (&lesson.content, &lesson.task)
}

fn indexed(lesson: Option<&Lesson>) -> Option<&Lesson> {
    lesson.filter(|it| it.status == Status::Active)
}

fn count_learned(conn: &Connection, scope: i64, more: i64) -> Result<()> {
    if more != 0 {
        conn.prepare_cached("UPDATE scope SET learned = learned + ?2 WHERE id = ?1")?
            .execute([scope, more])?;
    }
    Ok(())
}

fn append(conn: &Connection, tenant: i64, entry: &JournalEntry) -> Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO journal (tenant, sequence, at, kind, lesson, actor, content, previous, hash,
                              remark_hash, remark)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let remark = entry.body.comment.as_ref();
    insert.execute(params![
        tenant,
        rows::integer(entry.sequence),
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

/// Erases what the journal says of a lesson in words; the chain holds without them.
fn forget_remarks(conn: &Connection, tenant: i64, id: LessonId) -> Result<()> {
    conn.prepare_cached("UPDATE journal SET remark = NULL WHERE tenant = ?1 AND lesson = ?2")?
        .execute([tenant, id.0])?;
    Ok(())
}

/// Keeps a judgement in the place of the one before it of the same run.
fn judge(conn: &Connection, name: &TenantId, tenant: i64, judged: &Judged) -> Result<()> {
    let listing = JudgementListing {
        run: judged.run.clone(),
        limit: usize::from(judged.run.is_some()),
        ..JudgementListing::default()
    };
    let replaced = View::of(conn)
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
        rows::to_json(&JudgedRow::of(judged))?
    ])?;
    conn.prepare_cached("DELETE FROM judgement WHERE tenant = ?1 AND id <= ?2")?
        .execute([tenant, id - rows::page(limits::JUDGEMENTS)])?;
    Ok(())
}

/// Forgets what the recalls of a tenant before a moment were made for.
pub(super) fn forget_asked(conn: &Connection, tenant: i64, before: Timestamp) -> Result<()> {
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

/// Returns a tenant's row; makes it if there is none.
pub(super) fn tenant(conn: &Connection, name: &TenantId) -> Result<TenantRow> {
    if let Some(row) = View::of(conn).tenant(name)? {
        return Ok(row);
    }
    let head = ChainHead::genesis(name);
    conn.execute(
        "INSERT INTO tenant (name, next_lesson, next_recall, sequence, hash)
         VALUES (?1, 1, 1, 0, ?2)",
        params![name.as_str(), head.hash.as_bytes()],
    )?;
    Ok(TenantRow {
        id: conn.last_insert_rowid(),
        next_lesson: 1,
        next_recall: 1,
        head,
    })
}

/// Returns a scope's number; makes its row if there is none.
pub(super) fn scope(conn: &Connection, tenant: i64, scope: &Scope) -> Result<i64> {
    if let Some(row) = View::of(conn).scope(scope)? {
        return Ok(row.id);
    }
    conn.execute(
        "INSERT INTO scope (tenant, agent, project, learned) VALUES (?1, ?2, ?3, 0)",
        params![tenant, scope.agent.as_str(), rows::project(scope)],
    )?;
    Ok(conn.last_insert_rowid())
}

/// Overwrites what deleted lessons left in the file and in the write-ahead log. Best effort: while
/// others read, the log is left to whoever writes next.
///
/// SQLite zeroes a row that goes, but not the copies that stay behind when it moves rows to other
/// pages. Only writing the whole file anew is sure to leave none, which a large one is spared.
pub(super) fn erase(conn: &mut Connection) {
    let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let bytes = conn.query_row(size, [], |row| row.get::<_, i64>(0));
    if bytes.is_ok_and(|it| it <= limits::VACUUM_BYTES) {
        drop(conn.execute_batch("VACUUM"));
    }
    empty_log(conn);
}

/// Empties the write-ahead log, which every reader that comes first has to read. Best effort: while
/// others read, it is left to whoever writes next.
pub(super) fn empty_log(conn: &mut Connection) {
    let mut truncate = || -> rusqlite::Result<()> {
        conn.busy_handler(None::<fn(i32) -> bool>)?;
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    drop(truncate());
    // Without it the next writer gives up at once, which is an error it can tell of.
    drop(conn.busy_handler(Some(wait)));
}

/// Remembers a sighting and returns all that is remembered of the trouble.
pub(super) fn sight(conn: &Connection, sighting: &Sighting) -> Result<Witness> {
    let place = &sighting.scope;
    let tenant = tenant(conn, &place.tenant)?;
    let scope = scope(conn, tenant.id, place)?;
    let before = View::of(conn).witness(place, &sighting.failure)?;
    let is_new = before.is_none();
    let witness = keep::witnessed(before, sighting);
    let lesson = witness.lesson.as_ref();
    let lesson = lesson.map(|it| rows::to_json(&AdmittedRow::of(it)));
    conn.prepare_cached(
        "INSERT OR REPLACE INTO witness (scope, failure, first, last, runs, lesson)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        scope,
        sighting.failure.as_str(),
        witness.first.as_millisecond(),
        witness.last.as_millisecond(),
        rows::runs_json(&witness.runs)?,
        lesson.transpose()?,
    ])?;
    if is_new {
        forget_oldest_witness(conn, scope)?;
    }
    Ok(witness)
}

/// Forgets the trouble seen longest ago if a scope remembers too many.
fn forget_oldest_witness(conn: &Connection, scope: i64) -> Result<()> {
    conn.prepare_cached(
        "DELETE FROM witness WHERE scope = ?1
         AND (SELECT count(*) FROM witness WHERE scope = ?1) > ?2
         AND failure = (SELECT failure FROM witness WHERE scope = ?1
                        ORDER BY last, failure LIMIT 1)",
    )?
    .execute(params![scope, rows::page(limits::CANDIDATE_LESSONS)])?;
    Ok(())
}

pub(super) fn forget_witness(conn: &Connection, place: &Scope, failure: &FailureKey) -> Result<()> {
    if let Some(scope) = View::of(conn).scope(place)? {
        conn.prepare_cached("DELETE FROM witness WHERE scope = ?1 AND failure = ?2")?
            .execute(params![scope.id, failure.as_str()])?;
    }
    Ok(())
}

pub(super) fn keep_source(
    conn: &Connection,
    tenant: i64,
    name: &str,
    source: &Source,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO source (tenant, name, position, fingerprint, state, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        tenant,
        name,
        rows::integer(source.position),
        source.fingerprint,
        source.state,
        source.at.as_millisecond(),
    ])?;
    Ok(())
}

/// Returns whether the keys and terms in the file were made by the rules of this program.
pub(super) fn follows_rules(conn: &Connection) -> Result<bool> {
    let rules = conn
        .query_row("SELECT terms, words FROM rules", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    Ok(rules == Some((TERMS, WORDS)))
}

/// Makes every key and term anew.
pub(super) fn renew(conn: &Connection, tuning: Tuning) -> Result<()> {
    conn.execute_batch(
        "DELETE FROM index_scope; DELETE FROM index_doc;
         DELETE FROM index_term; DELETE FROM index_posting; DELETE FROM rules",
    )?;
    let columns = rows::lesson_columns("s.agent, s.project");
    let sql = format!(
        "SELECT {columns}, l.scope, t.name FROM lesson l JOIN scope s ON s.id = l.scope
         JOIN tenant t ON t.id = s.tenant ORDER BY l.key"
    );
    let columns = columns.split(',').count();
    let mut select = conn.prepare(&sql)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (key, scope): (i64, i64) = (row.get(0)?, row.get(columns)?);
        let tenant = rows::tenant(&row.get::<_, String>(columns + 1)?)?;
        let lesson = rows::lesson(row, &tenant)?;
        let Likeness { twin, words } = Likeness::of(&lesson.content);
        conn.prepare_cached("UPDATE lesson SET twin = ?2, words = ?3 WHERE key = ?1")?
            .execute([key, twin, words])?;
        if lesson.status == Status::Active {
            index::add(
                conn,
                scope,
                lesson.id,
                &DocTerms::from_content(&lesson.content, lesson.task.as_ref()),
            )?;
            index::settle(conn, scope, tuning.fresh_words)?;
        }
    }
    conn.execute("INSERT INTO rules VALUES (?1, ?2)", [TERMS, WORDS])?;
    Ok(())
}
