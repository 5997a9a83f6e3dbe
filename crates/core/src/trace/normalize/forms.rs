//! The forms of what differs from run to run, each matched by hand-written code.
//!
//! A hook lives for a few milliseconds, and compiling patterns took a quarter of the time that a failure costs it.
//! The patterns define each form, and the tests compare the code with them; nothing here compiles one. What a form
//! stands for, and which matches count, is decided by the parent.

use super::{Slot, is_listed};
use crate::tokens::{FILE_ENDINGS, has_digit};

/// One form of text that differs from run to run.
pub(super) struct SlotForm {
    pub(super) slot: Slot,
    /// Returns whether a line may contain this form at all.
    pub(super) may_hold: fn(&str) -> bool,
    /// Returns where a match that begins at the given offset ends; `None` if none begins there.
    pub(super) find_end: fn(&LineScanner<'_>, usize) -> Option<usize>,
}

/// The forms; the first that matches at an offset counts.
#[rustfmt::skip]
pub(super) const FORMS: [SlotForm; 14] = [
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains("rejected]"), find_end: match_branches },
    SlotForm { slot: Slot::Quoted, may_hold: |line| line.contains(['"', '\'', '`', '‘', '“']), find_end: match_quoted },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains("://"), find_end: match_url },
    SlotForm { slot: Slot::Number, may_hold: |line| line.matches('-').count() >= 4, find_end: match_uuid },
    SlotForm { slot: Slot::Number, may_hold: |line| has_digit(line) && line.contains(['-', ':']), find_end: match_date_or_time },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains('@'), find_end: match_email },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains(['/', '\\']), find_end: match_path },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains('.'), find_end: match_file_name },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains("localhost") || (has_digit(line) && line.contains('.')), find_end: match_address },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains('.'), find_end: match_host },
    SlotForm { slot: Slot::Place, may_hold: |line| line.contains("tmp"), find_end: match_temporary_name },
    SlotForm { slot: Slot::Number, may_hold: may_hold_hex, find_end: match_hexadecimal },
    SlotForm { slot: Slot::Identifier, may_hold: has_digit, find_end: match_identifier },
    SlotForm { slot: Slot::Number, may_hold: has_digit, find_end: match_number },
];

const DOMAINS: &str = "com org net io dev local internal ai co app edu gov de uk";
const UNITS: &str = "ns us µs ms s sec min h k kb mb gb kib mib gib b x th st nd rd";

fn may_hold_hex(line: &str) -> bool {
    let mut runs = line.as_bytes().split(|byte| !is_small_hex(*byte));
    line.contains("0x") || runs.any(|run| run.len() >= 7)
}

/// A line, read at given offsets.
pub(super) struct LineScanner<'a> {
    pub(super) text: &'a str,
    /// The end of the previous match.
    pub(super) previous_end: usize,
}

