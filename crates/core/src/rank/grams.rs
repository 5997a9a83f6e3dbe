//! Measures the similarity of words: the share of a word's letters that another text has, in runs of four.

/// The number of letters in one gram.
const GRAM_LETTERS: usize = 4;
/// A run of letters, or a whole word that is shorter: its letters, 32 bits each.
type Gram = u128;

/// Passes every gram of a word to `emit`.
fn each_gram(word: &str, mut emit: impl FnMut(Gram)) {
    let mut gram = 0;
    let mut count = 0;
    for c in word.chars() {
        gram = (gram << 32) | u128::from(u32::from(c));
        count += 1;
        if count >= GRAM_LETTERS {
            emit(gram);
        }
    }
    if (1..GRAM_LETTERS).contains(&count) {
        emit(gram);
    }
}

/// The number of bits of the filter.
const FILTER_BITS: usize = 1024;

/// Returns a hash for the filter: most grams of a lesson are none of the prompt's.
fn hash_gram(gram: Gram) -> usize {
    let half = |gram: Gram| u64::try_from(gram & u128::from(u64::MAX)).expect("64 bits are left");
    let letters = half(gram >> 64).rotate_left(16) ^ half(gram);
    let mix = letters.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    usize::try_from(mix).expect("ten bits are left")
}

/// The grams of a prompt's words.
pub(super) struct PromptGrams {
    /// Every gram once, in order.
    all: Vec<Gram>,
    /// A bit set with the hash of every gram.
    filter: [u64; FILTER_BITS / 64],
    /// For each word, the indexes of its grams in `all`.
    words: Vec<Vec<usize>>,
}

impl PromptGrams {
    pub(super) fn from_words<'t>(words: impl Iterator<Item = &'t str>) -> Self {
        let words: Vec<Vec<Gram>> = words.map(collect_grams).collect();
        let mut all = words.concat();
        all.sort_unstable();
        all.dedup();
        let mut filter = [0; FILTER_BITS / 64];
        for mark in all.iter().copied().map(hash_gram) {
            filter[mark / 64] |= 1 << (mark % 64);
        }
        let place = |gram: &Gram| {
            all.binary_search(gram)
                .expect("all holds every word's runs")
        };
        let words = words
            .iter()
            .map(|word| word.iter().map(place).collect())
            .collect();
        Self { all, filter, words }
    }

    /// Returns the index of a gram in `all`, if it is there.
    fn find_gram(&self, gram: Gram) -> Option<usize> {
        let mark = hash_gram(gram);
        let may_be = self.filter[mark / 64] & 1 << (mark % 64) != 0;
        may_be.then(|| self.all.binary_search(&gram).ok()).flatten()
    }

    /// Returns, for each of the prompt's words, the share of its grams that the other words have.
    pub(super) fn overlap_shares<'t>(
        &self,
        others: impl Iterator<Item = &'t str>,
    ) -> impl Iterator<Item = f32> {
        let mut has_gram = vec![false; self.all.len()];
        for word in others {
            each_gram(word, |gram| {
                if let Some(place) = self.find_gram(gram) {
                    has_gram[place] = true;
                }
            });
        }
        self.words.iter().map(move |word| {
            let count = word.iter().filter(|&&place| has_gram[place]).count();
            count as f32 / word.len().max(1) as f32
        })
    }
}

fn collect_grams(word: &str) -> Vec<Gram> {
    let mut grams = Vec::new();
    each_gram(word, |gram| grams.push(gram));
    grams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_alike_as_far_as_its_runs_go() {
        let check = |word, text: &str, expected| {
            let shares: Vec<f32> = PromptGrams::from_words([word].into_iter())
                .overlap_shares(text.split(' '))
                .collect();
            assert_eq!(shares, [expected], "{word} in {text}");
        };
        check("cloudflar", "behind cloudflar", 1.0);
        check("cloudflar", "clouddflar", 4.0 / 6.0);
        check("filenam", "file name", 0.25);
        check("file", "filenam", 1.0);
        check("git", "git", 1.0);
        check("git", "github", 0.0);
        check("置文", "配置 置文", 1.0);
        check("fetch", "", 0.0);
    }
}
