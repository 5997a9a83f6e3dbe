//! What can be typed about single lessons, and about those that wait for a person.

use clap::{Args, Subcommand, ValueEnum};

use super::at_least_one;

/// Write, read and curate lessons.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum LessonCommand {
    /// Record a lesson.
    Add(AddArgs),
    /// List lessons, those shown last first.
    List(ListArgs),
    /// Find the lessons that hold these words.
    Search(SearchArgs),
    /// Print one lesson whole.
    Show(ShowArgs),
    /// Change a lesson's words; without options, opens `$EDITOR`.
    Edit(EditArgs),
    /// Take lessons out of use; `lesson restore` brings them back.
    Delete(DeleteArgs),
    /// Bring lessons back that were deleted, archived or replaced.
    Restore(DeleteArgs),
    /// Erase lessons for good; the journal keeps only that they were there.
    Erase(EraseArgs),
    /// Let lessons that wait for review be recalled.
    Approve(ApproveArgs),
    /// Archive lessons that wait for review.
    Reject(RejectArgs),
    /// Put one lesson in another's place.
    Supersede(SupersedeArgs),
    /// Say where lessons belong: in the project of `--project`, or with `--everywhere` in all.
    Move(MoveArgs),
    /// Tell what became of a lesson: which it replaced, which replaced it, and every change.
    History(HistoryArgs),
    /// Say what the guard makes of a text.
    Check(CheckArgs),
}

/// Record a lesson.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// What calls for it, such as `npm test`; with only one argument, that is the text.
    pub signature: Option<String>,
    /// What to do or avoid; read from stdin when absent.
    pub text: Option<String>,
    /// A topic; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// A tool it is about; may be given several times.
    #[arg(long = "tool", value_name = "NAME")]
    pub tools: Vec<String>,
    /// When it applies.
    #[arg(long)]
    pub situation: Option<String>,
    /// A lesson whose place it takes; may be given several times.
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// Read `{"ref","signature","text","tags"}` lines on stdin, and answer each with
    /// `{"id","ref"}` once the lesson is on disk.
    #[arg(long, conflicts_with_all = ["signature", "text", "tags", "tools", "situation", "supersedes"])]
    pub jsonl: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Store it although the guard would hold it; for scripts.
    #[arg(long)]
    pub yes: bool,
}

/// List lessons, those shown last first.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print at most this many.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least_one)]
    pub limit: usize,
    /// Only those in this state.
    #[arg(long, value_enum, value_name = "STATE")]
    pub status: Option<StatusName>,
    /// Those of all projects.
    #[arg(long, conflicts_with_all = ["project", "everywhere"])]
    pub all_projects: bool,
}

/// A lesson's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatusName {
    /// May be recalled.
    Active,
    /// Waits for a person.
    Pending,
    /// Taken out because it probably harms.
    Quarantined,
    /// Replaced by a better one.
    Superseded,
    /// Left the active set.
    Archived,
}

/// Find the lessons that hold these words.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The words.
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print at most this many.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    pub limit: usize,
}

/// Print one lesson whole.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Its number, as in `14` or `#14`.
    pub id: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Change a lesson's words; without options, opens `$EDITOR`.
#[derive(Debug, Args)]
pub struct EditArgs {
    /// Its number, as in `14` or `#14`.
    pub id: String,
    /// What calls for it.
    #[arg(long)]
    pub signature: Option<String>,
    /// What to do or avoid.
    #[arg(long)]
    pub text: Option<String>,
    /// A topic; replaces the tags it has; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Store it although the guard would hold it; for scripts.
    #[arg(long)]
    pub yes: bool,
}

/// Lessons by their numbers.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Their numbers, as in `14` or `#14`.
    #[arg(required = true)]
    pub ids: Vec<String>,
}

/// Erase lessons for good; the journal keeps only that they were there.
///
/// There is no way back. Nothing of their words is left in the database; backups of it that lie
/// beside it are named, and files that `export` or `sync` wrote are yours to delete.
#[derive(Debug, Args)]
pub struct EraseArgs {
    /// Their numbers, as in `14` or `#14`.
    #[arg(required = true)]
    pub ids: Vec<String>,
}

/// Let lessons that wait for review be recalled.
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// Their numbers, as in `14` or `#14`.
    #[arg(required_unless_present = "all")]
    pub ids: Vec<String>,
    /// All that wait for review here: they are shown first, and you are asked.
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// With `--all`: do not ask.
    #[arg(long, short, requires = "all")]
    pub yes: bool,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}

/// Archive lessons that wait for review.
#[derive(Debug, Args)]
pub struct RejectArgs {
    /// Their numbers.
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    pub why: String,
}

/// Put one lesson in another's place.
///
/// The old one is recalled no more and stays on record.
#[derive(Debug, Args)]
pub struct SupersedeArgs {
    /// The number of the lesson that steps back.
    pub old: String,
    /// The number of the lesson that takes its place.
    pub new: String,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}

/// Say where lessons belong: in the project of `--project`, or with `--everywhere` in all.
///
/// `--project` takes a name or a folder; without one it means the project of the current folder.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Their numbers.
    #[arg(required = true)]
    pub ids: Vec<String>,
}

/// Tell what became of a lesson: which it replaced, which replaced it, and every change.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Its number, as in `14` or `#14`; also of one that was deleted.
    pub id: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Look at the lessons that wait for a person, and decide.
///
/// Without a command, lists them with the reasons, of all projects unless one is named with
/// `--project`.
#[derive(Debug, Args)]
pub struct ReviewQueueArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<ReviewCommand>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What to do about lessons that wait.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ReviewCommand {
    /// Print one whole, with the reasons, and how it differs from those like it.
    Show(ShowArgs),
    /// Let lessons that wait for review be recalled.
    Approve(ApproveArgs),
    /// Archive lessons that wait for review.
    Reject(RejectArgs),
    /// Change the words of one; it goes on waiting.
    Edit(EditArgs),
}

/// Say what the guard makes of a text.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The text; read from stdin when absent.
    pub text: Option<String>,
    /// Read `{"id","text"}` lines and answer each with one.
    #[arg(long, conflicts_with = "text")]
    pub jsonl: bool,
}
