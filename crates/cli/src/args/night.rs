//! What can be typed about the night.

use clap::ValueEnum;

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
