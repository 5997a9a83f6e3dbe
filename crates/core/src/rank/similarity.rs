//! What the meaning of sentences adds to words: the cosine of a prompt's vector and a lesson's.
//!
//! It admits, and hardly ranks. Measured on everyday prompts (docs/design/meaning.md), one sum decides well whether a lesson
//! is about a prompt: the logarithm of one plus its relevance by words, and three times its cosine. Ranked by that sum,
//! long error texts lose; with a third of the cosine's weight they do not.

use serde::Serialize;

use super::{SearchResults, Silence};
use crate::lesson::Lesson;

/// How much a cosine counts against the logarithm of relevance, where a lesson is admitted.
const ADMISSION_WEIGHT: f32 = 3.0;

/// The cosine of the nearest of so many lessons that are about something else: with the logarithm of their number it
/// grows from the first of these numbers by the second.
const CHANCE_COSINE: (f32, f32) = (0.25, 0.03);

/// How similar a lesson is to a prompt. Its JSON is part of an explained recall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimilarityScore {
    /// What similarity adds to the score, before the factors utility, heed, freshness and tool.
    #[serde(rename = "worth")]
    pub boost: f32,
    /// The cosine of the two vectors, −1 to 1.
    #[serde(rename = "similarity")]
    pub cosine: f32,
    /// What it needs of relevance less than it would without a vector; 0 if its cosine is one of chance.
    #[serde(rename = "relief")]
    pub relief: f32,
}

/// Returns the similarity score of a lesson with this score by words, in a bank of so many.
pub(super) fn score_similarity(words_score: f32, cosine: f32, docs: u64) -> SimilarityScore {
    let (start, growth) = CHANCE_COSINE;
    let chance = start + growth * to_real(docs.max(1)).ln();
    SimilarityScore {
        boost: (1.0 + words_score) * cosine.max(0.0).exp_m1(),
        cosine,
        relief: ADMISSION_WEIGHT * (cosine - chance).max(0.0),
    }
}

/// Returns the relevance that a candidate needs: the floor, or less if its sentence is near.
pub(super) fn required_relevance(floor: f32, near: Option<&SimilarityScore>) -> f32 {
    let relief = near.map_or(0.0, |near| near.relief);
    ((1.0 + floor) * (-relief).exp() - 1.0).clamp(0.0, floor)
}

/// Returns the lessons whose sentences are so near that they would be shown without a word in common, the nearest first.
pub fn list_near(found: SearchResults) -> Vec<Lesson> {
    let (floor, docs) = (Silence::default().floor(), found.stats.docs);
    let near = found.hits.into_iter().filter_map(|hit| {
        let near = score_similarity(0.0, hit.similarity?, docs);
        (required_relevance(floor, Some(&near)) <= 0.0).then_some((near.cosine, hit.lesson))
    });
    let mut near: Vec<(f32, Lesson)> = near.collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().map(|(_, lesson)| lesson).collect()
}

#[expect(clippy::cast_precision_loss, reason = "only its logarithm counts")]
fn to_real(docs: u64) -> f32 {
    docs as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the relevance that a lesson needs, in hundredths.
    fn required(floor: f32, cosine: f32, docs: u64) -> f32 {
        let near = score_similarity(1.0, cosine, docs);
        (required_relevance(floor, Some(&near)) * 100.0).round()
    }

    #[test]
    fn what_is_near_needs_fewer_words_and_what_is_far_needs_no_more() {
        assert_eq!(required_relevance(1.0, None), 1.0);
        assert_eq!(required(1.0, -0.5, 60), 100.0);
        assert_eq!(required(1.0, 0.1, 60), 100.0);
        assert!(required(1.0, 0.45, 60) < 60.0);
        assert_eq!(required(1.0, 0.7, 60), 0.0);
        // In a larger bank the nearest is nearer by chance.
        assert!(required(1.0, 0.45, 5) < required(1.0, 0.45, 1000));
    }

    proptest! {
        #[test]
        fn nearness_only_adds(
            words in 0.0_f32..100.0, cosine in -1.0_f32..1.0, docs in 0_u64..1_000_000, floor in 0.0_f32..4.0,
        ) {
            let near = score_similarity(words, cosine, docs);
            prop_assert!(near.boost.is_finite() && near.boost >= 0.0);
            prop_assert!((0.0..=floor).contains(&required_relevance(floor, Some(&near))));
        }
    }
}
