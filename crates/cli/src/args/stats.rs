//! What can be typed about what is in the store.

use clap::{Args, Subcommand};

use super::at_least_one;

/// Print what is in the store.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct StatsArgs {
    /// What to measure instead.
    #[command(subcommand)]
    pub command: Option<StatsCommand>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum StatsCommand {
    /// Measure how well your lessons are found, by words and with the embedding that is set.
    Recall(StatsRecallArgs),
}

/// Measure how well your lessons are found, by words and with the embedding that is set.
///
/// A lesson that tells of the trouble it came from (situation, mistake) is stripped of that account,
/// and then asked for by it. See docs/semantic.md.
#[derive(Debug, Args)]
pub struct StatsRecallArgs {
    /// How many lessons at most, the newest first; each is one question to the embedding.
    #[arg(long, short = 'n', default_value = "100", value_name = "COUNT", value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
