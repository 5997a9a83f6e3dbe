//! Answers `/reflect` lines about the questions that wait for a model.
//!
//! They list, retry and delete within the rights of whoever wrote them. A model is not asked here: that takes longer
//! than whoever reads the answer can wait.

use hardwon_core::{Job, JobId, JobState, QueueOrder};

use super::{WritOutcome, WritReply, build_outcome};
use crate::{Desk, Error, JobSelection, ParsedWrit, Result};

/// Most questions in the answer to `/reflect list`.
const LISTED_JOBS: usize = 25;

/// The answer to `/reflect drain`.
const NOT_ASKED: &str = "a model is asked in the background, or by `hardwon queue drain`, and not while a writ is answered";

impl Desk<'_> {
    pub(super) fn answer_queue(&self, writ: &ParsedWrit, order: QueueOrder) -> Result<WritOutcome> {
        match order {
            QueueOrder::List => self.answer_jobs(writ, None),
            QueueOrder::Failed => self.answer_jobs(writ, Some("dead")),
            QueueOrder::Drain => Ok(build_outcome(writ, &WritReply::Failed(NOT_ASKED), None)),
            QueueOrder::Retry(job) => {
                let result = self.retry_jobs(&only_job(job));
                answer_change(writ, order, "will be retried", result)
            }
            QueueOrder::Purge(job) => {
                let result = self.purge_jobs(&only_job(job));
                answer_change(writ, order, "deleted", result)
            }
        }
    }

    fn answer_jobs(&self, writ: &ParsedWrit, state: Option<&'static str>) -> Result<WritOutcome> {
        let jobs = self.jobs(&JobSelection::default(), state, LISTED_JOBS)?;
        let lines: Vec<String> = jobs.iter().map(render_job).collect();
        Ok(build_outcome(writ, &WritReply::Jobs(&lines), None))
    }
}

fn only_job(job: i64) -> JobSelection<'static> {
    JobSelection {
        only_job: Some(JobId(job)),
        scope_filter: None,
    }
}

/// Answers an order that changes a question, with how many it changed.
fn answer_change(
    writ: &ParsedWrit,
    order: QueueOrder,
    what: &str,
    changed: Result<u64>,
) -> Result<WritOutcome> {
    let refusal = match changed {
        Ok(0) => "no job matches; /reflect list shows the jobs".to_owned(),
        Ok(_) => {
            return Ok(build_outcome(
                writ,
                &WritReply::Done(&format!("1 job {what}")),
                None,
            ));
        }
        Err(Error::Denied(refusal)) => {
            format!(
                "{refusal}; a person does it with `hardwon queue {}`",
                order.words()
            )
        }
        Err(error) => return Err(error),
    };
    Ok(build_outcome(writ, &WritReply::Failed(&refusal), None))
}

/// Renders a question on one line.
fn render_job(job: &Job) -> String {
    let origin = &job.task.origin;
    let due = match job.state {
        JobState::Waiting { due } => format!(" due {due}"),
        _ => String::new(),
    };
    let reason = job.why.as_ref().map(|why| format!(" ({why})"));
    let (cause, reason) = (origin.cause.name(), reason.unwrap_or_default());
    let line = format!(
        "{} {}{due} {cause}: {}{reason}",
        job.id,
        job.state.name(),
        origin.run
    );
    line.replace(char::is_control, " ")
}
