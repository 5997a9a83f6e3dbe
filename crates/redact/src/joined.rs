//! Finds tokens that something breaks in pieces: a line's end, a quote and a `+`, a table cell, a tag, `%0A`.
//!
//! Nothing but punctuation is between the pieces, so they are read as one, and each of them is redacted. Only what has a
//! form of its own is looked for in them, and what goes on behind a mark. A blank or a comma breaks nothing.

use std::ops::Range;

use super::{
    MARK_START, SecretProof, SecretSpan,
    alphabet::{ANY64, Alphabet},
    decoded,
    value::count_noise,
};

/// The longest break, in bytes.
const BREAK_BYTES: usize = 64;
/// The longest tag, in bytes.
const TAG_BYTES: usize = 40;
/// The longest part of a token before its first break, in bytes.
const BEFORE_BYTES: usize = 512;
/// The longest text of all pieces, in bytes.
const JOINED_BYTES: usize = 64 * 1024;
/// The shortest one that is searched.
const MIN_BYTES: usize = 16;
/// The fewest characters that no word explains in a broken token, or in one that goes on behind a mark.
const MIN_NOISE: usize = 8;

const PIECE: Alphabet = ANY64.union(Alphabet::from_chars("~"));
/// What a break begins with, but for blanks.
const OPENING: Alphabet = Alphabet::from_chars("\n\r\"'`<%&|\\");

/// What is between a piece and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// Nothing that a program reads.
    Beside,
    /// What a program reads as one text.
    Joined,
    /// The comma of a list, whose members may be joined later.
    Listed,
}

/// Pieces of a text with nothing but breaks between them.
struct JoinedText {
    bytes: Vec<u8>,
    /// Where each piece is in the text, and what is before it.
    pieces: Vec<(Range<usize>, Joint)>,
    /// Whether a mark precedes the first piece.
    follows_mark: bool,
}

/// Finds the pieces of all broken tokens.
pub(super) fn find_broken_tokens(text: &[u8]) -> Vec<SecretSpan> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(offset) = text[at..].iter().position(|byte| OPENING.contains(*byte)) {
        let opening = at + offset;
        at = opening + 1;
        if let Some((joined, end)) = JoinedText::read_around(text, opening) {
            at = at.max(end);
            found.extend(joined.find_tokens(text));
        }
    }
    found
}

impl JoinedText {
    /// Reads the pieces around a break that opens at `opening`; returns where they end too.
    fn read_around(text: &[u8], opening: usize) -> Option<(Self, usize)> {
        let start = Alphabet::from_chars(" \t")
            .run_before(text, opening, 8)
            .start;
        let before = *text.get(start.checked_sub(1)?)?;
        if !PIECE.contains(before) && before != b']' {
            return None;
        }
        let (mut next, mut joint) = read_break(text, start)?;
        let follows_mark = ends_in_mark(&text[..start]);
        let first = PIECE.run_before(text, start, BEFORE_BYTES);
        if first.is_empty() && !follows_mark {
            return None;
        }
        let mut run = Self {
            bytes: text[first.clone()].to_vec(),
            pieces: if follows_mark {
                Vec::new()
            } else {
                vec![(first, Joint::Beside)]
            },
            follows_mark,
        };
        loop {
            let room = JOINED_BYTES.saturating_sub(run.bytes.len());
            let piece = PIECE.run_from(text, next, room);
            let end = piece.end;
            run.bytes.extend_from_slice(&text[piece.clone()]);
            run.pieces.push((piece, joint));
            match read_break(text, end).filter(|_| run.bytes.len() < JOINED_BYTES) {
                Some(ended) => (next, joint) = ended,
                None => return Some((run, end)),
            }
        }
    }

    fn find_tokens(&self, text: &[u8]) -> Vec<SecretSpan> {
        let mut secrets = self.find_rest(text);
        if self.bytes.len() < MIN_BYTES || !self.bytes.iter().any(u8::is_ascii_digit) {
            return secrets;
        }
        let is_list = self.pieces.iter().any(|(_, joint)| *joint == Joint::Listed);
        let mut tokens = super::find_secrets(&self.bytes);
        tokens.retain(|token| match token.proof {
            SecretProof::Form => true,
            // Pieces that are words look random side by side.
            SecretProof::Randomness => !is_list && self.count_noise_in(&token.range) >= MIN_NOISE,
            SecretProof::Name | SecretProof::Place => false,
        });
        tokens.extend(decoded::find_encoded(&self.bytes, 0));
        for token in tokens {
            if count_noise(&self.bytes[token.range.clone()]) >= MIN_NOISE {
                secrets.extend(self.split_token(&token));
            }
        }
        secrets
    }

