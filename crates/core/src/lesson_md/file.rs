//! A file that was read: what it says, and where everything stands.

use std::ops::Range;

use super::{
    Said,
    body::{self, Section, unescape},
    finding::{Code, Finding, Severity},
    schema,
    yaml::{self, Node},
};
use crate::{lesson::Slug, limits, text::RawText};

/// A LESSON.md file that can become a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonFile {
    source: RawText,
    parts: Parts,
    said: Said<RawText>,
    unclear_targets: Option<&'static str>,
}

/// What reading a file gave: the file, unless it is no lesson, and what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The file; none if a finding is an error.
    pub file: Option<LessonFile>,
    /// Its slug, as far as it has one, whether it is a lesson or not.
    pub slug: Option<Slug>,
    /// What is wrong with it, by line.
    pub findings: Vec<Finding>,
}

/// Where the parts of a file stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parts {
    /// The front matter without the lines that part it off.
    pub(super) front_at: Range<usize>,
    /// What it holds. Places in it count from the start of the front matter.
    pub(super) front: Node,
    /// The sections of the body.
    pub(super) sections: Vec<Section>,
    /// Where the body begins.
    pub(super) body: usize,
}

/// What a customary section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// When the lesson applies.
    When,
    /// What to do.
    What,
    /// What went wrong.
    Mistake,
}

impl Part {
    /// Returns the heading that the specification gives it.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::When => "When this applies",
            Self::What => "What to do (or avoid)",
            Self::Mistake => "Counter-example",
        }
    }

    /// Recognises a heading; authors shorten them and mistype their ends.
    fn of(heading: &str) -> Option<Self> {
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

impl Parts {
    /// Finds the parts of a source.
    pub(super) fn of(source: &str) -> Result<Self, Finding> {
        if let Some(line) = conflict(source) {
            return Err(Finding {
                line,
                ..Finding::of_file(Code::LessonInvalid, "git left conflict markers in it")
            });
        }
        let mut lines = Lines::of(source);
        if !lines.next().is_some_and(|it| is_rule(&source[it])) {
            return Err(Finding::of_file(
                Code::LessonInvalid,
                "it does not begin with a front matter between two lines `---`",
            ));
        }
        let start = lines.at;
        let Some(end) = lines.find(|it| is_rule(&source[it.clone()])) else {
            return Err(Finding::of_file(
                Code::LessonInvalid,
                "the front matter does not end with a line `---`",
            ));
        };
        let front_at = start..end.start;
        let front = yaml::parse(&source[front_at.clone()]).map_err(|trouble| Finding {
            line: line_of(source, start + trouble.at),
            ..Finding::of_file(Code::LessonInvalid, trouble.what)
        })?;
        Ok(Self {
            front_at,
            front,
            sections: body::sections(source, end.end),
            body: end.end,
        })
    }

    /// Returns the section that is for this.
    pub(super) fn section(&self, part: Part) -> Option<&Section> {
        let mut all = self.sections.iter().filter(|it| it.level == 2);
        all.find(|it| Part::of(&it.heading) == Some(part))
    }

    /// Returns where the advice stands: the section that is for it, else the first that is for
    /// nothing else, else all below the first heading. Empty or none if there is none but the title.
    pub(super) fn advice_at(&self, source: &str) -> Option<Range<usize>> {
        if let Some(section) = self.section(Part::What) {
            return Some(section.text_at.clone());
        }
        let is_other = |it: &&Section| it.level == 2 && Part::of(&it.heading).is_none();
        let mut others = self.sections.iter().filter(is_other);
        let at = match (
            others.find(|it| !it.text_at.is_empty()),
            self.sections.first(),
        ) {
            (Some(section), _) => section.text_at.clone(),
            (None, Some(title)) if title.level == 1 => title.text_at.clone(),
            (None, Some(_)) => return None,
            (None, None) => body::trimmed(source, self.body..source.len()),
        };
        (!at.is_empty()).then_some(at)
    }
}

impl LessonFile {
    /// Reads a file. `stem` is its name without `.md`, which must be its slug; none if the name
    /// says nothing.
    #[must_use]
    pub fn read(stem: Option<&str>, source: &str) -> Read {
        if source.len() > limits::LESSON_FILE_BYTES {
            let message = format!("it is longer than {} bytes", limits::LESSON_FILE_BYTES);
            return Read::nothing(Finding::of_file(Code::LessonInvalid, message));
        }
        let parts = match Parts::of(source) {
            Ok(parts) => parts,
            Err(finding) => return Read::nothing(finding),
        };
        let (said, mut findings) = schema::check(stem, source, &parts);
        findings.sort_by_key(|it| it.line);
        let has_error = findings.iter().any(|it| it.severity == Severity::Error);
        let slug = parts
            .front
            .get(&["slug"])
            .and_then(|it| it.json().as_str().and_then(Slug::parse));
        let unclear_targets = schema::unclear_targets(&parts.front);
        let file = said.filter(|_| !has_error).map(|said| Self {
            source: source.into(),
            parts,
            said,
            unclear_targets,
        });
        Read {
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
    pub fn said(&self) -> &Said<RawText> {
        &self.said
    }

    /// Returns where everything stands.
    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the front matter as it is written, comments and unknown fields included.
    pub(super) fn front(&self) -> &str {
        &self.source.expose()[self.parts.front_at.clone()]
    }

    /// Returns the body as it is written.
    pub(super) fn body(&self) -> &str {
        &self.source.expose()[self.parts.body..]
    }

    /// Returns why it cannot be told whom it is for, if it cannot.
    pub(super) fn unclear_targets(&self) -> Option<&'static str> {
        self.unclear_targets
    }
}

impl Read {
    fn nothing(finding: Finding) -> Self {
        Self {
            file: None,
            slug: None,
            findings: vec![finding],
        }
    }
}

/// Returns a text of the body as it is meant: with plain line breaks, nothing escaped.
pub(super) fn meant(source: &str, at: Range<usize>) -> String {
    let text = source[at].replace("\r\n", "\n");
    unescape(&text).into_owned()
}

/// Returns the line of a place, from 1.
pub(super) fn line_of(source: &str, at: usize) -> usize {
    1 + source.as_bytes()[..at.min(source.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// Returns the line on which git left two versions side by side.
fn conflict(source: &str) -> Option<usize> {
    let starts = |with: &str| source.lines().position(|line| line.starts_with(with));
    let (ours, theirs) = (starts("<<<<<<< ")?, starts(">>>>>>> ")?);
    (ours < theirs).then_some(ours + 1)
}

fn is_rule(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The lines of a text, each with its line break.
struct Lines<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    /// Begins behind a byte order mark.
    fn of(source: &'a str) -> Self {
        let at = source.len() - source.trim_start_matches('\u{feff}').len();
        Self { source, at }
    }
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let line = self.source[self.at..].split_inclusive('\n').next()?;
        let start = self.at;
        self.at += line.len();
        Some(start..self.at)
    }
}
