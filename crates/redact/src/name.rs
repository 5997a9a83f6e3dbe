//! Reads names and decides whether they mark a secret: `DB_PASSWORD`, `apiKey`, `--auth-token`.
//!
//! A name is split into its words, whatever joins them, because `max_tokens`, `tokenizer`, `public_key` and
//! `secret_name` contain the same letters and are names of nothing secret. The value is not read here.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, SLUG, escape_length},
    claim::{ClaimWord, SecretClaim},
    login,
    name_rows::{
        HARMLESS_AFTER, HARMLESS_BEFORE, HARMLESS_BEFORE_KEY, SENTENCE_BEFORE,
        SENTENCE_BEFORE_PASSWORD,
    },
    value::is_among,
};

/// How much of a name is read before and after the word found, in characters.
const NAME_BEFORE: usize = 64;
const NAME_AFTER: usize = 40;

const NAME: Alphabet = SLUG.union(Alphabet::from_chars("."));

/// A name in a text, around a word that was found there.
#[derive(Debug)]
pub(super) struct FieldName<'t> {
    text: &'t [u8],
    /// The range of the whole name, including its joints.
    pub(super) range: Range<usize>,
    /// The ranges of its parts; a word just before the name is the first of them.
    parts: Vec<Range<usize>>,
    /// Whether the first part is such a word, apart from the name.
    has_head: bool,
    /// The index of the part that contains the word.
    part_index: usize,
    /// The offset of the word.
    word_start: usize,
}

