//! A Markdown file cut into what stands for itself: points of a list with what belongs to them, and paragraphs.
//!
//! Each has its place in the file, so that it can be named and cut out, the headings that it stands under, and its words
//! on one line. A fence of code belongs to what stands before it. Comments and blocks that hardwon wrote itself are
//! passed over; nothing is rendered.

use std::ops::Range;

use hardwon_core::{advice::strip_list_mark, trigger::says_not};

/// Most characters of a heading: every item below it has it.
const HEADING_CHARS: usize = 200;
/// Most items of a file.
const ITEMS: usize = 4000;

/// Something in a Markdown file that stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkdownItem {
    /// Its bytes, in whole lines.
    pub(super) range: Range<usize>,
    /// Its first line, from 1.
    pub(super) line: usize,
    /// The headings that it stands under, the outermost first.
    pub(super) headings: Vec<String>,
    /// Its lines as they are, without fences of code.
    pub(super) source: String,
    /// Its words on one line.
    pub(super) text: String,
    /// Whether it is a point of a list.
    pub(super) is_point: bool,
}

impl MarkdownItem {
    /// Returns whether it is a table.
    pub(super) fn is_table(&self) -> bool {
        self.text.starts_with('|')
    }

    /// Returns whether it only introduces what follows.
    pub(super) fn is_introduction(&self) -> bool {
        !self.is_point && self.text.ends_with(':')
    }
}

/// Cuts the text from `start` on, which is the line of this number. Also returns the first lines of the fences whose code no
/// item has in its words.
pub(super) fn split_items(
    text: &str,
    start: usize,
    first_line: usize,
) -> (Vec<MarkdownItem>, Vec<usize>) {
    let mut splitter = Splitter::default();
    let mut at = start;
    for (index, line) in text[start..].split_inclusive('\n').enumerate() {
        let range = at..at + line.len();
        at = range.end;
        let line = line.trim_end_matches(['\n', '\r']);
        splitter.read_line(line, range, first_line + index);
    }
    splitter.close();
    if matches!(splitter.inside, Surroundings::Fence(_)) {
        splitter.listings.push(splitter.fence_line);
    }
    forbid_points(&mut splitter.items);
    (splitter.items, splitter.listings)
}

/// Puts a short line or heading that speaks against what follows before each point below it, which by itself would read as
/// advice: `Forbidden:`.
fn forbid_points(items: &mut [MarkdownItem]) {
    const HEAD_WORDS: usize = 6;
    let forbids = |head: &String| head.split_whitespace().count() <= HEAD_WORDS && says_not(head);
    let (mut said, mut place) = (None, Vec::new());
    for item in items {
        if !item.is_point {
            said = Some(item.text.clone()).filter(|_| item.is_introduction());
            place.clone_from(&item.headings);
            continue;
        }
        let said = said.clone().filter(|_| item.headings == place);
        let heading = item.headings.last().map(|name| format!("{name}:"));
        let head = said.or(heading).filter(forbids);
        if let Some(head) = head.filter(|_| !says_not(&item.text)) {
            item.text.insert_str(0, &format!("{head} "));
        }
    }
}

/// What a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Surroundings {
    #[default]
    Plain,
    /// A fence of this character.
    Fence(char),
    /// A comment or a block of ours, to the line that has this.
    Hidden(&'static str),
}

#[derive(Debug, Default)]
struct Splitter {
    items: Vec<MarkdownItem>,
    headings: Vec<(usize, String)>,
    open: Option<MarkdownItem>,
    inside: Surroundings,
    code: Vec<String>,
    fence_line: usize,
    listings: Vec<usize>,
    was_blank: bool,
}

impl Splitter {
    fn read_line(&mut self, line: &str, range: Range<usize>, number: usize) {
        match self.inside {
            Surroundings::Fence(mark) => self.read_code(line.trim(), mark, &range),
            Surroundings::Hidden(end) if line.contains(end) => self.inside = Surroundings::Plain,
            Surroundings::Hidden(_) => {}
            Surroundings::Plain => self.read_plain(line, range, number),
        }
    }

    fn read_plain(&mut self, line: &str, range: Range<usize>, number: usize) {
        let words = line.trim();
        let fence = ["```", "~~~"].iter().find(|mark| words.starts_with(**mark));
        let was_blank = std::mem::replace(&mut self.was_blank, words.is_empty());
        if words.starts_with("<!--") {
            self.close();
            if words.starts_with("<!-- BEGIN:hardwon") {
                self.inside = Surroundings::Hidden("<!-- END:hardwon");
            } else if !words.contains("-->") {
                self.inside = Surroundings::Hidden("-->");
            }
        } else if let Some(mark) = fence {
            self.inside = Surroundings::Fence(if *mark == "```" { '`' } else { '~' });
            self.fence_line = number;
            self.extend(&range);
        } else if let Some((depth, name)) = parse_heading(line) {
            self.close();
            self.headings.retain(|(other, _)| *other < depth);
            self.headings.push((depth, name));
        } else if !words.is_empty() {
            self.read_words(line, range, number, was_blank);
        }
    }

    fn read_words(&mut self, line: &str, range: Range<usize>, number: usize, was_blank: bool) {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim();
        let bare = strip_list_mark(words);
        let is_point = bare.len() < words.len() && indent < 2;
        let is_rule = words.len() >= 3 && words.chars().all(|c| matches!(c, '-' | '*' | '_' | '='));
        if is_rule {
            return self.close();
        }
        let goes_on = |open: &MarkdownItem| !was_blank || open.is_point && indent >= 2;
        let belongs = !is_point && self.open.as_ref().is_some_and(goes_on);
        if !belongs {
            self.close();
            self.open = Some(MarkdownItem {
                range: range.clone(),
                line: number,
                headings: self.headings.iter().map(|(_, name)| name.clone()).collect(),
                source: String::new(),
                text: String::new(),
                is_point,
            });
        }
        self.extend(&range);
        if let Some(open) = &mut self.open {
            open.source += line;
            open.source.push('\n');
            push_words(&mut open.text, &strip_bold(bare));
        }
    }

