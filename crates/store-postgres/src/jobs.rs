//! The queue's rows: reading, writing, and deleting where there are too many.
//!
//! A job is claimed in a transaction of its tenant, whose row is locked, so no two workers ever look for one at the same
//! time: there is nothing that a look-up would have to skip.

use hardwon_core::{
    id::TenantId,
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    text::CleanText,
};
use hardwon_store::{
    JobCounts, JobListing, Result,
    backend::{duplicate_job_error, job_order_key, max_jobs_in_state, missing_job_error},
    rows::{self, ReadColumns as _, TaskRow},
};
use jiff::Timestamp;
use tokio_postgres::Row;

use crate::{
    session::{Request, TenantKey},
    values::{RowColumns, SqlValue, values},
    view::PostgresView,
};

/// The columns that [`rows::read_job`] reads.
const SELECT_JOB: &str = "SELECT j.id, s.agent, s.project, j.print, j.state, j.ready, j.claims, j.lost, \
     j.attempts, j.why, j.created, j.task FROM hardwon.job j \
     JOIN hardwon.scope s ON s.tenant = j.tenant AND s.id = j.scope WHERE j.tenant = $1 AND";

fn jobs_request(rest: &str, values: Vec<SqlValue>) -> Request {
    Request::new(format!("{SELECT_JOB} {rest}"), values)
}

fn read_jobs(found: &[Row], tenant: &TenantId) -> Result<Vec<Job>> {
    let jobs = found
        .iter()
        .map(|row| rows::read_job(&mut RowColumns::new(row), tenant));
    jobs.collect()
}

