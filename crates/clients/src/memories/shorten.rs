//! The words of a longer text that fit a lesson: whole sentences from the beginning of it.

use hardwon_core::{RawText, guard::keep_sentences};

use super::markdown::MarkdownItem;

/// Most characters of when it applies and of what went wrong.
pub(super) const SITUATION_CHARS: usize = 800;
/// Fewest letters that say something.
const LETTERS: usize = 6;

/// Puts items together into one text that is no longer than this.
pub(super) fn join_items<'a>(
    items: impl IntoIterator<Item = &'a MarkdownItem>,
    chars: usize,
) -> String {
    let mut text = String::new();
    for item in items.into_iter().filter(|item| !item.is_table()) {
        let room = chars.saturating_sub(text.chars().count() + 1);
        let more = shorten(&item.text, room.max(usize::from(text.is_empty()) * chars));
        // The number of a point is a sentence of its own, and may be all that fits.
        if more.chars().filter(|c| c.is_alphabetic()).count() < LETTERS {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        // What a colon led to was a listing, or follows.
        text += more.trim_end_matches(':');
        if !text.ends_with(['.', '!', '?', ';', '\u{3002}', '\u{2026}']) {
            text.push('.');
        }
    }
    text
}

/// Returns as many whole sentences as fit; if not even the first does, its words as far as they fit.
pub(super) fn shorten(text: &str, chars: usize) -> String {
    let text = text.trim();
    let sentences = keep_sentences(text, chars);
    if text.is_empty() || !sentences.is_empty() || chars < 40 {
        return sentences.to_owned();
    }
    let end = text.char_indices().nth(chars - 2);
    let head = &text[..end.map_or(text.len(), |(at, _)| at)];
    let end = head.rfind(char::is_whitespace).unwrap_or(head.len());
    format!("{} \u{2026}", head[..end].trim_end())
}

/// Returns a line that is short enough, else `None`.
pub(super) fn keep_short(text: &str, chars: usize) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.chars().count() <= chars).then(|| text.to_owned())
}

/// Returns a text that is not blank.
pub(super) fn to_text(text: &str) -> Option<RawText> {
    (!text.trim().is_empty()).then(|| RawText::from(text))
}
