//! Words that stand for something, looked up one at a time: rows of words, as the tables of this folder write them.
//!
//! Each word of a lesson is looked for in many rows, so they are hashed once. Words are compared as they are: what folds
//! or cuts them is the reader's.

use std::collections::BTreeMap;

use crate::text::word_hash::WordMap;

/// The place of a row, and what its words stand for.
type TableRow<T> = (usize, T);

/// What each word stands for.
#[derive(Debug)]
pub(super) struct WordTable<T> {
    /// Whole words, with the place of their row.
    words: WordMap<TableRow<T>>,
    /// The beginnings of words by their first byte, in the order of their rows.
    beginnings: BTreeMap<u8, Vec<(&'static str, TableRow<T>)>>,
}

impl<T: Copy> WordTable<T> {
    /// Reads rows of words between single spaces, in which `*` at the end of one stands for any ending. Of a word in
    /// two rows the first counts.
    pub(super) fn new(rows: impl IntoIterator<Item = (T, &'static str)>) -> Self {
        let mut table = Self {
            words: WordMap::default(),
            beginnings: BTreeMap::new(),
        };
        for (row, (value, words)) in rows.into_iter().enumerate() {
            for word in words.split(' ') {
                match word.strip_suffix('*') {
                    Some(beginning) => {
                        let alike = table.beginnings.entry(beginning.as_bytes()[0]);
                        alike.or_default().push((beginning, (row, value)));
                    }
                    None => _ = table.words.entry(word).or_insert((row, value)),
                }
            }
        }
        table
    }

    /// Returns what a word stands for.
    pub(super) fn get(&self, word: &str) -> Option<T> {
        let whole = self.words.get(word);
        let alike = word
            .bytes()
            .next()
            .and_then(|first| self.beginnings.get(&first));
        let begun =
            (alike.into_iter().flatten()).find(|(beginning, _)| word.starts_with(beginning));
        let rows = whole.into_iter().chain(begun.map(|(_, row)| row));
        rows.min_by_key(|(row, _)| *row).map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_that_has_a_word_counts() {
        let table = WordTable::new([(1, "run use*"), (2, "user run ran*"), (3, "ranger")]);
        let check = |word: &str, expected| assert_eq!(table.get(word), expected, "{word}");
        check("run", Some(1));
        check("user", Some(1));
        check("ranger", Some(2));
        check("runs", None);
        check("us", None);
        check("", None);
    }
}
