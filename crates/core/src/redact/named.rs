//! Values that stand beside a name which says that they are secret.
//!
//! This is the rule for kinds that no other rule knows. A value that `field` finds beside a
//! [`Name`] goes if it is worth what the name claims: any word will do for a password in quotes,
//! but a token must look random. A value that is a placeholder, an expression, a path or a digest
//! stays.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, BLANK, DIGIT, HEX, WORD},
    field::{self, Tie, Value},
    name::{Claim, Name, Word},
    name_rows::COMMON_VALUES,
    value::{self, entropy, noise},
    vendor::Vendor,
};

/// Finds the secret that is named by the `word` at `at`.
pub(super) fn find(text: &[u8], at: usize, word: &Word) -> Option<Range<usize>> {
    if !word.may_stand(text, at) {
        return None;
    }
    let name = Name::around(text, at, word.stem.len());
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
    let blank = bytes.iter().any(|&byte| BLANK.has(byte));
    let worth = bytes.len() >= 4
        && match claim {
            Claim::Password => is_password(name, value, bytes),
            Claim::Secret => !blank && is_key(value, bytes),
            Claim::Perhaps => !blank && is_likely_key(value, bytes),
            Claim::Session => {
                !blank && value.tie == Tie::Assigned && ALNUM.has_all(bytes) && noise(bytes) >= 16
            }
            Claim::Parameter => !blank && noise(bytes) >= 16,
        };
    worth && !is_harmless(text, value, bytes)
}

/// Returns whether the value is none, however much it looks like one.
fn is_harmless(text: &[u8], value: &Value, bytes: &[u8]) -> bool {
    text[value.range.end..].starts_with(b"...")
        || value::is_placeholder(bytes)
        || value::is_public(bytes)
        || value::is_digest(bytes)
        || value::contains(bytes, "://")
        || (!value.is_quoted() && is_expression(bytes))
}

/// Returns whether code stands where a value could: a call, an index, a path of names, a file.
fn is_expression(bytes: &[u8]) -> bool {
    let begins_a_path = [&b"/"[..], b"./", b"../", b"~/", b"-", b"\\"]
        .iter()
        .any(|head| bytes.starts_with(head));
    let calls = bytes.iter().any(|&byte| byte == b'(' || byte == b'[');
    // `&str`, `string?`, `settings.db`
    let name = bytes
        .strip_prefix(b"&")
        .or(bytes.strip_prefix(b"*"))
        .unwrap_or(bytes);
    let name = name
        .strip_suffix(b"?")
        .or(name.strip_suffix(b"!"))
        .unwrap_or(name);
    let joined = name.len() < bytes.len() || name.contains(&b'.');
    let names = joined && WORD.or(Alphabet::of(".")).has_all(name);
    (begins_a_path || calls || names || value::contains(bytes, "::")) && noise(bytes) < 8
}

/// Returns whether the value is a password where one may stand.
fn is_password(name: &Name<'_>, value: &Value, bytes: &[u8]) -> bool {
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let odd = bytes.iter().any(|&byte| b"!@#$%^&*?+~=".contains(&byte));
    let literal = is_literal(name, value);
    let named = !literal && !value.is_quoted() && names_itself(bytes);
    let mixed = letter && (digit || odd) && !value::is_technical(bytes) && !named;
    let number = DIGIT.has_all(bytes) && bytes.len() >= 6 && !name.is_bare();
    let blank = bytes.iter().any(|&byte| BLANK.has(byte));
    match value.tie {
        _ if blank => value.is_quoted() && value.tie == Tie::Assigned && noise(bytes) >= 6,
        Tie::Assigned => mixed || number || literal && !name.is_bare() && is_uncommon(bytes),
        Tie::Flag => mixed,
        Tie::Beside if name.is_after_login() => is_uncommon(bytes),
        // `pass` alone is a word of every language.
        _ if name.is_bare() => false,
        Tie::Filled | Tie::Listed => mixed,
        Tie::Said => mixed && bytes.len() >= 6,
        Tie::Beside => mixed && bytes.len() >= 6 && (odd && digit || noise(bytes) >= 6),
    }
}

/// Returns whether the value can only be meant as one: `NAME=x`, `?name=x`, `"name": "x"`.
fn is_literal(name: &Name<'_>, value: &Value) -> bool {
    (value.glued && (name.is_screaming() || name.is_parameter()))
        || (name.is_quoted() && value.is_quoted())
}

/// Returns whether a word may be a password, and is none that says what one is like.
fn is_uncommon(bytes: &[u8]) -> bool {
    let is_it = |word: &&str| bytes.eq_ignore_ascii_case(word.as_bytes());
    bytes.len() >= 6 && !COMMON_VALUES.iter().any(is_it)
}

/// Returns whether the value is a name like the one it is given to: `password2`, `my_token_1`.
fn names_itself(bytes: &[u8]) -> bool {
    ["pass", "pwd", "secret", "token"]
        .iter()
        .any(|word| value::contains(bytes, word))
        && noise(bytes) < 8
        && WORD.or(Alphabet::of("-.")).has_all(bytes)
}

/// Returns whether the value looks random enough for a name that claims a secret.
fn is_key(value: &Value, bytes: &[u8]) -> bool {
    let least = match value.tie {
        // Fewer characters cannot be told from a serial number or a version.
        Tie::Assigned | Tie::Filled | Tie::Flag | Tie::Listed | Tie::Said => 12,
        Tie::Beside => 14,
    };
    let beside = value.tie == Tie::Beside;
    let random = noise(bytes) >= least && entropy(bytes) >= 2.5;
    let identifier = value::is_uuid(bytes) && !beside;
    let number = bytes.len() >= 16 && DIGIT.has_all(bytes) && !beside;
    let likely = random && !(beside && value::is_uuid(bytes));
    (likely || identifier || is_padded(bytes) || number) && value::distinct(bytes) > 4
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
