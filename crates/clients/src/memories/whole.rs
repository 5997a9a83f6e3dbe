//! An item of a whole file, with what its front matter says of it, whatever is in the file.

use hardwon_core::{RawText, limits};

use super::{
    MemoryItem,
    front::FrontMatter,
    shorten::{keep_short, shorten},
};

/// Names of dates, the one that says most first.
#[rustfmt::skip]
const DATES: &[&str] = &[
    "metadata.modified", "modified", "last_updated", "last_refreshed", "updated", "date", "created",
];
#[rustfmt::skip]
const TAGS: &[&str] = &[
    "tags", "module", "component", "category", "related_components",
];

/// Makes an item of a whole file, with what its front matter says of it.
pub(super) fn read_whole(front: &FrontMatter, text: &str, words: &str) -> MemoryItem {
    let mut item = MemoryItem::new(0..text.len(), 1, words);
    let content = &mut item.content;
    let title = front.find_value(&["title", "description"]).or_else(|| {
        let mut headings = text.lines().filter_map(|line| line.strip_prefix("# "));
        headings.next()
    });
    content.title = RawText::new(shorten(title.unwrap_or_default(), limits::TITLE_CHARS));
    let signature = front.find_value(&["signature", "symptoms"]);
    let signature = signature.and_then(|words| keep_short(words, limits::SIGNATURE_CHARS));
    content.signature = RawText::new(signature.unwrap_or_default());
    for tag in front.list_values(TAGS) {
        let tag = keep_short(tag, 60).map(RawText::new);
        let tag = tag.filter(|tag| !content.tags.contains(tag));
        content.tags.extend(tag);
    }
    content.tags.truncate(12);
    item.date = front.find_value(DATES).map(RawText::from);
    item
}
