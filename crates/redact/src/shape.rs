//! Finds secrets known by their shape as a whole: signed tokens, seed phrases, Kubernetes secrets, and long random
//! tokens of unknown vendors.

use std::ops::Range;

use super::{
    SecretProof, SecretSpan,
    alphabet::{ALNUM, Alphabet, BASE64, HEX, LETTER, SLUG, ends_word, escape_length, starts_word},
    call, ending, placeholder,
    value::{self, count_noise, shannon_entropy},
};

/// The longest part of a signed token, in characters.
const PART_CHARS: usize = 8 * 1024;
/// The most parts of a signed token: five, if it is encrypted.
const MAX_PARTS: usize = 5;
/// The fewest and the most words of a wallet's seed phrase.
const PHRASE_WORDS: (usize, usize) = (12, 24);
/// How far from `kind: Secret` its data may be, in bytes.
const MANIFEST_BYTES: usize = 2048;
/// The shortest run of letters and digits that is checked by itself.
const MIN_TOKEN_CHARS: usize = 30;
/// The longest run of letters and digits that is checked by itself.
const MAX_TOKEN_CHARS: usize = 512;

/// Finds the JSON Web Token at `at`.
pub(super) fn find_jwt(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !text[at..].starts_with(b"eyJ") || !starts_word(text, at) {
        return None;
    }
    let mut parts = 0;
    let mut end = at;
    while parts < MAX_PARTS {
        let part = SLUG.run_from(text, end, PART_CHARS);
        let least = if parts < 2 { 8 } else { 1 };
        if part.len() < least {
            break;
        }
        parts += 1;
        end = part.end;
        if text.get(end) != Some(&b'.') {
            break;
        }
        end += 1;
    }
    (parts >= 2).then(|| ending::trim_stops(text, at..end, b"."))
}

/// Finds the words of a wallet after `mnemonic` or `phrase` at `at`.
pub(super) fn find_seed_phrase(text: &[u8], at: usize) -> Option<Range<usize>> {
    const GLUE: Alphabet = Alphabet::from_chars(" \t:=>,\"'`\\*\n");
    let name = LETTER.run_from(text, at, 16);
    let first = GLUE.run_from(text, name.end, 12);
    let verb = LETTER.run_from(text, first.end, 3);
    let is_verb = &text[verb.clone()] == b"is" || &text[verb.clone()] == b"was";
    let start = if is_verb {
        GLUE.run_from(text, verb.end, 12).end
    } else {
        first.end
    };
    let (mut end, mut count, mut next) = (start, 0, start);
    while count < PHRASE_WORDS.1 {
        let word = LETTER.run_from(text, next, 9);
        let is_word =
            (3..=8).contains(&word.len()) && text[word.clone()].iter().all(u8::is_ascii_lowercase);
        if !is_word {
            break;
        }
        count += 1;
        end = word.end;
        next = Alphabet::from_chars(" ,\n").run_from(text, end, 2).end;
    }
    (count >= PHRASE_WORDS.0).then_some(start..end)
}

/// Finds the entries of the Kubernetes secret whose `kind` is at `at`.
pub(super) fn find_kubernetes_secrets(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let glue = Alphabet::from_chars(" \t:\"'\\").run_from(text, at + "kind".len(), 8);
    let is_secret = text[glue.clone()].contains(&b':')
        && text[glue.end..].starts_with(b"Secret")
        && ends_word(text, glue.end + "Secret".len());
    if !is_secret {
        return Vec::new();
    }
    let back = at.saturating_sub(MANIFEST_BYTES);
    let before = text[back..at].windows(4).rposition(|part| part == b"\n---");
    let start = before.map_or(back, |offset| back + offset + 4);
    let limit = text.len().min(at + MANIFEST_BYTES);
    let after = text[at..limit].windows(4).position(|part| part == b"\n---");
    let end = after.map_or(limit, |offset| at + offset);
    find_entries(text, start..end)
}

/// Returns the lines with values below `data:` and `stringData:`.
fn find_entries(text: &[u8], manifest: Range<usize>) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut data: Option<usize> = None;
    let mut start = manifest.start;
    for line in text[manifest].split(|&byte| byte == b'\n') {
        let indent = line.iter().take_while(|&&byte| byte == b' ').count();
        let content = line.trim_ascii();
        let range = start + indent..start + indent + content.len();
        start += line.len() + 1;
        match data {
            Some(depth) if indent > depth => spans.extend(accept_entry(text, range)),
            _ if content.is_empty() => {}
            _ => {
                let begins = content == b"data:" || content == b"stringData:";
                data = begins.then_some(indent);
            }
        }
    }
    spans
}

