//! Finds secrets with a known prefix, followed by characters of one alphabet.
//!
//! One [`TokenRule`] is one row of `token_rows`; [`TokenRule::find_token`] is the only code. Vendors change the
//! length of their keys more often than their prefixes, so a row states the least length; it states the exact one
//! where the prefix alone means little.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, BASE64, ends_word, starts_word},
    ending,
    placeholder::is_placeholder,
    value,
};

/// How much of a token is read before it is recognised, in characters.
const READ_CHARS: usize = 256;
/// The longest token, in characters.
const MAX_TOKEN_CHARS: usize = 8 * 1024;

/// The longest word that may directly precede a token, in bytes.
const WORD_BYTES: usize = 24;
/// How many characters of Base64 before a token make it a part of that.
const BLOB_CHARS: usize = 48;

/// The rule for one kind of token.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenRule {
    /// The kind, as written in the mark.
    pub(super) kind: &'static str,
    /// The prefixes that the row is about.
    pub(super) anchors: &'static [&'static str],
    /// The prefix, or the middle part if there is a [`Self::lead`].
    pub(super) anchor: &'static str,
    /// The alphabet before the anchor, with the least and the greatest length.
    lead: (Alphabet, usize, usize),
    /// The alphabet of the rest.
    alphabet: Alphabet,
    /// The least and the greatest length of the rest.
    length: (usize, usize),
    /// The least entropy of the rest, in bits a character.
    entropy: f64,
    /// What else shows that the rest is no word.
    proof: TokenProof,
    /// Whether the anchor's case matters.
    exact_case: bool,
}

/// What shows that the rest of a token is not a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenProof {
    /// The prefix alone, whatever follows.
    Anchor,
    /// The prefix and the length.
    Length,
    /// Two digits, or a character that no word explains.
    Digits,
    /// At least this many characters that no word explains.
    Noise(usize),
}

/// Creates a row: one of the `anchors` followed by at least `least` characters of `alphabet`.
pub(super) const fn token(
    kind: &'static str,
    anchors: &'static [&'static str],
    alphabet: Alphabet,
    least: usize,
) -> TokenRule {
    TokenRule {
        kind,
        anchors,
        anchor: anchors[0],
        lead: (ALNUM, 0, 0),
        alphabet,
        length: (least, MAX_TOKEN_CHARS),
        entropy: 2.5,
        proof: TokenProof::Digits,
        exact_case: true,
    }
}

impl TokenRule {
    /// Sets the greatest length; a longer text is something else.
    pub(super) const fn with_max_length(mut self, most: usize) -> Self {
        self.length.1 = most;
        self
    }

    /// Makes the least length the only one.
    pub(super) const fn with_exact_length(self) -> Self {
        let least = self.length.0;
        self.with_max_length(least)
    }

    /// Adds a lead of `least` to `most` characters of `alphabet` before the anchor.
    pub(super) const fn with_lead(mut self, alphabet: Alphabet, least: usize, most: usize) -> Self {
        self.lead = (alphabet, least, most);
        self
    }

    /// Sets the least entropy, in bits a character.
    pub(super) const fn with_entropy(mut self, bits: f64) -> Self {
        self.entropy = bits;
        self
    }

    /// Requires this many characters that no word explains, for prefixes that words share.
    pub(super) const fn with_noise(mut self, least: usize) -> Self {
        self.proof = TokenProof::Noise(least);
        self
    }

    /// Requires no more proof than the prefix and the length.
    pub(super) const fn with_length_proof(mut self) -> Self {
        self.proof = TokenProof::Length;
        self
    }

    /// Requires no proof except that it is no placeholder: nothing else has this prefix.
    pub(super) const fn with_anchor_proof(mut self) -> Self {
        self.proof = TokenProof::Anchor;
        self
    }

    /// Matches the anchor in any case.
    pub(super) const fn ignoring_case(mut self) -> Self {
        self.exact_case = false;
        self
    }

    /// Returns the range of the token whose anchor is at `at`.
    pub(super) fn find_token(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let body_start = at + self.anchor.len();
        let (lead_alphabet, lead_least, lead_most) = self.lead;
        let is_anchor = !self.exact_case || text[at..].starts_with(self.anchor.as_bytes());
        if !is_anchor {
            return None;
        }
        let lead = lead_alphabet.run_before(text, at, lead_most);
        let begins = starts_word(text, lead.start);
        if lead.len() < lead_least || is_in_blob(text, lead.start) {
            return None;
        }
        let (least, most) = self.length;
        let read = self
            .alphabet
            .run_from(text, body_start, READ_CHARS.min(most + 1));
        let body = ending::trim_stops(text, read, b".");
        let begins = begins || self.is_unmistakable(text, at, &text[body.clone()]);
        if !(least..=most).contains(&body.len())
            || !begins
            || !self.is_random(&text[lead.start..at], &text[body.clone()])
        {
            return None;
        }
        let end = match body.len() {
            READ_CHARS => {
                self.alphabet
                    .run_from(text, body_start, MAX_TOKEN_CHARS)
                    .end
            }
            _ => body.end,
        };
        // A text of the exact length may still be a file name: `icon-….png`.
        let is_file = text[end..].starts_with(b".") && !ends_word(text, end + 1);
        let ends = most == MAX_TOKEN_CHARS || ends_word(text, end) && !is_file;
        ends.then_some(lead.start..end)
    }

