//! What is wrong with a folder of lessons: each by itself, and all together.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{
    LessonFields, ParsedLessonFile,
    finding::{FileFinding, FindingCode, Severity},
};
use crate::{lesson::Slug, text::RawText};

/// A folder's lessons, as far as they can be read.
#[derive(Debug, Clone, Default)]
pub struct LessonFolder {
    /// What was read of each file, by the file's name.
    pub files: BTreeMap<String, ParsedLessonFile>,
    /// The slugs in its archive.
    pub archived: BTreeSet<Slug>,
}

/// Returns what is wrong with the lessons of a folder, by file and line.
#[must_use]
pub fn lint_folder(shelf: &LessonFolder, now: Timestamp) -> Vec<(String, FileFinding)> {
    let mut findings: Vec<(String, FileFinding)> = Vec::new();
    let slugs = files_by_slug(shelf);
    for (name, read) in &shelf.files {
        let mut own = read.findings.clone();
        let first = read.slug.as_ref().and_then(|slug| slugs.get(slug)?.first());
        if let Some(first) = first.filter(|first| **first != name) {
            let message = format!("{first} has the same slug");
            own.push(FileFinding {
                field: "slug".to_owned(),
                ..FileFinding::for_file(FindingCode::SlugCollision, message)
            });
        }
        if let Some(file) = &read.file {
            let line = |field: &str| {
                let entry = file.parts.front.find_entry(field);
                file.parts.front_line(entry.map_or(0, |it| it.key_at.start))
            };
            own.extend(lint_against_folder(file.fields(), &slugs, shelf, now, line));
        }
        own.sort_by_key(|it| (it.line, it.code));
        findings.extend(own.into_iter().map(|it| (name.clone(), it)));
    }
    findings
}

/// Returns the files of every slug, the one that is named so first.
fn files_by_slug(shelf: &LessonFolder) -> BTreeMap<&Slug, Vec<&String>> {
    let mut slugs: BTreeMap<&Slug, Vec<&String>> = BTreeMap::new();
    for (name, read) in &shelf.files {
        if let Some(slug) = &read.slug {
            slugs.entry(slug).or_default().push(name);
        }
    }
    for (slug, names) in &mut slugs {
        names.sort_by_key(|name| name.strip_suffix(".md") != Some(slug.as_str()));
    }
    slugs
}

fn lint_against_folder(
    said: &LessonFields<RawText>,
    slugs: &BTreeMap<&Slug, Vec<&String>>,
    shelf: &LessonFolder,
    now: Timestamp,
    line: impl Fn(&str) -> usize,
) -> Vec<FileFinding> {
    let finding = |code, severity, field: &str, message: String| FileFinding {
        code,
        severity,
        line: line(field),
        field: field.to_owned(),
        message,
    };
    let mut findings = Vec::new();
    for cited in &said.supersedes {
        if !slugs.contains_key(cited) && !shelf.archived.contains(cited) {
            let message = format!("there is no lesson {cited}");
            let code = FindingCode::SupersedesMissing;
            findings.push(finding(code, Severity::Warning, "supersedes", message));
        }
    }
    if let Some(end) = said.expires_at.filter(|end| *end <= now) {
        let message = format!("it does not hold since {end}");
        findings.push(finding(
            FindingCode::Expired,
            Severity::Warning,
            "expires_at",
            message,
        ));
    }
    findings
}
