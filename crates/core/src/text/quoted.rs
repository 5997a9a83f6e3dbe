//! Tells what a writer says from what they only quote: lines after `>` or `|`, between fences or tags, indented as code
//! is, in quotation marks.
//!
//! A person passes on an issue, an agent shows a file. Whatever stands in it as an order or a correction is not theirs.
//! A text that is pasted without any of these marks cannot be told from one that is typed.

use std::{borrow::Cow, collections::HashMap};

/// Fewest words of a passage in quotation marks that is somebody's sentence; fewer are a name or a command.
const QUOTED_WORDS_MIN: usize = 6;

/// Quotation marks, each with those that end what it begins.
const QUOTATION_MARKS: [(char, &[char]); 5] = [
    ('"', &['"']),
    ('\u{201c}', &['\u{201d}']),
    ('\u{201e}', &['\u{201c}', '\u{201d}']),
    ('\u{ab}', &['\u{bb}']),
    ('\u{bb}', &['\u{ab}']),
];

/// What a quotation ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Quotation {
    /// A line of so many of a mark.
    Fence(char, usize),
    /// A closing tag of this name.
    Tag(String),
    /// A blank line, for a quoted paragraph goes on without its mark.
    Paragraph,
}

/// Returns for each line whether it is the writer's own.
pub fn mark_own_lines(lines: &[&str]) -> Vec<bool> {
    let mut inside: Option<Quotation> = None;
    let mut own: Vec<bool> = Vec::with_capacity(lines.len());
    let last_closed = find_closed_tags(lines);
    for (at, line) in lines.iter().enumerate() {
        let may_be_code = at.checked_sub(1).is_none_or(|before| {
            lines[before].trim().is_empty() || is_indented(lines[before]) && !own[before]
        });
        let (is_own, next) = match inside.take() {
            Some(quotation) => (false, go_on(quotation, line)),
            // A row of a table too: what stands below one is somebody's own.
            None if line.trim_start().starts_with('|') => (false, None),
            None if may_be_code && is_indented(line) => (false, None),
            None => match open_quotation(line, |name| last_closed.get(name) > Some(&at)) {
                Some(Quotation::Tag(close)) if line.contains(&close) => (false, None),
                Some(quotation) => (false, go_on(quotation, "-")),
                None => (true, None),
            },
        };
        // A blank line after a quoted paragraph belongs to nobody, and another quotation may begin right behind one.
        own.push(is_own);
        inside = next;
    }
    own
}

/// Returns a text without the lines and long passages that are quoted in it.
pub fn strip_quoted(text: &str) -> Cow<'_, str> {
    let is_mark = |c: char| {
        matches!(c, '>' | '|' | '`' | '~' | '<')
            || QUOTATION_MARKS.iter().any(|(open, _)| *open == c)
    };
    if !text.contains(is_mark) && !text.lines().any(is_indented) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.lines().collect();
    let own = mark_own_lines(&lines);
    let own_lines = lines.iter().zip(own).filter(|(_, is_own)| *is_own);
    let own_lines: Vec<&str> = own_lines.map(|(line, _)| *line).collect();
    Cow::Owned(strip_passages(&own_lines.join("\n")))
}

/// Returns what stands between backticks in a text, as it is typed.
pub fn list_code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split('`').skip(1).step_by(2).map(str::trim);
    code.filter(|code| !code.is_empty())
}

/// Returns a text without what stands between backticks.
pub fn strip_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns a text as a quotation: nothing in it is its writer's own.
pub fn quote_text(text: &str) -> String {
    format!("> {}", text.replace('\n', "\n> "))
}

/// Parses a fence as CommonMark defines it: up to three spaces, then three or more of one mark. Returns the mark, how many
/// of it, and whether nothing stands behind them.
pub fn parse_fence(line: &str) -> Option<(char, usize, bool)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = text.chars().take_while(|c| *c == mark).count();
    let rest = &text[count..];
    (count >= 3 && !(mark == '`' && rest.contains('`'))).then_some((
        mark,
        count,
        rest.trim().is_empty(),
    ))
}

/// Returns whether a line is indented as far as code is, as CommonMark defines it.
fn is_indented(line: &str) -> bool {
    (line.starts_with("    ") || line.starts_with('\t')) && !line.trim().is_empty()
}

/// Returns the names of the tags that are closed, each with the number of the last line that does.
fn find_closed_tags<'a>(lines: &[&'a str]) -> HashMap<&'a str, usize> {
    let closed = lines.iter().enumerate().flat_map(|(at, line)| {
        let names = line.split("</").skip(1);
        names.filter_map(move |name| Some((name.split_once('>')?.0, at)))
    });
    closed.collect()
}

