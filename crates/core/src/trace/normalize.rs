//! Removes from an error line what differs from run to run.
//!
//! Numbers, hashes, paths, times, hosts, temporary names and the contents of quotes become slots, so that the same
//! failure reads the same. The line is split into [`LinePiece`]s once; a key uses it with every slot blank, a gist
//! for people with the contents that the caller allows.

mod forms;

use std::ops::Range;

use self::forms::{FORMS, LineScanner};
use crate::shell::is_listed;

/// What a slot stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The text between quotes.
    Quoted,
    /// A path, a file name, a URL or a host.
    Place,
    /// A number, a version, a duration, a time or a hash.
    Number,
    /// A name with a number that only this task has, such as `build-42` or `HAT290`.
    Identifier,
}

/// A part of an error line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePiece<'a> {
    /// Text that belongs to the message.
    Text(&'a str),
    /// Text that differs from run to run.
    Slot(Slot, &'a str),
}

/// Finds what differs in a line, in order and without overlap: at each offset the first form that matches.
struct SlotFinder<'a> {
    line: LineScanner<'a>,
    /// Whether the line may contain each form at all.
    may_hold: [bool; FORMS.len()],
}

impl<'a> SlotFinder<'a> {
    fn new(line: &'a str) -> Self {
        Self {
            line: LineScanner {
                text: line,
                previous_end: 0,
            },
            may_hold: FORMS.each_ref().map(|form| (form.may_hold)(line)),
        }
    }

    /// Returns the form that matches at an offset, and where it ends.
    fn find_form_at(&self, place: usize) -> Option<(usize, usize)> {
        let forms = FORMS.iter().zip(self.may_hold).enumerate();
        forms
            .filter(|(_, (_, may_hold))| *may_hold)
            .find_map(|(index, (form, _))| Some((index, (form.find_end)(&self.line, place)?)))
    }
}

impl Iterator for SlotFinder<'_> {
    type Item = (usize, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let LineScanner {
            text,
            previous_end: from,
        } = self.line;
        let mut places = (from..text.len()).filter(|place| text.is_char_boundary(*place));
        let (start, (form, end)) =
            places.find_map(|place| Some((place, self.find_form_at(place)?)))?;
        self.line.previous_end = end;
        Some((form, start..end))
    }
}

/// Splits an error line into pieces.
pub fn split_pieces(line: &str) -> Vec<LinePiece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (form, range) in SlotFinder::new(line) {
        let slot = FORMS[form].slot;
        let Some(Range { start, end }) = find_varying_range(line, slot, range) else {
            continue;
        };
        if start > from {
            pieces.push(LinePiece::Text(&line[from..start]));
        }
        pieces.push(LinePiece::Slot(slot, &line[start..end]));
        from = end;
    }
    if from < line.len() {
        pieces.push(LinePiece::Text(&line[from..]));
    }
    pieces
}

/// Returns the part of a match that differs; `None` if it only looks as if it did.
fn find_varying_range(line: &str, slot: Slot, found: Range<usize>) -> Option<Range<usize>> {
    let text = &line[found.clone()];
    match slot {
        Slot::Quoted => {
            let is_quote = |c: char| matches!(c, '"' | '\'' | '`' | '‘' | '“');
            let open = text.find(is_quote)?;
            let inner = open + text[open..].chars().next()?.len_utf8();
            let close = text.chars().next_back()?.len_utf8();
            Some(found.start + inner..found.end - close)
        }
        Slot::Place => is_place(text).then_some(found),
        Slot::Identifier => (!is_error_code(line, &found)).then_some(found),
        Slot::Number => {
            let stays = is_plain_word(text) || is_status_code(line, found.start, text);
            (!stays).then_some(found)
        }
    }
}

/// Returns whether a word is the name of something that only one task has.
pub fn is_identifier(word: &str) -> bool {
    let cut = split_pieces(word);
    matches!(cut.as_slice(), [LinePiece::Slot(Slot::Identifier, _)])
}

