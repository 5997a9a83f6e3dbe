//! What can be typed to the review gate.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_gates::review::IssueSize;

/// Have a fresh engine review a branch before it is delivered.
///
/// The engine (`--engine`, setting `review_command`) gets the whole diff, committed or not, the specification,
/// the text of the pull request and the lessons that fit. It works in a copy without remotes, may
/// edit there and run tests, and answers approved, fixed or blocked. Nothing is ever pushed. Exits
/// with 0 if the branch may be delivered, with 1 if it is blocked, with 2 if it could not be
/// looked at, with 3 if no review took place. docs/review.md says more.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ReviewArgs {
    /// What is asked about a review that took place.
    #[command(subcommand)]
    pub command: Option<FinalReviewCommand>,
    /// What is reviewed.
    #[command(flatten)]
    pub material: MaterialArgs,
    /// The command line of the engine: material on stdin, verdict on stdout.
    #[arg(long, value_name = "COMMAND")]
    pub engine: Option<String>,
    /// The tests: a command line that is run in the copy after the engine, and decides.
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
    /// How long the engine, and then the tests, may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub timeout: u32,
    /// Commit the fixes on the current branch, in one commit of their own.
    #[arg(long)]
    pub apply: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What is reviewed.
#[derive(Debug, Args)]
pub struct MaterialArgs {
    /// The branch that it goes to [default: origin/HEAD, main or master].
    #[arg(long, value_name = "BRANCH")]
    pub base: Option<String>,
    /// A file with the specification; may be given several times.
    #[arg(long = "spec", value_name = "FILE")]
    pub specs: Vec<PathBuf>,
    /// An issue that it resolves, asked for with `gh issue view`; may be given several times.
    #[arg(long = "issue", value_name = "NUMBER")]
    pub issues: Vec<u64>,
    /// The size of the one issue: XS, S, M, L or XL [default: that of its label].
    #[arg(long, value_parser = parse_size)]
    pub size: Option<IssueSize>,
    /// The proposed text of the pull request.
    #[arg(long, value_name = "FILE")]
    pub pr: Option<PathBuf>,
}

fn parse_size(text: &str) -> Result<IssueSize, &'static str> {
    IssueSize::parse(text).ok_or("it is one of XS, S, M, L, XL")
}

/// What is asked about a review that took place.
#[derive(Debug, Subcommand)]
pub enum FinalReviewCommand {
    /// Print the text of the pull request with the section *Final review fixes*.
    Body(BodyArgs),
    /// Check that what is here was approved: 0 if so, 1 if not, 3 if its review was skipped.
    Gate(GateArgs),
}

/// Print the text of the pull request with the section *Final review fixes*.
#[derive(Debug, Args)]
pub struct BodyArgs {
    /// The proposed text; `-` for stdin [default: none].
    #[arg(long, value_name = "FILE")]
    pub pr: Option<PathBuf>,
    /// The branch that it goes to [default: origin/HEAD, main or master].
    #[arg(long, value_name = "BRANCH")]
    pub base: Option<String>,
}

/// Check that what is here was approved.
#[derive(Debug, Args)]
pub struct GateArgs {
    /// The branch that it goes to [default: origin/HEAD, main or master].
    #[arg(long, value_name = "BRANCH")]
    pub base: Option<String>,
    /// Look at the latest commit, not at the work tree: for a pre-push hook.
    #[arg(long)]
    pub head: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
