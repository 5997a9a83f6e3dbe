//! What can be typed about the questions that wait for a model.

use clap::{Args, Subcommand};
use hardwon_core::writ::QueueOrder;

use super::parse_positive;

/// List and run the jobs that are queued for a model.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// List the jobs, the newest first, and what was spent today.
    List(QueueListArgs),
    /// Retry jobs now: one by its number, or with `--all` every waiting or dead job.
    Retry(QueuePickArgs),
    /// Delete jobs: one by its number, or with `--all` every dead job.
    Purge(QueuePickArgs),
    /// Run the jobs that are due: ask the model, learn from its answers; embed new lessons.
    Drain(QueueDrainArgs),
}

impl From<QueueOrder> for QueueCommand {
    /// Returns the command that a `/reflect` line stands for, with its defaults.
    fn from(order: QueueOrder) -> Self {
        let list = |state: Option<&str>| QueueListArgs {
            state: state.map(str::to_owned),
            limit: 20,
            json: false,
        };
        let pick = |job| QueuePickArgs {
            job: Some(job),
            all: false,
            json: false,
        };
        match order {
            QueueOrder::List => Self::List(list(None)),
            QueueOrder::Failed => Self::List(list(Some("dead"))),
            QueueOrder::Retry(job) => Self::Retry(pick(job)),
            QueueOrder::Purge(job) => Self::Purge(pick(job)),
            QueueOrder::Drain => Self::Drain(QueueDrainArgs {
                now: false,
                limit: 100,
                json: false,
            }),
        }
    }
}

/// List the jobs, the newest first, and what was spent today.
#[derive(Debug, Args)]
pub struct QueueListArgs {
    /// Only jobs in this state.
    #[arg(long, value_parser = hardwon_core::queue::JobState::NAMES)]
    pub state: Option<String>,
    /// List at most this many jobs.
    #[arg(long, short = 'n', default_value = "20", value_name = "COUNT", value_parser = parse_positive)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Pick jobs.
#[derive(Debug, Args)]
pub struct QueuePickArgs {
    /// The number of one job.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub job: Option<i64>,
    /// All jobs in these states instead of one.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Run the jobs that are due: ask the model, learn from its answers; embed new lessons.
#[derive(Debug, Args)]
pub struct QueueDrainArgs {
    /// Also run jobs that are not due yet.
    #[arg(long)]
    pub now: bool,
    /// Run at most this many jobs.
    #[arg(long, short = 'n', default_value = "100", value_name = "COUNT", value_parser = parse_positive)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
