//! The parts of a tenant that is copied: those that no listing has, and putting each in as it is.

use hardwon_core::{
    credit::BaselineKey,
    id::{RecallId, TenantId},
    lesson::{FailureKey, GaussianMessage},
    queue::ModelCost,
    recall::Recall,
    request::KeptAnswer,
    scope::Scope,
};
use rusqlite::{Connection, Params, params};

use super::{
    jobs,
    rows::{self, AdmittedRow, ColumnReader, JudgementRow, RecallRow},
    scopes::ensure_scope,
    view::SqliteView,
};
use crate::{CandidateLesson, Read as _, Result, copying::TenantPart, rows::ReadColumns as _};

impl SqliteView<'_> {
    /// Returns the parts that no listing has.
    pub(super) fn list_loose_parts(&self, name: &TenantId) -> Result<Vec<TenantPart>> {
        let Some(tenant) = self.tenant_row(name)? else {
            return Ok(Vec::new());
        };
        let scopes = self.scopes(name)?;
        let mut parts: Vec<_> = scopes.into_iter().map(TenantPart::Scope).collect();
        let select = "SELECT about, precision, shift FROM baseline WHERE tenant = ?1";
        parts.extend(self.read_parts(select, [tenant.id], |row| {
            let about = row.next_word(BaselineKey::from_name)?;
            let (precision, shift) = (row.next_integer()?, row.next_integer()?);
            Ok(TenantPart::Baseline(
                about,
                GaussianMessage { precision, shift },
            ))
        })?);
        let select = "SELECT s.agent, s.project, w.failure, w.runs, w.first, w.last, w.lesson
             FROM scope s JOIN witness w ON w.scope = s.id WHERE s.tenant = ?1";
        parts.extend(self.read_parts(select, [tenant.id], |row| read_candidate(row, name))?);
        let select = "SELECT day, calls, tokens, micros FROM spent WHERE tenant = ?1";
        parts.extend(self.read_parts(select, [tenant.id], |row| {
            let day = row.next_integer()?;
            let cost = ModelCost {
                calls: row.next_count()?,
                tokens: row.next_count()?,
                micros: row.next_count()?,
            };
            Ok(TenantPart::Cost(day, cost))
        })?);
        let select = "SELECT name, request, answer, at FROM answer WHERE tenant = ?1";
        parts.extend(self.read_parts(select, [tenant.id], |row| {
            let name = row.next_hash()?;
            let kept = KeptAnswer {
                digest: row.next_hash()?,
                answer: row.next_optional_string()?,
                at: row.next_time()?,
            };
            Ok(TenantPart::Answer(name, kept))
        })?);
        Ok(parts)
    }

    fn read_parts(
        &self,
        select: &str,
        values: impl Params,
        read: impl Fn(&mut ColumnReader<'_, '_>) -> Result<TenantPart>,
    ) -> Result<Vec<TenantPart>> {
        let mut select = self.conn().prepare_cached(select)?;
        let mut found = select.query(values)?;
        let mut parts = Vec::new();
        while let Some(row) = found.next()? {
            parts.push(read(&mut ColumnReader::new(row))?);
        }
        Ok(parts)
    }
}

fn read_candidate(row: &mut ColumnReader<'_, '_>, tenant: &TenantId) -> Result<TenantPart> {
    let (agent, project) = (row.next_string()?, row.next_string()?);
    let scope = rows::parse_scope(tenant, &agent, &project)?;
    let failure = FailureKey::new(row.next_string()?);
    let runs = rows::parse_runs(&row.next_string()?)?;
    let (first_seen, last_seen) = (row.next_time()?, row.next_time()?);
    let lesson = row.next_optional_string()?;
    let lesson = lesson.map(|json| rows::from_json::<AdmittedRow>(&json)?.into_admitted(tenant));
    let found = CandidateLesson {
        runs,
        first_seen,
        last_seen,
        lesson: lesson.transpose()?,
    };
    Ok(TenantPart::Candidate(scope, failure, Box::new(found)))
}

