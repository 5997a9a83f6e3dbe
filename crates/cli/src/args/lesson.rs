//! What can be typed about single lessons, and about those that wait for a person.

use clap::{
    Args, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hardwon_core::Cause;
use hardwon_store::StatusName;
use jiff::Timestamp;

use super::{parse_named, parse_positive, verb::VerbCommand};

/// Write, read and curate lessons.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum LessonCommand {
    /// Record a lesson.
    Add(AddArgs),
    /// List lessons, those shown last first; with `--since` what was learned lately, the newest first.
    List(ListArgs),
    /// Find lessons that contain all of these words.
    Search {
        /// The words.
        #[arg(required = true)]
        query: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Print at most this many.
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_positive)]
        limit: usize,
    },
    /// Print one lesson in full.
    Show(ShowArgs),
    /// Edit a lesson; without options, opens it in `$EDITOR`.
    Edit(EditArgs),
    /// Delete lessons: out of use until `lesson restore` brings them back.
    Delete {
        /// Their numbers, as in `14` or `#14`.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Bring lessons back that were deleted or replaced.
    ///
    /// To replace the whole database with a backup, use `hardwon restore`.
    Restore {
        /// Their numbers, as in `14` or `#14`.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Erase lessons permanently; the journal keeps only a record that they existed.
    ///
    /// This cannot be undone. Their text is removed from the database, with what they were made of:
    /// questions about their runs, logs of these sessions, and every prompt and call that was kept of a
    /// recall. Backups beside it are listed but not touched: delete them, and files that `export` or
    /// `sync` wrote, yourself.
    Erase {
        /// Their numbers, as in `14` or `#14`.
        #[arg(required = true)]
        ids: Vec<String>,
        /// Do not ask first; for scripts.
        #[arg(long, short)]
        yes: bool,
    },
    /// Approve lessons that wait for review, so that agents are shown them.
    Approve(ApproveArgs),
    /// Reject lessons that wait for review; they are deleted.
    Reject(RejectArgs),
    /// Replace one lesson with another.
    ///
    /// The old one is no longer shown, but is kept.
    Supersede {
        /// The number of the lesson to replace.
        old: String,
        /// The number of the lesson that replaces it.
        new: String,
        /// The reason, kept in the journal.
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Move lessons to the project of `--project`, or with `--everywhere` to all projects.
    ///
    /// `--project` takes a name or a folder; given alone, it means the project of the current folder.
    Move {
        /// Their numbers, as in `14` or `#14`.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Print a lesson's history: what it replaced, what replaced it, and every change.
    History(HistoryArgs),
    /// Say which lessons would come up at a command, a file, a tool or an error, which nearly, and why.
    ///
    /// A path stands for an edit of that file, the name of a tool for a call of it, and any other text for a command and, unless it
    /// begins with a known program, for the words of an error. Nothing is run, shown to an agent, or counted.
    When {
        /// The command, path, tool (`mcp__server__tool`) or error; or the number of a lesson, to see when it comes up.
        what: String,
        /// What the command prints when it fails.
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        error: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check a text with the guard, the filter that every new lesson passes.
    Check {
        /// The text; read from stdin when absent.
        text: Option<String>,
        /// Read JSON lines `{"id","text"}` on stdin, and answer each with a JSON line.
        #[arg(long, conflicts_with = "text")]
        jsonl: bool,
    },
    /// What other doors have as well.
    #[command(flatten)]
    Verb(VerbCommand),
}

/// Record a lesson.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The command, error or topic it is about, such as `npm test`.
    ///
    /// A single argument is the text, or both: `npm test: Run it alone.`, `[npm test] Run it alone.`
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
    /// A lesson that it replaces; may be given several times.
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// Read JSON lines `{"ref","signature","text","tags"}` on stdin, and answer each with
    /// `{"id","ref"}` once the lesson is on disk.
    #[arg(long, conflicts_with_all = ["signature", "text", "tags", "tools", "situation", "supersedes"])]
    pub jsonl: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Store it even if the guard would stop it, without asking; for scripts.
    #[arg(long)]
    pub yes: bool,
}

/// List lessons, those shown last first; with `--since` what was learned lately, the newest first.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List only what was learned or written since: `7d`, `2 weeks`, `monday`, or a day such as `2026-11-20`.
    #[arg(long, value_name = "WHEN", value_parser = crate::time::parse_since)]
    pub since: Option<Timestamp>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print at most this many.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = parse_positive)]
    pub limit: usize,
    /// List only lessons in this state.
    #[arg(long, value_name = "STATE", value_parser = status_parser())]
    pub status: Option<StatusName>,
    /// List only lessons with this tag.
    #[arg(long)]
    pub tag: Option<String>,
    /// List only lessons that were written for this reason.
    #[arg(long, value_parser = parse_named(Cause::ALL, Cause::name))]
    pub cause: Option<Cause>,
    /// List the lessons of all projects.
    #[arg(long, conflicts_with_all = ["project", "everywhere"])]
    pub all_projects: bool,
}

