//! Takes secrets out of texts, and is the only maker of clean text.
//!
//! Every text that enters goes through [`clean_to_bytes`] or [`clean_to_chars`], for the events of a run by
//! `hardwon_core::event::scrub_event`; what is put together of clean texts goes through [`clean_derived`]. They are the
//! only ways to [`CleanText`], beside words that stand in the program and what was stored: it is a crate of its own so
//! that no other code makes one of words that did not pass. The order is fixed: read a bounded part, drop invisible
//! characters, [`strip_own_blocks`], [`redact`], and only then cut to length, so that no secret is halved by a cut and
//! slips through.
//!
//! A secret becomes `[REDACTED:kind]`. The rules are tables: tokens with a known prefix (`token_rows`), keys beside
//! the name of a vendor (`vendor`), values beside a name that says what they are (`name_rows`), options of commands
//! (`command`), and a few shapes with code of their own. The position of a value decides what it may be and where it
//! ends (`line`, `ending`), so that no character saves a password. Lengths and alphabets are facts for which the
//! public rules of [gitleaks](https://github.com/gitleaks/gitleaks) (MIT) are the main source; the code and the
//! samples are not theirs. A [`WordFinder`] reads the text once and reports where a rule
//! could apply.
//!
//! This crate is pure, and it does not judge what a text says: that is done by the guard of `hardwon-core`.

/// Lists the rows of a table once for each of their words.
macro_rules! list_by_word {
    ($list:ident: $Row:ty = $rows:ident, $word:ident of $words:ident) => {
        const WORD_COUNT: usize = {
            let (mut count, mut row) = (0, 0);
            while row < $rows.len() {
                count += $rows[row].$words.len();
                row += 1;
            }
            count
        };

        /// All rows, one for each of their words.
        pub(super) static $list: [$Row; WORD_COUNT] = {
            let mut list = [$rows[0]; WORD_COUNT];
            let (mut index, mut row) = (0, 0);
            while row < $rows.len() {
                let mut word = 0;
                while word < $rows[row].$words.len() {
                    list[index] = $rows[row];
                    list[index].$word = $rows[row].$words[word];
                    (index, word) = (index + 1, word + 1);
                }
                row += 1;
            }
            list
        };
    };
}

pub mod finder;
mod text;

mod alphabet;
mod call;
mod claim;
mod clean;
mod command;
mod command_rows;
mod decoded;
mod ending;
mod expression;
mod field;
mod header;
mod hidden;
mod joined;
mod line;
mod login;
mod made_up;
mod name;
mod name_rows;
mod named;
mod own_blocks;
mod pem;
mod phrase;
mod piped;
mod placeholder;
mod property_list;
mod protocol;
mod shape;
mod shape_rows;
mod token;
mod token_rows;
mod url;
mod value;
mod vendor;

use std::{borrow::Cow, ops::Range};

pub use clean::{
    INTAKE_BYTES, clean_derived, clean_to_bytes, clean_to_chars, clean_with_fingerprint,
    fingerprint_text, quote_error,
};
pub use decoded::decode_base64;
pub use hidden::is_hidden;
pub use made_up::make_up_samples;
pub use own_blocks::{
    PREAMBLE_CLOSE, PREAMBLE_OPEN, closing_for, may_hold_own_block, strip_own_blocks,
};
pub use text::{CleanText, RawText, floor_char_boundary};

use command_rows::COMMANDS;
use name_rows::CLAIM_WORDS;
use shape_rows::{SHAPES, SecretFinder};
use token_rows::TOKENS;
use vendor::VENDORS;

use finder::WordFinder;

/// The beginning of the mark that replaces a secret.
pub const MARK_START: &str = "[REDACTED:";

/// The longest name of a kind of secret, in bytes.
const KIND_BYTES: usize = 32;
/// How often a text is redacted at most. The second pass nearly always finds nothing.
const MAX_PASSES: usize = 4;