/// Returns whether a word is what only one task has: a place, a number, or a name with a number.
pub fn is_particular(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"/~.%_".contains(c));
    let word = word.trim_end_matches('.');
    let may_be = |byte: u8| byte.is_ascii_digit() || b"/.\\@".contains(&byte);
    let found = word
        .bytes()
        .any(may_be)
        .then(|| SlotFinder::new(word).next());
    found.flatten().is_some_and(|(form, range)| {
        range == (0..word.len()) && (FORMS[form].slot != Slot::Place || is_place(word))
    })
}

/// Returns whether a match is an error code or the name of a format, which look like identifiers in capitals and
/// stay: a code begins the line or follows the word for an error, or a colon or a bracket is next to it.
fn is_error_code(line: &str, found: &Range<usize>) -> bool {
    const FORMATS: &str = "SHA224 SHA256 SHA384 SHA512 ISO8601 AES128 AES256 ISO-8859 utf-16 utf-32 UTF-16 UTF-32 x86-64";
    const ERROR: [&str; 4] = ["error", "warning", "code", "rule"];
    let (before, after) = (line[..found.start].trim_end(), &line[found.end..]);
    let lower = before.to_ascii_lowercase();
    let text = &line[found.clone()];
    let stands_as_code = before.is_empty()
        || before.ends_with(['(', '['])
        || after.starts_with([':', ')', ']'])
        || ERROR.iter().any(|word| lower.ends_with(word));
    let is_capital = !text.contains(|c: char| c.is_ascii_lowercase());
    (is_capital && stands_as_code) || is_listed(FORMATS, text)
}

/// Returns whether a match is a place; `and/or`, `N/A` and `I/O` are words.
fn is_place(text: &str) -> bool {
    let short = text.len() <= 6 && text.chars().all(|c| c.is_alphabetic() || c == '/');
    !short || text.starts_with(['/', '.', '~'])
}

/// Returns whether hexadecimal letters without a digit are a word (`defaced`).
fn is_plain_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphabetic())
}

/// Returns whether a number is a status or exit code, which is part of the error and stays.
fn is_status_code(line: &str, start: usize, text: &str) -> bool {
    let before = line[..start].trim_end_matches([' ', ':', '=', '(', '[', '#']);
    const NAMES: &str = "http status code errno error http/1.1 http/2 http/n";
    let before = before.to_ascii_lowercase();
    let has_word = NAMES.split(' ').any(|name| before.ends_with(name));
    let alone = line.trim() == text || (start == 0 && text.len() == 3);
    text.len() <= 5
        && text.chars().all(|c| c.is_ascii_digit())
        && (has_word || (alone && text.len() == 3))
}

/// Returns a line with every slot blank and in lower case, as used in a key.
pub fn blank_slots(pieces: &[LinePiece<'_>]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            LinePiece::Text(text) => out.extend(text.chars().flat_map(char::to_lowercase)),
            LinePiece::Slot(_, _) => out.push('*'),
        }
    }
    collapse_whitespace(&out)
}

/// Returns the names that a line of these pieces quotes, each without its version; not that of who called, which another has in
/// its place.
pub fn quoted_names<'a>(pieces: &[LinePiece<'a>]) -> Vec<&'a str> {
    let is_caller = |at: usize| {
        let word = match at.checked_sub(1).map(|before| &pieces[before]) {
            Some(LinePiece::Text(text)) => text.trim_end_matches(|c: char| !c.is_alphanumeric()),
            _ => "",
        };
        word.ends_with("role") || word.ends_with("user")
    };
    let names = pieces
        .iter()
        .enumerate()
        .filter_map(|(at, piece)| match piece {
            LinePiece::Slot(Slot::Quoted, content) if !is_caller(at) => find_name(content),
            _ => None,
        });
    names.collect()
}

/// Returns the name in a quotation that is one, alone or with its version: no path, number, option or sentence.
fn find_name(content: &str) -> Option<&str> {
    let (name, version) = content.split_once(' ').unwrap_or((content, "v0"));
    let is_package = name.starts_with('@') && !name.starts_with("@/");
    let is_place = !is_package && !matches!(split_pieces(name).as_slice(), [LinePiece::Text(_)]);
    let is_part = |c: char| c.is_alphanumeric() || "_-.:@/".contains(c);
    let is_name = name.contains(char::is_alphabetic) && name.chars().all(is_part);
    let number = version.strip_prefix('v').unwrap_or(version);
    let is_version = number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(' ');
    (is_name && is_version && !is_place && !name.starts_with('-')).then_some(name)
}

