//! How words, times and numbers from outside look on a page.
//!
//! [`VisibleText`] is the only form in which a lesson's words come to a template. It is still escaped there.

use std::fmt;

use askama::filters::{Escaper as _, Html, HtmlSafe};
use hardwon_core::Lesson;
use hardwon_redact::is_hidden;
use jiff::Timestamp;

/// Characters of a lesson in a list: its failure and its remedy.
const LINE_CHARS: usize = 240;

/// Words in which nothing is invisible: a control character, or one that turns the direction of writing, is a mark
/// like `[U+202E]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct VisibleText(String);

impl VisibleText {
    pub(super) fn new(words: &str) -> Self {
        let (mut text, mut previous) = (String::with_capacity(words.len()), ' ');
        for c in words.chars() {
            // What joins the parts of an emoji is seen in it.
            let is_joint = c == '\u{200d}'
                && matches!(previous, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}');
            previous = c;
            if !is_joint && (is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}')) {
                text += &format!("[U+{:04X}]", u32::from(c));
            } else {
                text.push(c);
            }
        }
        Self(text)
    }

    /// Makes a line of at most so many characters that a list has room for.
    pub(super) fn line(words: &str) -> Self {
        let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = line.char_indices().nth(LINE_CHARS) {
            line.truncate(end);
            line.push('…');
        }
        Self::new(&line)
    }

    /// Returns words to be edited: what nobody would see is not among them, so that what is saved is what was seen.
    pub(super) fn to_edit(words: &str) -> Self {
        Self(words.chars().filter(|c| !is_hidden(*c)).collect())
    }

    /// Returns the words as a line of a list has room for.
    pub(super) fn short(&self) -> Self {
        Self::line(&self.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the words as they look: what stands between backticks as code, between asterisks emphasised.
    pub(super) fn rich(&self) -> RichText {
        let mut html = String::new();
        let parts: Vec<&str> = self.0.split("```").collect();
        let mut blocks = parts.iter().skip(1).step_by(2);
        if parts.len().is_multiple_of(2) || !blocks.all(|block| block.contains('\n')) {
            write_marked(&mut html, &self.0, &MARKS);
            return RichText(html);
        }
        for (at, part) in parts.iter().enumerate() {
            match part.split_once('\n').filter(|_| at % 2 == 1) {
                Some((_, code)) => {
                    html += "<code class=\"block\">";
                    write_marked(&mut html, code.trim_end(), &[]);
                    html += "</code>";
                }
                None => write_marked(&mut html, part, &MARKS),
            }
        }
        RichText(html)
    }
}

/// Words as HTML. What is not one of our own elements is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RichText(String);

impl fmt::Display for RichText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for RichText {}

/// Signs that stand before and after some words, and the element that these are.
const MARKS: [(&str, &str); 4] = [("**", "strong"), ("`", "code"), ("*", "em"), ("_", "em")];

fn write_marked(html: &mut String, words: &str, marks: &[(&str, &str)]) {
    let Some(((sign, element), others)) = marks.split_first() else {
        let escape_result = Html.write_escaped_str(html, words);
        return escape_result.expect("a text can grow");
    };
    let mut rest = words;
    while let Some((before, inner, after)) = split_marked(rest, sign) {
        write_marked(html, before, others);
        *html += &format!("<{element}>");
        write_marked(html, inner, if *sign == "`" { &[] } else { others });
        *html += &format!("</{element}>");
        rest = after;
    }
    write_marked(html, rest, others);
}

/// Splits at the first words on one line between two signs. An asterisk within a word or in front of a point is part of a
/// pattern of names.
fn split_marked<'w>(words: &'w str, sign: &str) -> Option<(&'w str, &'w str, &'w str)> {
    let (before, rest) = words.split_once(sign)?;
    let (inner, after) = rest.split_once(sign)?;
    let is_emphasis = before.is_empty() || before.ends_with([' ', '(', '\n']);
    let begins_well = sign == "`" || is_emphasis && !inner.starts_with([' ', '.', '/', '_', '-']);
    let goes_on = sign == "_" && after.starts_with(char::is_alphanumeric);
    let is_whole = !inner.is_empty() && !inner.ends_with(' ') && !inner.contains('\n') && !goes_on;
    (begins_well && is_whole).then_some((before, inner, after))
}

