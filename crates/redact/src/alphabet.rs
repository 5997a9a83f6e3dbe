//! Sets of ASCII characters, and runs of them in a text.
//!
//! A vendor's documentation says "40 hexadecimal digits"; an [`Alphabet`] is that statement as a value. Nothing here
//! knows what a secret is.

use std::ops::Range;

/// A set of ASCII characters, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alphabet(u128);

pub(super) const DIGIT: Alphabet = Alphabet::from_chars("0123456789");
pub(super) const UPPER: Alphabet = Alphabet::from_chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
pub(super) const LETTER: Alphabet = UPPER.union(Alphabet::from_chars("abcdefghijklmnopqrstuvwxyz"));
pub(super) const HEX: Alphabet = DIGIT.union(Alphabet::from_chars("abcdefABCDEF"));
pub(super) const ALNUM: Alphabet = LETTER.union(DIGIT);
pub(super) const UPPER_DIGIT: Alphabet = UPPER.union(DIGIT);
/// The characters of identifiers.
pub(super) const WORD: Alphabet = ALNUM.union(Alphabet::from_chars("_"));
/// Base64 for URLs, without its padding.
pub(super) const SLUG: Alphabet = WORD.union(Alphabet::from_chars("-"));
pub(super) const SLUG_PADDED: Alphabet = SLUG.union(Alphabet::from_chars("="));
pub(super) const DOTTED: Alphabet = SLUG_PADDED.union(Alphabet::from_chars("."));
pub(super) const BASE64: Alphabet = ALNUM.union(Alphabet::from_chars("+/="));
/// Both kinds of Base64, and the characters that join their pieces.
pub(super) const ANY64: Alphabet = DOTTED.union(BASE64);
/// The characters that separate words on a line.
pub(super) const BLANK: Alphabet = Alphabet::from_chars(" \t");
/// Bech32, in capitals.
pub(super) const BECH32: Alphabet = Alphabet::from_chars("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L");

impl Alphabet {
    /// Creates the set of the characters of `chars`, all of which must be ASCII.
    pub(super) const fn from_chars(chars: &str) -> Self {
        let bytes = chars.as_bytes();
        let (mut set, mut index) = (0, 0);
        while index < bytes.len() {
            assert!(bytes[index].is_ascii());
            set |= 1 << bytes[index];
            index += 1;
        }
        Self(set)
    }

    /// Returns the union of both sets.
    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the set contains `byte`; no set contains a part of a longer character.
    pub(super) const fn contains(self, byte: u8) -> bool {
        byte.is_ascii() && self.0 >> byte & 1 == 1
    }

    /// Returns whether the set contains every byte.
    pub(super) fn contains_all(self, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| self.contains(byte))
    }

    /// Returns the run that begins at `from`, cut after `max` characters.
    pub(super) fn run_from(self, text: &[u8], from: usize, max: usize) -> Range<usize> {
        let rest = text.get(from..).unwrap_or_default();
        let length = rest
            .iter()
            .take(max)
            .take_while(|&&byte| self.contains(byte))
            .count();
        from..from + length
    }

    /// Returns the run that ends before `to`, cut after `max` characters from its end.
    pub(super) fn run_before(self, text: &[u8], to: usize, max: usize) -> Range<usize> {
        let length = text[..to]
            .iter()
            .rev()
            .take(max)
            .take_while(|&&byte| self.contains(byte))
            .count();
        to - length..to
    }

    /// Makes up a text of these characters; the same for the same seed.
    pub(super) fn make_up(self, length: usize, seed: &mut u32) -> String {
        let chars = self.chars();
        let mut draw = || {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            chars[usize::try_from(*seed >> 16).unwrap_or_default() % chars.len()]
        };
        (0..length).map(|_| draw()).collect()
    }

    /// Returns the characters in ascending order, to make up samples.
    pub(super) fn chars(self) -> Vec<char> {
        (0..128u8)
            .filter(|&byte| self.contains(byte))
            .map(char::from)
            .collect()
    }
}

/// Returns whether a token may begin at `at`: the character before is no letter or digit, or it is the end of an
/// escape as written in JSON (`\n`), URLs (`%3D`) and terminals (`␛[0m`).
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before {
        [] => true,
        [.., last] if !ALNUM.contains(*last) => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => HEX.contains(*high) && HEX.contains(*low),
        [.., b'm'] => {
            let codes = Alphabet::from_chars("0123456789;").run_before(text, at - 1, 12);
            text[..codes.start].ends_with(b"\x1b[")
        }
        _ => false,
    }
}

/// Returns 1 when the letter at `at` belongs to an escape such as `\n` and to no word, else 0.
pub(super) fn escape_length(text: &[u8], at: usize) -> usize {
    let letter = matches!(text.get(at), Some(b'n' | b'r' | b't'));
    usize::from(letter && text[..at].ends_with(b"\\"))
}

/// Returns whether no letter or digit follows at `at`.
pub(super) fn ends_word(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|&byte| !ALNUM.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs() {
        assert_eq!(HEX.run_from(b"x12afz", 1, 9), 1..5);
        assert_eq!(HEX.run_from(b"x12afz", 1, 2), 1..3);
        assert_eq!(HEX.run_from(b"x12", 9, 2), 9..9);
        assert_eq!(DIGIT.run_before(b"a123:", 4, 9), 1..4);
        assert_eq!(DIGIT.run_before(b"a123:", 4, 2), 2..4);
        assert!(!ALNUM.contains_all("é".as_bytes()));
    }

    #[test]
    fn where_a_token_may_begin() {
        for (before, expected) in [
            ("", true),
            ("token=", true),
            ("key_", true),
            ("é", true),
            ("line\\n", true),
            ("x%3D", true),
            ("\x1b[1;32m", true),
            ("ta", false),
            ("n", false),
            ("50%2", false),
            ("item", false),
        ] {
            assert_eq!(
                starts_word(before.as_bytes(), before.len()),
                expected,
                "{before:?}"
            );
        }
    }
}
