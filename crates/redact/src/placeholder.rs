//! Recognises values that only mark the place of a secret: `<token>`, `${TOKEN}`, `your-api-key`, `****`.
//!
//! A password may contain any character and any word, so no single one makes it a placeholder: the value as a whole
//! must read as one, or nothing may be left of it without its references.

use super::{
    alphabet::{ALNUM, Alphabet, LETTER, WORD},
    value::{contains_ignoring_case, count_distinct, count_noise, is_among},
};

/// The words that placeholders consist of.
#[rustfmt::skip]
const PLACEHOLDER_WORDS: &[&str] = &[
    "a", "abc", "actual", "add", "an", "api", "app", "auth", "bar", "change", "changeit", "changeme",
    "client", "credential", "credentials", "database", "db", "demo", "dummy", "enter", "env",
    "example", "fake", "file", "fill", "fixme", "foo", "for", "from", "generate", "generated", "goes",
    "here", "in", "insert", "it", "jwt", "key", "me", "mock", "my", "new", "not", "of", "old", "or",
    "pass", "passphrase", "passwd", "password", "paste", "placeholder", "put", "pw", "pwd", "random",
    "real", "redacted", "replace", "root", "sample", "secret", "secure", "set", "some", "strong",
    "super", "test", "that", "the", "this", "to", "todo", "token", "use", "user", "username", "value",
    "with", "xxx", "your", "yours",
];

/// Beginnings of placeholders, whatever follows.
#[rustfmt::skip]
const PLACEHOLDER_HEADS: &[&str] = &[
    "changeme", "change_me", "change-me", "dummy_", "dummy-", "enter_", "enter-", "example_",
    "example-", "fixme", "insert_", "insert-", "placeholder", "replace_", "replace-", "replaceme",
    "sample-", "sample_", "some-", "some_", "todo", "your-", "your_",
];

/// Sequences that no random token contains.
#[rustfmt::skip]
const PLACEHOLDER_MARKS: &[&str] = &[
    "example", "placeholder", "changeme", "redacted", "your", "insert", "dummy", "sample", "replace",
    "todo", "fixme", "goes", "12345678-1234", "process.env", "environ", "getenv", "secrets.",
];

/// Signs that mask a value, whatever is left of it.
#[rustfmt::skip]
const MASKS: &[&str] = &[
    "xxxx", "****", "....", "____", "####", "\u{2026}", "\u{2022}\u{2022}",
];

/// With how many characters that no word explains a value is a key, whatever it says of itself: `wJalr…EXAMPLEKEY`.
const KEY_NOISE: usize = 16;

/// Returns whether the value of a token is only a placeholder.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_stand_in(value)
        || has_reference(value)
        || PLACEHOLDER_MARKS
            .iter()
            .any(|mark| contains_ignoring_case(value, mark))
            && !is_typed_word(value)
            && count_noise(value) < KEY_NOISE
        || names_itself(value)
}

/// Returns whether the value consists of words, one of which says what belongs here: `Slack_BOT_TOKEN`.
fn names_itself(value: &[u8]) -> bool {
    const NAMES: [&[u8]; 3] = [b"token", b"key", b"secret"];
    let is_name = |word: &[u8]| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name));
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    digits <= 1 && split_words(value).count() > 2 && split_words(value).any(is_name)
}

/// Returns whether the value contains a reference, and the rest of it reads as words.
fn has_reference(value: &[u8]) -> bool {
    let opens = |at: usize| {
        [&b"<"[..], b"${", b"{{"]
            .iter()
            .any(|sign| value[at..].starts_with(sign))
    };
    let mut places = (0..value.len()).filter(|&at| opens(at));
    count_noise(value) == 0 && places.any(|at| reference_length(&value[at..]).is_some())
}

/// Returns whether the value is a word with a number, where the word itself is no mark.
fn is_typed_word(value: &[u8]) -> bool {
    let letters = LETTER.run_from(value, 0, value.len());
    let is_mark = PLACEHOLDER_MARKS
        .iter()
        .any(|mark| value[letters.clone()].eq_ignore_ascii_case(mark.as_bytes()));
    letters.len() >= 5 && !is_mark && value.len() - letters.len() <= 4 && count_noise(value) == 0
}

