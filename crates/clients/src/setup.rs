//! Sets coding agents up: adds entries to their settings, and removes them again.
//!
//! Data goes one way: a [`Machine`] and a client's [`SetupRow`] give its files, each file has a [`FileContent`] that
//! belongs in it, and the change to the bytes on disk is a value that can be shown before it is applied. Nothing here
//! asks, prints or reads the environment by itself.

pub mod check;
pub mod content;
pub mod file;
pub mod json;
pub mod made_folders;
pub mod own_entries;
pub mod machine;
pub mod plan;
pub mod plugin;
mod program;
pub mod row;
pub mod toml;
pub mod version;

pub use content::{FileContent, FileStep};
pub(crate) use file::SettingsFile;
pub use file::SetupDirection;
pub(crate) use json::SettingsPart;
pub use machine::{Machine, SetupScope};
pub(crate) use machine::{SettingsHome, SettingsSite};
pub use plan::ClientPlan;
pub(crate) use row::HookForm;
pub use row::{SetupOptions, SetupRow};

/// What setting up a client returns: a value, or why a file was left alone.
pub type Result<T, E = SetupProblem> = std::result::Result<T, E>;

/// Why a file was left alone, and how its owner can fix that.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SetupProblem {
    /// The problem with the file.
    #[serde(rename = "trouble")]
    pub message: String,
    /// How to fix it.
    pub remedy: String,
}

impl SetupProblem {
    /// Makes a problem of its message and its fix.
    pub fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            message: what.into(),
            remedy: remedy.into(),
        }
    }
}
