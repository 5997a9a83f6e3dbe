//! The queue's rows: read, kept, and forgotten where there are too many.

use hardwon_core::{
    distil::{InquiryFailure, InquiryOrigin, excerpt::Excerpt},
    id::{RunId, TenantId},
    lesson::{Cause, FailureKey, RunOutcome},
    limits,
    queue::{Job, JobId, JobMethod, JobState, JobTask, ModelCost},
    text::CleanText,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};
use serde::{Deserialize, Serialize};

use super::{fault::damaged, read::View, rows, write};
use crate::{JobListing, Queue, Result, keep};

/// What a job asks, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct TaskRow {
    method: String,
    run: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trouble: Option<TroubleRow>,
    cause: String,
    outcome: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tainted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    excerpt: String,
}

/// The trouble that a job asks about.
#[derive(Debug, Serialize, Deserialize)]
struct TroubleRow {
    key: String,
    signature: String,
}

impl TaskRow {
    fn of(task: &JobTask) -> Self {
        Self {
            method: task.method.name().to_owned(),
            run: task.origin.run.to_string(),
            others: task
                .origin
                .other_runs
                .iter()
                .map(ToString::to_string)
                .collect(),
            trouble: task.origin.failure.as_ref().map(|it| TroubleRow {
                key: it.key.as_str().to_owned(),
                signature: it.signature.to_string(),
            }),
            cause: task.origin.cause.name().to_owned(),
            outcome: task.origin.outcome.name().to_owned(),
            tainted: task.origin.tainted,
            task: task.origin.task.as_ref().map(ToString::to_string),
            excerpt: task.excerpt.text().to_string(),
        }
    }

    fn read(self, scope: hardwon_core::scope::Scope) -> Result<JobTask> {
        let run = |name: &String| {
            RunId::parse(name).map_err(|_| damaged("a run has a name that cannot be"))
        };
        Ok(JobTask {
            method: rows::word(&self.method, JobMethod::from_name)?,
            origin: InquiryOrigin {
                scope,
                run: run(&self.run)?,
                other_runs: self.others.iter().map(run).collect::<Result<_>>()?,
                failure: self.trouble.map(|it| InquiryFailure {
                    key: FailureKey::new(it.key),
                    signature: CleanText::from_stored(it.signature),
                }),
                cause: rows::word(&self.cause, Cause::from_name)?,
                outcome: rows::word(&self.outcome, RunOutcome::from_name)?,
                tainted: self.tainted,
                task: self.task.map(CleanText::from_stored),
            },
            excerpt: Excerpt::from_stored(CleanText::from_stored(self.excerpt)),
        })
    }
}

/// The columns that [`job`] reads, from `job j JOIN scope s`.
const JOB: &str = "SELECT j.id, s.agent, s.project, j.print, j.state, j.ready, j.claims, j.lost, \
     j.attempts, j.why, j.created, j.task FROM job j JOIN scope s ON s.id = j.scope";

fn job(row: &Row<'_>, tenant: &TenantId) -> Result<Job> {
    let scope = rows::scope(tenant, &row.get::<_, String>(1)?, &row.get::<_, String>(2)?)?;
    let ready = || rows::time(row.get(5)?);
    let task: TaskRow = rows::from_json(&row.get::<_, String>(11)?)?;
    Ok(Job {
        id: JobId(row.get(0)?),
        task: task.read(scope)?,
        fingerprint: row.get(3)?,
        state: match row.get::<_, String>(4)?.as_str() {
            "waiting" => JobState::Waiting { due: ready()? },
            "running" => JobState::Running { until: ready()? },
            "done" => JobState::Done,
            "dead" => JobState::Dead,
            "seen" => JobState::Seen,
            other => return Err(damaged(format!("{other:?} is not a word of ours"))),
        },
        claims: row.get(6)?,
        lost_workers: row.get(7)?,
        attempts: row.get(8)?,
        why: row.get::<_, Option<String>>(9)?.map(CleanText::from_stored),
        created: rows::time(row.get(10)?)?,
    })
}

