//! Keys, statements and columns of SQLite; what the columns mean is in [`rows`](crate::rows).

use hardwon_core::{
    change::EvictionCandidate,
    id::{LessonId, TenantId},
    journal::JournalEntry,
    lesson::Lesson,
};
use rusqlite::{
    Connection, Row, ToSql, params_from_iter,
    types::{FromSql, ToSqlOutput, ValueRef},
};

use crate::rows::{self as shared, ColumnValue, LESSON_COLUMNS, ReadColumns};
pub(super) use crate::rows::{
    AdmittedRow, CANDIDATE_COLUMNS, DuplicateKeys, ENTRY_COLUMNS, JudgementRow, LoosePartKind,
    RecallRow, TaskRow, add_job_count, from_json, parse_count, parse_recall_line, parse_scope,
    parse_tenant, parse_time, parse_word, project_column, read_candidate, read_job, ready_column,
    render_recall_line, runs_to_json, to_json, to_sql_bound, to_sql_count, to_sql_page_limit,
};
use crate::{
    Result,
    error::damaged_error,
    port::{ReadRow, ReadRows, Statement, WriteRows},
};

/// Bits of a key below the tenant's number.
const LESSON_BITS: u32 = 32;

/// Returns the key of a lesson; `None` if the number is out of range.
pub(super) fn lesson_key(tenant: i64, id: LessonId) -> Option<i64> {
    let number = u32::try_from(id.0).ok()?;
    Some(tenant << LESSON_BITS | i64::from(number))
}

/// Returns the range of keys of a tenant's lessons with numbers below `before`.
pub(super) fn lesson_key_range(tenant: i64, before: Option<LessonId>) -> std::ops::Range<i64> {
    let first = tenant << LESSON_BITS;
    let all = 1 << LESSON_BITS;
    first..first + before.map_or(all, |id| id.0.clamp(0, all))
}

fn lesson_id_from_key(key: i64) -> LessonId {
    LessonId(key & ((1 << LESSON_BITS) - 1))
}

/// Returns the columns of a lesson `l` that [`read_lesson`] reads. `scope` names its agent and its project: two columns
/// of a `scope`, or two parameters where both are known.
pub(super) fn lesson_columns(scope: &str) -> String {
    format!("l.key, {scope}, {LESSON_COLUMNS}")
}

/// Returns the columns that [`read_eviction_candidate`] reads.
pub(super) fn eviction_columns() -> String {
    format!("key, {}", shared::EVICTION_COLUMNS)
}

/// Reads columns one after another.
pub(super) struct ColumnReader<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> ColumnReader<'r, 's> {
    pub(super) fn new(row: &'r Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    pub(super) fn next_value<T: FromSql>(&mut self) -> Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }
}

impl ReadColumns for ColumnReader<'_, '_> {
    fn next_optional_integer(&mut self) -> Result<Option<i64>> {
        self.next_value()
    }

    fn next_optional_string(&mut self) -> Result<Option<String>> {
        self.next_value()
    }

    fn next_real(&mut self) -> Result<f64> {
        self.next_value()
    }

    fn next_flag(&mut self) -> Result<bool> {
        self.next_value()
    }

    fn next_optional_bytes(&mut self) -> Result<Option<&[u8]>> {
        let value = self.row.get_ref(self.next)?.as_bytes_or_null();
        self.next += 1;
        value.map_err(|error| damaged_error(format!("a value is no bytes ({error})")))
    }
}

/// Writes a statement as SQLite has it.
fn translate(sql: &str) -> String {
    sql.replace("hardwon.", "main.").replace('$', "?")
}

impl ReadRows for Connection {
    fn select(&self, statement: Statement<'_>, read: ReadRow<'_>) -> Result<()> {
        let mut select = self.prepare_cached(&translate(&statement.sql))?;
        let mut rows = select.query(params_from_iter(&statement.values))?;
        while let Some(row) = rows.next()? {
            read(&mut ColumnReader::new(row))?;
        }
        Ok(())
    }
}

impl WriteRows for Connection {
    fn execute(&self, statement: Statement<'_>) -> Result<()> {
        let mut change = self.prepare_cached(&translate(&statement.sql))?;
        change.execute(params_from_iter(&statement.values))?;
        Ok(())
    }
}

/// Reads the columns of [`lesson_columns`].
pub(super) fn read_lesson(row: &Row<'_>, tenant: &TenantId) -> Result<Lesson> {
    let mut row = ColumnReader::new(row);
    let id = lesson_id_from_key(row.next_integer()?);
    shared::read_lesson(&mut row, tenant, id)
}

/// Reads the columns of [`eviction_columns`].
pub(super) fn read_eviction_candidate(row: &Row<'_>) -> Result<EvictionCandidate> {
    let mut row = ColumnReader::new(row);
    let id = lesson_id_from_key(row.next_integer()?);
    shared::read_eviction_candidate(&mut row, id)
}

/// Reads the columns of [`ENTRY_COLUMNS`].
pub(super) fn read_entry(row: &Row<'_>) -> Result<JournalEntry> {
    shared::read_entry(&mut ColumnReader::new(row))
}

impl ToSql for ColumnValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Integer(value) => return value.to_sql(),
            Self::Text(None) => ValueRef::Null,
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Flag(value) => ValueRef::Integer(i64::from(*value)),
            Self::Bytes(None) => ValueRef::Null,
            Self::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Self::Integers(list) => return Ok(ToSqlOutput::from(format!("{list:?}"))),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

/// Writes a lesson's row with one of the statements below. The duplicate keys may be left out where the row has them
/// already.
pub(super) fn write_lesson(
    statement: &mut rusqlite::Statement<'_>,
    key: i64,
    scope: i64,
    lesson: &Lesson,
    likeness: Option<DuplicateKeys>,
) -> Result<()> {
    let values = shared::lesson_values(lesson, likeness)?;
    let mut params: Vec<&dyn ToSql> = vec![&key, &scope];
    params.extend(values.iter().map(|it| -> &dyn ToSql { it }));
    statement.execute(params.as_slice())?;
    Ok(())
}

/// Inserts the row of [`write_lesson`].
pub(super) const INSERT_LESSON: &str = "INSERT INTO lesson (key, scope, status, why, by, slug, \
     title, signature, text, situation, mistake, reference, cause, outcome, trust, tainted, \
     confidence, failure, expires_at, shown, helped, harmed, last_seen, created, updated, twin, \
     words, rest, precision, shift, trial, well, badly, in_vain, \
     not_followed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, \
     ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, \
     ?32, ?33, ?34, ?35)";

/// Updates the row of [`write_lesson`].
pub(super) const UPDATE_LESSON: &str = "UPDATE lesson SET scope = ?2, status = ?3, why = ?4, \
     by = ?5, slug = ?6, title = ?7, signature = ?8, text = ?9, situation = ?10, mistake = ?11, \
     reference = ?12, cause = ?13, outcome = ?14, trust = ?15, tainted = ?16, confidence = ?17, \
     failure = ?18, expires_at = ?19, shown = ?20, helped = ?21, harmed = ?22, last_seen = ?23, \
     created = ?24, updated = ?25, twin = coalesce(?26, twin), words = coalesce(?27, words), \
     rest = ?28, precision = ?29, shift = ?30, trial = ?31, well = ?32, badly = ?33, \
     in_vain = ?34, not_followed = ?35 WHERE key = ?1";
