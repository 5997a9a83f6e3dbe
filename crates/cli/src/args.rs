//! What can be typed: the doc comments here are the help.
//!
//! The arguments of a command are put together only when it is the one that was typed: `defer`.

mod agents;
mod files;
mod groups;
mod lesson;
mod queue;
mod replay;
mod stats;
mod typed;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::{agents::*, files::*, groups::command, lesson::*, queue::*, replay::*, stats::*};

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
  hardwon learn                   learn from the sessions that are there
  hardwon recall \"fix the tests\"  what an agent would be told before a task
  hardwon log                     what was shown, and why

Exit codes: 0 done, 1 nothing found or a check said no, 2 bad input or could not look, \
                  3 done without something that is set up but away, 4 a fault.")]
pub struct Cli {
    /// Settings that every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or("it must be a whole number from 1 on")
}

fn recall_number(text: &str) -> Result<i64, &'static str> {
    let number = text.strip_prefix('#').unwrap_or(text).parse();
    number.map_err(|_| "write it as 14 or '#14'")
}

/// Settings that every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which lessons")]
pub struct Global {
    /// The database file [default: `$XDG_DATA_HOME/hardwon/hardwon.db`].
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Whose lessons: the agent they follow.
    #[arg(long, global = true, value_name = "NAME")]
    pub agent: Option<String>,
    /// Which project, by name or folder [default: that of the current folder].
    #[arg(long, global = true, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub project: Option<String>,
    /// No project: lessons that hold everywhere.
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
pub enum Command {
    /// Play the whole loop on recorded sessions, and leave nothing behind.
    Demo(DemoArgs),
    /// Learn from transcripts of real runs.
    Learn(LearnArgs),
    /// Read a live run's events on stdin, answer nudges on stdout.
    Observe(ObserveArgs),
    /// Print the lessons that fit a task.
    Recall(RecallArgs),
    /// Write, read and curate lessons.
    #[command(subcommand)]
    Lesson(LessonCommand),
    /// Carry out the `/lesson` lines of a text.
    Writ(WritArgs),
    /// Record a lesson in plain words.
    Reflect(ReflectArgs),
    /// Answer an agent's own questions, over the Model Context Protocol.
    Mcp(McpArgs),
    /// Take the secrets out of a text.
    Redact(RedactArgs),
    /// List what was shown, when, to whom and why.
    Log(LogArgs),
    /// Say why a recall showed what it showed.
    Why(WhyArgs),
    /// Keep still for a while: hooks show nothing, warn of nothing and learn nothing.
    Pause(PauseArgs),
    /// End a pause.
    Resume(ResumeArgs),
    /// Say what showing lessons changed.
    Effect(EffectArgs),
    /// Play recorded sessions again, and say which failures a lesson would have met.
    Replay(ReplayArgs),
    /// Print what is in the store.
    Stats(StatsArgs),
    /// Look at the lessons that wait for a person, and decide.
    ReviewQueue(ReviewQueueArgs),
    /// Write lessons to a folder, one LESSON.md file each.
    Export(ExportFolderArgs),
    /// Read LESSON.md files into the store.
    Import(ImportArgs),
    /// Check LESSON.md files against the specification.
    Lint(LintArgs),
    /// Keep a project's lessons and the files in its repository in step.
    Sync(SyncArgs),
    /// Verify or export the journal of changes.
    #[command(subcommand)]
    Journal(JournalCommand),
    /// See and work off the questions that wait for a model.
    #[command(subcommand)]
    Queue(QueueCommand),
    /// Check that everything works, and say what to do where it does not.
    Doctor(DoctorArgs),
    /// Show or change settings.
    Config(ConfigArgs),
    /// Copy the database to a file, while it is in use.
    Backup(BackupArgs),
    /// Put a backup in the database's place.
    Restore(RestoreArgs),
    /// Take in what a coding agent tells, and answer it; agents run this by themselves.
    Hook(HookArgs),
    /// Print a shell's completions.
    Completions(CompletionsArgs),
    /// Set up the coding agents of this machine to use hardwon.
    Init(InitArgs),
    /// Take out of the coding agents' settings what `init` put in.
    Uninstall(UninstallArgs),
    /// Write hardwon's plugins for coding agents to a folder.
    Plugin(PluginArgs),
}

/// Play the whole loop on recorded sessions, and leave nothing behind.
///
/// Seven sessions of real coding agents are fed to the loop event by event, and each stage
/// shows what it made of them.
#[derive(Debug, Args)]
pub struct DemoArgs {}

/// Learn from transcripts of real runs.
///
/// Knows what Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, pi, opencode, SWE-agent,
/// OpenHands and Aider write, OpenAI messages, and the plain trace of docs/trace.md for everyone
/// else. Nothing is learned twice: a file that has grown is read on from where it was.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// Files and folders of transcripts [default: where the agents on this machine keep theirs].
    pub paths: Vec<PathBuf>,
    /// Show what would be learned, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// What is worth a lesson.
    #[arg(long, value_enum, value_name = "RULE")]
    pub capture: Option<CaptureRule>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What is worth a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CaptureRule {
    /// Only a struggle: recurring or costly failures, corrections, root causes.
    Struggle,
    /// Every run that ended, as one line about its outcome.
    EveryRun,
}

/// Print the lessons that fit a task.
///
/// Prints nothing when no lesson fits well enough. Trouble with the store is named on stderr and
/// is never an error, so that no agent stumbles over it.
#[derive(Debug, Default, Args)]
pub struct RecallArgs {
    /// The task; read from stdin when absent.
    pub prompt: Option<String>,
    /// Show at most this many lessons, and never more than 7.
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub k: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Say how each lesson scored, and why others were not shown.
    #[arg(long)]
    pub explain: bool,
    /// Answer JSON lines `{"id","prompt","k"}` on stdin with `{"id","lessons":[…]}`.
    ///
    /// For programs that make their own of the lessons: k may go up to 20, and nothing counts as
    /// shown.
    #[arg(long, conflicts_with_all = ["prompt", "json", "explain"])]
    pub batch: bool,
    /// The form of the preamble.
    #[arg(long, value_enum, value_name = "FORM")]
    pub form: Option<PreambleForm>,
    /// The run that it is asked in, by the name that its transcript will have.
    ///
    /// What became of the lessons is credited when the run is learned from, and one of them may be
    /// held back (setting `holdout`).
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// A tool about to be used; may be given several times.
    #[arg(long = "tool", value_name = "NAME")]
    pub tools: Vec<String>,
    /// Whom the agent works for: lessons for that operator are for it.
    #[arg(long, value_name = "NAME")]
    pub operator: Option<String>,
    /// The agent's role: lessons for that role are for it.
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,
    /// A skill of the agent: lessons for that skill are for it; may be given several times.
    #[arg(long = "skill", value_name = "NAME")]
    pub skills: Vec<String>,
}

/// The form of a preamble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PreambleForm {
    /// `[KNOWN PITFALLS …]`.
    Pitfalls,
    /// `## Past Experience`.
    Markdown,
    /// `Lessons from past experience:` (AIP-11).
    Aip11,
    /// One JSON object.
    Json,
}

