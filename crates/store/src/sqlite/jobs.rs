//! The queue's rows: reading, writing, and deleting where there are too many.

use hardwon_core::{
    id::TenantId,
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    text::CleanText,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Params, params};

use super::{
    rows::{self, ColumnReader, TaskRow},
    scopes,
    view::SqliteView,
};
use crate::{JobCounts, JobListing, Result, records};

/// The columns of a job, from `job j JOIN scope s`.
const SELECT_JOB: &str = "SELECT j.id, s.agent, s.project, j.print, j.state, j.ready, j.claims, j.lost, \
     j.attempts, j.why, j.created, j.task FROM job j JOIN scope s ON s.id = j.scope";

impl SqliteView<'_> {
    fn select_jobs_where(
        &self,
        tenant: &TenantId,
        rest: &str,
        params: impl Params,
    ) -> Result<Vec<Job>> {
        let mut select = self
            .conn()
            .prepare_cached(&format!("{SELECT_JOB} WHERE {rest}"))?;
        let mut found = select.query(params)?;
        let mut jobs = Vec::new();
        while let Some(row) = found.next()? {
            jobs.push(rows::read_job(&mut ColumnReader::new(row), tenant)?);
        }
        Ok(jobs)
    }

    pub(super) fn select_job(&self, name: &TenantId, id: JobId) -> Result<Option<Job>> {
        let Some(row) = self.tenant_row(name)? else {
            return Ok(None);
        };
        let rest = "j.tenant = ?1 AND j.id = ?2";
        Ok(self
            .select_jobs_where(name, rest, params![row.id, id.0])?
            .pop())
    }

    pub(super) fn select_job_by_key(&self, name: &TenantId, key: &str) -> Result<Option<Job>> {
        let Some(row) = self.tenant_row(name)? else {
            return Ok(None);
        };
        let rest = "j.tenant = ?1 AND j.key = ?2";
        Ok(self
            .select_jobs_where(name, rest, params![row.id, key])?
            .pop())
    }

    pub(super) fn select_job_page(
        &self,
        name: &TenantId,
        listing: &JobListing,
    ) -> Result<Vec<Job>> {
        let Some(row) = self.tenant_row(name)? else {
            return Ok(Vec::new());
        };
        let rest =
            "j.tenant = ?1 AND j.id < ?2 AND (j.state = ?3 OR ?3 IS NULL AND j.state <> 'seen')
                    ORDER BY j.id DESC LIMIT ?4";
        let before = listing.before.map_or(i64::MAX, |it| it.0);
        let most = rows::to_sql_bound(listing.limit.min(limits::PAGE_ROWS));
        self.select_jobs_where(name, rest, params![row.id, before, listing.state, most])
    }

    pub(super) fn select_ready_job(&self, name: &TenantId, now: Timestamp) -> Result<Option<Job>> {
        let Some(row) = self.tenant_row(name)? else {
            return Ok(None);
        };
        let mut first: Option<Job> = None;
        for state in ["waiting", "running"] {
            let rest = "j.tenant = ?1 AND j.state = ?2 AND j.ready <= ?3
                        ORDER BY j.ready, j.id LIMIT 1";
            let found =
                self.select_jobs_where(name, rest, params![row.id, state, now.as_millisecond()])?;
            first = first
                .into_iter()
                .chain(found)
                .min_by_key(records::job_order_key);
        }
        Ok(first)
    }

    pub(super) fn select_job_counts(&self, name: &TenantId, now: Timestamp) -> Result<JobCounts> {
        let mut queue = JobCounts::default();
        let Some(row) = self.tenant_row(name)? else {
            return Ok(queue);
        };
        let mut select = self.conn().prepare_cached(
            "SELECT state, count(*), sum(ready > ?2), min(ready) FROM job WHERE tenant = ?1
             GROUP BY state",
        )?;
        let mut found = select.query(params![row.id, now.as_millisecond()])?;
        while let Some(row) = found.next()? {
            let (count, later) = (row.get(1)?, row.get(2)?);
            let (count, later) = (rows::parse_count(count)?, rows::parse_count(later)?);
            let first = rows::parse_time(row.get(3)?)?;
            rows::add_job_count(&mut queue, &row.get::<_, String>(0)?, count, later, first);
        }
        Ok(queue)
    }

    pub(super) fn select_model_cost(&self, name: &TenantId, day: i64) -> Result<ModelCost> {
        let Some(row) = self.tenant_row(name)? else {
            return Ok(ModelCost::default());
        };
        let select = "SELECT calls, tokens, micros FROM spent WHERE tenant = ?1 AND day = ?2";
        let found = self
            .conn()
            .prepare_cached(select)?
            .query_row(params![row.id, day], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            });
        let Some((calls, tokens, micros)) = found.optional()? else {
            return Ok(ModelCost::default());
        };
        Ok(ModelCost {
            calls: rows::parse_count(calls)?,
            tokens: rows::parse_count(tokens)?,
            micros: rows::parse_count(micros)?,
        })
    }
}

