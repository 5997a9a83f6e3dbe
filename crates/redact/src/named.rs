//! Finds secret values beside a name that marks them as secret.
//!
//! This is the rule for kinds that no other rule knows. A value that `field` finds beside a [`FieldName`] is redacted
//! if it fits the name: any word will do for a quoted password, but a token must look random. A value that is a
//! placeholder, an expression, a path or a digest stays.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, ANY64, Alphabet, DIGIT, HEX, LETTER, SLUG},
    claim::{ClaimWord, SecretClaim},
    ending, expression,
    field::{self, Binding, FieldValue},
    login,
    name::FieldName,
    phrase::{
        is_all_signs, is_lone_word, is_odd_sign, is_padded_base64, is_passphrase, is_password_rule,
        is_phrase, is_title_case, is_uncommon, names_itself,
    },
    placeholder,
    value::{self, count_noise, shannon_entropy},
    vendor::Vendor,
};

/// Finds the secret in the name with the claim `word` at `at`, or those of the column that it is the head of.
pub(super) fn find_named_secrets(text: &[u8], at: usize, word: &ClaimWord) -> Vec<Range<usize>> {
    if !word.may_claim_at(text, at) {
        return Vec::new();
    }
    let name = FieldName::read_around(text, at, word.name_length());
    let Some(claim) = name.claimed_by(word) else {
        return Vec::new();
    };
    let is_worth = |value: &FieldValue| is_worth_claim(text, &name, claim, value);
    let values = match field::read_values(text, &name).find(is_worth) {
        Some(value) => vec![value],
        None => field::read_column(text, &name),
    };
    let values = values.iter().filter(|value| is_worth(value));
    values.map(|value| value.full_range(text)).collect()
}

/// Finds the key beside its vendor's name at `at`.
pub(super) fn find_vendor_key(text: &[u8], at: usize, vendor: &Vendor) -> Option<Range<usize>> {
    if !vendor.is_named_at(text, at) {
        return None;
    }
    let name = FieldName::read_around(text, at, vendor.name.len());
    field::read_values(text, &name)
        .filter(|value| value.binding != Binding::Adjacent)
        .map(|value| value.range)
        .find(|range| vendor.has_key_shape(&text[range.clone()]))
}

/// Returns whether the value fits the kind of secret that its name marks.
fn is_worth_claim(
    text: &[u8],
    name: &FieldName<'_>,
    claim: SecretClaim,
    value: &FieldValue,
) -> bool {
    let bytes = &ending::join_continued_lines(&text[value.range.clone()])[..];
    // A name may be followed by another name with its own value.
    let has_quote = text
        .get(value.range.end)
        .is_some_and(|byte| b"\"'".contains(byte));
    if value.binding == Binding::Adjacent
        && !value.is_quoted()
        && has_quote
        && bytes.ends_with(b"=")
    {
        return false;
    }
    let blank = bytes.iter().any(|byte| byte.is_ascii_whitespace());
    let worth = bytes.len() >= 4
        && match claim {
            SecretClaim::Password => is_password(text, name, value, bytes),
            SecretClaim::Secret => {
                (!blank || is_spaced_key(value, bytes)) && is_random_key(name, value, bytes)
            }
            SecretClaim::MaybeSecret => {
                !blank && value.binding != Binding::Printed && is_likely_key(value, bytes)
            }
            SecretClaim::Session => {
                !blank
                    && value.binding == Binding::Assigned
                    && ALNUM.contains_all(bytes)
                    && count_noise(bytes) >= 16
            }
            SecretClaim::Pin => is_pin_code(name, value, bytes),
            SecretClaim::Parameter => !blank && count_noise(bytes) >= 16,
        };
    worth && !is_harmless_value(text, claim, value, bytes)
}

/// Returns whether the value is a code of digits, longer than a version or the pin number of a chip.
fn is_pin_code(name: &FieldName<'_>, value: &FieldValue, bytes: &[u8]) -> bool {
    let digits = bytes
        .strip_suffix(b"#")
        .or(bytes.strip_suffix(b"*"))
        .unwrap_or(bytes);
    let is_tied = match value.binding {
        Binding::Assigned | Binding::Sentence | Binding::NextLine | Binding::Below => true,
        Binding::AfterFiller => name.range.len() > "pin".len() || name.is_pin(),
        _ => false,
    };
    is_tied && (4..=10).contains(&digits.len()) && DIGIT.contains_all(digits)
}

