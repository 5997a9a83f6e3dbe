//! Unifies characters with the same meaning, and knows which scripts write without spaces.
//!
//! Case is kept here: a change of case inside a word separates its parts.

use std::borrow::Cow;

use unicode_normalization::{
    IsNormalized, UnicodeNormalization as _,
    char::{decompose_canonical, is_combining_mark},
    is_nfkc_quick,
};

/// Replaces compatibility forms (wide, narrow, ligatures) and composes characters (NFKC), so that one letter is one
/// character from here on.
pub(super) fn compose_characters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// Passes the plain letters of a character to `emit`: `é` gives `e`, `ß` gives `ss`.
pub(super) fn emit_plain_letters(c: char, mut emit: impl FnMut(char)) {
    match c {
        'ß' => "ss".chars().for_each(emit),
        'ẞ' => "SS".chars().for_each(emit),
        'æ' => "ae".chars().for_each(emit),
        'Æ' => "AE".chars().for_each(emit),
        'œ' => "oe".chars().for_each(emit),
        'Œ' => "OE".chars().for_each(emit),
        'ø' => emit('o'),
        'Ø' => emit('O'),
        'ł' => emit('l'),
        'Ł' => emit('L'),
        'ı' => emit('i'),
        '’' => emit('\''),
        // A letter of its own, by which Russian endings are known.
        'й' | 'Й' => emit(c),
        _ => decompose_canonical(c, |part| {
            if !is_accent(part) {
                emit(part);
            }
        }),
    }
}

/// Returns whether a character only decorates the letter before it.
///
/// The vowel signs of Indic scripts are letters in all but name and do not count.
fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036F}'   // Latin, Greek, Cyrillic
        | '\u{0591}'..='\u{05C7}' // Hebrew points
        | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}' | '\u{0670}' // Arabic points
        | '\u{FE00}'..='\u{FE0F}' // variation selectors
        | '\u{200C}' | '\u{200D}' | '\u{00AD}') // joiners, soft hyphen
}

/// Returns whether a character belongs to a script that puts no spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}'     // Thai, Lao
        | '\u{1000}'..='\u{109F}'   // Myanmar
        | '\u{1100}'..='\u{11FF}'   // Hangul letters
        | '\u{1780}'..='\u{17FF}'   // Khmer
        | '\u{3005}'..='\u{31FF}'   // Hiragana, Katakana, Bopomofo
        | '\u{3400}'..='\u{4DBF}'   // Han
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'   // Hangul syllables
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
        && is_wordlike(c)
}

/// Returns whether a term was cut from a script without spaces.
pub(crate) fn is_unspaced_term(term: &str) -> bool {
    !term.is_ascii() && term.chars().next().is_some_and(is_unspaced)
}

/// Returns whether a character only joins words, in a script without spaces: the Japanese script of endings and
/// particles, and the commonest particles of Chinese. What stands on either side of it are two words.
pub(super) fn is_grammar(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}') || "的了是在把给和请吗呢这那们也就".contains(c)
}

/// Returns whether a character belongs to a word: a letter, a digit, or a combining mark.
pub(super) fn is_wordlike(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}