/// Adds a job under the next number.
pub(super) fn add_job(
    conn: &Connection,
    name: &TenantId,
    task: &JobTask,
    now: Timestamp,
    state: JobState,
) -> Result<JobId> {
    let tenant = scopes::ensure_tenant(conn, name)?.id;
    let id: i64 = conn
        .prepare_cached(
            "UPDATE tenant SET next_job = next_job + 1 WHERE id = ?1 RETURNING next_job - 1",
        )?
        .query_row([tenant], |row| row.get(0))?;
    let job = Job::new(JobId(id), task.clone(), now, state);
    write_job(conn, tenant, &job)?;
    delete_oldest_job(conn, tenant, job.state)?;
    Ok(job.id)
}

/// Updates an existing job; returns false if it does not exist.
pub(super) fn update_job(conn: &Connection, name: &TenantId, job: &Job) -> Result<bool> {
    let tenant = scopes::ensure_tenant(conn, name)?.id;
    if SqliteView::from_connection(conn)
        .select_job(name, job.id)?
        .is_none()
    {
        return Ok(false);
    }
    write_job(conn, tenant, job)?;
    delete_oldest_job(conn, tenant, job.state)?;
    Ok(true)
}

pub(super) fn write_job(conn: &Connection, tenant: i64, job: &Job) -> Result<()> {
    let scope = scopes::ensure_scope(conn, tenant, &job.task.origin.scope)?;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO job (tenant, id, scope, key, print, state, ready, claims, lost,
                                     attempts, why, created, task)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?
    .execute(params![
        tenant,
        job.id.0,
        scope,
        job.task.key(),
        job.fingerprint,
        job.state.name(),
        rows::ready_column(job.state),
        job.claims,
        job.lost_workers,
        job.attempts,
        job.why.as_ref().map(CleanText::as_str),
        job.created.as_millisecond(),
        rows::to_json(&TaskRow::from_task(&job.task))?,
    ])?;
    Ok(())
}

fn delete_oldest_job(conn: &Connection, tenant: i64, state: JobState) -> Result<()> {
    if let Some(most) = records::max_jobs_in_state(state) {
        conn.prepare_cached(
            "DELETE FROM job WHERE tenant = ?1 AND state = ?2
             AND (SELECT count(*) FROM job WHERE tenant = ?1 AND state = ?2) > ?3
             AND id = (SELECT min(id) FROM job WHERE tenant = ?1 AND state = ?2)",
        )?
        .execute(params![tenant, state.name(), rows::to_sql_bound(most)])?;
    }
    Ok(())
}

/// Deletes a job; returns false if it does not exist.
pub(super) fn delete_job(conn: &Connection, name: &TenantId, id: JobId) -> Result<bool> {
    let tenant = scopes::ensure_tenant(conn, name)?.id;
    let gone = conn
        .prepare_cached("DELETE FROM job WHERE tenant = ?1 AND id = ?2")?
        .execute([tenant, id.0])?;
    Ok(gone > 0)
}

/// Sets the cost of a day.
pub(super) fn set_model_cost(
    conn: &Connection,
    name: &TenantId,
    day: i64,
    spent: ModelCost,
) -> Result<()> {
    let tenant = scopes::ensure_tenant(conn, name)?.id;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO spent (tenant, day, calls, tokens, micros)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        tenant,
        day,
        rows::to_sql_count(spent.calls),
        rows::to_sql_count(spent.tokens),
        rows::to_sql_count(spent.micros),
    ])?;
    conn.prepare_cached("DELETE FROM spent WHERE tenant = ?1 AND day <= ?2 - ?3")?
        .execute(params![
            tenant,
            day,
            rows::to_sql_bound(limits::MODEL_COST_DAYS)
        ])?;
    Ok(())
}
