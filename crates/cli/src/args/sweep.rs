//! What can be typed about sweeps.

use std::path::PathBuf;

use clap::Args;

/// Consolidate lessons: show what would be merged, replaced, held and deleted; apply it, undo it.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Carry out the plan that was shown last, or the one in this file or on stdin (`-`), if the lessons are still those it
    /// was made from.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["undo", "list", "unattended", "rules"])]
    pub apply: Option<Option<PathBuf>>,
    /// Take back the sweep with this id.
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "unattended", "rules"])]
    pub undo: Option<String>,
    /// List the sweeps that can be taken back, the newest first.
    #[arg(long, conflicts_with_all = ["unattended", "rules"])]
    pub list: bool,
    /// Ask no model, even if one is configured: nothing is merged by meaning.
    #[arg(long)]
    pub rules: bool,
    /// Run as a timer does: only if it is due, and as far as the setting `autonomy` allows.
    #[arg(long)]
    pub unattended: bool,
    /// Print JSON: the plan, which `--apply -` reads, or what became of it.
    #[arg(long)]
    pub json: bool,
}