    /// Counts what no word explains in each of the pieces of a token by itself.
    fn count_noise_in(&self, token: &Range<usize>) -> usize {
        let mut at = 0;
        let lengths = self.pieces.iter().map(|(piece, _)| piece.len());
        let parts = lengths.map(|length| {
            let part = at.max(token.start)..(at + length).min(token.end);
            at += length;
            self.bytes.get(part).map_or(0, count_noise)
        });
        parts.sum()
    }

    /// Returns the pieces that go on behind a mark: what a program joins to it, else what looks random.
    fn find_rest(&self, text: &[u8]) -> Vec<SecretSpan> {
        let goes_on = |(piece, joint): &&(Range<usize>, Joint)| match joint {
            Joint::Joined => true,
            Joint::Listed => false,
            Joint::Beside => count_noise(&text[piece.clone()]) >= MIN_NOISE,
        };
        let skip_count = usize::from(self.follows_mark) * self.pieces.len();
        let rest = self.pieces[..skip_count].iter().take_while(goes_on);
        let spans = rest.map(|(range, _)| SecretSpan {
            range: range.clone(),
            kind: "token",
            proof: SecretProof::Place,
        });
        spans.collect()
    }

    /// Returns the pieces of a token without those at its end that may be words which only follow it.
    fn split_token(&self, token: &SecretSpan) -> Vec<SecretSpan> {
        let (mut spans, mut count, mut at) = (Vec::new(), 0, 0);
        for (piece, joint) in &self.pieces {
            let part = at.max(token.range.start)..(at + piece.len()).min(token.range.end);
            if !part.is_empty() {
                let start = piece.start + part.start - at;
                spans.push(SecretSpan {
                    range: start..start + part.len(),
                    ..token.clone()
                });
                let goes_on = is_rest(&self.bytes[part], *joint);
                count = if goes_on { spans.len() } else { count };
            }
            at += piece.len();
        }
        spans.truncate(if count > 1 { count } else { 0 });
        spans
    }
}

/// Returns whether a piece may be the rest of a token and no word that follows it.
fn is_rest(piece: &[u8], joint: Joint) -> bool {
    let turns = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let odd = piece.iter().any(u8::is_ascii_digit) || piece.windows(2).any(turns);
    count_noise(piece) > 0 || odd && joint != Joint::Listed
}

fn ends_in_mark(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(BREAK_BYTES)..];
    let opens = near
        .windows(MARK_START.len())
        .rposition(|window| window == MARK_START.as_bytes());
    let closes =
        |at: usize| near[at..].iter().position(|&byte| byte == b']') == Some(near.len() - at - 1);
    opens.is_some_and(closes)
}

/// Reads the break at `at`; returns where the next piece begins, and what is between the two.
fn read_break(text: &[u8], at: usize) -> Option<(usize, Joint)> {
    let limit = text.len().min(at + BREAK_BYTES);
    let mut end = at;
    let [
        mut quotes,
        mut lines,
        mut cells,
        mut signs,
        mut marks,
        mut members,
    ] = [0; 6];
    while end < limit && (!PIECE.contains(text[end]) || quotes == 1 && b"+.~".contains(&text[end]))
    {
        let rest = &text[end..limit];
        end += match rest {
            [b'\n' | b'\r', ..] => count(&mut lines, 1),
            [b'\\', b'n' | b'r', ..] => count(&mut lines, 2),
            [b'%', b'0', b'A' | b'D' | b'a' | b'd', ..] => count(&mut marks, 3),
            [b'"' | b'\'' | b'`', ..] => count(&mut quotes, 1),
            [b'+' | b'.' | b'&' | b'~', ..] if quotes == 1 => count(&mut signs, 1),
            // A list whose members are joined later.
            [b',', ..] if quotes == 1 => count(&mut members, 1),
            [b'|', ..] if cells == 0 => count(&mut cells, 1),
            [b'>' | b'#' | b'*', ..] if lines > 0 => 1,
            [b'<', b'/' | b'a'..=b'z' | b'A'..=b'Z', ..] | [b'&', b'#' | b'a'..=b'z', ..] => {
                let closing = if rest[0] == b'<' { b'>' } else { b';' };
                let length = rest
                    .iter()
                    .take(TAG_BYTES)
                    .position(|&byte| byte == closing)?;
                count(&mut marks, length + 1)
            }
            [b' ' | b'\t' | b'\\', ..] => 1,
            _ => return None,
        };
    }
    let breaks = quotes == 2 || quotes == 0 && lines + cells + marks > 0;
    let begins = text
        .get(end)
        .is_some_and(|byte| PIECE.contains(*byte) && *byte != b'=');
    let joint = match quotes == 2 && (signs > 0 || lines > 0 || end - at == 2) {
        _ if members > 0 => Joint::Listed,
        true => Joint::Joined,
        false => Joint::Beside,
    };
    (breaks && begins).then_some((end, joint))
}

fn count(number: &mut usize, length: usize) -> usize {
    *number += 1;
    length
}
