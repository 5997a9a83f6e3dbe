//! What a lesson adds to the index: its share of the scope's totals, and its postings, gathered by term.

use std::collections::HashMap;

use hardwon_core::{DocTerms, bm25};

use super::postings::Posting;

/// Most words whose postings are gathered in memory at once: about 20 MB.
const MERGE_WORDS_MAX: u64 = 1_000_000;
/// Fewest words to merge at once, so that not every commit has to merge: some 25 lessons.
const MERGE_WORDS_MIN: u64 = 1_000;

/// Returns how many words of fresh lessons to merge next, the oldest first, so that at most `fresh_words` stay fresh;
/// `None` if there are few enough.
pub fn merge_size(fresh: u64, fresh_words: u32) -> Option<u64> {
    let too_many = fresh.saturating_sub(fresh_words.into());
    (too_many > 0).then(|| too_many.clamp(MERGE_WORDS_MIN, MERGE_WORDS_MAX))
}

/// One lesson's share of its scope's totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LessonShare {
    /// Its weighted length.
    pub length: i64,
    /// Its fresh words and one more; 0 if it is merged.
    pub fresh: i64,
}

impl LessonShare {
    /// Returns the share of a lesson with these terms.
    pub fn from_terms(terms: &DocTerms, is_fresh: bool) -> Self {
        let words = i64::try_from(terms.weighted_terms().count()).expect("a lesson fits in memory");
        Self {
            length: terms.weighted_length().into(),
            fresh: if is_fresh { words + 1 } else { 0 },
        }
    }
}

/// Postings gathered by term.
#[derive(Debug, Default)]
pub struct PostingLists(HashMap<String, Vec<Posting>>);

impl PostingLists {
    /// Gathers a lesson's postings; lessons must come in ascending order.
    pub fn add_lesson(&mut self, lesson: u32, terms: &DocTerms) {
        let length = bm25::encode_length(terms.weighted_length());
        for (term, halves) in terms.term_counts() {
            let posting = Posting {
                lesson,
                halves,
                length,
            };
            match self.0.get_mut(term) {
                Some(list) => list.push(posting),
                None => drop(self.0.insert(term.to_owned(), vec![posting])),
            }
        }
    }

    /// Returns the postings, in the dictionary's order of terms.
    pub fn into_sorted(self) -> Vec<(String, Vec<Posting>)> {
        let mut lists: Vec<_> = self.0.into_iter().collect();
        lists.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        lists
    }
}
