//! Finds the value beside a name, in all the ways people and programs write it.
//!
//! Assignments of programming languages, JSON, YAML, environments, Markdown tables, XML, arguments of calls and of
//! commands, sentences. Whether the value is secret is not decided here.

mod below;
mod column;
mod start;

use std::{cell::OnceCell, ops::Range};

use super::{
    alphabet::{ALNUM, Alphabet, BLANK, LETTER, WORD},
    ending::{self, VALUE_BYTES, ValueEnd},
    line::{self, LineContext},
    name::FieldName,
    name_rows::{HARMLESS_AFTER, VALUE_VERBS},
    property_list,
};
use below::read_value_below;
pub(super) use column::read_column;
pub(super) use start::has_harmless_word;
use start::{
    find_after_type, find_after_verb, find_default_value, find_fallback, find_opening_quote,
    find_value_field, read_filler, skip_closers, skip_yaml_anchor,
};

/// How much of a value is read before it is known to be a secret, in bytes.
const READ_BYTES: usize = 256;
/// The widest gap before a value, in characters.
const MAX_GAP: usize = 32;

const QUOTE: Alphabet = Alphabet::from_chars("\"'`");
const SIGN: Alphabet = Alphabet::from_chars("=:>|?,!");

/// How a value is connected to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    /// `name = value`, `"name": "value"`, `<name>value`.
    Assigned,
    /// `name of this and that: value`, `name string = value`.
    AfterFiller,
    /// `("name", "value")`.
    NextArgument,
    /// `name("value")`.
    CallArgument,
    /// `--name value`.
    Flag,
    /// `the name is value`.
    Sentence,
    /// `Enter the name:`, with the value on the next line, or in the name's column.
    NextLine,
    /// The name ends its line, and the value is on the next one, or is set apart by a blank line.
    Below,
    /// `cat secrets/name`, with the value on the next line.
    Printed,
    /// `my name value`.
    Adjacent,
}

/// A value beside a name.
#[derive(Debug)]
pub(super) struct FieldValue {
    /// The range from its beginning as far as it was read.
    pub(super) range: Range<usize>,
    /// How it is connected to the name.
    pub(super) binding: Binding,
    /// Whether only a `=` separates it from the name.
    pub(super) is_glued: bool,
    /// What ends it.
    end: ValueEnd,
}

impl FieldValue {
    /// Returns whether the value is quoted.
    pub(super) fn is_quoted(&self) -> bool {
        matches!(
            self.end,
            ValueEnd::Quote(_) | ValueEnd::Block(_) | ValueEnd::Encoded | ValueEnd::Line
        )
    }

    /// Returns whether only a literal can stand in the place of the value.
    pub(super) fn is_literal(&self) -> bool {
        let ends = matches!(
            self.end,
            ValueEnd::Word(_)
                | ValueEnd::Enclosed(_)
                | ValueEnd::Field(_)
                | ValueEnd::Parameter
                | ValueEnd::Prose
                | ValueEnd::Element
                | ValueEnd::Cell(_)
        );
        ends || self.is_quoted()
    }

    /// Returns whether the value is on a line of settings, where no expression can stand: an XML element, a field
    /// after a `=`, all that follows a name.
    pub(super) fn is_setting(&self) -> bool {
        matches!(
            self.end,
            ValueEnd::Element | ValueEnd::Field(_) | ValueEnd::Word(_)
        )
    }

    /// Returns whether the value is the text of an XML element.
    pub(super) fn is_element(&self) -> bool {
        self.end == ValueEnd::Element
    }

    /// Returns whether the value is outside of brackets and quotes, where no code is.
    pub(super) fn is_bare(&self) -> bool {
        matches!(
            self.end,
            ValueEnd::Word(_) | ValueEnd::Field(_) | ValueEnd::Prose
        )
    }

    /// Returns the value's whole range, of which only the beginning was read so far.
    pub(super) fn full_range(&self, text: &[u8]) -> Range<usize> {
        self.end.read_value(text, self.range.start, VALUE_BYTES)
    }
}

