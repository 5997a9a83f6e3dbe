//! A file that was read: what it says, and where everything stands.

use std::ops::Range;

use super::{
    LessonFields,
    body::{self, MarkdownSection, unescape_section},
    finding::{FileFinding, FindingCode, Severity},
    schema,
    yaml::{self, YamlNode},
};
use crate::{lesson::Slug, limits, text::RawText};

/// A LESSON.md file that can become a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonFile {
    source: RawText,
    parts: LessonFileParts,
    fields: LessonFields<RawText>,
    unclear_targets: Option<&'static str>,
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

/// Where the parts of a file stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LessonFileParts {
    /// The front matter without the lines that part it off.
    pub(super) front_at: Range<usize>,
    /// What it holds. Places in it count from the start of the front matter.
    pub(super) front: YamlNode,
    /// The sections of the body.
    pub(super) sections: Vec<MarkdownSection>,
    /// Where the body begins.
    pub(super) body_start: usize,
}

/// What a customary section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// When the lesson applies.
    When,
    /// What to do.
    What,
    /// What went wrong.
    Mistake,
}

impl SectionKind {
    /// Returns the heading that the specification gives it.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::When => "When this applies",
            Self::What => "What to do (or avoid)",
            Self::Mistake => "Counter-example",
        }
    }

    /// Recognises a heading; authors shorten them and mistype their ends.
    fn from_heading(heading: &str) -> Option<Self> {
        let heading = heading.to_lowercase();
        let starts = |with: &[&str]| with.iter().any(|it| heading.starts_with(it));
        if starts(&["when this applies", "when it applies"]) {
            Some(Self::When)
        } else if starts(&["what to do", "what to avoid"]) {
            Some(Self::What)
        } else if starts(&["counter-example", "counterexample", "counter example"]) {
            Some(Self::Mistake)
        } else {
            None
        }
    }
}

impl LessonFileParts {
    /// Finds the parts of a source.
    pub(super) fn parse(source: &str) -> Result<Self, FileFinding> {
        if let Some(line) = find_conflict_marker(source) {
            return Err(FileFinding {
                line,
                ..FileFinding::for_file(
                    FindingCode::LessonInvalid,
                    "git left conflict markers in it",
                )
            });
        }
        let mut lines = LineRanges::new(source);
        if !lines.next().is_some_and(|it| is_delimiter(&source[it])) {
            return Err(FileFinding::for_file(
                FindingCode::LessonInvalid,
                "it does not begin with a front matter between two lines `---`",
            ));
        }
        let start = lines.at;
        let Some(end) = lines.find(|it| is_delimiter(&source[it.clone()])) else {
            return Err(FileFinding::for_file(
                FindingCode::LessonInvalid,
                "the front matter does not end with a line `---`",
            ));
        };
        let front_at = start..end.start;
        let front = yaml::parse(&source[front_at.clone()]).map_err(|trouble| FileFinding {
            line: line_number(source, start + trouble.at),
            ..FileFinding::for_file(FindingCode::LessonInvalid, trouble.message)
        })?;
        Ok(Self {
            front_at,
            front,
            sections: body::parse_sections(source, end.end),
            body_start: end.end,
        })
    }

    /// Returns the section that is for this.
    pub(super) fn find_section(&self, part: SectionKind) -> Option<&MarkdownSection> {
        let mut all = self.sections.iter().filter(|it| it.level == 2);
        all.find(|it| SectionKind::from_heading(&it.heading) == Some(part))
    }

    /// Returns where the advice stands: the section that is for it, else the first that is for
    /// nothing else, else all below the first heading. Empty or none if there is none but the title.
    pub(super) fn advice_range(&self, source: &str) -> Option<Range<usize>> {
        if let Some(section) = self.find_section(SectionKind::What) {
            return Some(section.text_at.clone());
        }
        let is_other = |it: &&MarkdownSection| {
            it.level == 2 && SectionKind::from_heading(&it.heading).is_none()
        };
        let mut others = self.sections.iter().filter(is_other);
        let at = match (
            others.find(|it| !it.text_at.is_empty()),
            self.sections.first(),
        ) {
            (Some(section), _) => section.text_at.clone(),
            (None, Some(title)) if title.level == 1 => title.text_at.clone(),
            (None, Some(_)) => return None,
            (None, None) => body::trim_range(source, self.body_start..source.len()),
        };
        (!at.is_empty()).then_some(at)
    }
}

