//! The words that mark a name as that of a secret, and how strong each is.
//!
//! The words themselves are in `name_rows`; the name around one is read by `name`.

use super::value::is_among;

/// How far before a word another may begin that it requires, in bytes.
const WORD_BEFORE: usize = 24;

/// How strongly a name indicates a secret, and so how much the value must look like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretClaim {
    /// A password: any value but a placeholder.
    Password,
    /// A token, a secret, an API key: a value that looks random.
    Secret,
    /// Something that may well be public: a long value that looks random and is no digest.
    MaybeSecret,
    /// A session: the same, and no id of an agent's session.
    Session,
    /// A code for a door or a card: four to ten digits.
    Pin,
    /// A parameter of a URL, with a name too short to mean much elsewhere.
    Parameter,
}

/// A word that marks a name as that of a secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimWord {
    /// The beginnings of words that claim the same, in lower case.
    pub(super) stems: &'static [&'static str],
    /// The one that it is about.
    pub(super) stem: &'static str,
    /// The kind of secret, as written in the mark.
    pub(super) kind: &'static str,
    pub(super) claim: SecretClaim,
    /// What may precede the stem within the same part of the name; `*` is anything.
    pub(super) prefixes: &'static [&'static str],
    /// What may follow the stem within the same part of the name, besides digits.
    pub(super) suffixes: &'static [&'static str],
}

/// Creates a row of `name_rows`.
pub(super) const fn claim_word(
    stems: &'static [&'static str],
    kind: &'static str,
    claim: SecretClaim,
    before: &'static [&'static str],
    after: &'static [&'static str],
) -> ClaimWord {
    ClaimWord {
        stems,
        stem: stems[0],
        kind,
        claim,
        prefixes: before,
        suffixes: after,
    }
}

impl ClaimWord {
    /// Returns whether the text before a name may end in a word that it requires.
    fn may_follow(&self, before: &[u8]) -> bool {
        let is_any = |word: &&str| word.is_empty() || *word == "*";
        if self.prefixes.iter().any(is_any) {
            return true;
        }
        let joints = before.iter().rev().take(8);
        let joints = joints.take_while(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
        let before = &before[..before.len() - joints.count()];
        let last = before.last().map(u8::to_ascii_lowercase);
        self.prefixes.iter().any(|word| {
            let end = before.len().checked_sub(word.len());
            word.as_bytes().last() == last.as_ref()
                && end.is_some_and(|at| before[at..].eq_ignore_ascii_case(word.as_bytes()))
        })
    }

    /// Returns the length of the word without the sign that a stem of two letters ends in.
    pub(super) fn name_length(&self) -> usize {
        self.stem.trim_end_matches([' ', ':', '=', '"', '\'']).len()
    }

    /// Returns whether the word that stands at `at` can be the end of a name, such as `token` in `API_TOKEN`: letters of
    /// the same case that follow must be one of its endings. `tokenizer` is no name of a secret.
    pub(super) fn may_claim_at(&self, text: &[u8], at: usize) -> bool {
        let end = at + self.name_length();
        let upper = text[end - 1].is_ascii_uppercase();
        let same_case =
            |byte: &&u8| byte.is_ascii_alphabetic() && byte.is_ascii_uppercase() == upper;
        let length = text[end..].iter().take(24).take_while(same_case).count();
        is_among(&text[end..end + length], self.suffixes)
            && self.may_follow(&text[at.saturating_sub(WORD_BEFORE)..at])
    }
}
