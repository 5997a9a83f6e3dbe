//! Applies the similarity that an embedding found to a candidate.
//!
//! It may do two things. It adds to a score, at most [`MAX_BOOST`] of the best score by words, in proportion to where
//! the lesson lies between the bank's average and the most similar one. And it lowers the bar: a lesson that [stands
//! out](SimilarityScore::stands_out) needs only half the relevance. It never shows a lesson by itself, because the
//! most similar lesson of any bank is near to every prompt.

use serde::Serialize;

use crate::vector::SimilarityStats;

/// What the most similar lesson gains, as a share of the best score by words: as much as even a poor embedding may
/// add without doing harm.
const MAX_BOOST: f32 = 0.1;
/// How many of the most similar lessons may stand out.
const STANDOUT_COUNT: usize = 3;
/// How many standard deviations above the bank's average a lesson stands out. With three, prompts on other topics got
/// through.
const STANDOUT_DEVIATIONS: f32 = 4.0;
/// The share of the floor that a lesson which stands out must reach by its words.
const STANDOUT_FLOOR_SHARE: f32 = 0.5;

/// How similar a lesson is to a prompt. Its JSON is part of an explained recall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimilarityScore {
    /// What similarity adds to the score, before the factors utility, heed, freshness and tool.
    #[serde(rename = "worth")]
    pub boost: f32,
    /// The cosine of the two vectors, −1 to 1.
    #[serde(rename = "similarity")]
    pub cosine: f32,
    /// How many standard deviations that is above the bank's average; 0 where the bank is too large to compare all
    /// its lessons.
    #[serde(rename = "standing")]
    pub standard_score: f32,
    /// Its place among the candidates by similarity alone, from 1.
    #[serde(rename = "place")]
    pub position: usize,
    /// Its place among them by words alone, from 1; `None` if it has no word of the prompt.
    #[serde(rename = "place_by_words")]
    pub position_by_words: Option<usize>,
}

impl SimilarityScore {
    /// Returns whether the lesson is so much more similar than others that it needs fewer matching words.
    pub(super) fn stands_out(&self) -> bool {
        self.position <= STANDOUT_COUNT && self.standard_score >= STANDOUT_DEVIATIONS
    }
}

/// Returns the relevance that a candidate needs.
pub(super) fn required_relevance(floor: f32, near: Option<&SimilarityScore>) -> f32 {
    match near {
        Some(near) if near.stands_out() => floor * STANDOUT_FLOOR_SHARE,
        Some(_) | None => floor,
    }
}

/// A candidate's results by words and by vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimilarityInput {
    /// Its score by words.
    pub(super) words_score: f32,
    /// Its cosine similarity, if it has a vector.
    pub(super) similarity: Option<f32>,
}

