//! Claude Code's own memory: `MEMORY.md`, which is a list or a table of contents, and files on topics beside it.
//!
//! A topic has front matter with a name, a description and a type. What it heard from its user (`feedback`) is a lesson;
//! what it knows of its user is nobody else's business, and the state of a project grows old. Both are left out, unless
//! they say how to apply them.

use hardwon_core::{
    advice::{NoteKind, judge_note},
    text::RawText,
};

use super::{
    MemoryDocument, MemoryItem,
    front::FrontMatter,
    gist::{
        PART_CHARS, SIGNATURE_CHARS, SITUATION_CHARS, TITLE_CHARS, find_room, join_items,
        keep_short, shorten,
    },
    instructions::read_list,
    markdown::{MarkdownItem, split_items},
};

/// Names by which the front matter of a topic is known.
pub(super) const OWN_FIELDS: &[&str] = &[
    "metadata.type",
    "metadata.node_type",
    "type",
    "originSessionId",
];

pub(super) fn read_memory(name: &str, text: &str) -> MemoryDocument {
    let front = FrontMatter::from_text(text);
    match front {
        Some(front) if name != "MEMORY.md" => MemoryDocument::from_whole(read_topic(&front, text)),
        front => {
            let front = front.unwrap_or_default();
            read_list(split_items(text, front.body, front.body_line.max(1)))
        }
    }
}

fn read_topic(front: &FrontMatter, text: &str) -> Result<MemoryItem, &'static str> {
    let items = split_items(text, front.body, front.body_line);
    let (why, rest): (Vec<&MarkdownItem>, Vec<&MarkdownItem>) =
        items.iter().partition(|it| begins_with(it, "why"));
    let applies = rest.iter().any(|it| begins_with(it, "how to apply"));
    let words = join_items(rest, find_room(front, 2 * PART_CHARS));
    let said = words.replace("How to apply: ", "");
    let said = match said.is_empty() {
        true => front
            .find_value("description")
            .unwrap_or_default()
            .to_owned(),
        false => said,
    };
    let kind = ["metadata.type", "type"]
        .iter()
        .find_map(|it| front.find_value(it));
    match (kind.unwrap_or_default(), judge_note(&said)) {
        (_, NoteKind::Empty) => return Err(NoteKind::Empty.name()),
        ("user", _) => return Err("it describes a person"),
        ("project", _) if !applies => return Err("it describes the state of a project"),
        ("feedback", _) => {}
        (_, NoteKind::Advice) => {}
        (_, other) => return Err(other.name()),
    }
    let mut item = MemoryItem::new(0..text.len(), 1, said);
    let title = front.find_value("description");
    item.title = title.map(|it| RawText::new(shorten(it, TITLE_CHARS)));
    let signature = front.find_value("signature");
    item.signature = signature
        .and_then(|it| keep_short(it, SIGNATURE_CHARS))
        .map(RawText::new);
    item.situation = front.find_value("situation").map(RawText::from);
    let why = join_items(why, SITUATION_CHARS);
    let why = why.strip_prefix("Why: ").unwrap_or(&why);
    item.mistake = (!why.is_empty()).then(|| RawText::from(why));
    let dates = ["metadata.modified", "modified", "date"];
    item.date = dates
        .iter()
        .find_map(|it| front.find_value(it))
        .map(RawText::from);
    Ok(item)
}

fn begins_with(item: &MarkdownItem, label: &str) -> bool {
    let head: String = item.text.chars().take(label.len() + 1).collect();
    head.to_lowercase() == format!("{label}:")
}
