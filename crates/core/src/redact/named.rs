//! Values that stand beside a name which says that they are secret.
//!
//! This is the rule for kinds that no other rule knows. A value that `field` finds beside a
//! [`Name`] goes if it is worth what the name claims: any word will do for a password in quotes,
//! but a token must look random. A value that is a placeholder, an expression, a path or a digest
//! stays.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, DIGIT, HEX, LETTER},
    claim::{Claim, Word},
    ending, expression,
    field::{self, Tie, Value},
    login,
    name::Name,
    phrase::{
        is_lone_word, is_odd, is_padded, is_passphrase, is_phrase, is_rule, is_signs, is_titled,
        is_uncommon, names_itself,
    },
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
    let bytes = &ending::joined(&text[value.range.clone()])[..];
    // What stands beside a name may be another name with its own value.
    let quoted = text
        .get(value.range.end)
        .is_some_and(|byte| b"\"'".contains(byte));
    if value.tie == Tie::Beside && !value.is_quoted() && quoted && bytes.ends_with(b"=") {
        return false;
    }
    let blank = bytes.iter().any(|byte| byte.is_ascii_whitespace());
    let worth = bytes.len() >= 4
        && match claim {
            Claim::Password => is_password(text, name, value, bytes),
            Claim::Secret => (!blank || is_spaced_key(value, bytes)) && is_key(name, value, bytes),
            Claim::Perhaps => !blank && is_likely_key(value, bytes),
            Claim::Session => {
                !blank && value.tie == Tie::Assigned && ALNUM.has_all(bytes) && noise(bytes) >= 16
            }
            Claim::Pin => is_pin(name, value, bytes),
            Claim::Parameter => !blank && noise(bytes) >= 16,
        };
    worth && !is_harmless(text, claim, value, bytes)
}

/// Returns whether the value is a code of digits, and of more than a version or a pin of a chip has.
fn is_pin(name: &Name<'_>, value: &Value, bytes: &[u8]) -> bool {
    let digits = bytes
        .strip_suffix(b"#")
        .or(bytes.strip_suffix(b"*"))
        .unwrap_or(bytes);
    let tied = match value.tie {
        Tie::Assigned | Tie::Said => true,
        Tie::Filled => name.range.len() > "pin".len() || name.is_pin(),
        _ => false,
    };
    tied && (4..=10).contains(&digits.len()) && DIGIT.has_all(digits)
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
        || value::contains(bytes, "@sha256:")
        // The weak tag of a page.
        || bytes.starts_with(b"W/\"")
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
    if name.is_folder() && (bytes.starts_with(b"/") || bytes.get(1) == Some(&b':'))
        || name.is_bare() && is_report(value, bytes)
    {
        return false;
    }
    let set = is_set(text, name, value) && is_lone_word(bytes);
    let follows = |range: &Range<usize>| login::follows_user(text, range.start);
    match value.tie {
        _ if blank => may_be_phrase(name, value) && is_passphrase(bytes),
        // Beside its user any word is one.
        Tie::Assigned | Tie::Said | Tie::Beside
            if value.is_bare()
                && (mixed || is_lone_word(bytes) && ends_phrase(text, value))
                && follows(&name.range) =>
        {
            true
        }
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
            mixed || number || whole || !name.is_bare() && (literal && is_uncommon(bytes) || set)
        }
        Tie::Flag => {
            mixed
                || whole
                || value.glued && !option && ends_options(text, value) && is_uncommon(bytes)
        }
        Tie::Beside if name.is_after_login() => is_uncommon(bytes) || whole,
        Tie::Argument => mixed || name.is_setter() && is_uncommon(bytes),
        Tie::Listed if name.is_bare() => mixed && digit,
        Tie::Listed => mixed || is_given(text, name, value) && is_uncommon(bytes),
        Tie::Filled => {
            let likely = whole || is_assigned(text, value) && is_uncommon(bytes);
            mixed || likely && !is_described(text, name, value)
        }
        Tie::Said | Tie::Below => mixed && bytes.len() >= 6 || number || whole,
        Tie::Beside if value.is_quoted() && name.is_statement() => is_uncommon(bytes) || whole,
        Tie::Beside if name.is_clause() || value.is_literal() => mixed && digit && bytes.len() >= 6,
        Tie::Beside => mixed && bytes.len() >= 6 && (odd && digit || noise(bytes) >= 6),
    }
}

