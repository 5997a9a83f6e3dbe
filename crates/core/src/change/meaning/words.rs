//! What part a word plays in what a lesson says. English only.

/// What a word does to the phrases around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRole {
    /// It says something.
    Content,
    /// It says nothing by itself, or belongs to the way lessons are put.
    Empty,
    /// It begins what is advised: `use`, `prefer`.
    Advice,
    /// It begins a circumstance.
    Loose,
    /// It begins a phrase whose relation to the rest matters.
    Tight(&'static str),
    /// What follows is not so.
    Not,
    /// What follows cannot be so: `can` and `not` in one word.
    Cannot,
    /// What follows is turned around.
    Against,
    /// A circumstance that is missing.
    Without,
    /// A condition turned around.
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

/// Words that head a part of a lesson when a colon follows.
const LABELS: &[&str] = &[
    "advice",
    "caution",
    "correction",
    "fix",
    "important",
    "learned",
    "lesson",
    "lessons",
    "mistake",
    "note",
    "reminder",
    "rule",
    "situation",
    "solution",
    "tip",
    "trigger",
    "warning",
];

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

/// Two words that play one part.
const PAIRS: &[(&str, &str, WordRole)] = &[
    ("instead", "of", WordRole::Against),
    ("rather", "than", WordRole::Against),
    ("refrain", "from", WordRole::Against),
    ("stop", "using", WordRole::Against),
    ("make", "sure", WordRole::Empty),
    ("no", "longer", WordRole::Not),
];

/// Returns the part that two neighbouring words play together, if they do.
pub(super) fn pair_role(first: &str, second: &str) -> Option<WordRole> {
    let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
    let pair = PAIRS.iter().find(|it| is(first, it.0) && is(second, it.1));
    pair.map(|it| it.2)
}

/// Returns whether a word before a colon only says which part of a lesson follows.
pub(super) fn is_label(word: &str) -> bool {
    LABELS.iter().any(|label| word.eq_ignore_ascii_case(label))
}

/// Returns the part that a word of prose plays.
pub(super) fn word_role(word: &str) -> WordRole {
    let word = word.replace('’', "'").to_lowercase();
    let is_in = |list: &[&str]| list.contains(&word.as_str());
    if is_in(EMPTY) {
        WordRole::Empty
    } else if is_in(ADVICE) {
        WordRole::Advice
    } else if is_in(LOOSE) {
        WordRole::Loose
    } else if let Some(head) = TIGHT.iter().find(|head| **head == word) {
        WordRole::Tight(head)
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