/// Returns whether the value is no secret, however much it looks like one.
fn is_harmless_value(text: &[u8], claim: SecretClaim, value: &FieldValue, bytes: &[u8]) -> bool {
    let stands_in = match claim {
        SecretClaim::Password => placeholder::is_stand_in(bytes),
        _ => placeholder::is_placeholder(bytes),
    };
    text[value.range.end..].starts_with(b"...")
        || stands_in
        || value::contains_ignoring_case(bytes, "[redacted:")
        || value::is_public_key(bytes)
        || value::is_digest(&text[value.range.start - digest_name_length(text, value)..value.range.end])
        || value::contains_ignoring_case(bytes, "@sha256:")
        // A weak entity tag (ETag) of HTTP.
        || bytes.starts_with(b"W/\"")
        || value::lists_alphabet(bytes)
        || is_uri(bytes)
        || is_expression(value, bytes)
}

/// Returns the length of the name before a value that says how it was computed: `SHA256:`.
fn digest_name_length(text: &[u8], value: &FieldValue) -> usize {
    let before = &text[..value.range.start];
    match before.strip_suffix(b":") {
        Some(before) => 1 + ALNUM.run_before(before, before.len(), 8).len(),
        None => 0,
    }
}

/// Returns whether the value is a URI: `https://…`, `op://…`.
fn is_uri(bytes: &[u8]) -> bool {
    let scheme = ALNUM
        .union(Alphabet::from_chars("+-."))
        .run_from(bytes, 0, 24)
        .end;
    scheme >= 2 && bytes[scheme..].starts_with(b"://")
}

/// Returns whether the value is code, judged by its line.
fn is_expression(value: &FieldValue, bytes: &[u8]) -> bool {
    match (value.is_quoted(), value.is_literal()) {
        (true, _) => false,
        (false, true) => expression::is_clear_expression(bytes),
        (false, false) => {
            expression::is_code_expression(bytes) || expression::is_clear_expression(bytes)
        }
    }
}

/// Returns whether the value is a password, given its position.
fn is_password(text: &[u8], name: &FieldName<'_>, value: &FieldValue, bytes: &[u8]) -> bool {
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes
        .iter()
        .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let odd = bytes.iter().any(|&byte| is_odd_sign(byte));
    let literal = is_literal(name, value);
    let is_self_named = !literal && !value.is_quoted() && names_itself(bytes);
    // `--password --verbose`
    let option = bytes.starts_with(b"-") && !digit;
    let is_mixed = letter && (digit || odd) && !is_self_named && !option;
    let is_mixed = is_mixed && !value::is_technical_word(bytes) && !is_password_rule(bytes);
    let number = DIGIT.contains_all(bytes) && bytes.len() >= 6 && !name.is_bare_word();
    let blank = bytes.iter().any(|byte| byte.is_ascii_whitespace());
    let whole =
        value.is_literal() && (is_phrase(bytes) || is_title_case(bytes) || is_all_signs(bytes));
    if name.may_be_folder() && (bytes.starts_with(b"/") || bytes.get(1) == Some(&b':'))
        || name.is_bare_word() && is_test_report(value, bytes)
    {
        return false;
    }
    let set = is_setting_line(text, name, value) && is_lone_word(bytes);
    let follows = |range: &Range<usize>| login::follows_user(text, range.start);
    match value.binding {
        _ if blank => may_be_passphrase(name, value) && is_passphrase(bytes),
        // Beside its user any word is a password.
        Binding::Assigned | Binding::Sentence | Binding::Adjacent
            if value.is_bare()
                && (is_mixed || is_lone_word(bytes) && ends_phrase(text, value))
                && follows(&name.range) =>
        {
            true
        }
        Binding::Adjacent if name.is_bare_word() && is_argument(bytes) => false,
        Binding::Adjacent if name.is_verb() => {
            let odd_signs = bytes.iter().filter(|byte| is_odd_sign(**byte)).count();
            value.is_quoted() && is_mixed && digit && (odd_signs >= 2 || count_noise(bytes) >= 6)
        }
        // `pass` alone is an ordinary word.
        _ if name.is_bare_word()
            && !value.is_quoted()
            && value.binding != Binding::Assigned
            && value.binding != Binding::Flag
            && !name.is_after_login() =>
        {
            value.binding == Binding::Sentence
                && name.is_short()
                && is_mixed
                && digit
                && bytes.len() >= 8
        }
        Binding::Assigned => {
            is_mixed
                || number
                || whole
                || !name.is_bare_word() && (literal && is_uncommon(bytes) || set)
        }
        Binding::Flag => {
            is_mixed
                || whole
                || value.is_glued && !option && ends_options(text, value) && is_uncommon(bytes)
        }
        Binding::Adjacent if name.is_after_login() => is_uncommon(bytes) || whole,
        Binding::CallArgument => is_mixed || name.is_setter() && is_uncommon(bytes),
        Binding::NextArgument if name.is_bare_word() => is_mixed && digit,
        Binding::NextArgument => {
            is_mixed || is_set_by_call(text, name, value) && is_uncommon(bytes)
        }
        Binding::AfterFiller => {
            let likely = whole || follows_equals_sign(text, value) && is_uncommon(bytes);
            is_mixed
                || likely && !field::has_harmless_word(&text[name.range.end..value.range.start])
        }
        Binding::Sentence | Binding::NextLine => is_mixed && bytes.len() >= 6 || number || whole,
        Binding::Adjacent if value.is_quoted() && name.may_omit_sign() => {
            is_uncommon(bytes) || whole
        }
        Binding::Adjacent if name.is_sql_clause() || value.is_literal() => {
            is_mixed && digit && bytes.len() >= 6
        }
        Binding::Adjacent | Binding::Below => {
            is_mixed && bytes.len() >= 6 && (odd && digit || count_noise(bytes) >= 6)
        }
        Binding::Printed => is_mixed && count_noise(bytes) >= 12 && !is_long_digest(bytes),
    }
}

