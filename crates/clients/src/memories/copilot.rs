//! Copilot's facts: JSON objects with a subject, a fact, citations, a reason and a category; one, a list, or one a line.

use hardwon_core::{
    advice::{NoteKind, judge_note},
    text::RawText,
};
use serde_json::{Map, Value};

use super::{
    MemoryDocument, MemoryItem, MemoryOwner, NOT_JSON, OmittedItem,
    gist::{SIGNATURE_CHARS, TEXT_CHARS, keep_short, shorten},
};

/// Names of lists of facts.
const LISTS: &[&str] = &["memories", "facts", "items", "data"];
/// What a fact cites at most.
const CITATIONS: usize = 8;

pub(super) fn read_facts(text: &str) -> MemoryDocument {
    let mut document = MemoryDocument::default();
    let mut lines = number_facts(text);
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(value) => read_value(&value, &mut lines, &mut document),
        Err(_) => {
            for (index, line) in text
                .lines()
                .enumerate()
                .filter(|it| !it.1.trim().is_empty())
            {
                match serde_json::from_str::<Value>(line) {
                    Ok(value) => read_value(&value, &mut lines, &mut document),
                    Err(_) => {
                        document.omitted.push(OmittedItem::new(index + 1, NOT_JSON));
                        break;
                    }
                }
            }
        }
    }
    document
}

/// Returns the line on which each fact stands.
fn number_facts(text: &str) -> impl Iterator<Item = usize> {
    let lines = text.lines().enumerate();
    lines.flat_map(|(index, line)| line.matches("\"fact\"").map(move |_| index + 1))
}

fn read_value(
    value: &Value,
    lines: &mut impl Iterator<Item = usize>,
    document: &mut MemoryDocument,
) {
    match value {
        Value::Array(list) => list.iter().for_each(|it| read_value(it, lines, document)),
        Value::Object(map) if map.contains_key("fact") => {
            let line = lines.next().unwrap_or(1);
            match read_fact(map, line) {
                Ok(item) => document.items.push(item),
                Err(why) => document.omitted.push(OmittedItem::new(line, why)),
            }
        }
        Value::Object(map) => match LISTS.iter().find_map(|it| map.get(*it)) {
            Some(list @ Value::Array(_)) => read_value(list, lines, document),
            _ => document
                .omitted
                .push(OmittedItem::new(1, "there is no fact in it")),
        },
        _ => document
            .omitted
            .push(OmittedItem::new(1, "there is no fact in it")),
    }
}

fn read_fact(map: &Map<String, Value>, line: usize) -> Result<MemoryItem, &'static str> {
    let text = |name: &str| map.get(name).and_then(Value::as_str).map(str::trim);
    let fact = text("fact").unwrap_or_default();
    match judge_note(fact) {
        NoteKind::Advice => {}
        other => return Err(other.name()),
    }
    let mut item = MemoryItem::new(0..0, line, shorten(fact, TEXT_CHARS));
    let subject = text("subject").and_then(|it| keep_short(it, SIGNATURE_CHARS));
    item.situation = subject.map(RawText::new);
    let topics = [text("category")]
        .into_iter()
        .flatten()
        .filter(|it| *it != "general");
    item.tags = topics
        .filter_map(|it| keep_short(it, 60))
        .map(RawText::new)
        .collect();
    let dates = ["updated_at", "created_at", "createdAt", "date"];
    item.date = dates.iter().find_map(|it| text(it)).map(RawText::from);
    item.citations = list_citations(map.get("citations"));
    let repository = text("repository").or_else(|| text("repo"));
    item.owner = repository.map(|it| MemoryOwner::Repository(it.to_owned()));
    Ok(item)
}

fn list_citations(value: Option<&Value>) -> Vec<RawText> {
    let cited: Vec<&str> = match value {
        Some(Value::String(one)) => one.split(", ").collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let short = cited.into_iter().filter_map(|it| keep_short(it, 200));
    short.take(CITATIONS).map(RawText::new).collect()
}
