//! The planned changes to files: a value that is shown, confirmed, and then applied.

use std::path::PathBuf;

use super::{
    FileContent, FileStep, InstallCommand, Machine, Result, SettingsFile, SetupDirection,
    SetupOptions, SetupProblem, SetupRow, SetupScope,
    installer::{install_commands, missing_installer},
    json,
};
use crate::Client;

/// The planned changes for one client.
#[derive(Debug)]
pub struct ClientPlan {
    /// The client.
    pub client: Client,
    /// Its files.
    pub files: Vec<PlannedFile>,
    /// The client's own commands to run.
    pub commands: Vec<InstallCommand>,
    /// Why nothing can be done for it, and how its owner can fix that.
    pub problem: Option<SetupProblem>,
}

/// The planned change to one file.
#[derive(Debug)]
pub struct PlannedFile {
    /// The file and the content that belongs in it.
    pub target: SettingsFile,
    /// The change, or why the file is left alone.
    pub step: Result<FileStep>,
}

/// Plans the changes for these clients.
pub fn plan_setup(
    machine: &Machine<'_>,
    clients: &[&SetupRow],
    reach: &SetupScope,
    wish: &SetupOptions,
    way: SetupDirection,
) -> Vec<ClientPlan> {
    let plan_file = |target: SettingsFile| PlannedFile {
        step: target.plan(way),
        target,
    };
    // Removed entries are described as what `init` adds without plugins.
    let is_install = way == SetupDirection::Install;
    let of_files = SetupOptions {
        plugins: wish.plugins.clone().filter(|_| is_install),
        ..wish.clone()
    };
    let folder = wish.plugins.as_ref().filter(|_| *reach == SetupScope::User);
    let of_client = |&client: &&SetupRow| {
        let files = client.files(machine, reach, &of_files).into_iter();
        let commands = folder.map(|folder| install_commands(machine, client, folder, way));
        let checks_installer = folder.is_some() && is_install;
        ClientPlan {
            client: client.hooks.client,
            files: files.map(plan_file).collect(),
            commands: commands.unwrap_or_default(),
            problem: checks_installer
                .then(|| missing_installer(machine, client))
                .flatten(),
        }
    };
    clients.iter().map(of_client).collect()
}

impl ClientPlan {
    /// Returns the number of changes, including commands.
    pub fn change_count(&self) -> usize {
        self.changed_files().count() + self.commands.len()
    }

    /// Returns the files that would change.
    pub fn changed_files(&self) -> impl Iterator<Item = &PlannedFile> {
        self.files.iter().filter(|file| file.is_change())
    }

    /// Returns the files that must be left alone, and why.
    pub fn problems(&self) -> impl Iterator<Item = (&PathBuf, &SetupProblem)> {
        self.files.iter().filter_map(|file| {
            let trouble = file.step.as_ref().err()?;
            Some((&file.target.path, trouble))
        })
    }
}

impl PlannedFile {
    /// Returns whether the file would change.
    pub fn is_change(&self) -> bool {
        matches!(&self.step, Ok(step) if *step != FileStep::Nothing)
    }
}

impl FileContent {
    /// Describes in a few words what is added.
    pub fn summary(&self) -> String {
        let server = "the MCP server `lessons`";
        match self {
            Self::Json(part) => {
                let hooks = match part.hooks.len() {
                    0 => None,
                    1 => Some("1 hook".to_owned()),
                    number => Some(format!("{number} hooks")),
                };
                let server = part.server.is_some().then(|| server.to_owned());
                let parts: Vec<String> = hooks.into_iter().chain(server).collect();
                parts.join(", ")
            }
            Self::Toml { .. } => server.to_owned(),
            Self::Whole {
                is_program: true, ..
            } => "a hook".to_owned(),
            Self::Whole { .. } => "a plugin".to_owned(),
        }
    }

    /// Describes in a few words which of our entries a text holds.
    pub fn held_summary(&self, text: &str) -> String {
        let (Self::Json(part), Ok(found)) = (self, json::find_own_entries(text)) else {
            return self.summary();
        };
        let mut summary = part.clone();
        summary.hooks.truncate(found.hooks.len());
        summary.server = summary.server.filter(|_| found.server.is_some());
        Self::Json(summary).summary()
    }

    /// Returns the events that get hooks.
    pub fn events(&self) -> Vec<&'static str> {
        match self {
            Self::Json(part) => part.hooks.iter().map(|hook| hook.event).collect(),
            _ => Vec::new(),
        }
    }
}
