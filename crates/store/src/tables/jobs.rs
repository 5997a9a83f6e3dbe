//! The queue's rows: reading, writing, and deleting where there are too many.
//!
//! A job is claimed in a write transaction of its tenant, beside which there is no other, so no two workers ever look
//! for one at the same time: there is nothing that a look-up would have to skip.

use hardwon_core::{CleanText, Job, JobId, JobState, ModelCost, limits};
use jiff::Timestamp;

use crate::{
    ColumnValue, JobCounts, JobListing, ReadColumns, Result, Statement,
    port::{select_rows, values},
    records,
    rows::{self, TaskRow},
};
use crate::{TenantDatabase, TenantTables};

/// The columns that [`rows::read_job`] reads.
const SELECT_JOB: &str = "SELECT j.id, s.agent, s.project, j.print, j.state, j.ready, j.claims, j.lost, \
     j.attempts, j.why, j.created, j.task FROM hardwon.job j \
     JOIN hardwon.scope s ON s.tenant = j.tenant AND s.id = j.scope WHERE j.tenant = $1 AND";

impl<D: TenantDatabase> TenantTables<'_, D> {
    pub(crate) fn jobs_statement<'s>(
        &self,
        rest: &str,
        more: Vec<ColumnValue<'s>>,
    ) -> Statement<'s> {
        self.statement(format!("{SELECT_JOB} {rest}"), more)
    }

    fn select_jobs(&self, rest: &str, more: Vec<ColumnValue<'_>>) -> Result<Vec<Job>> {
        let statement = self.jobs_statement(rest, more);
        let read = |row: &mut dyn ReadColumns| rows::read_job(row, self.name);
        select_rows(&self.view.database, statement, read)
    }

    pub(super) fn select_job(&self, id: JobId) -> Result<Option<Job>> {
        Ok(self.select_jobs("j.id = $2", values![id.0])?.pop())
    }

    pub(super) fn select_job_by_key(&self, key: &str) -> Result<Option<Job>> {
        Ok(self.select_jobs("j.key = $2", values![key])?.pop())
    }

    pub(super) fn select_job_page(&self, listing: &JobListing) -> Result<Vec<Job>> {
        let rest = "j.id < $2 AND (j.state = $3 OR $3 IS NULL AND j.state <> 'seen')
             ORDER BY j.id DESC LIMIT $4";
        let before = listing.before.map_or(i64::MAX, |id| id.0);
        let most = rows::to_sql_page_limit(listing.limit);
        self.select_jobs(rest, values![before, listing.state, most])
    }

    pub(super) fn select_ready_job(&self, now: Timestamp) -> Result<Option<Job>> {
        let rest = "j.state = $2 AND j.ready <= $3 ORDER BY j.ready, j.id LIMIT 1";
        let statements = ["waiting", "running"]
            .map(|state| self.jobs_statement(rest, values![state, now]))
            .into();
        let mut ready = Vec::new();
        self.view.database.select_all(statements, &mut |_, row| {
            ready.push(rows::read_job(row, self.name)?);
            Ok(())
        })?;
        Ok(ready.into_iter().min_by_key(records::job_order_key))
    }

    pub(super) fn select_job_counts(&self, now: Timestamp) -> Result<JobCounts> {
        let mut queue = JobCounts::default();
        let sql = "SELECT state, count(*), count(*) FILTER (WHERE ready > $2), min(ready)
             FROM hardwon.job WHERE tenant = $1 GROUP BY state";
        self.select(sql, values![now], |row| {
            let state = row.next_string()?;
            let (count, later) = (row.next_count()?, row.next_count()?);
            rows::add_job_count(&mut queue, &state, count, later, row.next_time()?);
            Ok(())
        })?;
        Ok(queue)
    }

    pub(super) fn select_model_cost(&self, day: i64) -> Result<ModelCost> {
        let sql = "SELECT calls, tokens FROM hardwon.spent WHERE tenant = $1 AND day = $2";
        let cost = self.select_first(sql, values![day], rows::read_cost)?;
        Ok(cost.unwrap_or_default())
    }

    pub(super) fn write_job(&self, job: &Job) -> Result<()> {
        let scope = self.ensure_scope(&job.task.origin.scope)?;
        let beside = [
            job.id.0.to_string(),
            scope.to_string(),
            job.task.key(),
            job.fingerprint.clone(),
            job.state.name().to_owned(),
            rows::ready_column(job.state).to_string(),
            job.claims.to_string(),
            job.lost_workers.to_string(),
            job.attempts.to_string(),
            job.why
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            job.created.as_millisecond().to_string(),
        ];
        let task = rows::to_sealed_json(&TaskRow::from_task(&job.task), &beside)?;
        let columns = vec![
            ("scope", scope.into()),
            ("key", job.task.key().into()),
            ("print", job.fingerprint.as_str().into()),
            ("state", job.state.name().into()),
            ("ready", rows::ready_column(job.state).into()),
            ("claims", job.claims.into()),
            ("lost", job.lost_workers.into()),
            ("attempts", job.attempts.into()),
            ("why", job.why.as_ref().map(CleanText::as_str).into()),
            ("created", job.created.into()),
            ("task", task.into()),
        ];
        self.save("job", self.own(("id", job.id.0.into())), columns)
    }

    pub(super) fn delete_oldest_job(&self, state: JobState) -> Result<()> {
        let Some(most) = records::max_jobs_in_state(state) else {
            return Ok(());
        };
        self.execute(
            "DELETE FROM hardwon.job WHERE tenant = $1 AND state = $2
             AND (SELECT count(*) FROM hardwon.job WHERE tenant = $1 AND state = $2) > $3
             AND id = (SELECT min(id) FROM hardwon.job WHERE tenant = $1 AND state = $2)",
            values![state.name(), rows::to_sql_bound(most)],
        )
    }

    /// Deletes a job; returns false if it does not exist.
    pub(super) fn delete_job(&self, id: JobId) -> Result<bool> {
        let sql = "DELETE FROM hardwon.job WHERE tenant = $1 AND id = $2 RETURNING id";
        let row = self.select_first(sql, values![id.0], |row| row.next_integer())?;
        Ok(row.is_some())
    }

    /// Writes the cost of a day.
    pub(super) fn write_model_cost(&self, day: i64, cost: ModelCost) -> Result<()> {
        let columns = vec![("calls", cost.calls.into()), ("tokens", cost.tokens.into())];
        self.save("spent", self.own(("day", day.into())), columns)
    }

    /// Deletes the costs of days that are long past on one.
    pub(super) fn delete_past_costs(&self, day: i64) -> Result<()> {
        let past = day.saturating_sub(rows::to_sql_bound(limits::MODEL_COST_DAYS));
        let sql = "DELETE FROM hardwon.spent WHERE tenant = $1 AND day <= $2";
        self.execute(sql, values![past])
    }
}
