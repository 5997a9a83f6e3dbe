//! Finds passwords identified only by what precedes them: the user, the prompt, the title of a list of codes.
//!
//! A word of letters after `password:` may be a type or a variable; after `username: shop` on the line before it is a
//! password. The value itself is checked only as far as that requires.

use std::ops::Range;

use super::{
    alphabet::{Alphabet, BLANK, DIGIT, LETTER, SLUG, starts_word},
    ending, expression, placeholder,
    value::{self, is_among},
};

/// How far before a password its user may be, in bytes.
const USER_BYTES: usize = 96;
/// How far before an answer its prompt may be, in bytes.
const PROMPT_BYTES: usize = 160;
/// The longest answer, in bytes.
const ANSWER_BYTES: usize = 256;
/// How far after their title codes may begin, in bytes.
const TITLE_BYTES: usize = 64;
/// The most codes of a list.
const MAX_CODES: usize = 24;

/// Words that name a user.
const USER_WORDS: &[&str] = &[
    "user", "username", "login", "account", "uid", "benutzer", "usr", "email",
];

/// Returns whether a user and its name precede `at`, on the same line or the one before.
pub(super) fn follows_user(text: &[u8], at: usize) -> bool {
    let near = &text[at.saturating_sub(USER_BYTES)..at];
    let lines = near.iter().rev().enumerate();
    let mut ends = lines
        .filter(|&(_, &byte)| byte == b'\n')
        .map(|(back, _)| near.len() - back);
    let own = ends.next().unwrap_or(0);
    // After a comma the next field of an object follows.
    let above = near[..own].trim_ascii_end();
    let start = match above.last() {
        Some(b',' | b'{' | b'(' | b';') => own,
        _ => ends.next().unwrap_or(0),
    };
    let line = &near[start..];
    (0..line.len()).any(|at| names_user(line, at))
}

/// Returns whether the line up to `at` speaks of a user.
pub(super) fn has_user_word(text: &[u8], at: usize) -> bool {
    let near = &text[at.saturating_sub(USER_BYTES)..at];
    let line = near.rsplit(|&byte| byte == b'\n').next().unwrap_or(near);
    let mut words = line.split(|&byte| !LETTER.contains(byte));
    words.any(|word| is_among(word, USER_WORDS))
}

/// Returns whether a user is named at `at`: `user: ann`, `username=ann`, `user is "ann"`.
fn names_user(line: &[u8], at: usize) -> bool {
    if !line[at].is_ascii_alphabetic() || at > 0 && LETTER.contains(line[at - 1]) {
        return false;
    }
    let word = LETTER.run_from(line, at, 16);
    if !is_among(&line[word.clone()], USER_WORDS) {
        return false;
    }
    let quote_end = Alphabet::from_chars("\"'").run_from(line, word.end, 1).end;
    let blanks = BLANK.run_from(line, quote_end, 4).end;
    let signs = Alphabet::from_chars("=:").run_from(line, blanks, 1);
    let verb = line[blanks..].starts_with(b"is ");
    let upper = line[word].iter().all(u8::is_ascii_uppercase) && blanks > quote_end;
    let behind = if verb { blanks + 3 } else { signs.end };
    let start = Alphabet::from_chars(" \t\"'`")
        .run_from(line, behind, 4)
        .end;
    let name = &line[SLUG.run_from(line, start, 64)];
    (verb || upper || !signs.is_empty())
        && !name.is_empty()
        && !expression::is_clear_expression(name)
}

