//! What can be typed about playing recorded sessions again.

use std::path::PathBuf;

use clap::Args;

use super::parse_positive;

/// Replay recorded sessions, and report which repeat failures a lesson would have covered.
///
/// The sessions are replayed in chronological order, as the hooks would have seen them, each with
/// the lessons of the ones before. Nothing is stored; your own lessons are not read or changed.
/// docs/replay.md says what is counted.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Files and folders of transcripts [default: where the agents on this machine keep theirs].
    pub paths: Vec<PathBuf>,
    /// Replay at most this many files, the newest ones.
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub limit: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
