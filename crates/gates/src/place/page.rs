//! A lesson that is too long for its line: the whole of it on a page of its own, which the line leads to.
//!
//! A page is a file of Markdown in the project, wholly ours: its first line holds a digest of the rest, by which it is known
//! again, and an edit by hand is seen. The words of a lesson are made harmless line by line, as in the block.

use std::collections::BTreeSet;

use super::{
    block::{NOTE, hash_body},
    line::clean_line,
};
use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, is_device_name},
    limits,
    text::floor_char_boundary,
};

/// The folder of a project in which pages are.
pub const PAGE_FOLDER: &str = "docs/hardwon";
/// What the first line of a page begins and ends with, around the digest.
const MARKER: (&str, &str) = ("<!-- PAGE:hardwon ", " -->");
/// What a link to a page begins with, in a line of a block.
const LINK: &str = "[more](docs/hardwon/";

/// The page of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPage {
    /// The lesson.
    pub lesson: LessonId,
    path: String,
    lines: Vec<String>,
}

impl ProjectPage {
    /// Makes the page of a lesson, under a name that no other page has, and that every system can have.
    pub(super) fn new(lesson: &Lesson, taken: &mut BTreeSet<String>) -> Self {
        let slug = lesson.slug.as_str();
        let slug = &slug[..floor_char_boundary(slug, limits::PAGE_NAME_BYTES)];
        let mut name = slug.trim_end_matches('-').to_owned();
        if is_device_name(&name) || !taken.insert(name.clone()) {
            name = format!("{name}-{}", lesson.id.0);
            taken.insert(name.clone());
        }
        Self {
            lesson: lesson.id,
            path: format!("{PAGE_FOLDER}/{name}.md"),
            lines: list_lines(lesson),
        }
    }

    /// Returns its path from the root of the project.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Renders the file.
    pub fn render(&self) -> String {
        let hash = hash_body(self.lines.iter().map(String::as_str));
        let (begin, end) = MARKER;
        format!("{begin}{hash}{end}\n{}\n", self.lines.join("\n"))
    }
}

fn list_lines(lesson: &Lesson) -> Vec<String> {
    let content = &lesson.content;
    let mut lines = vec![format!("# {}", clean_line(content.title.as_str()))];
    lines.extend([String::new(), format!("{NOTE} ({})", lesson.id)]);
    let signature = Some(&content.signature).filter(|signature| !signature.is_blank());
    let mut add = |label: &str, text: Option<&str>| {
        for text in text.into_iter().flat_map(str::lines).map(str::trim) {
            // A fence would swallow the lines behind it.
            let is_fence = ["```", "~~~"].iter().any(|mark| text.starts_with(mark));
            let (mark, words) = match text.strip_prefix("- ") {
                Some(words) => ("- ", words),
                None => ("", text),
            };
            let line = clean_line(words);
            if !line.is_empty() && !is_fence {
                lines.extend([String::new(), format!("{label}{mark}{line}")]);
            }
        }
    };
    add(
        "Comes up at: ",
        signature.map(|signature| signature.as_str()),
    );
    add(
        "When: ",
        content
            .situation
            .as_ref()
            .map(|situation| situation.as_str()),
    );
    add("", Some(content.text.as_str()));
    add(
        "What went wrong: ",
        content.mistake.as_ref().map(|mistake| mistake.as_str()),
    );
    lines
}

/// Returns whether a page is as it was written; `None` if the file is no page.
pub fn find_page_state(text: &str) -> Option<bool> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines();
    let hash = lines
        .next()?
        .trim_end()
        .strip_prefix(MARKER.0)?
        .strip_suffix(MARKER.1)?;
    Some(hash_body(lines) == hash)
}

/// Lists the paths of the pages that lines lead to.
pub fn list_page_links(lines: &str) -> Vec<String> {
    let links = lines
        .split(LINK)
        .skip(1)
        .filter_map(|part| part.split_once(')'));
    let is_name = |name: &str| {
        name.ends_with(".md")
            && name
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.'))
    };
    links
        .filter(|(name, _)| is_name(name))
        .map(|(name, _)| format!("{PAGE_FOLDER}/{name}"))
        .collect()
}