impl LineScanner<'_> {
    fn byte_at(&self, place: usize) -> Option<u8> {
        self.text.as_bytes().get(place).copied()
    }

    fn has_text_at(&self, place: usize, text: &str) -> bool {
        self.text.as_bytes()[place..].starts_with(text.as_bytes())
    }

    /// Returns the end of the run of bytes of a class that begins here.
    fn run_end(&self, place: usize, is_in: impl Fn(u8) -> bool) -> usize {
        let rest = &self.text.as_bytes()[place..];
        let length = rest.iter().position(|byte| !is_in(*byte));
        length.map_or(self.text.len(), |length| place + length)
    }

    /// The same for a run that must not be empty.
    fn match_run(&self, place: usize, is_in: impl Fn(u8) -> bool) -> Option<usize> {
        let end = self.run_end(place, is_in);
        (end > place).then_some(end)
    }

    fn match_digits(&self, place: usize) -> Option<usize> {
        self.match_run(place, |byte| byte.is_ascii_digit())
    }

    /// Matches a text of a fixed shape: `0` stands for a digit, `f` for a hexadecimal one.
    fn match_shape(&self, place: usize, shape: &str) -> Option<usize> {
        let bytes = self.text.as_bytes().get(place..place + shape.len())?;
        let fits = |(shape, byte): (u8, &u8)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'f' => byte.is_ascii_hexdigit(),
            other => *byte == other,
        };
        let all_fit = shape.bytes().zip(bytes).all(fits);
        all_fit.then_some(place + shape.len())
    }

    /// Returns the end of a place with its line numbers and columns, or of a host with its port.
    fn skip_numbers(&self, mut end: usize, most: usize) -> usize {
        for _ in 0..most {
            match self.byte_at(end) {
                Some(b':') => match self.match_digits(end + 1) {
                    Some(after) => end = after,
                    None => break,
                },
                _ => break,
            }
        }
        end
    }

    /// Returns whether an ASCII word begins or ends here.
    fn is_boundary(&self, place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|before| self.byte_at(before));
        before.is_some_and(is_word_byte) != self.byte_at(place).is_some_and(is_word_byte)
    }

    /// Returns the end of a run of bytes of a class, if a word begins or ends at `place`.
    fn match_bounded(&self, place: usize, is_in: impl Fn(u8) -> bool) -> Option<usize> {
        self.is_boundary(place)
            .then(|| self.match_run(place, is_in))?
    }

    /// Returns the end of the word at `place`, if it is in a list.
    fn match_listed(&self, place: usize, list: &str) -> Option<usize> {
        let end = self.run_end(place, is_word_byte);
        is_listed(list, &self.text[place..end]).then_some(end)
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_small_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Returns whether a byte may be in a path without a root.
fn is_in_path(byte: u8) -> bool {
    is_word_byte(byte) || matches!(byte, b'.' | b'@' | b'+' | b'-')
}

fn is_in_name(byte: u8) -> bool {
    is_word_byte(byte) || byte == b'-'
}

/// Matches `"…"`, `'…'`, `` `…` ``, `` `…' ``, `‘…’` or `“…”`, with the character before it, so that an apostrophe
/// opens nothing.
fn match_quoted(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let within = (place == 0).then(|| match_quote_pair(line, 0)).flatten();
    within.or_else(|| {
        const BEFORE: &[u8] = b" \t\r\n([{<=:,;";
        BEFORE
            .contains(&line.byte_at(place)?)
            .then(|| match_quote_pair(line, place + 1))?
    })
}

fn match_quote_pair(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    const PAIRS: [(char, &[char]); 5] = [
        ('"', &['"']),
        ('\'', &['\'']),
        ('`', &['`', '\'']),
        ('‘', &['’']),
        ('“', &['”']),
    ];
    let rest = &line.text[place..];
    let (open, closing) = PAIRS.iter().find(|(open, _)| rest.starts_with(*open))?;
    let inner = &rest[open.len_utf8()..];
    let end = inner.find(|c| c == '\n' || closing.contains(&c))?;
    let close = inner[end..].chars().next().filter(|c| *c != '\n')?;
    (end > 0).then(|| place + open.len_utf8() + end + close.len_utf8())
}

/// Matches `topic -> topic`: what git was to push where.
fn match_branches(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let is_in_name = |byte| !b" \t\r\n".contains(&byte);
    let from = line.match_run(place, is_in_name)?;
    line.has_text_at(from, " -> ")
        .then(|| line.match_run(from + 4, is_in_name))?
}

/// Matches `https://…`.
fn match_url(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let is_small = |byte: u8| byte.is_ascii_lowercase();
    let is_in_scheme =
        |byte: u8| is_small(byte) || byte.is_ascii_digit() || matches!(byte, b'+' | b'.' | b'-');
    line.byte_at(place).filter(|byte| is_small(*byte))?;
    let scheme = line.match_bounded(place, is_in_scheme)?;
    let is_in_url = |byte| !b" \t\r\n'\">)".contains(&byte);
    line.has_text_at(scheme, "://")
        .then(|| line.match_run(scheme + 3, is_in_url))?
}

/// Matches `550e8400-e29b-41d4-a716-446655440000`.
fn match_uuid(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let end = line.match_shape(place, "ffffffff-ffff-ffff-ffff-ffffffffffff")?;
    (line.is_boundary(place) && line.is_boundary(end)).then_some(end)
}

/// Matches `2026-01-02`, `2026-01-02T10:11:12.5Z` or `10:22:01`.
fn match_date_or_time(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let fraction = |end: usize| match line.byte_at(end) {
        Some(b'.' | b',') => line.match_digits(end + 1).unwrap_or(end),
        _ => end,
    };
    if !line.is_boundary(place) {
        return None;
    }
    let Some(date) = line.match_shape(place, "0000-00-00") else {
        return line.match_shape(place, "00:00:00").map(fraction);
    };
    let time = ["T00:00", " 00:00"]
        .into_iter()
        .find_map(|shape| line.match_shape(date, shape));
    let Some(minutes) = time else {
        return Some(date);
    };
    let end = line.match_shape(minutes, ":00").map_or(minutes, fraction);
    let zones = ["Z", "+00:00", "+0000", "-00:00", "-0000"];
    Some(
        zones
            .into_iter()
            .find_map(|zone| line.match_shape(end, zone))
            .unwrap_or(end),
    )
}

/// Matches `me@example.org`.
fn match_email(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let name = line.match_bounded(place, |byte| {
        is_word_byte(byte) || matches!(byte, b'.' | b'+' | b'-')
    })?;
    let mut end =
        (line.byte_at(name) == Some(b'@')).then(|| line.match_run(name + 1, is_in_name))??;
    let labels = end;
    while line.byte_at(end) == Some(b'.')
        && let Some(label) = line.match_run(end + 1, is_in_name)
    {
        end = label;
    }
    (end > labels).then_some(end)
}

/// Matches `/usr/bin`, `~/x`, `../x`, `C:\x`, `\\host\x` or `a/b.c`, with line and column numbers.
fn match_path(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let is_in_rooted = |byte| !b" \t\r\n'\"`:,;)]}>".contains(&byte);
    let end = match match_path_root(line, place).and_then(|root| line.match_run(root, is_in_rooted))
    {
        Some(end) => end,
        None => match_relative_path(line, place)?,
    };
    Some(line.skip_numbers(end, usize::MAX))
}

/// Returns the end of a rooted path's beginning.
fn match_path_root(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    if line.byte_at(place)?.is_ascii_alphabetic() && line.has_text_at(place + 1, ":\\") {
        return Some(place + 3);
    }
    let roots = ["\\\\", "~/", "../", "./", "/"];
    let root = roots
        .into_iter()
        .find(|root| line.has_text_at(place, root))?;
    Some(place + root.len())
}

fn match_relative_path(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let before = place.checked_sub(1).and_then(|before| line.byte_at(before));
    if place > line.previous_end && before.is_some_and(is_in_path) {
        // In the middle of a part, the match ends where the whole part ended.
        return None;
    }
    let mut end = line.match_run(place, is_in_path)?;
    let first = end;
    while line.byte_at(end) == Some(b'/')
        && let Some(part) = line.match_run(end + 1, is_in_path)
    {
        end = part;
    }
    (end > first).then_some(end)
}

/// Matches `main.rs`, by its extension.
fn match_file_name(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let name = line.match_bounded(place, is_in_name)?;
    let end =
        (line.byte_at(name) == Some(b'.')).then(|| line.match_listed(name + 1, FILE_ENDINGS))??;
    Some(line.skip_numbers(end, usize::MAX))
}

/// Matches `127.0.0.1:5432` or `localhost`.
fn match_address(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    if !line.is_boundary(place) {
        return None;
    }
    if line.has_text_at(place, "localhost") {
        return Some(line.skip_numbers(place + "localhost".len(), 1));
    }
    let short = |from: usize| Some(line.match_digits(from)?.min(from + 3));
    let mut end = short(place)?;
    for _ in 0..3 {
        end = (line.byte_at(end) == Some(b'.')).then(|| short(end + 1))??;
    }
    Some(line.skip_numbers(end, 1))
}

/// Matches `api.example.org`, by its top-level domain.
fn match_host(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let is_in_label = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let mut label = line.match_bounded(place, is_in_label)?;
    let mut longest = None;
    while line.byte_at(label) == Some(b'.') {
        longest = line.match_listed(label + 1, DOMAINS).or(longest);
        match line.match_run(label + 1, is_in_label) {
            Some(next) => label = next,
            None => break,
        }
    }
    longest.map(|end| line.skip_numbers(end, 1))
}

/// Matches `tmpab12x`.
fn match_temporary_name(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    const SHORTEST: usize = "tmp".len() + 4;
    let is_in_tmp =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.-".contains(&byte);
    if !line.has_text_at(place, "tmp") || !line.is_boundary(place) {
        return None;
    }
    let most = line.run_end(place, is_in_tmp);
    let ends = (place + SHORTEST..=most).rev();
    ends.into_iter().find(|end| line.is_boundary(*end))
}

/// Matches `0xff`, or seven to sixty-four digits of a hash.
fn match_hexadecimal(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let ends_word = |end: &usize| line.is_boundary(*end);
    if line.has_text_at(place, "0x") && line.is_boundary(place) {
        let end = line.match_run(place + 2, |byte| byte.is_ascii_hexdigit());
        if let Some(end) = end.filter(ends_word) {
            return Some(end);
        }
    }
    let end = line.match_bounded(place, is_small_hex).filter(ends_word)?;
    (7..=64).contains(&(end - place)).then_some(end)
}

/// Matches `build-42`, `gift_card_8190333` or `HAT290`.
fn match_identifier(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic();
    let letters = line.match_bounded(place, is_letter)?;
    let mut end = letters;
    loop {
        let separator_end = matches!(line.byte_at(end), Some(b'_' | b'-')).then_some(end + 1);
        match separator_end.and_then(|part| line.match_run(part, is_letter)) {
            Some(part) => end = part,
            None => break,
        }
    }
    let number_end = |digits: usize, fewest: usize| {
        let end = line.match_digits(digits)?;
        (end - digits >= fewest && line.is_boundary(end)).then_some(end)
    };
    let separator_end = matches!(line.byte_at(end), Some(b'_' | b'-')).then_some(end + 1);
    separator_end
        .and_then(|digits| number_end(digits, 2))
        .or_else(|| {
            let capitals = line.run_end(place, |byte| byte.is_ascii_uppercase());
            (capitals - place >= 2).then(|| number_end(capitals, 3))?
        })
}

/// Matches `12.5s`, `375` or `99%`.
fn match_number(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    line.byte_at(place).filter(u8::is_ascii_digit)?;
    let most = line.match_bounded(place, |byte| {
        byte.is_ascii_digit() || b".,_".contains(&byte)
    })?;
    let ends = (place + 1..=most).rev();
    let end = ends.into_iter().find_map(|digits| {
        let is_bare = || line.is_boundary(digits).then_some(digits);
        match_unit(line, digits).or_else(is_bare)
    })?;
    Some(if line.byte_at(end) == Some(b'%') {
        end + 1
    } else {
        end
    })
}

/// Returns the end of a number's unit, if the word ends there too.
fn match_unit(line: &LineScanner<'_>, place: usize) -> Option<usize> {
    let letters = if line.has_text_at(place, "µ") {
        place + 'µ'.len_utf8()
    } else {
        place
    };
    let end = line.run_end(letters, is_word_byte);
    (end > letters && is_listed(UNITS, &line.text[place..end])).then_some(end)
}
