//! The planned changes to files: a value that is shown, confirmed, and then applied.

use std::path::PathBuf;

use super::{
    FileContent, FileStep, Machine, Result, SettingsFile, SetupDirection, SetupOptions,
    SetupProblem, SetupRow, SetupScope, json,
};
use crate::Client;

/// The planned changes for one client.
#[derive(Debug)]
pub struct ClientPlan {
    /// The client.
    pub client: Client,
    /// Its files.
    pub files: Vec<PlannedFile>,
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
    let of_client = |&client: &&SetupRow| {
        let files = client.files(machine, reach, wish).into_iter();
        ClientPlan {
            client: client.hooks.client,
            files: files.map(plan_file).collect(),
        }
    };
    clients.iter().map(of_client).collect()
}

impl ClientPlan {
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
