//! What can be typed about the questions that wait for a model.

use clap::{Args, Subcommand};
use hardwon_core::QueueOrder;

use super::parse_positive;

/// List and run the jobs that are queued for a model.
///
/// With a model configured (`hardwon config set model …`), what went wrong in a run is put into a
/// queue, and the model is asked about it later, within a budget. See docs/model.md. With an
/// embedding configured, lessons without a vector wait too. See docs/meaning.md.
#[derive(Debug, Args)]
pub struct QueueArgs {
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// What is done.
    #[command(subcommand)]
    pub command: QueueCommand,
}

/// What is done with queued jobs.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// List the jobs, the newest first, and what was spent today.
    List {
        /// Only jobs in this state.
        #[arg(long, value_parser = hardwon_core::queue::JobState::NAMES)]
        state: Option<String>,
        /// List at most this many jobs.
        #[arg(long, short = 'n', default_value = "20", value_name = "COUNT", value_parser = parse_positive)]
        limit: usize,
    },
    /// Retry jobs now: one by its number, or with `--all` every waiting or dead job.
    Retry(QueuePickArgs),
    /// Delete jobs: one by its number, or with `--all` every dead job.
    Purge(QueuePickArgs),
    /// Run the jobs that are due: ask the model, learn from its answers; embed new lessons.
    Drain {
        /// Also run jobs that are not due yet.
        #[arg(long)]
        now: bool,
        /// Run at most this many jobs.
        #[arg(long, short = 'n', default_value = "100", value_name = "COUNT", value_parser = parse_positive)]
        limit: usize,
    },
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
}

impl From<QueueOrder> for QueueCommand {
    /// Returns the command that a `/reflect` line stands for, with its defaults.
    fn from(order: QueueOrder) -> Self {
        let list = |state: Option<&str>| Self::List {
            state: state.map(str::to_owned),
            limit: 20,
        };
        let pick = |job| QueuePickArgs {
            job: Some(job),
            all: false,
        };
        match order {
            QueueOrder::List => list(None),
            QueueOrder::Failed => list(Some("dead")),
            QueueOrder::Retry(job) => Self::Retry(pick(job)),
            QueueOrder::Purge(job) => Self::Purge(pick(job)),
            QueueOrder::Drain => Self::Drain {
                now: false,
                limit: 100,
            },
        }
    }
}