impl LessonFile {
    /// Reads a file. `stem` is its name without `.md`, which must be its slug; none if the name
    /// says nothing.
    #[must_use]
    pub fn parse(stem: Option<&str>, source: &str) -> ParsedLessonFile {
        if source.len() > limits::LESSON_FILE_BYTES {
            let message = format!("it is longer than {} bytes", limits::LESSON_FILE_BYTES);
            return ParsedLessonFile::from_finding(FileFinding::for_file(
                FindingCode::LessonInvalid,
                message,
            ));
        }
        let parts = match LessonFileParts::parse(source) {
            Ok(parts) => parts,
            Err(finding) => return ParsedLessonFile::from_finding(finding),
        };
        let (said, mut findings) = schema::check_file(stem, source, &parts);
        findings.sort_by_key(|it| it.line);
        let has_error = findings.iter().any(|it| it.severity == Severity::Error);
        let slug = parts
            .front
            .get(&["slug"])
            .and_then(|it| it.to_json().as_str().and_then(Slug::parse));
        let unclear_targets = schema::unclear_targets(&parts.front);
        let file = said.filter(|_| !has_error).map(|said| Self {
            source: source.into(),
            parts,
            fields: said,
            unclear_targets,
        });
        ParsedLessonFile {
            file,
            slug,
            findings,
        }
    }

    /// Returns the text of the file.
    #[must_use]
    pub fn source(&self) -> &RawText {
        &self.source
    }

    /// Returns what it says.
    #[must_use]
    pub fn fields(&self) -> &LessonFields<RawText> {
        &self.fields
    }

    /// Returns where everything stands.
    pub(super) fn parts(&self) -> &LessonFileParts {
        &self.parts
    }

    /// Returns the front matter as it is written, comments and unknown fields included.
    pub(super) fn front(&self) -> &str {
        &self.source.expose()[self.parts.front_at.clone()]
    }

    /// Returns the body as it is written.
    pub(super) fn body(&self) -> &str {
        &self.source.expose()[self.parts.body_start..]
    }

    /// Returns why it cannot be told whom it is for, if it cannot.
    pub(super) fn unclear_targets(&self) -> Option<&'static str> {
        self.unclear_targets
    }
}

impl ParsedLessonFile {
    fn from_finding(finding: FileFinding) -> Self {
        Self {
            file: None,
            slug: None,
            findings: vec![finding],
        }
    }
}

/// Returns a text of the body as it is meant: with plain line breaks, nothing escaped.
pub(super) fn unescape_range(source: &str, at: Range<usize>) -> String {
    let text = source[at].replace("\r\n", "\n");
    unescape_section(&text).into_owned()
}

/// Returns the line of a place, from 1.
pub(super) fn line_number(source: &str, at: usize) -> usize {
    1 + source.as_bytes()[..at.min(source.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// Returns the line on which git left two versions side by side.
fn find_conflict_marker(source: &str) -> Option<usize> {
    let starts = |with: &str| source.lines().position(|line| line.starts_with(with));
    let (ours, theirs) = (starts("<<<<<<< ")?, starts(">>>>>>> ")?);
    (ours < theirs).then_some(ours + 1)
}

fn is_delimiter(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The lines of a text, each with its line break.
struct LineRanges<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> LineRanges<'a> {
    /// Begins behind a byte order mark.
    fn new(source: &'a str) -> Self {
        let at = source.len() - source.trim_start_matches('\u{feff}').len();
        Self { source, at }
    }
}

impl Iterator for LineRanges<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let line = self.source[self.at..].split_inclusive('\n').next()?;
        let start = self.at;
        self.at += line.len();
        Some(start..self.at)
    }
}
