//! A word-by-word diff of two short texts, and the lines in which two files differ, as parts for a door to show.

use std::{fmt, ops::Range};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff};

/// Words or lines that are compared.
const MAX_PARTS: usize = 2_000;

/// Neighbouring words of two compared texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffPart {
    /// Both texts have them.
    Kept(String),
    /// Only the old one has them.
    Removed(String),
    /// Only the new one has them.
    Added(String),
}

/// The parts of two compared texts, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordDiff(pub Vec<DiffPart>);

impl WordDiff {
    /// Returns whether the texts have the same words.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|part| matches!(part, DiffPart::Kept(_)))
    }
}

impl fmt::Display for WordDiff {
    /// Writes both texts as one: `[-words of the old one-]{+words of the new one+}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut previous: Option<&DiffPart> = None;
        for part in &self.0 {
            let is_exchange = matches!(
                (previous, part),
                (Some(DiffPart::Removed(_)), DiffPart::Added(_))
            );
            if previous.is_some() && !is_exchange {
                f.write_str(" ")?;
            }
            match part {
                DiffPart::Kept(words) => f.write_str(words)?,
                DiffPart::Removed(words) => write!(f, "[-{words}-]")?,
                DiffPart::Added(words) => write!(f, "{{+{words}+}}")?,
            }
            previous = Some(part);
        }
        Ok(())
    }
}

/// Compares two texts word by word; how the words are spaced does not count.
pub fn diff_words(old: &str, new: &str) -> WordDiff {
    let [old, new] = [old, new].map(|text| text.split_whitespace().collect::<Vec<_>>());
    let mut parts = Vec::new();
    for (tag, left, right) in find_changes(&old, &new) {
        let (left, right) = (old[left].join(" "), new[right].join(" "));
        if tag == DiffTag::Equal {
            parts.push(DiffPart::Kept(left));
            continue;
        }
        if !left.is_empty() {
            parts.push(DiffPart::Removed(left));
        }
        if !right.is_empty() {
            parts.push(DiffPart::Added(right));
        }
    }
    WordDiff(parts)
}

/// Returns the lines in which two texts differ: those of the old one with `-`, those of the new one with `+`, each with its
/// number there, from 1.
pub fn diff_lines<'a>(old: &'a str, new: &'a str) -> Vec<(char, usize, &'a str)> {
    let [old, new] = [old, new].map(|text| text.lines().collect::<Vec<_>>());
    let mut lines = Vec::new();
    for (tag, left, right) in find_changes(&old, &new) {
        if tag != DiffTag::Equal {
            lines.extend(left.map(|row| ('-', row + 1, old[row])));
            lines.extend(right.map(|row| ('+', row + 1, new[row])));
        }
    }
    lines
}

/// Returns what is the same and what is not, in order, as ranges of each. Where more than [`MAX_PARTS`] lie between the first
/// and the last change, all of them count as changed.
fn find_changes(old: &[&str], new: &[&str]) -> Vec<(DiffTag, Range<usize>, Range<usize>)> {
    let is_same = |(left, right): &(&&str, &&str)| left == right;
    let start = old.iter().zip(new).take_while(is_same).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(is_same).count();
    let (left, right) = (start..old.len() - end, start..new.len() - end);
    let (same_end, new_end) = (left.end..old.len(), right.end..new.len());
    let mut changes = vec![(DiffTag::Equal, 0..start, 0..start)];
    if left.len().max(right.len()) > MAX_PARTS {
        changes.push((DiffTag::Replace, left, right));
    } else {
        let between = capture_diff(Algorithm::Myers, old, left, new, right);
        changes.extend(between.iter().map(DiffOp::as_tag_tuple));
    }
    changes.push((DiffTag::Equal, same_end, new_end));
    changes.retain(|(_, left, right)| !left.is_empty() || !right.is_empty());
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_marked() {
        for (old, new, expected) in [
            ("", "", ""),
            ("use tabs", "use tabs", "use tabs"),
            ("use  tabs", "use\ntabs", "use tabs"),
            ("use tabs", "use spaces", "use [-tabs-]{+spaces+}"),
            ("use tabs", "avoid tabs", "[-use-]{+avoid+} tabs"),
            ("use tabs", "use tabs in go", "use tabs {+in go+}"),
            ("use tabs in go", "use tabs", "use tabs [-in go-]"),
            ("a b c d", "b x d e", "[-a-] b [-c-]{+x+} d {+e+}"),
            ("", "new", "{+new+}"),
            ("old", "", "[-old-]"),
        ] {
            assert_eq!(diff_words(old, new).to_string(), expected, "{old} | {new}");
        }
    }

    #[test]
    fn lines_that_differ_have_their_numbers() {
        for (old, new, expected) in [
            ("a\nb\n", "a\nb\n", ""),
            ("", "a\nb", "+1 a +2 b"),
            ("a\nb", "", "-1 a -2 b"),
            ("{\n}\n", "{\n  x\n}\n", "+2   x"),
            ("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n", "-2 b +2 x +4 y"),
            ("a\na\n", "a\na\na\n", "+3 a"),
        ] {
            let rows = diff_lines(old, new).into_iter();
            let rows: Vec<String> = rows
                .map(|(sign, number, line)| format!("{sign}{number} {line}"))
                .collect();
            assert_eq!(rows.join(" "), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_long_text_is_compared_as_far_as_it_goes() {
        let (old, new) = ("a ".repeat(5_000), "b ".repeat(5_000));
        let diff = diff_words(&old, &new).to_string();
        assert_eq!(diff.matches('a').count(), 5_000);
        assert_eq!(diff.matches('b').count(), 5_000);
        assert!(diff_words(&old, &old).is_empty());
        let long = "a\n".repeat(3 * MAX_PARTS);
        let changed = format!("b\n{long}c\n");
        assert_eq!(diff_lines(&long, &changed).len(), 6 * MAX_PARTS + 2);
    }
}
