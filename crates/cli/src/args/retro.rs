//! What can be typed about reports.

use std::path::PathBuf;

use clap::Args;
use hardwon_clients::report::ReportKind;

/// Learn from a report.
#[derive(Debug, Args)]
pub struct RetroArgs {
    /// What the report is.
    #[arg(long, value_name = "KIND", value_parser = parse_report_kind)]
    pub from: ReportKind,
    /// The report; `-` for stdin.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// The task that it is about, where the report does not say it.
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// Show what would be learned, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

fn parse_report_kind(name: &str) -> Result<ReportKind, String> {
    let names = ReportKind::ALL.map(ReportKind::name).join(", ");
    ReportKind::from_name(name).ok_or_else(|| format!("it is one of {names}"))
}
