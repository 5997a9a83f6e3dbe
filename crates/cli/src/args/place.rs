//! What can be typed about placing lessons.

use std::path::PathBuf;

use clap::Args;

/// Put a project's proven lessons into its AGENTS.md: show it, apply it, undo it.
///
/// With --audit it looks at what is read in every project instead (`~/.claude/CLAUDE.md`, `~/.codex/AGENTS.md`,
/// `~/.gemini/GEMINI.md`, the memories of clients, and lessons that hold everywhere) for what is about one project only.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Say of each entry of the general memories where it belongs: keep, condense, or relocate to a project.
    #[arg(long, conflicts_with_all = ["undo", "check", "unattended", "create"])]
    pub audit: bool,
    /// Carry out the plan that was shown last, or the one in this file or on stdin (`-`), if the lessons and files are still
    /// those it was made from.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["undo", "check", "unattended", "create"])]
    pub apply: Option<Option<PathBuf>>,
    /// Take back the plan with this id.
    #[arg(long, value_name = "ID", conflicts_with_all = ["check", "unattended", "create"])]
    pub undo: Option<String>,
    /// List the plans that were applied on this machine, and what `--undo` would do to each; changes nothing.
    #[arg(long, conflicts_with_all = ["audit", "apply", "undo", "check", "unattended", "create"])]
    pub list: bool,
    /// Only say whether the block is up to date and as it was written; needs no database.
    #[arg(long, conflicts_with_all = ["unattended", "create"])]
    pub check: bool,
    /// Make the file if it is not there.
    #[arg(long)]
    pub create: bool,
    /// Run as a timer does: as far as the setting `autonomy` allows.
    #[arg(long)]
    pub unattended: bool,
    /// Print JSON: the plan, which `--apply -` reads, or what became of it.
    #[arg(long)]
    pub json: bool,
}
