//! Decides whether a value may be a password by what it consists of: words, titles, signs.
//!
//! Only the value is judged; `named` judges its position.

use super::{
    alphabet::{ALNUM, Alphabet, LETTER, WORD},
    expression,
    name_rows::{COMMON_VALUES, FOREIGN_PASSWORDS, MESSAGE_WORDS},
    value::{self, count_noise, is_among},
};

/// Returns whether a word of letters is no variable, no type and no common word about passwords.
pub(super) fn is_lone_word(bytes: &[u8]) -> bool {
    let small = bytes.iter().skip(1).all(|byte| !byte.is_ascii_uppercase());
    let plain = LETTER.union(Alphabet::from_chars("-_")).contains_all(bytes);
    small && plain && is_uncommon(bytes) && !expression::is_receiver(bytes)
}

/// Returns whether a sign occurs neither in names nor in version numbers.
pub(super) fn is_odd_sign(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !b"_-.:/,'`\"()[]{}".contains(&byte)
}

/// Returns whether the value consists of signs alone, of enough different ones.
pub(super) fn is_all_signs(bytes: &[u8]) -> bool {
    let signs = bytes.iter().filter(|byte| byte.is_ascii_punctuation());
    bytes.len() >= 8 && signs.count() * 4 >= bytes.len() * 3 && value::count_distinct(bytes) >= 6
}

/// Returns whether the value consists of three words or more, such as `castle.garden.rocket`.
pub(super) fn is_phrase(bytes: &[u8]) -> bool {
    let words = || bytes.split(|byte| b".-_, ".contains(byte));
    let long = words().any(|word| word.len() >= 4);
    words().count() >= 3
        && long
        && words()
            .all(|word| word.len() >= 2 && LETTER.contains_all(word) && !is_common_value(word))
}

/// Returns whether the value consists of capitalised words, such as `Oak.Tree`.
pub(super) fn is_title_case(bytes: &[u8]) -> bool {
    let is_title = |word: &[u8]| {
        let capital = word.first().is_some_and(u8::is_ascii_uppercase);
        capital
            && word.len() >= 3
            && word[1..].iter().all(u8::is_ascii_lowercase)
            && !is_common_value(word)
    };
    let words = || bytes.split(|byte| b".-_".contains(byte));
    words().count() >= 2 && words().all(is_title)
}

/// Returns whether several words are a passphrase, not a message about one.
pub(super) fn is_passphrase(bytes: &[u8]) -> bool {
    let is_message = |word: &[u8]| {
        let word = word.trim_ascii();
        is_among(word, MESSAGE_WORDS)
            || is_common_value(word)
            || value::contains_ignoring_case(word, "passw")
    };
    let words = || {
        let words = bytes.split(|&byte| byte.is_ascii_whitespace() || b".,:;!?".contains(&byte));
        words.filter(|word| !word.is_empty())
    };
    let count = words().count();
    let alike = bytes.iter().any(|byte| b"=;{}".contains(byte)) && count_noise(bytes) < 6;
    // One such word among lower-case ones does not make a message.
    let small = count >= 4 && bytes[0].is_ascii_lowercase();
    let messages = words().filter(|word| is_message(word)).count();
    (2..=12).contains(&count) && !alike && messages <= usize::from(small)
}

/// Returns whether a word may be a password and does not merely describe one.
pub(super) fn is_uncommon(bytes: &[u8]) -> bool {
    let is_typed = bytes.len() >= 6 && !is_password_rule(bytes) && !names_itself(bytes);
    is_typed && bytes.iter().any(u8::is_ascii_alphanumeric)
}

/// Returns whether the value describes a password: `argon2id`, `required|min:8`.
pub(super) fn is_password_rule(bytes: &[u8]) -> bool {
    let rule = bytes.split(|&byte| byte == b'|').next().unwrap_or_default();
    is_common_value(rule)
}

fn is_common_value(bytes: &[u8]) -> bool {
    is_among(bytes, COMMON_VALUES) || is_among(bytes, FOREIGN_PASSWORDS)
}

/// Returns whether the value is a name like that of its variable: `password2`, `my_token_1`.
pub(super) fn names_itself(bytes: &[u8]) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&[u8]] = &[
        b"pass", b"passwd", b"password", b"pwd", b"secret", b"token", b"credential", b"credentials",
    ];
    let turns = |left: &u8, right: &u8| LETTER.contains(*left) == LETTER.contains(*right);
    let mut words = bytes.chunk_by(turns).map(<[u8]>::to_ascii_lowercase);
    words.any(|word| NAMES.iter().any(|name| word.ends_with(name)))
        && count_noise(bytes) < 8
        && WORD.union(Alphabet::from_chars("-.")).contains_all(bytes)
}

/// Returns whether the value ends like padded Base64.
pub(super) fn is_padded_base64(bytes: &[u8]) -> bool {
    let body = bytes.trim_ascii_end();
    body.len() >= 12
        && body.len().is_multiple_of(4)
        && body.ends_with(b"=")
        && value::count_distinct(body) >= 6
        && ALNUM.union(Alphabet::from_chars("+/=")).contains_all(body)
}
