//! A job of the queue: its columns, and its question as JSON text.

use hardwon_core::{
    distil::{InquiryFailure, InquiryOrigin, excerpt::Excerpt},
    queue::{Job, JobId, JobMethod, JobState, JobTask},
};

use super::*;
use crate::JobCounts;

/// A job's question, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct TaskRow {
    method: String,
    run: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trouble: Option<FailureRow>,
    cause: String,
    outcome: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tainted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    excerpt: String,
}

/// The failure that a job asks about.
#[derive(Debug, Serialize, Deserialize)]
struct FailureRow {
    key: String,
    signature: String,
}

impl TaskRow {
    /// Returns the row of a job's task.
    pub fn from_task(task: &JobTask) -> Self {
        Self {
            method: task.method.name().to_owned(),
            run: task.origin.run.to_string(),
            others: task
                .origin
                .other_runs
                .iter()
                .map(ToString::to_string)
                .collect(),
            trouble: task.origin.failure.as_ref().map(|failure| FailureRow {
                key: failure.key.as_str().to_owned(),
                signature: failure.signature.to_string(),
            }),
            cause: task.origin.cause.name().to_owned(),
            outcome: task.origin.outcome.name().to_owned(),
            tainted: task.origin.tainted,
            task: task.origin.task.as_ref().map(ToString::to_string),
            excerpt: task.excerpt.text().to_string(),
        }
    }

    fn into_task(self, scope: Scope) -> Result<JobTask> {
        let run = |name: &String| {
            RunId::parse(name).map_err(|_| damaged_error("a run has a name that cannot be"))
        };
        Ok(JobTask {
            method: parse_word(&self.method, JobMethod::from_name)?,
            origin: InquiryOrigin {
                scope,
                run: run(&self.run)?,
                other_runs: self.others.iter().map(run).collect::<Result<_>>()?,
                failure: self.trouble.map(|trouble| InquiryFailure {
                    key: FailureKey::new(trouble.key),
                    signature: CleanText::from_stored(trouble.signature),
                }),
                cause: parse_word(&self.cause, Cause::from_name)?,
                outcome: parse_word(&self.outcome, RunOutcome::from_name)?,
                tainted: self.tainted,
                task: self.task.map(CleanText::from_stored),
            },
            excerpt: Excerpt::from_stored(CleanText::from_stored(self.excerpt)),
        })
    }
}

/// Reads a job's number, agent, project, print, state, ready, claims, lost, attempts, why, created and task.
pub fn read_job(row: &mut dyn ReadColumns, tenant: &TenantId) -> Result<Job> {
    let id = JobId(row.next_integer()?);
    let scope = parse_scope(tenant, &row.next_string()?, &row.next_string()?)?;
    let fingerprint = row.next_string()?;
    let (name, ready) = (row.next_string()?, row.next_integer()?);
    let state = match name.as_str() {
        "waiting" => JobState::Waiting {
            due: parse_time(ready)?,
        },
        "running" => JobState::Running {
            until: parse_time(ready)?,
        },
        "done" => JobState::Done,
        "dead" => JobState::Dead,
        "seen" => JobState::Seen,
        other => return Err(damaged_error(format!("{other:?} is not a word of ours"))),
    };
    let (claims, lost_workers) = (row.next_small_count()?, row.next_small_count()?);
    let attempts = row.next_small_count()?;
    let (why, created) = (row.next_optional_text()?, row.next_time()?);
    let task: TaskRow = from_json(&row.next_string()?)?;
    Ok(Job {
        id,
        task: task.into_task(scope)?,
        fingerprint,
        state,
        claims,
        lost_workers,
        attempts,
        why,
        created,
    })
}

/// Returns when a job may be claimed, as it is stored; 0 if never.
pub fn ready_column(state: JobState) -> i64 {
    match state {
        JobState::Waiting { due: at } | JobState::Running { until: at } => at.as_millisecond(),
        JobState::Done | JobState::Dead | JobState::Seen => 0,
    }
}

/// Adds the count of jobs in a state: how many there are, how many are not ready, and when the first is.
pub fn add_job_count(queue: &mut JobCounts, state: &str, count: u64, later: u64, first: Timestamp) {
    match state {
        "waiting" => {
            queue.waiting = count;
            queue.next_due = Some(first);
        }
        "running" => {
            queue.running = count;
            queue.claimed = later;
        }
        "done" => queue.done = count,
        "seen" => queue.seen = count,
        _ => queue.dead = count,
    }
}
