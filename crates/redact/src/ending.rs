//! Finds the end of a value, by the syntax that it stands in.
//!
//! A quoted value ends at its quote, a word of a shell or an environment at a space, a field of a connection string
//! at its `;`, a parameter of a URL at its `&`, an expression at what closes it.

use std::{borrow::Cow, ops::Range};

use super::{
    alphabet::{ALNUM, Alphabet, BLANK, WORD},
    line,
};

/// The longest value, in bytes.
pub(super) const VALUE_BYTES: usize = 8 * 1024;
/// The most lines of a block.
const BLOCK_LINES: usize = 8;
/// The longest name of a parameter, in bytes.
const NAME_BYTES: usize = 32;

/// What ends a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueEnd {
    /// The same quote, or the end of the line.
    Quote(u8),
    /// `%22`, a URL-encoded quote.
    Encoded,
    /// White space, or the quote around the whole.
    Word(Option<u8>),
    /// The same, without the closing brackets of what surrounds it.
    Enclosed(Option<u8>),
    /// The same, or the next field: `;User=`, `,host=`.
    Field(Option<u8>),
    /// The next parameter of a URL, or a character that no URL contains.
    Parameter,
    /// White space, without the sentence's full stop.
    Prose,
    /// The end of an XML element.
    Element,
    /// White space, a quote, or what closes an expression.
    Code,
    /// The end of the line.
    Line,
    /// The next cell of a row, or white space where columns have blanks between them.
    Cell(u8),
    /// A line that is indented no deeper than this many spaces.
    Block(usize),
}

impl ValueEnd {
    /// Reads the value that begins at `start`, at most `limit` bytes of it.
    pub(super) fn read_value(self, text: &[u8], start: usize, limit: usize) -> Range<usize> {
        match self {
            Self::Quote(quote) => read_quoted(text, start, quote, limit),
            Self::Encoded => read_encoded(text, start, limit),
            Self::Word(quote) => read_word(text, start, quote, limit),
            Self::Enclosed(quote) => trim_brackets(text, read_word(text, start, quote, limit)),
            Self::Field(quote) => cut_at_next_field(text, read_word(text, start, quote, limit)),
            Self::Parameter => read_parameter(text, start, limit),
            Self::Prose => trim_stops(
                text,
                read_word(text, start, Some(b'`'), limit),
                b".,;:*)\"'",
            ),
            Self::Code => read_expression(text, start, limit),
            Self::Element => read_element(text, start, limit).unwrap_or(start..start),
            Self::Line => read_line(text, start, limit),
            Self::Cell(divider) => read_cell(text, start, divider, limit),
            Self::Block(indent) => read_block(text, start, indent),
        }
    }
}

/// Returns the range of spaces and tabs at `at`.
pub(super) fn blanks_at(text: &[u8], at: usize) -> Range<usize> {
    BLANK.run_from(text, at, NAME_BYTES)
}

/// Returns where the indentation of a line ends.
pub(super) fn find_indent_end(text: &[u8], at: usize) -> usize {
    BLANK.run_from(text, at, 64).end
}

fn bounded_rest(text: &[u8], start: usize, limit: usize) -> &[u8] {
    &text[start.min(text.len())..text.len().min(start + limit)]
}

/// Reads up to the closing quote, or to the end of the line if there is none.
fn read_quoted(text: &[u8], start: usize, quote: u8, limit: usize) -> Range<usize> {
    let is_escaped = text[..start - 1].ends_with(b"\\");
    let rest = bounded_rest(text, start, limit);
    let mut end = 0;
    while end < rest.len() && rest[end] != b'\n' {
        if rest[end] == quote {
            match inner_quote_length(&rest[end..]) {
                Some(length) if !is_escaped => end += length,
                _ => break,
            }
            continue;
        }
        let skips =
            rest[end] == b'\\' && !is_escaped && rest.get(end + 1).is_some_and(|&b| b != b'\n');
        end += if skips { 2 } else { 1 };
    }
    let value = &rest[..end.min(rest.len())];
    let backslashes = value.iter().rev().take_while(|&&byte| byte == b'\\');
    let backslashes = if is_escaped { backslashes.count() } else { 0 };
    start..start + value.len() - backslashes
}