impl<'t> FieldName<'t> {
    /// Reads the name around the `length` characters at `word_start`.
    pub(super) fn read_around(text: &'t [u8], word_start: usize, length: usize) -> Self {
        let before = NAME.run_before(text, word_start, NAME_BEFORE);
        let after = NAME.run_from(text, word_start + length, NAME_AFTER);
        let joints = text[after.clone()]
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'.' || byte == b'-')
            .count();
        let escape = escape_length(text, before.start);
        let range = before.start + if before.is_empty() { 0 } else { escape }..after.end - joints;
        let mut parts = split_name(text, range.clone());
        // An option, a name of several words or one in capitals is not the end of the preceding sentence.
        let in_capitals = |at: &Range<usize>| !text[at.clone()].iter().any(u8::is_ascii_lowercase);
        let is_whole = parts.len() > 1 || text[range.clone()].starts_with(b"-");
        let head = word_before(text, range.start)
            .filter(|head| !is_whole && (!in_capitals(&range) || in_capitals(head)));
        let has_head = head.is_some();
        parts.splice(0..0, head);
        let part_index = parts
            .iter()
            .position(|part| part.contains(&word_start))
            .unwrap_or(parts.len());
        Self {
            text,
            range,
            parts,
            has_head,
            part_index,
            word_start,
        }
    }

    /// Returns what kind of secret the name marks by `word`; `None` if it marks none.
    pub(super) fn claimed_by(&self, word: &ClaimWord) -> Option<SecretClaim> {
        let part = self.parts.get(self.part_index)?;
        let before = &self.text[part.start..self.word_start];
        // A stem of several words extends beyond the first part.
        let end = self.word_start + word.name_length();
        let after = self.text.get(end..part.end.max(end))?;
        let after = after.trim_ascii_end();
        let digits = after
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let previous = self
            .part_index
            .checked_sub(1)
            .map(|index| self.part_text(index));
        let is_claimed = is_among(&after[..after.len() - digits], word.suffixes)
            && (word.prefixes == ["*"]
                || is_among(before, word.prefixes)
                || (before.is_empty()
                    && previous.is_some_and(|previous| is_among(previous, word.prefixes))));
        (is_claimed && !self.is_harmless(word) && self.has_required_form(word))
            .then_some(word.claim)
    }

    fn is_harmless(&self, word: &ClaimWord) -> bool {
        let begins = usize::from(self.has_sentence_before(word));
        let mut before = (begins..self.part_index).map(|index| self.part_text(index));
        let end = self.word_start + word.name_length();
        let behind = self
            .parts
            .iter()
            .skip(self.part_index + 1)
            .filter(|part| part.start >= end);
        let mut after = behind.map(|part| &self.text[part.clone()]);
        let is_id =
            |part: &[u8]| word.claim == SecretClaim::Session && part.eq_ignore_ascii_case(b"id");
        let is_key = word.stem == "key";
        before.any(|part| {
            is_among(part, HARMLESS_BEFORE) || is_key && is_among(part, HARMLESS_BEFORE_KEY)
        }) || after.any(|part| is_among(part, HARMLESS_AFTER) && !is_id(part))
    }

    /// Returns whether the word before an assigned name is one of a sentence, and no part of the name: `it has
    /// password=…`, where `has_password=…` would only say that there is one.
    fn has_sentence_before(&self, word: &ClaimWord) -> bool {
        let rest = self.text[self.range.end..].trim_ascii_start();
        let is_assigned = matches!(rest, [b'=' | b':', next, ..] if !b"=:".contains(next));
        let is_of_sentence = |head: &[u8]| {
            is_among(head, SENTENCE_BEFORE)
                || word.claim == SecretClaim::Password && is_among(head, SENTENCE_BEFORE_PASSWORD)
        };
        self.has_head && is_assigned && is_of_sentence(self.part_text(0))
    }

    /// Returns whether a short word has the required spelling: `GH_PAT`, not `pat`; `?sig=`, not `sig`.
    fn has_required_form(&self, word: &ClaimWord) -> bool {
        let parameter = self.range.start.checked_sub(1).map(|at| self.text[at]);
        match word.claim {
            SecretClaim::Parameter => {
                parameter.is_some_and(|byte| b"?&;".contains(&byte))
                    || self.text[self.range.clone()].starts_with(b"X-Amz-")
            }
            _ => word.stem != "pat" || self.is_screaming_case(),
        }
    }

    /// Returns whether the name is that of an environment variable.
    pub(super) fn is_screaming_case(&self) -> bool {
        let name = &self.text[self.range.clone()];
        name.len() >= 4 && !name.iter().any(u8::is_ascii_lowercase)
    }

    /// Returns whether the name is an option of a command line.
    pub(super) fn is_flag(&self) -> bool {
        self.text[self.range.clone()].starts_with(b"-")
    }

    /// Returns whether the name is that of an XML element: `<password>`.
    pub(super) fn is_element(&self) -> bool {
        self.text[..self.range.start].ends_with(b"<")
    }

    /// Returns the indentation of the name, if nothing else precedes it on its line.
    pub(super) fn indent(&self) -> Option<usize> {
        let before = &self.text[..self.range.start];
        let indent = before.iter().rev().take_while(|&&byte| byte == b' ');
        let indent = indent.count();
        let before = &before[..before.len() - indent];
        (before.is_empty() || before.ends_with(b"\n")).then_some(indent)
    }

    /// Returns whether the whole name is `pass` or `key`.
    pub(super) fn is_bare_word(&self) -> bool {
        self.range.len() == 4 || self.range.len() == 3 && !self.may_be_folder()
    }

    /// Returns whether the name is the verb of a sentence that says to pass something on: it begins the sentence, or stands
    /// behind a word that a verb follows, and nobody is named whose password it could be.
    pub(super) fn is_verb(&self) -> bool {
        #[rustfmt::skip]
        const BEFORE: &[&str] = &[
            "to", "and", "or", "then", "must", "should", "can", "cannot", "could", "may", "might", "will", "would",
            "not", "t", "always", "never", "instead", "you", "we", "they", "i", "it", "just", "only", "also",
            "please", "explicitly", "either", "do", "let",
        ];
        let start = self.range.start;
        let begins = || match self.text[..start].trim_ascii_end().last() {
            Some(before) => b".!?-*(".contains(before) || self.indent().is_some(),
            None => true,
        };
        let follows = word_before(self.text, start).map(|word| is_among(&self.text[word], BEFORE));
        self.text[self.range.clone()].eq_ignore_ascii_case(b"pass")
            && follows.unwrap_or_else(begins)
            && !login::has_user_word(self.text, start)
    }

    /// Returns whether the name may be that of the working folder.
    pub(super) fn may_be_folder(&self) -> bool {
        let name = &self.text[self.range.clone()];
        name.eq_ignore_ascii_case(b"pwd") || name.eq_ignore_ascii_case(b"oldpwd")
    }

    /// Returns whether the name is `PIN`, and not the verb.
    pub(super) fn is_pin(&self) -> bool {
        &self.text[self.range.clone()] == b"PIN"
    }

    /// Returns whether the name is `pw`, which is no other word.
    pub(super) fn is_short(&self) -> bool {
        self.range.len() == 2
    }

    /// Returns whether the name is a parameter of a URL or of a connection string.
    pub(super) fn is_parameter(&self) -> bool {
        let before = self.range.start.checked_sub(1).map(|at| self.text[at]);
        before.is_some_and(|byte| b"?&;".contains(&byte))
    }

    /// Returns whether the name is in an entry of a `.netrc`: `login alice password …`.
    pub(super) fn is_after_login(&self) -> bool {
        let before = &self.text[..self.range.start];
        let is_word = before.ends_with(b" ") || before.ends_with(b"\n") || before.ends_with(b"\t");
        if &self.text[self.range.clone()] != b"password" || !is_word {
            return false;
        }
        let near = self.range.start.saturating_sub(NAME_BEFORE)..self.range.start;
        let words = self.text[near].rsplit(u8::is_ascii_whitespace);
        let mut words = words.filter(|word| !word.is_empty());
        let key = words.nth(1);
        key.is_some_and(|word| word == b"login" || word == b"machine")
    }

    /// Returns whether a quoted value may follow the name without a sign: `WITH PASSWORD '…'`, `IDENTIFIED BY '…'`,
    /// `#define DB_PASS "…"`, a line that begins with `password "…"`.
    pub(super) fn may_omit_sign(&self) -> bool {
        self.is_screaming_case()
            || self.is_sql_clause()
            || !self.is_bare_word() && self.indent().is_some()
    }

    /// Returns whether the argument of a call with this name is the value: `password(…)`, `setPassword(…)`.
    pub(super) fn is_setter(&self) -> bool {
        self.part_index == 0
            || self.part_index == 1 && is_among(self.part_text(0), &["set", "with"])
    }

    /// Returns whether the name is the SQL clause before a password: `IDENTIFIED BY`.
    pub(super) fn is_sql_clause(&self) -> bool {
        let name = &self.text[self.range.clone()];
        name.ends_with(b" BY") || name.ends_with(b" by")
    }

    /// Returns whether the name ends in `secret`.
    pub(super) fn ends_in_secret(&self) -> bool {
        let name = &self.text[self.range.clone()];
        let start = name.len().saturating_sub("secret".len());
        name[start..].eq_ignore_ascii_case(b"secret")
    }

    fn part_text(&self, index: usize) -> &[u8] {
        &self.text[self.parts[index].clone()]
    }
}

