//! What is wrong with a folder of lessons: each by itself, and all together.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::finding::{FileFinding, FindingCode, Severity};
use crate::ParsedLessonFile;
use hardwon_core::{Slug, lesson::is_device_name};

/// A folder's lessons, as far as they can be read.
#[derive(Debug, Clone, Default)]
pub struct LessonFolder {
    /// What was read of each file, by the file's name.
    pub files: BTreeMap<String, ParsedLessonFile>,
    /// The slugs in its archive.
    pub archived: BTreeSet<Slug>,
}

/// Returns what is wrong with the lessons of a folder, by file and line.
pub fn lint_folder(folder: &LessonFolder, now: Timestamp) -> Vec<(String, FileFinding)> {
    let owners = files_by_slug(folder);
    let lint = |(name, read): (&String, &ParsedLessonFile)| {
        let mut findings = read.findings.clone();
        let owner = read.slug.as_ref().map(|slug| owners[slug]);
        if let Some(owner) = owner.filter(|owner| *owner != name) {
            let message = format!("{owner} has the same slug");
            findings.push(FileFinding {
                field: "slug".to_owned(),
                ..FileFinding::for_file(FindingCode::SlugCollision, message)
            });
        }
        findings.extend(lint_among_others(read, &owners, folder, now));
        findings.sort_by_key(|finding| (finding.line, finding.code));
        findings
            .into_iter()
            .map(|finding| (name.clone(), finding))
            .collect::<Vec<_>>()
    };
    folder.files.iter().flat_map(lint).collect()
}

/// Returns the file of every slug; of several, the one that is named so.
fn files_by_slug(folder: &LessonFolder) -> BTreeMap<&Slug, &String> {
    let mut owners: BTreeMap<&Slug, &String> = BTreeMap::new();
    for (name, read) in &folder.files {
        let Some(slug) = &read.slug else { continue };
        let owner = owners.entry(slug).or_insert(name);
        if name.strip_suffix(".md") == Some(slug.as_str()) {
            *owner = name;
        }
    }
    owners
}

fn lint_among_others(
    read: &ParsedLessonFile,
    owners: &BTreeMap<&Slug, &String>,
    folder: &LessonFolder,
    now: Timestamp,
) -> Vec<FileFinding> {
    let Some(file) = &read.file else {
        return Vec::new();
    };
    let warning = |code, field: &str, message: String| {
        let entry = file.parts.front.find_entry(field);
        FileFinding {
            severity: Severity::Warning,
            line: file
                .parts
                .front_line(entry.map_or(0, |entry| entry.key_at.start)),
            field: field.to_owned(),
            ..FileFinding::for_file(code, message)
        }
    };
    let is_here = |it: &Slug| owners.contains_key(it) || folder.archived.contains(it);
    let citations = file
        .fields()
        .supersedes
        .iter()
        .filter(|supersede| !is_here(supersede));
    let missing = citations.map(|citation| {
        let message = format!("there is no lesson {citation}");
        warning(FindingCode::SupersedesMissing, "supersedes", message)
    });
    let end = file.fields().expires_at.filter(|end| *end <= now);
    let expiry = end.map(|end| {
        let message = format!("it does not hold since {end}");
        warning(FindingCode::Expired, "expires_at", message)
    });
    let device = Some(&file.fields().slug).filter(|slug| is_device_name(slug.as_str()));
    let device = device.map(|device| FileFinding {
        severity: Severity::Note,
        ..warning(
            FindingCode::DeviceName,
            "slug",
            format!("no file can be named {device}.md on Windows, where that is a device"),
        )
    });
    missing.chain(expiry).chain(device).collect()
}