/// Returns the length of a quote within a quoted value that does not end it: one that a shell closes and opens again,
/// `'\''` or `'"'"'`, or one that is doubled, `''`.
pub(super) fn inner_quote_length(rest: &[u8]) -> Option<usize> {
    let heads = [&b"'\\''"[..], b"'\"'\"'"];
    let shell = heads.into_iter().find(|head| rest.starts_with(head));
    let is_doubled = rest.len() > 2 && rest[0] == rest[1] && ALNUM.contains(rest[2]);
    shell.map(<[u8]>::len).or(is_doubled.then_some(2))
}

fn read_line(text: &[u8], start: usize, limit: usize) -> Range<usize> {
    let line = bounded_rest(text, start, limit)
        .split(|&byte| byte == b'\n')
        .next();
    start..start + line.unwrap_or_default().trim_ascii_end().len()
}

fn read_cell(text: &[u8], start: usize, divider: u8, limit: usize) -> Range<usize> {
    let line = read_line(text, start, limit);
    let cell = text[line].split(|&byte| byte == divider).next();
    let end = start + cell.unwrap_or_default().len();
    trim_stops(text, start..end, b" \t\"'`")
}

/// Reads the text of an XML element, if it closes on the same line.
pub(super) fn read_element(text: &[u8], start: usize, limit: usize) -> Option<Range<usize>> {
    let rest = bounded_rest(text, start, limit);
    let closes = rest.windows(2).position(|window| window == b"</")?;
    (!rest[..closes].contains(&b'\n')).then_some(start..start + closes)
}

/// Returns the length of a line's last backslash with the indentation of the next line, which a shell or a properties
/// file reads as the same value unless another option or setting begins there.
pub(super) fn continuation_length(rest: &[u8]) -> Option<usize> {
    let line = rest.strip_prefix(b"\\")?;
    let line = line
        .strip_prefix(b"\r")
        .unwrap_or(line)
        .strip_prefix(b"\n")?;
    let next = find_indent_end(line, 0);
    let word = line[next..].split(u8::is_ascii_whitespace).next()?;
    let begins = word.starts_with(b"-") || line::begins_field(line, next);
    let goes_on = !word.is_empty() && (next == 0 || !begins);
    goes_on.then_some(rest.len() - line.len() + next)
}

/// Returns a value without its line continuations.
pub(super) fn join_continued_lines(value: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.windows(2).position(|pair| pair == b"\\\n") {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + continuation_length(&rest[at..]).unwrap_or(2)..];
    }
    if text.is_empty() {
        return Cow::Borrowed(rest);
    }
    text.extend_from_slice(rest);
    Cow::Owned(text)
}

fn read_encoded(text: &[u8], start: usize, limit: usize) -> Range<usize> {
    let rest = bounded_rest(text, start, limit);
    let closes = |window: &[u8]| window == b"%22" || window[0].is_ascii_whitespace();
    let end = rest.windows(3).position(closes).unwrap_or(rest.len());
    start..start + end
}

/// Reads a word of a shell, an environment or a settings file: up to white space, the quote around it, or the end of
/// the XML element that contains it. Quotes within it keep spaces together.
fn read_word(text: &[u8], start: usize, quote: Option<u8>, limit: usize) -> Range<usize> {
    let rest = bounded_rest(text, start, limit);
    let is_quote = |byte: Option<&u8>| byte.is_some_and(|byte| Some(*byte) == quote);
    let mut end = 0;
    while end < rest.len() && !rest[end].is_ascii_whitespace() {
        let next = rest.get(end + 1);
        if let Some(length) = continuation_length(&rest[end..]) {
            end += length;
            continue;
        }
        let escape = rest[end] == b'\\' && quote.is_some();
        let is_escaped = escape && next.is_some_and(|byte| b"\"'nrt".contains(byte));
        let element = rest[end..].starts_with(b"</")
            && rest.get(end + 2).is_some_and(u8::is_ascii_alphabetic);
        if is_quote(rest.get(end)) || is_escaped || element {
            break;
        }
        end += 1;
    }
    start..start + end
}

