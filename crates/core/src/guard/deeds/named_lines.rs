//! Finds the command lines that a text names, and whether it advises or warns of them.

use super::{prose::ToldLine, tables::TABLES};
use crate::{
    guard::sentences::{sentence_ends, sentence_ranges, strip_reason},
    shell::{self, is_listed},
    tokens::split_name_words,
};

/// A command line within a text.
#[derive(Debug, Default)]
pub(super) struct NamedLine<'a> {
    /// The line as written; without marks of code it goes on to the end of the sentence.
    pub(super) line: &'a str,
    /// The words of the sentence before it.
    before: &'a str,
    /// The words of the sentence after it; of a line without marks the line itself.
    after: &'a str,
    /// The sentence in which it stands.
    pub(super) sentence: &'a str,
    /// Whether marks of code show where it ends.
    pub(super) is_marked: bool,
    /// Whether it stands in quotation marks.
    is_quoted: bool,
    /// Whether a sentence asks for it in other words.
    pub(super) is_in_words: bool,
    /// Whether that sentence gives a part of it as code.
    pub(super) has_code: bool,
}

impl<'a> NamedLine<'a> {
    /// Takes a line that a sentence asks for in other words.
    pub(super) fn in_words(text: &'a str, told: &'a ToldLine) -> Self {
        Self {
            line: &told.line,
            before: sentence_before(&text[..told.at]),
            sentence: sentence_at(text, told.at),
            is_marked: true,
            is_in_words: true,
            has_code: told.has_code,
            ..Self::default()
        }
    }

    /// Returns whether the text asks for the command, and does not warn or tell of it.
    pub(super) fn is_advised(&self) -> bool {
        !self.is_denied() && !self.is_dismissed() && !self.is_told()
    }

    /// Returns whether words lead to it, as they do where it is asked for: it does not begin its clause, and a name alone
    /// is used for something.
    pub(super) fn is_ordered(&self) -> bool {
        const USES: &str = "with use using by add put call return through via mit con avec";
        let words = split_words(self.before);
        let is_call = self.line.contains([' ', '(', '=']);
        let is_used = |word: &String| is_call || is_listed(USES, word);
        self.is_in_words || words.last().is_some_and(is_used)
    }

    /// Returns whether its sentence names a test's or one's own place, and none that is everybody's.
    pub(super) fn is_on_trial(&self) -> bool {
        let lower = strip_reason(self.sentence).to_ascii_lowercase();
        let spaced = format!(" {} ", lower.replace(['`', ',', '(', ')'], " "));
        // Whoever has a domain may call it a test.
        let is_built = |word: &&str| {
            let is_address = word.contains("http") || word.contains('@') || word.contains("/dev/");
            let bare = word.trim_end_matches(['.', ':']);
            bare.contains(['/', '.', '_', '-', '=', ':']) && !is_address
        };
        let mut names = spaced
            .split(' ')
            .filter(is_built)
            .flat_map(split_name_words);
        let is_own = TABLES.has_part("trial_words", &spaced)
            || names.any(|name| TABLES.lists("trials", &name));
        is_own && !TABLES.has_part("live_words", &spaced)
    }

    fn is_denied(&self) -> bool {
        let words = split_words(self.before);
        if begins_with_ban(self.before) || turns_away(self.before) {
            return true;
        }
        let mut last = words.iter().rev().map(String::as_str);
        let near = last
            .by_ref()
            .take(6)
            .find(|word| !TABLES.lists("between", word));
        near.is_some_and(|word| {
            TABLES.lists("denials", word)
                || TABLES.has_part("joined_denials", word)
                || word.ends_with("n't")
        })
    }

    fn is_dismissed(&self) -> bool {
        let after = self
            .after
            .trim_start_matches([' ', '"', ')', '\'', '\u{201d}'])
            .to_ascii_lowercase();
        let marks = [", ", "; ", ": "];
        let clause = marks.iter().fold(after.as_str(), |clause, mark| {
            clause.split(mark).next().unwrap_or(clause)
        });
        // Behind marks of code only the next words are about it.
        let most = if self.is_marked { 3 } else { usize::MAX };
        let words: Vec<&str> = clause.split(' ').take(most).collect();
        TABLES.has_part("dismissals", &words.join(" "))
    }

    /// Returns whether the sentence quotes what somebody else wrote.
    fn is_told(&self) -> bool {
        self.is_quoted
            && split_words(self.before)
                .iter()
                .any(|word| TABLES.lists("reports", word))
    }
}

/// Returns every command line of a text.
pub(super) fn find_named_lines(text: &str) -> Vec<NamedLine<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (index, part) in text.split('`').enumerate() {
        let end = start + part.len();
        let is_closed = text[end..].starts_with('`');
        if index % 2 == 1 && is_closed {
            lines.push(read_marked(text, start, end));
        } else {
            lines.extend(find_bare_lines(text, start, end));
        }
        start = end + 1;
    }
    lines
}

fn read_marked(text: &str, start: usize, end: usize) -> NamedLine<'_> {
    NamedLine {
        line: text[start..end].trim(),
        before: sentence_before(&text[..start]),
        after: sentence_after(text[end..].trim_start_matches('`')),
        sentence: sentence_at(text, start),
        is_marked: true,
        ..NamedLine::default()
    }
}

