//! What can be typed to set up coding agents, and what they call by themselves.

use std::path::PathBuf;

use clap::Args;

use crate::hook::client::Client;

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
