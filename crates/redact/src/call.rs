//! Finds credentials among the arguments of a call: `NetworkCredential("svc", "…")`, `.login('…')`.
//!
//! Only the callee says that one of its arguments is secret, so each row names a callee and the index of the
//! argument. An argument without quotes is an expression and stays.

use std::ops::Range;

use super::{
    alphabet::{Alphabet, BLANK, HEX, LETTER, SLUG, WORD, starts_word},
    command, piped, placeholder, value,
};

/// How much of a call is read, in bytes.
const CALL_BYTES: usize = 512;
/// How far from its type the numbers of a key may be, in bytes.
const KEY_BYTES: usize = 4096;
/// The most arguments that are read.
const MAX_ARGUMENTS: usize = 4;

/// Finds the password that is the argument with this index, from 0: 1 in `f(user, "password")`.
pub(super) fn find_argument_password<const INDEX: usize>(
    text: &[u8],
    at: usize,
) -> Option<Range<usize>> {
    read_password_argument(text, find_arguments_start(text, at)?, INDEX)
}

/// Finds the password of a pair assigned to a name: `auth=("ann", "…")`, `"auth" => ["ann", "…"]`.
pub(super) fn find_listed_pair(text: &[u8], at: usize) -> Option<Range<usize>> {
    let glue = Alphabet::from_chars("\"' \t:=>").run_from(text, at + "auth".len(), 8);
    let open = Alphabet::from_chars("([{").run_from(text, glue.end, 2);
    let is_called = glue.is_empty() && text[..at].ends_with(b".");
    let is_value = is_called || text[glue].iter().any(|byte| b":=".contains(byte));
    let is_value = is_value && starts_word(text, at);
    let pair =
        (is_value && !open.is_empty()).then(|| read_password_argument(text, open.end, 1))??;
    let bytes = &text[pair.clone()];
    // `auth: ["read", "write"]` lists permissions.
    let is_typed = text[open.start] == b'(' || super::login::is_mixed_password(bytes);
    (is_typed && !bytes.starts_with(b"/")).then_some(pair)
}

/// Finds the password among the arguments of a call that may take anything: a text that is built like a password and
/// no name, address or message, after one that may name a user.
pub(super) fn find_made_up_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let arguments = read_arguments(text, find_arguments_start(text, at)?);
    arguments.windows(2).find_map(|pair| {
        let (user, secret) = (pair[0].clone()?, pair[1].clone()?);
        (is_user_name(&text[user]) && is_made_up_password(&text[secret.clone()])).then_some(secret)
    })
}

/// Returns whether a text may name a user: `ann`, `cn=ann,dc=org`, `ann@example.org`, not a host.
fn is_user_name(bytes: &[u8]) -> bool {
    let is_name = SLUG
        .union(Alphabet::from_chars("@.\\=, "))
        .contains_all(bytes);
    let host = bytes.contains(&b'.') && !bytes.contains(&b'@');
    is_name
        && !host
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && ![&b"user"[..], b"localhost"].contains(&bytes)
}

/// Returns whether a text is built like a password: `Fern-Moss7`, `fern&moss 7`, not `eu-west-1`.
fn is_made_up_password(bytes: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let (upper, digits) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_digit));
    let odd = count(|byte| b"!#$&*+^~".contains(byte)) > 0;
    let is_joined = count(|byte| b"._-/@ ".contains(byte)) > 0 && upper >= 2;
    let letters = count(u8::is_ascii_lowercase) >= 2;
    let is_made_up = digits > 0
        && (odd
            || is_joined && upper < bytes.len() / 2
            || !HEX.contains_all(bytes) && value::count_noise(bytes) >= 8);
    let is_text =
        count(|byte| b"%{}()<>=:?,".contains(byte)) > 0 || count(|byte| *byte == b' ') > 3;
    (8..=64).contains(&bytes.len()) && letters && is_made_up && !is_text && may_be_secret(bytes)
}

/// Finds the only argument of a login call if it is a token, or the password of a pair.
pub(super) fn find_login_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let open = find_arguments_start(text, at)?;
    let arguments = read_arguments(text, open);
    match arguments.as_slice() {
        [Some(only)] => {
            let token = value::count_noise(&text[only.clone()]) >= 16;
            token.then(|| only.clone())
        }
        _ => find_argument_password::<1>(text, at),
    }
}

/// Finds the token beside the account in a call, where `account` is the range of the account.
pub(super) fn find_beside_account(text: &[u8], account: Range<usize>) -> Option<Range<usize>> {
    let glue = Alphabet::from_chars("\"', :\t").run_from(text, account.end, 8);
    let token = HEX.run_from(text, glue.end, 33);
    (!glue.is_empty() && token.len() == 32 && value::count_noise(&text[token.clone()]) > 0)
        .then_some(token)
}

