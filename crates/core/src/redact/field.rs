//! Where a value stands beside its name, in all the ways people and programs write it.
//!
//! Assignments of programming languages, JSON, YAML, environments, tables of Markdown, XML,
//! arguments of calls and of commands, sentences. Nothing here asks whether the value is secret.

mod start;

use std::{cell::OnceCell, ops::Range};

use super::{
    alphabet::{ALNUM, Alphabet, BLANK, LETTER, WORD},
    ending::{self, End, VALUE_BYTES},
    line::{self, Line},
    name::Name,
    name_rows::{HARMLESS_AFTER, VERBS},
};
pub(super) use start::has_harmless;
use start::{after_anchor, closed, default_field, filler, opening, said, typed, value_field};

/// How much of a value is read before it is known to be a secret, in bytes.
const READ_BYTES: usize = 256;
/// The widest gap in front of a value, in characters.
const GAP: usize = 32;

const QUOTE: Alphabet = Alphabet::of("\"'`");
const SIGN: Alphabet = Alphabet::of("=:>|?,!");

/// How a value is tied to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// `name = value`, `"name": "value"`, `<name>value`.
    Assigned,
    /// `name of this and that: value`, `name string = value`.
    Filled,
    /// `("name", "value")`.
    Listed,
    /// `name("value")`.
    Argument,
    /// `--name value`.
    Flag,
    /// `the name is value`.
    Said,
    /// `Enter the name:`, and the value on the next line.
    Below,
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
    /// What ends it.
    end: End,
}

impl Value {
    /// Returns whether the value stands in quotes.
    pub(super) fn is_quoted(&self) -> bool {
        matches!(
            self.end,
            End::Quote(_) | End::Block(_) | End::Encoded | End::Line
        )
    }

    /// Returns whether only a literal can stand where the value does.
    pub(super) fn is_literal(&self) -> bool {
        let ends = matches!(
            self.end,
            End::Word(_)
                | End::Enclosed(_)
                | End::Field(_)
                | End::Parameter
                | End::Prose
                | End::Element
        );
        ends || self.is_quoted()
    }

    /// Returns whether a line of settings holds the value, in which no expression can stand: an
    /// element, a field behind a `=`, all that follows a name.
    pub(super) fn is_setting(&self) -> bool {
        matches!(self.end, End::Element | End::Field(_) | End::Word(_))
    }

    /// Returns whether the value is the text of an element.
    pub(super) fn is_element(&self) -> bool {
        self.end == End::Element
    }

    /// Returns whether the value stands outside of brackets and quotes, where no program is.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.end, End::Word(_) | End::Field(_) | End::Prose)
    }

    /// Returns the value's range to its end, of which only the beginning was read so far.
    pub(super) fn whole(&self, text: &[u8]) -> Range<usize> {
        self.end.read(text, self.range.start, VALUE_BYTES)
    }
}

/// Reads the values that a name may have, likelier ones first.
pub(super) fn values(text: &[u8], name: &Name<'_>) -> impl Iterator<Item = Value> {
    let closed = closed(text, name.range.end);
    let line = OnceCell::new();
    let field = Field {
        text,
        name,
        closed,
        line,
    };
    let gap = ending::blanks(text, closed);
    let signs = field.signs(&gap);
    let values = if name.is_flag() && text[signs.clone()] == *b":" {
        // `--name: 4px;` is a property of a style sheet.
        only(None)
    } else if !signs.is_empty() {
        field.assigned(gap, signs)
    } else if name.is_flag() {
        only(field.value_at(gap.end, Tie::Flag, gap.len() == 1))
    } else {
        field.unsigned(gap)
    };
    values.into_iter().flatten()
}

/// A name with the line it stands in.
struct Field<'a, 't> {
    text: &'t [u8],
    name: &'a Name<'t>,
    /// Where the name is closed.
    closed: usize,
    /// The line, read once it is asked for; most names have no value.
    line: OnceCell<Line>,
}

type Values = [Option<Value>; 5];

/// Returns the one value that there may be.
fn only(value: Option<Value>) -> Values {
    [value, None, None, None, None]
}

impl Field<'_, '_> {
    fn line(&self) -> &Line {
        let read = || Line::before(self.text, self.name.range.start, self.closed);
        self.line.get_or_init(read)
    }

