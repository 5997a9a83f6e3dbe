//! What an embedding has to say about a candidate, where there is one.
//!
//! It may do two things. It adds to a score, at most [`WORTH`] of what the best candidate has by its
//! words, by how near the lesson is between the bank's average and the nearest. And it lowers the
//! bar: a lesson that [stands out](Nearness::stands_out) needs but half the relevance. It never shows
//! a lesson by itself, because the nearest of any bank is near to every prompt.

use crate::vector::SimilarityStats;

/// What the nearest lesson gains, against the score of the best one by words: as much as even a poor
/// embedding may say without doing harm.
const MAX_BOOST: f32 = 0.1;
/// How many of the nearest may stand out.
const STANDOUT_COUNT: usize = 3;
/// How many standard deviations above the bank's average what stands out is. With three, prompts on
/// other topics got through.
const STANDOUT_DEVIATIONS: f32 = 4.0;
/// The share of the floor that what stands out must reach by its words.
const STANDOUT_FLOOR_SHARE: f32 = 0.5;

/// How near a lesson is to a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityScore {
    /// The cosine between the two, −1 to 1.
    pub cosine: f32,
    /// By how many standard deviations that is above the bank's average; 0 where the bank is too
    /// large to be looked through.
    pub standard_score: f32,
    /// Its place among the candidates by nearness alone, from 1.
    pub position: usize,
    /// Its place among them by words alone, from 1; none if it holds no word of the prompt.
    pub position_by_words: Option<usize>,
    /// What it adds to the score, before utility, heed, freshness and tool.
    pub boost: f32,
}

impl SimilarityScore {
    /// Returns whether the lesson is so much nearer than others that less is asked of its words.
    pub(super) fn stands_out(&self) -> bool {
        self.position <= STANDOUT_COUNT && self.standard_score >= STANDOUT_DEVIATIONS
    }
}

/// Returns the relevance that is asked of a candidate.
pub(super) fn required_relevance(floor: f32, near: Option<&SimilarityScore>) -> f32 {
    match near {
        Some(near) if near.stands_out() => floor * STANDOUT_FLOOR_SHARE,
        Some(_) | None => floor,
    }
}

/// A candidate as it stands by each side.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimilarityInput {
    /// What its words are worth.
    pub(super) words_score: f32,
    /// How near it is, if it has a vector.
    pub(super) similarity: Option<f32>,
}

/// Returns how near each candidate is.
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
    // With no word to go by, what is near is ordered all the same.
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

    /// Tells each candidate's places by words and by nearness, and its worth.
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
        // Where the bank was not looked through, from the least near candidate.
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
        // All alike: none is nearer.
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
        // A bank too large to be looked through tells no average to stand out of.
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
