//! Looks up a prompt's terms among many words, most of which are not among them.

use super::{
    HALVES_KEY, HALVES_SIGNATURE, HALVES_TASK, HALVES_TEXT, QueryTerms, find_blank, split_fields,
};

/// The number of hash buckets.
const BUCKETS: usize = 1024;

/// Finds the terms of one query.
///
/// A recall lives for some thousand words, so hashing a word must not take longer than reading it: the hash uses
/// three of its letters and its length, and words are compared only where a term has the same hash.
#[derive(Debug, Clone)]
pub struct TermLookup<'q> {
    query: &'q QueryTerms,
    /// For each bucket its last term, counted from 1; 0 for none.
    bucket_heads: Box<[u16]>,
    /// For each term the previous one in the same bucket, in the same way.
    next_in_bucket: Vec<u16>,
}

impl<'q> TermLookup<'q> {
    /// Builds the table for a query's terms, of which there are at most 65,535.
    pub fn from_query(query: &'q QueryTerms) -> Self {
        let mut bucket_heads = vec![0; BUCKETS].into_boxed_slice();
        let numbers = (1..=u16::MAX).zip(&query.terms);
        let before = numbers.map(|(number, (term, _))| {
            let last = &mut bucket_heads[hash_word(term.as_bytes())];
            std::mem::replace(last, number)
        });
        Self {
            query,
            next_in_bucket: before.collect(),
            bucket_heads,
        }
    }

    /// Returns the index of a word among the query's terms; `None` if it is not one of them.
    #[inline]
    pub fn find(&self, word: &str) -> Option<usize> {
        self.find_bytes(word.as_bytes())
    }

    #[inline]
    fn find_bytes(&self, word: &[u8]) -> Option<usize> {
        let mut number = usize::from(self.bucket_heads[hash_word(word)]);
        while number > 0 {
            if self.query.terms[number - 1].0.as_bytes() == word {
                return Some(number - 1);
            }
            number = usize::from(self.next_in_bucket[number - 1]);
        }
        None
    }

    /// Passes on every occurrence of a query's term in a lesson's packed terms, and returns their length. Each
    /// occurrence is passed as its index and weight.
    ///
    /// Weight and length are those of [`DocTerms::weighted_terms`](super::DocTerms::weighted_terms) and
    /// [`DocTerms::weighted_length`](super::DocTerms::weighted_length); this is only faster.
    pub fn for_each_match(&self, packed: &str, mut found: impl FnMut(usize, u32)) -> u32 {
        let [signature, text, task, keys] = split_fields(packed);
        let mut length = 0;
        // The words of a task and the keys are found, and do not add to the length.
        for (field, halves, adds) in [
            (signature, HALVES_SIGNATURE, HALVES_SIGNATURE),
            (text, HALVES_TEXT, HALVES_TEXT),
            (task, HALVES_TASK, 0),
            (keys, HALVES_KEY, 0),
        ] {
            let mut left = field.as_bytes();
            while !left.is_empty() {
                let (word, rest) = left.split_at(find_blank(left));
                left = rest.get(1..).unwrap_or_default();
                if word.is_empty() {
                    continue;
                }
                length += adds;
                if let Some(place) = self.find_bytes(word) {
                    found(place, halves);
                }
            }
        }
        length
    }
}

/// Returns a hash that few words share and that is quick to compute.
#[inline]
fn hash_word(word: &[u8]) -> usize {
    let letters = match word {
        [first, second, .., last] => [*first, *second, *last],
        [first, ..] => [*first, 0, 0],
        [] => [0; 3],
    };
    let [first, second, last] = letters.map(usize::from);
    (first + 37 * second + 101 * last + 59 * word.len()) % BUCKETS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::DocTerms;

    proptest! {
        #[test]
        fn every_term_is_found_and_nothing_else(words in prop::collection::vec("[ab]{0,3}", 0..20)) {
            let query = QueryTerms::from_prompt(&words.join(" "));
            let places = TermLookup::from_query(&query);
            for word in &words {
                let expected = query.terms.iter().position(|(term, _)| term == word);
                prop_assert_eq!(places.find(word), expected);
            }
        }
    }

    #[test]
    fn a_lesson_is_read_as_its_terms_are() {
        let query = QueryTerms::from_prompt("alpha beta gamma");
        let places = TermLookup::from_query(&query);
        for packed in [
            "alpha beta\nbeta delta alphabetical gamma",
            "\nalpha",
            "beta",
            "",
            "\n",
            " a  beta \n beta ",
            "alpha\nbeta\ngamma beta delta",
            "\n\nalpha",
            "\n\n\nbeta alpha",
        ] {
            let terms = DocTerms::from_packed(packed.to_owned());
            let place = |(term, halves)| Some((places.find(term)?, halves));
            let expected: Vec<(usize, u32)> = terms.weighted_terms().filter_map(place).collect();
            let mut found = Vec::new();
            let length = places.for_each_match(packed, |place, halves| found.push((place, halves)));
            assert_eq!(
                (found, length),
                (expected, terms.weighted_length()),
                "{packed:?}"
            );
        }
    }

    #[test]
    fn terms_of_one_mark_are_told_apart() {
        let terms = ["abxc", "abyc", "abzc"].map(|term| (term.to_owned(), 1.0));
        let query = QueryTerms {
            terms: terms.into(),
            sequence: Vec::new(),
            ..QueryTerms::default()
        };
        let places = TermLookup::from_query(&query);
        let found = ["abxc", "abyc", "abzc", "abwc", ""].map(|word| places.find(word));
        assert_eq!(found, [Some(0), Some(1), Some(2), None, None]);
    }
}
