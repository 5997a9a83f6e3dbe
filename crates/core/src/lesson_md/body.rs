//! The Markdown below the front matter: a heading, sections, and where each stands.
//!
//! Only headings of the first two levels, written with `#`, divide a body; what stands in a code
//! fence divides nothing, and a fence that is never closed is no fence. [`escape`] makes any text
//! fit into a section and [`unescape`] takes it back out.

use std::{borrow::Cow, ops::Range};

/// A part of a body: what stands under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkdownSection {
    /// The heading's level: 1 or 2.
    pub(super) level: usize,
    /// The heading's words.
    pub(super) heading: String,
    /// Where the heading's words stand.
    pub(super) heading_at: Range<usize>,
    /// Where the text below it stands, without blank lines around it; empty if there is none.
    pub(super) text_at: Range<usize>,
}

/// Returns the sections of a body, whose first byte is the source's byte `start`.
pub(super) fn parse_sections(source: &str, start: usize) -> Vec<MarkdownSection> {
    let mut sections: Vec<MarkdownSection> = Vec::new();
    let mut text_from = start;
    for line in scan_lines(source, start).filter(|line| !line.in_fence) {
        let text = &source[line.at.clone()];
        let Some((level, words)) = parse_heading(text) else {
            continue;
        };
        if let Some(open) = sections.last_mut() {
            open.text_at = trim_range(source, text_from..line.at.start);
        }
        text_from = line.at.end;
        sections.push(MarkdownSection {
            level,
            heading: text[words.clone()].to_owned(),
            heading_at: line.at.start + words.start..line.at.start + words.end,
            text_at: text_from..text_from,
        });
    }
    if let Some(open) = sections.last_mut() {
        open.text_at = trim_range(source, text_from..source.len());
    }
    sections
}

/// Returns a range without the white space at its ends.
pub(super) fn trim_range(source: &str, range: Range<usize>) -> Range<usize> {
    let text = &source[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

/// Writes a text so that it divides nothing where it is put.
pub(super) fn escape_section(text: &str) -> Cow<'_, str> {
    rewrite_lines(text, |line, is_fence| {
        (is_fence || parse_heading(line).is_some() || is_escaped(line)).then(|| {
            let (indent, rest) = line.split_at(count_indent(line));
            format!("{indent}\\{rest}")
        })
    })
}

/// Takes a text back that [`escape`] wrote.
pub(super) fn unescape_section(text: &str) -> Cow<'_, str> {
    rewrite_lines(text, |line, _| {
        is_escaped(line).then(|| {
            let (indent, rest) = line.split_at(count_indent(line));
            format!("{indent}{}", &rest[1..])
        })
    })
}