/// Finds the password of a pair after `creds`, `login with`, `basic auth`: `: ann / …`, ` ann:…`.
pub(super) fn find_login_pair(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !starts_word(text, at) || text[..at].ends_with(b"_") {
        return None;
    }
    let limit = text.len().min(at + USER_BYTES);
    let line = text[at..limit].split(|&byte| byte == b'\n').next()?;
    let words = || line.split(|&byte| BLANK.contains(byte));
    let mut start = at;
    let mut places = words().map(|word| {
        let range = start..start + word.len();
        start = range.end + 1;
        range
    });
    let places: Vec<_> = places.by_ref().take(8).collect();
    let with = |word: &Range<usize>| [&b"with"[..], b"using"].contains(&&text[word.clone()]);
    let has_as = value::contains_ignoring_case(&text[at..limit.min(at + 10)], " as ");
    let has_as = places
        .iter()
        .position(with)
        .filter(|&index| has_as && index > 1);
    let secret_word = has_as.and_then(|index| {
        let mut behind = places[index + 1..].iter();
        let word = behind.find(|word| &text[(*word).clone()] != b"password")?;
        Some(trim_word(text, word.clone()))
    });
    let pair = places.iter().find_map(|word| split_joined_pair(text, word));
    let middle = places
        .windows(3)
        .find(|words| &text[words[1].clone()] == b"/");
    let secret = secret_word
        .or(pair)
        .or_else(|| Some(trim_word(text, middle?[2].clone())))?;
    is_mixed_password(&text[secret.clone()]).then_some(secret)
}

/// Returns the part of a word after its `:` or `/`.
fn split_joined_pair(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let word = trim_word(text, word.clone());
    let user = SLUG
        .union(Alphabet::from_chars("@."))
        .run_from(text, word.start, 40);
    let divides = user.len() >= 2 && user.end < word.end && b":/".contains(&text[user.end]);
    let secret = user.end + 1..word.end;
    let bytes = text.get(secret.clone()).filter(|_| divides)?;
    let is_path = |byte: &u8| b"/(".contains(byte);
    let plain = !bytes.starts_with(b":") && !bytes.iter().any(is_path);
    plain.then_some(secret)
}

/// Removes quotes around a word and punctuation after it.
fn trim_word(text: &[u8], word: Range<usize>) -> Range<usize> {
    let around = |byte: &&u8| b"\"'`(".contains(byte);
    let head = text[word.clone()].iter().take_while(around).count();
    ending::trim_stops(text, word.start + head..word.end, b"\"'`),.;:")
}

/// Returns whether a word looks like an invented password: letters with digits or signs.
pub(super) fn is_mixed_password(bytes: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| usize::from(bytes.iter().any(is));
    let kinds = has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(|byte| b"!?#$%&*+@^~_-".contains(byte));
    let lower = bytes.iter().any(u8::is_ascii_lowercase);
    bytes.len() >= 6 && lower && kinds >= 2 && !is_harmless(bytes)
}

fn is_harmless(bytes: &[u8]) -> bool {
    placeholder::is_stand_in(bytes) || value::is_technical_word(bytes)
}

/// Finds the answer to a password prompt: `expect "assword:"; send "…\r"`, `getByLabel('Password').fill('…')`.
pub(super) fn find_prompt_answer(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at.saturating_sub(PROMPT_BYTES)..at];
    // A method of a form element belongs to its statement; what a script sends, to any line before.
    let statement = |near: &[u8]| {
        let near = near.trim_ascii_end();
        let start = near.iter().rposition(|byte| b"\n;".contains(byte));
        start.map_or(0, |start| start + 1)
    };
    let near = if text[at] == b'.' {
        &near[statement(near)..]
    } else {
        near
    };
    let prompts = ["assword", "assphrase", "asswd"];
    let asks = prompts
        .iter()
        .any(|prompt| value::contains_ignoring_case(near, prompt));
    let open = Alphabet::from_chars(".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_( -")
        .run_from(text, at, 24);
    let escape = Alphabet::from_chars("\\").run_from(text, open.end, 3).end;
    let quote = *text.get(escape).filter(|byte| b"\"'`".contains(byte))?;
    let rest = &text[escape + 1..text.len().min(escape + 1 + ANSWER_BYTES)];
    let length = rest
        .iter()
        .position(|&byte| byte == quote || byte == b'\n')?;
    let answer = &rest[..length];
    // `\r` is the return key that ends it.
    let key = [&b"\\\\r"[..], b"\\r", b"\\n", b"\\"].into_iter();
    let answer = key.fold(answer, |answer, key| {
        answer.strip_suffix(key).unwrap_or(answer)
    });
    let secret = answer.len() >= 4 && !is_harmless(answer);
    (asks && secret).then_some(escape + 1..escape + 1 + answer.len())
}

