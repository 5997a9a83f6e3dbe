//! `_index.md`: the list of a folder's lessons.

use super::{Said, said::Words};

const HEAD: &str = "# Lessons\n\n<!-- Written by hardwon whenever a lesson changes; edit the lessons, not this list. -->\n\n\
| slug | title | outcome | confidence | success_count | failure_count |\n\
|---|---|---|---|---|---|\n";

/// Writes the list of a folder: every lesson in it, by slug.
#[must_use]
pub fn index<'a, T: Words + 'a>(lessons: impl IntoIterator<Item = &'a Said<T>>) -> String {
    let mut rows: Vec<&Said<T>> = lessons.into_iter().collect();
    rows.sort_by(|a, b| a.slug.cmp(&b.slug));
    let mut out = HEAD.to_owned();
    for row in rows {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            row.slug,
            cell(row.content.title.words()),
            row.outcome.name(),
            row.confidence,
            row.claims.success,
            row.claims.failure,
        ));
    }
    out
}

fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('\\', "\\\\").replace('|', "\\|")
}
