//! What a person tells every agent, and lists of the same form: points and paragraphs under headings.

use hardwon_core::{
    advice::{NoteKind, judge_note},
    text::RawText,
};

use super::{
    MemoryDocument, MemoryItem, OmittedItem,
    front::FrontMatter,
    gist::{TEXT_CHARS, shorten},
    markdown::{MarkdownItem, split_items},
};

/// Headings that say nothing of what stands under them.
#[rustfmt::skip]
const PLAIN_HEADINGS: &[&str] = &[
    "agents.md", "claude.md", "gemini.md", "general", "guidelines", "instructions", "lessons", "memories", "memory", "notes",
    "overview", "preferences", "project memory", "rules", "gemini added memories", "user preferences",
];

pub(super) fn read_instructions(text: &str) -> MemoryDocument {
    let front = FrontMatter::from_text(text).unwrap_or_default();
    read_list(split_items(text, front.body, front.body_line.max(1)))
}

/// Takes the items that are advice.
pub(super) fn read_list(items: Vec<MarkdownItem>) -> MemoryDocument {
    let mut document = MemoryDocument::default();
    for item in items.into_iter().filter(|it| !it.is_introduction()) {
        let source = if item.is_point {
            &item.source
        } else {
            &item.text
        };
        match judge_note(source) {
            _ if item.is_table() => {
                document
                    .omitted
                    .push(OmittedItem::new(item.line, "a table"));
            }
            NoteKind::Advice => document.items.push(take_item(&item)),
            other => document
                .omitted
                .push(OmittedItem::from_kind(item.line, other)),
        }
    }
    document
}

/// Makes an item of a point or paragraph; the heading says when it applies.
pub(super) fn take_item(item: &MarkdownItem) -> MemoryItem {
    let text = shorten(&item.text, TEXT_CHARS);
    let mut taken = MemoryItem::new(item.range.clone(), item.line, text);
    let headings = item.headings.iter().map(|it| RawText::from(it.as_str()));
    taken.headings = headings.collect();
    let heading = item.heading();
    let says_something = !PLAIN_HEADINGS.contains(&&*heading.to_lowercase());
    if says_something && !heading.is_empty() && heading.chars().count() <= 100 {
        taken.situation = Some(RawText::from(heading));
    }
    taken
}