/// Returns whether a value has the form of a commit's or a file's digest.
fn is_long_digest(bytes: &[u8]) -> bool {
    [40, 64].contains(&bytes.len()) && HEX.contains_all(bytes)
}

/// Returns whether a value is an argument that says itself what it is: `timeout=30`, `--shard=1/4`.
fn is_argument(bytes: &[u8]) -> bool {
    let name = SLUG.run_from(bytes, 0, bytes.len());
    let is_named = !name.is_empty() && bytes.get(name.end) == Some(&b'=');
    // Base64 may end in that sign.
    let is_assigned = is_named && bytes.get(name.end + 1).is_some_and(|byte| *byte != b'=');
    bytes.starts_with(b"-") || is_assigned
}

/// Returns whether a value of several words may be a passphrase in its position.
fn may_be_passphrase(name: &FieldName<'_>, value: &FieldValue) -> bool {
    let is_tied = match value.binding {
        Binding::Assigned | Binding::Flag => true,
        Binding::Sentence => !name.is_bare_word(),
        Binding::CallArgument => name.is_setter(),
        Binding::Adjacent => name.may_omit_sign(),
        _ => false,
    };
    is_tied && (value.is_quoted() || value.is_element())
}

/// Returns whether the line is a setting that assigns the value, whatever it is: `a.password=x` at the beginning or
/// in quotes, `A_PASSWORD: x`, `<password>x</password>`.
fn is_setting_line(text: &[u8], name: &FieldName<'_>, value: &FieldValue) -> bool {
    // An indented one may be the last argument of a call.
    let begins = name.indent().is_none_or(|indent| indent == 0);
    let property =
        text[..value.range.start].ends_with(b":") || text[name.range.clone()].contains(&b'.');
    let settings = name.is_screaming_case() || begins && (value.is_glued || property);
    value.is_setting() && (value.is_element() || settings)
}

/// Returns whether the value ends a line or a clause.
fn ends_phrase(text: &[u8], value: &FieldValue) -> bool {
    let next = text.get(value.range.end);
    next.is_none_or(|byte| b"\r\n,.;)".contains(byte))
}

/// Returns whether a `=` precedes a quoted value, whatever is before that.
fn follows_equals_sign(text: &[u8], value: &FieldValue) -> bool {
    let before = &text[..value.range.start - usize::from(value.is_quoted())];
    value.is_quoted() && before.trim_ascii_end().ends_with(b"=")
}

/// Returns whether `PASS` reports on a test: `--- PASS: …`, `PASS: suite/case`.
fn is_test_report(value: &FieldValue, bytes: &[u8]) -> bool {
    !value.is_quoted() && !value.is_glued && bytes.contains(&b'/') && value::count_noise(bytes) < 8
}

