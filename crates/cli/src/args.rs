//! What can be typed: the doc comments here are the help.
//!
//! The arguments of a command are put together only when it is the one that was typed: `defer`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::hook::client::Client;

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
#[command(
    after_help = "Exit codes: 0 done, 1 nothing found or a check said no, 2 bad input, \
                        3 a fault.\nStart with `hardwon demo`, then `hardwon learn`."
)]
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
    /// Which project, by name [default: the repository of the current folder].
    #[arg(long, global = true, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub project: Option<String>,
    /// No project: lessons that hold everywhere.
    #[arg(long, global = true, conflicts_with = "project")]
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
/// Knows what Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, pi, SWE-agent, OpenHands
/// and Aider write, OpenAI messages, and the plain trace of docs/trace.md for everyone else.
/// Nothing is learned twice: a file that has grown is read on from where it was.
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
#[derive(Debug, Args)]
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
    /// A tool about to be used; may be given several times.
    #[arg(long = "tool", value_name = "NAME")]
    pub tools: Vec<String>,
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

/// Write, read and curate lessons.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum LessonCommand {
    /// Record a lesson.
    Add(AddArgs),
    /// List lessons, the newest first.
    List(ListArgs),
    /// Find the lessons that hold these words.
    Search(SearchArgs),
    /// Print one lesson whole.
    Show(ShowArgs),
    /// Change a lesson's words; without options, opens `$EDITOR`.
    Edit(EditArgs),
    /// Erase lessons for good; the journal keeps only that they were there.
    Delete(DeleteArgs),
    /// Let lessons that wait for review be recalled.
    Approve(ApproveArgs),
    /// Archive lessons that wait for review.
    Reject(RejectArgs),
    /// Put one lesson in another's place.
    Supersede(SupersedeArgs),
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
}

/// List lessons, the newest first.
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
}

/// Erase lessons for good; the journal keeps only that they were there.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Their numbers.
    #[arg(required = true)]
    pub ids: Vec<String>,
}

/// Let lessons that wait for review be recalled.
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// Their numbers.
    #[arg(required = true)]
    pub ids: Vec<String>,
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

/// Say what the guard makes of a text.
#[derive(Debug, Args)]
pub struct CheckArgs {
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
    /// Go on, with the oldest first, and print each recall as it is made.
    #[arg(short, long)]
    pub follow: bool,
    /// Print a JSON object per recall.
    #[arg(long)]
    pub json: bool,
}

/// Say why a recall showed what it showed.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The recall's number [default: the latest].
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

/// Print what is in the store.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
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
/// `{"kind":"lesson","id","text"}` when a lesson is about the failure just seen, and
/// `{"kind":"learned","ids":[…]}` when a run that ended taught something.
#[derive(Debug, Args)]
pub struct ObserveArgs {}

/// Write lessons to a folder, one LESSON.md file each.
///
/// Writes the lessons of this project that are in use (with --everywhere, those that hold
/// everywhere) and `_index.md`. Files of lessons that left move to `_archive/`; nothing is deleted.
/// docs/lesson-md.md describes the files.
#[derive(Debug, Args)]
pub struct ExportFolderArgs {
    /// The folder; it is made if it is not there.
    pub folder: PathBuf,
    /// Write those that wait for review too.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Read LESSON.md files into the store.
///
/// Each is a file's word: it waits for review unless the setting `imported` says otherwise, and the
/// counts in it are kept and not believed.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A folder of lessons, or one file.
    pub path: PathBuf,
    /// Show what would be imported, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Check LESSON.md files against the specification.
///
/// Prints what is wrong by file, line and field, with the error codes of AIP-11. Exits with 1 if
/// there is anything but notes.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Folders of lessons, and files.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Keep a project's lessons and the files in its repository in step.
///
/// The files are in `.hardwon/lessons/` of the repository, so they travel with a clone. What changed
/// on one side changes the other; what changed on both is kept on both, and shown. Changes in files
/// count as a file's word, not as yours.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// Show what would be done, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Every change in the files is yours: take it at your word.
    #[arg(long)]
    pub mine: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

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

/// Take in what a coding agent tells, and answer it; agents run this by themselves.
///
/// One command for every event of every client: the event on stdin, as the client sends it, and on
/// stdout what the model should know, as the client wants it, or nothing. It never fails and never
/// takes long; what goes wrong is a line in `hook.log` in the state folder.
#[derive(Debug, Default, Args)]
pub struct HookArgs {
    /// Which client calls [default: whichever it looks like].
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// Which event it is, for clients that do not say.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Learn from the sessions that are due instead; hooks start this by themselves.
    #[arg(long, conflicts_with_all = ["client", "event"])]
    pub capture: bool,
}

impl HookArgs {
    /// Reads `hook --client NAME --event NAME`, the way hooks are registered, without putting a
    /// parser together first; none for anything else.
    #[must_use]
    pub fn typed(args: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut args = args.into_iter();
        let mut hook = Self::default();
        if args.next()? != "hook" {
            return None;
        }
        while let Some(flag) = args.next() {
            let mut value = || args.next()?.into_string().ok();
            match flag.to_str()? {
                "--client" => hook.client = Some(value()?),
                "--event" => hook.event = Some(value()?),
                _ => return None,
            }
        }
        Some(hook)
    }
}

/// Print a shell's completions.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Set up the coding agents of this machine to use hardwon.
///
/// Adds hooks and an MCP server to each agent's own settings, and shows first what it would change.
/// What is there stays as it is; the bytes of a changed file are kept beside it, as
/// NAME.hardwon-backup, until `hardwon uninstall` puts them back. With `--project`, the settings of the
/// project that the current folder belongs to are changed instead of the user's.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Which agents [default: those that are installed]; may be given several times.
    #[arg(long = "client", value_name = "NAME", value_parser = client)]
    pub clients: Vec<Client>,
    /// Do not ask before settings are changed.
    #[arg(short, long)]
    pub yes: bool,
    /// Show what would be changed, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Register no MCP server.
    #[arg(long)]
    pub no_mcp: bool,
    /// Install the plugin by the agent's own command, where it has one, with a skill and commands.
    #[arg(long)]
    pub plugin: bool,
    /// Let Codex run our hooks, as its user would by typing `/hooks` there.
    #[arg(long)]
    pub trust_codex: bool,
    /// Then learn from the sessions that are on disk, without asking.
    #[arg(long)]
    pub learn: bool,
    /// Do not offer to learn from the sessions that are on disk.
    #[arg(long, conflicts_with = "learn")]
    pub no_learn: bool,
    /// Print JSON; asks nothing.
    #[arg(long)]
    pub json: bool,
}

