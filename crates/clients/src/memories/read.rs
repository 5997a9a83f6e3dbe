//! Reading a file of memories: what stands in a list is an item each, and a note or a story with front matter is one.
//!
//! The form is told by the file itself, not by the program that keeps it. A list is what agents are told (`AGENTS.md`)
//! or `MEMORY.md`, and any text without front matter; a long note is one as well. A file that tells how a problem was
//! solved is left to [`story`](super::story). What is no advice by its form is left out, with the reason.

use std::path::Path;

use hardwon_core::RawText;

use super::{
    MemoryDocument, MemoryItem,
    front::FrontMatter,
    markdown::{MarkdownItem, split_items},
    note_kind::{NoteKind, judge_note},
    shorten::{SITUATION_CHARS, join_items, shorten, to_text},
    story::{is_story, read_story},
    whole::read_whole,
};

/// Files in which a person tells every agent what to do.
#[rustfmt::skip]
const INSTRUCTION_FILES: &[&str] = &[
    "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "copilot-instructions.md", ".cursorrules", ".goosehints",
];
/// Most items of one file.
const DOCUMENT_ITEMS: usize = 2000;
/// Most characters of what to do, of a point that stands for itself.
const POINT_CHARS: usize = 2000;
/// The longest note that is one lesson, in characters.
const SHORT_NOTE_CHARS: usize = 700;
/// Most characters of what to do, of a note that says of which kind it is: a lesson is shown with 600.
const NOTE_CHARS: usize = 900;

/// Headings that say nothing of what stands under them.
#[rustfmt::skip]
const PLAIN_HEADINGS: &[&str] = &[
    "agents.md", "claude.md", "gemini.md", "general", "guidelines", "instructions", "lessons", "memories", "memory", "notes",
    "overview", "preferences", "project memory", "rules", "gemini added memories", "user preferences",
];
/// States in which something holds no more.
#[rustfmt::skip]
const GONE: &[&str] = &[
    "stale", "deprecated", "superseded", "archived", "obsolete", "draft",
];

/// Names of the kind of a note.
const KIND: &[&str] = &["metadata.type", "type"];

impl MemoryDocument {
    /// Reads the text of a file; else says why it cannot be read.
    ///
    /// # Errors
    ///
    /// If it begins with front matter that does not end.
    pub fn read(path: &Path, text: &str) -> Result<Self, &'static str> {
        let front = FrontMatter::from_text(text);
        if front.is_none() && text.starts_with("---") && !is_list(path) {
            return Err("its front matter does not end");
        }
        let front = front.unwrap_or_default();
        let (items, listings) = split_items(text, front.body, front.body_line.max(1));
        let mut document = if is_list(path) {
            read_list(&items, listings)
        } else if let Some(why) = find_exclusion(&front) {
            Self::from_whole(Err(why))
        } else if is_story(path, &front) {
            Self::from_whole(read_story(&front, &items, text))
        } else {
            read_note(&front, &items, listings, text)
        };
        if let Some(line) = document.items.get(DOCUMENT_ITEMS).map(|item| item.line) {
            document.items.truncate(DOCUMENT_ITEMS);
            let reason = "it is behind the first 2,000 items of the file";
            document.omitted.push((line, reason));
        }
        Ok(document)
    }

    /// Makes a document of what is in the whole file, or says what that is instead.
    fn from_whole(item: Result<MemoryItem, &'static str>) -> Self {
        let mut document = Self::default();
        match item {
            Ok(item) => document.items.push(item),
            Err(why) => document.omitted.push((1, why)),
        }
        document
    }
}

/// Returns whether what stands in a file is a list, whatever its front matter says.
pub(super) fn is_list(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "MEMORY.md" || INSTRUCTION_FILES.contains(&&*name)
}

/// Says why nothing of a file is a lesson, if its front matter does. What a note knows of its user is nobody else's
/// business.
fn find_exclusion(front: &FrontMatter) -> Option<&'static str> {
    let state = front.find_value(&["status"]).unwrap_or_default();
    if GONE.contains(&&*state.to_lowercase()) || front.has_any(&["superseded_by"]) {
        return Some("its front matter says that it does not hold any more");
    }
    (front.find_value(KIND) == Some("user")).then_some("it describes a person")
}

