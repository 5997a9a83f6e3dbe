//! What can be typed: the doc comments here are the help.
//!
//! The arguments of a command are put together only when it is the one that was typed: `defer`.

mod agents;
#[cfg(feature = "postgres")]
mod database;
mod files;
mod groups;
#[cfg(feature = "server")]
mod key;
#[cfg(feature = "gates")]
mod leak;
mod lesson;
mod meaning;
mod night;
#[cfg(feature = "gates")]
mod place;
mod plain;
mod queue;
mod replay;
#[cfg(feature = "gates")]
mod retro;
#[cfg(feature = "gates")]
mod review;
#[cfg(feature = "server")]
mod serve;
#[cfg(feature = "server")]
mod store;
mod sweep;
mod verb;

use std::path::PathBuf;

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use hardwon_core::{CaptureMode, ClientName, LessonId, PreambleFormat};

#[cfg(feature = "postgres")]
pub use self::database::*;
pub use self::{
    agents::*,
    files::*,
    groups::{
        build_command, build_full_command, correct_tip, find_help, find_missing_house, say_missing,
    },
    lesson::*,
    meaning::*,
    night::*,
    queue::*,
    replay::*,
    sweep::*,
    verb::VerbCommand,
};
#[cfg(feature = "server")]
pub use self::{key::*, serve::ServeArgs, store::*};
#[cfg(feature = "gates")]
pub use self::{leak::*, place::*, retro::RetroArgs, review::*};

/// A memory for what AI agents learned the hard way.
///
/// hardwon watches what agents really did, notices struggle, turns it into short lessons, and
/// brings the right two or three back before the next task. No model, no network, no daemon.
#[derive(Debug, Parser)]
#[command(
    name = "hardwon",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
#[command(after_help = "Examples:
  hardwon init                    set up the coding agents of this machine
  hardwon learn                   learn from the sessions already on disk
  hardwon recall \"fix the tests\"  what an agent would be told before a task
  hardwon log                     what was shown, and why
  hardwon lesson list --since 7d  what it learned this week

Exit codes: 0 success, 1 nothing found or a check failed, 2 bad input or unreadable file, \
                  3 done, but a configured service was unavailable, 4 internal or database error.")]
pub struct Cli {
    /// Settings that every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,
}

fn parse_positive(text: &str) -> Result<usize, &'static str> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or("give a whole number, 1 or more")
}

/// Returns a parser of the names of an enum, which its error lists.
fn parse_named<T, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(name)).map(move |word| {
        let mut entries = all.into_iter();
        let entry = entries.find(|entry| name(*entry) == word);
        entry.expect("clap lets in only these names")
    })
}

fn parse_recall_number(text: &str) -> Result<i64, &'static str> {
    let number = text.strip_prefix('#').unwrap_or(text).parse();
    number.map_err(|_| "write it as 14 or '#14'")
}

