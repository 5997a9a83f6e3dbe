//! What can be typed to set up coding agents, and what they call by themselves.

use std::path::PathBuf;

use clap::Args;

use hardwon_clients::Client;

/// Handle a hook event of a coding agent; agents run this themselves.
///
/// One command handles every event of every client: it reads the event from stdin and prints what
/// the model should know in the client's format, or nothing. It always exits with 0 and has a time
/// limit; errors are logged to `hook.log` in the state folder.
#[derive(Debug, Default, Args)]
pub struct HookArgs {
    /// The client that sends the event.
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// The event's name, for clients that do not send it.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Instead, learn from the sessions that are due for it; hooks start this in the background.
    #[arg(long, conflicts_with_all = ["client", "event"])]
    pub capture: bool,
    /// Instead, keep the copy of a server's lessons up; hooks start this in the background.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["client", "event", "capture"])]
    pub follow: Option<PathBuf>,
}

/// How people's settings are changed.
#[derive(Debug, Clone, Copy, Args)]
pub struct ChangeArgs {
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

/// Set up the coding agents of this machine to use hardwon.
///
/// Adds hooks and an MCP server to each agent's own settings, and shows first what it would change.
/// Existing settings are kept; the original of a changed file is saved beside it, as
/// NAME.hardwon-backup, until `hardwon uninstall` puts it back. With `--project`, the settings of the
/// project that the current folder belongs to are changed instead of the user's.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Which agents [default: those that are installed]; may be given several times.
    #[arg(long = "client", value_name = "NAME", value_parser = parse_client)]
    pub clients: Vec<Client>,
    /// How settings are changed.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Show the lines that would change in each file too.
    #[arg(long, conflicts_with = "json")]
    pub diff: bool,
    /// Do not register the MCP server.
    #[arg(long)]
    pub no_mcp: bool,
    /// Afterwards, learn from the sessions on disk without asking.
    #[arg(long)]
    pub learn: bool,
    /// Do not offer to learn from the sessions that are on disk.
    #[arg(long, conflicts_with = "learn")]
    pub no_learn: bool,
    /// Let this server keep the lessons, such as `https://lessons.example`.
    ///
    /// Hooks recall from a copy that follows the server within ten seconds, and never wait for it. The
    /// key is read from stdin, asked for, or in `--key-file`. See docs/remote.md.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The file with the server's key [default: stdin].
    #[arg(long, value_name = "FILE", requires = "server")]
    pub key_file: Option<PathBuf>,
    /// Send the key over `http://` to another machine too.
    #[arg(long, requires = "server")]
    pub insecure_http: bool,
    /// Instead, have every push from this repository searched for leaks (a pre-push hook of git).
    #[arg(long, conflicts_with_all = ["clients", "no_mcp", "learn", "no_learn", "server", "json"])]
    pub git: bool,
}

/// Remove from the coding agents' settings what `init` added.
///
/// A file that nobody changed since gets its original content back; from any other, only hardwon's
/// entries are removed. Lessons are kept, unless `--purge` is given. With `--project`, the settings of
/// the project that the current folder belongs to are changed instead of the user's.
#[derive(Debug, Args)]
pub struct UninstallArgs {
    /// Which agents [default: all]; may be given several times.
    #[arg(long = "client", value_name = "NAME", value_parser = parse_client)]
    pub clients: Vec<Client>,
    /// Also delete all lessons, hardwon's own settings and its logs, for good.
    #[arg(long, conflicts_with_all = ["clients", "project", "git", "json"])]
    pub purge: bool,
    /// How settings are changed.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Instead, remove the hook that `init --git` wrote to this repository.
    #[arg(long, conflicts_with_all = ["clients", "json"])]
    pub git: bool,
}

fn parse_client(name: &str) -> Result<Client, String> {
    Client::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Client::ALL.iter().map(|client| client.name()).collect();
        format!("use one of {}", names.join(", "))
    })
}