impl PostgresView<'_> {
    fn select_jobs(
        &self,
        tenant: &TenantId,
        rest: &str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Job>> {
        let Request { sql, values } = jobs_request(rest, values);
        read_jobs(&self.query(tenant, sql, values)?, tenant)
    }

    pub(crate) fn select_job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>> {
        let key = TenantKey::from_name(tenant);
        Ok(self
            .select_jobs(tenant, "j.id = $2", values![key, id.0])?
            .pop())
    }

    pub(crate) fn select_job_by_key(&self, tenant: &TenantId, name: &str) -> Result<Option<Job>> {
        let key = TenantKey::from_name(tenant);
        Ok(self
            .select_jobs(tenant, "j.key = $2", values![key, name])?
            .pop())
    }

    pub(crate) fn select_job_page(
        &self,
        tenant: &TenantId,
        listing: &JobListing,
    ) -> Result<Vec<Job>> {
        let key = TenantKey::from_name(tenant);
        let rest = "j.id < $2 AND (j.state = $3 OR $3 IS NULL AND j.state <> 'seen')
             ORDER BY j.id DESC LIMIT $4";
        let before = listing.before.map_or(i64::MAX, |it| it.0);
        let most = rows::to_sql_page_limit(listing.limit);
        self.select_jobs(tenant, rest, values![key, before, listing.state, most])
    }

    pub(crate) fn select_ready_job(
        &self,
        tenant: &TenantId,
        now: Timestamp,
    ) -> Result<Option<Job>> {
        let key = TenantKey::from_name(tenant);
        let rest = "j.state = $2 AND j.ready <= $3 ORDER BY j.ready, j.id LIMIT 1";
        let requests = ["waiting", "running"]
            .map(|state| jobs_request(rest, values![key, state, now.as_millisecond()]));
        let mut first: Option<Job> = None;
        for found in self.session.query_all(key, requests.into())? {
            let found = read_jobs(&found, tenant)?;
            first = first.into_iter().chain(found).min_by_key(job_order_key);
        }
        Ok(first)
    }

    pub(crate) fn select_job_counts(&self, tenant: &TenantId, now: Timestamp) -> Result<JobCounts> {
        let key = TenantKey::from_name(tenant);
        let found = self.session.query(
            key,
            "SELECT state, count(*), count(*) FILTER (WHERE ready > $2), min(ready)
             FROM hardwon.job WHERE tenant = $1 GROUP BY state",
            values![key, now.as_millisecond()],
        )?;
        let mut queue = JobCounts::default();
        for row in &found {
            let mut row = RowColumns::new(row);
            let state = row.next_string()?;
            let (count, later) = (row.next_count()?, row.next_count()?);
            rows::add_job_count(&mut queue, &state, count, later, row.next_time()?);
        }
        Ok(queue)
    }

    pub(crate) fn select_model_cost(&self, tenant: &TenantId, day: i64) -> Result<ModelCost> {
        let key = TenantKey::from_name(tenant);
        let sql = "SELECT calls, tokens, micros FROM hardwon.spent WHERE tenant = $1 AND day = $2";
        let Some(row) = self.session.query_one(key, sql, values![key, day])? else {
            return Ok(ModelCost::default());
        };
        let mut row = RowColumns::new(&row);
        Ok(ModelCost {
            calls: row.next_count()?,
            tokens: row.next_count()?,
            micros: row.next_count()?,
        })
    }

    /// Adds a job under the next number.
    pub(crate) fn add_job(
        &self,
        tenant: &TenantId,
        task: &JobTask,
        now: Timestamp,
        state: JobState,
    ) -> Result<JobId> {
        if self.select_job_by_key(tenant, &task.key())?.is_some() {
            return Err(duplicate_job_error());
        }
        let id = self.change_tenant_row(|row| {
            row.next_job += 1;
            JobId(row.next_job - 1)
        });
        self.write_job(tenant, &Job::new(id, task.clone(), now, state))?;
        Ok(id)
    }

    /// Updates an existing job.
    pub(crate) fn update_job(&self, tenant: &TenantId, job: &Job) -> Result<()> {
        match self.select_job(tenant, job.id)? {
            Some(_) => self.write_job(tenant, job),
            None => Err(missing_job_error()),
        }
    }

    pub(crate) fn write_job(&self, tenant: &TenantId, job: &Job) -> Result<()> {
        let key = TenantKey::from_name(tenant);
        let scope = self.ensure_scope(tenant, &job.task.origin.scope)?;
        self.session.queue(
            key,
            "INSERT INTO hardwon.job (tenant, id, scope, key, print, state, ready, claims, lost,
                                      attempts, why, created, task)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (tenant, id) DO UPDATE
             SET scope = excluded.scope, key = excluded.key, print = excluded.print,
                 state = excluded.state, ready = excluded.ready, claims = excluded.claims,
                 lost = excluded.lost, attempts = excluded.attempts, why = excluded.why,
                 created = excluded.created, task = excluded.task",
            values![
                key,
                job.id.0,
                scope,
                job.task.key(),
                job.fingerprint.as_str(),
                job.state.name(),
                rows::ready_column(job.state),
                job.claims,
                job.lost_workers,
                job.attempts,
                job.why.as_ref().map(CleanText::as_str),
                job.created.as_millisecond(),
                rows::to_json(&TaskRow::from_task(&job.task))?,
            ],
        )?;
        self.delete_oldest_job(key, job.state)
    }

    fn delete_oldest_job(&self, key: TenantKey, state: JobState) -> Result<()> {
        let Some(most) = max_jobs_in_state(state) else {
            return Ok(());
        };
        self.session.queue(
            key,
            "DELETE FROM hardwon.job WHERE tenant = $1 AND state = $2
             AND (SELECT count(*) FROM hardwon.job WHERE tenant = $1 AND state = $2) > $3
             AND id = (SELECT min(id) FROM hardwon.job WHERE tenant = $1 AND state = $2)",
            values![key, state.name(), rows::to_sql_bound(most)],
        )
    }

    /// Deletes a job; returns false if it does not exist.
    pub(crate) fn delete_job(&self, tenant: &TenantId, id: JobId) -> Result<bool> {
        let key = TenantKey::from_name(tenant);
        let sql = "DELETE FROM hardwon.job WHERE tenant = $1 AND id = $2 RETURNING id";
        Ok(self
            .session
            .query_one(key, sql, values![key, id.0])?
            .is_some())
    }

    /// Sets the cost of a day.
    pub(crate) fn set_model_cost(
        &self,
        tenant: &TenantId,
        day: i64,
        spent: ModelCost,
    ) -> Result<()> {
        let key = TenantKey::from_name(tenant);
        let [calls, tokens, micros] =
            [spent.calls, spent.tokens, spent.micros].map(rows::to_sql_count);
        self.session.queue(
            key,
            "INSERT INTO hardwon.spent (tenant, day, calls, tokens, micros)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, day) DO UPDATE
             SET calls = excluded.calls, tokens = excluded.tokens, micros = excluded.micros",
            values![key, day, calls, tokens, micros],
        )?;
        let past = day.saturating_sub(rows::to_sql_bound(limits::MODEL_COST_DAYS));
        let sql = "DELETE FROM hardwon.spent WHERE tenant = $1 AND day <= $2";
        self.session.queue(key, sql, values![key, past])
    }
}