/// Writes the lines outside of fences anew, as far as `write` has something for them. It is told
/// whether a line would open a fence that is never closed.
fn rewrite_lines(text: &str, write: impl Fn(&str, bool) -> Option<String>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    for line in scan_lines(text, 0).filter(|line| !line.in_fence) {
        let is_fence = parse_fence(&text[line.at.clone()]).is_some();
        if let Some(written) = write(&text[line.at.clone()], is_fence) {
            out.push_str(&text[from..line.at.start]);
            out.push_str(&written);
            from = line.at.end;
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// A line without its line break.
struct MarkdownLine {
    at: Range<usize>,
    /// Whether it belongs to a code fence, its first and last line included.
    in_fence: bool,
}

/// Returns the lines from a place on.
fn scan_lines(source: &str, start: usize) -> impl Iterator<Item = MarkdownLine> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut from = start;
    for line in source[start..].split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        all.push(from..from + text.len());
        from += line.len();
    }
    let closings = longest_closings(source, &all);
    let mut open: Option<CodeFence> = None;
    all.into_iter().enumerate().map(move |(number, at)| {
        let fence = parse_fence(&source[at.clone()]);
        let in_fence = match (&open, fence) {
            (Some(begun), Some(fence)) if fence.can_close(begun) => {
                open = None;
                true
            }
            (Some(_), _) => true,
            (None, Some(fence)) if closings[number + 1][fence.marker_index()] >= fence.length => {
                open = Some(fence);
                true
            }
            (None, _) => false,
        };
        MarkdownLine { at, in_fence }
    })
}

/// Returns, for each line and one past the last, the longest closing fence from there on: of
/// backticks, and of tildes.
fn longest_closings(source: &str, lines: &[Range<usize>]) -> Vec<[usize; 2]> {
    let mut longest = vec![[0; 2]; lines.len() + 1];
    for (number, at) in lines.iter().enumerate().rev() {
        longest[number] = longest[number + 1];
        if let Some(fence) = parse_fence(&source[at.clone()]).filter(|fence| fence.is_bare) {
            let kind = &mut longest[number][fence.marker_index()];
            *kind = fence.length.max(*kind);
        }
    }
    longest
}

#[derive(Debug, Clone, Copy)]
struct CodeFence {
    marker: char,
    length: usize,
    is_bare: bool,
}

impl CodeFence {
    fn marker_index(self) -> usize {
        usize::from(self.marker == '~')
    }

    fn can_close(self, open: &Self) -> bool {
        self.is_bare && self.marker == open.marker && self.length >= open.length
    }
}

/// Reads a line as a code fence.
fn parse_fence(line: &str) -> Option<CodeFence> {
    let rest = &line[count_indent(line)..];
    let sign = rest
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let info = rest.trim_start_matches(sign);
    let length = rest.len() - info.len();
    let is_fence = length >= 3 && !(sign == '`' && info.contains('`'));
    is_fence.then_some(CodeFence {
        marker: sign,
        length,
        is_bare: info.trim().is_empty(),
    })
}

/// Reads a line as a heading of the first two levels: the level, and where its words stand.
fn parse_heading(line: &str) -> Option<(usize, Range<usize>)> {
    let from = count_indent(line);
    let rest = &line[from..];
    let words = rest.trim_start_matches('#');
    let level = rest.len() - words.len();
    let is_heading =
        (1..=2).contains(&level) && (words.is_empty() || words.starts_with([' ', '\t']));
    if !is_heading {
        return None;
    }
    let without_tail = words.trim_end().trim_end_matches('#');
    let words = match without_tail.ends_with([' ', '\t']) {
        true => without_tail,
        false if without_tail.is_empty() => "",
        false => words,
    };
    let at = trim_range(line, from + level..from + level + words.len());
    Some((level, at))
}

/// Returns whether [`escape`] marked a line, or would have to.
fn is_escaped(line: &str) -> bool {
    let rest = line[count_indent(line)..].trim_start_matches('\\');
    let is_marked = rest.len() < line.len() - count_indent(line);
    is_marked && (parse_fence(rest).is_some() || parse_heading(rest).is_some())
}

/// Returns how many blanks a line begins with; from the fourth on it is code, and says nothing.
fn count_indent(line: &str) -> usize {
    line.bytes()
        .take(3)
        .take_while(|byte| *byte == b' ')
        .count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(body: &str, expected: &[(usize, &str, &str)]) {
        let sections = parse_sections(body, 0);
        let found: Vec<(usize, &str, &str)> = sections
            .iter()
            .map(|it| (it.level, &*it.heading, &body[it.text_at.clone()]))
            .collect();
        assert_eq!(found, expected, "{body}");
        for section in &sections {
            assert_eq!(body[section.heading_at.clone()], section.heading);
        }
    }

    #[test]
    fn headings_divide_a_body() {
        check("", &[]);
        check("just text", &[]);
        check(
            "# T\n\n## A\n\none\n\ntwo\n\n## B\n",
            &[(1, "T", ""), (2, "A", "one\n\ntwo"), (2, "B", "")],
        );
        check("intro\n## A ##\r\nx\r\n", &[(2, "A", "x")]);
        check(
            "## A\n### deeper\n#no heading\n    # code\nx",
            &[(2, "A", "### deeper\n#no heading\n    # code\nx")],
        );
        check("##", &[(2, "", "")]);
        check("## C#\n## a #b", &[(2, "C#", ""), (2, "a #b", "")]);
    }

    #[test]
    fn a_closed_fence_divides_nothing() {
        check(
            "## A\n```sh\n# x\n```\n## B",
            &[(2, "A", "```sh\n# x\n```"), (2, "B", "")],
        );
        check(
            "## A\n~~~\n# x\n```\n~~~~\ny",
            &[(2, "A", "~~~\n# x\n```\n~~~~\ny")],
        );
        check("## A\n```\n## B\nx", &[(2, "A", "```"), (2, "B", "x")]);
        check(
            "## A\n````\n```\n## B",
            &[(2, "A", "````\n```"), (2, "B", "")],
        );
    }

    #[test]
    fn what_divides_is_escaped() {
        for (text, written) in [
            ("plain\n### three", "plain\n### three"),
            ("a\n## b", "a\n\\## b"),
            ("  # b", "  \\# b"),
            ("\\# b", "\\\\# b"),
            ("```", "\\```"),
            ("```\n# b\n```\n# c", "```\n# b\n```\n\\# c"),
        ] {
            assert_eq!(escape_section(text), written);
            assert_eq!(unescape_section(written), text);
        }
    }

    proptest! {
        #[test]
        fn any_text_survives_a_section(text in "([ #`~\\\\a\n]{0,4}|```\n|## x\n|~~~~ q\n){0,12}") {
            let text = text.trim();
            let body = format!("# T\n\n## A\n\n{}\n\n## B\n\n{}\n", escape_section(text), escape_section(text));
            let sections = parse_sections(&body, 0);
            prop_assert_eq!(sections.len(), 3, "{}", body);
            for section in &sections[1..] {
                prop_assert_eq!(unescape_section(&body[section.text_at.clone()]), text);
            }
        }
    }
}
