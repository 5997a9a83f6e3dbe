//! Values that stand beside a name which says that they are secret.
//!
//! This is the rule for kinds that no other rule knows. A value that `field` finds beside a
//! [`Name`] goes if it is worth what the name claims: any word will do for a password in quotes,
//! but a token must look random. A value that is a placeholder, an expression, a path or a digest
//! stays.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, DIGIT, HEX, LETTER, WORD},
    expression,
    field::{self, Tie, Value},
    name::{Claim, Name, Word},
    name_rows::{COMMON_VALUES, MESSAGE_WORDS},
    placeholder,
    value::{self, entropy, noise},
    vendor::Vendor,
};

/// Finds the secret that is named by the `word` at `at`.
pub(super) fn find(text: &[u8], at: usize, word: &Word) -> Option<Range<usize>> {
    if !word.may_stand(text, at) {
        return None;
    }
    let name = Name::around(text, at, word.name_length());
    let claim = name.claim(word)?;
    field::values(text, &name)
        .find(|value| is_secret(text, &name, claim, value))
        .map(|value| value.whole(text))
}

/// Finds the key that stands beside the name of its vendor at `at`.
pub(super) fn find_vendor(text: &[u8], at: usize, vendor: &Vendor) -> Option<Range<usize>> {
    if !vendor.is_named(text, at) {
        return None;
    }
    let name = Name::around(text, at, vendor.name.len());
    field::values(text, &name)
        .filter(|value| value.tie != Tie::Beside)
        .map(|value| value.range)
        .find(|range| vendor.is_key(&text[range.clone()]))
}

/// Returns whether the value is worth what its name claims.
fn is_secret(text: &[u8], name: &Name<'_>, claim: Claim, value: &Value) -> bool {
    let bytes = &text[value.range.clone()];
    let blank = bytes.iter().any(|byte| byte.is_ascii_whitespace());
    let worth = bytes.len() >= 4
        && match claim {
            Claim::Password => is_password(text, name, value, bytes),
            Claim::Secret => !blank && is_key(name, value, bytes),
            Claim::Perhaps => !blank && is_likely_key(value, bytes),
            Claim::Session => {
                !blank && value.tie == Tie::Assigned && ALNUM.has_all(bytes) && noise(bytes) >= 16
            }
            Claim::Parameter => !blank && noise(bytes) >= 16,
        };
    worth && !is_harmless(text, claim, value, bytes)
}

/// Returns whether the value is none, however much it looks like one.
fn is_harmless(text: &[u8], claim: Claim, value: &Value, bytes: &[u8]) -> bool {
    let stands_in = match claim {
        Claim::Password => placeholder::is_stand_in(bytes),
        _ => placeholder::is_placeholder(bytes),
    };
    text[value.range.end..].starts_with(b"...")
        || stands_in
        || value::contains(bytes, "[redacted:")
        || value::is_public(bytes)
        || value::is_digest(bytes)
        || value::is_alphabet(bytes)
        || is_address(bytes)
        || is_expression(value, bytes)
}

/// Returns whether the value is the address of something: `https://…`, `op://…`.
fn is_address(bytes: &[u8]) -> bool {
    let scheme = ALNUM.or(Alphabet::of("+-.")).run(bytes, 0, 24).end;
    scheme >= 2 && bytes[scheme..].starts_with(b"://")
}

/// Returns whether a program would compute the value, as its line is written.
fn is_expression(value: &Value, bytes: &[u8]) -> bool {
    match (value.is_quoted(), value.is_literal()) {
        (true, _) => false,
        (false, true) => expression::is_told(bytes),
        (false, false) => expression::is_code(bytes) || expression::is_told(bytes),
    }
}

