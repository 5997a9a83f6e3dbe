//! Drops the invisible parts of a text: control characters, terminal colours, invisible characters.
//!
//! Any of them can split a name or a secret so that no rule recognises it. What the remaining text means is judged
//! elsewhere.

use std::borrow::Cow;

/// How many bytes are checked together.
const CHUNK_BYTES: usize = 64;
/// The longest command sequence for a terminal, in bytes.
const COMMAND_BYTES: usize = 256;

/// Drops everything invisible; a carriage return becomes a line break.
pub(super) fn drop_hidden(text: &str) -> Cow<'_, str> {
    drop_matching(text, |rest| {
        is_hidden(rest.chars().next()?).then(|| skip_hidden(rest))
    })
}

/// Drops what could split a secret, also where it is written as an escape, as in JSON and in source code; line breaks
/// stay as they are.
pub(super) fn drop_separators(text: &str) -> Cow<'_, str> {
    drop_matching(text, |rest| {
        let first = rest.chars().next()?;
        match first {
            '\r' => None,
            '\\' => skip_hidden_escape(rest),
            '\u{fe00}'..='\u{fe0f}' => Some(skip_hidden(rest)),
            _ => is_hidden(first).then(|| skip_hidden(rest)),
        }
    })
}

/// Returns the first offset at or after `at` where something invisible may begin. Nearly all chunks of a text contain
/// none, which is checked without branching on each byte.
fn next_hidden_candidate(text: &[u8], at: usize) -> Option<usize> {
    let mut from = at;
    for chunk in text[at..].chunks(CHUNK_BYTES) {
        if chunk
            .iter()
            .fold(false, |any, &byte| any | may_start_hidden(byte))
        {
            let offset = chunk.iter().position(|&byte| may_start_hidden(byte));
            return offset.map(|offset| from + offset);
        }
        from += chunk.len();
    }
    None
}

/// Drops every part for which `after` returns the text that follows it.
fn drop_matching(text: &str, after: impl Fn(&str) -> Option<&str>) -> Cow<'_, str> {
    let mut visible = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(odd) = next_hidden_candidate(text.as_bytes(), at) {
        let rest = &text[odd..];
        at = odd;
        let Some(next) = after(rest) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        visible.push_str(&text[from..at]);
        let returns = rest.starts_with('\r') && !rest.starts_with("\r\n");
        let joins = rest.starts_with(['\u{200c}', '\u{200d}'])
            && !text[..at].ends_with(|c: char| c.is_ascii());
        match rest.chars().next() {
            Some(joiner) if joins => visible.push(joiner),
            _ if returns => visible.push('\n'),
            _ => {}
        }
        at = text.len() - next.len();
        from = at;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    visible.push_str(&text[from..]);
    Cow::Owned(visible)
}

/// Returns whether something invisible may begin with a byte: a control character, a backslash, the first byte of a
/// longer character.
fn may_start_hidden(byte: u8) -> bool {
    let control = (byte < 0x20) & (byte != b'\n') & (byte != b'\t');
    control | (byte == b'\\') | (byte == 0x7f) | (byte >= 0xc2)
}

/// Returns whether nobody sees a character: a control character other than a line break or a tab, or one that only
/// formats, such as those that turn the direction of writing.
pub fn is_hidden(c: char) -> bool {
    let format = matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}');
    format || (c.is_control() && c != '\n' && c != '\t')
}

/// Returns what follows the invisible character, or the terminal sequence, at the beginning.
fn skip_hidden(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix("\x1b[") {
        return skip_codes(rest);
    }
    if let Some(rest) = text.strip_prefix("\x1b]") {
        return skip_command(rest).unwrap_or(rest);
    }
    let mut chars = text.chars();
    chars.next();
    chars.as_str()
}

/// Returns what follows the numbers and the letter of a terminal sequence.
fn skip_codes(sequence: &str) -> &str {
    let end = sequence.find(|c: char| !(c.is_ascii_digit() || ";?:".contains(c)));
    let rest = end.map_or("", |end| &sequence[end..]);
    rest.strip_prefix(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(rest)
}

/// Returns what follows a terminal command, which ends with a bell or `ESC \`.
fn skip_command(command: &str) -> Option<&str> {
    let end = command
        .bytes()
        .take(COMMAND_BYTES)
        .position(|byte| matches!(byte, 7 | 0x1b | b'\n'))?;
    let rest = &command[end..];
    Some(
        rest.strip_prefix("\x1b\\")
            .or(rest.strip_prefix('\x07'))
            .unwrap_or(rest),
    )
}

/// Returns what follows an escape for something invisible: `\u001b[0m`, `\033[1;31m`, `\u200b`.
fn skip_hidden_escape(text: &str) -> Option<&str> {
    const ESCAPES: &[&str] = &["u001b[", "u001B[", "u{1b}[", "x1b[", "x1B[", "033[", "e["];
    let code = text.trim_start_matches('\\');
    if let Some(codes) = ESCAPES.iter().find_map(|escape| code.strip_prefix(escape)) {
        let rest = skip_codes(codes);
        return (rest.len() < codes.len()).then_some(rest);
    }
    let code = code.strip_prefix('u')?;
    // `\u200b`, and `\u{200b}` as Rust and newer JavaScript write it.
    let (digits, rest) = match code.strip_prefix('{') {
        Some(code) => code
            .get(..9)
            .unwrap_or(code)
            .find('}')
            .map(|end| (&code[..end], &code[end + 1..]))?,
        None => code.split_at_checked(4)?,
    };
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (is_hidden(c) && !c.is_control()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_goes() {
        for (text, expected) in [
            ("a\r\nb\tc", "a\nb\tc"),
            ("10%\r20%", "10%\n20%"),
            ("\x1b[1;31mred\x1b[0m \x07bell \x1b", "red bell "),
            ("\x1b]8;;https://x\x07link\x1b]8;;\x1b\\ on", "link on"),
            ("z\u{200b}ero\u{feff} \u{202e}x\u{e0041}", "zero x"),
            ("👩\u{200d}💻 a\u{200d}b", "👩\u{200d}💻 ab"),
            ("\\u001b[1m", "\\u001b[1m"),
        ] {
            assert_eq!(drop_hidden(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_holds_characters_apart_goes() {
        for (text, expected) in [
            ("a\r\nb", "a\r\nb"),
            (
                "\\u001b[34mpass\\u200bword\\033[0m \\\\x1b[1mx",
                "password x",
            ),
            ("p\u{fe0f}q\x1b[0m", "pq"),
            (
                "\\u0041 \\n C:\\e \\u001b plain é — 日",
                "\\u0041 \\n C:\\e \\u001b plain é — 日",
            ),
        ] {
            assert_eq!(drop_separators(text), expected, "{text:?}");
        }
        assert!(matches!(
            drop_separators("plain\r\n\ttext"),
            Cow::Borrowed(_)
        ));
    }
}
