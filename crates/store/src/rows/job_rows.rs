//! A job of the queue: its columns, and its question as JSON text.

use hardwon_core::{
    Excerpt, InquiryFailure, InquiryOrigin, Job, JobId, JobMethod, JobState, JobTask,
};

use super::*;
use crate::JobCounts;

/// A job's question, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct TaskRow {
    method: JobMethod,
    run: RunId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trouble: Option<FailureRow>,
    cause: Cause,
    outcome: RunOutcome,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tainted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<CleanText>,
    #[serde(default, skip_serializing_if = "CleanText::is_blank")]
    excerpt: CleanText,
}

/// The failure that a job asks about.
#[derive(Debug, Serialize, Deserialize)]
struct FailureRow {
    key: FailureKey,
    signature: CleanText,
}

impl TaskRow {
    /// Returns the row of a job's task.
    pub fn from_task(task: &JobTask) -> Self {
        Self {
            method: task.method,
            run: task.origin.run.clone(),
            others: task.origin.other_runs.clone(),
            trouble: task.origin.failure.as_ref().map(|failure| FailureRow {
                key: failure.key.clone(),
                signature: failure.signature.clone(),
            }),
            cause: task.origin.cause,
            outcome: task.origin.outcome,
            tainted: task.origin.tainted,
            task: task.origin.task.clone(),
            excerpt: task.excerpt.text().clone(),
        }
    }

    fn into_task(self, scope: Scope) -> JobTask {
        JobTask {
            method: self.method,
            origin: InquiryOrigin {
                scope,
                run: self.run,
                other_runs: self.others,
                failure: self.trouble.map(|trouble| InquiryFailure {
                    key: trouble.key,
                    signature: trouble.signature,
                }),
                cause: self.cause,
                outcome: self.outcome,
                tainted: self.tainted,
                task: self.task,
            },
            excerpt: Excerpt::from_stored(self.excerpt),
        }
    }
}

/// Reads a job's number, agent, project, print, state, ready, claims, lost, attempts, why, created and task.
pub fn read_job(row: &mut dyn ReadColumns, tenant: &TenantId) -> Result<Job> {
    let id = JobId(row.next_integer()?);
    let scope = parse_scope(tenant, row.next_string()?, row.next_string()?)?;
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
        task: task.into_task(scope),
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