/// Settings that every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which lessons")]
pub struct GlobalArgs {
    /// The database file [default: `$XDG_DATA_HOME/hardwon/hardwon.db`].
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Use the lessons of this agent [default: setting `agent`].
    #[arg(long, global = true, value_name = "NAME")]
    pub agent: Option<String>,
    /// Use this project, by name or folder [default: that of the current folder].
    #[arg(long, global = true, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub project: Option<String>,
    /// Use the lessons that apply in every project, not one project's.
    #[arg(
        long,
        visible_alias = "global",
        global = true,
        conflicts_with = "project"
    )]
    pub everywhere: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum CliCommand {
    /// Show how hardwon works, on recorded sessions; stores nothing.
    ///
    /// Seven sessions of real coding agents are fed to the loop event by event, and each stage
    /// shows what it made of them.
    Demo,
    /// Learn lessons from agents' session transcripts.
    Learn(LearnArgs),
    /// Learn from a report: a repair loop, a debugging session, a review.
    ///
    /// A report teaches only if there was a struggle: more than one attempt, a traced cause, something that was fixed or
    /// flagged. The same report about the same thing teaches once, however it is worded. Exits with 0 if there is a lesson,
    /// with 1 if there was nothing to learn, with 2 if the report could not be read. docs/retro.md says what each kind looks
    /// like, and how to get it.
    #[cfg(feature = "gates")]
    Retro(RetroArgs),
    /// Read a live run's events on stdin, print hints for it on stdout.
    ///
    /// Events are lines of the plain trace (docs/trace.md). Each hint is a JSON object on a line:
    /// `{"kind":"loop","calls":[…],"text"}` when calls fail again unchanged,
    /// `{"kind":"lesson","id","text"}` when a lesson names the call about to be made or is about the
    /// failure just seen, and `{"kind":"learned","ids":[…]}` when a run that ended taught something.
    Observe,
    /// Print the lessons that fit a task.
    Recall(RecallArgs),
    /// Write, read and curate lessons.
    #[command(subcommand)]
    Lesson(LessonCommand),
    /// Carry out the `/lesson` lines of a text.
    Writ(WritArgs),
    /// Record a lesson in plain words.
    ///
    /// `list`, `failed`, `drain`, `retry NUMBER` and `purge NUMBER` are no lesson, but what `hardwon queue` does.
    Reflect {
        /// The lesson, in plain words.
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Serve lessons to agents over the Model Context Protocol (MCP).
    ///
    /// A client starts it and talks to it over stdin and stdout; docs/mcp.md says how to register it in
    /// each. It serves the lessons of the folder it is started in, or of the client's roots.
    Mcp,
    /// Serve lessons to many agents over HTTP.
    ///
    /// The database is the one that commands and hooks use, or one in PostgreSQL that several servers share. Every
    /// request needs a key: `hardwon key` makes them, and where there is none yet, the first one is printed.
    /// docs/server.md says more. The options after the addresses are settings too (`hardwon config`).
    #[cfg(feature = "server")]
    Serve(ServeArgs),
    /// Open the page in a browser: review, look up and edit this machine's lessons.
    ///
    /// It begins with the project of this folder. Serves the page to this machine alone, until Ctrl-C or until nobody has used it for a while. No key is asked for or
    /// shown: a link opens the page once, within a minute. A server that runs on the same database is not in the way.
    #[cfg(feature = "server")]
    Open {
        /// Print the link, and start no browser.
        #[arg(long)]
        print: bool,
        /// How long the page may be unused before this ends, as in `30m`.
        #[arg(long, value_name = "TIME", value_parser = crate::time::parse_span, default_value = "30m")]
        idle: jiff::SignedDuration,
    },
    /// Remove secrets from a text.
    ///
    /// A filter: text in, the same text out, each secret replaced by `[REDACTED:kind]`.
    Redact {
        /// The text; read from stdin when absent.
        text: Option<String>,
        /// Read JSON lines `{"id","text"}` on stdin, and answer each with a JSON line.
        #[arg(long, conflicts_with = "text")]
        jsonl: bool,
    },
    /// List what was shown, when, to whom and why.
    Log(LogArgs),
    /// Explain why a recall showed these lessons and not others.
    Why(WhyArgs),
    /// Pause hardwon: its hooks show nothing, warn about nothing and learn nothing.
    ///
    /// Pauses this project, or all projects with `--everywhere`. Commands you type still work.
    Pause {
        /// How long, as in `30m`, `2h` or `3d` [default: until `hardwon resume`].
        #[arg(long = "for", value_name = "TIME", value_parser = crate::time::parse_span)]
        length: Option<jiff::SignedDuration>,
    },
    /// End a pause.
    ///
    /// Ends this project's pause, or with `--everywhere` the pause of all projects; a project that was
    /// paused on its own stays paused.
    Resume,
    /// Say whether showing lessons pays.
    Effect(EffectArgs),
    /// Replay recorded sessions, and report which repeat failures a lesson would have covered.
    Replay(ReplayArgs),
    /// Print which sentence model is in place, what it costs on this machine, and what it changed.
    Meaning(MeaningArgs),
    /// Review the lessons that wait for a person: approve, reject or edit them.
    ReviewQueue(ReviewQueueArgs),
    /// Consolidate lessons: show what would be merged, replaced, held and deleted; apply it, undo it.
    ///
    /// Looks and shows a plan, and changes nothing. `--apply` carries a plan out, `--undo` takes it back. See
    /// docs/sweep.md. Exit codes: 0 nothing to do or done, 1 there is a plan to apply, 2 it could not look, 3 done without
    /// the model or skipped.
    Sweep(SweepArgs),
    /// Do the work of a night: backup, sweep, audit of general memories, placements; or set up what starts it.
    ///
    /// Copies the database (the last seven copies are kept), and runs `sweep --unattended`, `place --audit`, and in each
    /// repository that has a block of hardwon in its AGENTS.md `place --unattended`, as far as the setting `autonomy` allows.
    /// Exit codes: 0 nothing to do or done, 1 there is something to say, 2 a step could not look, 3 something was skipped.
    Night {
        /// Print what starts it every night: units for systemd, a list for launchd, a line for cron, or a command for the Task
        /// Scheduler of Windows.
        #[arg(long, value_name = "KIND")]
        schedule: Option<ScheduleKind>,
        /// Write what `--schedule` prints where it belongs, and say how to switch it on.
        #[arg(long, requires = "schedule")]
        install: bool,
    },
    /// Write lessons to a folder, one LESSON.md file each.
    Export(ExportFolderArgs),
    /// Import lessons from LESSON.md files, or from what agents are told and keep in Markdown.
    Import(ImportArgs),
    /// Check LESSON.md files against the specification.
    ///
    /// Prints what is wrong by file, line and field, with the error codes of AIP-11. Exits with 1 if
    /// there is an error or a warning.
    Lint {
        /// Folders of lessons, or single files.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Sync a project's lessons with the lesson files in its repository.
    Sync(SyncArgs),
    /// Put a project's proven lessons into its AGENTS.md: show it, apply it, undo it.
    ///
    /// Shows what would change, and changes nothing. `--apply` carries a plan out: a backup, the file, and one local commit
    /// that is never pushed. See docs/place.md. Exit codes: 0 nothing to do or done, 1 there is a plan to apply or the block
    /// is out of date, 2 it could not look, 3 skipped.
    #[cfg(feature = "gates")]
    Place(PlaceArgs),
    /// Find secrets, home paths and private names before they are published.
    #[cfg(feature = "gates")]
    Leak(LeakArgs),
    /// Have a fresh engine review a branch before it is delivered.
    #[cfg(feature = "gates")]
    Review(ReviewArgs),
    /// Verify or export the journal of changes.
    #[command(subcommand)]
    Journal(JournalCommand),
    /// List and run the jobs that are queued for a model.
    Queue(QueueArgs),
    /// Add, list, rotate and revoke the API keys of a server.
    #[cfg(feature = "server")]
    Key(KeyArgs),
    /// Add, list and erase the tenants of a server.
    #[cfg(feature = "server")]
    Tenant(TenantArgs),
    /// Set up a PostgreSQL database for servers.
    #[cfg(feature = "postgres")]
    Db(DbArgs),
    /// Check the setup, and say how to fix what does not work.
    Doctor {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Also test the configured model and embedding with a tiny question.
        #[arg(long)]
        probe: bool,
    },
    /// Show or change settings.
    Config(ConfigArgs),
    /// Copy the database to a file, while it is in use.
    ///
    /// `hardwon restore` puts it back. The keys of a server, where there are any, are copied to a file of the same name with
    /// `.keys` behind it.
    Backup {
        /// The file to write; it must not exist.
        file: PathBuf,
    },
    /// Replace the database with a backup.
    ///
    /// To bring single lessons back that were deleted, use `hardwon lesson restore`.
    Restore {
        /// The backup file; the current database is kept beside the restored one.
        file: PathBuf,
    },
    /// Handle a hook event of a coding agent; agents run this themselves.
    Hook(HookArgs),
    /// Print a shell completion script.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Set up the coding agents of this machine to use hardwon.
    Init(InitArgs),
    /// Remove from the coding agents' settings what `init` added.
    Uninstall(UninstallArgs),
}

/// Learn lessons from agents' session transcripts.
///
/// Reads transcripts of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, pi, opencode,
/// OpenHands, SpecStory and Aider, OpenAI-style messages, and the plain trace that any program can
/// write (docs/trace.md). A file is never learned from twice; of one that has grown, only the new
/// part is read.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// Files and folders of transcripts [default: where the agents on this machine keep theirs].
    pub paths: Vec<PathBuf>,
    /// Show what would be learned, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// What is worth a lesson.
    #[arg(long, value_name = "RULE", value_parser = parse_named(CaptureMode::ALL, CaptureMode::name))]
    pub capture: Option<CaptureMode>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Print the lessons that fit a task.
///
/// Prints nothing when no lesson fits well enough. A database problem is reported on stderr and
/// still exits with 0, so that it never stops an agent.
#[derive(Debug, Default, Args)]
pub struct RecallArgs {
    /// The task; read from stdin when absent.
    pub prompt: Option<String>,
    /// Show at most this many lessons, and never more than 7.
    #[arg(short, long, value_name = "N", value_parser = parse_positive)]
    pub k: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Say how each lesson scored, and why others were not shown.
    #[arg(long)]
    pub explain: bool,
    /// Answer JSON lines `{"id","prompt","k"}` on stdin with `{"id","lessons":[…]}`.
    ///
    /// For programs that process the lessons themselves: k may be up to 20, and nothing is counted as
    /// shown.
    #[arg(long, conflicts_with_all = ["prompt", "json", "explain"])]
    pub batch: bool,
    /// The format in which the lessons are printed.
    #[arg(long, value_name = "FORM", value_parser = parse_named(PreambleFormat::ALL, PreambleFormat::name))]
    pub form: Option<PreambleFormat>,
    /// The session that this recall belongs to, by the name its transcript will have.
    ///
    /// Lets hardwon judge afterwards whether the lessons helped. For that, one of them may be left out
    /// at random (setting `holdout`). Without it a person is taken to ask, and nothing counts as shown.
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// A tool about to be used; may be given several times.
    #[arg(long = "tool", value_name = "NAME")]
    pub tools: Vec<String>,
    /// Whom the agent works for: adds the lessons meant for this operator.
    #[arg(long, value_name = "NAME")]
    pub operator: Option<String>,
    /// The agent's role: adds the lessons meant for this role.
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,
    /// A skill of the agent: adds the lessons meant for it; may be given several times.
    #[arg(long = "skill", value_name = "NAME")]
    pub skills: Vec<String>,
}

/// Carry out the `/lesson` lines of a text.
///
/// `/lesson <signature>: <text>`, `/lesson [<signature>] <text>` as lessons are shown, or a block
/// from `/lesson <signature>` to `/endlesson`, records a lesson; `/reflect <text>` records one
/// without a signature. `/lesson list`, `search <words>`, and `show`, `delete`, `helped` or `wrong`
/// with a number, work too; so do `/reflect list`, `failed`, and `drain`, `retry` or `purge`, for
/// the queue of a model. Each must start at the beginning of a line that quotes nothing.
#[derive(Debug, Args)]
pub struct WritArgs {
    /// The text; read from stdin when absent.
    pub text: Option<String>,
    /// Print one JSON object for each `/lesson` line.
    #[arg(long)]
    pub json: bool,
    /// Only parse the lines; carry out nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// List what was shown, when, to whom and why.
///
/// Newest first, from all projects unless `--project` names one. `hardwon why` explains one of them by
/// its number.
///
/// What followed, in a word: `followed` (its advice was done), `met, then followed` (its failure came first),
/// `avoided` (its moment came, and the failure did not), `repeated` (the failure came without its advice),
/// `in vain` (it came all the same), `not needed` (its moment never came); `without it`: left out at random.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// List at most this many.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = parse_positive)]
    pub lines: usize,
    /// Only what was shown to this client, such as `claude-code`.
    #[arg(long, value_name = "NAME", value_parser = ClientName::parse)]
    pub client: Option<ClientName>,
    /// Only what concerned this lesson, as in `14` or `#14`.
    #[arg(long, value_name = "ID")]
    pub lesson: Option<LessonId>,
    /// Also list recalls that showed nothing, with the reason.
    #[arg(long)]
    pub all: bool,
    /// Print a JSON object per recall.
    #[arg(long)]
    pub json: bool,
}

/// Explain why a recall showed these lessons and not others.
///
/// What followed is said in the words of `hardwon log --help`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The recall's number, as in `14` or `#14` [default: the latest in this project that showed a lesson].
    #[arg(value_parser = parse_recall_number)]
    pub recall: Option<i64>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Say whether showing lessons pays.
///
/// How often failures were met and avoided by week, calls saved, tokens; then the lessons that did most and
/// those that did nothing, beside the times that they were left out by chance (setting `holdout`).
/// With a number: the life of one lesson on a line of time.
#[derive(Debug, Args)]
pub struct EffectArgs {
    /// The life of this lesson, as in `14` or `'#14'`.
    pub id: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Count the sessions of all projects.
    #[arg(long, conflicts_with_all = ["id", "project", "everywhere"])]
    pub all_projects: bool,
}

/// Verify or export the journal of changes.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum JournalCommand {
    /// Check the hash chain, and the lessons against it.
    Verify {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print every entry as a JSON line.
    ///
    /// To write the lessons themselves to files, use `hardwon export`.
    Export,
}

/// Show or change settings.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to do; without it, every setting is shown with where it comes from.
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What to do with settings.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ConfigCommand {
    /// Print where the settings file is.
    Path,
    /// Print one setting.
    Get {
        /// Its name.
        key: String,
    },
    /// Write one setting to the settings file.
    Set {
        /// Its name.
        key: String,
        /// Its value.
        value: String,
    },
    /// Remove one setting from the settings file.
    Unset {
        /// Its name.
        key: String,
    },
}
