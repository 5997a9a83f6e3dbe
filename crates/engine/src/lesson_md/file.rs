//! A file that was read: what it says, and what is wrong with it.

use super::{
    finding::{FileFinding, FindingCode, Severity},
    parts::LessonFileParts,
    schema,
};
use crate::LessonFields;
use hardwon_core::{RawText, Slug, limits};

/// A LESSON.md file that can become a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonFile {
    pub(super) parts: LessonFileParts,
    fields: LessonFields<RawText>,
}

/// What reading a file gave: the file, unless it is no lesson, and what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedLessonFile {
    /// The file; none if a finding is an error.
    pub file: Option<LessonFile>,
    /// Its slug, as far as it has one, whether it is a lesson or not.
    pub slug: Option<Slug>,
    /// What is wrong with it, by line.
    pub findings: Vec<FileFinding>,
}

impl LessonFile {
    /// Reads a file. `stem` is its name without `.md`, which must be its slug; none if the name
    /// says nothing.
    pub fn parse(stem: Option<&str>, source: &str) -> ParsedLessonFile {
        if source.len() > limits::LESSON_FILE_BYTES {
            let message = format!("it is longer than {} bytes", limits::LESSON_FILE_BYTES);
            return ParsedLessonFile::unread(FindingCode::LessonInvalid, message);
        }
        let parts = match LessonFileParts::parse(source) {
            Ok(parts) => parts,
            Err(finding) => return finding.into(),
        };
        let findings = schema::check_file(stem, &parts);
        let is_valid = findings
            .iter()
            .all(|fault| fault.severity != Severity::Error);
        let fields = LessonFields::from_parts(&parts).filter(|_| is_valid);
        let slug = parts.front.get("slug").map(|front| front.to_json());
        ParsedLessonFile {
            slug: slug.and_then(|slug| Slug::parse(slug.as_str()?)),
            file: fields.map(|fields| Self { parts, fields }),
            findings,
        }
    }

    /// Returns the text of the file.
    pub fn source(&self) -> &RawText {
        &self.parts.source
    }

    /// Returns what it says.
    pub fn fields(&self) -> &LessonFields<RawText> {
        &self.fields
    }

    /// Returns the front matter as it is written, comments and unknown fields included.
    pub(super) fn front(&self) -> &str {
        &self.parts.text()[self.parts.front_at.clone()]
    }

    /// Returns the body as it is written.
    pub(super) fn body(&self) -> &str {
        &self.parts.text()[self.parts.body_start..]
    }
}

impl ParsedLessonFile {
    /// A file that could not be read, and why.
    pub fn unread(code: FindingCode, why: impl Into<String>) -> Self {
        FileFinding::for_file(code, why).into()
    }
}

impl From<FileFinding> for ParsedLessonFile {
    fn from(finding: FileFinding) -> Self {
        Self {
            file: None,
            slug: None,
            findings: vec![finding],
        }
    }
}