/// Returns a parser of states by the words that people read, and by their names.
fn status_parser() -> impl TypedValueParser<Value = StatusName> {
    let words = StatusName::ALL.map(|status| (status.word(), status));
    let values = words.map(|(word, status)| PossibleValue::new(word).alias(status.name()));
    PossibleValuesParser::new(values).map(move |typed| {
        let (_, status) = words
            .into_iter()
            .find(|(word, status)| *word == typed || status.name() == typed)
            .expect("clap lets in only these words");
        status
    })
}

/// Print one lesson in full.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Its number, as in `14` or `#14`.
    pub id: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Edit a lesson; without options, opens it in `$EDITOR`.
#[derive(Debug, Args)]
pub struct EditArgs {
    /// Its number, as in `14` or `#14`.
    pub id: String,
    /// The command, error or topic that it is about.
    #[arg(long)]
    pub signature: Option<String>,
    /// What to do or avoid.
    #[arg(long)]
    pub text: Option<String>,
    /// A topic; replaces the tags it has; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Have it come up at this command, path, option or tool too; may be given several times.
    #[arg(long, value_name = "WHAT")]
    pub trigger: Vec<String>,
    /// Have it not come up at this any more, though its words name it; `all` leaves only prompts; may be given several
    /// times. The other of the two takes it back.
    #[arg(long, value_name = "WHAT")]
    pub no_trigger: Vec<String>,
    /// Hold the first call that it names in each context: for what cannot be undone.
    #[arg(long, conflicts_with = "no_hold")]
    pub hold: bool,
    /// Hold no call, whatever the setting `before_call` says.
    #[arg(long)]
    pub no_hold: bool,
    /// Store it even if the guard would stop it, without asking; for scripts.
    #[arg(long)]
    pub yes: bool,
}

/// Approve lessons that wait for review, so that agents are shown them.
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// Their numbers, as in `14` or `#14`.
    #[arg(required_unless_present = "all")]
    pub ids: Vec<String>,
    /// Approve all that wait, in all projects unless `--project` names one; lists them and asks first.
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// With `--all`: do not ask.
    #[arg(long, short, requires = "all")]
    pub yes: bool,
    /// The reason, kept in the journal.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}

/// Reject lessons that wait for review; they are deleted.
#[derive(Debug, Args)]
pub struct RejectArgs {
    /// Their numbers, as in `14` or `#14`.
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// The reason, kept in the journal.
    #[arg(long, value_name = "TEXT")]
    pub why: String,
}

/// Print a lesson's history: what it replaced, what replaced it, and every change.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Its number, as in `14` or `#14`; also of one that was erased.
    pub id: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Review the lessons that wait for a person: approve, reject or edit them.
///
/// Without a command, lists them with the reasons, from all projects unless one is named with
/// `--project`. On a terminal they are shown one after the other: the key `a` accepts the one that is
/// shown, `r` rejects it, `q` ends.
#[derive(Debug, Args)]
pub struct ReviewQueueArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<ReviewCommand>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What to do about lessons that wait; not deferred, so that what is said here is the help.
#[derive(Debug, Subcommand)]
pub enum ReviewCommand {
    /// Print one in full, with the reasons, and how it differs from similar lessons.
    Show(ShowArgs),
    /// Approve lessons that wait for review, so that agents are shown them.
    Approve(ApproveArgs),
    /// Reject lessons that wait for review; they are deleted.
    Reject(RejectArgs),
    /// Edit one; it still waits for review afterwards.
    Edit(EditArgs),
}
