//! How a text reads: how alike two words are, what stands behind disguises, what a writer only quotes.
//!
//! Text from outside and text that has been cleaned are types of [`hardwon_redact`], which alone makes the second of the
//! first. They are passed on here because events and lessons are made of them: whoever holds a value of this crate needs
//! their names, and not how they are made.

mod decode;
pub(crate) mod fold;
pub mod quoted;

pub use hardwon_redact::{CleanText, RawText, floor_char_boundary};

/// Returns how many insertions, removals, replacements and swaps of neighbours turn one word into another.
pub fn edit_distance(one: &[char], two: &[char]) -> usize {
    let width = two.len() + 1;
    let mut rows: Vec<Vec<usize>> = vec![(0..width).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in two.iter().enumerate() {
            let substitution = rows[i][j] + usize::from(a != b);
            let mut best = substitution.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == two[j - 1] && one[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][two.len()]
}