impl View<'_> {
    fn jobs_where(&self, tenant: &TenantId, rest: &str, params: impl Params) -> Result<Vec<Job>> {
        let mut select = self.conn().prepare_cached(&format!("{JOB} WHERE {rest}"))?;
        let mut found = select.query(params)?;
        let mut jobs = Vec::new();
        while let Some(row) = found.next()? {
            jobs.push(job(row, tenant)?);
        }
        Ok(jobs)
    }

    pub(super) fn one_job(&self, name: &TenantId, id: JobId) -> Result<Option<Job>> {
        let Some(row) = self.tenant(name)? else {
            return Ok(None);
        };
        let rest = "j.tenant = ?1 AND j.id = ?2";
        Ok(self.jobs_where(name, rest, params![row.id, id.0])?.pop())
    }

    pub(super) fn job_by_key(&self, name: &TenantId, key: &str) -> Result<Option<Job>> {
        let Some(row) = self.tenant(name)? else {
            return Ok(None);
        };
        let rest = "j.tenant = ?1 AND j.key = ?2";
        Ok(self.jobs_where(name, rest, params![row.id, key])?.pop())
    }

    pub(super) fn job_page(&self, name: &TenantId, listing: &JobListing) -> Result<Vec<Job>> {
        let Some(row) = self.tenant(name)? else {
            return Ok(Vec::new());
        };
        let rest =
            "j.tenant = ?1 AND j.id < ?2 AND (j.state = ?3 OR ?3 IS NULL AND j.state <> 'seen')
                    ORDER BY j.id DESC LIMIT ?4";
        let before = listing.before.map_or(i64::MAX, |it| it.0);
        let most = rows::page(listing.limit.min(limits::PAGE_ROWS));
        self.jobs_where(name, rest, params![row.id, before, listing.state, most])
    }

    pub(super) fn ready_job(&self, name: &TenantId, now: Timestamp) -> Result<Option<Job>> {
        let Some(row) = self.tenant(name)? else {
            return Ok(None);
        };
        let mut first: Option<Job> = None;
        for state in ["waiting", "running"] {
            let rest = "j.tenant = ?1 AND j.state = ?2 AND j.ready <= ?3
                        ORDER BY j.ready, j.id LIMIT 1";
            let found =
                self.jobs_where(name, rest, params![row.id, state, now.as_millisecond()])?;
            first = first.into_iter().chain(found).min_by_key(keep::by_turn);
        }
        Ok(first)
    }

    pub(super) fn job_counts(&self, name: &TenantId, now: Timestamp) -> Result<Queue> {
        let mut queue = Queue::default();
        let Some(row) = self.tenant(name)? else {
            return Ok(queue);
        };
        let mut select = self.conn().prepare_cached(
            "SELECT state, count(*), sum(ready > ?2), min(ready) FROM job WHERE tenant = ?1
             GROUP BY state",
        )?;
        let mut found = select.query(params![row.id, now.as_millisecond()])?;
        while let Some(row) = found.next()? {
            let count = rows::natural(row.get(1)?)?;
            match row.get::<_, String>(0)?.as_str() {
                "waiting" => {
                    queue.waiting = count;
                    queue.due = Some(rows::time(row.get(3)?)?);
                }
                "running" => {
                    queue.running = count;
                    queue.held = rows::natural(row.get(2)?)?;
                }
                "done" => queue.done = count,
                "seen" => queue.seen = count,
                _ => queue.dead = count,
            }
        }
        Ok(queue)
    }

    pub(super) fn spent_on(&self, name: &TenantId, day: i64) -> Result<ModelCost> {
        let Some(row) = self.tenant(name)? else {
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
            calls: rows::natural(calls)?,
            tokens: rows::natural(tokens)?,
            micros: rows::natural(micros)?,
        })
    }
}

/// Adds a job under the next number.
pub(super) fn add(
    conn: &Connection,
    name: &TenantId,
    task: &JobTask,
    now: Timestamp,
    state: JobState,
) -> Result<JobId> {
    let tenant = write::tenant(conn, name)?.id;
    let id: i64 = conn
        .prepare_cached(
            "UPDATE tenant SET next_job = next_job + 1 WHERE id = ?1 RETURNING next_job - 1",
        )?
        .query_row([tenant], |row| row.get(0))?;
    let job = Job::new(JobId(id), task.clone(), now, state);
    put(conn, tenant, &job)?;
    forget_oldest(conn, tenant, job.state)?;
    Ok(job.id)
}

/// Brings a job that is there up to date; false if it is not.
pub(super) fn keep_job(conn: &Connection, name: &TenantId, job: &Job) -> Result<bool> {
    let tenant = write::tenant(conn, name)?.id;
    if View::of(conn).one_job(name, job.id)?.is_none() {
        return Ok(false);
    }
    put(conn, tenant, job)?;
    forget_oldest(conn, tenant, job.state)?;
    Ok(true)
}

fn put(conn: &Connection, tenant: i64, job: &Job) -> Result<()> {
    let scope = write::scope(conn, tenant, &job.task.origin.scope)?;
    let ready = match job.state {
        JobState::Waiting { due: at } | JobState::Running { until: at } => at.as_millisecond(),
        JobState::Done | JobState::Dead | JobState::Seen => 0,
    };
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
        ready,
        job.claims,
        job.lost_workers,
        job.attempts,
        job.why.as_ref().map(CleanText::as_str),
        job.created.as_millisecond(),
        rows::to_json(&TaskRow::of(&job.task))?,
    ])?;
    Ok(())
}

fn forget_oldest(conn: &Connection, tenant: i64, state: JobState) -> Result<()> {
    if let Some(most) = keep::most_jobs(state) {
        conn.prepare_cached(
            "DELETE FROM job WHERE tenant = ?1 AND state = ?2
             AND (SELECT count(*) FROM job WHERE tenant = ?1 AND state = ?2) > ?3
             AND id = (SELECT min(id) FROM job WHERE tenant = ?1 AND state = ?2)",
        )?
        .execute(params![tenant, state.name(), rows::page(most)])?;
    }
    Ok(())
}

/// Forgets a job; false if it is not there.
pub(super) fn forget(conn: &Connection, name: &TenantId, id: JobId) -> Result<bool> {
    let tenant = write::tenant(conn, name)?.id;
    let gone = conn
        .prepare_cached("DELETE FROM job WHERE tenant = ?1 AND id = ?2")?
        .execute([tenant, id.0])?;
    Ok(gone > 0)
}

/// Says what a day has cost.
pub(super) fn set_spent(
    conn: &Connection,
    name: &TenantId,
    day: i64,
    spent: ModelCost,
) -> Result<()> {
    let tenant = write::tenant(conn, name)?.id;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO spent (tenant, day, calls, tokens, micros)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        tenant,
        day,
        rows::integer(spent.calls),
        rows::integer(spent.tokens),
        rows::integer(spent.micros),
    ])?;
    conn.prepare_cached("DELETE FROM spent WHERE tenant = ?1 AND day <= ?2 - ?3")?
        .execute(params![tenant, day, rows::page(limits::MODEL_COST_DAYS)])?;
    Ok(())
}
