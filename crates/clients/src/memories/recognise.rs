//! Recognises in which form memories are kept below a path, by names and by the beginnings of files.
//!
//! Only what is unmistakable is recognised. Everything else is a folder of LESSON.md files or nothing that is read here,
//! and a person can name the form.

use std::{fs, path::Path};

use super::{
    MemoryFormat, claude,
    find::{INSTRUCTION_FILES, read_bounded},
    front::FrontMatter,
    solutions,
};

/// How many files of a folder are looked into.
const LOOKED_AT: usize = 50;

/// Returns the form of what is kept below a path; `None` if it is none of them, or not clear.
#[must_use]
pub fn recognise_memories(path: &Path) -> Option<MemoryFormat> {
    let whole = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if !whole.is_dir() {
        return recognise_file(&whole);
    }
    if whole.join("MEMORY.md").is_file() || whole.join("memory_summary.md").is_file() {
        return match is_codex_folder(&whole) {
            true => Some(MemoryFormat::Codex),
            false => Some(MemoryFormat::Claude),
        };
    }
    if whole.ends_with("docs/solutions") {
        return Some(MemoryFormat::Solutions);
    }
    let entries = fs::read_dir(&whole).ok()?.flatten();
    let files = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<_> = files.map(|it| it.path()).take(LOOKED_AT).collect();
    files.sort();
    // One file that says what it is, is enough; a lesson of ours says it first.
    files
        .iter()
        .find_map(|it| match it.extension()?.to_str()? {
            "mdc" => Some(Some(MemoryFormat::Cursor)),
            "md" if is_lesson_file(it) => Some(None),
            "md" | "json" | "jsonl" => recognise_file(it)
                .filter(|it| *it != MemoryFormat::Instructions)
                .map(Some),
            _ => None,
        })?
}

fn recognise_file(path: &Path) -> Option<MemoryFormat> {
    let name = path.file_name()?.to_str()?;
    let text = read_bounded(path).unwrap_or_default();
    match path.extension().and_then(|it| it.to_str()) {
        _ if INSTRUCTION_FILES.contains(&name) => Some(MemoryFormat::Instructions),
        Some("mdc") => Some(MemoryFormat::Cursor),
        Some("json" | "jsonl") => text.contains("\"fact\"").then_some(MemoryFormat::Copilot),
        Some("md") => recognise_markdown(path, name, &text),
        _ => None,
    }
}

fn recognise_markdown(path: &Path, name: &str, text: &str) -> Option<MemoryFormat> {
    let begins = |line: &str| text.lines().any(|it| it.starts_with(line));
    if begins("# Task Group:") || name == "raw_memories.md" || name == "memory_summary.md" {
        return Some(MemoryFormat::Codex);
    }
    if name == "MEMORY.md" {
        return Some(MemoryFormat::Claude);
    }
    let front = FrontMatter::from_text(text)?;
    if front.has_any(&["schema", "slug", "trigger"]) {
        return None;
    }
    let is_in = |folder: &str| path.ancestors().skip(1).any(|it| it.ends_with(folder));
    if front.has_any(solutions::OWN_FIELDS) || is_in("docs/solutions") {
        Some(MemoryFormat::Solutions)
    } else if front.has_any(claude::OWN_FIELDS) && front.has_any(&["name", "description"]) {
        Some(MemoryFormat::Claude)
    } else {
        None
    }
}

fn is_codex_folder(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    let handbook = read_bounded(&folder.join("MEMORY.md")).unwrap_or_default();
    has("memory_summary.md")
        || has("raw_memories.md")
        || has("rollout_summaries")
        || handbook.lines().any(|it| it.starts_with("# Task Group:"))
}

fn is_lesson_file(path: &Path) -> bool {
    let text = read_bounded(path).unwrap_or_default();
    FrontMatter::from_text(&text).is_some_and(|it| it.has_any(&["schema", "slug", "trigger"]))
}