/// Returns the word before a name, if one space separates them: `api` in `api key`.
fn word_before(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end = start.checked_sub(1)?;
    let word = ALNUM.run_before(text, end, 20);
    (text[end] == b' ' && !word.is_empty()).then_some(word)
}

/// Splits a name into words: at characters other than letters and digits, and where the case changes.
fn split_name(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for at in range.clone() {
        if !ALNUM.contains(text[at]) && text[at].is_ascii() {
            continue;
        }
        let previous = if at > range.start { text[at - 1] } else { b'_' };
        let next = if at + 1 < range.end {
            text[at + 1]
        } else {
            b'_'
        };
        let turns = text[at].is_ascii_uppercase()
            && (previous.is_ascii_lowercase()
                || previous.is_ascii_digit()
                || next.is_ascii_lowercase());
        match parts.last_mut() {
            Some(part) if part.end == at && !turns => part.end = at + 1,
            _ => parts.push(at..at + 1),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name_rows::CLAIM_WORDS;

    fn check(name: &str, expected: Option<SecretClaim>) {
        let text = name.as_bytes();
        let lower = name.to_ascii_lowercase();
        let claims = CLAIM_WORDS.iter().filter_map(|word| {
            let at = lower.find(word.stem)?;
            FieldName::read_around(text, at, word.stem.len()).claimed_by(word)
        });
        assert_eq!(claims.into_iter().next(), expected, "{name}");
    }

    #[test]
    fn names_that_claim_something() {
        for name in [
            "password",
            "PASSWORD",
            "dbPassword",
            "PGPASSWORD",
            "db_pass",
            "userpasswd",
            "--password",
            "spring.datasource.password",
            "adminPwd",
            "key_passphrase",
            "pwd2",
        ] {
            check(name, Some(SecretClaim::Password));
        }
        for name in [
            "token",
            "GITHUB_TOKEN",
            "lookerToken",
            "refresh_token2",
            "authtoken",
            "X-Auth-Token",
            "client_secret",
            "clientSecret",
            "AWS_SECRET_ACCESS_KEY",
            "secretkey",
            "apiKey",
            "API_KEY",
            "x-api-key",
            "APIKey",
            "apikey",
            "api key",
            "private_key",
            "AccountKey",
            "SharedAccessKey",
            "credentials",
            "GH_PAT",
            "grafana-cloud-api-tokenToken",
            "\\nAPI_KEY",
        ] {
            check(name, Some(SecretClaim::Secret));
        }
        for name in ["key", "auth", "_auth", "my key"] {
            check(name, Some(SecretClaim::MaybeSecret));
        }
        for name in ["sessionid", "session_id", "PHPSESSID", "JSESSIONID"] {
            check(name, Some(SecretClaim::Session));
        }
        check("?sig", Some(SecretClaim::Parameter));
    }

    #[test]
    fn names_that_claim_nothing() {
        for name in [
            "tokenizer",
            "max_tokens",
            "tokens",
            "maxTokens",
            "token_count",
            "eos_token",
            "next_token",
            "tokenUrl",
            "secretary",
            "secret_name",
            "secretLength",
            "password_file",
            "passing",
            "bypass",
            "compass",
            "passenger",
            "publicToken",
            "public_key",
            "public key",
            "primaryKey",
            "keyboard",
            "monkey",
            "hotkey",
            "keySelector",
            "key_id",
            "cache_key",
            "author",
            "authority",
            "credentialsId",
            "csrf_token",
            "path",
            "pat",
            "sig",
            "signature",
            "keyword",
            "KeyPair",
            "passwordless",
            "accessor",
        ] {
            check(name, None);
        }
    }
}
