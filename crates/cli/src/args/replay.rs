//! What can be typed about playing recorded sessions again.

use std::path::PathBuf;

use clap::Args;

use super::at_least_one;

/// Play recorded sessions again, and say which failures a lesson would have met.
///
/// The sessions are played in order of time, as the hooks would have met them, each with what the
/// ones before it taught. Nothing is stored, and your lessons are neither read nor changed.
/// docs/replay.md says what is counted.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Files and folders of transcripts [default: where the agents on this machine keep theirs].
    pub paths: Vec<PathBuf>,
    /// Play only the newest of them, so many files.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub limit: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
