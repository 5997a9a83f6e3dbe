//! Text helpers of the readers: cutting, unwrapping, comparing without regard to case.

use hardwon_core::text::floor_char_boundary;

/// Cuts a text to at most `bytes` bytes, at a blank, so that no word (and so no token, key or password) is cut in half;
/// a key block that would lose its end is left out whole.
///
/// The cut is marked with `…`. A text that has no blank to cut at keeps nothing but the mark, unless it runs on for
/// longer than any word (Chinese, pasted data): it is cut at a character.
pub(crate) fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let head = prefix_within(text, bytes);
    let blank = head.rfind(char::is_whitespace).unwrap_or(0);
    let whole_words = if text[head.len()..].starts_with(char::is_whitespace) {
        head
    } else if head.len() - blank > WORD_BYTES {
        prefix_within(head, bytes - '…'.len_utf8())
    } else {
        &head[..blank]
    };
    let mut text = drop_open_key_block(whole_words).trim_end().to_owned();
    text.push('…');
    text
}

/// Longest word, in bytes: a longer stretch without a blank is no word. No secret is as long, and one at the cut is far
/// behind what is kept of any text.
const WORD_BYTES: usize = 8 * 1024;

/// Strips blank lines before a text and blanks after it. Its first line keeps its indentation.
pub(crate) fn trim_lines(text: &str) -> &str {
    let text = text.trim_end();
    let blanks = &text[..text.len() - text.trim_start().len()];
    &text[blanks.rfind('\n').map_or(0, |line_break| line_break + 1)..]
}

/// Returns the longest beginning of a text that has at most `bytes` bytes.
pub(crate) fn prefix_within(text: &str, bytes: usize) -> &str {
    &text[..floor_char_boundary(text, bytes)]
}

/// Returns the longest end of a text that has at most `bytes` bytes.
pub(crate) fn suffix_within(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Drops a `-----BEGIN …` block whose end was cut off, because half a key is no longer recognised as one.
fn drop_open_key_block(text: &str) -> &str {
    match text.rfind("-----BEGIN") {
        Some(begin) if !text[begin..].contains("-----END") => &text[..begin],
        _ => text,
    }
}

/// Returns the first and the last line that are not blank.
pub(crate) fn first_and_last_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let first = text.lines().next()?;
    let last = text.rsplit('\n').next()?;
    Some((first.trim(), last.trim()))
}

/// Returns what follows `prefix`, compared without regard to ASCII case.
pub(crate) fn strip_prefix_ci<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

/// Returns whether `text` begins with one of the prefixes in a list such as `a|b c`, without regard to ASCII case.
pub(crate) fn starts_with_any(text: &str, prefixes: &str) -> bool {
    let text = text.as_bytes();
    let begins_with = |prefix: &[u8]| {
        let head = text.get(..prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    // Byte by byte, because a prefix is shorter than what a search for a character takes to begin.
    prefixes
        .as_bytes()
        .split(|byte| *byte == b'|')
        .any(begins_with)
}

/// Returns whether `text`, already in lower case, holds one of the phrases in a list such as `a|b c`.
pub(crate) fn contains_any(lower: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| lower.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_never_halves_a_word() {
        for (text, bytes, expected) in [
            ("short", 10, "short"),
            ("one two three", 8, "one two…"),
            ("one two three", 7, "one two…"),
            ("one two three", 9, "one two…"),
            ("onelongtokenwithoutblanks", 8, "…"),
            ("größer als du", 3, "…"),
            ("a\nb\nc", 3, "a\nb…"),
            (
                "key\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nMIIF\nMIIG\n",
                44,
                "key…",
            ),
        ] {
            assert_eq!(shorten(text, bytes), expected, "{text:?}");
        }
    }

    #[test]
    fn what_has_no_blanks_is_cut_at_a_character() {
        for (character, bytes, kept) in [
            ("認", 16 * 1024, 5460),
            ("é", 16 * 1024, 8190),
            ("x", 9000, 8997),
        ] {
            let cut = shorten(&character.repeat(20_000), bytes);
            assert_eq!(cut, format!("{}…", character.repeat(kept)));
        }
        let line = format!("one two {}", "x".repeat(8000));
        assert_eq!(shorten(&line, 8005), "one two…");
    }

    #[test]
    fn ends_are_the_first_and_last_line_that_say_something() {
        assert_eq!(first_and_last_line("\n  a \nb\n c\n\n"), Some(("a", "c")));
        assert_eq!(first_and_last_line("one"), Some(("one", "one")));
        assert_eq!(first_and_last_line("  "), None);
    }
}