/// Returns whether a value of several words may be a passphrase where it stands.
fn may_be_phrase(name: &Name<'_>, value: &Value) -> bool {
    let tied = match value.tie {
        Tie::Assigned | Tie::Flag => true,
        Tie::Said => !name.is_bare(),
        Tie::Argument => name.is_setter(),
        Tie::Beside => name.is_statement(),
        Tie::Filled | Tie::Listed | Tie::Below => false,
    };
    tied && (value.is_quoted() || value.is_element())
}

/// Returns whether a line of settings gives the value to the name, whatever the value is:
/// `a.password=x` at its beginning or in quotes, `A_PASSWORD: x`, `<password>x</password>`.
fn is_set(text: &[u8], name: &Name<'_>, value: &Value) -> bool {
    // An indented one may be the last argument of a call.
    let begins = name.indent().is_none_or(|indent| indent == 0);
    let property =
        text[..value.range.start].ends_with(b":") || text[name.range.clone()].contains(&b'.');
    let settings = name.is_screaming() || begins && (value.glued || property);
    value.is_setting() && (value.is_element() || settings)
}

/// Returns whether nothing more is told behind a word: a line ends, or a part of a sentence.
fn ends_phrase(text: &[u8], value: &Value) -> bool {
    let next = text.get(value.range.end);
    next.is_none_or(|byte| b"\r\n,.;)".contains(byte))
}

/// Returns whether a `=` stands before a value in quotes, whatever stands before that.
fn is_assigned(text: &[u8], value: &Value) -> bool {
    let before = &text[..value.range.start - usize::from(value.is_quoted())];
    value.is_quoted() && before.trim_ascii_end().ends_with(b"=")
}

/// Returns whether `PASS` reports on a test: `--- PASS: …`, `PASS: suite/case`.
fn is_report(value: &Value, bytes: &[u8]) -> bool {
    !value.is_quoted() && !value.glued && bytes.contains(&b'/') && value::noise(bytes) < 8
}

/// Returns whether a call sets what the name names, or falls back on the value.
fn is_given(text: &[u8], name: &Name<'_>, value: &Value) -> bool {
    const CALLS: &[&str] = &[
        "add",
        "append",
        "default",
        "define",
        "env",
        "put",
        "property",
        "set",
        "setdefault",
    ];
    let open = text[..name.range.start].trim_ascii_end();
    let open = open
        .strip_suffix(b"\"")
        .or(open.strip_suffix(b"'"))
        .unwrap_or(open);
    let Some(callee) = open.trim_ascii_end().strip_suffix(b"(") else {
        return false;
    };
    let callee = &callee[LETTER.run_before(callee, callee.len(), 24)];
    let closes = text[value.range.end..]
        .iter()
        .skip(1)
        .find(|byte| **byte != b' ')
        == Some(&b')');
    let ends = |call: &&str| {
        let at = callee.len().checked_sub(call.len());
        at.is_some_and(|at| callee[at..].eq_ignore_ascii_case(call.as_bytes()))
    };
    closes && CALLS.iter().any(ends)
}

/// Returns whether a key in quotes may hold blanks, as those do that were drawn from all signs.
fn is_spaced_key(value: &Value, bytes: &[u8]) -> bool {
    let blanks = bytes
        .iter()
        .filter(|byte| byte.is_ascii_whitespace())
        .count();
    value.is_quoted() && bytes.len() >= 32 && blanks <= 4 && noise(bytes) * 3 >= bytes.len()
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

/// Returns whether a word between a name and its value says that the value is none: `password policy: …`.
fn is_described(text: &[u8], name: &Name<'_>, value: &Value) -> bool {
    field::has_harmless(&text[name.range.end..value.range.start])
}
