//! A rule of Cursor's: a Markdown file with a description, globs of the files that it is for, and points.
//!
//! A short rule is one lesson. Of a longer one each point that is advice is one, and the description says when it
//! applies.

use hardwon_core::{
    advice::{NoteKind, judge_note},
    text::RawText,
};

use super::{
    MemoryDocument, MemoryItem, OPEN_FRONT,
    front::FrontMatter,
    gist::{
        SIGNATURE_CHARS, SITUATION_CHARS, TITLE_CHARS, find_room, join_items, keep_short, shorten,
    },
    instructions::read_list,
    markdown::split_items,
};

/// The longest rule that is one lesson, in characters.
const SHORT_RULE_CHARS: usize = 700;

pub(super) fn read_rule(text: &str) -> MemoryDocument {
    if text.starts_with("---") && FrontMatter::from_text(text).is_none() {
        return MemoryDocument::from_whole(Err(OPEN_FRONT));
    }
    let front = FrontMatter::from_text(text).unwrap_or_default();
    let items = split_items(text, front.body, front.body_line.max(1));
    let situation = describe_use(&front);
    let points = items.iter().filter(|it| it.is_point).count();
    let chars: usize = items.iter().map(|it| it.text.chars().count()).sum();
    let room = find_room(&front, SHORT_RULE_CHARS);
    let mut document = match chars <= room && points <= 1 {
        true => MemoryDocument::from_whole(read_short(&front, &join_items(&items, room), text)),
        false => read_list(items),
    };
    for item in &mut document.items {
        if let Some(situation) = &situation {
            item.situation = Some(RawText::from(situation.as_str()));
        }
    }
    document
}

fn read_short(front: &FrontMatter, words: &str, text: &str) -> Result<MemoryItem, &'static str> {
    match judge_note(words) {
        NoteKind::Advice => {}
        other => return Err(other.name()),
    }
    let mut item = MemoryItem::new(0..text.len(), front.body_line.max(1), words);
    let title = front.find_value("description");
    item.title = title.map(|it| RawText::new(shorten(it, TITLE_CHARS)));
    let signature = front.find_value("signature");
    item.signature = signature
        .and_then(|it| keep_short(it, SIGNATURE_CHARS))
        .map(RawText::new);
    Ok(item)
}

/// Says when a rule is used: by its description, or by the files that it is for.
fn describe_use(front: &FrontMatter) -> Option<String> {
    if front.find_value("source") == Some("hardwon") {
        return front.find_value("situation").map(str::to_owned);
    }
    let description = front
        .find_value("description")
        .map(|it| shorten(it, SITUATION_CHARS));
    let globs: Vec<&str> = front.list_values("globs").collect();
    let globs = (!globs.is_empty()).then(|| format!("files: {}", shorten(&globs.join(", "), 300)));
    match (description, globs) {
        (Some(description), Some(globs)) => Some(format!("{description} ({globs})")),
        (description, globs) => description.or(globs),
    }
}