/// Shows a lesson on a line: its failure with its remedy, not its title alone.
pub(super) fn show_lesson_line(lesson: &Lesson) -> VisibleText {
    VisibleText::line(lesson.content.text.as_str())
}

impl fmt::Display for VisibleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A moment as an element that the script may turn into a relative time. It holds digits and our own words only.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeTag(pub(super) Timestamp);

impl fmt::Display for TimeTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, plain) = (
            self.0.strftime("%Y-%m-%dT%H:%M:%SZ"),
            self.0.strftime("%Y-%m-%d %H:%M"),
        );
        write!(f, "<time datetime=\"{whole}\">{plain}</time>")
    }
}

impl HtmlSafe for TimeTag {}

/// Writes a day, in UTC, as running text has it: `9 Nov 2026`.
pub(super) fn format_day(at: Timestamp) -> String {
    at.strftime("%-d %b %Y").to_string()
}

/// Names the state of a lesson for people.
pub(super) fn describe_status(name: &str) -> &'static str {
    match name {
        "active" => "in use",
        "pending" => "waits for review",
        "quarantined" => "taken out, waits for review",
        "superseded" => "replaced",
        _ => "deleted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_words_is_invisible() {
        for (words, expected) in [
            ("a\nb\tc", "a\nb\tc"),
            ("x\u{202e}y\u{200b}", "x[U+202E]y[U+200B]"),
            ("\u{1b}[31m", "[U+001B][31m"),
            ("a\u{2028}b", "a[U+2028]b"),
            ("日本語 👍", "日本語 👍"),
            ("👩\u{200d}💻 x\u{200d}", "👩\u{200d}💻 x[U+200D]"),
        ] {
            assert_eq!(VisibleText::new(words).to_string(), expected);
        }
        assert_eq!(VisibleText::to_edit("x\u{202e}y\n").to_string(), "xy\n");
        let line = VisibleText::line(&"word \n".repeat(100)).to_string();
        assert_eq!((line.chars().count(), line.ends_with('…')), (241, true));
    }

    #[test]
    fn code_and_emphasis_are_shown_and_the_rest_is_text() {
        for (words, expected) in [
            (
                "Run `npm *test*` **now**, *please*.",
                "Run <code>npm *test*</code> <strong>now</strong>, <em>please</em>.",
            ),
            (
                "**The `x` rule**",
                "<strong>The <code>x</code> rule</strong>",
            ),
            (
                "`**/a` and `**/b`",
                "<code>**/a</code> and <code>**/b</code>",
            ),
            ("a * b * c, `open", "a * b * c, `open"),
            ("*.rs and *.py", "*.rs and *.py"),
            ("src/*a/*b", "src/*a/*b"),
            ("(*…: No module*).", "(<em>…: No module</em>)."),
            (
                "`<b>` *<i>*",
                "<code>&#60;b&#62;</code> <em>&#60;i&#62;</em>",
            ),
            ("`a\nb`", "`a\nb`"),
            (
                "_never_ _id_x snake_case",
                "<em>never</em> _id_x snake_case",
            ),
            (
                "Run:\n```sh\nmake *a*\n<b>\n```\nand `c`",
                "Run:\n<code class=\"block\">make *a*\n&#60;b&#62;</code>\nand <code>c</code>",
            ),
            ("a ``` b ``` c", "a ``` b ``` c"),
        ] {
            assert_eq!(VisibleText::new(words).rich().to_string(), expected);
        }
    }
}
