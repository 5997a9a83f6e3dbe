//! Finds secrets in what is written in base64, in hexadecimal digits, or in escapes.
//!
//! What is found in the decoded text is a secret where it is encoded. A text that decodes to no text stays: a digest, a
//! picture, a key without its name.

use std::ops::Range;

use super::{
    SecretProof, SecretSpan,
    alphabet::{ALNUM, Alphabet, DIGIT, HEX, SLUG},
    hidden,
};

/// The shortest text that is decoded, in characters, and the shortest that it may be decoded to.
const MIN_CHARS: usize = 12;
const MIN_DECODED: usize = 8;
/// What is decoded to more, in bytes, is not so by chance.
const MUCH_DECODED: usize = 32;
/// How much is decoded before it is looked at, in bytes.
const STEP_BYTES: usize = 16;
/// How often something may be encoded.
pub(super) const MAX_DEPTH: usize = 3;
/// The longest text with escapes, in bytes.
const ESCAPED_BYTES: usize = 16 * 1024;

const BASE64: Alphabet = SLUG.union(Alphabet::from_chars("+/"));

/// Finds what is encoded in a text that was itself decoded `depth` times.
pub(super) fn find_encoded(text: &[u8], depth: usize) -> Vec<SecretSpan> {
    let (mut found, mut at) = (Vec::new(), 0);
    // A run of twelve covers one of every twelve places, so much of the text is never read.
    while at + MIN_CHARS <= text.len() {
        let run = BASE64.run_before(text, at + MIN_CHARS, MIN_CHARS);
        if run.start > at {
            at = run.start;
            continue;
        }
        let run = at..BASE64.run_from(text, at, usize::MAX).end;
        at = run.end + 1;
        found.extend(read_run(text, run, depth));
    }
    found
}

/// Returns the run from where it decodes to a text with a secret.
fn read_run(text: &[u8], run: Range<usize>, depth: usize) -> Option<SecretSpan> {
    let end = Alphabet::from_chars("=").run_from(text, run.end, 2).end;
    let bytes = &text[run.clone()];
    let digits = bytes.strip_prefix(b"0x").unwrap_or(bytes);
    if HEX.contains_all(digits) {
        let hex = digits.chunks_exact(2).map_while(read_hex);
        if let Some(secret) = find_in_decoded(&decode_text(hex), depth) {
            return Some(SecretSpan {
                range: run.start..end,
                ..secret
            });
        }
    }
    let mut offset = 0;
    while offset + MIN_CHARS <= bytes.len() {
        let start = run.start + offset;
        let plain = decode_text(decode_base64(&bytes[offset..]));
        let token = find_numbered_token(text, start..run.end);
        if let Some(secret) = token.or_else(|| find_in_decoded(&plain, depth)) {
            let end = end.max(secret.range.end);
            return Some(SecretSpan {
                range: start..end,
                ..secret
            });
        }
        // A name may precede it: `blob/…`. What decodes to much text begins nowhere else.
        let next = offset + plain.len() * usize::from(plain.len() > MUCH_DECODED);
        let next = ALNUM.run_from(bytes, next, usize::MAX).end;
        offset = next + 1;
    }
    None
}

/// Returns the bytes of what was decoded, as far as they may be text; UTF-16 is read as what it is in ASCII.
fn list_text(decoded: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
    decoded.filter(|&byte| byte != 0).take_while(is_text)
}

/// Returns what was decoded, as far as that is text; nothing if that is less than can be a secret.
fn decode_text(decoded: impl Iterator<Item = u8>) -> String {
    let mut plain = list_text(decoded);
    let (mut text, mut step, mut rest) = (String::new(), [0; STEP_BYTES], 0);
    loop {
        let mut length = rest;
        while length < STEP_BYTES
            && let Some(byte) = plain.next()
        {
            step[length] = byte;
            length += 1;
        }
        let chunk = step[..length].utf8_chunks().next();
        let valid = chunk.map_or("", |chunk| chunk.valid());
        // Most words decode to no text, which shows in their first letters.
        if text.is_empty() && valid.len() < MIN_DECODED {
            return text;
        }
        text.push_str(valid);
        let end = valid.len();
        // Up to three bytes of a character may still lack its end.
        if length < STEP_BYTES || length - end > 3 {
            return text;
        }
        step.copy_within(end..length, 0);
        rest = length - end;
    }
}

