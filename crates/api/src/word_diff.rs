//! A word-by-word diff of two short texts, and the lines in which two files differ, as parts for a door to show.

use std::fmt;

/// Words of each text that are compared; later ones count as changed.
const MAX_WORDS: usize = 2_000;

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
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_whitespace().collect(),
        new.split_whitespace().collect(),
    );
    let common = longest_common(
        &old[..old.len().min(MAX_WORDS)],
        &new[..new.len().min(MAX_WORDS)],
    );
    let (mut parts, mut at) = (Vec::new(), (0, 0));
    for (left, right) in common.into_iter().chain([(old.len(), new.len())]) {
        push_words(&mut parts, DiffPart::Removed, &old[at.0..left]);
        push_words(&mut parts, DiffPart::Added, &new[at.1..right]);
        push_words(
            &mut parts,
            DiffPart::Kept,
            old.get(left..=left).unwrap_or_default(),
        );
        at = (left + 1, right + 1);
    }
    WordDiff(parts)
}

/// Returns the lines in which two texts differ: those of the old one with `-`, those of the new one with `+`, each with its
/// number there, from 1.
///
/// Where more than [`MAX_WORDS`] lines lie between the first and the last change, all of them count as changed.
pub fn diff_lines<'a>(old: &'a str, new: &'a str) -> Vec<(char, usize, &'a str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let is_same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let start = old.iter().zip(&new).take_while(is_same).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(is_same).count();
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let is_short = old_end.max(new_end) - start <= MAX_WORDS;
    let mut common = Vec::new();
    if is_short {
        common = longest_common(&old[start..old_end], &new[start..new_end]);
    }
    common.push((old_end - start, new_end - start));
    let (mut lines, mut at) = (Vec::new(), (start, start));
    for (left, right) in common {
        let (left, right) = (start + left, start + right);
        lines.extend((at.0..left).map(|row| ('-', row + 1, old[row])));
        lines.extend((at.1..right).map(|row| ('+', row + 1, new[row])));
        at = (left + 1, right + 1);
    }
    lines
}

/// Adds words as a part; kept ones join those that were kept just before.
fn push_words(parts: &mut Vec<DiffPart>, part: fn(String) -> DiffPart, words: &[&str]) {
    if words.is_empty() {
        return;
    }
    let words = words.join(" ");
    match (parts.last_mut(), part(words)) {
        (Some(DiffPart::Kept(before)), DiffPart::Kept(words)) => {
            before.push(' ');
            before.push_str(&words);
        }
        (_, part) => parts.push(part),
    }
}

/// Returns the positions of the longest common subsequence of words.
fn longest_common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    // Lengths of the common subsequence from each pair of words on.
    let wide = new.len() + 1;
    let mut length = vec![0_u16; (old.len() + 1) * wide];
    for left in (0..old.len()).rev() {
        for right in (0..new.len()).rev() {
            length[left * wide + right] = if old[left] == new[right] {
                length[(left + 1) * wide + right + 1] + 1
            } else {
                length[(left + 1) * wide + right].max(length[left * wide + right + 1])
            };
        }
    }
    let (mut row, mut at) = (Vec::new(), (0, 0));
    while at.0 < old.len() && at.1 < new.len() {
        if old[at.0] == new[at.1] {
            row.push(at);
            at = (at.0 + 1, at.1 + 1);
        } else if length[(at.0 + 1) * wide + at.1] >= length[at.0 * wide + at.1 + 1] {
            at.0 += 1;
        } else {
            at.1 += 1;
        }
    }
    row
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
        let long = "a\n".repeat(3 * MAX_WORDS);
        let changed = format!("b\n{long}c\n");
        assert_eq!(diff_lines(&long, &changed).len(), 6 * MAX_WORDS + 2);
    }

    #[test]
    fn a_long_text_is_compared_as_far_as_it_goes() {
        let (old, new) = ("a ".repeat(5_000), "b ".repeat(5_000));
        let told = diff_words(&old, &new).to_string();
        assert_eq!(told.matches('a').count(), 5_000);
        assert_eq!(told.matches('b').count(), 5_000);
        assert_eq!(
            diff_words(&old, &old).to_string().matches("a").count(),
            8_000,
            "2,000 of them once"
        );
    }
}
