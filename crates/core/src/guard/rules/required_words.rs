//! Finds the words that a text must contain to match a rule's pattern.
//!
//! A pattern such as `\b(send|post)\b ~8 (secrets?|keys)` cannot match a text that has neither `send` nor `post`, or
//! neither `secret` nor `keys`. In doubt a word is not required, so a rule may be tried in vain but is never skipped
//! wrongly.

use regex_syntax::hir::{Hir, HirKind};

/// Words of which one must be in the text.
pub(super) type WordAlternatives = Vec<String>;

/// Shortest word worth requiring, in characters: shorter ones are in every text.
const MIN_WORD_CHARS: usize = 3;

/// Returns the words that a text must contain to match `pattern`: one of each list.
///
/// No word contains the placeholder for blanked-out text, so whatever a text contains with parts of it blanked out,
/// it contains as a whole.
pub(super) fn find_required_words(pattern: &str) -> Vec<WordAlternatives> {
    let hir = regex_syntax::parse(pattern).expect("every pattern is tested");
    let mut needs = collect_required_words(&hir);
    let tells = |word: &String| word.len() >= MIN_WORD_CHARS && !word.contains('^');
    needs.retain(|any_of| any_of.iter().all(tells));
    needs
}

fn collect_required_words(hir: &Hir) -> Vec<WordAlternatives> {
    match hir.kind() {
        HirKind::Literal(literal) => match str::from_utf8(&literal.0) {
            Ok(word) => vec![vec![word.to_owned()]],
            Err(_) => Vec::new(),
        },
        HirKind::Capture(capture) => collect_required_words(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            collect_required_words(&repetition.sub)
        }
        HirKind::Concat(parts) => parts.iter().flat_map(collect_required_words).collect(),
        HirKind::Alternation(branches) => {
            let most_telling = |branch| {
                collect_required_words(branch)
                    .into_iter()
                    .max_by_key(shortest_word_length)
            };
            let one_of_each: Option<Vec<WordAlternatives>> =
                branches.iter().map(most_telling).collect();
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

fn shortest_word_length(any_of: &WordAlternatives) -> usize {
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
            assert_eq!(find_required_words(pattern), expected, "{pattern}");
        }
    }
}