/// Carry out the `/lesson` lines of a text.
///
/// `/lesson <signature>: <text>`, or a block from `/lesson <signature>` to `/endlesson`, records a
/// lesson; `/reflect <text>` records one without a signature. `/lesson list`, `search <words>`,
/// `show`, `delete`, `helped` and `wrong` with a number do what they say. A writ starts at the
/// beginning of a line, outside code fences.
#[derive(Debug, Args)]
pub struct WritArgs {
    /// The text; read from stdin when absent.
    pub text: Option<String>,
    /// Print one JSON object per writ.
    #[arg(long)]
    pub json: bool,
    /// Parse only.
    #[arg(long)]
    pub dry_run: bool,
}

/// Record a lesson in plain words.
#[derive(Debug, Args)]
pub struct ReflectArgs {
    /// The lesson, in plain words.
    #[arg(required = true)]
    pub text: Vec<String>,
}

/// Answer an agent's own questions, over the Model Context Protocol.
///
/// A client starts it and talks to it over stdin and stdout; docs/mcp.md says how to register it in
/// each. The lessons are those of the folder it is started in, or of the client's roots.
#[derive(Debug, Args)]
pub struct McpArgs {}

/// Take the secrets out of a text.
///
/// A filter: text in, the same text out, each secret replaced by `[REDACTED:kind]`.
#[derive(Debug, Args)]
pub struct RedactArgs {
    /// The text; read from stdin when absent.
    pub text: Option<String>,
    /// Read `{"id","text"}` lines and answer each with one.
    #[arg(long, conflicts_with = "text")]
    pub jsonl: bool,
}