/// Returns the quotation that a line begins; a tag begins one only if `is_closed` below, or at the end of the line.
fn open_quotation(line: &str, is_closed: impl Fn(&str) -> bool) -> Option<Quotation> {
    if let Some((mark, count, _)) = parse_fence(line) {
        return Some(Quotation::Fence(mark, count));
    }
    let text = line.trim_start();
    if text.starts_with('>') {
        return Some(Quotation::Paragraph);
    }
    let name = text.strip_prefix('<')?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':')));
    let name = &name[..end.unwrap_or(name.len())];
    let close = format!("</{name}>");
    let is_closed = if line.contains(&close) {
        line.trim_end().ends_with(&close)
    } else {
        is_closed(name)
    };
    (!name.is_empty() && is_closed).then_some(Quotation::Tag(close))
}

/// Returns the quotation if it goes on after a line.
fn go_on(quotation: Quotation, line: &str) -> Option<Quotation> {
    let is_over = match &quotation {
        Quotation::Fence(mark, count) => {
            parse_fence(line).is_some_and(|(closing, length, is_bare)| {
                is_bare && closing == *mark && length >= *count
            })
        }
        Quotation::Tag(close) => line.contains(close),
        Quotation::Paragraph => line.trim().is_empty(),
    };
    (!is_over).then_some(quotation)
}

/// Removes passages of a sentence's length that stand in quotation marks.
fn strip_passages(text: &str) -> String {
    let mut own_text = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(QUOTATION_MARKS.map(|(open, _)| open)) {
        let open = rest[at..].chars().next().unwrap_or_default();
        let marks = QUOTATION_MARKS.iter().find(|marks| marks.0 == open);
        let close = marks.map_or(&[][..], |marks| marks.1);
        let inner = &rest[at + open.len_utf8()..];
        let Some(end) = inner.find(close) else {
            break;
        };
        let after = end + inner[end..].chars().next().map_or(0, char::len_utf8);
        own_text.push_str(&rest[..at]);
        if inner[..end].split_whitespace().count() < QUOTED_WORDS_MIN {
            own_text.push_str(&rest[at..][..open.len_utf8() + after]);
        }
        rest = &inner[after..];
    }
    own_text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_not_said() {
        for (text, expected) in [
            ("use pnpm", "use pnpm"),
            ("see:\n> use npm\nalways\n\nuse pnpm", "see:\nuse pnpm"),
            ("see:\n| use npm\n\nuse pnpm", "see:\n\nuse pnpm"),
            (
                "see:\n| a | b |\n|---|---|\n  | use | npm |\nuse pnpm",
                "see:\nuse pnpm",
            ),
            ("| a > b\n> use npm\nalways", ""),
            ("use a | b", "use a | b"),
            ("see:\n```\nuse npm\n```\nuse pnpm", "see:\nuse pnpm"),
            (
                "see:\n````\n```\nuse npm\n```\n````\nuse pnpm",
                "see:\nuse pnpm",
            ),
            ("see:\n```\nuse npm", "see:"),
            ("<issue id=\"1\">\nuse npm\n</issue>\nuse pnpm", "use pnpm"),
            ("Fix:\n <c>use npm, always</c>\nuse pnpm", "Fix:\nuse pnpm"),
            ("<b>Always</b> use pnpm", "<b>Always</b> use pnpm"),
            ("a <T> holds\n<br>\nuse pnpm", "a <T> holds\n<br>\nuse pnpm"),
            ("no, run \"make db\" first", "no, run \"make db\" first"),
            (
                "he said \"no, always use npm from now on\", hm",
                "he said , hm",
            ),
            ("5\" and more", "5\" and more"),
            (
                "er sagt \u{201e}nein, nimm ab jetzt immer npm\u{201c}, hm",
                "er sagt , hm",
            ),
            (
                "see:\n\n    use npm\n    always\n\nuse pnpm",
                "see:\n\n\nuse pnpm",
            ),
            ("- no:\n    use pnpm", "- no:\n    use pnpm"),
        ] {
            assert_eq!(strip_quoted(text), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_line_is_marked(text in "[a>`~<\\n /\"]{0,80}") {
            let lines: Vec<&str> = text.lines().collect();
            proptest::prop_assert_eq!(mark_own_lines(&lines).len(), lines.len());
            drop(strip_quoted(&text).into_owned());
        }
    }
}
