//! How words, times and numbers from outside look on a page.
//!
//! [`VisibleText`] is the only form in which a lesson's words come to a template. It is still escaped there.

use std::fmt;

use askama::filters::HtmlSafe;
use hardwon_core::{
    id::ProjectId,
    lesson::{EffectEstimate, Lesson, TrustClass},
    redact::is_hidden,
    scope::Scope,
};
use jiff::Timestamp;

/// Characters of a title in a list.
const TITLE_CHARS: usize = 160;

/// Words in which nothing is invisible: a control character, or one that turns the direction of writing, is a mark
/// like `[U+202E]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct VisibleText(String);

impl VisibleText {
    pub(super) fn new(words: &str) -> Self {
        let mut text = String::with_capacity(words.len());
        for c in words.chars() {
            if is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}') {
                text.push_str(&format!("[U+{:04X}]", u32::from(c)));
            } else {
                text.push(c);
            }
        }
        Self(text)
    }

    /// Makes a line of at most so many characters that a list has room for.
    pub(super) fn line(words: &str) -> Self {
        let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = line.char_indices().nth(TITLE_CHARS) {
            line.truncate(end);
            line.push('…');
        }
        Self::new(&line)
    }

    /// Returns words to be edited: what nobody would see is not among them, so that what is saved is what was seen.
    pub(super) fn to_edit(words: &str) -> Self {
        Self(words.chars().filter(|c| !is_hidden(*c)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
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

/// Writes a count with thin spaces between thousands.
pub(super) fn format_count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Writes a count with its noun: `1 run`, `2 runs`.
pub(super) fn pluralize(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", format_count(count))
}

/// Writes an effect in points: `+18 (−4 to +39)`.
pub(super) fn format_effect(effect: EffectEstimate) -> String {
    let [at, low, high] = [effect.difference, effect.low, effect.high].map(format_points);
    format!("{at} ({low} to {high})")
}

/// Writes a share in whole points with its sign.
pub(super) fn format_points(share: f64) -> String {
    let points = format!("{:+.0}", share * 100.0);
    match points.as_str() {
        "+0" | "-0" => "0".to_owned(),
        _ => points.replace('-', "−"),
    }
}

/// Says whose lesson it is and where it applies.
pub(super) fn describe_scope(scope: &Scope) -> VisibleText {
    let place = scope
        .project
        .as_ref()
        .map_or("every project", ProjectId::display_name);
    VisibleText::line(&format!("{}, {place}", scope.agent))
}

/// Says whose word a lesson is.
pub(super) fn describe_source(lesson: &Lesson) -> &'static str {
    match (lesson.trust.class, lesson.trust.tainted) {
        (TrustClass::Person, false) => "a person",
        (TrustClass::Person, true) => "a person, with content from outside",
        (TrustClass::Agent, false) => "an agent",
        (TrustClass::Agent, true) => "an agent, with content from outside",
        (TrustClass::Derived, false) => "rules that read a run",
        (TrustClass::Derived, true) => "rules that read a run, with content from outside",
        (TrustClass::Distilled, false) => "a model that read a run",
        (TrustClass::Distilled, true) => "a model that read a run, with content from outside",
        (TrustClass::Imported, _) => "an imported file",
    }
}

/// Names the state of a lesson for people.
pub(super) fn describe_status(name: &str) -> &'static str {
    match name {
        "active" => "in use",
        "pending" => "waits for review",
        "quarantined" => "taken out, waits for review",
        "superseded" => "replaced",
        _ => "archived",
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
        ] {
            assert_eq!(VisibleText::new(words).to_string(), expected);
        }
        assert_eq!(VisibleText::to_edit("x\u{202e}y\n").to_string(), "xy\n");
        let line = VisibleText::line(&"word \n".repeat(100)).to_string();
        assert_eq!((line.chars().count(), line.ends_with('…')), (161, true));
    }

    #[test]
    fn numbers_are_plain() {
        let counts = [0, 999, 1000, 1_234_567].map(format_count);
        assert_eq!(
            counts,
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
        let points = [0.0, -0.001, 0.184, -0.04].map(format_points);
        assert_eq!(points, ["0", "0", "+18", "−4"]);
        let nouns = [0, 1, 2].map(|count| pluralize(count, "run"));
        assert_eq!(nouns, ["0 runs", "1 run", "2 runs"]);
    }
}