/// Where each table ends in the numbering of the finder.
const TOKENS_END: usize = TOKENS.len();
const SHAPES_END: usize = TOKENS_END + SHAPES.len();
const COMMANDS_END: usize = SHAPES_END + COMMANDS.len();
const WORDS_END: usize = COMMANDS_END + CLAIM_WORDS.len();
const VENDORS_END: usize = WORDS_END + VENDORS.len();
const RULE_COUNT: usize = VENDORS_END + 1;

static ANCHOR_FINDER: WordFinder<RULE_COUNT> = WordFinder::new(collect_anchors());

/// Returns the anchor of every rule, table after table, and the mark last.
const fn collect_anchors() -> [&'static str; RULE_COUNT] {
    let mut anchors = [MARK_START; RULE_COUNT];
    let mut index = 0;
    while index < VENDORS_END {
        anchors[index] = if index < TOKENS_END {
            TOKENS[index].anchor
        } else if index < SHAPES_END {
            SHAPES[index - TOKENS_END].anchor
        } else if index < COMMANDS_END {
            COMMANDS[index - SHAPES_END].name
        } else if index < WORDS_END {
            CLAIM_WORDS[index - COMMANDS_END].stem
        } else {
            VENDORS[index - WORDS_END].name
        };
        index += 1;
    }
    anchors
}

/// What shows that something is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretProof {
    /// Its own form: a vendor's prefix and alphabet, a signed token, a private key.
    Form,
    /// A random part behind a short prefix that no rule knows.
    Randomness,
    /// The name beside it: `api_key = …`.
    Name,
    /// Its place in a command, a call, a header or a URL.
    Place,
}

/// A secret found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpan {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// The name of its kind, as in the mark that replaces it.
    pub kind: &'static str,
    /// What shows that it is one.
    pub proof: SecretProof,
}

/// Locates every secret of a text, in order and without overlap: what [`redact`] would replace.
///
/// A secret that invisible characters split is found only in the text without them ([`join_split_words`]).
pub fn locate_secrets(text: &str) -> Vec<SecretSpan> {
    let mut secrets = find_secrets(text.as_bytes());
    for secret in &mut secrets {
        // A value that was read up to a limit may end inside a character.
        let start = floor_char_boundary(text, secret.range.start);
        secret.range = start..floor_char_boundary(text, secret.range.end).max(start);
    }
    secrets
}

/// Returns the name of every kind of secret, in the order of the alphabet.
pub fn secret_kinds() -> Vec<&'static str> {
    let tokens = TOKENS.iter().map(|row| row.kind);
    let shapes = SHAPES.iter().map(|row| row.kind);
    let words = CLAIM_WORDS.iter().map(|row| row.kind);
    let vendors = VENDORS.iter().map(|row| row.name);
    let mut kinds: Vec<_> = tokens.chain(shapes).chain(words).chain(vendors).collect();
    kinds.extend(["discord-token", "token", "twilio-key"]);
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Returns whether words and numbers explain all of a value, so that nothing in it looks random.
pub fn reads_as_words(value: &str) -> bool {
    value::count_noise(value.as_bytes()) == 0
}

/// Returns whether a value is taken from elsewhere when a program runs: `${NAME}`, `$USER:$WORD`, `{{ name }}`.
pub fn is_reference(value: &str) -> bool {
    placeholder::is_reference(value.as_bytes())
}

/// Drops the invisible characters that could split a secret. Line breaks stay where they are.
pub fn join_split_words(text: &str) -> Cow<'_, str> {
    hidden::drop_separators(text)
}

/// Replaces every secret by `[REDACTED:kind]`.
///
/// A secret that is split by invisible characters is found too: the text is then redacted without them. Redacting
/// twice changes nothing more, and a text without secrets is not copied.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Cow::Owned(joined) = hidden::drop_separators(text) else {
        return redact_joined(text);
    };
    let Cow::Owned(redacted) = redact_joined(&joined) else {
        return Cow::Borrowed(text);
    };
    let as_is = redact_joined(text);
    if hidden::drop_separators(&as_is) == redacted {
        as_is
    } else {
        Cow::Owned(redacted)
    }
}

