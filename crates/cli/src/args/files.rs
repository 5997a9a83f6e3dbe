//! What can be typed about lessons in files.

use std::path::PathBuf;

use clap::Args;

/// Write lessons to a folder, one LESSON.md file each.
///
/// Writes the lessons of this project that are in use (with --everywhere, those that hold
/// everywhere) and `_index.md`. Files of lessons that left move to `_archive/`; nothing is deleted.
/// docs/lesson-md.md describes the files.
#[derive(Debug, Args)]
pub struct ExportFolderArgs {
    /// The folder; it is made if it is not there.
    pub folder: PathBuf,
    /// Write those that wait for review too.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Read LESSON.md files into the store.
///
/// Each is a file's word: it waits for review unless the setting `imported` says otherwise, and the
/// counts in it are kept and not believed.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A folder of lessons, or one file.
    pub path: PathBuf,
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
/// there is anything but notes.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Folders of lessons, and files.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Keep a project's lessons and the files in its repository in step.
///
/// The files are in `.hardwon/lessons/` of the repository, so they travel with a clone. What changed
/// on one side changes the other; what changed on both is kept on both, and shown. Changes in files
/// count as a file's word, not as yours.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// Show what would be done, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Every change in the files is yours: take it at your word.
    #[arg(long)]
    pub mine: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
