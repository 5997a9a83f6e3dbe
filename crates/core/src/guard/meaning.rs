//! Judges a text by what its words mean together, not by their order.
//!
//! Every word belongs to some small classes or to none (`words.txt`): who is addressed, limits,
//! release, secrets, places outside. A rule (`rules.txt`) is a combination of classes close together,
//! each asserted or denied: "send … key … forum" asserts all three, "without asking" denies the
//! asking, and what "never" stands before is denied, too, so that a ban of a bad deed is advice.
//! The order of the words and what stands between them do not matter. What is spelled like a
//! prompt or like code is for the patterns of [`rules`](super::rules).

mod lexicon;
mod reading;
mod rules;
mod tokens;

use std::{ops::BitOr, sync::LazyLock};

pub(super) use self::rules::Rule;
use self::{lexicon::Lexicon, reading::read};

/// A set of classes of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Classes(u128);

impl Classes {
    const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Classes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What a word, or all words of a stretch, mean.
#[derive(Debug, Clone, Copy, Default)]
struct Sense {
    /// What is asserted.
    said: Classes,
    /// What is denied: "never", "without", "rather than" stand before it.
    denied: Classes,
}

impl Sense {
    fn new(classes: Classes, is_denied: bool) -> Self {
        let (said, denied) = match is_denied {
            true => (Classes::default(), classes),
            false => (classes, Classes::default()),
        };
        Self { said, denied }
    }

    fn of_all(words: &[Self]) -> Self {
        words.iter().fold(Self::default(), |all, word| Self {
            said: all.said | word.said,
            denied: all.denied | word.denied,
        })
    }

    fn deny(&mut self) {
        self.denied = self.denied | self.said;
        self.said = Classes::default();
    }

    const fn meets(self, term: Self) -> bool {
        self.said.meets(term.said) || self.denied.meets(term.denied)
    }
}

/// The words and the rules.
struct Tables {
    lexicon: Lexicon,
    rules: Vec<Rule>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let lexicon = Lexicon::new();
    let rules = rules::table(&lexicon);
    Tables { lexicon, rules }
});

/// Returns the rules that the folded `words` of a text hit.
pub(super) fn hits(words: &str) -> Vec<&'static Rule> {
    let tables = &*TABLES;
    let (senses, ends) = read(&tables.lexicon, words);
    let all = Sense::of_all(&senses);
    let likely = tables.rules.iter().filter(|rule| rule.may_hit(all));
    let hits_somewhere = |rule: &&Rule| {
        let mut from = 0;
        ends.iter().enumerate().any(|(at, &end)| {
            let start = std::mem::replace(&mut from, end);
            let end = ends.get(at + 1).copied().filter(|_| rule.spans_two);
            rule.hits(&senses[start..end.unwrap_or(from)])
        })
    };
    likely.filter(hits_somewhere).collect()
}

#[cfg(test)]
mod tests;