/// Returns the first secret in a text that was decoded.
fn find_in_decoded(decoded: &str, depth: usize) -> Option<SecretSpan> {
    if decoded.len() < MIN_DECODED {
        return None;
    }
    let text = hidden::drop_separators(decoded);
    super::find_secrets_decoded(text.as_bytes(), depth + 1)
        .into_iter()
        .next()
}

fn is_text(byte: &u8) -> bool {
    !byte.is_ascii_control() || b"\t\n\r\x1b".contains(byte)
}

/// Finds the token that begins with the number of an account in base64, and is signed: `MTIz….Abc123.…`.
fn find_numbered_token(text: &[u8], number: Range<usize>) -> Option<SecretSpan> {
    let time = SLUG.run_from(text, number.end + 1, 8);
    let sign = SLUG.run_from(text, time.end + 1, 128);
    let is_signed = text.get(number.end) == Some(&b'.')
        && text.get(time.end) == Some(&b'.')
        && time.len() >= 6
        && sign.len() >= 27;
    if !is_signed {
        return None;
    }
    let digits: Vec<u8> = decode_base64(&text[number.clone()]).take(24).collect();
    let is_number = (17..=20).contains(&digits.len()) && DIGIT.contains_all(&digits);
    is_number.then_some(SecretSpan {
        range: number.start..sign.end,
        kind: "discord-token",
        proof: SecretProof::Form,
    })
}

/// Finds what is written in escapes: `%70%61`, `\x70`, `\u0070`.
pub(super) fn find_escaped(text: &[u8], depth: usize) -> Vec<SecretSpan> {
    let (mut found, mut at) = (Vec::new(), 0);
    let begins_escape = |byte: &u8| matches!(byte, b'%' | b'\\');
    while let Some(offset) = text[at..].iter().position(begins_escape) {
        let escape = at + offset;
        if read_escape(&text[escape..]).is_none() {
            at = escape + 1;
            continue;
        }
        let near = &text[at.max(escape.saturating_sub(ESCAPED_BYTES))..escape];
        let blank = near.iter().rposition(u8::is_ascii_whitespace);
        let start = escape - near.len() + blank.map_or(0, |at| at + 1);
        let word = text[start..].iter().take(ESCAPED_BYTES);
        let end = start + word.take_while(|byte| !byte.is_ascii_whitespace()).count();
        found.extend(find_in_escaped(text, start..end, depth));
        at = end.max(escape + 1);
    }
    found
}

fn find_in_escaped(text: &[u8], word: Range<usize>, depth: usize) -> Vec<SecretSpan> {
    let (mut decoded, mut places, mut at) = (Vec::new(), Vec::new(), word.start);
    while at < word.end {
        let (byte, length) = read_escape(&text[at..word.end]).unwrap_or((text[at], 1));
        decoded.push(byte);
        places.push(at);
        at += length;
    }
    places.push(word.end);
    let secrets = super::find_secrets_decoded(&decoded, depth + 1).into_iter();
    let place = |secret: SecretSpan| SecretSpan {
        range: places[secret.range.start]..places[secret.range.end],
        ..secret
    };
    secrets.map(place).collect()
}

/// Reads the escape of a printable character; returns it and the length of the escape.
fn read_escape(text: &[u8]) -> Option<(u8, usize)> {
    let (digits, length) = match text {
        [b'%', digits @ ..] => (digits.get(..2)?, 3),
        [b'\\', b'x' | b'X', digits @ ..] => (digits.get(..2)?, 4),
        [b'\\', b'u', b'0', b'0', digits @ ..] => (digits.get(..2)?, 6),
        _ => return None,
    };
    let byte = read_hex(digits)?;
    (byte.is_ascii_graphic() || b" \t\n".contains(&byte)).then_some((byte, length))
}

fn read_hex(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| HEX.contains_all(digits.as_bytes()))?;
    u8::from_str_radix(digits, 16).ok()
}

/// Decodes base64 as far as it is that, in both alphabets, without its padding.
pub fn decode_base64(digits: &[u8]) -> impl Iterator<Item = u8> {
    let groups = digits.chunks(4).map_while(|group| {
        let add_digit = |bits, byte: &u8| Some(bits << 6 | read_base64_digit(*byte)?);
        let bits = group.iter().try_fold(0_u32, add_digit)?;
        Some((bits << (6 * (4 - group.len())), group.len() - 1))
    });
    groups.flat_map(|(bits, length)| {
        let [_, bytes @ ..] = bits.to_be_bytes();
        bytes.into_iter().take(length)
    })
}

fn read_base64_digit(byte: u8) -> Option<u32> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(digit))
}
