//! The files below a path that hold memories of a form, read within bounds.
//!
//! In a folder no link is followed, so a repository cannot have its reader read elsewhere. A file that cannot be read, is
//! too long or is no UTF-8 is named with the reason, and the others are read.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use hardwon_core::limits;
use hardwon_engine::regular_file;

use super::MemoryFormat;

/// How deep folders are searched.
const FOLDERS_DEEP: usize = 4;

/// A file that was not read, or is passed over as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile {
    /// Its path.
    pub path: PathBuf,
    /// Why.
    pub why: String,
    /// Whether it should have been read.
    pub is_trouble: bool,
}

/// The files of one form below a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundDocuments {
    /// The files, with their texts, by path.
    pub documents: Vec<(PathBuf, String)>,
    /// Those that were not read.
    pub unread: Vec<UnreadFile>,
}

/// Why files cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("reading {}: {source}", path.display())]
pub struct MemoryReadError {
    path: PathBuf,
    source: io::Error,
}

/// Reads the files of a form below a path, or the one file that it names.
///
/// # Errors
///
/// If the path cannot be listed or, being a file, read, or if there is too much in it.
pub fn find_documents(
    path: &Path,
    format: MemoryFormat,
) -> Result<FoundDocuments, MemoryReadError> {
    let fail = |path: &Path, source| MemoryReadError {
        path: path.to_owned(),
        source,
    };
    let mut found = FoundDocuments::default();
    if !path.is_dir() {
        let text = read_bounded(path).map_err(|error| fail(path, error))?;
        found.documents.push((path.to_owned(), text));
        return Ok(found);
    }
    let mut files = Vec::new();
    list_files(path, FOLDERS_DEEP, &mut files, &mut found.unread)
        .map_err(|error| fail(path, error))?;
    files.sort();
    let mut room = limits::LESSON_FOLDER_BYTES;
    for file in files {
        let below = file.strip_prefix(path).unwrap_or(&file);
        match sort_file(format, below) {
            FileUse::Read => {}
            FileUse::Ignore => continue,
            FileUse::PassOver(why) => {
                found.unread.push(UnreadFile {
                    path: file,
                    why: why.to_owned(),
                    is_trouble: false,
                });
                continue;
            }
        }
        match read_bounded(&file) {
            Ok(text) => {
                room = room.saturating_sub(text.len() as u64);
                if room == 0 {
                    let most = limits::LESSON_FOLDER_BYTES;
                    let what = format!("its files have more than {most} bytes");
                    return Err(fail(path, io::Error::other(what)));
                }
                found.documents.push((file, text));
            }
            Err(error) => found.unread.push(UnreadFile {
                path: file,
                why: error.to_string(),
                is_trouble: true,
            }),
        }
    }
    pass_over_sources(format, &mut found);
    Ok(found)
}

/// What becomes of a file of a folder.
enum FileUse {
    Read,
    /// It has nothing to do with memories.
    Ignore,
    PassOver(&'static str),
}

/// Says what becomes of a file, by its path below the folder.
fn sort_file(format: MemoryFormat, below: &Path) -> FileUse {
    let name = below.file_name().unwrap_or_default().to_string_lossy();
    let extension = below.extension().unwrap_or_default().to_string_lossy();
    let is_top = below.components().count() == 1;
    let is_markdown = extension.eq_ignore_ascii_case("md");
    match format {
        MemoryFormat::Solutions if is_markdown && name.eq_ignore_ascii_case("README.md") => {
            FileUse::PassOver("a table of contents")
        }
        MemoryFormat::Codex if is_markdown && !is_top && below.starts_with("skills") => {
            FileUse::PassOver("it is a skill")
        }
        MemoryFormat::Solutions | MemoryFormat::Claude | MemoryFormat::Codex if is_markdown => {
            FileUse::Read
        }
        MemoryFormat::Copilot if extension == "json" || extension == "jsonl" => FileUse::Read,
        MemoryFormat::Cursor if extension == "mdc" => FileUse::Read,
        MemoryFormat::Instructions if is_top && INSTRUCTION_FILES.contains(&&*name) => {
            FileUse::Read
        }
        _ => FileUse::Ignore,
    }
}

/// Files in which a person tells every agent what to do.
pub(super) const INSTRUCTION_FILES: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
    ".cursorrules",
    ".goosehints",
];

/// Passes over the notes of Codex that its `MEMORY.md` was made of, where that is there.
fn pass_over_sources(format: MemoryFormat, found: &mut FoundDocuments) {
    let is_handbook = |path: &Path| path.file_name().is_some_and(|it| it == "MEMORY.md");
    if format != MemoryFormat::Codex || !found.documents.iter().any(|(path, _)| is_handbook(path)) {
        return;
    }
    let (kept, others): (Vec<_>, Vec<_>) = found
        .documents
        .drain(..)
        .partition(|(path, _)| is_handbook(path));
    found.documents = kept;
    let passed = others.into_iter().map(|(path, _)| UnreadFile {
        path,
        why: "MEMORY.md has what is worth keeping of it".to_owned(),
        is_trouble: false,
    });
    found.unread.extend(passed);
}

/// Lists the files below a folder, with links apart.
fn list_files(
    folder: &Path,
    deep: usize,
    files: &mut Vec<PathBuf>,
    unread: &mut Vec<UnreadFile>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if entry.file_name().to_string_lossy() == ".git" {
            continue;
        }
        if kind.is_symlink() {
            let why = "a link is not followed".to_owned();
            unread.push(UnreadFile {
                path,
                why,
                is_trouble: true,
            });
        } else if kind.is_dir() && deep > 0 {
            list_files(&path, deep - 1, files, unread)?;
        } else if kind.is_file() {
            files.push(path);
        }
        if files.len() + unread.len() > limits::LESSON_FILES {
            let what = format!("it holds more than {} files", limits::LESSON_FILES);
            return Err(io::Error::other(what));
        }
    }
    Ok(())
}

/// Reads a file as text, as much of it as shows that it is too long.
///
/// # Errors
///
/// Those of reading it, and if it is too long or no UTF-8.
pub fn read_bounded(path: &Path) -> io::Result<String> {
    let file = regular_file::open(path)?;
    let most = limits::MEMORY_FILE_BYTES;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let what = format!("it is longer than {} MB", most / (1024 * 1024));
        return Err(io::Error::other(what));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