/// Returns whether the value of a password is only a stand-in.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    const FIRST: &[u8] = b"$%{<[(*#@.&|!";
    let distinct = count_distinct(value);
    value.is_empty()
        || distinct <= 2
        || (distinct <= 4 && value.len() >= 16)
        || is_reference(value)
        || is_masked(value)
        || matches!(value, [b'[', inner @ .., b']'] if is_reference_name(inner))
        || (FIRST.contains(&value[0]) && value.len() < 4)
        || reads_as_placeholder(value)
}

/// Returns whether part of the value is masked.
pub(super) fn is_masked(value: &[u8]) -> bool {
    value.ends_with(b"...") || MASKS.iter().any(|mask| contains_ignoring_case(value, mask))
}

/// Returns whether the words of the value say that it is a placeholder.
fn reads_as_placeholder(value: &[u8]) -> bool {
    let starts = |head: &&str| {
        let start = value.get(..head.len()).unwrap_or_default();
        let ends = head.ends_with(['-', '_'])
            || value
                .get(head.len())
                .is_none_or(|byte| !LETTER.contains(*byte));
        start.eq_ignore_ascii_case(head.as_bytes()) && ends
    };
    let plain = WORD.union(Alphabet::from_chars("-. ")).contains_all(value);
    plain
        && (PLACEHOLDER_HEADS.iter().any(starts) && count_noise(value) == 0
            || split_words(value).all(|word| is_among(word, PLACEHOLDER_WORDS)))
}

/// Splits a value into words, also where the case changes.
fn split_words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let pieces = value.split(|&byte| !ALNUM.contains(byte));
    let turns = |left: &u8, right: &u8| !(left.is_ascii_lowercase() && right.is_ascii_uppercase());
    let words = pieces.flat_map(move |piece| piece.chunk_by(turns));
    words.filter(|word| !word.is_empty())
}

/// Returns whether the value consists of references, and the rest of it is no secret.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let (mut at, mut literal, mut references) = (0, Vec::new(), 0);
    let mut grows = false;
    while at < value.len() {
        match reference_length(&value[at..]) {
            Some(length) if !is_inner_dollar(value, at) => {
                references += 1;
                at += length;
                // `{{a}}22` continues after its reference, as no template does.
                grows |= value[at - 1] == b'}' && value.get(at).is_some_and(u8::is_ascii_digit);
            }
            _ => {
                literal.push(value[at]);
                at += 1;
            }
        }
    }
    let letter_count = literal
        .iter()
        .filter(|byte| !b" :/@._-\"'".contains(byte))
        .count();
    references > 0
        && !grows
        && (letter_count < 4
            || literal.len() <= value.len() / 2
                && count_noise(&literal) == 0
                && !has_odd_sign(&literal))
}

/// Returns whether a `$` follows a letter and precedes lower-case ones, as in `Oak$Tree`.
fn is_inner_dollar(value: &[u8], at: usize) -> bool {
    let name = WORD.run_from(value, at + 1, 64);
    let small = value[name].iter().any(u8::is_ascii_lowercase);
    value[at] == b'$' && at > 0 && ALNUM.contains(value[at - 1]) && small
}

fn has_odd_sign(literal: &[u8]) -> bool {
    let is_odd = |byte: &u8| byte.is_ascii_digit() || b"!?#^~".contains(byte);
    literal.iter().any(is_odd)
}

/// Returns the length of the reference at the beginning of the value: `$NAME`, `${…}`, `$(…)`, `%NAME%`, `{{…}}`,
/// `{name}`, `<name>`, `@NAME@`, `#{…}`.
fn reference_length(value: &[u8]) -> Option<usize> {
    let until = |open: usize, close: &[u8]| {
        let rest = value.get(open..)?;
        let at = rest.windows(close.len()).position(|part| part == close)?;
        (at > 0).then_some(open + at + close.len())
    };
    let name_between = |open: usize, close: &[u8]| {
        until(open, close).filter(|&end| is_reference_name(&value[open..end - close.len()]))
    };
    match value {
        // A bare value ends at the first space, and so may a reference.
        [b'$' | b'#', b'{', first, ..] if may_open_reference(*first) => {
            Some(until(2, b"}").unwrap_or(value.len()))
        }
        [b'$', b'(', first, ..] if may_open_reference(*first) => {
            Some(until(2, b")").unwrap_or(value.len()))
        }
        [b'{', b'{' | b'%', first, ..] if may_open_reference(*first) => {
            Some(until(2, b"}").map_or(value.len(), |end| {
                end + usize::from(value.get(end) == Some(&b'}'))
            }))
        }
        b"{{" | b"{%" | b"${{" => Some(value.len()),
        [b'<', b'%', ..] => until(2, b"%>"),
        [b'$', first, ..] if LETTER.contains(*first) || *first == b'_' => variable_length(value),
        [b'%', ..] => name_between(1, b"%"),
        [b'@', ..] => name_between(1, b"@"),
        [b'{', ..] => name_between(1, b"}"),
        [b'<', ..] => name_between(1, b">"),
        _ if value.starts_with(b"&lt;") => name_between(4, b"&gt;"),
        _ if value.starts_with(b"&#x")
            || value.starts_with(b"&#3")
            || value.starts_with(b"&#6") =>
        {
            Some(value.len())
        }
        _ => None,
    }
}

