//! Makes text safe to stand inside somebody's prompt.
//!
//! [`neutralise`] is for rendering: one line out, whatever came in. [`break_suspicious`] is for
//! what gets stored. Which stretches of a text are markers is decided by
//! [`find_markers`](super::marker::find_markers) alone.

use std::borrow::Cow;

use super::marker::{Marker, MarkerKind, find_markers};
use crate::text::fold::{control_sequence_length, is_ignorable};

/// What stands in the place of a marker. It holds no character that a marker begins with.
const REMOVED_MARKER: &str = "(marker removed)";

/// How often markers are looked for before the text loses every character they are made of.
const MAX_ROUNDS: usize = 4;

/// Makes any text safe to stand on one line inside a prompt.
///
/// Markers become visible words, line breaks become blanks, control sequences and hidden
/// characters go. Ordinary text on one line comes through byte for byte. The result holds no
/// marker that [`find_markers`] knows, and neutralising it again changes nothing.
#[must_use]
pub fn neutralise(text: &str) -> Cow<'_, str> {
    let broken = break_markers(text, |_| true);
    match apply_step(broken, join_lines) {
        // Nothing was changed, so nothing can have grown together.
        same @ Cow::Borrowed(_) => same,
        changed @ Cow::Owned(_) => apply_step(changed, |text| break_markers(text, |_| true)),
    }
}

/// Makes any text safe as [`neutralise`] does, and at most so many characters long, its cut marked.
#[must_use]
pub fn neutralise_within(text: &str, chars: usize) -> String {
    let whole = neutralise(text);
    if whole.chars().count() <= chars {
        return whole.into_owned();
    }
    let head: String = whole.chars().take(chars.saturating_sub(1)).collect();
    neutralise_after_cut(format!("{}…", head.trim_end()))
}

/// Takes the beginning of a text that was safe, and makes it safe again: a cut makes a marker of what
/// was none, such as a comment that has lost its end. It does not grow.
pub(crate) fn neutralise_after_cut(head: String) -> String {
    match find_markers(&head).is_empty() {
        true => head,
        false => strip_to_plain(&head),
    }
}

/// Breaks the markers that ordinary advice has no reason to hold, and keeps the lines.
///
/// What is stored has been through this, so a reader that prints a lesson as it is kept is as
/// safe as one that renders it.
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
    let stripped = strip_to_plain(&text);
    Cow::Owned(stripped)
}

/// Applies a further step, and copies nothing as long as no step changes anything.
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

/// Leaves only letters, digits and plain punctuation. Nothing that got here was advice.
fn strip_to_plain(text: &str) -> String {
    let keep = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, ' ' | ',' | '\n');
    text.chars().filter(|&ch| keep(ch)).collect()
}

/// Puts a text on one line: line breaks, and the blanks around them, become one blank.
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

/// Most invisible characters that may stand together; an emoji needs two.
const INVISIBLE_RUN: usize = 2;

/// The flags that are spelt with tag characters, the only honest use of those.
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Takes out what a reader cannot see and a model can: control characters, terminal sequences,
/// direction overrides, tag characters, and long runs of anything invisible.
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
            '\u{1f3f4}' => {
                let flag = tagged_flag_length(rest);
                out.push_str(&rest[..flag]);
                rest = &rest[flag..];
                invisible = 0;
                continue;
            }
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

/// Accents pile up in honest text, so they do not count as invisible.
fn is_accent(ch: char) -> bool {
    let selector = matches!(ch, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{34f}');
    !selector && unicode_normalization::char::is_combining_mark(ch)
}

/// Returns the length of the black flag at the start of `text`, with its tags if they are known.
fn tagged_flag_length(text: &str) -> usize {
    let flag = '\u{1f3f4}'.len_utf8();
    let tags: String = text[flag..]
        .chars()
        .take(6)
        .filter_map(|ch| char::from_u32(u32::from(ch).checked_sub(0xe_0000)?))
        .collect();
    let known = TAGGED_FLAGS
        .iter()
        .any(|name| tags == format!("{name}\u{7f}"));
    if known { flag + 6 * 4 } else { flag }
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
