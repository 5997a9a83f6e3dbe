//! Installing the plugin by the client's own command, for clients that have one.

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    Trouble,
    bundle::{CLAUDE, GEMINI, NAME},
    check,
    file::Way,
    place::{Machine, programs},
};
use crate::Client;

/// How long a client may take to install a plugin.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often it is looked whether it has ended.
const GLANCE: Duration = Duration::from_millis(20);
/// Most bytes that are read of what it says.
const BYTES_MAX: u64 = 64 * 1024;

/// A command of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The client's program.
    pub program: PathBuf,
    /// What it is given.
    pub args: Vec<String>,
}

/// Returns whether a client has a command that installs plugins.
#[must_use]
pub fn takes_plugins(client: Client) -> bool {
    matches!(
        client,
        Client::ClaudeCode
            | Client::Codex
            | Client::GeminiCli
            | Client::QwenCode
            | Client::CopilotCli
    )
}

/// Returns why a client that installs plugins by its own command cannot do so, if its program is not there.
#[must_use]
pub fn missing_installer(machine: &Machine<'_>, client: Client) -> Option<Trouble> {
    let is_missing = takes_plugins(client)
        && machine.program(client).is_none()
        && !check::has_plugin(machine, client);
    is_missing.then(|| {
        let names = programs(client).join("` or `");
        Trouble::new(
            format!("it is not installed: no `{names}` on the path, which would install the plugin"),
            "install it and run this again; without --plugin, `hardwon init` writes its settings in advance",
        )
    })
}

/// Returns the commands that install the plugin below a folder, or remove it; none where that is done
/// already, or where there is nobody to do it.
#[must_use]
pub fn runs(machine: &Machine<'_>, client: Client, folder: &Path, way: Way) -> Vec<Run> {
    let is_done = check::has_plugin(machine, client) == (way == Way::In);
    let Some(program) = machine.program(client).filter(|_| !is_done) else {
        return Vec::new();
    };
    let claude = folder.join(CLAUDE).display().to_string();
    let gemini = folder.join(GEMINI).display().to_string();
    let of_market = format!("{claude}:{NAME}");
    let id = format!("{NAME}@{NAME}");
    let lines: Vec<Vec<&str>> = match (client, way) {
        (Client::ClaudeCode | Client::CopilotCli, Way::In) => vec![
            vec!["plugin", "marketplace", "add", &claude],
            vec!["plugin", "install", &id],
        ],
        (Client::ClaudeCode | Client::CopilotCli, Way::Out) => vec![
            vec!["plugin", "uninstall", &id],
            vec!["plugin", "marketplace", "remove", NAME],
        ],
        (Client::Codex, Way::In) => vec![
            vec!["plugin", "marketplace", "add", &claude],
            vec!["plugin", "add", &id],
        ],
        (Client::Codex, Way::Out) => vec![
            vec!["plugin", "remove", &id],
            vec!["plugin", "marketplace", "remove", NAME],
        ],
        (Client::QwenCode, Way::In) => vec![vec!["extensions", "install", &of_market, "--consent"]],
        (Client::GeminiCli, Way::In) => vec![vec!["extensions", "install", &gemini, "--consent"]],
        (Client::QwenCode | Client::GeminiCli, Way::Out) => {
            vec![vec!["extensions", "uninstall", NAME]]
        }
        (Client::OpenCode | Client::Pi | Client::Cline | Client::Cursor | Client::Goose, _) => {
            Vec::new()
        }
    };
    let run = |args: Vec<&str>| Run {
        program: program.clone(),
        args: args.into_iter().map(str::to_owned).collect(),
    };
    lines.into_iter().map(run).collect()
}

impl Run {
    /// Returns the command as a person would type it.
    #[must_use]
    pub fn typed(&self) -> String {
        let program = self.program.file_stem().map(|name| name.to_string_lossy());
        let program = program.unwrap_or_else(|| programs(Client::ClaudeCode)[0].into());
        format!("{program} {}", self.args.join(" "))
    }

    /// Runs it. What it asks is answered with yes: its user was asked already.
    pub fn carry_out(&self) -> Result<(), Trouble> {
        let trouble = |what: String| {
            Trouble::new(
                format!("{}: {what}", self.typed()),
                "run it by hand, and see what it says",
            )
        };
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| trouble(error.to_string()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that asks nothing may have closed it already.
            drop(stdin.write_all(b"y\n"));
        }
        let said = [reader(child.stdout.take()), reader(child.stderr.take())];
        let Some(is_well) = wait(&mut child) else {
            return Err(trouble("it does not end".to_owned()));
        };
        if is_well {
            return Ok(());
        }
        let said = said
            .map(|thread| thread.join().unwrap_or_default())
            .concat();
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        Err(trouble(last.unwrap_or("it failed").trim().to_owned()))
    }
}

/// Reads what a program says, and goes on reading what is too much.
fn reader(stream: Option<impl std::io::Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let Some(mut stream) = stream else {
            return String::new();
        };
        let mut said = Vec::new();
        drop(stream.by_ref().take(BYTES_MAX).read_to_end(&mut said));
        drop(std::io::copy(&mut stream, &mut std::io::sink()));
        String::from_utf8_lossy(&said).into_owned()
    })
}

/// Waits for a program, and says whether it ended well; ends it when it takes too long.
fn wait(child: &mut Child) -> Option<bool> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status.success());
        }
        thread::sleep(GLANCE);
    }
    drop(child.kill());
    drop(child.wait());
    None
}
