//! Installs the plugin by the client's own command, for clients that have one.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::{Machine, Result, SetupDirection, SetupProblem, SetupRow, program::run_program};

/// The folder of the plugin in Claude Code's format, below the folder of all plugins.
pub const CLAUDE_FOLDER: &str = "claude";
/// The folder of the plugin in Gemini CLI's format.
pub const GEMINI_FOLDER: &str = "gemini";

/// Longest time for a client to install a plugin.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(120);

/// A command of a client that installs or removes the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallCommand {
    /// The client's program.
    pub program: PathBuf,
    /// The arguments.
    pub args: Vec<String>,
}

/// Returns why the client cannot install the plugin: its program is missing. `None` if it can.
pub fn missing_installer(machine: &Machine<'_>, setup: &SetupRow) -> Option<SetupProblem> {
    let is_missing = setup.installer.is_some()
        && setup.find_program(machine).is_none()
        && !setup.has_plugin(machine);
    is_missing.then(|| {
        let names = setup.programs.join("` or `");
        SetupProblem::new(
            format!("it is not installed: no `{names}` on the path, which would install the plugin"),
            "install it and run this again; without --plugin, `hardwon init` writes its settings in advance",
        )
    })
}

/// Returns the commands that install the plugin below a folder, or remove it; empty if that is done already, or if the
/// client's program is missing.
pub fn install_commands(
    machine: &Machine<'_>,
    setup: &SetupRow,
    folder: &Path,
    way: SetupDirection,
) -> Vec<InstallCommand> {
    let is_done = setup.has_plugin(machine) == (way == SetupDirection::Install);
    let program = setup.find_program(machine).filter(|_| !is_done);
    let (Some(program), Some(installer)) = (program, &setup.installer) else {
        return Vec::new();
    };
    let lines = match way {
        SetupDirection::Install => installer.install,
        SetupDirection::Remove => installer.remove,
    };
    let places = [("{claude}", CLAUDE_FOLDER), ("{gemini}", GEMINI_FOLDER)];
    let places = places.map(|(name, below)| (name, folder.join(below).display().to_string()));
    let fill_place = |word: &&str| {
        let place_of_word = places.iter().find(|(name, _)| word.starts_with(name));
        place_of_word.map_or_else(
            || (*word).to_owned(),
            |(name, place)| word.replacen(name, place, 1),
        )
    };
    let run = |words: &&[&str]| InstallCommand {
        program: program.clone(),
        args: words.iter().map(fill_place).collect(),
    };
    lines.iter().map(run).collect()
}

impl InstallCommand {
    /// Returns the command as a person would type it.
    pub fn command_line(&self) -> String {
        let program = self.program.file_stem().map(|name| name.to_string_lossy());
        format!("{} {}", program.unwrap_or_default(), self.args.join(" "))
    }

    /// Runs the command. It answers every question with yes: the user was asked already.
    pub fn execute(&self) -> Result<()> {
        let trouble = |what: String| {
            SetupProblem::new(
                format!("{}: {what}", self.command_line()),
                "run it by hand, and see what it says",
            )
        };
        let end = run_program(
            Command::new(&self.program).args(&self.args),
            b"y\n",
            INSTALL_TIMEOUT,
        );
        let end = end.map_err(|error| trouble(error.to_string()))?;
        let end = end.ok_or_else(|| trouble("it does not end".to_owned()))?;
        if end.is_success {
            return Ok(());
        }
        let output = end.stdout() + &end.stderr();
        let last = output.lines().rev().find(|line| !line.trim().is_empty());
        Err(trouble(last.unwrap_or("it failed").trim().to_owned()))
    }
}
