//! Compares what two lessons say, one of which may be the other in new words.
//!
//! What follows from it is for whoever asks.

use super::{
    conflict::{Conflict, find_conflict},
    lexicon::Lexicon,
    profile::{Profile, is_telling},
};
use crate::lesson::LessonContent;

/// How two lessons differ in what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentComparison {
    /// What they do not agree about.
    pub conflict: Option<Conflict>,
    /// Telling terms of both.
    pub shared: usize,
    /// Telling terms of the first.
    pub before: usize,
    /// Telling terms of the second.
    pub after: usize,
}

/// Compares what two lessons say.
#[must_use]
pub fn compare_contents(before: &LessonContent, after: &LessonContent) -> ContentComparison {
    let lexicon = Lexicon::shared();
    let [old, new] = [before, after].map(|it| Profile::from_content(it, lexicon));
    let count = |profile: &Profile| profile.terms.iter().filter(|it| is_telling(it)).count();
    let shared = old.terms.intersection(&new.terms);
    ContentComparison {
        conflict: find_conflict(&old, &new),
        shared: shared.filter(|it| is_telling(it)).count(),
        before: count(&old),
        after: count(&new),
    }
}
