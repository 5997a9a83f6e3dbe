//! Small functions for wording: code spans, lists, whole sentences within a limit.

use crate::limits;

/// Puts a text into a code span.
pub(super) fn code_span(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// Sets an error message in italics, apart from our own words.
pub(super) fn emphasize_error(gist: &str) -> String {
    let gist = gist.replace('*', "").replace('`', "'");
    match gist.trim() {
        "" => "an error".to_owned(),
        gist => format!("*{gist}*"),
    }
}

/// Joins names as code spans: `a`, `a and b`, `a, b and c`.
pub(super) fn join_code_spans(names: &[String]) -> String {
    let codes: Vec<String> = names.iter().map(|name| code_span(name)).collect();
    match codes.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., end] => format!("{} and {end}", front.join(", ")),
    }
}

/// Returns as many whole sentences of a text as fit; `None` if not even the first does.
pub(super) fn whole_sentences(text: &str, limit: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    if line.chars().count() <= limit {
        return Some(end_sentence(&line));
    }
    let ends = line
        .match_indices(['.', '!', '?', ';'])
        .filter(|(at, mark)| line[at + mark.len()..].starts_with(' '));
    let ends = ends.map(|(at, mark)| at + mark.len());
    let fitting = ends.take_while(|end| line[..*end].chars().count() <= limit);
    Some(end_sentence(line[..fitting.last()?].trim_end_matches(';')))
}

fn end_sentence(sentence: &str) -> String {
    if sentence.ends_with(['.', '!', '?']) {
        sentence.to_owned()
    } else {
        format!("{sentence}.")
    }
}

/// Returns the title for a sentence: the sentence itself if it fits, else its first clause, or what fits
/// where that only leads up to what is to be done (`After editing, …`).
pub fn derive_title(sentence: &str) -> String {
    let first = sentence.split(". ").next().unwrap_or(sentence);
    let first = first.trim().trim_end_matches('.');
    if first.chars().count() <= limits::TITLE_CHARS {
        return first.to_owned();
    }
    let clause = first.split([',', ';', ':', '(']).next();
    let clause = clause.unwrap_or(first).trim();
    let leads_up = clause.split(' ').count() < TITLE_WORDS;
    if clause.chars().count() <= limits::TITLE_CHARS && !leads_up {
        return clause.to_owned();
    }
    let whole = if leads_up { first } else { clause };
    let cut = cut_at_word(whole, limits::TITLE_CHARS);
    format!("{}…", cut.trim_end_matches([',', ';', ':']))
}

/// Returns the words of a text that leave room for an ellipsis within a limit.
pub(super) fn cut_at_word(text: &str, limit: usize) -> &str {
    let end = text.char_indices().nth(limit - 1);
    let end = end.map_or(text.len(), |(at, _)| at);
    &text[..text[..end].rfind(' ').unwrap_or(end)]
}

/// The fewest words of a clause that can be a title.
const TITLE_WORDS: usize = 4;

/// Turns a name into a tag: lower case, letters, digits and hyphens.
pub(super) fn normalize_tag(name: &str) -> Option<String> {
    let mut tag = String::new();
    for c in name.to_lowercase().chars().take(limits::TAG_CHARS) {
        if c.is_ascii_alphanumeric() {
            tag.push(c);
        } else if !tag.ends_with('-') && !tag.is_empty() {
            tag.push('-');
        }
    }
    let tag = tag.trim_end_matches('-').to_owned();
    (tag.len() >= 2 && tag.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_never_cut() {
        for (text, limit, expected) in [
            ("One. Two.", 50, Some("One. Two.")),
            ("One. Two is longer.", 10, Some("One.")),
            ("No end that fits in here", 10, None),
            ("no stop", 10, Some("no stop.")),
            (" ", 10, None),
            (
                "Use foo.py now. Then more words follow.",
                20,
                Some("Use foo.py now."),
            ),
        ] {
            assert_eq!(whole_sentences(text, limit).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_title_says_what_to_do() {
        let rest = "run the formatter and then the linter again ".repeat(9);
        let title = |start: &str| derive_title(&format!("{start}, {rest}"));
        assert_eq!(derive_title("Use foo.py now. Then more."), "Use foo.py now");
        assert_eq!(
            title("Use another port for tests"),
            "Use another port for tests"
        );
        let led_up = title("After editing");
        assert!(
            led_up.starts_with("After editing, run the formatter"),
            "{led_up}"
        );
        assert!(led_up.ends_with('…') && led_up.chars().count() <= limits::TITLE_CHARS);
    }

    #[test]
    fn tags() {
        for (name, expected) in [
            ("npm run test:unit", Some("npm-run-test-unit")),
            ("1", None),
            ("./x", None),
            ("Git", Some("git")),
        ] {
            assert_eq!(normalize_tag(name).as_deref(), expected);
        }
    }
}
