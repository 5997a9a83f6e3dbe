//! Generates lessons and prompts whose words are as uneven as real ones.
//!
//! Words are drawn by Zipf's law and independently of each other, which real words are not: a bench for time and not
//! for ranking.

/// Different words in all.
const WORDS: usize = 50_000;
/// How steeply frequency falls with rank.
const ZIPF: f64 = 1.07;
/// The commonest words, which a `kw` prompt leaves out as a stop list would.
const COMMON: usize = 100;

/// Draws texts; the same seed draws the same ones.
pub(crate) struct RandomTexts {
    random: fastrand::Rng,
    /// For each word, the share of all occurrences that it and the commoner ones have.
    shares: Vec<f64>,
}

impl RandomTexts {
    pub(crate) fn new(seed: u64) -> Self {
        let weights = (1..=WORDS).map(|rank| (rank as f64).powf(-ZIPF));
        let mut shares: Vec<f64> = weights
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        let all = shares[WORDS - 1];
        shares.iter_mut().for_each(|share| *share /= all);
        Self {
            random: fastrand::Rng::with_seed(seed),
            shares,
        }
    }

    fn draw_rank(&mut self) -> usize {
        let drawn = self.random.f64();
        self.shares
            .partition_point(|share| *share < drawn)
            .min(WORDS - 1)
    }

    /// Draws a lesson's text: 25 to 55 words.
    pub(crate) fn draw_lesson(&mut self) -> String {
        let words: Vec<String> = (0..self.random.usize(25..=55))
            .map(|_| spell_word(self.draw_rank()))
            .collect();
        words.join(" ")
    }

    /// Draws a prompt of 8 to 12 different words, with or without the commonest ones.
    pub(crate) fn draw_prompt(&mut self, with_common: bool) -> String {
        let wanted = self.random.usize(8..=12);
        let mut ranks = Vec::new();
        while ranks.len() < wanted {
            let rank = self.draw_rank();
            if (with_common || rank >= COMMON) && !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        ranks
            .into_iter()
            .map(spell_word)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Spells a rank in syllables. Every word ends in a letter that no stemmer removes.
fn spell_word(rank: usize) -> String {
    const CONSONANTS: &[u8] = b"bdfghjlmnprtvwz";
    const VOWELS: &[u8] = b"aeiou";
    let mut word = String::new();
    let mut left = rank;
    loop {
        word.push(CONSONANTS[left % 15].into());
        word.push(VOWELS[left / 15 % 5].into());
        left /= 75;
        if left == 0 {
            word.push('k');
            return word;
        }
        left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardwon_core::QueryTerms;

    #[test]
    fn words_differ_and_are_one_term_each() {
        let mut seen = std::collections::HashSet::new();
        for rank in 0..WORDS {
            let terms = QueryTerms::from_prompt(&spell_word(rank)).terms;
            assert_eq!(terms.len(), 1, "{}", spell_word(rank));
            assert!(seen.insert(terms[0].0.clone()), "{}", spell_word(rank));
        }
    }
}
