//! What a text must hold for a rule to hit it: words, read off the rule's pattern.
//!
//! A pattern such as `\b(send|post)\b ~8 (secrets?|keys)` can match nothing that has neither
//! `send` nor `post`, or neither `secret` nor `keys`. Whatever is not plain to see is not needed,
//! so a rule may be tried in vain but is never passed over wrongly.

use regex_syntax::hir::{Hir, HirKind};

/// Words of which one must be there.
pub(super) type AnyOf = Vec<String>;

/// Shortest word worth asking for: shorter ones stand in every text.
const WORD_CHARS: usize = 3;

/// Returns what a text must hold to match `pattern`: a word of each list.
///
/// No word holds the sign that stands for what was blanked out, so what a text holds with parts
/// of it blanked out, it holds as a whole.
pub(super) fn needs(pattern: &str) -> Vec<AnyOf> {
    let hir = regex_syntax::parse(pattern).expect("every pattern is tested");
    let mut needs = needs_of(&hir);
    let tells = |word: &String| word.len() >= WORD_CHARS && !word.contains('^');
    needs.retain(|any_of| any_of.iter().all(tells));
    needs
}

fn needs_of(hir: &Hir) -> Vec<AnyOf> {
    match hir.kind() {
        HirKind::Literal(literal) => match str::from_utf8(&literal.0) {
            Ok(word) => vec![vec![word.to_owned()]],
            Err(_) => Vec::new(),
        },
        HirKind::Capture(capture) => needs_of(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needs_of(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().flat_map(needs_of).collect(),
        HirKind::Alternation(branches) => {
            let most_telling = |branch| needs_of(branch).into_iter().max_by_key(shortest);
            let one_of_each: Option<Vec<AnyOf>> = branches.iter().map(most_telling).collect();
            one_of_each
                .map(|lists| lists.concat())
                .into_iter()
                .collect()
        }
        HirKind::Repetition(_) | HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => {
            Vec::new()
        }
    }
}

fn shortest(any_of: &AnyOf) -> usize {
    any_of.iter().map(String::len).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_read_off_a_pattern() {
        for (pattern, expected) in [
            ("send", &[&["send"][..]][..]),
            (
                r"\b(send|post)\b (?:[!-~]+ ){0,8}(secrets?|keys)",
                &[&["send", "post"], &["secret", "keys"]],
            ),
            ("(e-?mail|fax)", &[&["mail", "fax"]]),
            ("(send|[a-z]+)", &[]),
            ("(send)?( now)*", &[]),
            ("(send )+them", &[&["send "], &["them"]]),
            ("send (it|them)", &[&["send "]]),
            ("abc|de", &[]),
            (r"no\^w", &[]),
            (r"\w+\.example", &[&[".example"]]),
        ] {
            assert_eq!(needs(pattern), expected, "{pattern}");
        }
    }
}
