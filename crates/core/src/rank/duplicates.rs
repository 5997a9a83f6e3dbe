//! Recognises lessons that say the same, of which showing one is enough.
//!
//! Whether two lessons differ is decided where lessons are learned, by [`Meaning`]: another number, name, flag,
//! order or negation. Only lessons that it finds equal are hidden here, and comparing the share of common words first
//! spares most pairs the full comparison.

use std::collections::BTreeSet;

use super::ScoredHit;
use crate::{change::Meaning, lesson::Lesson};

/// The share of common words from which two lessons are compared in full.
const MIN_JACCARD: f32 = 0.8;

/// Returns whether showing both lessons would say the same thing twice.
///
/// Lessons known to contradict one another are never duplicates, however similar their words: hiding one would hide
/// that there are two opinions.
pub(super) fn are_duplicates(a: &ScoredHit, b: &ScoredHit) -> bool {
    let is_opposed =
        a.lesson.contradicts.contains(&b.lesson.id) || b.lesson.contradicts.contains(&a.lesson.id);
    !is_opposed
        && jaccard_similarity(&distinct_words(a), &distinct_words(b)) >= MIN_JACCARD
        && have_same_meaning(&a.lesson, &b.lesson)
}

fn have_same_meaning(a: &Lesson, b: &Lesson) -> bool {
    let (a, b) = (
        Meaning::from_content(&a.content),
        Meaning::from_content(&b.content),
    );
    a.is_same(&b) || a.covers(&b) || b.covers(&a)
}

fn distinct_words(candidate: &ScoredHit) -> BTreeSet<&str> {
    candidate
        .terms
        .signature_terms()
        .chain(candidate.terms.text_terms())
        .chain(candidate.terms.task_terms())
        .collect()
}

fn jaccard_similarity(a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> f32 {
    let both = a.intersection(b).count();
    let either = a.len() + b.len() - both;
    both as f32 / either.max(1) as f32
}