/// Returns whether a name may begin with this character after the sign of a reference.
fn may_open_reference(first: u8) -> bool {
    ALNUM.contains(first) || b"_ .{-!".contains(&first)
}

/// Returns whether the text between two signs is a name: letters first, digits at the end.
fn is_reference_name(inner: &[u8]) -> bool {
    let plain = WORD
        .union(Alphabet::from_chars("-. :|'\""))
        .contains_all(inner);
    plain
        && inner.len() >= 2
        && LETTER.contains(inner[0])
        && count_noise(inner) == 0
        && has_digits_last(inner)
}

/// Returns the length of the variable that begins with a `$`: `$name`, `$env:NAME`, not `$nowFl4ke.`.
fn variable_length(value: &[u8]) -> Option<usize> {
    let name = WORD.union(Alphabet::from_chars(":")).run_from(value, 1, 64);
    let inner = &value[name.clone()];
    let ends = value
        .get(name.end)
        .is_none_or(|byte| b"\"',;)}/-:@>]".contains(byte));
    let member = [&b"->"[..], b"['", b"[\""]
        .iter()
        .any(|sign| value[name.end..].starts_with(sign));
    let digits = inner.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = !inner.iter().any(u8::is_ascii_lowercase);
    let one_word = count_noise(inner) == 0 && has_digits_last(inner) && (upper || digits < 2);
    match (one_word, member) {
        (true, true) => Some(value.len()),
        (true, false) if ends => Some(name.end),
        _ => None,
    }
}

/// Returns whether digits occur only at the end of words.
fn has_digits_last(name: &[u8]) -> bool {
    let joins = |pair: &[u8]| pair[0].is_ascii_digit() && LETTER.contains(pair[1]);
    !name.windows(2).any(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_secret() {
        for value in [
            "",
            "<token>",
            "${TOKEN}",
            "$TOKEN",
            "%TOKEN%",
            "{token}",
            "{{ token }}",
            "@TOKEN@",
            "your-key",
            "YOUR_API_KEY",
            "xxxx",
            "xxxxxxxxxxxxxxxx",
            "********",
            "example-key",
            "changeme",
            "replace-with-16-chars",
            "[REDACTED:token]",
            "$A_1/$B",
            "${USER}-${PASS}",
            "$(pass show x)",
            "${X:-none}",
            "<%= token %>",
            "abcd****wxyz",
            "$row['password']",
        ] {
            assert!(is_stand_in(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn what_only_holds_signs_or_words_of_one() {
        for value in [
            "hunter2",
            "k7Qz2XmR9tVb",
            "p@ss",
            "$2b$12$abcdefg",
            "0x1f2e3d",
            "Winter<77>",
            "Sphere-5",
            "ThereAndBack-9",
            "$umm3rT1me.",
            "Salt-Lake-${4}",
            "a>Kt]c}2z{9",
            "Yourself7",
            "%wet%Socks9",
            "Oak$Tree0",
            "{{Toast}}44",
        ] {
            assert!(!is_stand_in(value.as_bytes()), "{value}");
        }
        assert!(is_placeholder(b"my-EXAMPLE-key"));
        assert!(!is_placeholder(b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"));
        assert!(is_placeholder(b"xoxb-Team_BOT_TOKEN"));
        assert!(!is_placeholder(b"xoxb-Token-8Kd1vWq93Zt"));
        assert!(!is_placeholder(b"k7Qz2>XmR9{tVb"));
    }
}
