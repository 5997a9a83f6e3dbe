//! What can be typed about what is in the store.

use clap::{Args, Subcommand};

use super::parse_positive;

/// Print how many lessons there are and how often they were shown, helped or were wrong.
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
#[command(defer = true)]
pub enum StatsCommand {
    /// Measure how well search finds your lessons, by words and with the configured embedding.
    Recall(StatsRecallArgs),
}

/// Measure how well search finds your lessons, by words and with the configured embedding.
///
/// A lesson that describes the failure it came from (situation, mistake) is stripped of that text, and
/// then searched for by it. See docs/semantic.md.
#[derive(Debug, Args)]
pub struct StatsRecallArgs {
    /// Test at most this many lessons, the newest first; each costs an embedding call.
    #[arg(long, short = 'n', default_value = "100", value_name = "COUNT", value_parser = parse_positive)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
