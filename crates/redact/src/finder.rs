//! Finds the words that rules begin with, in one pass and without building anything at run time.
//!
//! A hook process lives for a few milliseconds, so whatever must be built first is paid for at every event: an
//! Aho-Corasick automaton over the words of redaction took 0.26 ms to build, those over the words of errors 2 and 4
//! ms. A [`WordFinder`] is a hash table over the first three bytes of every word, computed at compile time, and reads
//! ordinary text several times faster than a prompt can arrive. It only reports which words begin where; the rules
//! decide what that means.

/// The number of hash buckets.
const BUCKETS: usize = 1 << 11;
/// The number of different three-byte prefixes, ignoring case.
const PREFIX_CODES: usize = 1 << 15;
/// The shortest word, in bytes.
const MIN_WORD_BYTES: usize = 3;
/// Marks the end of a bucket's list.
const END_OF_LIST: u16 = u16::MAX;

/// A set of words of three bytes or more that is searched for case-insensitively.
#[derive(Debug)]
pub struct WordFinder<const N: usize> {
    words: [&'static str; N],
    /// One bit for every prefix, set if a word begins with it.
    known_prefixes: [u64; PREFIX_CODES / 64],
    bucket_heads: [u16; BUCKETS],
    next_in_bucket: [u16; N],
}

impl<const N: usize> WordFinder<N> {
    /// Sorts the words into their buckets; words with the same prefix keep their order. Meant for a `static`: it is
    /// evaluated at compile time, which fails for a word of less than three bytes.
    pub const fn new(words: [&'static str; N]) -> Self {
        let mut finder = Self {
            words,
            known_prefixes: [0; PREFIX_CODES / 64],
            bucket_heads: [END_OF_LIST; BUCKETS],
            next_in_bucket: [END_OF_LIST; N],
        };
        let mut index: u16 = 0;
        while (index as usize) < N {
            index += 1;
        }
        while index > 0 {
            index -= 1;
            let triple = prefix_code(words[index as usize].as_bytes());
            finder.known_prefixes[triple / 64] |= 1 << (triple % 64);
            finder.next_in_bucket[index as usize] = finder.bucket_heads[bucket_index(triple)];
            finder.bucket_heads[bucket_index(triple)] = index;
        }
        finder
    }

    /// Returns the first offset at or after `from` at which a word might begin.
    pub fn next_candidate(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let mut triple = 0;
        rest.iter()
            .enumerate()
            .position(|(index, &byte)| {
                triple = (triple << 5 | usize::from(byte & 31)) % PREFIX_CODES;
                index >= 2 && self.known_prefixes[triple / 64] >> (triple % 64) & 1 == 1
            })
            .map(|last| from + last - 2)
    }

    /// Returns the indexes of the words that begin at `at`.
    pub fn words_at<'t>(&'t self, text: &'t [u8], at: usize) -> impl Iterator<Item = usize> + 't {
        let rest = text.get(at..).unwrap_or_default();
        let head = match rest.len() {
            0..=2 => END_OF_LIST,
            _ => self.bucket_heads[bucket_index(prefix_code(rest))],
        };
        let some = |index: u16| (index != END_OF_LIST).then_some(usize::from(index));
        std::iter::successors(some(head), move |&index| some(self.next_in_bucket[index])).filter(
            move |&index| {
                let word = self.words[index].as_bytes();
                // The byte after the prefix excludes most of them.
                let differs = |at: usize| (rest[at] ^ word[at]) & !0x20 != 0;
                rest.len() >= word.len()
                    && !(word.len() > MIN_WORD_BYTES && differs(MIN_WORD_BYTES))
                    && rest[..word.len()].eq_ignore_ascii_case(word)
            },
        )
    }
}

/// Words in groups, all found in one pass.
#[derive(Debug)]
pub struct WordGroups<const N: usize> {
    finder: WordFinder<N>,
    group_of: [u16; N],
}

/// Counts the words of three bytes or more in all groups.
pub const fn count_words(groups: &[&[&str]]) -> usize {
    let (mut total, mut group) = (0, 0);
    while group < groups.len() {
        let mut index = 0;
        while index < groups[group].len() {
            total += (groups[group][index].len() >= MIN_WORD_BYTES) as usize;
            index += 1;
        }
        group += 1;
    }
    total
}

impl<const N: usize> WordGroups<N> {
    /// Combines the words of all groups, without those of less than three bytes; `N` is their [`count_words`].
    pub const fn new(groups: &[&'static [&'static str]]) -> Self {
        let (mut words, mut group_of) = ([""; N], [0; N]);
        let (mut count, mut group) = (0, 0_u16);
        while (group as usize) < groups.len() {
            let (members, mut index) = (groups[group as usize], 0);
            while index < members.len() {
                if members[index].len() >= MIN_WORD_BYTES {
                    words[count] = members[index];
                    group_of[count] = group;
                    count += 1;
                }
                index += 1;
            }
            group += 1;
        }
        let finder = WordFinder::new(words);
        Self { finder, group_of }
    }

    /// Returns the offset and the group of every word found, in the order of the text, including overlapping ones.
    pub fn find_iter<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, usize)> + 't {
        let next = move |at: &usize| self.finder.next_candidate(text, at + 1);
        let places = std::iter::successors(self.finder.next_candidate(text, 0), next);
        places.flat_map(move |at| {
            let words = self.finder.words_at(text, at);
            words.map(move |word| (at, usize::from(self.group_of[word])))
        })
    }
}

/// Spreads the prefixes over the buckets, so that words which share only the end of their prefix, as `log` and `hog`
/// do, do not share a bucket.
const fn bucket_index(triple: usize) -> usize {
    (triple.wrapping_mul(0x9e37) >> 4) % BUCKETS
}

/// Returns the code of a prefix; `bytes` must have at least three.
const fn prefix_code(bytes: &[u8]) -> usize {
    (bytes[0] as usize & 31) << 10 | (bytes[1] as usize & 31) << 5 | (bytes[2] as usize & 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINDER: WordFinder<4> = WordFinder::new(["token", "tok", "sk-", "://"]);

    fn check(text: &str, expected: &[(usize, &[usize])]) {
        let text = text.as_bytes();
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = FINDER.next_candidate(text, from) {
            let words = FINDER.words_at(text, at).collect::<Vec<_>>();
            if !words.is_empty() {
                found.push((at, words));
            }
            from = at + 1;
        }
        let expected: Vec<_> = expected.iter().map(|(at, w)| (*at, w.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_are_found_wherever_they_begin() {
        check("", &[]);
        check("to", &[]);
        check("a Token", &[(2, &[0, 1])]);
        check("TOKtok", &[(0, &[1]), (3, &[1])]);
        check("https://task-runner é", &[(5, &[3]), (10, &[2])]);
    }

    #[test]
    fn groups_are_told_apart() {
        const WORDS: &[&[&str]] = &[&["tok", "a "], &[], &["token"]];
        static GROUPS: WordGroups<{ count_words(WORDS) }> = WordGroups::new(WORDS);
        let found: Vec<_> = GROUPS.find_iter(b"a TOKEN a tok").collect();
        assert_eq!(found, [(2, 0), (2, 2), (10, 0)]);
        assert_eq!(GROUPS.find_iter(b"").count(), 0);
    }
}
