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

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        const PRIME: u64 = 0x100_0000_01b3;
        let add_byte = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        self.0 = bytes.iter().fold(self.0, add_byte);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