/// Reads the possible values of a name, the most likely first.
pub(super) fn read_values(text: &[u8], name: &FieldName<'_>) -> impl Iterator<Item = FieldValue> {
    let name_end = skip_closers(text, name.range.end);
    let line = OnceCell::new();
    let field = NamedField {
        text,
        name,
        name_end,
        line,
    };
    let gap = ending::blanks_at(text, name_end);
    let signs = field.find_sign(&gap);
    let values = if name.is_element() && property_list::is_key(text, &name.range) {
        single_value(None)
    } else if let Some(at) = property_list::find_value(text, &name.range) {
        single_value(field.read_value_at(at, Binding::Assigned, false))
    } else if let Some(at) = find_fallback(text, name_end) {
        single_value(field.read_value_at(at, Binding::Assigned, false))
    } else if name.is_flag() && text[signs.clone()] == *b":" {
        // `--name: 4px;` is a property of a style sheet.
        single_value(None)
    } else if !signs.is_empty() {
        field.read_assigned(gap, signs)
    } else if name.is_flag() {
        single_value(field.read_value_at(gap.end, Binding::Flag, gap.len() == 1))
    } else {
        field.read_unsigned(gap)
    };
    values.into_iter().flatten()
}

/// A name with the line that it is on.
struct NamedField<'a, 't> {
    text: &'t [u8],
    name: &'a FieldName<'t>,
    /// Where the quotes or brackets after the name end.
    name_end: usize,
    /// The line, read when it is first needed; most names have no value.
    line: OnceCell<LineContext>,
}

type FieldValues = [Option<FieldValue>; 5];

/// Returns a list with at most one value.
fn single_value(value: Option<FieldValue>) -> FieldValues {
    [value, None, None, None, None]
}

impl NamedField<'_, '_> {
    fn line(&self) -> &LineContext {
        let read = || LineContext::read_before(self.text, self.name.range.start, self.name_end);
        self.line.get_or_init(read)
    }

