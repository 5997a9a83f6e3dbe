//! Where a value stands beside its name, in all the ways people and programs write it.
//!
//! Assignments of programming languages, JSON, YAML, environments, tables of Markdown, XML,
//! arguments of calls and of commands, sentences. Nothing here asks whether the value is secret.

use std::ops::Range;

use super::{
    alphabet::{ALNUM, Alphabet, BLANK, LETTER, WORD},
    name::Name,
};

/// How much of a value is read before it is known to be a secret, in bytes.
const READ_BYTES: usize = 256;
/// The longest value, in bytes.
const VALUE_BYTES: usize = 8 * 1024;
/// The widest gap in front of a value, in characters.
const GAP: usize = 32;

const QUOTE: Alphabet = Alphabet::of("\"'`");
/// What may close a name: quotes, also escaped ones, brackets, and Markdown's bold.
const CLOSER: Alphabet = Alphabet::of("\"'`)]}[*\\");
const SIGN: Alphabet = Alphabet::of("=:>|?,!");
/// What may stand between a name and its sign: `password for the admin: …`, `token string = …`.
const FILLER: Alphabet = WORD.or(Alphabet::of(" \t.-"));
const TYPE: Alphabet = ALNUM.or(Alphabet::of("_&<>[]'?|.*: "));

/// How a value is tied to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// `name = value`, `"name": "value"`, `<name>value`.
    Assigned,
    /// `name of this and that: value`, `name string = value`.
    Filled,
    /// `("name", "value")`.
    Listed,
    /// `--name value`.
    Flag,
    /// `the name is value`.
    Said,
    /// `my name value`.
    Beside,
}

/// A value beside a name.
#[derive(Debug)]
pub(super) struct Value {
    /// Where it begins, and how far it was read.
    pub(super) range: Range<usize>,
    /// What ties it to the name.
    pub(super) tie: Tie,
    /// Whether nothing but a `=` stands between.
    pub(super) glued: bool,
    quote: Option<u8>,
}

impl Value {
    /// Returns whether the value stands in quotes.
    pub(super) fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    /// Returns the value's range to its end, of which only the beginning was read so far.
    pub(super) fn whole(&self, text: &[u8]) -> Range<usize> {
        match self.quote {
            Some(quote) => quoted(text, self.range.start, quote, VALUE_BYTES),
            None => bare(text, self.range.start, VALUE_BYTES),
        }
    }
}

/// Reads the values that a name may have, likelier ones first.
pub(super) fn values(text: &[u8], name: &Name<'_>) -> impl Iterator<Item = Value> {
    let closed = CLOSER.run(text, name.range.end, 6).end;
    let gap = BLANK.run(text, closed, GAP);
    let signs = SIGN.run(text, gap.end, 3);
    let values = if !signs.is_empty() {
        assigned(text, gap, signs)
    } else if name.is_flag() {
        [value_at(text, gap.end, Tie::Flag), None, None, None]
    } else {
        unsigned(text, gap)
    };
    values.into_iter().flatten()
}

/// Reads the values that may stand behind the `signs` after a name.
fn assigned(text: &[u8], gap: Range<usize>, signs: Range<usize>) -> [Option<Value>; 4] {
    let listed = text[signs.clone()] == *b",";
    let tie = if listed { Tie::Listed } else { Tie::Assigned };
    let plain = value_at(text, signs.end, tie).map(|value| Value {
        glued: gap.is_empty() && text[signs.clone()] == *b"=" && value.glued,
        ..value
    });
    [
        typed(text, signs.end).and_then(|at| value_at(text, at, tie)),
        value_field(text, gap.end).and_then(|at| value_at(text, at, Tie::Assigned)),
        plain,
        None,
    ]
}

/// Reads the values that may stand after a name that no sign follows.
fn unsigned(text: &[u8], gap: Range<usize>) -> [Option<Value>; 4] {
    let filler = FILLER.run(text, gap.start, GAP).end;
    let filled = matches!(text.get(filler), Some(b'=' | b':')).then_some(filler + 1);
    let beside = (!gap.is_empty()).then_some(gap.end);
    [
        value_field(text, gap.end).and_then(|at| value_at(text, at, Tie::Assigned)),
        filled.and_then(|at| value_at(text, at, Tie::Filled)),
        said(text, gap.end).and_then(|at| value_at(text, at, Tie::Said)),
        beside.and_then(|at| value_at(text, at, Tie::Beside)),
    ]
}

/// Returns where the value begins after a type: `: &str = `.
fn typed(text: &[u8], at: usize) -> Option<usize> {
    let end = TYPE.run(text, at, GAP).end;
    let assigns = text.get(end) == Some(&b'=') && text[at..end].ends_with(b" ");
    let first = *text[at..end].trim_ascii().first()?;
    (assigns && (LETTER.has(first) || b"&*[<".contains(&first))).then_some(end + 1)
}

