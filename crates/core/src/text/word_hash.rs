//! Maps and sets of words that are part of the program, by a hash that is quick for words of a few letters.
//!
//! Nobody outside chooses what such a map holds, so nobody can fill it with words that collide.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

/// What each word of a table stands for.
pub(crate) type WordMap<V> = HashMap<&'static str, V, BuildHasherDefault<WordHasher>>;
/// The words of a list.
pub(crate) type WordSet = HashSet<&'static str, BuildHasherDefault<WordHasher>>;

/// The hash FNV-1a, begun at nothing.
#[derive(Debug, Default)]
pub(crate) struct WordHasher(u64);

/// Hashes one more byte.
pub(super) const fn add_byte(hash: u64, byte: u8) -> u64 {
    const PRIME: u64 = 0x100_0000_01b3;
    (hash ^ byte as u64).wrapping_mul(PRIME)
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes
            .iter()
            .fold(self.0, |hash, byte| add_byte(hash, *byte));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
