//! What can be typed to the leak gate.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Find secrets, home paths and private names before they are published.
///
/// Searches the files of this repository that git tracks or would add: for secrets, home folders of
/// people, the names of your account and machine, names that you keep private (setting `leak_names`)
/// and those of your other projects. Never prints what it found. Exits with 1 if there is something,
/// and with 2 if it could not look at everything. docs/leak.md says more.
#[derive(Debug, Args)]
pub struct LeakArgs {
    /// Only what is staged, as the index has it: for a pre-commit hook.
    #[arg(long, group = "source")]
    pub staged: bool,
    /// What the commits of a range add, also if a later one removes it, as in `main..HEAD`.
    #[arg(long, value_name = "A..B", group = "source")]
    pub range: Option<String>,
    /// What a push would publish; reads what git tells a pre-push hook on stdin.
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "", group = "source")]
    pub pre_push: Option<String>,
    /// All files below a folder, whether git tracks them or not.
    #[arg(long, value_name = "DIR", group = "source")]
    pub tree: Option<PathBuf>,
    /// A text on stdin.
    #[arg(long, group = "source")]
    pub stdin: bool,
    /// The form of the report.
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LeakFormat::Text)]
    pub format: LeakFormat,
    /// Write the report to this file, and print it as text.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also report what is most likely made up: values in tests, examples, documents and comments.
    #[arg(long)]
    pub strict: bool,
    /// Print JSON, as `--format json` does.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// The form of a report of leaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeakFormat {
    /// One finding after another, for people.
    Text,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0, for code hosts, editors and continuous integration.
    Sarif,
}
