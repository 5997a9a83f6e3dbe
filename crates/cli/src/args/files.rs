//! What can be typed about lessons in files.

use std::path::PathBuf;

use clap::Args;

/// Write lessons to a folder, one LESSON.md file each.
///
/// Writes the lessons of this project that are in use (with --everywhere, those that hold
/// everywhere) and `_index.md`. Files of lessons no longer in use move to `_archive/`; those of erased ones go.
/// docs/lesson-md.md describes the files.
#[derive(Debug, Args)]
pub struct ExportFolderArgs {
    /// The folder to write to; created if missing.
    pub folder: PathBuf,
    /// Also write the lessons that wait for review.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Import lessons from LESSON.md files, or from what agents are told and keep in Markdown.
///
/// Imported lessons wait for review unless the setting `imported` says otherwise. The counts in a
/// file are kept but do not affect ranking. AGENTS.md, CLAUDE.md, GEMINI.md, MEMORY.md and the folder around it, rules of
/// Cursor's and solved problems are known by their names; docs/import.md says what is read of each.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A folder of lessons, or one file.
    pub path: PathBuf,
    /// Read all Markdown as notes, whatever it is called.
    #[arg(long)]
    pub markdown: bool,
    /// Show what would be imported, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Sync a project's lessons with the lesson files in its repository.
///
/// The files are in `.hardwon/lessons/` of the repository, so they travel with a clone. A change on
/// one side updates the other; if both changed, both are kept and the conflict is reported. Changed
/// files are trusted like imported ones, not like your own edits.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// Show what would be done, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Treat every change in the files as your own edit.
    #[arg(long)]
    pub mine: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