/// Finds the codes listed after `recovery codes` at `at`.
pub(super) fn find_recovery_codes(text: &[u8], at: usize) -> Vec<Range<usize>> {
    const BETWEEN: Alphabet = Alphabet::from_chars(" \t\r\n,;|*");
    let near = &text[at..text.len().min(at + TITLE_BYTES)];
    let Some(colon) = near.iter().position(|&byte| byte == b':' || byte == b'\n') else {
        return Vec::new();
    };
    let (mut found, mut next) = (Vec::new(), at + colon + 1);
    while found.len() < MAX_CODES {
        let start = BETWEEN.run_from(text, next, 32).end;
        let number = DIGIT.run_from(text, start, 2);
        let is_listed = !number.is_empty() && text[number.end..].starts_with(b". ");
        let dash = text[start..].starts_with(b"- ");
        let start = if is_listed || dash {
            start + 2 + number.len()
        } else {
            start
        };
        let code = SLUG.run_from(text, start, 32);
        if !is_recovery_code(&text[code.clone()]) {
            break;
        }
        next = code.end;
        found.push(code);
    }
    found
}

/// Returns whether a word is a recovery code: `1a2b-3c4d`, `12345678`.
fn is_recovery_code(bytes: &[u8]) -> bool {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let mut groups = bytes.split(|&byte| byte == b'-').map(<[u8]>::len);
    let alike = groups
        .next()
        .is_some_and(|first| groups.all(|next| next == first));
    (8..=24).contains(&bytes.len()) && digits >= 2 && alike
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_before_a_password() {
        for (text, expected) in [
            ("username: shop\n^", true),
            ("user=ann ^", true),
            ("{\"user\":\"ann\",\"^", true),
            ("user is \"ann\" and the ^", true),
            ("USER ann\n^", true),
            ("url: a\n  login: ann\n  ^", true),
            ("user: ann,\n  ^", false),
            ("the user of a ^", false),
            ("users: 3 ^", false),
            ("user: ann\nhost: b\nport: c\n^", false),
        ] {
            let at = text.find('^').unwrap();
            assert_eq!(follows_user(text.as_bytes(), at), expected, "{text}");
        }
    }

    fn check(found: Option<Range<usize>>, text: &str, expected: Option<&str>) {
        assert_eq!(found.map(|range| &text[range]), expected, "{text}");
    }

    #[test]
    fn pairs_in_prose() {
        for (text, expected) in [
            ("creds: ann / Fern-Moss7", Some("Fern-Moss7")),
            ("creds are `ann:Fern77`.", Some("Fern77")),
            ("login as ann with Fern-Moss7 first", Some("Fern-Moss7")),
            ("log in as ann with your-key-7", None),
            ("creds: docs/Login", None),
            ("creds in config/app2.yml", None),
            ("creds: ann / password", None),
        ] {
            check(find_login_pair(text.as_bytes(), 0), text, expected);
        }
    }

    #[test]
    fn answers_to_a_prompt() {
        for (text, expected) in [
            (
                "expect \"assword:\"; send \"Fern&Moss\\r\"",
                Some("Fern&Moss"),
            ),
            (
                "expect(\"Password\")\nx.sendline('Fern&Moss')",
                Some("Fern&Moss"),
            ),
            ("expect \"name:\"; send \"ann\\r\"", None),
            ("expect \"assword:\"; send \"$pw\\r\"", None),
        ] {
            let at = text.find("send").unwrap();
            check(find_prompt_answer(text.as_bytes(), at), text, expected);
        }
    }

    #[test]
    fn lists_of_codes() {
        for (text, expected) in [
            (
                "codes:\n  1a2b-3c4d  5e6f-7a8b\nend",
                vec!["1a2b-3c4d", "5e6f-7a8b"],
            ),
            (
                "codes:\n1. 12345678\n2. 87654321\n",
                vec!["12345678", "87654321"],
            ),
            ("codes: print them", vec![]),
            ("codes are gone", vec![]),
        ] {
            let found = find_recovery_codes(text.as_bytes(), 0).into_iter();
            let found: Vec<_> = found.map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