/// Returns whether the value is a password where one may stand.
fn is_password(text: &[u8], name: &Name<'_>, value: &Value, bytes: &[u8]) -> bool {
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes
        .iter()
        .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let odd = bytes.iter().any(|&byte| is_odd(byte));
    let literal = is_literal(name, value);
    let named = !literal && !value.is_quoted() && names_itself(bytes);
    // `--password --verbose`
    let option = bytes.starts_with(b"-") && !digit;
    let mixed = letter && (digit || odd) && !named && !option;
    let mixed = mixed && !value::is_technical(bytes) && !is_rule(bytes);
    let number = DIGIT.has_all(bytes) && bytes.len() >= 6 && !name.is_bare();
    let blank = bytes.iter().any(|byte| byte.is_ascii_whitespace());
    let whole = value.is_literal() && (is_phrase(bytes) || is_titled(bytes) || is_signs(bytes));
    if name.is_folder() && (bytes.starts_with(b"/") || bytes.get(1) == Some(&b':')) {
        return false;
    }
    match value.tie {
        _ if blank => value.is_quoted() && value.tie == Tie::Assigned && is_passphrase(bytes),
        // `pass` alone is a word of every language.
        _ if name.is_bare()
            && !value.is_quoted()
            && value.tie != Tie::Assigned
            && value.tie != Tie::Flag
            && !name.is_after_login() =>
        {
            value.tie == Tie::Said && name.is_short() && mixed && digit && bytes.len() >= 8
        }
        Tie::Assigned => {
            mixed || number || whole || literal && !name.is_bare() && is_uncommon(bytes)
        }
        Tie::Flag => {
            mixed
                || whole
                || value.glued && !option && ends_options(text, value) && is_uncommon(bytes)
        }
        Tie::Beside if name.is_after_login() => is_uncommon(bytes) || whole,
        Tie::Filled | Tie::Listed => mixed,
        Tie::Said | Tie::Below => mixed && bytes.len() >= 6 || whole,
        Tie::Beside if value.is_quoted() && name.is_statement() => is_uncommon(bytes) || whole,
        Tie::Beside if name.is_clause() || value.is_literal() => mixed && digit && bytes.len() >= 6,
        Tie::Beside => mixed && bytes.len() >= 6 && (odd && digit || noise(bytes) >= 6),
    }
}

/// Returns whether no name and no number of a version holds the character.
fn is_odd(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !b"_-.:/,'`\"()[]{}".contains(&byte)
}

/// Returns whether the value is made of signs alone, and of enough kinds of them.
fn is_signs(bytes: &[u8]) -> bool {
    let signs = bytes.iter().filter(|byte| byte.is_ascii_punctuation());
    bytes.len() >= 8 && signs.count() * 4 >= bytes.len() * 3 && value::distinct(bytes) >= 6
}

/// Returns whether the value is made of three words or more, as `castle.garden.rocket` is.
fn is_phrase(bytes: &[u8]) -> bool {
    let words = || bytes.split(|byte| b".-_ ".contains(byte));
    words().count() >= 3
        && words().all(|word| word.len() >= 3 && LETTER.has_all(word) && !is_common(word))
}

/// Returns whether the value is made of words with a capital each, as `Oak.Tree` is.
fn is_titled(bytes: &[u8]) -> bool {
    let is_title = |word: &[u8]| {
        let capital = word.first().is_some_and(u8::is_ascii_uppercase);
        capital
            && word.len() >= 3
            && word[1..].iter().all(u8::is_ascii_lowercase)
            && !is_common(word)
    };
    let words = || bytes.split(|byte| b".-_".contains(byte));
    words().count() >= 2 && words().all(is_title)
}

/// Returns whether several words are a passphrase, and no message about one.
fn is_passphrase(bytes: &[u8]) -> bool {
    let is_message = |word: &[u8]| {
        let word = word.trim_ascii();
        let is_it = |known: &&str| word.eq_ignore_ascii_case(known.as_bytes());
        MESSAGE_WORDS.iter().any(is_it) || is_common(word) || value::contains(word, "passw")
    };
    let words = || bytes.split(|&byte| byte.is_ascii_whitespace() || b".,:;!?".contains(&byte));
    let count = words().filter(|word| !word.is_empty()).count();
    let alike = bytes.iter().any(|byte| b"=;{}".contains(byte)) && noise(bytes) < 6;
    (2..=12).contains(&count) && !alike && !words().any(is_message)
}

/// Returns whether a word of letters is what an option was given: another option follows, or none.
fn ends_options(text: &[u8], value: &Value) -> bool {
    let rest = &text[value.range.end..];
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    rest.first().is_none_or(|byte| b"-\n\"'|&;".contains(byte))
}