/// Removes closing brackets at the end of a word, and the punctuation after them.
fn trim_brackets(text: &[u8], word: Range<usize>) -> Range<usize> {
    let head = trim_stops(text, word.clone(), b")]}.,;:");
    let closes = text[head.end..word.end]
        .iter()
        .any(|byte| b")]}".contains(byte));
    if closes { head } else { word }
}

/// Cuts a word before the next field.
fn cut_at_next_field(text: &[u8], word: Range<usize>) -> Range<usize> {
    let bytes = &text[word.clone()];
    let is_next = |at: &usize| {
        let after = word.start + at + 1;
        b",&".contains(&bytes[*at]) && line::begins_field(text, after)
            || bytes[*at] == b';' && line::ends_field(text, after)
    };
    let end = (0..bytes.len()).find(is_next).unwrap_or(bytes.len());
    let field = word.start..word.start + end;
    trim_stops(text, field, b".;")
}

/// Reads a parameter of a URL or a field between semicolons.
fn read_parameter(text: &[u8], start: usize, limit: usize) -> Range<usize> {
    let divider = text[..start]
        .iter()
        .rev()
        .find(|byte| b"?&;".contains(byte));
    let rest = bounded_rest(text, start, limit);
    let is_end = |at: usize| match rest[at] {
        b';' => divider == Some(&b';') && line::ends_field(text, start + at + 1),
        b'&' => divider != Some(&b';') && is_next_parameter(&rest[at + 1..]),
        b'\\' => rest
            .get(at + 1)
            .is_some_and(|byte| b"nrt\"'".contains(byte)),
        b'<' | b'>' | b')' => divider != Some(&b';'),
        byte => byte.is_ascii_whitespace() || b"\"'`".contains(&byte),
    };
    let end = (0..rest.len()).find(|&at| is_end(at));
    start..start + end.unwrap_or(rest.len())
}

/// Reads up to white space, a quote or what closes an expression, without the sentence's full stop.
fn read_expression(text: &[u8], start: usize, limit: usize) -> Range<usize> {
    const END: Alphabet = Alphabet::from_chars(" \t\r\n\"'`,;)]}<>|");
    let rest = bounded_rest(text, start, limit);
    let is_escape = |next: Option<&u8>| next.is_some_and(|byte| b"nrt\"'\\".contains(byte));
    let is_end = |at: usize| match rest[at] {
        b'&' => is_next_parameter(&rest[at + 1..]),
        b'\\' => is_escape(rest.get(at + 1)),
        byte => END.contains(byte),
    };
    let end = (0..rest.len()).find(|&at| is_end(at)).unwrap_or(rest.len());
    trim_stops(text, start..start + end, b".:*")
}

/// Returns a range without the signs that may stand at its end.
pub(super) fn trim_stops(text: &[u8], value: Range<usize>, stops: &[u8]) -> Range<usize> {
    let bytes = text[value.clone()].iter().rev();
    let count = bytes.take_while(|byte| stops.contains(byte)).count();
    value.start..value.end - count
}

/// Returns whether the `&` before `rest` ends a parameter of a URL or a command.
fn is_next_parameter(rest: &[u8]) -> bool {
    let name = WORD
        .union(Alphabet::from_chars("-."))
        .run_from(rest, 0, NAME_BYTES)
        .end;
    let next = rest.get(name);
    next == Some(&b'=') || name == 0 && next.is_none_or(|&byte| b" &\t\n;".contains(&byte))
}