/// Returns the sentence around a place.
fn sentence_at(text: &str, at: usize) -> &str {
    let sentence = sentence_ranges(text).find(|range| range.end > at);
    &text[sentence.unwrap_or(0..text.len())]
}

/// Returns what a text ends with after the last sign that ends a sentence or clause.
fn sentence_before(text: &str) -> &str {
    let breaks = [". ", "! ", "? ", "; ", ", ", "\n"];
    let start = breaks.iter().filter_map(|mark| text.rfind(mark)).max();
    start.map_or(text, |at| &text[at + 1..])
}

/// Returns the rest of the sentence with which a text begins.
fn sentence_after(text: &str) -> &str {
    &text[..sentence_ends(text).next().unwrap_or(text.len())]
}

/// Returns the command lines of a part without marks of code, each from a word that begins one.
fn find_bare_lines(text: &str, from: usize, to: usize) -> Vec<NamedLine<'_>> {
    let mut lines = Vec::new();
    for range in sentence_ranges(&text[from..to]) {
        let mut start = from + range.start;
        // A comma ends a command, and another may follow it.
        while let Some((line, end)) = find_bare_line(text, start, from + range.end) {
            start = end;
            lines.push(line);
        }
    }
    lines
}

/// Returns the first command line between two places, and where it ends.
fn find_bare_line(text: &str, start: usize, end: usize) -> Option<(NamedLine<'_>, usize)> {
    const QUOTES: [char; 4] = ['"', '(', '\'', '\u{201c}'];
    let sentence = &text[start..end];
    let words = sentence.split(' ').scan(0, |at, word| {
        let here = *at;
        *at += word.len() + 1;
        Some((here, word))
    });
    let mut starts = words.filter(|(_, word)| begins_line(word.trim_start_matches(QUOTES)));
    let (at, word) = starts.next()?;
    let quote_bytes = word.len() - word.trim_start_matches(QUOTES).len();
    let line = &sentence[at + quote_bytes..];
    let is_quoted = word.starts_with(['"', '\u{201c}']);
    let close = match word.chars().next()? {
        '"' => line.find('"'),
        '\u{201c}' => line.find('\u{201d}'),
        _ => None,
    };
    let line = &line[..close.unwrap_or(line.len())];
    let line = line.split(", ").next().unwrap_or(line);
    let line_end = start + at + quote_bytes + line.len();
    let named_line = NamedLine {
        line: line.trim_end_matches(['.', ',', ';', ':', '!']),
        before: sentence_before(&text[..start + at]),
        after: match close {
            Some(close) => &sentence[at + quote_bytes + close..],
            None => line,
        },
        sentence,
        is_marked: close.is_some(),
        is_quoted,
        ..NamedLine::default()
    };
    Some((named_line, line_end))
}

/// Returns whether a word of prose begins a command line: a program, an option or a variable that is set.
fn begins_line(word: &str) -> bool {
    let is_setting = || {
        shell::parse_assignment(word).is_some_and(|(name, _)| {
            name.len() > 3 && name.bytes().all(|byte| !byte.is_ascii_lowercase())
        })
    };
    word.starts_with("--") && word.len() > 4 || shell::is_program_by_name(word) || is_setting()
}

/// Returns whether a clause turns away from what it ends with, or gives it as a reason: "instead of switching it off by".
fn turns_away(clause: &str) -> bool {
    const TURNS: [&str; 6] = [
        "instead of ",
        "rather than ",
        "in place of ",
        "and not ",
        "statt ",
        "because ",
    ];
    // What leads from the turn to a command of its own.
    const ORDERS: &str = "run use execute set put add call do start install paste type";
    let lower = clause.to_lowercase();
    let rest = TURNS
        .iter()
        .filter_map(|turn| lower.rsplit_once(turn))
        .map(|(_, rest)| rest);
    rest.min_by_key(|rest| rest.len())
        .is_some_and(|rest| !split_words(rest).iter().any(|word| is_listed(ORDERS, word)))
}

/// Returns whether a clause forbids what it ends with: "do not start it with". Another order may follow "and", "but".
pub(super) fn begins_with_ban(clause: &str) -> bool {
    // What is not to be forgotten is asked for.
    const MEANT: &str =
        "forget fail hesitate wait worry mind bother only stop just need more longer";
    let turns = [" and ", " but ", " then "].iter().filter_map(|turn| {
        let (_, rest) = clause.rsplit_once(turn)?;
        rest.contains(char::is_alphabetic).then_some(rest)
    });
    let clause = turns.min_by_key(|rest| rest.len()).unwrap_or(clause);
    let words = split_words(clause);
    let mut words = words.iter().map(String::as_str);
    let bans = match words.next() {
        Some("do") => words.next() == Some("not"),
        Some(word) => is_listed(
            "never don't dont avoid no nunca jamais ne niemals не никогда não",
            word,
        ),
        None => false,
    };
    bans && words.next().is_some_and(|verb| !is_listed(MEANT, verb))
}

fn split_words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-' | '/');
    let words = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
