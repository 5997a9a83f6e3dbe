//! Finds logins of line protocols in sessions and logs: `AUTH ann …`, `a1 LOGIN ann …`, `PASS …`, in mail, Redis,
//! FTP, news and chat.
//!
//! There the verb is first on its line, after a prompt, a time or a tag, and the secret is last. Such words also
//! begin sentences and reports of tests, so a line with more text stays.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, BASE64, BLANK, DIGIT, LETTER, starts_word},
    command, phrase, placeholder, value,
};

/// How much before a line is read of its dialogue, and how long the line may be, in bytes.
const DIALOGUE_BYTES: usize = 240;
/// The most words after a verb.
const MAX_WORDS: usize = 4;

/// Finds the argument of `AUTH` or `AUTHENTICATE` at `at`: a password after its user, or the input of a mechanism.
pub(super) fn find_auth_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    if let Some(secret) = find_counted_word(text, at + "auth".len()) {
        return Some(secret);
    }
    let rest = LETTER.run_from(text, at + "auth".len(), 16);
    if !rest.is_empty() && !text[rest].eq_ignore_ascii_case(b"enticate") {
        return None;
    }
    let verb = ProtocolVerb::read_at(text, at)?;
    let words = verb.argument_words();
    let secret = words.last()?.clone();
    let bytes = &text[secret.clone()];
    let is_mixed = bytes.iter().any(|byte| !byte.is_ascii_lowercase());
    let mechanism = BASE64.contains_all(bytes) && bytes.len() >= 8 && is_mixed;
    let is_secret = match &words[..] {
        [first, _] if is_mechanism(&text[first.clone()]) => mechanism,
        [_] => verb.is_prompted && may_be_password(bytes) && !is_mechanism(bytes),
        [_, _] => verb.is_answer && may_be_password(bytes) || command::is_typed_password(bytes),
        _ => false,
    };
    is_secret.then_some(secret)
}

/// Finds the password of IMAP's `a1 LOGIN user password` at `at`.
pub(super) fn find_imap_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let verb = ProtocolVerb::read_at(text, at)?;
    let words = verb.argument_words();
    let [_, secret] = &words[..] else {
        return None;
    };
    (verb.is_tagged && may_be_password(&text[secret.clone()])).then(|| secret.clone())
}

/// Finds the password of `PASS password` at `at`, with a user before it or a nick after it.
pub(super) fn find_pass_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let verb = ProtocolVerb::read_at(text, at)?;
    let words = verb.argument_words();
    let secret = words.first()?.start..words.last()?.end;
    let near = &text[at.saturating_sub(DIALOGUE_BYTES)..at];
    let next = text[secret.end..].trim_ascii_start();
    let holds = |word: &&str| near.windows(word.len()).any(|pair| pair == word.as_bytes());
    let is_told =
        ["USER ", "331 ", "NICK ", "/quote "].iter().any(holds) || next.starts_with(b"NICK ");
    let bytes = &text[secret.clone()];
    let guest = ["USER anonymous", "USER ftp"].iter().any(holds);
    let alone = words.len() == 1 || verb.is_prompted;
    (is_told && alone && !guest && may_be_password(bytes)).then_some(secret)
}

/// Finds the password that `IDENTIFY` at `at` sends to a chat's nick service.
pub(super) fn find_identify_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let verb = ProtocolVerb::read_at(text, at)?;
    let near = &text[at.saturating_sub(32)..at];
    let words = verb.argument_words();
    let secret = words.last().filter(|_| words.len() <= 2)?.clone();
    let is_told = ["msg nickserv", "/nickserv ", "/ns "]
        .iter()
        .any(|word| value::contains_ignoring_case(near, word));
    (is_told && may_be_password(&text[secret.clone()])).then_some(secret)
}

/// Finds the password in the rules that Redis sets for a user: `SETUSER ann on >password`.
pub(super) fn find_acl_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let words = split_line_words(text, at + "setuser ".len());
    let rule = words.into_iter().find(|word| text[word.start] == b'>')?;
    let secret = rule.start + 1..rule.end;
    (secret.len() >= 4 && !is_harmless(&text[secret.clone()])).then_some(secret)
}

/// Finds the answer to `334 UGFzc3dvcmQ6`, which asks for a password in Base64.
pub(super) fn find_smtp_answer(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = text[at..].iter().take(80).position(|&byte| byte == b'\n')?;
    let words = split_line_words(text, at + line + 1);
    let secret = words.last().filter(|_| words.len() <= MAX_WORDS)?.clone();
    (secret.len() >= 6 && BASE64.contains_all(&text[secret.clone()])).then_some(secret)
}

