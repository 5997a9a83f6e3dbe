//! A file in its parts: the front matter, the sections of the body, and where each stands.

use std::ops::Range;

use super::{
    body::{self, MarkdownSection},
    finding::{FileFinding, FindingCode},
    yaml::{self, YamlNode},
};
use hardwon_core::RawText;

/// A file's text and its parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LessonFileParts {
    /// The whole text.
    pub(super) source: RawText,
    /// The front matter without the lines that part it off.
    pub(super) front_at: Range<usize>,
    /// What it holds. Places in it count from the start of the front matter.
    pub(super) front: YamlNode,
    /// Where the body begins.
    pub(super) body_start: usize,
    /// The sections of the body.
    pub(super) sections: Vec<MarkdownSection>,
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
    /// All of them, in the order of a file.
    pub(super) const ALL: [Self; 3] = [Self::When, Self::What, Self::Mistake];

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
        let beginnings: [(Self, &[&str]); 3] = [
            (Self::When, &["when this applies", "when it applies"]),
            (Self::What, &["what to do", "what to avoid"]),
            (
                Self::Mistake,
                &["counter-example", "counterexample", "counter example"],
            ),
        ];
        let begins = |with: &[&str]| with.iter().any(|with| heading.starts_with(with));
        beginnings
            .into_iter()
            .find_map(|(kind, with)| begins(with).then_some(kind))
    }
}

impl LessonFileParts {
    /// Finds the parts of a source.
    pub(super) fn parse(source: &str) -> Result<Self, FileFinding> {
        let invalid = |line: usize, message: &str| FileFinding {
            line,
            ..FileFinding::for_file(FindingCode::LessonInvalid, message)
        };
        if let Some(line) = find_conflict_marker(source) {
            return Err(invalid(line, "git left conflict markers in it"));
        }
        let mut at = source.len() - source.trim_start_matches('\u{feff}').len();
        let mut lines = source[at..].split_inclusive('\n').map(|line| {
            at += line.len();
            (at, line.trim_end() == "---")
        });
        let Some((start, true)) = lines.next() else {
            let message = "it does not begin with a front matter between two lines `---`";
            return Err(invalid(1, message));
        };
        let mut end = start;
        let body_start = lines.find_map(|(next, is_delimiter)| {
            if !is_delimiter {
                end = next;
            }
            is_delimiter.then_some(next)
        });
        let Some(body_start) = body_start else {
            return Err(invalid(
                1,
                "the front matter does not end with a line `---`",
            ));
        };
        let front = yaml::parse(&source[start..end])
            .map_err(|error| invalid(line_number(source, start + error.at), &error.message))?;
        Ok(Self {
            front_at: start..end,
            front,
            body_start,
            sections: body::parse_sections(source, body_start),
            source: source.into(),
        })
    }

    /// Returns the whole text.
    pub(super) fn text(&self) -> &str {
        self.source.expose()
    }

    /// Returns the line of a place in the front matter, from 1.
    pub(super) fn front_line(&self, at: usize) -> usize {
        line_number(self.text(), self.front_at.start + at)
    }

    /// Returns a part of the body as it is meant: with plain line breaks, nothing escaped.
    pub(super) fn unescape_range(&self, at: Range<usize>) -> String {
        let text = self.text()[at].replace("\r\n", "\n");
        body::unescape_section(&text)
    }

    /// Returns the section that is for this.
    pub(super) fn find_section(&self, kind: SectionKind) -> Option<&MarkdownSection> {
        let mut all = self.sections.iter().filter(|section| section.level == 2);
        all.find(|entry| SectionKind::from_heading(&entry.heading) == Some(kind))
    }

    /// Returns where the advice stands: the section that is for it, else the first that is for
    /// nothing else, else all below the first heading. Empty or none if there is none but the title.
    pub(super) fn advice_range(&self) -> Option<Range<usize>> {
        if let Some(section) = self.find_section(SectionKind::What) {
            return Some(section.text_at.clone());
        }
        let is_other = |it: &&MarkdownSection| {
            it.level == 2
                && SectionKind::from_heading(&it.heading).is_none()
                && !it.text_at.is_empty()
        };
        let at = match (self.sections.iter().find(is_other), self.sections.first()) {
            (Some(section), _) => section.text_at.clone(),
            (None, Some(title)) if title.level == 1 => title.text_at.clone(),
            (None, Some(_)) => return None,
            (None, None) => body::trim_range(self.text(), self.body_start..self.text().len()),
        };
        (!at.is_empty()).then_some(at)
    }
}

/// Returns the line of a place, from 1.
pub(super) fn line_number(source: &str, at: usize) -> usize {
    let before = &source.as_bytes()[..at.min(source.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the line on which git left two versions side by side.
fn find_conflict_marker(source: &str) -> Option<usize> {
    let starts = |with: &str| source.lines().position(|line| line.starts_with(with));
    let (ours, theirs) = (starts("<<<<<<< ")?, starts(">>>>>>> ")?);
    (ours < theirs).then_some(ours + 1)
}
