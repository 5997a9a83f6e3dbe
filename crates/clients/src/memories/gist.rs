//! The words of a longer text that fit a lesson: whole sentences from the beginning of it.

use hardwon_core::{guard::keep_sentences, limits};

use super::{front::FrontMatter, markdown::MarkdownItem};

/// Most characters of a title.
pub(super) const TITLE_CHARS: usize = limits::TITLE_CHARS;
/// Most characters of what calls for a lesson.
pub(super) const SIGNATURE_CHARS: usize = limits::SIGNATURE_CHARS;
/// Most characters of when it applies and of what went wrong.
pub(super) const SITUATION_CHARS: usize = 800;
/// Most characters of what to do, of a point that stands for itself.
pub(super) const TEXT_CHARS: usize = 2000;
/// Most characters of one part of what to do, of a page that tells a story: a lesson is shown with 600.
pub(super) const PART_CHARS: usize = 450;
/// Fewest letters that say something.
const LETTERS: usize = 6;

/// Puts items together into one text that is no longer than this.
pub(super) fn join_items<'a>(
    items: impl IntoIterator<Item = &'a MarkdownItem>,
    chars: usize,
) -> String {
    let mut text = String::new();
    for item in items.into_iter().filter(|it| !it.is_table()) {
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
        text.push_str(more.trim_end_matches(':'));
        if !text.ends_with(['.', '!', '?', ';', '\u{3002}', '\u{2026}']) {
            text.push('.');
        }
    }
    text
}

/// Returns how much room there is for a part of what to do: a file that hardwon wrote has the whole of it.
pub(super) fn find_room(front: &FrontMatter, chars: usize) -> usize {
    match front.find_value("source") {
        Some("hardwon") => limits::TEXT_CHARS,
        _ => chars,
    }
}

/// Returns as many whole sentences as fit; if not even the first does, its words as far as they fit.
pub(super) fn shorten(text: &str, chars: usize) -> String {
    let text = text.trim();
    let kept = keep_sentences(text, chars);
    if text.is_empty() || !kept.is_empty() || chars < 40 {
        return kept.to_owned();
    }
    let end = text
        .char_indices()
        .nth(chars - 2)
        .map_or(text.len(), |it| it.0);
    let head = &text[..end];
    let head = head
        .rfind(char::is_whitespace)
        .map_or(head, |at| &head[..at]);
    format!("{} \u{2026}", head.trim_end())
}

/// Returns a line that is short enough, else `None`.
pub(super) fn keep_short(text: &str, chars: usize) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.chars().count() <= chars).then(|| text.to_owned())
}
