//! A file that tells how a problem was solved, in `docs/solutions/` by the habit of compound-engineering.
//!
//! It tells a story in sections, and a lesson is what it comes to: what calls for it (symptoms), what did not work, what
//! does, and how to prevent it. The file itself stays where it is, named as the evidence.

use std::path::Path;

use super::{
    MemoryItem,
    front::FrontMatter,
    markdown::MarkdownItem,
    shorten::{SITUATION_CHARS, join_items, shorten, to_text},
    whole::read_whole,
};

/// Names by which the front matter of a story is known.
pub(super) const STORY_FIELDS: &[&str] = &[
    "problem_type",
    "root_cause",
    "resolution_type",
    "symptoms",
    "category",
];
/// Most characters of one part of what to do: a lesson is shown with 600.
const PART_CHARS: usize = 450;

/// How the headings of sections begin.
#[rustfmt::skip]
const PROBLEM: &[&str] = &["problem", "symptom", "context", "when to apply", "situation", "environment"];
#[rustfmt::skip]
const MISTAKE: &[&str] = &["what didn", "what did not", "what doesn", "root cause", "cause", "investigation"];
#[rustfmt::skip]
const SOLUTION: &[&str] = &[
    "solution", "the solution", "fix", "the fix", "resolution", "guidance", "what to do", "recommend", "workaround",
];
#[rustfmt::skip]
const PREVENTION: &[&str] = &["prevent", "lesson", "takeaway", "key takeaway", "how to avoid", "rule"];

/// Returns whether a file is a story by its place or its front matter; the rule of an editor is none.
pub(super) fn is_story(path: &Path, front: &FrontMatter) -> bool {
    let is_rule = path.extension().is_some_and(|extension| extension == "mdc");
    !is_rule && (is_among_solutions(path) || front.has_any(STORY_FIELDS))
}

/// Returns whether a path is below `docs/solutions`.
pub(super) fn is_among_solutions(path: &Path) -> bool {
    let mut folders = path.ancestors();
    folders.any(|folder| folder.ends_with("docs/solutions"))
}

/// Reads a story; else says why it is no lesson.
pub(super) fn read_story(
    front: &FrontMatter,
    items: &[MarkdownItem],
    text: &str,
) -> Result<MemoryItem, &'static str> {
    let section = |names: &[&str], chars| {
        let inside = items.iter().filter(|item| stands_under(item, names));
        join_items(inside, chars)
    };
    let advice = [
        section(SOLUTION, PART_CHARS),
        section(PREVENTION, PART_CHARS),
    ]
    .join(" ");
    if advice.trim().is_empty() {
        return Err("it has no section that says what to do");
    }
    let mut item = read_whole(front, text, advice.trim());
    let symptoms = front.list_values(&["symptoms"]);
    let others = usize::from(!item.content.signature.expose().is_empty());
    let symptoms: Vec<&str> = symptoms.skip(others).collect();
    let problem = to_text(&section(PROBLEM, SITUATION_CHARS));
    item.content.situation =
        problem.or_else(|| to_text(&shorten(&symptoms.join("; "), SITUATION_CHARS)));
    let cause = front.find_value(&["root_cause"]).unwrap_or_default();
    let mistake = to_text(&section(MISTAKE, SITUATION_CHARS));
    item.content.mistake =
        mistake.or_else(|| to_text(&shorten(&cause.replace('_', " "), SITUATION_CHARS)));
    Ok(item)
}

/// Returns whether an item stands in a section whose heading begins with one of these words.
fn stands_under(item: &MarkdownItem, names: &[&str]) -> bool {
    // The first heading is the title of the file, and a section inside of another one belongs to that.
    let section = item.headings.get(usize::from(item.headings.len() > 1));
    let name = section.map(|heading| heading.to_lowercase());
    let name = name.unwrap_or_default();
    let name = name.trim_start_matches(|c: char| !c.is_alphabetic());
    names.iter().any(|start| name.starts_with(start))
}
