//! Judges a text by the meaning of its words together, not by their order.
//!
//! Every word belongs to a few small classes or to none (`words.txt`): who is addressed, limits, release, secrets,
//! places outside, whose accounts, what part to play. A rule (`rules.txt`) is a combination of classes close together, each asserted or denied: "send …
//! key … forum" asserts all three, "without asking" denies the asking, and whatever follows "never" is denied too, so
//! that forbidding a harmful act counts as advice. The order of the words and what stands between them do not matter.
//! Commands are read for what they do by [`deeds`](super::deeds).

mod lexicon;
mod reading;
mod rules;
mod tokens;

use std::{ops::BitOr, sync::LazyLock};

pub(super) use self::rules::MeaningRule;
use self::{lexicon::MeaningLexicon, reading::read_senses};

/// A set of word classes, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct WordClasses(u128, u128);

impl WordClasses {
    const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0 || self.1 & other.1 != 0
    }

    const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0, self.1 & !other.1)
    }
}

impl BitOr for WordClasses {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0, self.1 | other.1)
    }
}

impl FromIterator<Self> for WordClasses {
    fn from_iter<T: IntoIterator<Item = Self>>(classes: T) -> Self {
        let classes = classes.into_iter();
        classes.fold(Self::default(), |all, one| all | one)
    }
}

/// The meaning of a word, or of all words of a stretch.
#[derive(Debug, Clone, Copy, Default)]
struct Sense {
    /// The classes that are asserted.
    asserted: WordClasses,
    /// The classes that are denied: preceded by "never", "without", "rather than".
    denied: WordClasses,
}

impl Sense {
    fn new(classes: WordClasses, is_denied: bool) -> Self {
        let (asserted, denied) = if is_denied {
            (WordClasses::default(), classes)
        } else {
            (classes, WordClasses::default())
        };
        Self { asserted, denied }
    }

    fn union_of(words: &[Self]) -> Self {
        words.iter().fold(Self::default(), |all, word| Self {
            asserted: all.asserted | word.asserted,
            denied: all.denied | word.denied,
        })
    }

    const fn intersects(self, term: Self) -> bool {
        self.asserted.intersects(term.asserted) || self.denied.intersects(term.denied)
    }
}

/// The lexicon and the rules, both read from tables.
struct MeaningTables {
    lexicon: MeaningLexicon,
    rules: Vec<MeaningRule>,
}

static MEANING_TABLES: LazyLock<MeaningTables> = LazyLock::new(|| {
    let lexicon = MeaningLexicon::new();
    let rules = rules::read_table(&lexicon);
    MeaningTables { lexicon, rules }
});

/// Returns the rules that match the folded `words` of a text.
pub(super) fn find_meaning_hits(words: &str) -> Vec<&'static MeaningRule> {
    let tables = &*MEANING_TABLES;
    let (senses, ends) = read_senses(&tables.lexicon, words);
    let all = Sense::union_of(&senses);
    let likely = tables.rules.iter().filter(|rule| rule.may_hit(all));
    let hits_somewhere = |rule: &&MeaningRule| {
        let mut from = 0;
        ends.iter().enumerate().any(|(at, &end)| {
            let start = std::mem::replace(&mut from, end);
            let end = ends
                .get(at + 1)
                .copied()
                .filter(|_| rule.spans_two_sentences);
            rule.matches_senses(&senses[start..end.unwrap_or(from)])
        })
    };
    likely.filter(hits_somewhere).collect()
}

#[cfg(test)]
mod tests;
