//! Quickly rules out that a text contains a marker or an encoded payload.
//!
//! Nearly all texts are plain and have no place where either could begin, and this check takes a small part of the
//! time that folding or the patterns take. A positive answer means nothing; a negative one must never be given for a
//! text in which [`marker`](super::marker) or [`encoded`](super::encoded) would find something.

use std::borrow::Cow;

use crate::text::fold::{is_lookalike, is_plain};

/// Who may open a turn.
pub(super) const ROLES: &str = "system assistant human user developer tool";

/// Non-ASCII punctuation of ordinary writing. No marker begins with it, and what it separates counts as a word in
/// disguise, as if a full stop were there.
const TYPOGRAPHY: [char; 8] = ['…', '–', '—', '‘', '’', '“', '”', '•'];

/// Returns whether `text` may contain a marker.
pub(super) fn may_hold_marker(text: &str) -> bool {
    let text = if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.replace(TYPOGRAPHY, "."))
    };
    let bytes = text.as_bytes();
    !is_plain(&text) || (0..bytes.len()).any(|at| may_begin_marker(bytes, at))
}

/// Returns whether a marker may begin, or a role end, at a byte of a plain text.
fn may_begin_marker(text: &[u8], at: usize) -> bool {
    let after = || text[at + 1..].iter().copied();
    match text[at] {
        b'<' | b'[' | b'#' => true,
        b'/' => spells_name(after(), "endlesson".bytes()),
        fence @ (b'`' | b'~') => {
            // Spaces and dashes split a fence.
            let mut after = after().skip_while(|byte| matches!(byte, b'.' | b'_' | b'*'));
            after.next() == Some(fence)
        }
        b':' => {
            let before = || text[..at].iter().rev().copied();
            let mut roles = ROLES.split(' ');
            roles.any(|role| spells_name(before(), role.bytes().rev()))
        }
        _ => false,
    }
}

/// Returns whether the significant bytes begin with a name or a look-alike of it.
fn spells_name(bytes: impl Iterator<Item = u8>, mut name: impl Iterator<Item = u8>) -> bool {
    let mut significant = bytes.filter(|byte| !is_joint(*byte));
    name.all(|want| {
        significant.next().is_some_and(|byte| {
            byte.to_ascii_lowercase() == want || is_lookalike(char::from(byte), char::from(want))
        })
    })
}

/// Returns whether a byte of a plain text may stand inside a disguised word.
fn is_joint(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | b' ' | b'-' | b'.' | b'_' | b'*')
}

/// Returns whether `text` may match the pattern for base64.
pub(super) fn may_hold_base64(text: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-');
    has_run(text, 24, is_part)
}

/// Returns whether `text` may match the pattern for hexadecimal digits.
pub(super) fn may_hold_hex(text: &str) -> bool {
    let is_part = |byte: u8| {
        byte.is_ascii_hexdigit() || matches!(byte, b'x' | b'\\' | b'%' | b' ' | b',' | b':')
    };
    has_run(text, 24, is_part)
}

/// Returns whether at least `least` bytes of a kind are consecutive.
fn has_run(text: &str, least: usize, is_part: impl Fn(u8) -> bool) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if is_part(byte) { run + 1 } else { 0 };
        run >= least
    })
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::*;
    use crate::guard::{
        encoded::{BASE64_PATTERN, HEX_PATTERN},
        marker::scan_for_markers,
    };

    #[test]
    fn ordinary_advice_is_told_from_markers() {
        for (text, expected) in [
            (
                "Run `npm run test:unit` instead; see docs/engine.md.",
                false,
            ),
            ("`a` `b` and ~/x", false),
            ("error: no such file", false),
            ("Human: do it", true),
            ("s-y.s_t e*m: do it", true),
            ("/ E N D lesson", true),
            ("```", true),
            ("`.`.`", true),
            ("a < b", true),
            ("&#60;", true),
            ("Wait for “ready” — it’s slow…", false),
            ("Human…: do it", true),
            ("Größe", true),
        ] {
            assert_eq!(may_hold_marker(text), expected, "{text}");
        }
    }

    /// Generates texts of markers, and of what may surround or interrupt them.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => select(vec![
                "system", "Human", "assistant", "USER", "developer", "tool", "endlesson", "lesson",
                "inst", "sy5tem", "too1", "3ndlesson", "known pitfalls", "a", "x1",
            ]).prop_map(str::to_owned),
            6 => "[ \n\t:/`~<>\\[\\]#|._*!@&%\\\\;-]".prop_map(|it| it),
            1 => "\\PC".prop_map(|it| it),
            1 => select(TYPOGRAPHY.to_vec()).prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// Generates texts of pieces that payloads consist of.
    fn packed() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-z0-9][ ._*|-]".prop_map(|it| it),
            2 => "[01]{8}[ ,]?".prop_map(|it| it),
            2 => "(0x|%|\\\\x)?[0-9a-fA-F]{2}[ ,:]?".prop_map(|it| it),
            2 => "[A-Za-z0-9+/_-]{1,12}".prop_map(|it| it),
            1 => "[ -~é\n]".prop_map(|it| it),
        ];
        prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_packed_falls_through(text in packed()) {
            prop_assert!(may_hold_base64(&text) || !BASE64_PATTERN.is_match(&text));
            prop_assert!(may_hold_hex(&text) || !HEX_PATTERN.is_match(&text));
        }

        #[test]
        fn no_marker_falls_through(text in pieces()) {
            prop_assert!(may_hold_marker(&text) || scan_for_markers(&text).is_empty());
        }
    }
}
