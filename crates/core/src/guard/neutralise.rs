//! Makes text safe to show inside a prompt.
//!
//! [`neutralise`] is for rendering: its result is one line, whatever the input. [`break_suspicious_markers`] is for
//! text to be stored. Which parts of a text are markers is decided by [`find_markers`]
//! alone.

use std::borrow::Cow;

use super::marker::{Marker, MarkerKind, find_markers};
use crate::text::fold::{control_sequence_length, is_ignorable};

/// The replacement for a marker. It contains no character that a marker begins with.
const REMOVED_MARKER: &str = "(marker removed)";

/// How often markers are searched for before all characters that they consist of are removed.
const MAX_ROUNDS: usize = 4;

/// Makes any text safe to show on one line inside a prompt.
///
/// Markers become visible words, line breaks become spaces, control sequences and hidden characters are removed.
/// Ordinary text on one line comes through byte for byte. The result contains no marker that [`find_markers`] knows,
/// and neutralising it again changes nothing.
pub fn neutralise(text: &str) -> Cow<'_, str> {
    let plain = break_markers(text, |_| true);
    match apply_step(plain, join_lines) {
        // Nothing was changed, so no new marker can have formed.
        same @ Cow::Borrowed(_) => same,
        changed @ Cow::Owned(_) => apply_step(changed, |text| break_markers(text, |_| true)),
    }
}

/// Makes any text safe as [`neutralise`] does, cut to `chars` characters with the cut marked.
pub fn neutralise_within(text: &str, chars: usize) -> String {
    let whole = neutralise(text);
    if whole.chars().count() <= chars {
        return whole.into_owned();
    }
    let head: String = whole.chars().take(chars.saturating_sub(1)).collect();
    neutralise_after_cut(format!("{}…", head.trim_end()))
}

/// Makes the beginning of a safe text safe again: a cut can create a marker, such as a comment that has lost its end.
/// The result is not longer.
pub(crate) fn neutralise_after_cut(head: String) -> String {
    if find_markers(&head).is_empty() {
        head
    } else {
        strip_to_plain(&head)
    }
}

/// Breaks the markers that ordinary advice has no reason to contain, and keeps the lines.
///
/// All stored text has been through this, so a reader that prints a lesson as it is stored is as safe as one that
/// renders it.
pub(super) fn break_suspicious_markers(text: &str) -> Cow<'_, str> {
    break_markers(text, MarkerKind::is_suspicious)
}

fn break_markers(text: &str, breaks: impl Fn(MarkerKind) -> bool) -> Cow<'_, str> {
    let mut text = strip_invisible(text);
    for _ in 0..MAX_ROUNDS {
        let mut markers = find_markers(&text);
        markers.retain(|marker| breaks(marker.kind));
        if markers.is_empty() {
            return text;
        }
        text = Cow::Owned(replace_markers(&text, &markers));
    }
    let plain = strip_to_plain(&text);
    Cow::Owned(plain)
}

/// Applies a further step, without copying as long as no step changes anything.
fn apply_step(text: Cow<'_, str>, step: impl Fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => Cow::Owned(step(&text).into_owned()),
    }
}

fn replace_markers(text: &str, markers: &[Marker]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for marker in markers {
        out.push_str(&text[from..marker.span.start]);
        out.push_str(match marker.kind {
            MarkerKind::Fence if text[marker.span.clone()].contains('~') => "~",
            MarkerKind::Fence => "`",
            _ => REMOVED_MARKER,
        });
        from = marker.span.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Keeps only letters, digits and plain punctuation. A text that needs this was no advice.
fn strip_to_plain(text: &str) -> String {
    let keep = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, ' ' | ',' | '\n');
    text.chars().filter(|&ch| keep(ch)).collect()
}

/// Joins lines: line breaks, and the spaces around them, become one space.
pub(super) fn join_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(is_line_break) {
        return Cow::Borrowed(text);
    }
    let mut lines = text
        .split(is_line_break)
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let mut out = String::with_capacity(text.len());
    out.push_str(lines.next().unwrap_or_default());
    for line in lines {
        out.push(' ');
        out.push_str(line);
    }
    Cow::Owned(out)
}

fn is_line_break(ch: char) -> bool {
    matches!(
        ch,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Most invisible characters in a row; an emoji needs two.
const INVISIBLE_RUN: usize = 2;

/// Removes what a reader cannot see and a model can: control characters, terminal sequences, direction overrides, tag
/// characters, and long runs of invisible characters.
fn strip_invisible(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut invisible = 0;
    let mut rest = text;
    while let Some(ch) = rest.chars().next() {
        let skip = match ch {
            '\u{1b}' => control_sequence_length(rest.chars()),
            _ => 1,
        };
        invisible = if is_ignorable(ch) { invisible + 1 } else { 0 };
        if !is_hidden(ch) && (invisible <= INVISIBLE_RUN || is_accent(ch)) {
            out.push(ch);
        }
        let next = rest
            .char_indices()
            .nth(skip)
            .map_or(rest.len(), |(index, _)| index);
        rest = &rest[next..];
    }
    if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

/// Returns whether a character is an accent; these pile up in honest text, so they do not count as invisible.
fn is_accent(ch: char) -> bool {
    let selector = matches!(ch, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{34f}');
    !selector && unicode_normalization::char::is_combining_mark(ch)
}

fn is_hidden(ch: char) -> bool {
    matches!(
        ch,
        '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'..='\u{84}'
            | '\u{86}'..='\u{9f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests;
