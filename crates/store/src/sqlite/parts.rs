//! The parts of a tenant that is copied: those that no listing has, and putting each in as it is.

use hardwon_core::{
    id::{RecallId, TenantId},
    lesson::FailureKey,
    recall::Recall,
    scope::Scope,
};
use rusqlite::{Connection, params};

use super::{
    jobs,
    rows::{self, AdmittedRow, ColumnReader, JudgementRow, LoosePartKind, RecallRow},
    scopes::ensure_scope,
    view::SqliteView,
};
use crate::{CandidateLesson, Read as _, Result, copying::TenantPart};

impl SqliteView<'_> {
    /// Returns the parts that no listing has.
    pub(super) fn list_loose_parts(&self, name: &TenantId) -> Result<Vec<TenantPart>> {
        let Some(tenant) = self.tenant_row(name)? else {
            return Ok(Vec::new());
        };
        let scopes = self.scopes(name)?;
        let mut parts: Vec<_> = scopes.into_iter().map(TenantPart::Scope).collect();
        for kind in LoosePartKind::ALL {
            let mut select = self.conn().prepare_cached(&select_parts(kind))?;
            let mut found = select.query([tenant.id])?;
            while let Some(row) = found.next()? {
                parts.push(kind.read_part(&mut ColumnReader::new(row), name)?);
            }
        }
        Ok(parts)
    }
}

fn select_parts(kind: LoosePartKind) -> String {
    let columns = kind.columns();
    let table = match kind {
        LoosePartKind::Baseline => "baseline",
        LoosePartKind::Candidate => {
            return format!(
                "SELECT s.agent, s.project, w.failure, {columns}
                 FROM scope s JOIN witness w ON w.scope = s.id WHERE s.tenant = ?1"
            );
        }
        LoosePartKind::Cost => "spent",
        LoosePartKind::Answer => "answer",
    };
    format!("SELECT {columns} FROM {table} WHERE tenant = ?1")
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
