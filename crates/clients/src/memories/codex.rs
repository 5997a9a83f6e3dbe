//! Codex's own memory: `MEMORY.md`, in groups of tasks, and the notes on single sessions that it is made of.
//!
//! What is worth keeping stands as points under *User preferences*, *Reusable knowledge* and *Failures and how to do
//! differently*, in the file of all groups under headings, in notes on a session below a line of that name. Each group
//! and each note says which folder it is about. Lists of tasks and of files are passed over.

use std::path::{Path, PathBuf};

use hardwon_core::{
    advice::{NoteKind, judge_note},
    text::RawText,
};

use super::{
    MemoryDocument, MemoryItem, MemoryOwner, OmittedItem,
    gist::{SIGNATURE_CHARS, TEXT_CHARS, keep_short, shorten},
    markdown::{MarkdownItem, split_items},
};

/// Sections of which every point may be a lesson.
const KEPT_SECTIONS: &[&str] = &[
    "user preferences",
    "preference signals",
    "reusable knowledge",
    "failures and how to do differently",
    "general tips",
    "key learnings",
];

/// Most keywords of a group that are kept.
const TOPICS: usize = 8;

/// What a file that is only an extract of the others, or a table of them, is left out for.
const OTHER_FILES: &[(&str, &str)] = &[
    ("memory_summary.md", "it is a summary of MEMORY.md"),
    ("phase2_workspace_diff.md", "it is a passing file of Codex"),
];

pub(super) fn read_memories(name: &str, text: &str) -> MemoryDocument {
    let mut document = MemoryDocument::default();
    if let Some((_, why)) = OTHER_FILES.iter().find(|(it, _)| *it == name) {
        document.omitted.push(OmittedItem::new(1, why));
        return document;
    }
    let mut reader = GroupReader::default();
    for item in split_items(text, 0, 1) {
        reader.read_item(item, &mut document);
    }
    document
}

/// Reads groups in their order.
#[derive(Debug, Default)]
struct GroupReader {
    /// The heading of the group.
    group: String,
    folder: Option<PathBuf>,
    date: Option<String>,
    keywords: Vec<String>,
    /// Whether a line introduced points that are kept, where no heading does.
    is_kept: bool,
}

impl GroupReader {
    fn read_item(&mut self, item: MarkdownItem, document: &mut MemoryDocument) {
        let group = item.headings.iter().find(|it| begins_group(it));
        let group = group.map_or("", String::as_str);
        if group != self.group {
            *self = Self {
                group: group.to_owned(),
                ..Self::default()
            };
        }
        let heading = item.heading().to_lowercase();
        if !item.is_point {
            self.read_fields(&item);
            self.is_kept = is_kept_section(item.text.trim_end_matches(':'));
        } else if heading == "keywords" {
            let words = item.text.split(',').map(|it| it.trim().trim_matches('`'));
            let words = words.filter_map(|it| keep_short(it, 60));
            self.keywords.extend(words);
            self.keywords.truncate(TOPICS);
        } else if is_kept_section(&heading) || self.is_kept {
            self.take_point(&item, document);
        }
    }

    /// Reads lines such as `applies_to: cwd=/src/shop; reuse_rule=…` and `updated_at: …`.
    fn read_fields(&mut self, item: &MarkdownItem) {
        for line in item.source.lines().map(str::trim) {
            if let Some(value) = line.strip_prefix("cwd:") {
                self.folder = parse_folder(value);
            } else if let Some(value) = line.strip_prefix("applies_to:") {
                let named = value.trim().strip_prefix("cwd=");
                self.folder = named.and_then(|it| parse_folder(it.split(';').next()?));
            } else if let Some(value) = line.strip_prefix("updated_at:") {
                self.date = Some(value.trim().to_owned());
            }
        }
    }

    fn take_point(&self, item: &MarkdownItem, document: &mut MemoryDocument) {
        let text = strip_task_marks(&item.text);
        match judge_note(text) {
            NoteKind::Advice => {}
            other => {
                document
                    .omitted
                    .push(OmittedItem::from_kind(item.line, other));
                return;
            }
        }
        let (symptom, cause, rest) = split_failure(text);
        let mut taken = MemoryItem::new(item.range.clone(), item.line, shorten(rest, TEXT_CHARS));
        taken.signature = symptom
            .and_then(|it| keep_short(it, SIGNATURE_CHARS))
            .map(RawText::new);
        taken.mistake = cause.map(RawText::from);
        let topics = self.keywords.iter();
        taken.tags = topics.map(|it| RawText::from(it.as_str())).collect();
        taken.date = self.date.as_deref().map(RawText::from);
        taken.owner = Some(match &self.folder {
            Some(folder) => MemoryOwner::Folder(folder.clone()),
            None => MemoryOwner::Unsaid,
        });
        document.items.push(taken);
    }
}

fn begins_group(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["task group", "thread ", "session "]
        .iter()
        .any(|it| heading.starts_with(it))
}

fn is_kept_section(name: &str) -> bool {
    KEPT_SECTIONS.contains(&&*name.trim().to_lowercase())
}

/// Reads a folder; `None` unless it is one absolute path.
fn parse_folder(value: &str) -> Option<PathBuf> {
    let value = value.trim().trim_matches('`');
    let is_one = Path::new(value).is_absolute()
        && !value.contains([',', '*', '\0'])
        && !value.contains(" and ");
    is_one.then(|| PathBuf::from(value))
}

/// Returns a point without the marks of the tasks that it came from: `[Task 1][Task 2]`.
fn strip_task_marks(text: &str) -> &str {
    let mut text = text.trim();
    while let Some((before, mark)) = text.rsplit_once('[')
        && mark.starts_with("Task ")
        && mark.ends_with(']')
    {
        text = before.trim_end();
    }
    text
}

/// Splits `symptom: … -> cause: … -> fix: …` into symptom, cause and the rest.
fn split_failure(text: &str) -> (Option<&str>, Option<&str>, &str) {
    let lower = text.to_ascii_lowercase();
    let find = |names: &[&str]| {
        names
            .iter()
            .find_map(|it| Some((lower.find(it)?, it.len())))
    };
    let fix = find(&["-> fix:", ". fix:", "; fix:"]);
    let Some((fix_at, fix_length)) = fix.filter(|_| lower.starts_with("symptom:")) else {
        return (None, None, text);
    };
    let head = &text["symptom:".len()..fix_at];
    let lower = head.to_ascii_lowercase();
    let cause = ["-> cause:", ". cause:", "; cause:"];
    let cause = cause
        .iter()
        .find_map(|it| Some((lower.find(it)?, it.len())));
    let (symptom, cause) = match cause {
        Some((at, length)) => (&head[..at], Some(head[at + length..].trim())),
        None => (head, None),
    };
    (
        Some(symptom.trim()),
        cause,
        text[fix_at + fix_length..].trim(),
    )
}