/// Finds a quoted text after a name: `ConvertTo-SecureString "…"`, `: EAP "…"`.
pub(super) fn find_quoted_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let words = command::split_words(text, at);
    let word = words
        .into_iter()
        .find(|word| text[..word.start].ends_with(b"\"") || text[..word.start].ends_with(b"'"))?;
    let secret = word.len() >= 4 && !placeholder::is_stand_in(&text[word.clone()]);
    secret.then_some(word)
}

/// Finds the password in an Oracle address: `oracle:thin:user/…@host`.
pub(super) fn find_oracle_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let words = command::split_words(text, at + "oracle:thin:".len());
    command::find_slash_password(text, words.first()?)
}

/// Returns the argument with this index among those that begin at `open`, if it may be a secret.
fn read_password_argument(text: &[u8], open: usize, index: usize) -> Option<Range<usize>> {
    let argument = read_arguments(text, open).into_iter().nth(index)??;
    may_be_secret(&text[argument.clone()]).then_some(argument)
}

fn may_be_secret(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && !placeholder::is_stand_in(bytes) && !bytes.contains(&b'\n')
}

/// Returns where the arguments of the call begin whose name is at `at`; Ruby and Basic need no brackets around them.
fn find_arguments_start(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at..text.len().min(at + 48)];
    let open = near.iter().position(|byte| b"(\"'\n".contains(byte))?;
    let apart = near[..open].ends_with(b" ") && near[open] != b'\n';
    match near[open] {
        b'(' => Some(at + open + 1),
        _ => apart.then_some(at + open),
    }
}

/// Parses the arguments of a call; one that is not quoted is `None`.
fn read_arguments(text: &[u8], open: usize) -> Vec<Option<Range<usize>>> {
    let limit = text.len().min(open + CALL_BYTES);
    let (mut arguments, mut at) = (Vec::new(), open);
    while at < limit && arguments.len() < MAX_ARGUMENTS {
        let start = Alphabet::from_chars(" \t\n\r@").run_from(text, at, 64).end;
        let inner_start = skip_wrapper(text, start);
        let escape = Alphabet::from_chars("\\").run_from(text, inner_start, 3);
        let quote = text
            .get(escape.end)
            .copied()
            .filter(|byte| b"\"'`".contains(byte));
        let (argument, end) = match quote {
            Some(quote) => {
                let rest = &text[escape.end + 1..limit.max(escape.end + 1)];
                let length = rest.iter().position(|&byte| byte == quote);
                let end = escape.end + 1 + length.unwrap_or(rest.len());
                // `"…".to_owned()`
                let method =
                    Alphabet::from_chars(".(")
                        .union(WORD)
                        .run_from(text, limit.min(end + 1), 24);
                let is_ended = inner_start > start || text[method.clone()].ends_with(b"(");
                let closes = is_ended && text.get(method.end) == Some(&b')');
                let closing_length = if closes { method.len() + 1 } else { 0 };
                (
                    Some(escape.end + 1..end - escape.len().min(end - escape.end - 1)),
                    end + 1 + closing_length,
                )
            }
            None => (None, start),
        };
        arguments.push(argument);
        let rest = &text[end.min(limit)..limit];
        let after = rest.iter().position(|byte| b",)".contains(byte));
        match after {
            Some(offset) if rest[offset] == b',' => at = end + offset + 1,
            _ => break,
        }
    }
    arguments
}

/// Returns where an argument begins within a wrapper: `Some("…")`, `Secret::new("…")`.
fn skip_wrapper(text: &[u8], at: usize) -> usize {
    #[rustfmt::skip]
    const WRAPPERS: &[&[u8]] = &[
        b"Some", b"new", b"of", b"from", b"bytes", b"String", b"SecretStr",
    ];
    let callee = WORD
        .union(Alphabet::from_chars(":."))
        .run_from(text, at, 32);
    let last = text[callee.clone()]
        .rsplit(|byte| b":.".contains(byte))
        .next();
    let wraps =
        text.get(callee.end) == Some(&b'(') && last.is_some_and(|byte| WRAPPERS.contains(&byte));
    // A letter before a quote is a prefix of the literal.
    let prefix = callee.len() == 1 && matches!(text.get(callee.end), Some(b'"' | b'\''));
    if wraps || prefix {
        callee.end + usize::from(wraps)
    } else {
        at
    }
}

/// Finds the password in a pair that a call encodes: `btoa("user:…")`.
pub(super) fn find_encoded_argument(text: &[u8], at: usize) -> Option<Range<usize>> {
    let open = find_arguments_start(text, at)?;
    piped::find_pair_password(text, read_arguments(text, open).into_iter().next()??)
}

/// Finds the password in a line of a `.pgpass`: `host:5432:database:user:…`.
pub(super) fn find_pgpass_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    const FIELD: Alphabet = SLUG.union(Alphabet::from_chars(".*"));
    let host = FIELD.run_before(text, at, 128);
    let mut start = at + 1;
    for _ in 0..3 {
        let field = FIELD.run_from(text, start, 64);
        if field.is_empty() || text.get(field.end) != Some(&b':') {
            return None;
        }
        start = field.end + 1;
    }
    let rest = &text[start..text.len().min(start + 256)];
    let ends = |byte: &u8| BLANK.contains(*byte) || b"\r\n\"'`".contains(byte);
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    let secret = length >= 4 && !placeholder::is_stand_in(&rest[..length]);
    (secret && !host.is_empty()).then_some(start..start + length)
}

