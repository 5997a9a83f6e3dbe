//! Computes digests of texts, for keys and names that are compared and never decoded.
//!
//! The journal encodes what it hashes in a form of its own ([`journal`](crate::journal)); its bytes never change,
//! while those of a key may.

use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 of these parts, each followed by a zero byte so that they cannot run together.
pub fn hash_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update([0]);
    }
    hash.finalize().into()
}

/// Returns four digits that distinguish texts which were cut at the same place.
///
/// They are stored with the rest of a text that may have contained a secret: so few digits that they cannot confirm a
/// guess at it. Fast rather than cryptographic, because hooks wait for it.
pub fn fingerprint_text(text: &str) -> String {
    let mix = |hash: u64, word: u64| {
        let mix = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mix ^ (mix >> 32)
    };
    let (chunks, rest) = text.as_bytes().as_chunks();
    let words = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    let hash = words.chain(rest).fold(text.len() as u64, mix);
    format!("{:04x}", hash & 0xffff)
}

/// Writes bytes as lower-case hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_tells_texts_apart_that_differ_anywhere() {
        let long = "word ".repeat(500);
        let mut prints = vec![fingerprint_text(&long)];
        prints.extend((0..40).map(|at| {
            let mut other = long.clone();
            other.replace_range(at * 60..at * 60 + 1, "X");
            fingerprint_text(&other)
        }));
        prints.extend(["", "a", "b"].map(|end| fingerprint_text(&format!("{long} {end}"))));
        assert!(prints.iter().all(|it| it.len() == 4), "{prints:?}");
        let count = prints.len();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), count);
    }

    #[test]
    fn parts_do_not_run_into_one_another() {
        let of =
            |parts: &[&str]| to_hex(&hash_parts(parts.iter().map(|part| part.as_bytes()))[..4]);
        // SHA-256 of nothing, of `a\0`, of `a\0b\0`, of `ab\0`.
        for (parts, expected) in [
            (&[][..], "e3b0c442"),
            (&["a"], "ffe9aaea"),
            (&["a", "b"], "8fb20ef6"),
            (&["ab"], "969caaeb"),
        ] {
            assert_eq!(of(parts), expected, "{parts:?}");
        }
    }
}
