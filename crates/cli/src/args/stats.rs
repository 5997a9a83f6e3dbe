//! What can be typed about what is in the store.

use clap::Args;

/// Print how many lessons there are and how often they were shown, helped or were wrong.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