    /// Returns the sign behind the name: all of it is one, unless a literal begins with some of it.
    fn signs(&self, gap: &Range<usize>) -> Range<usize> {
        let wide = ["\u{ff1a}".as_bytes(), "\u{ff1d}".as_bytes()];
        let escaped = [&b"%3A"[..], b"%3D", b"%3a", b"%3d", wide[0], wide[1]];
        if escaped
            .iter()
            .any(|sign| self.text[gap.end..].starts_with(sign))
        {
            return gap.end..gap.end + 3;
        }
        let run = SIGN.run(
            self.text,
            gap.end,
            if self.name.is_after_login() { 0 } else { 3 },
        );
        let most = match self.text[run.clone()] {
            [b'=', b'=' | b'>', ..] if gap.is_empty() && !self.is_spaced(run.start + 2) => 1,
            [b'=', b'=', b'='] => 3,
            [b'=', b'=' | b'>', ..] => 2,
            // `${NAME:-default}`, and `${NAME:?message}`, which holds no value.
            [b':' | b'?' | b'+', ..] if self.is_expanded() => {
                let default = self.text[run.end..].starts_with(b"-") || run.len() > 1;
                return if default {
                    run.start..run.start + 2
                } else {
                    run.start..run.start
                };
            }
            [b':', b':', b'='] => 3,
            // `Secret::new`
            [b':', b':', ..] => 0,
            [b':', b'=', ..] => 2,
            [b'=' | b':', ..] => 1,
            _ => 3,
        };
        run.start..run.end.min(run.start + most)
    }

    /// Returns whether a shell expands the name: `${NAME…`.
    fn is_expanded(&self) -> bool {
        self.text[..self.name.range.start].ends_with(b"${")
    }

    /// Returns whether quotes stand around the name and its value alone, as in `-e "A_PASSWORD=…"`,
    /// and not around a command: `sh -c "A_PASSWORD=… run"`.
    fn is_quoted_whole(&self) -> bool {
        let before = &self.text[..self.name.range.start];
        let quote = self
            .line()
            .quote
            .filter(|quote| before.ends_with(&[*quote]));
        let before = before.split_last().map_or(before, |(_, before)| before);
        let heads = [&b"Environment="[..], b"\" ", b"-e ", b"env ", b"export "];
        let given = heads.iter().any(|head| before.ends_with(head));
        quote.is_some() && given && self.name.is_screaming()
    }

    /// Returns whether a file of settings gives a network its key: `wpa_passphrase=…`, `psk=…`.
    fn is_network(&self) -> bool {
        let name = &self.text[self.name.range.clone()];
        self.name.indent().is_some() && (name.ends_with(b"passphrase") || name.ends_with(b"psk"))
    }

    fn is_spaced(&self, at: usize) -> bool {
        self.text
            .get(at)
            .is_none_or(|&byte| BLANK.has(byte) || QUOTE.has(byte) || byte == b'=')
    }

    /// Reads the values that may stand behind the `signs` after a name.
    fn assigned(&self, gap: Range<usize>, signs: Range<usize>) -> Values {
        let text = self.text;
        let listed = text[signs.clone()] == *b",";
        let tie = if listed { Tie::Listed } else { Tie::Assigned };
        let glued = gap.is_empty() && text[signs.clone()] == *b"=";
        let plain = self.value_at(signs.end, tie, glued);
        [
            typed(text, signs.end)
                .and_then(|at| self.value_at(at, tie, false))
                .filter(Value::is_quoted),
            value_field(text, gap.end).and_then(|at| self.value_at(at, Tie::Assigned, false)),
            self.block(signs.end),
            plain.filter(|_| !text[signs.clone()].contains(&b'?') || text[signs.clone()] == *b"??"),
            (text[signs.clone()] == *b":")
                .then(|| self.below(signs.end))
                .flatten(),
        ]
    }

    /// Reads the values that may stand after a name that no sign follows.
    fn unsigned(&self, gap: Range<usize>) -> Values {
        let text = self.text;
        if self.name.is_after_login() || self.name.is_clause() {
            return only(self.value_at(gap.end, Tie::Beside, false));
        }
        let filler = filler(text, gap.start);
        let sign = matches!(text.get(filler.end), Some(b'=' | b':' | b'?'));
        let arrow = text[..filler.end].ends_with(b" -") && text.get(filler.end) == Some(&b'>');
        let arrow = arrow && !text[filler.clone()].contains(&b'(');
        let sign = (sign || arrow) && !text[filler.end..].starts_with(b"::");
        let asks = text.get(filler.end) == Some(&b'?');
        let harmless = has_harmless(&text[filler.clone()]);
        // `.password("x")`, `PASSWORD('x')`
        let called = [&b"(\""[..], b"('", b"(\\\""];
        let called = called
            .iter()
            .any(|call| text[self.name.range.end..].starts_with(call));
        // `t.pass("x")` says that a test did.
        if called && !text[self.name.range.clone()].ends_with(b"pass") {
            return only(self.value_at(self.name.range.end + 1, Tie::Argument, false));
        }
        let filled = (sign && !asks).then_some(filler.end + 1);
        let beside = (!gap.is_empty()).then_some(gap.end);
        let said = said(text, filler.clone());
        [
            value_field(text, gap.end)
                .or(default_field(text, gap.end))
                .and_then(|at| self.value_at(at, Tie::Assigned, false)),
            said.and_then(|at| self.value_at(at, Tie::Said, false)),
            filled.and_then(|at| self.value_at(at, Tie::Filled, false)),
            if sign && !harmless {
                self.below(filler.end + 1)
            } else {
                None
            },
            beside.and_then(|at| self.value_at(at, Tie::Beside, false)),
        ]
    }

