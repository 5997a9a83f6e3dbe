//! What can be typed about the night.

use clap::{Args, ValueEnum};

/// Do the work of a night: backup, sweep, audit of general memories, placements; or set up what starts it.
#[derive(Debug, Args)]
pub struct NightArgs {
    /// Print what starts it every night: units for systemd, a list for launchd, a line for cron, or a command for the Task
    /// Scheduler of Windows.
    #[arg(long, value_name = "KIND")]
    pub schedule: Option<ScheduleKind>,
    /// Write what `--schedule` prints where it belongs, and say how to switch it on.
    #[arg(long, requires = "schedule")]
    pub install: bool,
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
