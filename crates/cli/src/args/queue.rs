//! What can be typed about the questions that wait for a model.

use clap::{Args, Subcommand};

use super::at_least_one;

/// See and work off the questions that wait for a model.
///
/// With a model set (`hardwon config set model …`), what went wrong in a run is put into a queue,
/// and the model is asked about it later, within a budget. See docs/model.md. Where an embedding is
/// set, lessons without a vector wait as well. See docs/semantic.md.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// List the jobs, the newest first, and what was spent today.
    List(QueueListArgs),
    /// Have jobs tried again now: one by its number, or all that wait or were given up.
    Retry(QueuePickArgs),
    /// Forget jobs: one by its number, or all that were given up.
    Purge(QueuePickArgs),
    /// Ask the model what is due, and learn from its answers; embed what has no vector.
    Drain(QueueDrainArgs),
}

/// List the jobs, the newest first, and what was spent today.
#[derive(Debug, Args)]
pub struct QueueListArgs {
    /// Only jobs in this state.
    #[arg(long, value_parser = hardwon_core::queue::State::NAMES)]
    pub state: Option<String>,
    /// How many at most.
    #[arg(long, short = 'n', default_value = "20", value_name = "COUNT", value_parser = at_least_one)]
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
    /// All of them.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Ask the model what is due, and learn from its answers; embed what has no vector.
#[derive(Debug, Args)]
pub struct QueueDrainArgs {
    /// Also what is not due yet.
    #[arg(long)]
    pub now: bool,
    /// How many jobs at most.
    #[arg(long, short = 'n', default_value = "100", value_name = "COUNT", value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