    /// Reads the lines of a YAML block that `>-` or `|` begins.
    fn block(&self, at: usize) -> Option<Value> {
        let signs = Alphabet::of(">|+-").run(self.text, BLANK.run(self.text, at, 4).end, 3);
        let indent = self.name.indent()?;
        let opens = !signs.is_empty() && self.text.get(signs.end) == Some(&b'\n');
        let end = End::Block(indent);
        let start = ending::indent_end(self.text, signs.end + 1);
        let range = opens.then(|| end.read(self.text, start, READ_BYTES))?;
        (!range.is_empty()).then_some(Value {
            range,
            tie: Tie::Assigned,
            glued: false,
            end,
        })
    }

    /// Reads the one word of the next line.
    fn below(&self, at: usize) -> Option<Value> {
        let text = self.text;
        let end = BLANK.run(text, at, GAP).end;
        if text.get(end) != Some(&b'\n') {
            return None;
        }
        let start = Alphabet::of("> \t").run(text, end + 1, GAP).end;
        let word = End::Word(None).read(text, start, READ_BYTES);
        let alone = text.get(word.end).is_none_or(|&byte| byte == b'\n');
        let is_key = text[word.clone()].ends_with(b":");
        (alone && !is_key && !word.is_empty()).then_some(Value {
            range: word,
            tie: Tie::Below,
            glued: false,
            end: End::Word(None),
        })
    }

    /// Reads the value at `at`, which may be quoted, wrapped in a call, or bare.
    fn value_at(&self, at: usize, tie: Tie, glued: bool) -> Option<Value> {
        let text = self.text;
        let bold = Alphabet::of("*").run(text, at, 2);
        let bold = if glued { at } else { bold.end };
        let blank = BLANK.run(text, bold, GAP).end;
        let next = ending::continuation(&text[blank..]).filter(|_| tie == Tie::Assigned);
        let start = match next {
            Some(length) => blank + length,
            None if blank == at => at,
            None => after_anchor(text, blank),
        };
        let glued = glued && (start == at || tie == Tie::Flag);
        let opening = opening(text, start).filter(|&(at, quote)| !self.closes(start, at, quote));
        let (start, end) = match opening {
            Some((start, quote)) => (start, End::Quote(quote)),
            None if text[start..].starts_with(b"%22") => (start + 3, End::Encoded),
            // `("token", header)` lists names, not values.
            None if matches!(tie, Tie::Listed | Tie::Argument) => return None,
            None => (start, self.end_of(start, tie, glued)),
        };
        let range = end.read(text, start, READ_BYTES);
        Some(Value {
            range,
            tie,
            glued,
            end,
        })
    }

    /// Returns whether what could open a value closes the text that the name stands in.
    fn closes(&self, start: usize, opened: usize, quote: u8) -> bool {
        // A quote around the name shows that the line's quotes were counted from a wrong one.
        let is_key = self.closed > self.name.range.end
            && self.text[..self.name.range.start].ends_with(&[quote]);
        !is_key && self.line().quote == Some(quote) && opened == start + 1
    }

    /// Returns what ends a value without quotes.
    fn end_of(&self, start: usize, tie: Tie, glued: bool) -> End {
        let word = match self.line().in_brackets {
            true => End::Enclosed(self.line().quote),
            false => End::Word(self.line().quote),
        };
        let code = End::Code;
        let length = word.read(self.text, start, READ_BYTES);
        let is_code = ending::is_code_end(&self.text[length.clone()]);
        let is_plain = ending::is_plain(&self.text[length.clone()]);
        let is_alone = line::ends_at(self.text, length.end, self.line().quote);
        match tie {
            _ if self.name.is_element() => {
                let element = ending::element(self.text, start, READ_BYTES);
                element.map_or(code, |_| End::Element)
            }
            _ if self.is_expanded() => code,
            Tie::Assigned
                if self.text[..start].ends_with(b">")
                    && ending::element(self.text, start, READ_BYTES).is_some() =>
            {
                End::Element
            }
            Tie::Assigned if glued && self.is_quoted_whole() => {
                End::Quote(self.line().quote.unwrap_or_default())
            }
            Tie::Assigned if glued && self.is_network() && ending::is_phrase(self.text, start) => {
                End::Line
            }
            Tie::Assigned if glued && self.name.is_parameter() => End::Parameter,
            Tie::Assigned if glued && (self.name.is_screaming() || self.name.is_flag()) => word,
            Tie::Flag => word,
            _ if self.line().in_brackets => code,
            Tie::Assigned if glued && !is_code => End::Field(self.line().quote),
            Tie::Assigned if self.line().is_first && is_alone && !is_code => word,
            Tie::Beside if self.name.is_after_login() => word,
            Tie::Beside if self.line().is_first && is_alone && !is_code => word,
            Tie::Assigned if !self.line().is_statement && !is_code && is_plain => End::Prose,
            Tie::Said | Tie::Filled => End::Prose,
            _ => code,
        }
    }
}