/// Returns where the value begins in a pair of fields: `name: TOKEN, value: …`.
fn value_field(text: &[u8], at: usize) -> Option<usize> {
    const BETWEEN: Alphabet = Alphabet::of(" \t\r\n,\"'\\-");
    let word = BETWEEN.run(text, at, GAP).end;
    let rest = text.get(word..word + 5)?;
    let end = CLOSER.run(text, word + 5, 3).end;
    let signs = SIGN.run(text, BLANK.run(text, end, GAP).end, 2);
    (rest.eq_ignore_ascii_case(b"value") && !signs.is_empty()).then_some(signs.end)
}

/// Returns where the value begins in a sentence: ` is `, ` was: `.
fn said(text: &[u8], at: usize) -> Option<usize> {
    let verb = LETTER.run(text, at, 6);
    let is_verb = ["is", "was", "to", "as", "with", "be"]
        .iter()
        .any(|word| text[verb.clone()].eq_ignore_ascii_case(word.as_bytes()));
    let colon = usize::from(text.get(verb.end) == Some(&b':'));
    is_verb.then_some(verb.end + colon)
}

/// Reads the value at `at`, which may be quoted, wrapped in a call, or bare.
fn value_at(text: &[u8], at: usize, tie: Tie) -> Option<Value> {
    let bold = Alphabet::of("*").run(text, at, 2);
    let start = BLANK.run(text, bold.end, GAP).end;
    let glued = start == at;
    let opening = opening(text, start);
    let range = match opening {
        Some((start, quote)) => quoted(text, start, quote, READ_BYTES),
        // `("token", header)` lists names, not values.
        None if tie == Tie::Listed => return None,
        None => bare(text, start, READ_BYTES),
    };
    let quote = opening.map(|(_, quote)| quote);
    Some(Value {
        range,
        tie,
        glued,
        quote,
    })
}

/// Returns where a quoted value begins and its quote: after `"`, `\"`, `b'`, `from("`, `["`.
fn opening(text: &[u8], at: usize) -> Option<(usize, u8)> {
    const CALL: Alphabet = WORD.or(Alphabet::of(":."));
    let callee = CALL.run(text, at, GAP);
    let bracket = Alphabet::of("([{").run(text, callee.end, 1);
    let is_prefix = callee.len() <= 1;
    if !is_prefix && bracket.is_empty() {
        return None;
    }
    let escapes = Alphabet::of("\\").run(text, bracket.end, 7);
    let quotes = QUOTE.run(text, escapes.end, 3);
    let quote = *text[quotes.clone()].first()?;
    // Two quotes are an empty value; three open one.
    (quotes.len() != 2).then_some((quotes.end, quote))
}

/// Reads up to the closing quote, or to the end of the line when none closes it.
fn quoted(text: &[u8], start: usize, quote: u8, limit: usize) -> Range<usize> {
    let escaped = text[..start - 1].ends_with(b"\\");
    let rest = &text[start..text.len().min(start + limit)];
    let mut end = 0;
    while end < rest.len() && rest[end] != quote && rest[end] != b'\n' {
        let skips =
            rest[end] == b'\\' && !escaped && rest.get(end + 1).is_some_and(|&b| b != b'\n');
        end += if skips { 2 } else { 1 };
    }
    let value = &rest[..end.min(rest.len())];
    let backslashes = value.iter().rev().take_while(|&&byte| byte == b'\\');
    let backslashes = if escaped { backslashes.count() } else { 0 };
    start..start + value.len() - backslashes
}

/// Reads up to a blank, a quote or what closes an expression, without the sentence's full stop.
fn bare(text: &[u8], start: usize, limit: usize) -> Range<usize> {
    const END: Alphabet = Alphabet::of(" \t\r\n\"'`,;)]}<>|");
    let rest = &text[start.min(text.len())..text.len().min(start + limit)];
    let is_escape = |next: Option<&u8>| next.is_some_and(|byte| b"nrt\"'\\".contains(byte));
    let is_end = |at: usize| match rest[at] {
        b'&' => is_next_parameter(&rest[at + 1..]),
        b'\\' => is_escape(rest.get(at + 1)),
        byte => END.has(byte),
    };
    let end = (0..rest.len()).find(|&at| is_end(at)).unwrap_or(rest.len());
    let stops = rest[..end]
        .iter()
        .rev()
        .take_while(|byte| b".:*".contains(byte))
        .count();
    start..start + end - stops
}

/// Returns whether the `&` before `rest` ends a parameter of a URL or a command.
fn is_next_parameter(rest: &[u8]) -> bool {
    let name = WORD.or(Alphabet::of("-.")).run(rest, 0, GAP).end;
    let next = rest.get(name);
    next == Some(&b'=') || name == 0 && next.is_none_or(|&byte| b" &\t\n;".contains(&byte))
}
