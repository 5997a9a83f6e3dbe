//! Finds the value below the line that names it: what a prompt was answered, what a command printed, the rest of an
//! assignment.
//!
//! How far the line ties the value to the name is in its [`Binding`]; whether the value is secret is not decided here.

use super::{
    Alphabet, BLANK, Binding, FieldName, FieldValue, QUOTE, READ_BYTES, VALUE_VERBS, ValueEnd,
    has_harmless_word, skip_closers,
};
use crate::{
    alphabet::{ANY64, SLUG},
    line::{LINE_BYTES, find_line_end},
    value::{count_noise, is_among},
};

/// The most lines without a word between a name and its value: blank ones, a fence.
const GAP_LINES: usize = 2;

/// What stands before the value on its line: indents, signs of lists and quotations.
const MARGIN: Alphabet = Alphabet::from_chars("> \t*-");
/// What stands behind it.
const CLOSERS: Alphabet = Alphabet::from_chars(" \t\r\"'`,;)]}");
/// The characters of a setting's name.
const NAME: Alphabet = SLUG.union(Alphabet::from_chars("."));
/// Signs after which a value is expected, on the next line if nowhere else.
const OPEN: &[u8] = b":=>([{?";

/// Reads the only word of the next line that has one.
pub(super) fn read_value_below(text: &[u8], name: &FieldName<'_>) -> Option<FieldValue> {
    let line_end = find_line_end(text, name.range.end).filter(|_| is_word(text, name))?;
    let start = skip_empty_lines(text, line_end + 1);
    let is_set_apart = start > line_end + 1;
    let rest = text[name.range.end..line_end].trim_ascii_end();
    let binding = bind_below(rest, is_set_apart)?;
    let word = MARGIN.run_from(text, start, READ_BYTES).end;
    let quotes = QUOTE.run_from(text, word, 3);
    let end = match text[quotes.clone()] {
        [] => ValueEnd::Word(None),
        [quote, ..] => ValueEnd::Quote(quote),
    };
    let range = end.read_value(text, quotes.end, READ_BYTES);
    let closed = CLOSERS.run_from(text, range.end, 8).end;
    let is_alone = matches!(text.get(closed), None | Some(b'\n'));
    let value = &text[range.clone()];
    let is_other = value.starts_with(b"<")
        || value.last().is_none_or(|byte| b":([{".contains(byte))
        || is_setting(value)
        || is_shell_prompt(value);
    (is_alone && !is_other).then_some(FieldValue {
        range,
        binding,
        is_glued: false,
        end,
    })
}

/// Returns whether a name is no part of something drawn by chance, such as a line of a certificate.
fn is_word(text: &[u8], name: &FieldName<'_>) -> bool {
    let before = ANY64.run_before(text, name.range.start, LINE_BYTES);
    let after = ANY64.run_from(text, name.range.end, LINE_BYTES);
    count_noise(&text[before.start..after.end]) < 12
}

/// Returns how the rest of a line ties the next line's word to the name; `None` if it says that it is none of its values.
fn bind_below(rest: &[u8], is_set_apart: bool) -> Option<Binding> {
    let clause = rest
        .split(|byte| b"(,;|<".contains(byte))
        .next()
        .unwrap_or_default();
    if has_harmless_word(clause) {
        return None;
    }
    let last = rest
        .rsplit(|byte| BLANK.contains(*byte))
        .next()
        .unwrap_or_default();
    let is_open = rest.last().is_some_and(|byte| OPEN.contains(byte))
        || rest.ends_with("：".as_bytes())
        || is_among(last, VALUE_VERBS);
    Some(if is_open {
        Binding::NextLine
    } else if is_set_apart || skip_closers(rest, 0) == rest.len() {
        Binding::Below
    } else {
        Binding::Printed
    })
}

/// Returns where the first line begins that has a word, or the last that may be passed over.
fn skip_empty_lines(text: &[u8], start: usize) -> usize {
    let mut at = start;
    for _ in 0..GAP_LINES {
        let Some(end) = find_line_end(text, at) else {
            break;
        };
        let line = text[at..end].trim_ascii();
        if !line.is_empty() && !line.starts_with(b"```") {
            break;
        }
        at = end + 1;
    }
    at
}

/// Returns whether a word sets another name: `pool.size=8`. Base64 may end in that sign.
fn is_setting(word: &[u8]) -> bool {
    let name = NAME.run_from(word, 0, word.len()).end;
    name >= 2 && word[name..].starts_with(b"=") && word[name..].iter().any(|byte| *byte != b'=')
}

/// Returns whether a word is what a shell prints before a command: `root@web1:/app#`.
fn is_shell_prompt(word: &[u8]) -> bool {
    let ends = word.last().is_some_and(|byte| b"#$%>".contains(byte));
    ends && word.contains(&b'@') && word.contains(&b':')
}
