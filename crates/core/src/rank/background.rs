//! What is common in general, whatever the bank: words that say little about any topic.
//!
//! A bank of three lessons cannot know that "use" is a common word and "cloudflare" is not. For
//! the question whether a lesson is about the prompt's topic at all, the floor therefore counts
//! as if the bank stood beside [`BACKGROUND_LESSONS`] others, in which some words are common and every
//! other word is unheard of. A large bank's own statistics outweigh them. Ranking does not use
//! this: among lessons that are all on topic, the bank's own statistics are as good.

use crate::tokens::common_share;

/// Lessons that the background stands for.
const BACKGROUND_LESSONS: f32 = 3_000.0;

/// Returns how much a term tells about a topic that `df` of the bank's `docs` lessons hold.
pub(super) fn background_idf(term: &str, df: u64, docs: u64) -> f32 {
    let all = docs as f32 + BACKGROUND_LESSONS;
    let holders = df.min(docs) as f32 + BACKGROUND_LESSONS * common_share(term);
    (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
}

/// Returns what a relevance is divided by, so that one floor suits banks of every size.
///
/// [`background_idf`] grows with the logarithm of the bank. Besides, the best of many lessons is more
/// like any prompt by mere chance than the best of few: the bar rises by a tenth with every
/// tenfold bank, and a person with three lessons gets one for a prompt that fits it roughly.
pub(super) fn relevance_scale(docs: u64) -> f32 {
    let docs = docs as f32;
    (1.0 + docs + BACKGROUND_LESSONS).ln() * (0.7 + 0.1 * (1.0 + docs).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_bank_knows_what_is_common_and_a_large_one_knows_better() {
        let check = |term, df, docs| (background_idf(term, df, docs) * 10.0).round() / 10.0;
        assert_eq!([check("use", 1, 3), check("cloudflar", 1, 3)], [1.6, 7.6]);
        assert_eq!(
            [
                check("use", 10, 100_000),
                check("cloudflar", 30_000, 100_000)
            ],
            [5.1, 1.2]
        );
    }
}