/// Puts a part in that is neither an entry nor a lesson.
pub(super) fn put_part(conn: &Connection, tenant: i64, part: &TenantPart) -> Result<()> {
    match part {
        TenantPart::Entry(_) | TenantPart::Lesson(_) => {}
        TenantPart::Scope(scope) => drop(ensure_scope(conn, tenant, scope)?),
        TenantPart::Recall(id, recall) => put_recall(conn, tenant, *id, recall)?,
        TenantPart::Judgement(id, judged) => {
            let run = judged.run.as_ref().map(|it| it.as_str());
            let line = rows::to_json(&JudgementRow::from_record(judged))?;
            conn.prepare_cached(
                "INSERT INTO judgement (tenant, id, run, line) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![tenant, id.0, run, line])?;
        }
        TenantPart::Baseline(about, sum) => {
            conn.prepare_cached(
                "INSERT INTO baseline (tenant, about, precision, shift) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![tenant, about.name(), sum.precision, sum.shift])?;
        }
        TenantPart::Candidate(scope, failure, found) => {
            put_candidate(conn, tenant, scope, failure, found)?;
        }
        TenantPart::Job(job) => {
            jobs::write_job(conn, tenant, job)?;
            conn.prepare_cached("UPDATE tenant SET next_job = max(next_job, ?2) WHERE id = ?1")?
                .execute([tenant, job.id.0 + 1])?;
        }
        TenantPart::Cost(day, cost) => {
            let [calls, tokens, micros] =
                [cost.calls, cost.tokens, cost.micros].map(rows::to_sql_count);
            conn.prepare_cached(
                "INSERT INTO spent (tenant, day, calls, tokens, micros) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![tenant, day, calls, tokens, micros])?;
        }
        TenantPart::Answer(name, kept) => {
            conn.prepare_cached(
                "INSERT INTO answer (tenant, name, request, answer, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                tenant,
                name.as_bytes(),
                kept.digest.as_bytes(),
                kept.answer,
                kept.at.as_millisecond(),
            ])?;
        }
    }
    Ok(())
}

fn put_recall(conn: &Connection, tenant: i64, id: RecallId, recall: &Recall) -> Result<()> {
    let run = recall.run.as_ref().map(|it| it.as_str());
    let line = rows::to_json(&RecallRow::from_recall(recall).without_query_text())?;
    conn.prepare_cached("INSERT INTO recall (tenant, id, run, line) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![tenant, id.0, run, line])?;
    insert_query_text(conn, tenant, id.0, recall)?;
    conn.prepare_cached("UPDATE tenant SET next_recall = max(next_recall, ?2) WHERE id = ?1")?
        .execute([tenant, id.0 + 1])?;
    Ok(())
}

fn put_candidate(
    conn: &Connection,
    tenant: i64,
    scope: &Scope,
    failure: &FailureKey,
    found: &CandidateLesson,
) -> Result<()> {
    let scope = ensure_scope(conn, tenant, scope)?;
    let lesson = found.lesson.as_ref();
    let lesson = lesson.map(|it| rows::to_json(&AdmittedRow::from_admitted(it)));
    conn.prepare_cached(
        "INSERT INTO witness (scope, failure, first, last, runs, lesson)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        scope,
        failure.as_str(),
        found.first_seen.as_millisecond(),
        found.last_seen.as_millisecond(),
        rows::runs_to_json(&found.runs)?,
        lesson.transpose()?,
    ])?;
    Ok(())
}

/// Saves a recall's query text, if it has one.
pub(super) fn insert_query_text(
    conn: &Connection,
    tenant: i64,
    id: i64,
    recall: &Recall,
) -> Result<()> {
    let Some(asked) = &recall.query_text else {
        return Ok(());
    };
    conn.prepare_cached(
        "INSERT INTO asked (tenant, recall, agent, at, text) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        tenant,
        id,
        recall.scope.agent.as_str(),
        recall.at.as_millisecond(),
        asked.as_str()
    ])?;
    Ok(())
}