/// Replaces every secret of a text without invisible characters.
fn redact_joined(text: &str) -> Cow<'_, str> {
    let mut clean_text = Cow::Borrowed(text);
    // A mark is another neighbour than the secret was, so it may reveal a further one.
    for _ in 0..MAX_PASSES {
        let secrets = locate_secrets(&clean_text);
        if secrets.is_empty() {
            break;
        }
        clean_text = Cow::Owned(replace_secrets(&clean_text, secrets));
    }
    clean_text
}

/// Replaces every secret by its mark.
fn replace_secrets(text: &str, secrets: Vec<SecretSpan>) -> String {
    let mut new_text = String::with_capacity(text.len());
    let mut rest = 0;
    for SecretSpan { range, kind, .. } in secrets {
        new_text.push_str(&text[rest..range.start.max(rest)]);
        new_text.push_str(MARK_START);
        new_text.push_str(kind);
        new_text.push(']');
        rest = range.end.max(rest);
    }
    new_text.push_str(&text[rest..]);
    new_text
}

/// Returns the secrets in order, without overlap.
fn find_secrets(text: &[u8]) -> Vec<SecretSpan> {
    let mut secrets = find_secrets_decoded(text, 0);
    secrets.extend(joined::find_broken_tokens(text));
    merge_secrets(text, secrets)
}

/// Returns the secrets of a text that was decoded `depth` times, read as it stands.
fn find_secrets_decoded(text: &[u8], depth: usize) -> Vec<SecretSpan> {
    let secrets = merge_secrets(text, find_by_anchor(text));
    let secrets = add_free(text, secrets, shape::find_long_tokens(text));
    if depth == decoded::MAX_DEPTH {
        return secrets;
    }
    let secrets = add_free(text, secrets, decoded::find_encoded(text, depth));
    add_free(text, secrets, decoded::find_escaped(text, depth))
}

/// Adds what is in no other find, whose rules know more about it.
fn add_free(text: &[u8], mut found: Vec<SecretSpan>, further: Vec<SecretSpan>) -> Vec<SecretSpan> {
    if further.is_empty() {
        return found;
    }
    let is_free = |secret: &SecretSpan| {
        let next = found.partition_point(|known| known.range.end <= secret.range.start);
        let next = found.get(next);
        next.is_none_or(|known| secret.range.end <= known.range.start)
    };
    let free: Vec<_> = further.into_iter().filter(is_free).collect();
    found.extend(free);
    merge_secrets(text, found)
}

/// Returns what the rules find where their anchors are.
fn find_by_anchor(text: &[u8]) -> Vec<SecretSpan> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(candidate) = ANCHOR_FINDER.next_candidate(text, at) {
        at = candidate + 1;
        if text[candidate..].starts_with(MARK_START.as_bytes()) {
            at = mark_range(text, candidate).end;
            continue;
        }
        let secrets = ANCHOR_FINDER
            .words_at(text, candidate)
            .map(|rule| apply_rule(rule, text, candidate))
            .find(|secrets| !secrets.is_empty());
        for secret in secrets.unwrap_or_default() {
            // Between a name and a value below it there may be others.
            let between = text.get(candidate..secret.range.start).unwrap_or_default();
            if !between.contains(&b'\n') {
                at = at.max(secret.range.end);
            }
            all.push(secret);
        }
    }
    all
}

/// Applies one rule at the place of its anchor.
fn apply_rule(rule: usize, text: &[u8], at: usize) -> Vec<SecretSpan> {
    let (kind, ranges) = find_by_rule(rule, text, at);
    let proof = proof_of_rule(rule, kind);
    let secret = |range: Range<usize>| {
        let token = find_token_kind(text, range.start);
        SecretSpan {
            kind: token.unwrap_or(kind),
            proof: token.map_or(proof, |_| SecretProof::Form),
            range,
        }
    };
    ranges.into_iter().map(secret).collect()
}

