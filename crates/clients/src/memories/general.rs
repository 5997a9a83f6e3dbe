//! The general memories of clients on a machine: what holds for every project, and what clients keep of each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_core::advice::{NoteKind, judge_note};

use super::{
    MemoryDocument, MemoryFormat, MemoryItem, front::FrontMatter, instructions::take_item,
    markdown::split_items,
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
    /// Its form.
    pub format: MemoryFormat,
    /// Its path.
    pub path: PathBuf,
    /// Whether a line of it can be taken out by hand: a program that writes it itself would write it again.
    pub is_hand_kept: bool,
}

/// Lists the general memories below a home folder that are there, by path.
#[must_use]
pub fn list_general_files(home: &Path) -> Vec<GeneralFile> {
    let own = GENERAL_FILES.iter().map(|it| GeneralFile {
        format: MemoryFormat::Instructions,
        path: home.join(it),
        is_hand_kept: true,
    });
    let handbook = GeneralFile {
        format: MemoryFormat::Codex,
        path: home.join(".codex/memories/MEMORY.md"),
        is_hand_kept: false,
    };
    let mut files: Vec<GeneralFile> = own.chain([handbook]).collect();
    files.retain(|it| it.path.is_file());
    for folder in list_folder(&home.join(".claude/projects")) {
        let notes = list_folder(&folder.join("memory")).into_iter();
        let notes = notes.filter(|it| it.extension().is_some_and(|it| it == "md") && it.is_file());
        files.extend(notes.map(|path| GeneralFile {
            format: MemoryFormat::Claude,
            is_hand_kept: path.file_name().is_some_and(|it| it == "MEMORY.md"),
            path,
        }));
    }
    files
}

fn list_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    paths.sort();
    paths.truncate(PROJECT_FOLDERS);
    paths
}

/// Lists what stands for itself in a file, whether it is advice or not.
#[must_use]
pub fn list_entries(format: MemoryFormat, name: &str, text: &str) -> Vec<MemoryItem> {
    let is_list = format == MemoryFormat::Instructions || name == "MEMORY.md";
    if format == MemoryFormat::Codex || !is_list {
        return MemoryDocument::read(format, name, text).items;
    }
    let front = FrontMatter::from_text(text).unwrap_or_default();
    let items = split_items(text, front.body, front.body_line.max(1));
    let says_something =
        |source: &str| !matches!(judge_note(source), NoteKind::Empty | NoteKind::Contents);
    let kept = items
        .iter()
        .filter(|it| !it.is_introduction() && says_something(&it.source));
    kept.map(take_item).collect()
}
