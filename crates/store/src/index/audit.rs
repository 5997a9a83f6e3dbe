//! Compares what a scope's index holds with the lessons that it is made of.

use std::collections::BTreeMap;

use hardwon_core::DocTerms;

use super::postings::unpack_chunk;
use crate::{IndexError, LessonShare, Posting, PostingChunk, PostingLists, ScopeTotals};

/// The lessons that the index of a scope should hold, with their terms, by number.
pub type IndexedLessons = BTreeMap<u32, DocTerms>;

/// What the index of a scope holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundIndex {
    /// Its totals.
    pub totals: ScopeTotals,
    /// The packed terms of each lesson, by number.
    pub lessons: BTreeMap<u32, String>,
    /// How many lessons each term says that it has, and the chunks in which they are.
    pub terms: BTreeMap<String, (u64, Vec<PostingChunk>)>,
}

impl FoundIndex {
    /// Compares it with the lessons that there are, and returns what of it is not as they are.
    pub fn find_fault(&self, lessons: &IndexedLessons) -> Option<&'static str> {
        let lessons_due = lessons
            .iter()
            .map(|(lesson, terms)| (lesson, terms.as_str()));
        let lessons_there = self.lessons.iter();
        if !lessons_due.eq(lessons_there.map(|(lesson, terms)| (lesson, terms.as_str()))) {
            return Some("the words of its lessons");
        }
        if self.totals != count_totals(lessons, self.totals.merged_to) {
            return Some("their totals");
        }
        let mut lists = PostingLists::default();
        for (lesson, terms) in lessons.range(..=self.totals.merged_to) {
            lists.add_lesson(*lesson, terms);
        }
        let lists = lists.into_sorted();
        let is_same = lists.len() == self.terms.len()
            && lists.iter().all(|(term, list)| self.has_list(term, list));
        (!is_same).then_some("the lessons that have a word")
    }

    fn has_list(&self, term: &str, list: &[Posting]) -> bool {
        self.terms.get(term).is_some_and(|(count, chunks)| {
            *count == list.len() as u64 && unpack_chunks(chunks).is_ok_and(|held| held == list)
        })
    }
}

fn unpack_chunks(chunks: &[PostingChunk]) -> Result<Vec<Posting>, IndexError> {
    let lists = chunks.iter().map(|(base, data)| unpack_chunk(*base, data));
    Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns the totals of a scope with these lessons.
fn count_totals(lessons: &IndexedLessons, merged_to: u32) -> ScopeTotals {
    let shares = lessons
        .iter()
        .map(|(lesson, terms)| LessonShare::from_terms(terms, *lesson > merged_to));
    let count = |sum: i64| u64::try_from(sum).unwrap_or_default();
    let (length, fresh) = shares.fold((0, 0), |(length, fresh), share| {
        (length + share.length, fresh + share.fresh)
    });
    ScopeTotals {
        docs: lessons.len() as u64,
        length: count(length),
        merged_to,
        fresh_words: count(fresh),
    }
}