/// Finds the private numbers of a key in JSON, whose first `"kty"` is at `at`.
pub(super) fn find_jwk_numbers(text: &[u8], at: usize) -> Vec<Range<usize>> {
    const NUMBERS: &[&[u8]] = &[b"d", b"p", b"q", b"dp", b"dq", b"qi", b"k"];
    let back = at.saturating_sub(KEY_BYTES);
    let open = text[back..at].iter().rposition(|&byte| byte == b'{');
    let Some(start) = open.map(|open| back + open) else {
        return Vec::new();
    };
    if text[start..at].windows(5).any(|part| part == b"\"kty\"") {
        return Vec::new();
    }
    let near = &text[start..text.len().min(at + KEY_BYTES)];
    // Such a key contains no further object.
    let end = near.iter().skip(1).position(|byte| b"{}".contains(byte));
    let object = &near[..end.map_or(near.len(), |end| end + 1)];
    let quotes = (0..object.len()).filter(|&offset| object[offset] == b'"');
    let number = |offset: usize| {
        let name = LETTER.run_from(text, start + offset + 1, 3);
        let glue = Alphabet::from_chars(" :\"\\\t\n").run_from(text, name.end, 16);
        let number = SLUG.run_from(text, glue.end, KEY_BYTES);
        let is_named = NUMBERS.contains(&&text[name]) && text[glue].contains(&b':');
        (is_named && number.len() >= 16).then_some(number)
    };
    quotes.filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: Option<Range<usize>>, text: &str, expected: Option<&str>) {
        assert_eq!(found.map(|range| &text[range]), expected, "{text}");
    }

    #[test]
    fn arguments_of_calls() {
        for (text, expected) in [
            ("BasicAuth(\"svc\", \"Fern(4)\")", Some("Fern(4)")),
            ("BasicAuth(user, 'Fern-4')", Some("Fern-4")),
            ("BasicAuth(\\\"svc\\\", \\\"Fern-4\\\")", Some("Fern-4")),
            ("BasicAuth(user, password)", None),
            ("BasicAuth(\"svc\", \"password\")", None),
            ("BasicAuth(\"svc\")", None),
        ] {
            check(
                find_argument_password::<1>(text.as_bytes(), 0),
                text,
                expected,
            );
        }
        for (text, expected) in [
            (
                "Client(\"svc\", Some(\"Fern.Moss.4\"))",
                Some("Fern.Moss.4"),
            ),
            ("connect(h, 22, 'ann', 'fern&moss 4')", Some("fern&moss 4")),
            ("Client(\"svc\", \"eu-central-1\")", None),
            ("connect(\"10.0.0.5\", \"Main_Queue7\")", None),
            (
                "f(\"ann\".to_owned(), \"Fern.Moss1\".into())",
                Some("Fern.Moss1"),
            ),
            ("Client(\"svc\", getenv(\"Fern_Moss4\"))", None),
            ("Client(\"svc\", \"Fern Moss: %d Left\")", None),
            ("Client(\"Fern.Moss.4\")", None),
        ] {
            check(find_made_up_password(text.as_bytes(), 0), text, expected);
        }
        for (text, expected) in [
            ("auth=(\"svc\", \"Fern-4\")", Some("Fern-4")),
            ("auth' => ['svc', 'Fern-4']", Some("Fern-4")),
            ("auth: [user, password]", None),
            ("get('svc', 'Fern-4')", None),
            ("auth: [\"read\", \"write\"]", None),
            ("author(\"svc\", \"Fern-4\")", None),
        ] {
            check(find_listed_pair(text.as_bytes(), 0), text, expected);
        }
        let text = "basic_auth \"svc\", \"Fern-4\"";
        check(
            find_argument_password::<1>(text.as_bytes(), 0),
            text,
            Some("Fern-4"),
        );
        let text = "getConnection(url, \"app\", \"Fern-4\")";
        check(
            find_argument_password::<2>(text.as_bytes(), 0),
            text,
            Some("Fern-4"),
        );
        let text = ".login('admin', 'Fern-4')";
        check(find_login_secret(text.as_bytes(), 0), text, Some("Fern-4"));
        check(find_login_secret(b".login('google')", 0), "", None);
    }

    #[test]
    fn lines_of_a_pgpass() {
        let text = "db:5432:app:ann:Fern!4 x";
        check(
            find_pgpass_password(text.as_bytes(), 2),
            text,
            Some("Fern!4"),
        );
        check(find_pgpass_password(b"db:5432: refused: a:b", 2), "", None);
    }
}