/// Returns whether the value can only be meant as one: `NAME=x`, `?name=x`, `"name": "x"`.
fn is_literal(name: &Name<'_>, value: &Value) -> bool {
    let named = name.is_screaming() || name.is_parameter() || name.is_flag();
    value.glued && value.is_literal() && named || value.is_quoted()
}

/// Returns whether a word may be a password, and is none that says what one is like.
fn is_uncommon(bytes: &[u8]) -> bool {
    let typed = bytes.len() >= 6 && !is_rule(bytes) && !names_itself(bytes);
    typed && bytes.iter().any(u8::is_ascii_alphanumeric)
}

/// Returns whether the value says what a password is like: `argon2id`, `required|min:8`.
fn is_rule(bytes: &[u8]) -> bool {
    let rule = bytes.split(|&byte| byte == b'|').next().unwrap_or_default();
    is_common(rule)
}

fn is_common(bytes: &[u8]) -> bool {
    let is_it = |word: &&str| bytes.eq_ignore_ascii_case(word.as_bytes());
    COMMON_VALUES.iter().any(is_it)
}

/// Returns whether the value is a name like the one it is given to: `password2`, `my_token_1`.
fn names_itself(bytes: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[
        b"pass",
        b"passwd",
        b"password",
        b"pwd",
        b"secret",
        b"token",
        b"credential",
        b"credentials",
    ];
    let turns = |left: &u8, right: &u8| LETTER.has(*left) == LETTER.has(*right);
    let mut words = bytes.chunk_by(turns).map(<[u8]>::to_ascii_lowercase);
    words.any(|word| NAMES.iter().any(|name| word.ends_with(name)))
        && noise(bytes) < 8
        && WORD.or(Alphabet::of("-.")).has_all(bytes)
}

/// Returns whether the value looks random enough for a name that claims a secret.
fn is_key(name: &Name<'_>, value: &Value, bytes: &[u8]) -> bool {
    let least = match value.tie {
        Tie::Beside => 14,
        // Fewer characters cannot be told from a serial number or a version.
        _ => 12,
    };
    let beside = value.tie == Tie::Beside;
    let random = noise(bytes) >= least && entropy(bytes) >= 2.5;
    let identifier = value::is_uuid(bytes) && !beside;
    let number = bytes.len() >= 16 && DIGIT.has_all(bytes) && !beside;
    let likely = random && !(beside && value::is_uuid(bytes));
    let typed = value.is_literal() && is_typed(name, value, bytes);
    (likely || identifier || is_padded(bytes) || number || typed) && value::distinct(bytes) > 4
}

/// Returns whether somebody typed a password where a key goes: no name of anything is made so.
fn is_typed(name: &Name<'_>, value: &Value, bytes: &[u8]) -> bool {
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let signs = bytes
        .iter()
        .filter(|&&byte| is_odd(byte) && byte != b'=' && byte != b'+');
    let odd = signs.clone().count() > usize::from(!digit);
    let assigned = matches!(value.tie, Tie::Assigned | Tie::Flag) && bytes.len() >= 8;
    let in_environment = value.glued && name.is_screaming();
    let upper =
        bytes.iter().any(u8::is_ascii_uppercase) && value.is_quoted() && name.is_of_secret();
    let plain = (in_environment || upper) && !value::is_technical(bytes) && !names_itself(bytes);
    let whole = is_signs(bytes) || in_environment && is_phrase(bytes);
    assigned && (letter && (odd || digit && plain) || whole)
}

/// Returns whether the value looks random enough for a name that may name anything.
fn is_likely_key(value: &Value, bytes: &[u8]) -> bool {
    let random = noise(bytes) >= 18 && entropy(bytes) >= 3.5;
    let digest = HEX.has_all(bytes) || value::is_uuid(bytes);
    let pair = value.tie == Tie::Assigned && value::is_encoded_pair(bytes);
    random && !digest || pair
}

/// Returns whether the value ends as Base64 does.
fn is_padded(bytes: &[u8]) -> bool {
    let body = bytes.trim_ascii_end();
    body.len() >= 12
        && body.len().is_multiple_of(4)
        && body.ends_with(b"=")
        && value::distinct(body) >= 6
        && ALNUM.or(Alphabet::of("+/=")).has_all(body)
}
