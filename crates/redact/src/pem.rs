//! Finds armoured private keys: every kind of PEM and PGP block, PuTTY's files, and pieces of them.
//!
//! A block is redacted whole, header, body and footer. It may be written with escaped line breaks, on one line, in
//! pieces of string literals, without an end, or without a beginning. Public keys and certificates stay.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, BASE64},
    value,
};

/// The longest block, in bytes.
const BLOCK_BYTES: usize = 16 * 1024;
/// The longest label between the dashes, in bytes.
const LABEL_BYTES: usize = 64;
/// The length from which a word belongs to a key's body and not to a sentence, in characters.
const MIN_BODY_WORD: usize = 20;

const LABEL: Alphabet = ALNUM.union(Alphabet::from_chars(" \t_"));
const DASH: Alphabet = Alphabet::from_chars("-");
const BLANK: Alphabet = Alphabet::from_chars(" \t\r\n\"'`+,;()");

/// Finds the block whose header begins at `at`.
pub(super) fn find_block(text: &[u8], at: usize) -> Option<Range<usize>> {
    let header = read_armour_line(text, at, "begin")?;
    let limit = text.len().min(header.end + BLOCK_BYTES);
    let body = &text[header.end..limit];
    let dashes = body.windows(4).position(|window| window == b"----");
    let footer = dashes.and_then(|offset| read_armour_line(text, header.end + offset, "end"));
    let end = footer.map_or_else(|| find_body_end(text, header.end), |footer| footer.end);
    Some(at..end)
}

/// Finds the rest of a block whose footer begins at `at`, when its beginning was cut off.
pub(super) fn find_cut_block(text: &[u8], at: usize) -> Option<Range<usize>> {
    let footer = read_armour_line(text, at, "end")?;
    Some(find_body_start(text, at)..footer.end)
}

/// Finds the lines of a body that begins at `at` without a header, recognised by the beginning of all OpenSSH keys.
pub(super) fn find_bare_body(text: &[u8], at: usize) -> Option<Range<usize>> {
    Some(at..find_body_end(text, at))
}

/// Finds the lines after `Private-Lines:` at `at`.
pub(super) fn find_putty_key(text: &[u8], at: usize) -> Option<Range<usize>> {
    let count = Alphabet::from_chars(" 0123456789").run_from(text, at + "private-lines:".len(), 8);
    let end = find_body_end(text, count.end);
    (end > count.end).then_some(at..end)
}

/// Reads `-----BEGIN … PRIVATE KEY …-----` with any number of dashes from four, in any case.
fn read_armour_line(text: &[u8], at: usize, verb: &str) -> Option<Range<usize>> {
    let dashes = DASH.run_from(text, at, 8);
    let label = LABEL.run_from(text, dashes.end, LABEL_BYTES);
    let closing = DASH.run_from(text, label.end, 8);
    let words: Vec<&[u8]> = text[label.clone()]
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .collect();
    let is = |index: usize, word: &str| {
        words
            .get(index)
            .is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()))
    };
    let private = (1..words.len()).any(|index| is(index, "private") && is(index + 1, "key"));
    let is_closed = closing.len() >= 4 || label.end == text.len();
    (dashes.len() >= 4 && is(0, verb) && private && is_closed).then_some(at..closing.end)
}

/// Returns where a body that has no footer ends: after its last line of Base64 or of headers.
fn find_body_end(text: &[u8], start: usize) -> usize {
    let limit = text.len().min(start + BLOCK_BYTES);
    let (mut at, mut end) = (start, start);
    loop {
        at = skip_blank(text, at, limit);
        let word = read_word(text, at, limit);
        if word.is_empty() {
            return end;
        }
        if text.get(word.end) == Some(&b':') || text[word.clone()].ends_with(b"-Type") {
            let line = text[word.end..limit]
                .iter()
                .take_while(|&&byte| byte != b'\n')
                .count();
            let line_break = text[word.end..word.end + line]
                .windows(2)
                .position(|pair| pair == b"\\n");
            at = word.end + line_break.unwrap_or(line);
            continue;
        }
        if !is_body_word(&text[word.clone()], word.end == text.len()) {
            return end;
        }
        at = word.end;
        end = word.end;
    }
}

fn skip_blank(text: &[u8], mut at: usize, limit: usize) -> usize {
    loop {
        let blanks = BLANK.run_from(text, at, limit.saturating_sub(at)).end;
        let escape = text.get(blanks) == Some(&b'\\')
            && text
                .get(blanks + 1)
                .is_some_and(|byte| b"nrt\\\"\n".contains(byte));
        if !escape {
            return blanks;
        }
        at = blanks + if text[blanks + 1] == b'\\' { 1 } else { 2 };
    }
}

fn read_word(text: &[u8], at: usize, limit: usize) -> Range<usize> {
    BASE64
        .union(DASH)
        .run_from(text, at, limit.saturating_sub(at))
}

/// Returns whether a word can be a line of a key's base64, and not prose: long, noisy, padded, or the last one.
fn is_body_word(word: &[u8], last: bool) -> bool {
    BASE64.contains_all(word)
        && (word.len() >= MIN_BODY_WORD
            || last
            || value::count_noise(word) > 0
            || word.ends_with(b"="))
}

/// Returns where a body that has no header begins.
fn find_body_start(text: &[u8], end: usize) -> usize {
    let limit = end.saturating_sub(BLOCK_BYTES);
    let (mut at, mut start) = (end, end);
    loop {
        let blanks = BLANK.run_before(text, at, at - limit).start;
        let escapes =
            text[limit..blanks].ends_with(b"\\n") || text[limit..blanks].ends_with(b"\\r");
        if escapes {
            at = blanks - 2;
            continue;
        }
        // An escaped line break runs into the line before it: `…abc\nabc…`.
        let run = BASE64.run_before(text, blanks, blanks - limit);
        let after_escape = text[limit..run.start].ends_with(b"\\") && !run.is_empty();
        let word = run.start + usize::from(after_escape && matches!(text[run.start], b'n' | b'r'))
            ..run.end;
        let is_last = start == end;
        if word.is_empty() || !is_body_word(&text[word.clone()], is_last || word.start == 0) {
            return start;
        }
        start = word.start;
        at = word.start;
    }
}
