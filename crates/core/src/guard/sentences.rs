//! Finds the ends of sentences, so that a text can be shortened without cutting into one.

use std::ops::Range;

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "no", "approx", "incl", "resp", "fig", "sec", "z.b", "bzw",
    "p.ex",
];

/// Returns the byte offset at which each sentence of `text` ends, without the spaces after it.
///
/// A line break ends a sentence, and so does punctuation followed by a space, unless it stands in code, the next word
/// begins in lower case or the full stop belongs to an abbreviation. Everything else stays together: better a long sentence than half
/// of one.
pub fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = &text[from..];
        let start = from + rest.len() - rest.trim_start().len();
        (start < text.len()).then_some(())?;
        from = start + find_sentence_end(&text[start..]);
        Some(start + text[start..from].trim_end().len())
    })
}

/// Returns the byte range of each sentence of `text`, with the spaces before it.
pub(crate) fn sentence_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    sentence_ends(text).map(move |end| std::mem::replace(&mut start, end)..end)
}

/// Returns as many whole sentences from the beginning of `text` as have so many characters together; none if the first is
/// longer.
pub fn keep_sentences(text: &str, chars: usize) -> &str {
    let limit = text
        .char_indices()
        .nth(chars)
        .map_or(text.len(), |pair| pair.0);
    let end = sentence_ends(text).take_while(|&end| end <= limit).last();
    text[..end.unwrap_or(0)].trim()
}

/// Returns the first sentence of `text`.
pub(crate) fn first_sentence(text: &str) -> &str {
    let end = sentence_ends(text).next().unwrap_or(0);
    text[..end].trim_start()
}

/// Returns a sentence without the reason that it ends with: that is told, and not asked for.
pub(crate) fn strip_reason(sentence: &str) -> &str {
    const REASONS: [&str; 4] = [" because ", ", since ", ", as ", ", so that "];
    let starts = REASONS
        .iter()
        .flat_map(|reason| sentence.match_indices(reason));
    let in_prose = starts.filter(|(at, _)| sentence[..*at].matches('`').count().is_multiple_of(2));
    let start = in_prose.map(|(at, _)| at).filter(|at| *at > 0).min();
    &sentence[..start.unwrap_or(sentence.len())]
}

fn find_sentence_end(text: &str) -> usize {
    let ends = text
        .char_indices()
        .map(|(at, ch)| (at, at + ch.len_utf8(), ch));
    let mut code_end = 0;
    ends.filter(|&(at, after, ch)| match ch {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => true,
        _ if at < code_end => false,
        '`' => {
            code_end = find_code_end(text, after);
            false
        }
        '.' => begins_new_sentence(&text[after..]) && !is_abbreviation(&text[..at]),
        '!' | '?' => begins_new_sentence(&text[after..]),
        '。' | '！' | '？' => true,
        _ => false,
    })
    .map(|(_, after, _)| after)
    .next()
    .unwrap_or(text.len())
}

/// Returns where the code ends that begins here; where it begins, if it does not end on its line.
fn find_code_end(text: &str, start: usize) -> usize {
    let line = text[start..].lines().next().unwrap_or_default();
    line.find('`').map_or(start, |length| start + length + 1)
}

/// Returns whether the text after punctuation begins a new sentence.
fn begins_new_sentence(after: &str) -> bool {
    let next = after.trim_start();
    next.is_empty() || next.len() < after.len() && !next.starts_with(char::is_lowercase)
}

fn is_abbreviation(before: &str) -> bool {
    let start = before
        .rfind(|ch: char| ch.is_whitespace() || ch == '(')
        .map_or(0, |at| at + 1);
    let word = before.get(start..).unwrap_or_default().to_lowercase();
    ABBREVIATIONS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_stops() {
        for (text, want) in [
            (
                "One. Two! Three? Four",
                vec!["One.", "Two!", "Three?", "Four"],
            ),
            (
                "Use v1.2.3 of serde. It works.",
                vec!["Use v1.2.3 of serde.", "It works."],
            ),
            (
                "Pass flags, e.g. `-v` or -q. Done.",
                vec!["Pass flags, e.g. `-v` or -q.", "Done."],
            ),
            (
                "Use `go test ./... -race` first. Then `a. B` and `c. D",
                vec![
                    "Use `go test ./... -race` first.",
                    "Then `a. B` and `c.",
                    "D",
                ],
            ),
            ("see foo.rs. and bar", vec!["see foo.rs. and bar"]),
            ("- a\n- b\r\n", vec!["- a", "- b"]),
            (
                "先に保存する。次に実行する。",
                vec!["先に保存する。", "次に実行する。"],
            ),
            ("  ", vec![]),
        ] {
            let mut from = 0;
            let sentences = sentence_ends(text).map(|end| {
                let sentence = text[from..end].trim();
                from = end;
                sentence
            });
            assert_eq!(sentences.collect::<Vec<_>>(), want);
            assert_eq!(first_sentence(text), *want.first().unwrap_or(&""));
        }
    }

    #[test]
    fn the_reason_is_no_part_of_what_is_asked() {
        for (sentence, expected) in [
            (
                "Always run it, because the default fails.",
                "Always run it,",
            ),
            (
                "Use `a, as b` here, since it is faster.",
                "Use `a, as b` here",
            ),
            (
                "Because it fails, run it again.",
                "Because it fails, run it again.",
            ),
        ] {
            assert_eq!(strip_reason(sentence), expected);
        }
    }
}
