//! Shows where a find is, without what was found: line, column, and the line with all finds replaced.

use std::ops::Range;

use hardwon_core::text::floor_char_boundary;
use hardwon_redact::{is_hidden, redact};

/// How much of a line is shown before and after a find, in bytes.
const MARGIN_BYTES: usize = 60;

/// Where lines begin in a text.
#[derive(Debug)]
pub(super) struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
        Self {
            starts: starts.collect(),
        }
    }

    /// Returns the number of the line that an offset is in, from 0.
    pub(super) fn line_at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// Returns the range of a line, without its break.
    pub(super) fn range_of(&self, text: &str, line: usize) -> Range<usize> {
        let start = self.starts[line];
        let end = self
            .starts
            .get(line + 1)
            .map_or(text.len(), |next| next - 1);
        start..end.max(start)
    }
}

/// Returns the part of a line around a find, in which each of the marked ranges is replaced by its mark.
pub(super) fn render_excerpt(
    text: &str,
    line: Range<usize>,
    found: &Range<usize>,
    marked: &[(Range<usize>, &str)],
) -> String {
    let start = floor_char_boundary(text, found.start.saturating_sub(MARGIN_BYTES)).max(line.start);
    let end = floor_char_boundary(text, (found.end + MARGIN_BYTES).min(text.len())).min(line.end);
    let (mut shown, mut rest) = (String::new(), start);
    let near = marked.partition_point(|(range, _)| range.end <= start);
    for (range, mark) in &marked[near..] {
        if range.start >= end {
            break;
        }
        if range.start >= rest {
            shown += &text[rest..range.start];
        }
        if range.end > rest {
            shown += &format!("[REDACTED:{mark}]");
        }
        rest = rest.max(range.end);
    }
    shown += text.get(rest..end).unwrap_or_default();
    let text = redact(&shown);
    let letters = text
        .chars()
        .map(|c| if is_hidden(c) || c == '\n' { ' ' } else { c });
    letters.collect::<String>().trim().to_owned()
}