/// Returns the kind of secret that a rule finds, and where it does.
fn find_by_rule(rule: usize, text: &[u8], at: usize) -> (&'static str, Vec<Range<usize>>) {
    let one = |range: Option<Range<usize>>| range.into_iter().collect();
    if let Some(token) = TOKENS.get(rule) {
        (token.kind, one(token.find_token(text, at)))
    } else if let Some(shape) = SHAPES.get(rule - TOKENS_END) {
        let ranges = match shape.finder {
            SecretFinder::One(find) => one(find(text, at)),
            SecretFinder::Many(find) => find(text, at),
        };
        (shape.kind, ranges)
    } else if let Some(command) = COMMANDS.get(rule - SHAPES_END) {
        ("password", command.find_secrets(text, at))
    } else if let Some(word) = CLAIM_WORDS.get(rule - COMMANDS_END) {
        (word.kind, named::find_named_secrets(text, at, word))
    } else if let Some(vendor) = VENDORS.get(rule - WORDS_END) {
        (vendor.name, one(named::find_vendor_key(text, at, vendor)))
    } else {
        ("", Vec::new())
    }
}

/// Returns what shows that a find of this rule is a secret.
fn proof_of_rule(rule: usize, kind: &str) -> SecretProof {
    const OWN_FORM: &[&str] = &["jwt", "private-key", "totp-secret", "webhook"];
    match rule {
        ..TOKENS_END => SecretProof::Form,
        TOKENS_END..SHAPES_END if OWN_FORM.contains(&kind) => SecretProof::Form,
        TOKENS_END..COMMANDS_END => SecretProof::Place,
        _ => SecretProof::Name,
    }
}

/// Returns the kind of the token that begins at `at`, which is more specific than the name beside it.
fn find_token_kind(text: &[u8], at: usize) -> Option<&'static str> {
    ANCHOR_FINDER
        .words_at(text, at)
        .filter(|&rule| rule < TOKENS_END)
        .find(|&rule| TOKENS[rule].find_token(text, at).is_some())
        .map(|rule| TOKENS[rule].kind)
}

/// Sorts secrets, joins those that overlap, and excludes existing marks from them.
fn merge_secrets(text: &[u8], found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    let mut pieces_in_order: Vec<SecretSpan> = found
        .into_iter()
        .flat_map(|secret| {
            let pieces = split_around_marks(text, secret.range.clone()).into_iter();
            pieces.map(move |range| SecretSpan {
                range,
                ..secret.clone()
            })
        })
        .collect();
    pieces_in_order.sort_by_key(|secret| (secret.range.start, secret.range.end));
    let mut spans: Vec<SecretSpan> = Vec::with_capacity(pieces_in_order.len());
    for secret in pieces_in_order {
        match spans.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => spans.push(secret),
        }
    }
    spans
}

/// Returns the byte range of the mark that begins at `at`.
fn mark_range(text: &[u8], at: usize) -> Range<usize> {
    let kind = alphabet::SLUG.run_from(text, at + MARK_START.len(), KIND_BYTES);
    let closing = usize::from(text.get(kind.end) == Some(&b']'));
    at..kind.end + closing
}

/// Returns the parts of a range that do not belong to marks.
fn split_around_marks(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let near = range.start.saturating_sub(MARK_START.len() + KIND_BYTES);
    let limit = text.len().min(range.end + MARK_START.len());
    let (mut pieces, mut start) = (Vec::new(), range.start);
    let begins = |at: &usize| text[*at..].starts_with(MARK_START.as_bytes());
    for mark in (near..limit).filter(begins).map(|at| mark_range(text, at)) {
        pieces.push(start..mark.start.min(range.end));
        start = start.max(mark.end);
    }
    pieces.push(start..range.end);
    pieces.retain(|piece| piece.start < piece.end);
    pieces
}

#[cfg(test)]
mod tests;
