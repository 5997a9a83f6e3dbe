//! General word frequencies, independent of the bank: which words say little about any topic.
//!
//! A bank of three lessons cannot know that "use" is a common word and "cloudflare" is not. To decide whether a
//! lesson is about the prompt's topic at all, relevance is therefore computed as if the bank had
//! [`BACKGROUND_LESSONS`] more lessons, in which the words below are common and every other word does not occur. A
//! large bank's own statistics outweigh them. Among lessons that are all on topic the same rates rank as well as the
//! bank's own or better, so there is one rate for a word and not two.

use crate::tokens::common_share;

/// The number of lessons that the background stands for.
const BACKGROUND_LESSONS: f32 = 3_000.0;

/// Returns the inverse document frequency of a term in bank and background together, where `df` of the bank's `docs`
/// lessons contain it.
pub(super) fn background_idf(term: &str, df: u64, docs: u64) -> f32 {
    let all = docs as f32 + BACKGROUND_LESSONS;
    let holders = df.min(docs) as f32 + BACKGROUND_LESSONS * common_share(term);
    (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
}

/// The bank for which the other numbers here were chosen.
const USUAL_BANK: f32 = 60.0;
/// The size below which a bank needs no less: a prompt about something else shares a word even with one of three lessons.
const FEW_LESSONS: f32 = 30.0;

/// Returns the divisor of a relevance that makes one floor suit banks of every size.
///
/// [`background_idf`] grows with the logarithm of the bank. Besides, the best of many lessons resembles any prompt
/// more by mere chance than the best of few. How much more was measured with banks of 5 to 3,000.
pub(super) fn relevance_scale(docs: u64) -> f32 {
    let docs = docs as f32;
    let chance = (docs.max(FEW_LESSONS) / USUAL_BANK).powf(0.25);
    (1.0 + docs + BACKGROUND_LESSONS).ln() * 0.6 * chance
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
