//! The words that a session has read from outside, as bytes: their fingerprints one after the other.

use hardwon_core::{OutsideWords, limits};

/// Bytes of a fingerprint.
const FINGERPRINT_BYTES: usize = size_of::<u32>();
/// Most bytes that are added to; more stand for unknown words.
pub(super) const MAX_BYTES: usize = 2 * limits::OUTSIDE_WORDS * FINGERPRINT_BYTES;

/// Returns words as bytes.
pub(super) fn to_bytes(words: &OutsideWords) -> Vec<u8> {
    let numbers = words.to_numbers();
    numbers.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Reads bytes; `is_whole` says whether they are all there were.
pub(super) fn read_words(bytes: &[u8], is_whole: bool) -> OutsideWords {
    let numbers = bytes
        .chunks_exact(FINGERPRINT_BYTES)
        .map(|exact| u32::from_le_bytes(exact.try_into().expect("so many bytes each")));
    let words = OutsideWords::from_numbers(numbers);
    if is_whole && bytes.len().is_multiple_of(FINGERPRINT_BYTES) {
        words
    } else {
        OutsideWords::unknown()
    }
}
