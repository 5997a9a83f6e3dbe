//! The general memories of clients on a machine: what holds for every project, and what clients keep of each.

use std::path::{Path, PathBuf};

use hardwon_engine::regular_file;
use toml_edit::DocumentMut;

use super::{
    MemoryDocument, MemoryItem,
    find::read_bounded,
    front::FrontMatter,
    markdown::split_items,
    note_kind::{NoteKind, judge_note},
    read::{is_list, read_point},
};

/// Files of a home that every session of a client reads.
const GENERAL_FILES: &[&str] = &[
    ".claude/CLAUDE.md",
    ".codex/AGENTS.md",
    ".gemini/GEMINI.md",
    ".qwen/QWEN.md",
    ".config/opencode/AGENTS.md",
    ".copilot/copilot-instructions.md",
    ".config/goose/.goosehints",
];
/// Most folders of projects that are looked into.
const PROJECT_FOLDERS: usize = 500;

/// A file of a general memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether a line of it can be taken out by hand: a program that writes it itself would write it again.
    pub is_hand_kept: bool,
}

/// Lists the general memories below a home folder that are there, by path.
pub fn list_general_files(home: &Path) -> Vec<GeneralFile> {
    let own = GENERAL_FILES.iter().map(|name| home.join(name));
    let mut paths: Vec<PathBuf> = own.collect();
    for folder in list_folder(&home.join(".claude/projects")) {
        let mut notes = list_folder(&folder.join("memory"));
        notes.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        paths.extend(notes);
    }
    paths.retain(|path| path.is_file());
    let files = paths.into_iter().map(|path| GeneralFile {
        is_hand_kept: is_list(&path),
        path,
    });
    files.collect()
}

/// Lists the folders that clients noted in their settings.
pub fn list_noted_folders(home: &Path) -> Vec<PathBuf> {
    let read = |name: &str| read_bounded(&home.join(name)).ok();
    let claude = || {
        let value: serde_json::Value = serde_json::from_str(&read(".claude.json")?).ok()?;
        let projects = value.get("projects")?.as_object()?;
        Some(projects.keys().map(PathBuf::from).collect::<Vec<_>>())
    };
    let codex = || {
        let document: DocumentMut = read(".codex/config.toml")?.parse().ok()?;
        let projects = document.get("projects")?.as_table_like()?;
        let keys = projects.iter().map(|(key, _)| PathBuf::from(key));
        Some(keys.collect())
    };
    let all = [claude(), codex()].into_iter().flatten().flatten();
    all.filter(|path| path.is_absolute()).collect()
}

fn list_folder(folder: &Path) -> Vec<PathBuf> {
    let mut paths = regular_file::list_folder(folder).unwrap_or_default();
    paths.sort();
    paths.truncate(PROJECT_FOLDERS);
    paths
}

/// Lists what stands for itself in a file, whether it is advice or not.
pub fn list_entries(path: &Path, text: &str) -> Vec<MemoryItem> {
    if !is_list(path) {
        let document = MemoryDocument::read(path, text);
        return document.unwrap_or_default().items;
    }
    let front = FrontMatter::from_text(text).unwrap_or_default();
    let (items, _) = split_items(text, front.body, front.body_line.max(1));
    let says_something =
        |source: &str| !matches!(judge_note(source), NoteKind::Empty | NoteKind::Contents);
    let entries = items.iter();
    let entries = entries.filter(|item| !item.is_introduction() && says_something(&item.source));
    entries.map(read_point).collect()
}
