//! Setting coding agents up: what goes into whose settings, and getting it out again.
//!
//! Data goes one way: a [`Machine`](machine::Machine) and a client's [`SetupRow`](row::SetupRow) say where its
//! files are, each file has a [`FileContent`](content::FileContent) that belongs in it, and what that means
//! for the bytes on disk is a value that can be shown before it is carried out. Nothing here asks,
//! prints or reads the environment by itself.

pub mod check;
pub mod content;
pub mod file;
pub mod installer;
pub mod json;
pub mod made_folders;
pub mod own_entries;
pub mod machine;
pub mod plan;
pub mod plugin;
pub mod row;
pub mod toml;
pub mod version;

/// Why a file was left alone, and what its owner can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupProblem {
    /// What is the matter with the file.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl SetupProblem {
    /// Says what is the matter, and what to do.
    pub fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            message: what.into(),
            remedy: remedy.into(),
        }
    }
}