    /// Returns whether the token is certain although a letter precedes it: `xghp_…`, `xAKIA…`.
    fn is_unmistakable(&self, text: &[u8], at: usize, body: &[u8]) -> bool {
        let sign = self.anchor.len() >= 4 && self.anchor.ends_with(['_', '-']);
        let tells = sign && self.length.1 == MAX_TOKEN_CHARS && value::count_noise(body) >= 20;
        let turns = at > 0 && text[at - 1].is_ascii_lowercase() && self.anchor == "AKIA";
        let before = &text[ALNUM.run_before(text, at, WORD_BYTES)];
        let is_word = before.len() < WORD_BYTES && value::count_noise(before) == 0;
        self.lead.2 == 0 && is_word && (tells || turns)
    }

    /// Makes up a token of this kind.
    pub(super) fn make_up(&self, seed: &mut u32) -> String {
        let lead = self.lead.0.make_up(self.lead.1, seed);
        format!("{lead}{}{}", self.anchor, self.make_up_body(seed))
    }

    /// Makes up a body that ends in a letter or digit and passes for random, as a real one nearly always does.
    fn make_up_body(&self, seed: &mut u32) -> String {
        let passes = |body: &String| {
            let ends_well = body.ends_with(|c: char| c.is_ascii_alphanumeric());
            body.is_empty() || ends_well && self.is_random(body.as_bytes(), body.as_bytes())
        };
        let mut bodies = std::iter::repeat_with(|| self.alphabet.make_up(self.length.0, seed));
        bodies.by_ref().take(1000).find(passes).unwrap_or_default()
    }

    fn is_random(&self, lead: &[u8], body: &[u8]) -> bool {
        let whole = if body.is_empty() { lead } else { body };
        let proof = match self.proof {
            TokenProof::Anchor => {
                return value::shannon_entropy(whole) >= self.entropy && !is_placeholder(whole);
            }
            TokenProof::Length => true,
            TokenProof::Digits => {
                let digits = whole.iter().filter(|byte| byte.is_ascii_digit()).count();
                digits >= 2
                    || value::count_noise(whole) > 0
                    || digits == 1 && has_digit_inside(whole)
            }
            TokenProof::Noise(least) => value::count_noise(whole) >= least,
        };
        proof && value::shannon_entropy(whole) >= self.entropy && !value::is_typed_sample(whole)
    }
}

/// Returns whether `at` is in a long Base64 text, such as a picture, where any prefix may occur.
fn is_in_blob(text: &[u8], at: usize) -> bool {
    if !text[..at].ends_with(b"/") && !text[..at].ends_with(b"+") {
        return false;
    }
    let before = BASE64.run_before(text, at, BLOB_CHARS);
    before.len() == BLOB_CHARS && value::count_noise(&text[before]) >= BLOB_CHARS / 2
}

/// Returns whether a digit is inside a long run of letters of both cases, as in no word.
fn has_digit_inside(body: &[u8]) -> bool {
    let mut runs = body.split(|&byte| !ALNUM.contains(byte));
    runs.any(|run| {
        let inside = run.len() >= 16 && run[1..run.len() - 1].iter().any(u8::is_ascii_digit);
        inside && run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token_rows::TOKENS;

    #[test]
    fn every_row_has_a_sample_that_matches_and_some_that_do_not() {
        let mut seed = 1;
        for row in &TOKENS {
            let found = |text: &str, at: usize| row.find_token(text.as_bytes(), at);
            let lead = row.lead.0.make_up(row.lead.1, &mut seed);
            let body = row.make_up_body(&mut seed);
            let at = lead.len() + 1;

            let sample = format!("={lead}{}{body}", row.anchor);
            assert_eq!(
                found(&sample, at),
                Some(1..sample.len()),
                "{row:?} {sample}"
            );
            let closed = format!("{sample}'");
            assert_eq!(
                found(&closed, at),
                Some(1..sample.len()),
                "{row:?} {closed}"
            );

            let short = &sample[..sample.len() - 1];
            assert_eq!(found(short, at), None, "{row:?} {short}");
            if row.lead.1 == row.lead.2 {
                let glued = format!("a{}", &sample[1..]);
                let tells = row.is_unmistakable(glued.as_bytes(), at, body.as_bytes());
                assert_eq!(found(&glued, at).is_some(), tells, "{row:?} {glued}");
            }
            if row.entropy > 0.0 && row.length.0 > 0 {
                let same = format!("={lead}{}{}", row.anchor, "0".repeat(row.length.0));
                assert_eq!(found(&same, at), None, "{row:?} {same}");
            }
            if row.length.1 < MAX_TOKEN_CHARS && row.length.1 > 0 {
                let fill = row
                    .alphabet
                    .chars()
                    .into_iter()
                    .find(char::is_ascii_alphanumeric);
                let fill = fill.unwrap().to_string();
                let long = format!("{sample}{}", fill.repeat(row.length.1 - row.length.0 + 1));
                assert_eq!(found(&long, at), None, "{row:?} {long}");
            }
        }
    }

    #[test]
    fn no_row_comes_twice() {
        let mut seen = std::collections::HashSet::new();
        for row in &TOKENS {
            assert!(
                seen.insert((row.anchor, row.length, row.alphabet.chars())),
                "{row:?}"
            );
        }
    }
}
