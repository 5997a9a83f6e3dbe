//! Words that a person types to find a lesson, perhaps not to their end, and the terms of lessons that may have them.
//!
//! Terms are stems, so the end of a word is not known here: which lesson really holds the words is for whoever reads it.

use super::for_each_term;
use crate::limits;

/// Characters that a term and what is typed must share. A stem may be shorter than the word so far: `run` for `runni`.
const SHARED_CHARS: usize = 3;

/// What stands before the terms of a tag, which no prompt has.
const TAG_MARK: &str = "tag:";

/// The beginning of a word that is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedWord(String);

impl TypedWord {
    /// Returns the words of a search that an index has, each once, at most so many as are searched for. None of them is one that
    /// nearly every text has.
    pub fn list(searched: &str) -> Vec<Self> {
        let mut words = Vec::new();
        for_each_term(&searched.to_lowercase(), |term| {
            // The stem of `story` is no beginning of `storybook`; without its last letter it is.
            let cut = term
                .strip_suffix('i')
                .filter(|cut| cut.len() >= SHARED_CHARS);
            let word = Self(cut.unwrap_or(term).to_owned());
            // A sign alone ends a pair of signs as often as it begins one.
            let is_lone_sign = !term.is_ascii() && term.chars().nth(1).is_none();
            if !term.contains('_') && !is_lone_sign && !words.contains(&word) {
                words.push(word);
            }
        });
        words.truncate(limits::SEARCH_WORDS);
        words
    }

    /// Makes the word that a key is, which nobody types.
    pub(crate) fn from_key(key: &str) -> Self {
        Self(key.to_owned())
    }

    /// Returns two stretches of a dictionary in which all terms are that may be this word, by the bytes of the terms: each
    /// from one text up to another, which is not in it.
    pub fn stretches(&self) -> [[String; 2]; 2] {
        let begin: String = self.0.chars().take(SHARED_CHARS).collect();
        let last = char::MAX;
        [begin.clone(), format!("{TAG_MARK}{begin}")]
            .map(|begin| [begin.clone(), format!("{begin}{last}")])
    }

    /// Returns whether a term of a lesson may be this word, or of one of its tags.
    pub fn may_be(&self, term: &str) -> bool {
        let term = term.strip_prefix(TAG_MARK).unwrap_or(term);
        let is_longer = || term.chars().nth(SHARED_CHARS - 1).is_some() && self.0.starts_with(term);
        term.starts_with(&self.0) || is_longer()
    }

    /// Returns whether a lesson may hold this word, given its terms as they are [packed](super::DocTerms::as_str).
    pub fn may_be_in(&self, packed_terms: &str) -> bool {
        packed_terms
            .split_ascii_whitespace()
            .any(|term| self.may_be(term))
    }
}

/// Returns the keys under which a lesson is found by its tags.
pub(crate) fn tag_keys<'t>(tags: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut keys = Vec::new();
    for tag in tags {
        for_each_term(tag, |term| keys.push(format!("{TAG_MARK}{term}")));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_while_it_is_typed() {
        let mut packed = String::new();
        for_each_term(
            "Running parseHeader verifies npm_test src/gen storybook 数据库",
            |term| {
                packed.push_str(term);
                packed.push(' ');
            },
        );
        packed.push_str(&tag_keys(["flaky-tests"].into_iter()).join(" "));
        let holds = |typed: &str| {
            let words = TypedWord::list(typed);
            !words.is_empty() && words.iter().all(|word| word.may_be_in(&packed))
        };
        for typed in [
            "r",
            "ru",
            "runn",
            "runni",
            "running",
            "RUN",
            "parseh",
            "parseHeader",
            "head",
        ] {
            assert!(holds(typed), "{typed}");
        }
        for typed in [
            "ver", "verif", "verify", "verifies", "npm_t", "test", "src/g", "flak", "flaky-te",
            "story", "数据",
        ] {
            assert!(holds(typed), "{typed}");
        }
        for typed in ["unning", "verb", "eader", "running x", "the", "%", "库"] {
            assert!(!holds(typed), "{typed}");
        }
    }

    #[test]
    fn every_term_that_may_be_a_word_is_in_its_stretches() {
        for (typed, term) in [
            ("runni", "run"),
            ("ru", "runner"),
            ("src", "srcs"),
            ("te", "tag:test"),
        ] {
            for word in TypedWord::list(typed) {
                let is_in = |[from, to]: [String; 2]| *from <= *term && *term < *to;
                assert_eq!(
                    word.may_be(term),
                    word.stretches().into_iter().any(is_in),
                    "{typed} {term}"
                );
            }
        }
    }
}