/// List what was shown, when, to whom and why.
///
/// The newest recall comes first, of all projects unless one is named with `--project`. `hardwon
/// why` explains one of them by its number.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// List at most this many.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    pub lines: usize,
    /// Only what was shown to this client, such as `claude-code`.
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// List recalls that showed nothing too, with the reason.
    #[arg(long)]
    pub all: bool,
    /// Go on, with the oldest first, and print each recall and question as it comes.
    #[arg(short, long)]
    pub follow: bool,
    /// Print a JSON object per recall.
    #[arg(long)]
    pub json: bool,
}

/// Say why a recall showed what it showed.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The recall's number, as in `14` or `#14` [default: the latest].
    #[arg(value_parser = recall_number)]
    pub recall: Option<i64>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Keep still for a while: hooks show nothing, warn of nothing and learn nothing.
///
/// In this project, or with `--everywhere` in all. What you type yourself works as ever.
#[derive(Debug, Args)]
pub struct PauseArgs {
    /// How long, as in `30m`, `2h` or `3d` [default: until `hardwon resume`].
    #[arg(long = "for", value_name = "TIME", value_parser = crate::when::parse_span)]
    pub length: Option<jiff::SignedDuration>,
}

/// End a pause.
///
/// That of this project, or with `--everywhere` the one for all; a project that was paused by
/// itself stays so.
#[derive(Debug, Args)]
pub struct ResumeArgs {}

/// Say what showing lessons changed.
///
/// For each lesson that was shown: how often, how the runs went, what is believed of it by all of
/// that, and what showing it changed where chance held it back now and then (setting `holdout`).
#[derive(Debug, Args)]
pub struct EffectArgs {
    /// Only this lesson: 14 or '#14'.
    pub id: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Also draw repeat failures over time into this file.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// Check that everything works, and say what to do where it does not.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Ask the model, if one is set, a question that costs next to nothing.
    #[arg(long)]
    pub probe: bool,
}

/// Check the hash chain, and the lessons against it.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Read a live run's events on stdin, answer nudges on stdout.
///
/// Events are lines of the plain trace (docs/trace.md). A nudge is one JSON object a line:
/// `{"kind":"loop","calls":[…],"text"}` when calls fail again unchanged,
/// `{"kind":"lesson","id","text"}` when a lesson names the call about to be made or is about the
/// failure just seen, and `{"kind":"learned","ids":[…]}` when a run that ended taught something.
#[derive(Debug, Args)]
pub struct ObserveArgs {}

/// Print every entry as a JSON line.
#[derive(Debug, Args)]
pub struct ExportArgs {}

/// Verify or export the journal of changes.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum JournalCommand {
    /// Check the hash chain, and the lessons against it.
    Verify(VerifyArgs),
    /// Print every entry as a JSON line.
    Export(ExportArgs),
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
    /// Take one setting out of the settings file.
    Unset {
        /// Its name.
        key: String,
    },
}

/// Copy the database to a file, while it is in use.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file to write; it must not exist.
    pub file: PathBuf,
}

/// Put a backup in the database's place.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The backup; the present database is kept beside the restored one.
    pub file: PathBuf,
}

/// Print a shell's completions.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
