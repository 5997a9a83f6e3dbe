//! The questions that wait for a model, and what came of asking.
//!
//! What a model is shown of a run is not among it.

use hardwon_core::{Job, JobState, ModelCost};
use hardwon_engine::{DrainReport, DrainStop, EmbedReport};
use serde::Serialize;

use super::learn::NoteCounts;

/// A question about a run.
#[derive(Debug, Serialize)]
pub struct JobDto<'a> {
    /// Its number.
    pub job: i64,
    /// `waiting`, `running`, `done`, `dead` or `seen`.
    pub state: &'static str,
    /// The run that it is about.
    pub run: &'a str,
    /// What set it off, such as `error`.
    pub cause: &'static str,
    /// What is asked for: `lesson` or `judge`.
    pub method: &'static str,
    /// How often it was tried and failed.
    pub attempts: u32,
    /// When it is to be tried; absent unless it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// What went wrong last; absent if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
}

impl<'a> From<&'a Job> for JobDto<'a> {
    fn from(job: &'a Job) -> Self {
        Self {
            job: job.id.0,
            state: job.state.name(),
            run: job.task.origin.run.as_str(),
            cause: job.task.origin.cause.name(),
            method: job.task.method.name(),
            attempts: job.attempts,
            due: match job.state {
                JobState::Waiting { due } => Some(due.to_string()),
                JobState::Running { .. } | JobState::Done | JobState::Dead | JobState::Seen => None,
            },
            why: job.why.as_ref().map(|why| why.as_str()),
        }
    }
}

/// How many questions there are in each state, and what they cost today.
#[derive(Debug, Serialize)]
pub struct QueueDto {
    /// Questions to be asked.
    pub waiting: usize,
    /// Questions that are being asked.
    pub running: usize,
    /// Questions that were answered.
    pub done: usize,
    /// Questions that were given up.
    pub dead: usize,
    /// Questions about a failure of little cost, which wait for an answer once a second run meets it.
    pub seen: usize,
    /// Calls of models since midnight UTC.
    pub calls_today: u64,
    /// The tokens of these calls, in and out.
    pub tokens_today: u64,
}

impl QueueDto {
    /// Builds it from the numbers of jobs, in the order of [`JobState::NAMES`], and what was spent today.
    pub fn from_counts([waiting, running, done, dead, seen]: [usize; 5], spent: ModelCost) -> Self {
        Self {
            waiting,
            running,
            done,
            dead,
            seen,
            calls_today: spent.calls,
            tokens_today: spent.tokens,
        }
    }
}

/// How many jobs were retried or deleted.
#[derive(Debug, Serialize)]
pub struct JobCountDto {
    /// Their number.
    pub jobs: u64,
}

/// What came of asking.
#[derive(Debug, Serialize)]
pub struct DrainResultDto {
    /// Questions that were answered.
    pub done: usize,
    /// Questions that failed; they are asked again later, or given up.
    pub failed: usize,
    /// What became of the proposed lessons; its keys stand beside the others.
    #[serde(flatten)]
    pub noted: NoteCounts,
    /// Calls of the model.
    pub calls: u64,
    /// The tokens of these calls, in and out.
    pub tokens: u64,
    /// Why the rest was left for later; absent if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The lessons that were embedded along the way; absent if no embedding is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<EmbedResultDto>,
}

impl DrainResultDto {
    /// Builds it from what was asked, if a model is set, and embedded, if an embedding is.
    pub fn from_reports(drained: Option<&DrainReport>, filled: Option<&EmbedReport>) -> Self {
        let nothing = DrainReport::default();
        let drain_report = drained.unwrap_or(&nothing);
        Self {
            done: drain_report.done.len(),
            failed: drain_report.failed.len(),
            noted: drain_report
                .done
                .iter()
                .flat_map(|(_, noted)| noted)
                .collect(),
            calls: drain_report.cost.calls,
            tokens: drain_report.cost.tokens,
            stopped: drain_report.stop.as_ref().map(explain_stop),
            embedding: filled.map(EmbedResultDto::from),
        }
    }
}

/// Lessons that got a vector.
#[derive(Debug, Serialize)]
pub struct EmbedResultDto {
    /// How many.
    pub embedded: usize,
    /// Those of them of which the embedding knows no word.
    pub unknown: usize,
    /// Calls of the embedding.
    pub calls: u64,
    /// The tokens of these calls.
    pub tokens: u64,
    /// Why the rest was left for later; absent if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

impl From<&EmbedReport> for EmbedResultDto {
    fn from(filled: &EmbedReport) -> Self {
        Self {
            embedded: filled.embedded,
            unknown: filled.unknown,
            calls: filled.cost.calls,
            tokens: filled.cost.tokens,
            stopped: filled.stop.as_ref().map(ToString::to_string),
        }
    }
}

fn explain_stop(stop: &DrainStop) -> String {
    match stop {
        DrainStop::LimitReached => "the limit of --limit jobs was reached".to_owned(),
        DrainStop::OthersAtWork => {
            "other processes already make as many calls as `model_workers` allows".to_owned()
        }
        DrainStop::OverBudget => {
            "another call would exceed today's budget (setting `model_tokens_per_day`)".to_owned()
        }
        DrainStop::ModelFailed(error) => error.to_string(),
    }
}
