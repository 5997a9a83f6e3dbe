//! Finds credentials in HTTP headers: `Authorization`, `Cookie`, and the like.
//!
//! Headers are quoted everywhere: in command lines, JSON, code, logs and prose. So the rules search for the name of
//! the header or of the scheme, and accept many separators after it.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, ANY64, Alphabet, BASE64, LETTER, SLUG, ends_word, starts_word},
    ending, placeholder,
    value::{self, count_noise, is_among},
};

/// The longest credential, in bytes.
const CREDENTIAL_BYTES: usize = 4096;
/// The longest cookie header, in bytes.
const COOKIES_BYTES: usize = 2048;

/// Characters between a header's name and its value.
const GLUE: Alphabet = Alphabet::from_chars(" \t:=>,\"'`\\");
const CREDENTIAL: Alphabet = ANY64.union(Alphabet::from_chars("~|:%@!*"));
#[rustfmt::skip]
const SCHEMES: &[&str] = &[
    "api-key", "apikey", "aws", "basic", "bearer", "bot", "digest", "geniekey", "hawk", "key",
    "negotiate", "ntlm", "oauth", "splunk", "sso-key", "token",
];
const COOKIE_ATTRIBUTES: &[&str] = &[
    "path", "domain", "expires", "max-age", "samesite", "version", "priority", "comment",
];

/// Words in the names of cookies that keep a user logged in.
#[rustfmt::skip]
const SESSION_WORDS: &[&str] = &["sess", "sid", "auth", "token", "jwt", "remember", "login", "csrf"];

/// Finds the credential after the word `authorization` at `at`.
pub(super) fn find_authorization(text: &[u8], at: usize) -> Option<Range<usize>> {
    let glue = GLUE.run_from(text, at + "authorization".len(), 12);
    let is_assigned = text[glue.clone()].iter().any(|byte| b":=,".contains(byte));
    let scheme = SLUG.run_from(text, glue.end, 12);
    let gap = read_gap(text, scheme.end);
    let has_scheme = !gap.is_empty() && is_among(&text[scheme], SCHEMES);
    let credential = read_credential(text, if has_scheme { gap.end } else { glue.end });
    let bytes = &text[credential.clone()];
    let random = count_noise(bytes) >= 8 || value::is_encoded_pair(bytes);
    // After the header's name and its scheme only a credential can stand.
    let likely = bytes.len() >= 6 && has_digit_or_padding(bytes) || bytes.len() >= 10;
    accept_secret(
        credential,
        is_assigned && (random || has_scheme && likely),
        text,
    )
}

/// Finds the credential after the word `bearer` at `at`.
pub(super) fn find_bearer_token(text: &[u8], at: usize) -> Option<Range<usize>> {
    let after = at + "bearer".len();
    let colon = Alphabet::from_chars(":=").run_from(text, after, 1);
    let gap = read_gap(text, colon.end);
    let credential = read_credential(text, gap.end);
    let bytes = &text[credential.clone()];
    let random =
        bytes.len() >= 6 && has_digit_or_padding(bytes) && !value::is_technical_word(bytes)
            || count_noise(bytes) >= 8;
    let apart = !(gap.is_empty() && colon.is_empty());
    accept_secret(credential, apart && random && starts_word(text, at), text)
}

/// Finds the credential after the word `basic` at `at`, which must be a pair in Base64.
pub(super) fn find_basic_credential(text: &[u8], at: usize) -> Option<Range<usize>> {
    let gap = read_gap(text, at + "basic".len());
    let credential = BASE64.run_from(text, gap.end, CREDENTIAL_BYTES);
    let bytes = &text[credential.clone()];
    let pair = bytes.len() >= 8 && value::is_encoded_pair(bytes) && ends_word(text, credential.end);
    accept_secret(
        credential,
        !gap.is_empty() && pair && starts_word(text, at),
        text,
    )
}

/// Finds the values of the cookies after the word `cookie` at `at`.
pub(super) fn find_cookie_secrets(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let glue = GLUE.run_from(text, at + "cookie".len(), 8);
    let is_header = text[glue.clone()].iter().any(|byte| b":=".contains(byte))
        || text[..at].ends_with(b"--") && !glue.is_empty();
    if !is_header {
        return Vec::new();
    }
    let line = Alphabet::from_chars("\n\r\"'`");
    let end = text.len().min(glue.end + COOKIES_BYTES);
    let length = text[glue.end..end]
        .iter()
        .take_while(|&&byte| !line.contains(byte))
        .count();
    let mut secrets = Vec::new();
    let mut start = glue.end;
    for pair in text[glue.end..glue.end + length].split(|&byte| byte == b';') {
        let range = start..start + pair.len();
        start = range.end + 1;
        secrets.extend(find_cookie_value(text, range));
    }
    secrets
}

fn find_cookie_value(text: &[u8], pair: Range<usize>) -> Option<Range<usize>> {
    let equals = text[pair.clone()].iter().position(|&byte| byte == b'=')?;
    let name = text[pair.start..pair.start + equals].trim_ascii();
    let value = ending::trim_stops(text, pair.start + equals + 1..pair.end, b" \t\r");
    let bytes = &text[value.clone()];
    let is_session = SESSION_WORDS
        .iter()
        .any(|word| value::contains_ignoring_case(name, word));
    let random =
        count_noise(bytes) >= 12 || is_session && bytes.len() >= 6 && has_digit_or_padding(bytes);
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    let secret = random
        && is_name
        && !is_among(name, COOKIE_ATTRIBUTES)
        && !placeholder::is_placeholder(bytes);
    secret.then_some(value)
}

/// Returns the range of white space at `at`, also URL-encoded.
fn read_gap(text: &[u8], at: usize) -> Range<usize> {
    if text[at..].starts_with(b"%20") {
        return at..at + 3;
    }
    Alphabet::from_chars(" \t+").run_from(text, at, 16)
}

fn read_credential(text: &[u8], at: usize) -> Range<usize> {
    let run = CREDENTIAL.run_from(text, at, CREDENTIAL_BYTES);
    ending::trim_stops(text, run, b".:!*")
}

fn has_digit_or_padding(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(|&byte| LETTER.contains(byte))
        || bytes.len() >= 12 && bytes.ends_with(b"=") && ALNUM.contains(bytes[0])
}

fn accept_secret(range: Range<usize>, found: bool, text: &[u8]) -> Option<Range<usize>> {
    let is_elided = text[range.end..].starts_with(b"...");
    let secret = found && !is_elided && !placeholder::is_placeholder(&text[range.clone()]);
    secret.then_some(range)
}
