//! Adds questions to the queue: about what no lesson covers and no model was asked yet.

use std::collections::BTreeSet;

use hardwon_core::{
    CapturedEpisodes, FailureKey, Inquiry, JobState, Scope, TenantId, Trace, change::is_expired,
    distil, limits,
};
use hardwon_store::{Read, Write};
use jiff::{SignedDuration, Timestamp};

use crate::Policy;

/// Returns the questions for a model about a run that the rules have read.
pub(crate) fn plan_inquiries(
    trace: &Trace,
    gated: &CapturedEpisodes,
    policy: &Policy,
) -> Vec<Inquiry> {
    policy.inquiries.map_or_else(Vec::new, |asking| {
        distil::plan_inquiries(
            trace,
            gated,
            &policy.capture,
            asking.triggers,
            asking.method,
        )
    })
}

/// Adds questions to the queue, unless a lesson covers them, they are there, or the queue is full. `learned` are failures
/// about which the same run had rules learn something, whatever the key of the lesson is. Returns whether any
/// question now waits that did not, or has a newer excerpt.
pub(crate) fn enqueue_inquiries(
    tx: &mut dyn Write,
    inquiries: &[Inquiry],
    learned: &BTreeSet<&FailureKey>,
    policy: &Policy,
    now: Timestamp,
) -> hardwon_store::Result<bool> {
    let quiet = policy
        .inquiries
        .map_or(SignedDuration::ZERO, |inquiry| inquiry.quiet_period);
    let due = now.checked_add(quiet).unwrap_or(Timestamp::MAX);
    let mut waits = false;
    for inquiry in inquiries {
        if is_covered(tx, inquiry, learned, now)? {
            cancel_inquiry(tx, inquiry)?;
        } else {
            waits |= enqueue_inquiry(tx, inquiry, now, due)?;
        }
    }
    Ok(waits)
}

/// Returns whether lessons cover all the failures that a question is about.
fn is_covered(
    tx: &dyn Write,
    inquiry: &Inquiry,
    learned: &BTreeSet<&FailureKey>,
    now: Timestamp,
) -> hardwon_store::Result<bool> {
    let scope = &inquiry.task.origin.scope;
    for keys in &inquiry.unless_known {
        let mut is_known = keys.iter().any(|key| learned.contains(key));
        for key in keys {
            is_known = is_known || knows_failure(tx.reader(), scope, key, now)?;
        }
        if !is_known {
            return Ok(false);
        }
    }
    Ok(!inquiry.unless_known.is_empty())
}

/// Returns whether there is a lesson about a failure, whatever became of it. One that expired is learned again.
pub(crate) fn knows_failure(
    reader: &dyn Read,
    scope: &Scope,
    failure: &FailureKey,
    now: Timestamp,
) -> hardwon_store::Result<bool> {
    let mut about = reader.lessons_for_failure(scope, failure)?.into_iter();
    Ok(about.any(|lesson| !is_expired(&lesson, now)))
}

/// Deletes a question that no longer needs an answer, if no worker has it.
fn cancel_inquiry(tx: &mut dyn Write, inquiry: &Inquiry) -> hardwon_store::Result<()> {
    let task = &inquiry.task;
    let job = tx
        .reader()
        .job_with_key(&task.origin.scope.tenant, &task.key())?;
    if let Some(job) =
        job.filter(|job| matches!(job.state, JobState::Waiting { .. } | JobState::Seen))
    {
        tx.delete_job(job.id)?;
    }
    Ok(())
}

/// Adds a question to the queue, or its excerpt to the one that is there; returns whether it waits now.
fn enqueue_inquiry(
    tx: &mut dyn Write,
    inquiry: &Inquiry,
    now: Timestamp,
    due: Timestamp,
) -> hardwon_store::Result<bool> {
    let tenant: &TenantId = &inquiry.task.origin.scope.tenant;
    let waits = |state: JobState| matches!(state, JobState::Waiting { .. });
    if let Some(job) = tx.reader().job_with_key(tenant, &inquiry.task.key())? {
        return match job.apply_inquiry(inquiry.clone(), due) {
            Some(job) => tx.update_job(&job).map(|()| waits(job.state)),
            None => Ok(false),
        };
    }
    let queue = tx.reader().count_jobs(tenant, now)?;
    if queue.waiting + queue.running >= limits::QUEUE_WAITING as u64 {
        return Ok(false);
    }
    let state = JobState::from_inquiry(inquiry, due);
    tx.add_job(&inquiry.task, now, state).map(|_| waits(state))
}
