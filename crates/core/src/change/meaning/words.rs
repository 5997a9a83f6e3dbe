//! The role of each word in what a lesson says. English only.

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

const EMPTY: &[&str] = &[
    "a", "also", "always", "am", "an", "and", "are", "be", "been", "being", "did", "do", "does",
    "ensure", "had", "has", "have", "having", "he", "her", "here", "his", "i", "instead", "is",
    "it", "its", "itself", "just", "lesson", "lessons", "me", "must", "my", "our", "please",
    "rather", "really", "remember", "shall", "she", "should", "simply", "that", "the", "their",
    "them", "there", "these", "they", "this", "those", "too", "very", "was", "we", "were", "will",
    "would", "you", "your",
];

/// Words that label a part of a lesson when a colon follows.
const LABELS: &str = "advice caution correction fix important learned lesson lessons mistake note reminder rule \
    situation solution tip trigger warning";

const ADVICE: &[&str] = &["prefer", "preferred", "use", "used", "uses", "using"];

const LOOSE: &[&str] = &[
    "as", "at", "because", "by", "during", "for", "in", "inside", "of", "on", "so", "via", "when",
    "whenever", "where", "while", "with", "within",
];

const TIGHT: &[&str] = &[
    "above", "after", "before", "below", "between", "but", "except", "from", "if", "into", "onto",
    "or", "over", "since", "than", "then", "till", "to", "toward", "towards", "under", "until",
];

const NOT: &[&str] = &["dont", "neither", "never", "no", "nor", "not"];

const CANNOT: &[&str] = &["can't", "cannot", "cant"];

const AGAINST: &[&str] = &["avoid", "avoided", "avoiding", "avoids"];

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

/// Returns the role of a word of prose.
pub(super) fn word_role(word: &str) -> WordRole {
    let word = word.replace('’', "'").to_lowercase();
    let is_in = |list: &[&str]| list.binary_search(&word.as_str()).is_ok();
    if is_in(EMPTY) {
        WordRole::Empty
    } else if is_in(ADVICE) {
        WordRole::Advice
    } else if is_in(LOOSE) {
        WordRole::Loose
    } else if let Ok(place) = TIGHT.binary_search(&word.as_str()) {
        WordRole::Tight(TIGHT[place])
    } else if is_in(CANNOT) {
        WordRole::Cannot
    } else if is_in(NOT) || word.ends_with("n't") {
        WordRole::Not
    } else if is_in(AGAINST) {
        WordRole::Against
    } else if word == "without" {
        WordRole::Without
    } else if word == "unless" {
        WordRole::Unless
    } else {
        WordRole::Content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_words_are_sorted() {
        for list in [EMPTY, ADVICE, LOOSE, TIGHT, NOT, CANNOT, AGAINST] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