/// Finds the network password in the text of a Wi-Fi QR code: `WIFI:T:WPA;S:name;P:password;;`.
pub(super) fn find_wifi_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = &text[at..text.len().min(at + DIALOGUE_BYTES)];
    let line = line.split(|&byte| byte == b'\n').next()?;
    let field = line.windows(3).position(|window| window == b";P:")? + 3;
    let ends = |at: &usize| line[*at] == b';' && line[at - 1] != b'\\';
    let end = (field..line.len()).find(ends)?;
    let secret = at + field..at + end;
    (secret.len() >= 4 && !is_harmless(&text[secret.clone()])).then_some(secret)
}

/// A protocol verb at the beginning of its line.
struct ProtocolVerb<'t> {
    text: &'t [u8],
    /// The offset after the verb.
    end: usize,
    /// Whether it follows a prompt, as in a session.
    is_answer: bool,
    /// Whether a prompt or a sign of the dialogue's side precedes it.
    is_prompted: bool,
    /// Whether an IMAP tag precedes it.
    is_tagged: bool,
}

impl<'t> ProtocolVerb<'t> {
    /// Reads the verb at `at`; `None` unless it is one and is first on its line, apart from what a session or a log
    /// puts there.
    fn read_at(text: &'t [u8], at: usize) -> Option<Self> {
        let end = LETTER.run_from(text, at, 16).end;
        let ends = text
            .get(end)
            .is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'"');
        if !starts_word(text, at) || !ends {
            return None;
        }
        let near = &text[at.saturating_sub(DIALOGUE_BYTES)..at];
        let start = near.iter().rposition(|&byte| byte == b'\n');
        let before = near[start.map_or(0, |at| at + 1)..].trim_ascii();
        // Redis' `MONITOR` quotes every word.
        let inside_quotes = before
            .strip_suffix(b"\"")
            .filter(|_| text.get(end) == Some(&b'"'));
        let (before, end) = inside_quotes.map_or((before, end), |inside_quote| {
            (inside_quote.trim_ascii_end(), end + 1)
        });
        let tag = before.rsplit(|byte| BLANK.contains(*byte)).next()?;
        let is_numbered = ALNUM.contains_all(tag) && tag.iter().any(u8::is_ascii_digit);
        let is_tagged = tag == b"." || tag.len() <= 8 && is_numbered;
        let is_answer = before.last().is_some_and(|byte| b">%".contains(byte));
        let is_prompted = before.last().is_some_and(|byte| b">%:]|".contains(byte));
        let is_first = before.is_empty()
            || is_prompted
            || value::contains_ignoring_case(before, "nickserv")
            || value::contains_ignoring_case(before, "authinfo")
            || before.starts_with(b"/");
        let loud = !text[at..end].iter().any(u8::is_ascii_lowercase);
        ((is_first || is_tagged) && (loud || is_answer || before.starts_with(b"/"))).then_some(
            Self {
                text,
                end,
                is_answer,
                is_prompted,
                is_tagged,
            },
        )
    }

    /// Returns the words after the verb, without the quotes around them.
    fn argument_words(&self) -> Vec<Range<usize>> {
        split_line_words(self.text, self.end)
    }
}

/// Splits the rest of a line at its spaces, except those within quotes.
fn split_line_words(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let limit = text.len().min(start + DIALOGUE_BYTES);
    let (mut words, mut at) = (Vec::new(), start);
    while words.len() <= MAX_WORDS {
        at = BLANK.run_from(text, at, 64).end;
        let quote = usize::from(text.get(at) == Some(&b'"'));
        let rest = text.get(at + quote..limit).unwrap_or_default();
        let ends = |byte: &u8| match quote {
            0 => byte.is_ascii_whitespace(),
            _ => b"\"\r\n".contains(byte),
        };
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if length == 0 {
            break;
        }
        words.push(at + quote..at + quote + length);
        at += length + 2 * quote;
    }
    words
}

/// Returns the last of the counted words after Redis' `$4 AUTH`: `$3 ann $8 password`, one a line.
fn find_counted_word(text: &[u8], end: usize) -> Option<Range<usize>> {
    const BREAK: Alphabet = Alphabet::from_chars("\\rn\r\n");
    let (mut at, mut words) = (end, Vec::new());
    while words.len() < 2 {
        let count = BREAK.run_from(text, at, 4).end;
        let digits = DIGIT.run_from(text, count + 1, 3);
        let word = BREAK.run_from(text, digits.end, 4);
        if text.get(count) != Some(&b'$') || digits.is_empty() || word.is_empty() {
            break;
        }
        let length: usize = std::str::from_utf8(&text[digits]).ok()?.parse().ok()?;
        at = word.end + length;
        text.get(word.end..at)?;
        words.push(word.end..at);
    }
    let secret = words.pop()?;
    (secret.len() >= 4 && !is_harmless(&text[secret.clone()])).then_some(secret)
}

