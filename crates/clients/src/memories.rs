//! What people and agents already keep for later in the files of other programs, as items with the place where each stands.
//!
//! [`find_documents`] reads the files below a path, [`MemoryDocument::read`] says what is in one, and
//! [`MemoryItem::to_draft`] makes a draft of an item, which the guard judges as it does any file's word. `hardwon import`
//! takes items as lessons, and the audit of `hardwon place` asks where they belong. Which project a name or a folder
//! means is for others to say, and nothing here writes a file.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod draft;
mod find;
mod front;
mod general;
mod gist;
mod instructions;
mod markdown;
mod owner;
mod recognise;
mod solutions;
pub mod export;
#[cfg(test)]
mod tests;

use std::{ops::Range, path::PathBuf};

use hardwon_core::{advice::NoteKind, named_enum, text::RawText};

pub use find::{FoundDocuments, MemoryReadError, UnreadFile, find_documents, read_bounded};
pub use general::{GeneralFile, list_entries, list_general_files};
pub use owner::find_owner;
pub use recognise::recognise_memories;

named_enum! {
    /// The form in which something is kept.
    MemoryFormat {
        /// Solved problems, a file each with front matter (`docs/solutions`, compound-engineering).
        Solutions = "solutions",
        /// Claude Code's own memory: `MEMORY.md` and files on topics beside it.
        Claude = "claude",
        /// Codex's own memory: `MEMORY.md` with groups of tasks, and what that is made of.
        Codex = "codex",
        /// Copilot's facts, in JSON.
        Copilot = "copilot",
        /// Cursor's rules (`.cursor/rules/*.mdc`).
        Cursor = "cursor",
        /// What a person tells every agent: `CLAUDE.md`, `AGENTS.md`, `GEMINI.md`.
        Instructions = "instructions",
    }
}

impl MemoryFormat {
    /// Returns what a person calls it.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Solutions => "a solved problem",
            Self::Claude => "Claude Code's memory",
            Self::Codex => "Codex's memory",
            Self::Copilot => "a fact of Copilot's memory",
            Self::Cursor => "a rule of Cursor's",
            Self::Instructions => "instructions for agents",
        }
    }
}

/// Whose an item is, as far as its file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryOwner {
    /// The project of this folder.
    Folder(PathBuf),
    /// The project of this repository, by its address or by owner and name.
    Repository(String),
    /// The project of whoever reads it.
    Reader,
    /// Nobody says: it holds for many projects, or for one that is not named.
    Unsaid,
}

/// Something that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryItem {
    /// Its bytes in the file, in whole lines.
    pub range: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// Its title, if it has one.
    pub title: Option<RawText>,
    /// What calls for it, in a few words.
    pub signature: Option<RawText>,
    /// What to do.
    pub text: RawText,
    /// When it applies.
    pub situation: Option<RawText>,
    /// The headings that it stands under, the outermost first.
    pub headings: Vec<RawText>,
    /// What went wrong before.
    pub mistake: Option<RawText>,
    /// Its topics.
    pub tags: Vec<RawText>,
    /// Its date, as the file has it.
    pub date: Option<RawText>,
    /// What it cites.
    pub citations: Vec<RawText>,
    /// Whose it is, where it says something else than its file.
    pub owner: Option<MemoryOwner>,
}

impl MemoryItem {
    /// Makes an item of a text and its place.
    fn new(range: Range<usize>, line: usize, text: impl Into<RawText>) -> Self {
        Self {
            range,
            line,
            title: None,
            signature: None,
            text: text.into(),
            situation: None,
            headings: Vec::new(),
            mistake: None,
            tags: Vec::new(),
            date: None,
            citations: Vec::new(),
            owner: None,
        }
    }
}

/// Why a file of facts cannot be read.
const NOT_JSON: &str = "it is not JSON";
/// Why a file with front matter cannot be read.
const OPEN_FRONT: &str = "its front matter does not end";

/// Something that was kept and is no lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct OmittedItem {
    /// Its first line, from 1.
    pub line: usize,
    /// What it is instead.
    pub why: &'static str,
}

impl OmittedItem {
    /// Returns whether it could not be read, and might have been a lesson.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        [NOT_JSON, OPEN_FRONT].contains(&self.why)
    }
}

impl OmittedItem {
    fn new(line: usize, why: &'static str) -> Self {
        Self { line, why }
    }

    fn from_kind(line: usize, kind: NoteKind) -> Self {
        Self::new(line, kind.name())
    }
}

/// What is in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryDocument {
    /// What may be a lesson, in the order of the file.
    pub items: Vec<MemoryItem>,
    /// What is none.
    pub omitted: Vec<OmittedItem>,
}

/// Most items of one file.
const DOCUMENT_ITEMS: usize = 2000;

impl MemoryDocument {
    /// Reads a file of this form. `name` is the name of the file.
    #[must_use]
    pub fn read(format: MemoryFormat, name: &str, text: &str) -> Self {
        let mut document = match format {
            MemoryFormat::Solutions => solutions::read_solution(text),
            MemoryFormat::Claude => claude::read_memory(name, text),
            MemoryFormat::Codex => codex::read_memories(name, text),
            MemoryFormat::Copilot => copilot::read_facts(text),
            MemoryFormat::Cursor => cursor::read_rule(text),
            MemoryFormat::Instructions => instructions::read_instructions(text),
        };
        if document.items.len() > DOCUMENT_ITEMS {
            let line = document.items[DOCUMENT_ITEMS].line;
            document.items.truncate(DOCUMENT_ITEMS);
            let why = "it is behind the first 2,000 items of the file";
            document.omitted.push(OmittedItem::new(line, why));
        }
        document
    }

    /// Makes a document of what is in the whole file, or says what that is instead.
    fn from_whole(item: Result<MemoryItem, &'static str>) -> Self {
        let mut document = Self::default();
        match item {
            Ok(item) => document.items.push(item),
            Err(why) => document.omitted.push(OmittedItem::new(1, why)),
        }
        document
    }
}