/// Returns the similarity score of each candidate; `None` for those without a vector.
pub(super) fn score_similarity(
    found: &[SimilarityInput],
    spread: SimilarityStats,
) -> Vec<Option<SimilarityScore>> {
    let similarities = || found.iter().filter_map(|it| it.similarity);
    let Some(nearest) = similarities().reduce(f32::max) else {
        return vec![None; found.len()];
    };
    let average = match spread.count() {
        0 => similarities().fold(nearest, f32::min),
        _ => spread.mean(),
    };
    let best = found
        .iter()
        .fold(0.0, |best: f32, it| best.max(it.words_score));
    // Without any score by words, candidates are still ordered by similarity.
    let best = if best > 0.0 { best } else { 1.0 };
    let near = |it: &SimilarityInput| {
        let similarity = it.similarity?;
        let share = (similarity - average) / (nearest - average).max(f32::MIN_POSITIVE);
        Some(SimilarityScore {
            cosine: similarity,
            standard_score: spread.standard_score(similarity),
            position: 1 + similarities().filter(|other| *other > similarity).count(),
            position_by_words: (it.words_score > 0.0).then(|| {
                1 + found
                    .iter()
                    .filter(|other| other.words_score > it.words_score)
                    .count()
            }),
            boost: MAX_BOOST * best * share.clamp(0.0, 1.0),
        })
    };
    found.iter().map(near).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sides(found: &[(f32, Option<f32>)]) -> Vec<SimilarityInput> {
        let side = |&(words, similarity): &(f32, Option<f32>)| SimilarityInput {
            words_score: words,
            similarity,
        };
        found.iter().map(side).collect()
    }

    fn spread(similarities: &[f32]) -> SimilarityStats {
        let mut spread = SimilarityStats::default();
        similarities.iter().for_each(|it| spread.add(*it));
        spread
    }

    /// Renders each candidate's places by words and by similarity, and its boost.
    fn told(found: &[(f32, Option<f32>)], spread: SimilarityStats) -> Vec<String> {
        let line = |near: Option<SimilarityScore>| match near {
            None => "-".to_owned(),
            Some(it) => format!("{:?} {} {:.2}", it.position_by_words, it.position, it.boost),
        };
        score_similarity(&sides(found), spread)
            .into_iter()
            .map(line)
            .collect()
    }

    #[test]
    fn worth_goes_from_the_average_to_the_nearest() {
        let bank = spread(&[0.1, 0.1, 0.5, 0.9, -0.1]);
        let found = [
            (10.0, Some(0.1)),
            (20.0, Some(0.9)),
            (0.0, Some(0.6)),
            (5.0, None),
        ];
        // The average is 0.3.
        assert_eq!(
            told(&found, bank),
            ["Some(2) 3 0.00", "Some(1) 1 2.00", "None 2 1.00", "-"]
        );
        // Where the bank was not compared as a whole, the least similar candidate is the base.
        assert_eq!(
            told(&found, SimilarityStats::default()),
            ["Some(2) 3 0.00", "Some(1) 1 2.00", "None 2 1.25", "-"]
        );
        assert_eq!(told(&[(1.0, None)], SimilarityStats::default()), ["-"]);
        assert_eq!(told(&[], SimilarityStats::default()), [""; 0]);
    }

    #[test]
    fn what_is_near_is_ordered_without_words_too() {
        let found = [(0.0, Some(0.2)), (0.0, Some(0.8))];
        assert_eq!(
            told(&found, SimilarityStats::default()),
            ["None 2 0.00", "None 1 0.10"]
        );
        // All are equal, so none is more similar.
        let found = [(0.0, Some(0.5)), (2.0, Some(0.5))];
        assert_eq!(
            told(&found, spread(&[0.5, 0.5])),
            ["None 1 0.00", "Some(1) 1 0.00"]
        );
    }

    #[test]
    fn the_bar_is_lower_for_what_stands_out_and_never_gone() {
        let near = |standing, place| SimilarityScore {
            cosine: 0.9,
            standard_score: standing,
            position: place,
            position_by_words: None,
            boost: 1.0,
        };
        assert_eq!(required_relevance(1.0, None), 1.0);
        assert_eq!(required_relevance(1.0, Some(&near(9.0, 1))), 0.5);
        assert_eq!(required_relevance(1.0, Some(&near(9.0, 4))), 1.0);
        assert_eq!(required_relevance(1.0, Some(&near(3.9, 1))), 1.0);
        // A bank that was not compared as a whole has no average to stand out from.
        assert_eq!(required_relevance(1.0, Some(&near(0.0, 1))), 1.0);
    }

    proptest! {
        #[test]
        fn nearness_adds_and_never_more_than_its_worth(
            found in prop::collection::vec(
                (0.0_f32..100.0, prop::option::of(-1.0_f32..1.0)), 0..40),
            bank in prop::collection::vec(-1.0_f32..1.0, 0..40),
        ) {
            let found = sides(&found);
            let best = found.iter().fold(0.0_f32, |best, it| best.max(it.words_score)).max(1.0);
            for near in score_similarity(&found, spread(&bank)).into_iter().flatten() {
                prop_assert!(near.boost.is_finite() && (0.0..=MAX_BOOST * best).contains(&near.boost));
                prop_assert!(near.standard_score.is_finite());
            }
        }
    }
}
