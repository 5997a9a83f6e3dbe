//! Lessons that say nearly the same, of which one is enough.

use std::collections::BTreeSet;

use super::Candidate;

/// The share of words two lessons must have in common to count as one.
const ALIKE: f32 = 0.8;

/// Returns whether showing both would say the same thing twice.
///
/// Lessons known to contradict one another are never twins, however alike their words: dropping
/// one would hide that there are two opinions.
pub(super) fn are(a: &Candidate, b: &Candidate) -> bool {
    let opposed =
        a.lesson.contradicts.contains(&b.lesson.id) || b.lesson.contradicts.contains(&a.lesson.id);
    !opposed && jaccard(&words(a), &words(b)) >= ALIKE
}

fn words(candidate: &Candidate) -> BTreeSet<&str> {
    candidate.terms.halves().map(|(term, _)| term).collect()
}

fn jaccard(a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> f32 {
    let both = a.intersection(b).count();
    let either = a.len() + b.len() - both;
    both as f32 / either.max(1) as f32
}
