//! Computes digests of texts, for keys and names that are compared and never decoded.
//!
//! The journal of the store encodes what it hashes in a form of its own; its bytes never change,
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