/// Take out of the coding agents' settings what `init` put in.
///
/// A file that nobody else changed since has its old bytes again; from one that was changed, only our
/// entries go. Lessons stay where they are. With `--project`, the settings of the project that the
/// current folder belongs to are changed instead of the user's.
#[derive(Debug, Args)]
pub struct UninstallArgs {
    /// Which agents [default: all]; may be given several times.
    #[arg(long = "client", value_name = "NAME", value_parser = client)]
    pub clients: Vec<Client>,
    /// Do not ask before settings are changed.
    #[arg(short, long)]
    pub yes: bool,
    /// Show what would be changed, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON; asks nothing.
    #[arg(long)]
    pub json: bool,
}

/// Write hardwon's plugins for coding agents to a folder.
///
/// One for Claude Code, Codex, Copilot CLI and Qwen Code alike, one for Gemini CLI, and the programs that
/// opencode and pi load. `hardwon init` needs none of them.
#[derive(Debug, Args)]
pub struct PluginArgs {
    /// The folder [default: hardwon-plugin].
    pub folder: Option<PathBuf>,
    /// How the plugins start hardwon.
    #[arg(long, value_name = "PATH", default_value = "hardwon")]
    pub program: String,
}

fn client(name: &str) -> Result<Client, String> {
    Client::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Client::ALL.iter().map(|client| client.name()).collect();
        format!("the agents are {}", names.join(", "))
    })
}

/// See and work off the questions that wait for a model.
///
/// With a model set (`hardwon config set model …`), what went wrong in a run is put into a queue,
/// and the model is asked about it later, within a budget. See docs/model.md.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// List the jobs, the newest first, and what was spent today.
    List(QueueListArgs),
    /// Have jobs tried again now: one by its number, or all that wait or were given up.
    Retry(QueuePickArgs),
    /// Forget jobs: one by its number, or all that were given up.
    Purge(QueuePickArgs),
    /// Ask the model what is due, and learn from its answers.
    Drain(QueueDrainArgs),
}

/// List the jobs, the newest first, and what was spent today.
#[derive(Debug, Args)]
pub struct QueueListArgs {
    /// Only jobs in this state.
    #[arg(long, value_parser = hardwon_core::queue::State::NAMES)]
    pub state: Option<String>,
    /// How many at most.
    #[arg(long, short = 'n', default_value = "20", value_name = "COUNT", value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Pick jobs.
#[derive(Debug, Args)]
pub struct QueuePickArgs {
    /// The number of one job.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub job: Option<i64>,
    /// All of them.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Ask the model what is due, and learn from its answers.
#[derive(Debug, Args)]
pub struct QueueDrainArgs {
    /// Also what is not due yet.
    #[arg(long)]
    pub now: bool,
    /// How many jobs at most.
    #[arg(long, short = 'n', default_value = "100", value_name = "COUNT", value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
