//! The files below a path that hold memories, told from others and read within bounds.
//!
//! In a folder no link is followed, so a repository cannot have its reader read elsewhere. A file that cannot be read, is
//! too long or is no UTF-8 is named with the reason, and the others are read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::limits;
use hardwon_engine::regular_file;

use super::{front::FrontMatter, read::is_list};

/// How deep folders are searched.
const FOLDERS_DEEP: usize = 4;
/// What is beside what Codex keeps for itself.
const CODEX_FILES: &[&str] = &["memory_summary.md", "raw_memories.md", "rollout_summaries"];
/// Folders of Markdown files that are memories each.
const MEMORY_FOLDERS: &[&str] = &["docs/solutions", ".cursor/rules"];

/// The files of memories below a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundDocuments {
    /// The files, with their texts, by path.
    pub documents: Vec<(PathBuf, String)>,
    /// Those that should have been read, and why they were not.
    pub unread: Vec<(PathBuf, String)>,
}

/// Reads the Markdown below a path, or the one file that it names.
///
/// # Errors
///
/// If the path cannot be listed or, being a file, read, or if there is too much in it.
pub fn find_documents(path: &Path) -> io::Result<FoundDocuments> {
    let mut documents = FoundDocuments::default();
    if !path.is_dir() {
        documents
            .documents
            .push((path.to_owned(), read_bounded(path)?));
        return Ok(documents);
    }
    let mut files = Vec::new();
    list_files(path, FOLDERS_DEEP, &mut files, &mut documents)?;
    files.sort();
    let mut room = limits::LESSON_FOLDER_BYTES;
    files.retain(|file| is_markdown(file) && !file.ends_with("README.md"));
    for file in files {
        match read_bounded(&file) {
            Ok(text) => {
                room = room.saturating_sub(text.len() as u64);
                documents.documents.push((file, text));
            }
            Err(error) => documents.unread.push((file, error.to_string())),
        }
        if room == 0 {
            let most = limits::LESSON_FOLDER_BYTES;
            let message = format!("its files have more than {most} bytes");
            return Err(io::Error::other(message));
        }
    }
    Ok(documents)
}

/// Lists the files below a folder, with links apart.
fn list_files(
    folder: &Path,
    deep: usize,
    files: &mut Vec<PathBuf>,
    found: &mut FoundDocuments,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_symlink() {
            let reason = "a link is not followed".to_owned();
            found.unread.push((path, reason));
        } else if kind.is_dir() && deep > 0 && entry.file_name() != ".git" {
            list_files(&path, deep - 1, files, found)?;
        } else if kind.is_file() {
            files.push(path);
        }
        if files.len() + found.unread.len() > limits::LESSON_FILES {
            let message = format!("it holds more than {} files", limits::LESSON_FILES);
            return Err(io::Error::other(message));
        }
    }
    Ok(())
}

/// Returns whether a file is Markdown by its name.
fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    extension == "md" || extension == "mdc" || is_list(path)
}

/// Returns whether a path holds memories in Markdown, by names and, of a single file, by its front matter. Everything
/// else is LESSON.md files or nothing that is read, unless a person says so.
pub fn holds_memories(path: &Path) -> bool {
    let whole = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_below = |folder: &&str| whole.ancestors().any(|above| above.ends_with(folder));
    let is_told = is_list(path) || MEMORY_FOLDERS.iter().any(is_below);
    if whole.is_dir() {
        return is_told || whole.join("MEMORY.md").is_file();
    }
    let is_rule = path.extension().is_some_and(|extension| extension == "mdc");
    let text = read_bounded(&whole).unwrap_or_default();
    let is_note = |front: FrontMatter| !front.has_any(&["schema", "slug", "trigger"]);
    is_told || is_rule || FrontMatter::from_text(&text).is_some_and(is_note)
}

/// Says what a path holds that is kept in another form than Markdown, or only looks like it.
pub fn find_other_form(path: &Path) -> Option<&'static str> {
    let is_folder = path.is_dir();
    if path.is_file() && !is_markdown(path) {
        return Some("it is no Markdown");
    }
    let folder = if is_folder { path } else { path.parent()? };
    let mut own = CODEX_FILES.iter().map(|name| folder.join(name));
    let handbook = if is_folder {
        folder.join("MEMORY.md")
    } else {
        path.to_owned()
    };
    let has_groups = |text: String| text.lines().any(|line| line.starts_with("# Task Group:"));
    (own.any(|file| file.exists()) || read_bounded(&handbook).is_ok_and(has_groups))
        .then_some("it is what Codex keeps for itself")
}

/// Reads a file of memories as text.
///
/// # Errors
///
/// Those of reading it, and if it is too long or no UTF-8.
pub fn read_bounded(path: &Path) -> io::Result<String> {
    regular_file::read_within(path, limits::MEMORY_FILE_BYTES)
}
