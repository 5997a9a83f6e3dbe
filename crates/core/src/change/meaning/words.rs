//! The role of each word in what a lesson says. English only.

use crate::text::word_table::WordTable;

/// What a word does to the phrases around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRole {
    /// It carries meaning.
    Content,
    /// It carries no meaning, or belongs to the template of a lesson.
    Empty,
    /// It begins the advice: `use`, `prefer`.
    Advice,
    /// It begins a circumstance.
    Loose,
    /// It begins a phrase whose relation to the rest matters, which this word names.
    Tight(&'static str),
    /// It negates what follows.
    Not,
    /// It is `can` and `not` in one word.
    Cannot,
    /// It reverses what follows: advice against something.
    Against,
    /// It begins a circumstance that is absent.
    Without,
    /// It begins a condition that is reversed.
    Unless,
}

/// Words that label a part of a lesson when a colon follows.
const LABELS: &str = "advice caution correction fix important learned lesson lessons mistake note reminder rule \
    situation solution tip trigger warning";

/// The words of each role.
#[rustfmt::skip]
const ROLES: &[(WordRole, &str)] = &[
    (WordRole::Empty, "a also always am an and are be been being did do does ensure had has have having he her here his i instead is \
        it its itself just lesson lessons me must my our please rather really remember shall she should simply that \
        the their them there these they this those too very was we were will would you your"),
    (WordRole::Advice, "prefer preferred use used uses using"),
    (WordRole::Loose, "as at because by during for in inside of on so via when whenever where while with within"),
    (WordRole::Cannot, "can't cannot cant"),
    (WordRole::Not, "dont neither never no nor not"),
    (WordRole::Against, "avoid avoided avoiding avoids"),
    (WordRole::Without, "without"),
    (WordRole::Unless, "unless"),
    (WordRole::Tight("above"), "above"), (WordRole::Tight("after"), "after"), (WordRole::Tight("before"), "before"),
    (WordRole::Tight("below"), "below"), (WordRole::Tight("between"), "between"), (WordRole::Tight("but"), "but"),
    (WordRole::Tight("except"), "except"), (WordRole::Tight("from"), "from"), (WordRole::Tight("if"), "if"),
    (WordRole::Tight("into"), "into"), (WordRole::Tight("onto"), "onto"), (WordRole::Tight("or"), "or"),
    (WordRole::Tight("over"), "over"), (WordRole::Tight("since"), "since"), (WordRole::Tight("than"), "than"),
    (WordRole::Tight("then"), "then"), (WordRole::Tight("till"), "till"), (WordRole::Tight("to"), "to"),
    (WordRole::Tight("toward"), "toward"), (WordRole::Tight("towards"), "towards"),
    (WordRole::Tight("under"), "under"), (WordRole::Tight("until"), "until"),
];

/// Pairs of words with one role.
const PAIRS: &[(&str, &str, WordRole)] = &[
    ("instead", "of", WordRole::Against),
    ("rather", "than", WordRole::Against),
    ("refrain", "from", WordRole::Against),
    ("stop", "using", WordRole::Against),
    ("make", "sure", WordRole::Empty),
    ("no", "longer", WordRole::Not),
];

/// Returns the role that two neighbouring words have together, if any.
pub(super) fn pair_role(first: &str, second: &str) -> Option<WordRole> {
    let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
    let pair = PAIRS
        .iter()
        .find(|pair| is(first, pair.0) && is(second, pair.1));
    pair.map(|pair| pair.2)
}

/// Returns whether a word before a colon only labels the part of a lesson that follows.
pub(super) fn is_label(word: &str) -> bool {
    let mut labels = LABELS.split(' ');
    labels.any(|label| word.eq_ignore_ascii_case(label))
}

static ROLE_TABLE: WordTable<WordRole, 256> = WordTable::new(ROLES);

/// Returns the role of a word of prose.
pub(super) fn word_role(word: &str) -> WordRole {
    let word = word.replace('’', "'").to_lowercase();
    match ROLE_TABLE.get(&word) {
        Some(role) => role,
        None if word.ends_with("n't") => WordRole::Not,
        None => WordRole::Content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_role() {
        for (role, words) in ROLES {
            for word in words.split(' ') {
                assert_eq!(word_role(word), *role, "{word}");
            }
        }
    }
}
