//! `_index.md`: the list of a folder's lessons.

use super::fields::ReadableText;
use crate::LessonFields;

const HEAD: &str = "# Lessons\n\n<!-- Written by hardwon when the folder is synced or exported; edit the lessons, not this list. -->\n\n\
| slug | title | outcome | confidence | success_count | failure_count |\n\
|---|---|---|---|---|---|\n";

/// Writes the list of a folder: every lesson in it, by slug.
pub fn render_index<'a, T: ReadableText + 'a>(
    lessons: impl IntoIterator<Item = &'a LessonFields<T>>,
) -> String {
    let mut rows: Vec<&LessonFields<T>> = lessons.into_iter().collect();
    rows.sort_by(|a, b| a.slug.cmp(&b.slug));
    let mut out = HEAD.to_owned();
    for row in rows {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            row.slug,
            escape_cell(row.content.title.as_text()),
            row.outcome.name(),
            row.confidence,
            row.claims[0],
            row.claims[1],
        ));
    }
    out
}

fn escape_cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('\\', "\\\\").replace('|', "\\|")
}