/// Returns the line for people: a slot's content stays only if `keep` allows it.
pub fn render_gist(pieces: &[LinePiece<'_>], keep: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            LinePiece::Text(text) => out.push_str(text),
            LinePiece::Slot(_, content) if keep(content) => out.push_str(content),
            LinePiece::Slot(_, content) if find_name(content).is_some_and(&keep) => {
                out.push_str(find_name(content).unwrap_or_default());
            }
            LinePiece::Slot(Slot::Number, _) => out.push('N'),
            LinePiece::Slot(Slot::Quoted | Slot::Place | Slot::Identifier, _) => out.push('…'),
        }
    }
    collapse_whitespace(&out)
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_lite::Regex;

    use super::*;

    /// The pattern that each form must agree with.
    #[rustfmt::skip]
    const PATTERNS: [&str; FORMS.len()] = [
        r"[^ \t\r\n]+ -> [^ \t\r\n]+",
        r#"(?:^|[ \t\r\n(\[{<=:,;])(?:"[^"\n]+"|'[^'\n]+'|`[^`'\n]+[`']|‘[^’\n]+’|“[^”\n]+”)"#,
        r"\b[a-z][a-z0-9+.-]*://[^ \t\r\n'\x22>)]+",
        r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
        r"\b[0-9]{4}-[0-9][0-9]-[0-9][0-9](?:[T ][0-9][0-9]:[0-9][0-9](?::[0-9][0-9](?:[.,][0-9]+)?)?(?:Z|[+-][0-9][0-9]:?[0-9][0-9])?)?|\b[0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]+)?",
        r"\b[A-Za-z0-9_.+-]+@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+",
        r"(?:[A-Za-z]:\\|\\\\|~/|\.{0,2}/)[^ \t\r\n'\x22`:,;)\]}>]+(?::[0-9]+)*|[A-Za-z0-9_.@+-]+(?:/[A-Za-z0-9_.@+-]+)+(?::[0-9]+)*",
        r"\b[A-Za-z0-9_-]+\.(?:py|pyc|rs|js|jsx|mjs|cjs|ts|tsx|json|jsonl|ya?ml|toml|lock|md|txt|sh|go|rb|java|kt|c|h|cc|cpp|hpp|cs|php|html|css|scss|sql|csv|xml|ini|cfg|conf|log|so|db|zip|gz|pdf|png|pcap|bin|class|jar)\b(?::[0-9]+)*",
        r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?|\blocalhost(?::[0-9]+)?",
        r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|local|internal|ai|co|app|edu|gov|de|uk)\b(?::[0-9]+)?",
        r"\btmp[a-z0-9_.-]{4,}\b",
        r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{7,64}\b",
        r"\b[A-Za-z]+(?:[_-][A-Za-z]+)*[_-][0-9]{2,}\b|\b[A-Z]{2,}[0-9]{3,}\b",
        r"\b[0-9][0-9.,_]*(?:ns|us|µs|ms|s|sec|min|h|k|kb|mb|gb|kib|mib|gib|b|x|th|st|nd|rd)?\b%?",
    ];

    #[test]
    fn what_differs_between_runs_becomes_a_slot() {
        for (line, expected) in [
            (
                "! [rejected]        main -> main (fetch first)",
                "! [rejected] * (fetch first)",
            ),
            (
                "Table 'shop.orders' doesn't exist",
                "table '*' doesn't exist",
            ),
            (
                "cp: cannot stat '/tmp/a b': No such file",
                "cp: cannot stat '*': no such file",
            ),
            ("src/main.rs:12:5: oops", "*: oops"),
            ("took 12.5s at 10:22:01", "took * at *"),
            ("commit 3ea751c087f32b16 is bad", "commit * is bad"),
            ("the door was defaced", "the door was defaced"),
            (
                "connect ECONNREFUSED 127.0.0.1:5432",
                "connect econnrefused *",
            ),
            ("GET https://x.org/a?b=1 failed", "get * failed"),
            ("HTTP 403", "http 403"),
            ("403", "403"),
            ("status code: 502", "status code: 502"),
            (
                "total price is 375, but paid 299",
                "total price is *, but paid *",
            ),
            ("can't do that and/or this", "can't do that and/or this"),
            (
                "run 550e8400-e29b-41d4-a716-446655440000 gone",
                "run * gone",
            ),
            ("open tmpr5ro6i02 failed", "open * failed"),
            ("error TS2304: x", "error ts2304: x"),
            (
                "SC2086 is a rule, [RUF100] too",
                "sc2086 is a rule, [ruf100] too",
            ),
            ("no SHA256 digest", "no sha256 digest"),
            (
                "not enough seats on flight HAT290",
                "not enough seats on flight *",
            ),
            (
                "gift_card_8190333 is too small for av-36",
                "* is too small for *",
            ),
            ("card gift_card_8190333 is used up", "card * is used up"),
            (
                "the yard refuses build-42 today",
                "the yard refuses * today",
            ),
        ] {
            assert_eq!(blank_slots(&split_pieces(line)), expected, "{line}");
        }
    }

    #[test]
    fn identifiers_of_one_task() {
        for (word, expected) in [
            ("build-42", true),
            ("gift_card_8190333", true),
            ("utf-16", false),
            ("openjdk-17-jdk", false),
            ("economy", false),
            ("v2", false),
            ("42", false),
        ] {
            assert_eq!(is_identifier(word), expected, "{word}");
        }
    }

    #[test]
    fn a_gist_keeps_what_is_vouched_for() {
        let gist = |line| render_gist(&split_pieces(line), |content| content == "test");
        assert_eq!(gist("Missing script: \"test\""), "Missing script: \"test\"");
        assert_eq!(gist("Missing script: \"secret\""), "Missing script: \"…\"");
        assert_eq!(gist("paid 299 of 375"), "paid N of N");
        assert_eq!(gist("no seat on HAT290 left"), "no seat on … left");
    }

    proptest! {
        #[test]
        fn any_line_is_cut(line in "[a-z0-9'\"`‘’/.: @x-]{0,80}") {
            prop_assert!(blank_slots(&split_pieces(&line)).len() <= 2 * line.len());
            let whole: String = split_pieces(&line).iter().map(|piece| match piece {
                LinePiece::Text(text) | LinePiece::Slot(_, text) => *text,
            }).collect();
            prop_assert_eq!(whole, line);
        }

        #[test]
        fn forms_find_what_the_patterns_do(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "'a b'", "\"x", "`y'", "‘é’", "“q”", "it's", " ", " ", " ", "=", ":", ",", "(", ".", "-", "/",
                    "a.b/c", "/tmp/x", "~/k", "C:\\x", "x.py:3", "me@h.org", "h://u", "1.2.3.4:5", "localhost",
                    "tmpab12x", "0xff", "deadbeef1", "defaced", "12.5s", "403", "2026-01-02T10:11:12Z", "10:22:01",
                    "550e8400-e29b-41d4-a716-446655440000", "and/or", "api.x.io", "é", "word", "build-42", "HAT290",
                    "µs", "5sec", "1.x", "tmp-_.-a", "%", "..", "_", "+", "@", "12", "AB123", "x-1-22", "a.com-b", "\\", "\n", "\t",
                    "0xzz", "1,5", "00:00:0", "2026-01-02 10:11", "+0100", "Abc", "ABCDE", "deadbeef", "localhost:80", "s", "x.yml",
                ]),
                0..12,
            )
        ) {
            let line = words.concat();
            let one: Vec<String> = PATTERNS.iter().map(|it| format!("({it})")).collect();
            let one = Regex::new(&one.join("|")).unwrap();
            let expected: Vec<(usize, Range<usize>)> = one
                .captures_iter(&line)
                .map(|found| {
                    let form = (0..FORMS.len()).find(|form| found.get(form + 1).is_some());
                    (form.unwrap(), found.get(0).unwrap().range())
                })
                .collect();
            prop_assert_eq!(SlotFinder::new(&line).collect::<Vec<_>>(), expected, "{}", line);
        }
    }
}
