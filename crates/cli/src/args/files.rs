//! What can be typed about lessons in files.

use std::path::PathBuf;

use clap::Args;
use hardwon_clients::memories::{MemoryFormat, export::ExportFormat};

/// What is to be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// Whatever it turns out to be.
    Recognise,
    /// LESSON.md files.
    Lessons,
    /// What another program keeps.
    Memories(MemoryFormat),
}

/// What LESSON.md files are called as a format.
const LESSON_FORMAT: &str = "lesson-md";

fn parse_import_format(name: &str) -> Result<ImportFormat, String> {
    let known = MemoryFormat::from_name(name).map(ImportFormat::Memories);
    let own = (name == LESSON_FORMAT).then_some(ImportFormat::Lessons);
    let unset = (name == "auto").then_some(ImportFormat::Recognise);
    let names = || MemoryFormat::ALL.map(MemoryFormat::name).join(", ");
    let found = known.or(own).or(unset);
    found.ok_or_else(|| format!("it is one of {LESSON_FORMAT}, {}", names()))
}

fn parse_export_format(name: &str) -> Result<ExportFormat, String> {
    let names = || ExportFormat::ALL.map(ExportFormat::name).join(", ");
    ExportFormat::from_name(name).ok_or_else(|| format!("it is one of {}", names()))
}

/// Write lessons to a folder, one LESSON.md file each.
///
/// Writes the lessons of this project that are in use (with --everywhere, those that hold
/// everywhere) and `_index.md`. Files of lessons no longer in use move to `_archive/`; none is deleted.
/// docs/lesson-md.md describes the files.
#[derive(Debug, Args)]
pub struct ExportFolderArgs {
    /// The folder to write to; created if missing.
    pub folder: PathBuf,
    /// Write them as another program keeps such things: `solutions`, `claude` or `cursor` (docs/import.md).
    #[arg(long, value_name = "FORMAT", value_parser = parse_export_format, conflicts_with = "all")]
    pub to: Option<ExportFormat>,
    /// Also write the lessons that wait for review.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Import lessons from LESSON.md files, or from what other programs keep.
///
/// Imported lessons wait for review unless the setting `imported` says otherwise. The counts in a
/// file are kept but do not affect ranking. Memories of clients, solved problems, facts and rules are recognised by
/// themselves; docs/import.md says what is read of each.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A folder of lessons, or one file.
    pub path: PathBuf,
    /// What it is, if it is not recognised: `lesson-md`, `solutions`, `claude`, `codex`, `copilot`, `cursor` or
    /// `instructions`.
    #[arg(long, value_name = "FORMAT", default_value = "auto", hide_default_value = true, value_parser = parse_import_format)]
    pub from: ImportFormat,
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
/// there is an error or a warning.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Folders of lessons, or single files.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
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