/// Returns whether a word names a login mechanism: `PLAIN`, `LOGIN`, `CRAM-MD5`, `XOAUTH2`.
fn is_mechanism(word: &[u8]) -> bool {
    word.len() >= 3 && !word.iter().any(u8::is_ascii_lowercase) && LETTER.contains(word[0])
}

/// Returns whether a word may be a password, where nothing else is expected.
fn may_be_password(bytes: &[u8]) -> bool {
    let is_counted = matches!(bytes, [b'{', .., b'}']);
    bytes.len() >= 6 && !is_counted && !is_harmless(bytes) && phrase::is_uncommon(bytes)
}

fn is_harmless(bytes: &[u8]) -> bool {
    placeholder::is_stand_in(bytes) || value::contains_ignoring_case(bytes, "[redacted:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_of_line_protocols() {
        type Find = fn(&[u8], usize) -> Option<Range<usize>>;
        let check = |find: Find, text: &str, anchor: &str, expected: Option<&str>| {
            let found = find(text.as_bytes(), text.find(anchor).unwrap());
            assert_eq!(found.map(|range| &text[range]), expected, "{text}");
        };
        for (text, expected) in [
            ("C: AUTH PLAIN AGFubgBmZXJu", Some("AGFubgBmZXJu")),
            ("h:6379> AUTH ann fern-moss", Some("fern-moss")),
            ("h:6379> AUTH fernmoss", Some("fernmoss")),
            ("AUTH ann Fern-Moss7", Some("Fern-Moss7")),
            ("*2\r\n$4\r\nAUTH\r\n$8\r\nfernmoss\r\n", Some("fernmoss")),
            ("9.1 [0 h:1] \"AUTH\" \"fernmoss7\"", Some("fernmoss7")),
            ("250-AUTH PLAIN LOGIN", None),
            ("AUTH PLAIN is gone", None),
            ("AUTH <user> <password>", None),
            ("use AUTH before7", None),
            ("AUTHORITY ann Fern-Moss7", None),
            ("the AUTH ann Fern-Moss7", None),
        ] {
            check(find_auth_secret, text, "AUTH", expected);
        }
        for (text, expected) in [
            ("a1 LOGIN ann \"fern moss\"", Some("fern moss")),
            ("a1 LOGIN ann fernmoss", Some("fernmoss")),
            ("a1 LOGIN user password", None),
            ("a1 LOGIN {4}", None),
            ("press LOGIN and continue", None),
        ] {
            check(find_imap_password, text, "LOGIN", expected);
        }
        for (text, expected) in [
            ("USER ann\n331 ok\nPASS fernmoss\n", Some("fernmoss")),
            ("PASS fernmoss\nNICK ann", Some("fernmoss")),
            ("USER anonymous\nPASS a@b\n", None),
            ("USERS ok\nPASS all users\n", None),
            ("ok\nPASS src/fern.test.ts\n", None),
        ] {
            check(find_pass_secret, text, "PASS", expected);
        }
        let text = "/msg NickServ IDENTIFY ann fernmoss";
        check(find_identify_secret, text, "IDENTIFY", Some("fernmoss"));
        check(
            find_identify_secret,
            "/msg NickServ IDENTIFY <nick> <password>",
            "IDENTIFY",
            None,
        );
        check(
            find_acl_password,
            "SETUSER ann on >fernmoss ~* +@all",
            "SET",
            Some("fernmoss"),
        );
        check(find_acl_password, "SETUSER ann off resetpass", "SET", None);
        check(
            find_smtp_answer,
            "334 UGFzc3dvcmQ6\n> RmVybk1vc3M=\n",
            "334",
            Some("RmVybk1vc3M="),
        );
        check(
            find_smtp_answer,
            "334 UGFzc3dvcmQ6\n535 it was wrong",
            "334",
            None,
        );
        check(
            find_wifi_password,
            "WIFI:T:WPA;S:a;P:fernmoss;;",
            "WIFI",
            Some("fernmoss"),
        );
        check(find_wifi_password, "WIFI:T:nopass;S:a;;", "WIFI", None);
    }
}
