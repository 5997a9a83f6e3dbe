//! Likeness of words: how much of a word's letters another text has, in runs of four.

use std::collections::HashMap;

/// Letters of one run.
const RUN: usize = 4;
/// A run, or a whole word that is shorter, filled up.
type Gram = [char; RUN];

/// Passes on the runs of a word.
fn each_gram(word: &str, mut emit: impl FnMut(Gram)) {
    let mut gram = ['\0'; RUN];
    let mut count = 0;
    for c in word.chars() {
        gram.rotate_left(1);
        gram[RUN - 1] = c;
        count += 1;
        if count >= RUN {
            emit(gram);
        }
    }
    if (1..RUN).contains(&count) {
        emit(gram);
    }
}

/// The runs of a prompt's words.
pub(super) struct Grams {
    places: HashMap<Gram, usize>,
    /// For each word, the places of its runs.
    words: Vec<Vec<usize>>,
}

impl Grams {
    pub(super) fn of<'t>(words: impl Iterator<Item = &'t str>) -> Self {
        let mut places = HashMap::new();
        let words = words
            .map(|word| {
                let mut own = Vec::new();
                each_gram(word, |gram| {
                    let next = places.len();
                    own.push(*places.entry(gram).or_insert(next));
                });
                own
            })
            .collect();
        Self { places, words }
    }

    /// Returns, for each of the prompt's words, the share of its runs that these words have.
    pub(super) fn shares<'t>(
        &self,
        others: impl Iterator<Item = &'t str>,
    ) -> impl Iterator<Item = f32> {
        let mut held = vec![false; self.places.len()];
        for word in others {
            each_gram(word, |gram| {
                if let Some(&place) = self.places.get(&gram) {
                    held[place] = true;
                }
            });
        }
        self.words.iter().map(move |word| {
            let count = word.iter().filter(|&&place| held[place]).count();
            count as f32 / word.len().max(1) as f32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_alike_as_far_as_its_runs_go() {
        let check = |word, text: &str, expected| {
            let shares: Vec<f32> = Grams::of([word].into_iter())
                .shares(text.split(' '))
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
