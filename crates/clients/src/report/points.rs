//! What there is to learn in what people write about a change: one point a comment, without the forms of politeness.

use crate::transcript::text::starts_with_any;

/// Fewest words of a point: shorter ones say "nit" or "done".
const WORDS_MIN: usize = 4;

/// Beginnings of comments that ask for nothing.
const NO_POINTS: &str =
    "lgtm|looks good|thanks|thank you|nice|great|approved|done|fixed|+1|ship it|resolved";

/// Returns the first paragraph of a comment that says something, in one line; `None` if there is none.
///
/// Quotes, code, suggestions, pictures and what only Markdown's source shows are left out.
pub(super) fn find_point(comment: &str) -> Option<String> {
    let mut is_code = false;
    let mut paragraph = String::new();
    for line in comment.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        }
        let is_left_out = is_code || starts_with_any(line, "```|~~~|>|![|<");
        if line.is_empty() || is_left_out {
            if is_point(&paragraph) {
                break;
            }
            paragraph.clear();
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph += line.trim_start_matches(['#', '*', '-', ' ']);
    }
    is_point(&paragraph).then_some(paragraph)
}

fn is_point(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let is_polite = starts_with_any(&lower, NO_POINTS);
    // A question may be one of understanding, and nobody knows the answer.
    let is_question = lower.ends_with('?');
    lower.split_whitespace().count() >= WORDS_MIN && !is_polite && !is_question
}

/// Beginnings of what a reviewer writes where there is nothing to say.
const NOTHINGS: &str = "none|n/a|nothing|no residual|no remaining|no known|no further";

/// Returns whether an entry of a review says that there is nothing to say, or hardly anything.
pub(super) fn says_nothing(entry: &str) -> bool {
    let lower = entry.trim().to_lowercase();
    starts_with_any(&lower, NOTHINGS) || lower.split_whitespace().count() < 2
}

/// Joins statements into sentences.
pub(super) fn join_sentences(parts: impl IntoIterator<Item = String>) -> String {
    let parts = parts.into_iter().filter_map(|part| match part.trim() {
        "" => None,
        part if part.ends_with(['.', '!', '?']) => Some(part.to_owned()),
        part => Some(format!("{part}.")),
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// Adds to a point where it was made.
pub(super) fn add_place(point: String, place: Option<&str>) -> String {
    match place {
        Some(place) if !point.contains(place) => {
            format!("{} ({place}).", point.trim_end_matches(['.', ' ']))
        }
        _ => point,
    }
}
