//! Where sentences end, so that a text can be shortened without cutting into one.

/// Words whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "no", "approx", "incl", "resp", "fig", "sec", "z.b", "bzw",
    "p.ex",
];

/// Splits a text into sentences, blanks between them left out.
///
/// A line break ends one, and so does a mark that a blank follows, unless what comes next goes on
/// in lower case or the mark belongs to an abbreviation. Everything else stays together: better a
/// long sentence than half of one.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let end = (!rest.is_empty()).then(|| sentence_end(rest))?;
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence.trim_end())
    })
}

fn sentence_end(text: &str) -> usize {
    let ends = text
        .char_indices()
        .map(|(at, ch)| (at, at + ch.len_utf8(), ch));
    ends.filter(|&(at, after, ch)| match ch {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' | '。' | '！' | '？' => true,
        '.' => ends_here(&text[after..]) && !is_abbreviation(&text[..at]),
        '!' | '?' => ends_here(&text[after..]),
        _ => false,
    })
    .map(|(_, after, _)| after)
    .next()
    .unwrap_or(text.len())
}

/// Returns whether what follows a mark begins a new sentence.
fn ends_here(after: &str) -> bool {
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
            ("see foo.rs. and bar", vec!["see foo.rs. and bar"]),
            ("- a\n- b\r\n", vec!["- a", "- b"]),
            (
                "先に保存する。次に実行する。",
                vec!["先に保存する。", "次に実行する。"],
            ),
            ("  ", vec![]),
        ] {
            assert_eq!(sentences(text).collect::<Vec<_>>(), want);
        }
    }
}
