//! A lesson in the form in which another program keeps such things, as far as one exists for a single lesson.
//!
//! Each file says `source: hardwon`, by which it is known again as one that may be replaced. Read as what it is, it gives
//! the lesson back. Every text is redacted and neutralised, because others than its author read it.

use hardwon_core::{guard::neutralise, lesson::Lesson, named_enum, redact::redact};

named_enum! {
    /// A form in which lessons are written for another program.
    ExportFormat {
        /// A solved problem (`docs/solutions`).
        Solutions = "solutions",
        /// A topic of Claude Code's memory, with a line in its `MEMORY.md`.
        Claude = "claude",
        /// A rule of Cursor's.
        Cursor = "cursor",
    }
}

/// By what a file of ours is known.
const OWN_MARK: &str = "\nsource: hardwon\n";

impl ExportFormat {
    /// Returns what the name of a file ends with.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Solutions | Self::Claude => "md",
            Self::Cursor => "mdc",
        }
    }
}

/// Returns whether a file was written by [`render_file`].
#[must_use]
pub fn is_own_file(text: &str) -> bool {
    text.starts_with("---\n") && text.contains(OWN_MARK)
}

/// Writes the file of a lesson. `name` is its name without what it ends with.
#[must_use]
pub fn render_file(format: ExportFormat, name: &str, lesson: &Lesson) -> String {
    match format {
        ExportFormat::Solutions => render_solution(lesson),
        ExportFormat::Claude => render_topic(name, lesson),
        ExportFormat::Cursor => render_rule(lesson),
    }
}

/// Writes the line of a table of contents that leads to a file.
#[must_use]
pub fn render_contents_line(file: &str, lesson: &Lesson) -> String {
    let title = clean_line(lesson.content.title.as_str());
    let title = title.replace(['[', ']'], "");
    let hook = clean_line(lesson.content.signature.as_str());
    match hook.is_empty() {
        true => format!("- [{title}]({file})\n"),
        false => format!("- [{title}]({file}) \u{2014} {hook}\n"),
    }
}

fn render_solution(lesson: &Lesson) -> String {
    let content = &lesson.content;
    let title = clean_line(content.title.as_str());
    let mut front = vec![format!("title: {}", quote(&title))];
    front.push(format!("date: {}", lesson.updated.strftime("%Y-%m-%d")));
    front.push("category: lessons".to_owned());
    front.push("problem_type: best_practice".to_owned());
    if !content.signature.is_blank() {
        let signature = clean_line(content.signature.as_str());
        front.push(format!("symptoms:\n  - {}", quote(&signature)));
    }
    let tags = content
        .tags
        .iter()
        .map(|it| quote(&clean_line(it.as_str())));
    let tags: Vec<String> = tags.collect();
    front.push(format!("tags: [{}]", tags.join(", ")));
    let section = |name: &str, text: Option<&str>| {
        let text = text.map(clean_line).filter(|it| !it.is_empty());
        text.map_or_else(String::new, |it| format!("\n## {name}\n\n{it}\n"))
    };
    let situation = content.situation.as_ref().map(|it| it.as_str());
    let mistake = content.mistake.as_ref().map(|it| it.as_str());
    format!(
        "{}\n# {title}\n{}{}{}",
        render_front(&front),
        section("Problem", situation),
        section("What Didn't Work", mistake),
        section("Solution", Some(content.text.as_str())),
    )
}

fn render_topic(name: &str, lesson: &Lesson) -> String {
    let content = &lesson.content;
    let mut front = vec![format!("name: {name}")];
    front.push(format!(
        "description: {}",
        quote(&clean_line(content.title.as_str()))
    ));
    front.extend(render_occasion(lesson));
    front.push("metadata:\n  node_type: memory\n  type: feedback".to_owned());
    let why = content.mistake.as_ref().map(|it| clean_line(it.as_str()));
    let why = why.map_or_else(String::new, |it| format!("\n**Why:** {it}\n"));
    format!(
        "{}\n{}\n{why}",
        render_front(&front),
        clean_line(content.text.as_str())
    )
}

fn render_rule(lesson: &Lesson) -> String {
    let content = &lesson.content;
    let mut front = vec![format!(
        "description: {}",
        quote(&clean_line(content.title.as_str()))
    )];
    front.extend(render_occasion(lesson));
    front.push("globs:\nalwaysApply: false".to_owned());
    format!(
        "{}\n{}\n",
        render_front(&front),
        clean_line(content.text.as_str())
    )
}

/// Writes what calls for a lesson and when it applies, for which the form has no names of its own.
fn render_occasion(lesson: &Lesson) -> Vec<String> {
    let content = &lesson.content;
    let fields = [
        ("signature", Some(&content.signature)),
        ("situation", content.situation.as_ref()),
    ];
    let said = fields
        .into_iter()
        .filter_map(|(name, text)| Some((name, clean_line(text?.as_str()))));
    let said = said.filter(|(_, text)| !text.is_empty());
    said.map(|(name, text)| format!("{name}: {}", quote(&text)))
        .collect()
}

fn render_front(fields: &[String]) -> String {
    format!("---\n{}{OWN_MARK}---\n", fields.join("\n"))
}

/// Returns a text on one line, as others may read it.
fn clean_line(text: &str) -> String {
    let text = redact(text);
    let text = neutralise(&text);
    let words = text.lines().map(str::trim).filter(|it| !it.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    // What would be a heading, a fence or a comment at the beginning of a line is none behind a backslash.
    match line.starts_with(['#', '-', '*', '+', '>', '~', '<', '|']) || line.starts_with("```") {
        true => format!("\\{line}"),
        false => line,
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