/// Returns the line, with its name, if it has a value: a manifest keeps secrets in names as well.
fn accept_entry(text: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    let bytes = &text[line.clone()];
    let colon = bytes.iter().position(|&byte| byte == b':');
    let value = bytes[colon.map_or(0, |colon| colon + 1)..].trim_ascii();
    let value = value.trim_ascii_start();
    let bare = Alphabet::from_chars("\"' |>-");
    let empty = bare.contains_all(value);
    let whole = colon.is_some() || BASE64.contains_all(value);
    (!empty && whole && !placeholder::is_placeholder(value)).then_some(line)
}

/// Finds long random tokens that no other rule knows: `prefix_` and thirty characters or more.
pub(super) fn find_long_tokens(text: &[u8]) -> Vec<SecretSpan> {
    let mut spans: Vec<SecretSpan> = Vec::new();
    let mut at = 0;
    // A run of thirty covers one of every thirty places, so most of the text is never read.
    while at + MIN_TOKEN_CHARS <= text.len() {
        let run = ALNUM.run_before(text, at + MIN_TOKEN_CHARS, MIN_TOKEN_CHARS);
        if run.start > at {
            at = run.start;
            continue;
        }
        let run = at..ALNUM.run_from(text, at, usize::MAX).end;
        at = run.end + 1;
        spans.extend(read_long_token(text, run));
        let account = spans
            .last()
            .filter(|spans| spans.kind == "twilio-key" && spans.range.end + 1 == at);
        let beside = account.and_then(|spans| call::find_beside_account(text, spans.range.clone()));
        spans.extend(beside.map(twilio_key));
    }
    spans
}

fn twilio_key(range: Range<usize>) -> SecretSpan {
    SecretSpan {
        range,
        kind: "twilio-key",
        proof: SecretProof::Form,
    }
}

fn read_long_token(text: &[u8], run: Range<usize>) -> Option<SecretSpan> {
    let bytes = &text[run.clone()];
    if bytes.len() == 34 && matches!(&bytes[..2], b"SK" | b"AC") && HEX.contains_all(&bytes[2..]) {
        return (starts_word(text, run.start) && count_noise(bytes) > 0).then(|| twilio_key(run));
    }
    let prefix = SLUG.run_before(text, run.start, 24);
    let escape = escape_length(text, prefix.start).min(prefix.len());
    let start = prefix.start + escape;
    let joints = Alphabet::from_chars("_-").run_from(text, start, prefix.end - start);
    let prefix = joints.end..prefix.end;
    let random = bytes.len() <= MAX_TOKEN_CHARS
        && !HEX.contains_all(bytes)
        && count_noise(bytes) == bytes.len()
        && shannon_entropy(bytes) >= 3.8;
    let is_prefix = is_vendor_prefix(&text[prefix.clone()]) && starts_word(text, prefix.start);
    let after = &text[run.end..];
    let in_blob = text[..prefix.start].ends_with(b"/") || after.starts_with(b"/");
    let in_blob = in_blob || after.starts_with(b"+") || after.starts_with(b"...");
    let is_digest = value::is_digest(&text[prefix.start..run.end]);
    let is_sample = placeholder::is_placeholder(bytes);
    (random && is_prefix && !in_blob && !is_digest && !is_sample).then_some(SecretSpan {
        range: prefix.start..run.end,
        kind: "token",
        proof: SecretProof::Randomness,
    })
}

/// Returns whether the bytes look like a vendor's token prefix: `ab_`, `abc_live_`, `abc-v1-`.
fn is_vendor_prefix(prefix: &[u8]) -> bool {
    let Some((joint @ (b'_' | b'-'), words)) = prefix.split_last() else {
        return false;
    };
    let words: Vec<&[u8]> = words.split(|byte| byte == joint).collect();
    words.len() <= 3
        && words[0].len() >= 2
        && words[0][0].is_ascii_alphabetic()
        && words
            .iter()
            .all(|word| word.len() <= 10 && count_noise(word) == 0)
}