    /// Returns the range of the sign after the name, without what belongs to a literal.
    fn find_sign(&self, gap: &Range<usize>) -> Range<usize> {
        let wide = ["\u{ff1a}".as_bytes(), "\u{ff1d}".as_bytes()];
        let escapes = [&b"%3A"[..], b"%3D", b"%3a", b"%3d", wide[0], wide[1]];
        if escapes
            .iter()
            .any(|sign| self.text[gap.end..].starts_with(sign))
        {
            return gap.end..gap.end + 3;
        }
        let run = SIGN.run_from(
            self.text,
            gap.end,
            if self.name.is_after_login() { 0 } else { 3 },
        );
        let most = match self.text[run.clone()] {
            [b'=', b'=' | b'>', ..] if gap.is_empty() && !self.is_spaced_at(run.start + 2) => 1,
            [b'=', b'=', b'='] => 3,
            [b'=', b'=' | b'>', ..] => 2,
            // `${NAME:-default}`, and `${NAME:?message}`, which contains no value.
            [b':' | b'?' | b'+', ..] if self.is_expanded() => {
                let default = self.text[run.end..].starts_with(b"-") || run.len() > 1;
                return if default {
                    run.start..run.start + 2
                } else {
                    run.start..run.start
                };
            }
            [b':', b':', b'='] => 3,
            // `{{ .Values.password | quote }}`
            [b'|', ..] if self.line().in_brackets => 0,
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

    /// Returns whether the quotes surround only the name and its value, as in `-e "A_PASSWORD=…"`, and not a command:
    /// `sh -c "A_PASSWORD=… run"`.
    fn is_quoted_whole(&self) -> bool {
        let before = &self.text[..self.name.range.start];
        let quote = self
            .line()
            .open_quote
            .filter(|quote| before.ends_with(&[*quote]));
        let before = before.split_last().map_or(before, |(_, before)| before);
        let heads = [&b"Environment="[..], b"\" ", b"-e ", b"env ", b"export "];
        let is_given = heads.iter().any(|head| before.ends_with(head));
        quote.is_some() && is_given && self.name.is_screaming_case()
    }

    /// Returns whether a settings file assigns a network key: `wpa_passphrase=…`, `psk=…`.
    fn is_network_key(&self) -> bool {
        let name = &self.text[self.name.range.clone()];
        self.name.indent().is_some() && (name.ends_with(b"passphrase") || name.ends_with(b"psk"))
    }

    fn is_spaced_at(&self, at: usize) -> bool {
        self.text
            .get(at)
            .is_none_or(|&byte| BLANK.contains(byte) || QUOTE.contains(byte) || byte == b'=')
    }

    /// Reads the possible values after the `signs` that follow a name.
    fn read_assigned(&self, gap: Range<usize>, signs: Range<usize>) -> FieldValues {
        let text = self.text;
        let is_listed = text[signs.clone()] == *b",";
        let tie = if is_listed {
            Binding::NextArgument
        } else {
            Binding::Assigned
        };
        let is_glued = gap.is_empty() && text[signs.clone()] == *b"=";
        let plain = self.read_value_at(signs.end, tie, is_glued);
        [
            find_after_type(text, signs.end)
                .and_then(|at| self.read_value_at(at, tie, false))
                .filter(FieldValue::is_quoted),
            find_value_field(text, gap.end)
                .and_then(|at| self.read_value_at(at, Binding::Assigned, false)),
            self.read_block(signs.end),
            plain.filter(|_| !text[signs.clone()].contains(&b'?') || text[signs.clone()] == *b"??"),
            read_value_below(text, self.name),
        ]
    }

    /// Reads the possible values after a name without a sign.
    fn read_unsigned(&self, gap: Range<usize>) -> FieldValues {
        let text = self.text;
        if self.name.is_after_login() || self.name.is_sql_clause() {
            let beside = self.read_value_at(gap.end, Binding::Adjacent, false);
            return [beside, read_value_below(text, self.name), None, None, None];
        }
        let filler = read_filler(text, gap.start);
        let sign = matches!(text.get(filler.end), Some(b'=' | b':' | b'?'));
        let arrow = text[..filler.end].ends_with(b" -") && text.get(filler.end) == Some(&b'>');
        let arrow = arrow && !text[filler.clone()].contains(&b'(');
        let sign = (sign || arrow) && !text[filler.end..].starts_with(b"::");
        let asks = text.get(filler.end) == Some(&b'?');
        // `.password("x")`, `PASSWORD('x')`
        let openings = [&b"(\""[..], b"('", b"(\\\""];
        let is_call = openings
            .iter()
            .any(|call| text[self.name.range.end..].starts_with(call));
        // `t.pass("x")` reports a test's success.
        if is_call && !text[self.name.range.clone()].ends_with(b"pass") {
            return single_value(self.read_value_at(
                self.name.range.end + 1,
                Binding::CallArgument,
                false,
            ));
        }
        let after_filler = (sign && !asks).then_some(filler.end + 1);
        let beside = (!gap.is_empty()).then_some(gap.end);
        let value_start = find_after_verb(text, filler.clone());
        [
            find_value_field(text, gap.end)
                .or(find_default_value(text, gap.end))
                .and_then(|at| self.read_value_at(at, Binding::Assigned, false)),
            value_start.and_then(|at| self.read_value_at(at, Binding::Sentence, false)),
            after_filler.and_then(|at| self.read_value_at(at, Binding::AfterFiller, false)),
            beside.and_then(|at| self.read_value_at(at, Binding::Adjacent, false)),
            read_value_below(text, self.name),
        ]
    }

    /// Reads the lines of a YAML block that begins with `>-` or `|`.
    fn read_block(&self, at: usize) -> Option<FieldValue> {
        let signs = Alphabet::from_chars(">|+-").run_from(
            self.text,
            BLANK.run_from(self.text, at, 4).end,
            3,
        );
        let indent = self.name.indent()?;
        let opens = !signs.is_empty() && self.text.get(signs.end) == Some(&b'\n');
        let end = ValueEnd::Block(indent);
        let start = ending::find_indent_end(self.text, signs.end + 1);
        let range = opens.then(|| end.read_value(self.text, start, READ_BYTES))?;
        (!range.is_empty()).then_some(FieldValue {
            range,
            binding: Binding::Assigned,
            is_glued: false,
            end,
        })
    }

    /// Reads the value at `at`, which may be quoted, wrapped in a call, or bare.
    fn read_value_at(&self, at: usize, tie: Binding, glued: bool) -> Option<FieldValue> {
        let text = self.text;
        let bold = Alphabet::from_chars("*").run_from(text, at, 2);
        let bold = if glued { at } else { bold.end };
        let blank = BLANK.run_from(text, bold, MAX_GAP).end;
        let next = ending::continuation_length(&text[blank..]).filter(|_| tie == Binding::Assigned);
        let start = match next {
            Some(length) => blank + length,
            None if blank == at => at,
            None => skip_yaml_anchor(text, blank),
        };
        let is_glued = glued && (start == at || tie == Binding::Flag);
        let opening = find_opening_quote(text, start)
            .filter(|&(at, quote)| !self.closes_text(start, at, quote));
        let (start, end) = match opening {
            Some((start, quote)) => (start, ValueEnd::Quote(quote)),
            None if text[start..].starts_with(b"%22") => (start + 3, ValueEnd::Encoded),
            // `("token", header)` lists names, not values.
            None if matches!(tie, Binding::NextArgument | Binding::CallArgument) => return None,
            None => (start, self.choose_end(start, tie, is_glued)),
        };
        let range = end.read_value(text, start, READ_BYTES);
        Some(FieldValue {
            range,
            binding: tie,
            is_glued,
            end,
        })
    }

    /// Returns whether a quote behind the name ends a text that was open, and so opens no value: the last one in
    /// `"say the password:"`.
    fn closes_text(&self, start: usize, opened: usize, quote: u8) -> bool {
        // A quote around the name shows that the line's quotes were counted from a wrong one.
        let is_key = self.name_end > self.name.range.end
            && self.text[..self.name.range.start].ends_with(&[quote]);
        !is_key && self.line().open_quote == Some(quote) && opened == start + 1
    }

    /// Returns what ends an unquoted value.
    fn choose_end(&self, start: usize, tie: Binding, glued: bool) -> ValueEnd {
        let word = if self.line().in_brackets {
            ValueEnd::Enclosed(self.line().open_quote)
        } else {
            ValueEnd::Word(self.line().open_quote)
        };
        let code = ValueEnd::Code;
        let length = word.read_value(self.text, start, READ_BYTES);
        let is_code = ending::is_code_end(&self.text[length.clone()]);
        let is_plain = ending::is_plain_value(&self.text[length.clone()]);
        let is_alone = line::ends_line_at(self.text, length.end, self.line().open_quote);
        match tie {
            _ if self.name.is_element() => {
                let element = ending::read_element(self.text, start, READ_BYTES);
                element.map_or(code, |_| ValueEnd::Element)
            }
            _ if self.is_expanded() => code,
            Binding::Assigned
                if self.text[..start].ends_with(b">")
                    && ending::read_element(self.text, start, READ_BYTES).is_some() =>
            {
                ValueEnd::Element
            }
            Binding::Assigned if glued && self.is_quoted_whole() => {
                ValueEnd::Quote(self.line().open_quote.unwrap_or_default())
            }
            Binding::Assigned
                if glued && self.is_network_key() && ending::is_several_words(self.text, start) =>
            {
                ValueEnd::Line
            }
            Binding::Assigned if glued && self.name.is_parameter() => ValueEnd::Parameter,
            Binding::Assigned
                if glued && (self.name.is_screaming_case() || self.name.is_flag()) =>
            {
                word
            }
            Binding::Flag => word,
            _ if self.line().in_brackets => code,
            Binding::Assigned if glued && !is_code => ValueEnd::Field(self.line().open_quote),
            Binding::Assigned if self.line().is_first && is_alone && !is_code => word,
            Binding::Adjacent if self.name.is_after_login() => word,
            Binding::Adjacent if self.line().is_first && is_alone && !is_code => word,
            Binding::Assigned if !self.line().is_statement && !is_code && is_plain => {
                ValueEnd::Prose
            }
            Binding::Sentence | Binding::AfterFiller => ValueEnd::Prose,
            _ => code,
        }
    }
}
