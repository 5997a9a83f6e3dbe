//! Tells whether two sentences of a person, said in two sessions, are about the same.
//!
//! Nobody says a thing twice in the same words. What two sentences share is counted by how few texts have it; what they say
//! is not compared, so each must by itself be said as a correction is. Two that point at their task ("in this PR") are
//! about that task, however alike they are.

use std::collections::BTreeSet;

use super::{
    evidence::{Objection, is_local, weigh_sentence},
    split_sentences,
};
use crate::{
    shell,
    tokens::{common_share, for_each_term},
    trigger::is_unspaced,
};

/// How many telling words two sessions must share to be taken to say the same.
const SHARED_WORDS: f32 = 2.0;
/// The share of all texts from which a word tells less, and from which it tells nothing.
const RARE_SHARE: f32 = 0.05;
const COMMON_SHARE: f32 = 0.1;

/// Returns whether two sentences of a person, said in two sessions, are about the same.
///
/// They share words that few texts have, and do not both point at their task.
pub fn are_corrections_alike(text: &str, other: &str) -> bool {
    if is_local(text) && is_local(other) {
        return false;
    }
    let [ours, theirs] = [text, other].map(|text| {
        let mut terms = BTreeSet::new();
        for_each_term(text, |term| _ = terms.insert(term.to_owned()));
        terms
    });
    ours.intersection(&theirs)
        .map(|term| weigh_term(term))
        .sum::<f32>()
        >= SHARED_WORDS
}

/// Returns how much it tells that two sentences share a term: nothing for one of many texts, more for a program. Two characters
/// of a script without spaces are half a word.
fn weigh_term(term: &str) -> f32 {
    let share = common_share(term);
    let rarity = match share {
        _ if share < RARE_SHARE => 1.0,
        _ if share < COMMON_SHARE => 0.5,
        _ => 0.0,
    };
    match term {
        _ if term.contains(is_unspaced) => rarity / 2.0,
        _ if shell::is_program_by_name(term) => rarity + 0.5,
        _ => rarity,
    }
}

/// Returns how much of a sentence itself says that it is a rule, in quarters of a unit of log-odds.
pub fn weigh_rule(text: &str) -> i32 {
    let points = split_sentences(text).into_iter();
    let points = points.map(|sentence| weigh_sentence(sentence, Objection::None));
    points.max().unwrap_or(i32::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_rule_shares_its_telling_words() {
        for (one, other, expected) in [
            (
                "dont touch vendor/. patches go in patches/",
                "vendor/ is off limits, put a patch under patches/ instead",
                true,
            ),
            (
                "npm again? yarn please",
                "we use yarn here, never npm",
                true,
            ),
            (
                "本番の設定は全部コンソールで管理",
                "設定はコンソールにある、本番は",
                true,
            ),
            // One word, or words of every text.
            ("we sort imports here", "no unused imports please", false),
            (
                "always run the tests first",
                "the tests should run in the file",
                false,
            ),
            // Both are about their task.
            (
                "don't reformat the parser in this commit",
                "no reformat of the parser in this commit either",
                false,
            ),
            (
                "don't touch the vendored parser in this PR",
                "the vendored parser is off limits, always",
                true,
            ),
        ] {
            assert_eq!(
                are_corrections_alike(one, other),
                expected,
                "{one} / {other}"
            );
            assert_eq!(
                are_corrections_alike(other, one),
                expected,
                "{other} / {one}"
            );
        }
    }
}