/// Returns whether a call sets the named value, or falls back on it.
fn is_set_by_call(text: &[u8], name: &FieldName<'_>, value: &FieldValue) -> bool {
    #[rustfmt::skip]
    const SETTER_CALLS: &[&str] = &[
        "add", "append", "default", "define", "env", "put", "property", "set", "setdefault",
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
    closes && SETTER_CALLS.iter().any(ends)
}

/// Returns whether a quoted key may contain spaces, as keys drawn from all signs do.
fn is_spaced_key(value: &FieldValue, bytes: &[u8]) -> bool {
    let blanks = bytes
        .iter()
        .filter(|byte| byte.is_ascii_whitespace())
        .count();
    value.is_quoted() && bytes.len() >= 32 && blanks <= 4 && count_noise(bytes) * 3 >= bytes.len()
}

/// Returns whether a word is the argument of the last option, or another option follows.
fn ends_options(text: &[u8], value: &FieldValue) -> bool {
    let rest = &text[value.range.end..];
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    rest.first().is_none_or(|byte| b"-\n\"'|&;".contains(byte))
}

/// Returns whether the value can only be a literal: `NAME=x`, `?name=x`, `"name": "x"`.
fn is_literal(name: &FieldName<'_>, value: &FieldValue) -> bool {
    let is_settled_name = name.is_screaming_case() || name.is_parameter() || name.is_flag();
    value.is_glued && value.is_literal() && is_settled_name || value.is_quoted()
}

/// Returns whether the value looks random enough for a name that marks a secret.
fn is_random_key(name: &FieldName<'_>, value: &FieldValue, bytes: &[u8]) -> bool {
    let beside = matches!(
        value.binding,
        Binding::Adjacent | Binding::Below | Binding::Printed
    );
    // Fewer characters cannot be distinguished from a serial number or a version.
    let least = if beside { 14 } else { 12 };
    let random = count_noise(bytes) >= least && shannon_entropy(bytes) >= 2.5;
    let identifier = value::is_uuid(bytes) && !beside;
    let number = bytes.len() >= 16 && DIGIT.contains_all(bytes) && !beside;
    let likely = random && !(beside && value::is_uuid(bytes));
    let is_typed = value.is_literal() && is_typed_key(name, value, bytes);
    (likely || identifier || is_padded_base64(bytes) || number || is_typed)
        && value::count_distinct(bytes) > 4
        && !(value.binding == Binding::Printed && is_long_digest(bytes))
}

/// Returns whether the value is a typed password in the place of a key; names of other things do not look so.
fn is_typed_key(name: &FieldName<'_>, value: &FieldValue, bytes: &[u8]) -> bool {
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let signs = bytes
        .iter()
        .filter(|&&byte| is_odd_sign(byte) && byte != b'=' && byte != b'+');
    let odd = signs.clone().count() > usize::from(!digit);
    let is_assigned =
        matches!(value.binding, Binding::Assigned | Binding::Flag) && bytes.len() >= 8;
    let in_environment = value.is_glued && name.is_screaming_case();
    let upper =
        bytes.iter().any(u8::is_ascii_uppercase) && value.is_quoted() && name.ends_in_secret();
    let plain =
        (in_environment || upper) && !value::is_technical_word(bytes) && !names_itself(bytes);
    let whole = is_all_signs(bytes) || in_environment && is_phrase(bytes);
    is_assigned && (letter && (odd || digit && plain) || whole)
}

/// Returns whether the value looks random enough for an ambiguous name.
fn is_likely_key(value: &FieldValue, bytes: &[u8]) -> bool {
    let random = count_noise(bytes) >= 18 && shannon_entropy(bytes) >= 3.5;
    // `deps-linux-…`, a name that ends in a digest
    let last = bytes
        .rsplit(|byte| b"-_:/.".contains(byte))
        .next()
        .unwrap_or_default();
    let has_long_end = last.len() >= 32 && count_noise(&bytes[..bytes.len() - last.len()]) == 0;
    let digest =
        HEX.contains_all(bytes) || value::is_uuid(bytes) || has_long_end && HEX.contains_all(last);
    let pair = value.binding == Binding::Assigned && value::is_encoded_pair(bytes);
    random && !digest && ANY64.contains_all(bytes) || pair
}
