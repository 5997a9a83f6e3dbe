//! Recognises the format of a file from its first bytes. Its name counts only for text, because programs and documents
//! quote traces that are text.
//!
//! The first line that any format knows decides. A file that no format knows is not a transcript, which is a result and
//! no error.

use std::path::Path;

use hardwon_core::limits;
use serde_json::Value;

use crate::{
    registry::FORMATS,
    transcript::{
        Format, FormatRow, RecordLayout, TranscriptRecord,
        format::DocumentOpening,
        json_text::{UTF8_MARK, to_json_text},
        record::{DocumentCutter, RecordSource as _},
    },
};

/// Returns the format of a file from its first bytes, or `None` if it is no transcript.
///
/// `head` is the beginning of the file, best [`limits::RECOGNISE_BYTES`] long; more is ignored. The path's extension
/// counts only for formats that are text.
pub fn recognise_format(path: &Path, head: &[u8]) -> Option<Format> {
    let head = &head[..head.len().min(limits::RECOGNISE_BYTES)];
    let head = head.strip_prefix(UTF8_MARK).unwrap_or(head);
    match head.trim_ascii_start().first() {
        Some(b'{' | b'[') => recognise_lines(head).or_else(|| recognise_document(head)),
        // A transcript may begin with a broken line.
        Some(_) => recognise_text(path, head).or_else(|| recognise_lines(head)),
        None => None,
    }
}

fn recognise_text(path: &Path, head: &[u8]) -> Option<Format> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    let text = String::from_utf8_lossy(head);
    find_format(RecordLayout::Text, |row| (row.is_text)(&extension, &text))
}

fn find_format(layout: RecordLayout, is_it: impl Fn(&FormatRow) -> bool) -> Option<Format> {
    let row = FORMATS.into_iter().find(|row| is_it(row))?;
    Some(Format { row, layout })
}

fn recognise_lines(head: &[u8]) -> Option<Format> {
    const LINES: usize = 100;
    head.split(|&byte| byte == b'\n')
        .take(LINES)
        .filter_map(|line| {
            let line = to_json_text(line);
            let mut values = serde_json::Deserializer::from_str(&line).into_iter::<Value>();
            values.next()?.ok()
        })
        .find_map(|value| find_format(RecordLayout::Lines, |row| (row.is_line)(&value)))
}

fn recognise_document(head: &[u8]) -> Option<Format> {
    const PARTS: usize = 200;
    let mut parts = Vec::new();
    let mut cutter = DocumentCutter::new(head);
    while parts.len() < PARTS
        // Reading from memory does not fail.
        && let Ok(Some(record)) = cutter.next_record()
    {
        if let TranscriptRecord::Value { key, json } = record
            && let Ok(value) = serde_json::from_slice(json)
        {
            parts.push((key.to_owned(), value));
        }
    }
    let opening = DocumentOpening { parts };
    find_format(RecordLayout::Document, |row| (row.is_document)(&opening))
}