/// Reads the lines of a block that are indented deeper than `indent`.
fn read_block(text: &[u8], start: usize, indent: usize) -> Range<usize> {
    let first = text[..start]
        .iter()
        .rev()
        .take_while(|&&byte| byte == b' ')
        .count();
    let (mut at, mut end, mut depth) = (start, start, first);
    for _ in 0..BLOCK_LINES {
        if depth <= indent {
            break;
        }
        let length = bounded_rest(text, at, VALUE_BYTES)
            .iter()
            .take_while(|&&byte| byte != b'\n')
            .count();
        end = at + length;
        at = find_indent_end(text, end + 1);
        depth = at.saturating_sub(end + 1);
    }
    start..end
}

/// Returns whether a value ends like a field or a statement of a program, and contains no signs but those of code.
pub(super) fn is_code_end(value: &[u8]) -> bool {
    const CODE: Alphabet = WORD.union(Alphabet::from_chars(".()[]{}<>:?!&'\",;"));
    value.last().is_none_or(|byte| b",;){(".contains(byte)) && CODE.contains_all(value)
}

/// Returns whether a value begins like a word and has no bracket, bar or backslash of a program.
pub(super) fn is_plain_value(value: &[u8]) -> bool {
    let begins = value.first().is_some_and(|&byte| ALNUM.contains(byte));
    begins && !value.iter().any(|byte| b"()<>{}[]|\\".contains(byte))
}

/// Returns whether the rest of a line consists of several words and nothing else.
pub(super) fn is_several_words(text: &[u8], start: usize) -> bool {
    let words = read_line(text, start, VALUE_BYTES);
    let plain = ALNUM.union(BLANK).contains_all(&text[words.clone()]);
    plain && text[words].iter().any(|byte| BLANK.contains(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(end: ValueEnd, text: &str, expected: &str) {
        let start = text.find('^').unwrap();
        let text = text.replacen('^', "", 1);
        let range = end.read_value(text.as_bytes(), start, 99);
        assert_eq!(&text[range], expected, "{end:?} {text}");
    }

    #[test]
    fn where_each_syntax_ends() {
        check(ValueEnd::Quote(b'"'), r#""^a'b\"c d" e"#, r#"a'b\"c d"#);
        check(ValueEnd::Quote(b'"'), r#"\"^a)b\" e"#, "a)b");
        check(ValueEnd::Quote(b'\''), r#"'^a'"'"'b' c"#, r#"a'"'"'b"#);
        check(ValueEnd::Quote(b'\''), r"'^a'\''b' c", r"a'\''b");
        check(ValueEnd::Quote(b'\''), "'^a''b' c", "a''b");
        check(ValueEnd::Word(None), "A=^a\\\nb c", "a\\\nb");
        check(ValueEnd::Word(None), "a.b=^a\\\n  b\nc", "a\\\n  b");
        check(ValueEnd::Word(None), "A=^a\\\n  HOST=c", "a\\");
        check(ValueEnd::Line, "a=^b c d\ne", "b c d");
        check(ValueEnd::Word(None), r#"A=^a"b;c)d>e f"#, r#"a"b;c)d>e"#);
        check(ValueEnd::Word(Some(b'"')), r#""A=^a)b,c" f"#, "a)b,c");
        check(ValueEnd::Word(Some(b'"')), r#""A=^a)b\" f"#, "a)b");
        check(ValueEnd::Enclosed(None), "(A=^a)b). c", "a)b");
        check(ValueEnd::Enclosed(None), "(A=^ab. c)", "ab.");
        check(ValueEnd::Word(None), "<A>^a<b>c</A>", "a<b>c");
        check(ValueEnd::Field(None), "p=^a;b,c;User Id=x", "a;b,c");
        check(ValueEnd::Field(None), "p=^ab, host=x", "ab");
        check(ValueEnd::Parameter, "?p=^a.b!&c=d", "a.b!");
        check(ValueEnd::Parameter, ";p=^a<b>&c;db=e", "a<b>&c");
        check(ValueEnd::Prose, "is ^a.b!, so", "a.b!");
        check(ValueEnd::Code, "p: ^a.b, c", "a.b");
        check(ValueEnd::Encoded, "%22^a%2Bb%22%7D", "a%2Bb");
        check(ValueEnd::Block(0), "p: >-\n  ^a b\n  c\nd: e", "a b\n  c");
    }
}