/// Takes the items that are advice. Code that none of them has in its words begins at the lines of `listings`.
fn read_list(items: &[MarkdownItem], listings: Vec<usize>) -> MemoryDocument {
    let mut document = MemoryDocument::default();
    for item in items.iter().filter(|item| !item.is_introduction()) {
        let words = if item.is_point {
            &item.source
        } else {
            &item.text
        };
        match judge_note(words) {
            _ if item.is_table() => document.omitted.push((item.line, "a table")),
            NoteKind::Advice => document.items.push(read_point(item)),
            other => document.omitted.push((item.line, other.name())),
        }
    }
    let listings = listings.into_iter().map(|line| (line, "a listing of code"));
    document.omitted.extend(listings);
    document.omitted.sort_by_key(|(line, _)| *line);
    document
}

/// Makes an item of a point or paragraph; the heading says when it applies.
pub(super) fn read_point(item: &MarkdownItem) -> MemoryItem {
    let text = shorten(&item.text, POINT_CHARS);
    let mut point = MemoryItem::new(item.range.clone(), item.line, text);
    let headings = item.headings.iter();
    point.headings = headings.map(|name| RawText::from(name.as_str())).collect();
    let heading = item.headings.last().map_or("", String::as_str);
    let says_something = !PLAIN_HEADINGS.contains(&&*heading.to_lowercase());
    if says_something && !heading.is_empty() && heading.chars().count() <= 100 {
        point.content.situation = Some(RawText::from(heading));
    }
    point
}

/// Reads a note, which is one lesson if it is short or says of which kind it is; else each point of it is one.
fn read_note(
    front: &FrontMatter,
    items: &[MarkdownItem],
    listings: Vec<usize>,
    text: &str,
) -> MemoryDocument {
    let kind = front.find_value(KIND);
    let kind = kind.filter(|kind| ["feedback", "project", "reference"].contains(kind));
    let points = items.iter().filter(|item| item.is_point).count();
    let chars: usize = items.iter().map(|item| item.text.chars().count()).sum();
    if kind.is_some() || front.body > 0 && points <= 1 && chars <= SHORT_NOTE_CHARS {
        return MemoryDocument::from_whole(read_short_note(front, items, text, kind));
    }
    let mut document = read_list(items, listings);
    if let Some(situation) = describe_use(front, true) {
        for item in &mut document.items {
            item.content.situation = Some(situation.clone());
        }
    }
    document
}

fn read_short_note(
    front: &FrontMatter,
    items: &[MarkdownItem],
    text: &str,
    kind: Option<&str>,
) -> Result<MemoryItem, &'static str> {
    let (reasons, others): (Vec<&MarkdownItem>, Vec<&MarkdownItem>) =
        items.iter().partition(|item| begins_with(item, "why"));
    let applies = others.iter().any(|item| begins_with(item, "how to apply"));
    // Such a state grows old.
    if kind == Some("project") && !applies {
        return Err("it describes the state of a project");
    }
    let mut words = join_items(others, NOTE_CHARS).replace("How to apply: ", "");
    if words.is_empty() && kind.is_some() {
        words += front.find_value(&["description"]).unwrap_or_default();
    }
    match judge_note(&words) {
        NoteKind::Advice => {}
        NoteKind::Contents | NoteKind::Todo if kind == Some("feedback") => {}
        other => return Err(other.name()),
    }
    let mut item = read_whole(front, text, &words);
    item.content.situation = describe_use(front, false);
    let reason = join_items(reasons, SITUATION_CHARS);
    item.content.mistake = to_text(reason.strip_prefix("Why: ").unwrap_or(&reason));
    Ok(item)
}

/// Says when a note applies: by the files that it is for, and by its description where that is no title.
fn describe_use(front: &FrontMatter, is_long: bool) -> Option<RawText> {
    let description = front.find_value(&["description"]);
    let files: Vec<&str> = front.list_values(&["globs"]).collect();
    let files = (!files.is_empty()).then(|| format!("files: {}", shorten(&files.join(", "), 300)));
    let situation = front.find_value(&["situation"]).map(str::to_owned);
    let situation = situation.or_else(|| match (description, files) {
        (Some(description), Some(files)) => Some(format!("{description} ({files})")),
        (None, files) => files,
        (description, None) => description.filter(|_| is_long).map(str::to_owned),
    });
    to_text(&shorten(&situation?, SITUATION_CHARS))
}

fn begins_with(item: &MarkdownItem, label: &str) -> bool {
    let head: String = item.text.chars().take(label.len() + 1).collect();
    head.to_lowercase() == format!("{label}:")
}
