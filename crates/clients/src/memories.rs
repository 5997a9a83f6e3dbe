//! What people and agents already keep for later in Markdown, as items with the place where each stands.
//!
//! [`find_documents`] reads the files below a path, [`MemoryDocument::read`] says what is in one, whoever keeps it, and
//! [`MemoryItem::to_draft`] makes a draft of an item, which the guard judges as it does any file's word. `hardwon import`
//! takes items as lessons, and the audit of `hardwon place` asks where they belong. Which project a folder means is for
//! others to say. No other form than Markdown is read, and nothing here writes a file.

mod draft;
mod find;
mod front;
mod general;
mod markdown;
mod note_kind;
mod owner;
mod read;
mod shorten;
mod story;
mod whole;
#[cfg(test)]
mod tests;

use std::ops::Range;

use hardwon_core::{LessonContent, RawText};

pub use find::{FoundDocuments, find_documents, find_other_form, holds_memories, read_bounded};
pub use general::{GeneralFile, list_entries, list_general_files, list_noted_folders};
pub use owner::find_owner;

/// Something that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryItem {
    /// Its bytes in the file, in whole lines.
    pub range: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// The headings that it stands under, the outermost first.
    pub headings: Vec<RawText>,
    /// Its date, as the file has it.
    pub date: Option<RawText>,
    /// What it says. Its title and its signature are empty if it has none.
    pub content: LessonContent<RawText>,
}

impl MemoryItem {
    /// Makes an item of a text and its place.
    fn new(range: Range<usize>, line: usize, text: impl Into<RawText>) -> Self {
        Self {
            range,
            line,
            headings: Vec::new(),
            date: None,
            content: LessonContent::new("", text),
        }
    }
}

/// What is in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryDocument {
    /// What may be a lesson, in the order of the file.
    pub items: Vec<MemoryItem>,
    /// What is none: its first line, from 1, and what it is instead.
    pub omitted: Vec<(usize, &'static str)>,
}
