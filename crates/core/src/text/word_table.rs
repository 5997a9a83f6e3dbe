//! Tables of words that are part of the program, hashed when it is compiled: rows of words between single spaces.
//!
//! A hook lives for milliseconds and looks few words up, so a table that it had to make first would take longer than all
//! its look-ups. Words are compared as they are: what folds or cuts them is the reader's.

use super::word_hash::add_byte;

/// Where a word stands: the number of its row from one on, and where it begins there. Row zero is none.
type WordPlace = (u16, u16);

const NOWHERE: WordPlace = (0, 0);

/// What each word of some rows stands for; `*` at the end of one stands for any ending. Of a word in two rows the first
/// counts.
pub(crate) struct WordTable<T: 'static, const WORDS: usize, const BEGINNINGS: usize = 1> {
    rows: &'static [(T, &'static str)],
    /// Whole words, each at its hash or after it.
    words: [WordPlace; WORDS],
    /// Words that end in `*`, each at the hash of its first byte or after it.
    beginnings: [WordPlace; BEGINNINGS],
}

/// The words of a list.
pub(crate) type WordList<const WORDS: usize> = WordTable<(), WORDS>;

impl<T: Copy, const WORDS: usize, const BEGINNINGS: usize> WordTable<T, WORDS, BEGINNINGS> {
    /// Hashes the words of rows, of which at most three quarters of the places may be taken.
    pub(crate) const fn new(rows: &'static [(T, &'static str)]) -> Self {
        let (mut words, mut beginnings) = ([NOWHERE; WORDS], [NOWHERE; BEGINNINGS]);
        let (mut word_count, mut beginning_count) = (0, 0);
        let mut row = 0;
        while row < rows.len() {
            let text = rows[row].1.as_bytes();
            let mut start = 0;
            while start <= text.len() {
                let end = find_end(text, start);
                if end > start && text[end - 1] == b'*' {
                    take_place(
                        &mut beginnings,
                        hash_part(text, start, start + 1),
                        row,
                        start,
                    );
                    beginning_count += 1;
                } else {
                    take_place(&mut words, hash_part(text, start, end), row, start);
                    word_count += 1;
                }
                start = end + 1;
            }
            row += 1;
        }
        assert!(4 * word_count <= 3 * WORDS, "too many words");
        assert!(beginning_count < BEGINNINGS, "too many beginnings");
        Self {
            rows,
            words,
            beginnings,
        }
    }

    /// Returns what a word stands for.
    pub(crate) fn get(&self, word: &str) -> Option<T> {
        let word = word.as_bytes();
        let hash = hash_part(word, 0, word.len());
        let whole = self.find_row(&self.words, hash, |text, start| {
            text[start..].starts_with(word) && find_end(text, start) == start + word.len()
        });
        let first = &word[..word.len().min(1)];
        let hash = hash_part(first, 0, first.len());
        let begun = self.find_row(&self.beginnings, hash, |text, start| {
            text[start..].starts_with(first)
                && word.starts_with(&text[start..find_end(text, start) - 1])
        });
        let row = [whole, begun].into_iter().flatten().min();
        row.map(|row| self.rows[row].0)
    }

    /// Returns whether a word is in any row.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    /// Returns the first row with a word that is meant, among those at a place or after it. What decides gets the row and
    /// where the word begins in it.
    fn find_row(
        &self,
        places: &[WordPlace],
        hash: usize,
        is_meant: impl Fn(&[u8], usize) -> bool,
    ) -> Option<usize> {
        let mut at = hash % places.len();
        let mut first = None;
        while let (row @ 1.., start) = places[at] {
            let (row, start) = (usize::from(row) - 1, usize::from(start));
            let text = self.rows[row].1.as_bytes();
            if first.is_none_or(|first| row < first) && is_meant(text, start) {
                first = Some(row);
            }
            at = (at + 1) % places.len();
        }
        first
    }
}

const fn find_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() && text[end] != b' ' {
        end += 1;
    }
    end
}

/// Hashes a part of a text.
#[expect(
    clippy::cast_possible_truncation,
    reason = "both halves are in the lower one"
)]
const fn hash_part(text: &[u8], start: usize, end: usize) -> usize {
    let mut hash = 0;
    let mut at = start;
    while at < end {
        hash = add_byte(hash, text[at]);
        at += 1;
    }
    (hash >> 32 ^ hash & 0xffff_ffff) as usize
}

/// Takes the first free place from a hash on.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rows are few and short, which is checked"
)]
const fn take_place(places: &mut [WordPlace], hash: usize, row: usize, start: usize) {
    assert!(row < u16::MAX as usize && start <= u16::MAX as usize);
    let mut at = hash % places.len();
    while places[at].0 != 0 {
        at = (at + 1) % places.len();
    }
    places[at] = (row as u16 + 1, start as u16);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_that_has_a_word_counts() {
        static TABLE: WordTable<i32, 16, 4> = WordTable::new(&[
            (1, "run use*"),
            (2, "user run ran*"),
            (3, "ranger uset"),
            (4, ""),
        ]);
        let check = |word: &str, expected| assert_eq!(TABLE.get(word), expected, "{word}");
        check("run", Some(1));
        check("user", Some(1));
        check("ranger", Some(2));
        check("runs", None);
        check("us", None);
        check("run use", None);
        check("use*", Some(1));
        check("", Some(4));
    }

    #[test]
    fn a_list_holds_its_words() {
        static LIST: WordList<8> = WordList::new(&[((), "a bb ccc")]);
        for word in ["a", "bb", "ccc"] {
            assert!(LIST.contains(word), "{word}");
        }
        for word in ["", "b", "cc", "a bb", "bb ccc"] {
            assert!(!LIST.contains(word), "{word}");
        }
    }
}
