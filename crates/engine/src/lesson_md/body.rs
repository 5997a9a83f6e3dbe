//! The Markdown below the front matter: a heading, sections, and where each stands.
//!
//! Only headings of the first two levels, written with `#`, divide a body; what stands in a code
//! fence divides nothing, and a fence that is never closed is no fence. [`escape_section`] makes
//! any text fit into a section and [`unescape_section`] takes it back out.

use std::ops::Range;

use hardwon_core::text::quoted::parse_fence;

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
    for line in lines_outside_fences(source, start) {
        let text = &source[line.clone()];
        let Some((level, words)) = parse_heading(text) else {
            continue;
        };
        if let Some(open) = sections.last_mut() {
            open.text_at = trim_range(source, open.text_at.start..line.start);
        }
        sections.push(MarkdownSection {
            level,
            heading: text[words.clone()].to_owned(),
            heading_at: line.start + words.start..line.start + words.end,
            text_at: line.end..line.end,
        });
    }
    if let Some(open) = sections.last_mut() {
        open.text_at = trim_range(source, open.text_at.start..source.len());
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
pub(super) fn escape_section(text: &str) -> String {
    rewrite_lines(text, |rest| {
        let divides = parse_fence(rest).is_some() || parse_heading(rest).is_some();
        (divides || is_escaped(rest)).then(|| format!("\\{rest}"))
    })
}

/// Takes a text back that [`escape_section`] wrote.
pub(super) fn unescape_section(text: &str) -> String {
    rewrite_lines(text, |rest| is_escaped(rest).then(|| rest[1..].to_owned()))
}

/// Writes the lines outside of fences anew behind their indent, as far as `write` has something for
/// them. A fence among them is one that is never closed.
fn rewrite_lines(text: &str, write: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for line in lines_outside_fences(text, 0) {
        let start = line.start + count_indent(&text[line.clone()]);
        if let Some(written) = write(&text[start..line.end]) {
            out.push_str(&text[from..start]);
            out.push_str(&written);
            from = line.end;
        }
    }
    out + &text[from..]
}

/// Returns the lines from a place on that belong to no code fence, each without its line break. The
/// first and the last line of a fence belong to it.
fn lines_outside_fences(source: &str, start: usize) -> Vec<Range<usize>> {
    let mut from = start;
    let lines = source[start..].split_inclusive('\n').map(|line| {
        let at = from..from + line.trim_end_matches(['\n', '\r']).len();
        from += line.len();
        (parse_fence(&source[at.clone()]), at)
    });
    let lines: Vec<(Option<Fence>, Range<usize>)> = lines.collect();
    // For each line, the longest fence below it that closes one: of backticks, and of tildes.
    let mut longest = [0; 2];
    let mut below = vec![longest; lines.len()];
    for (number, (fence, _)) in lines.iter().enumerate().rev() {
        below[number] = longest;
        if let Some((mark, length, true)) = *fence {
            longest[index_mark(mark)] = length.max(longest[index_mark(mark)]);
        }
    }
    let mut open: Option<Fence> = None;
    let mut is_outside = |fence: Option<Fence>, below: [usize; 2]| match (open, fence) {
        (Some((begun, least, _)), Some((mark, length, true)))
            if mark == begun && length >= least =>
        {
            open = None;
            false
        }
        (Some(_), _) => false,
        (None, Some((mark, length, _))) if below[index_mark(mark)] >= length => {
            open = fence;
            false
        }
        (None, _) => true,
    };
    let lines = lines.into_iter().zip(below);
    lines
        .filter_map(|((fence, at), below)| is_outside(fence, below).then_some(at))
        .collect()
}

/// A fence as [`parse_fence`] reads it.
type Fence = (char, usize, bool);

fn index_mark(mark: char) -> usize {
    usize::from(mark == '~')
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
    let has_tail = without_tail.is_empty() || without_tail.ends_with([' ', '\t']);
    let words = if has_tail { without_tail } else { words };
    let at = trim_range(line, from + level..from + level + words.len());
    Some((level, at))
}

/// Returns whether [`escape_section`] marked what stands behind a line's indent, or would have to.
fn is_escaped(rest: &str) -> bool {
    let bare = rest.trim_start_matches('\\');
    bare.len() < rest.len() && (parse_fence(bare).is_some() || parse_heading(bare).is_some())
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
