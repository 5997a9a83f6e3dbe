//! What can be typed about sweeps.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Consolidate lessons: show what would be merged, replaced, held and archived; apply it, undo it.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Carry out the plan that was shown last, or the one in this file or on stdin (`-`), if the lessons are still those it
    /// was made from.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["undo", "list", "schedule", "unattended", "plan", "rules"])]
    pub apply: Option<Option<PathBuf>>,
    /// Take back the sweep with this id.
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "schedule", "unattended", "plan", "rules"])]
    pub undo: Option<String>,
    /// List the sweeps that can be taken back, the newest first.
    #[arg(long, conflicts_with_all = ["schedule", "unattended", "plan", "rules"])]
    pub list: bool,
    /// Write the plan to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Write the digest to this file: Markdown, or JSON if its name ends in `.json`.
    #[arg(long, value_name = "FILE")]
    pub digest: Option<PathBuf>,
    /// Ask no model, even if one is configured: nothing is merged by meaning.
    #[arg(long)]
    pub rules: bool,
    /// Run as a timer does: only if it is due, and as far as the setting `autonomy` allows.
    #[arg(long, conflicts_with = "schedule")]
    pub unattended: bool,
    /// Print what has the sweep run every night: units for systemd, a list for launchd, a line for cron, or a
    /// command for the Task Scheduler of Windows.
    #[arg(long, value_name = "KIND", conflicts_with_all = ["plan", "rules", "digest"])]
    pub schedule: Option<ScheduleKind>,
    /// Write what `--schedule` prints where it belongs, and say how to switch it on.
    #[arg(long, requires = "schedule")]
    pub install: bool,
    /// Print JSON: the plan, which `--apply -` reads, or what became of it.
    #[arg(long)]
    pub json: bool,
}

/// What starts programs at night.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScheduleKind {
    /// A timer of systemd, for this user.
    Systemd,
    /// An agent of launchd, on macOS.
    Launchd,
    /// A line of a crontab.
    Cron,
    /// A command that makes a task of the Task Scheduler, on Windows.
    Schtasks,
}