    fn read_code(&mut self, words: &str, mark: char, range: &Range<usize>) {
        self.extend(range);
        let is_end = words.len() >= 3 && words.chars().all(|c| c == mark);
        if !is_end {
            self.code.push(words.to_owned());
            return;
        }
        self.inside = Surroundings::Plain;
        let code = self.code.drain(..).filter(|code| !code.is_empty());
        let code: Vec<String> = code.collect();
        let is_short = |code: &String| !code.contains('`') && code.len() <= 120;
        // A command or two say what to do; a listing says it to those who open the file.
        if let Some(open) = &mut self.open
            && (1..=2).contains(&code.len())
            && code.iter().all(is_short)
        {
            let spans: Vec<String> = code.iter().map(|code| format!("`{code}`")).collect();
            push_words(&mut open.text, &spans.join(", "));
        } else if !code.is_empty() {
            self.listings.push(self.fence_line);
        }
    }

    /// Makes the open item reach to the end of a line.
    fn extend(&mut self, range: &Range<usize>) {
        if let Some(open) = &mut self.open {
            open.range.end = range.end;
        }
    }

    fn close(&mut self) {
        let item = self.open.take();
        let item = item.filter(|item| !item.text.trim().is_empty());
        if self.items.len() < ITEMS {
            self.items.extend(item);
        }
    }
}

fn push_words(text: &mut String, words: &str) {
    if !text.is_empty() && !words.is_empty() {
        text.push(' ');
    }
    *text += words;
}

/// Takes the marks of bold words out of a line. In code, and beside a slash, two stars are part of a pattern: `src/**`.
fn strip_bold(line: &str) -> String {
    let strip = |text: &str| {
        let mut parts = text.split("**");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |plain, part| {
            let is_pattern = plain.ends_with('/') || part.starts_with('/');
            plain + if is_pattern { "**" } else { "" } + part
        })
    };
    let parts = line.split('`').enumerate();
    let plain = parts.map(|(at, part)| match at % 2 {
        0 => strip(part),
        _ => part.to_owned(),
    });
    plain.collect::<Vec<_>>().join("`")
}

/// Reads a heading; `None` if the line is none.
fn parse_heading(line: &str) -> Option<(usize, String)> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    let name = line[depth..].strip_prefix(' ')?;
    let name = name.trim().trim_end_matches('#').trim();
    let name: String = name.chars().take(HEADING_CHARS).collect();
    let name = strip_bold(&name);
    ((1..=6).contains(&depth)).then_some((depth, name))
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn show(text: &str) -> String {
        let row = |it: MarkdownItem| {
            let lines = text[it.range.clone()].lines().count();
            let mark = if it.is_point { "-" } else { "p" };
            format!(
                "{}+{lines} {mark} [{}] {}\n",
                it.line,
                it.headings.join("/"),
                it.text
            )
        };
        split_items(text, 0, 1).0.into_iter().map(row).collect()
    }

    #[test]
    fn points_and_paragraphs_with_what_belongs_to_them() {
        assert_snapshot!(show("# Memory\n\nIntro over\ntwo lines.\n\n## Tests\n\n- Run **only** units:\n  - `npm test`\n    is slow\n\n  More.\n- Second\n```sh\nnpm run unit\n```\n\n1. Third\n\nLast.\n"), @"
        3+2 p [Memory] Intro over two lines.
        8+5 - [Memory/Tests] Run only units: `npm test` is slow More.
        13+4 - [Memory/Tests] Second `npm run unit`
        18+1 - [Memory/Tests] Third
        20+1 p [Memory/Tests] Last.
        ");
    }

    #[test]
    fn points_say_what_is_said_of_all() {
        assert_snapshot!(show("Forbidden:\n\n- `npm install`\n- never `yarn`\n\nUse:\n- `pnpm install`\n\n## Never run\n- `git push --force`\n\n## Tests\n- `npm test`\n"), @"
        1+1 p [] Forbidden:
        3+1 - [] Forbidden: `npm install`
        4+1 - [] never `yarn`
        6+1 p [] Use:
        7+1 - [] `pnpm install`
        10+1 - [Never run] Never run: `git push --force`
        13+1 - [Tests] `npm test`
        ");
    }

    #[test]
    fn patterns_keep_their_stars() {
        assert_snapshot!(show("- **Never** edit `src/**/gen`, **/*.lock or vendor/**, **ever**\n"), @"1+1 - [] Never edit `src/**/gen`, **/*.lock or vendor/**, ever");
    }

    #[test]
    fn code_that_no_item_has_is_named() {
        let check = |text: &str, expected: &[usize]| {
            assert_eq!(split_items(text, 0, 1).1, expected, "{text}");
        };
        check("# Commands\n\n```sh\nnpm test\n```\n", &[3]);
        check("- Two:\n```\na\nb\n```\n", &[]);
        check("- Three:\n```\na\nb\nc\n```\n", &[2]);
        check("- None:\n```\n```\n```\nnever closed\n", &[4]);
    }

    #[test]
    fn what_is_passed_over() {
        assert_snapshot!(show("<!-- a\nb -->\n- One\n---\n<!-- BEGIN:hardwon 012345678901 -->\n- ours\n<!-- END:hardwon -->\n~~~\n- code\n~~~\n- Two\n"), @"
        3+1 - [] One
        11+1 - [] Two
        ");
        assert_snapshot!(show("- One\n```\nnever closed\n- Two\n"), @"1+4 - [] One");
    }
}
