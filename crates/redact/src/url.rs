//! Finds URLs that contain a credential: a password before the host, a webhook, a TOTP seed.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, HEX, LETTER, SLUG},
    ending, placeholder,
    value::{self, count_noise, is_among},
};

/// The longest URL that is read, in bytes.
const URL_BYTES: usize = 1024;
/// The longest `user:password`, in bytes.
const USERINFO_BYTES: usize = 512;

const HOST: Alphabet = ALNUM.union(Alphabet::from_chars(".-"));
/// Characters that no URL contains.
const URL_END: Alphabet = Alphabet::from_chars(" \t\r\n\"'`<>\\(){}|^");

/// Finds the password in a URL whose `://` is at `at`.
pub(super) fn find_userinfo_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + "://".len();
    let limit = text.len().min(start + USERINFO_BYTES);
    let is_end = |byte: &u8| b" \t\r\n\"'`<>\\".contains(byte);
    let whole = text[start..limit]
        .iter()
        .take_while(|byte| !is_end(byte))
        .count();
    let whole = &text[start..start + whole];
    let authority = whole
        .split(|byte| b"/?#".contains(byte))
        .next()
        .unwrap_or_default();
    // A password may contain an unescaped `/`, `?` or `#`; a port consists of digits.
    let is_port = |rest: &[u8]| rest.iter().all(u8::is_ascii_digit);
    let colon = authority.iter().position(|&byte| byte == b':');
    let spread = colon.is_some_and(|colon| !is_port(&authority[colon + 1..]));
    let read = if spread && !authority.contains(&b'@') {
        whole
    } else {
        authority
    };
    let sign = read.iter().rposition(|&byte| byte == b'@')?;
    secret_part(text, start..start + sign)
}

/// Returns the secret part of `user:password`: the password, or all if the user is secret too.
fn secret_part(text: &[u8], userinfo: Range<usize>) -> Option<Range<usize>> {
    let bytes = &text[userinfo.clone()];
    let colon = bytes.iter().position(|&byte| byte == b':');
    let user = &bytes[..colon.unwrap_or(bytes.len())];
    let secret_user = count_noise(user) >= 12 || (user.len() >= 8 && HEX.contains_all(user));
    let Some(colon) = colon else {
        return (secret_user && !placeholder::is_placeholder(user)).then_some(userinfo);
    };
    let password = &bytes[colon + 1..];
    let harmless = password.is_empty() || is_stand_in(password) || password == user;
    match (harmless, secret_user) {
        (true, true) if !placeholder::is_placeholder(user) => Some(userinfo),
        (true, _) => None,
        (false, true) => Some(userinfo),
        (false, false) => Some(userinfo.start + colon + 1..userinfo.end),
    }
}

/// Returns whether the password of a URL, or of a `user:password`, is only an example.
pub(super) fn is_stand_in(password: &[u8]) -> bool {
    password.starts_with(b"%s")
        || is_among(password, &["mypassword", "yourpassword"])
        || (placeholder::is_stand_in(password) && count_noise(password) < 8)
}

/// Finds the whole URL of a webhook, whose host is at `at`.
pub(super) fn find_webhook(text: &[u8], at: usize) -> Option<Range<usize>> {
    let host = HOST.run_before(text, at, 64);
    let before = &text[..host.start];
    let start = if before.ends_with(b"://") {
        LETTER.run_before(text, host.start - 3, 8).start
    } else {
        host.start
    };
    let range = start..ending::trim_stops(text, read_url(text, at), b".,;:!?").end;
    let path = &text[at..range.end];
    let random = count_noise(path) >= 16 && !value::contains_ignoring_case(path, "xxxx");
    random.then_some(range)
}

/// Finds the whole `otpauth://` URL at `at`.
pub(super) fn find_totp_url(text: &[u8], at: usize) -> Option<Range<usize>> {
    let range = read_url(text, at);
    let url = &text[range.clone()];
    let secret = url
        .windows("secret=".len())
        .position(|window| window.eq_ignore_ascii_case(b"secret="));
    let seed = secret.map(|at| SLUG.run_from(url, at + "secret=".len(), 128).len());
    (seed >= Some(8)).then_some(range)
}

fn read_url(text: &[u8], at: usize) -> Range<usize> {
    let near = text[at..].iter().take(URL_BYTES);
    at..at + near.take_while(|&&byte| !URL_END.contains(byte)).count()
}
