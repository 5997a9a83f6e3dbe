//! Analyses the line that a name is on: open quotes and brackets, code or not, first name or not.
//!
//! The same letters are a literal in an environment and an expression in a program, so the line decides what a value
//! may be and where it ends. The value itself is not read here.

use super::{
    alphabet::{ALNUM, Alphabet, LETTER, WORD},
    value::is_among,
};

/// How much of a line is read before a name, in bytes.
const BEFORE_BYTES: usize = 1024;
/// How much of a line is read behind a name, in bytes.
pub(super) const LINE_BYTES: usize = 256;

/// Characters before the first name of a line: indents, list signs, comments, `export `.
const MARGIN: Alphabet = Alphabet::from_chars(" \t-*>#\"'`|$");

/// The state of a line just before a position on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineContext {
    /// The quote that is open there, if any.
    pub(super) open_quote: Option<u8>,
    /// Whether a bracket is open there, as around arguments and fields.
    pub(super) in_brackets: bool,
    /// Whether only what may begin any line precedes it.
    pub(super) is_first: bool,
    /// Whether the line begins like a statement of a program.
    pub(super) is_statement: bool,
}

impl LineContext {
    /// Reads the line from its start up to the closed name at `at`, which ends at `end`.
    pub(super) fn read_before(text: &[u8], at: usize, end: usize) -> Self {
        let near = &text[at.saturating_sub(BEFORE_BYTES)..at];
        let start = near.iter().rposition(|&byte| byte == b'\n');
        let line = at - near.len() + start.map_or(0, |at| at + 1);
        let (quote, depth) = find_open_quote(&text[line..end]);
        // Where only the end of a long line is read, the quotes before it are unknown, and a closing quote would be
        // taken for one that opens.
        let is_whole = start.is_some() || near.len() == at;
        Self {
            open_quote: quote.filter(|_| is_whole),
            in_brackets: depth > 0,
            is_first: is_margin(&text[line..at]),
            is_statement: is_statement(&text[line..at]),
        }
    }
}

/// Returns the quote that is open at the end of a line, and how many brackets are within it.
fn find_open_quote(line: &[u8]) -> (Option<u8>, i32) {
    let (mut quote, mut depth, mut outside) = (None, 0, 0);
    let mut index = 0;
    while index < line.len() {
        let byte = line[index];
        // An apostrophe follows a letter; an opening quote does not.
        let may_open = byte == b'"' || index == 0 || !ALNUM.contains(line[index - 1]);
        match byte {
            b'\\' => index += 1,
            b'"' | b'\'' | b'`' if quote == Some(byte) => (quote, depth) = (None, outside),
            b'"' | b'\'' | b'`' if quote.is_none() && may_open => {
                (quote, outside, depth) = (Some(byte), depth, 0);
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = (depth - 1).max(0),
            _ => {}
        }
        index += 1;
    }
    (quote, depth)
}

/// Returns whether a line begins like a statement of a program.
fn is_statement(line: &[u8]) -> bool {
    #[rustfmt::skip]
    const STATEMENT_WORDS: &[&str] = &[
        "assert", "assert_eq", "await", "case", "const", "def", "elif", "else", "final", "fn", "for", "func",
        "function", "if", "let", "private", "protected", "pub", "public", "return", "self", "static",
        "string", "this", "throw", "type", "use", "val", "var", "while",
    ];
    let line = line.trim_ascii_start();
    let word = &line[WORD.run_from(line, 0, 16)];
    is_among(word, STATEMENT_WORDS)
}

/// Returns whether the text before a name on its line means nothing by itself.
fn is_margin(line: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&[u8]] = &[b"export", b"set", b"setx", b"setenv", b"x", b"gx", b"env:", b"ENV", b"ARG"];
    let words = line.split(|byte| MARGIN.contains(*byte));
    let mut words = words.filter(|word| !word.is_empty());
    words.all(|word| WORDS.contains(&word))
}

/// Returns where the line ends; `None` if it goes on for long, or is the last.
pub(super) fn find_line_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..text.len().min(at + LINE_BYTES))?;
    rest.iter()
        .position(|&byte| byte == b'\n')
        .map(|end| at + end)
}

/// Returns whether the rest of a line is empty: white space, a comment, the closing quote.
pub(super) fn ends_line_at(text: &[u8], at: usize, quote: Option<u8>) -> bool {
    let rest = &text[at..text.len().min(at + 256)];
    let rest = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let rest = rest.trim_ascii();
    let closes = rest
        .first()
        .copied()
        .is_some_and(|byte| Some(byte) == quote);
    rest.is_empty() || rest.starts_with(b"#") || rest.starts_with(b"\\n") || closes
}

/// Returns whether the name and `=` of another field begin at `at`: `,host=`, `&user=`.
pub(super) fn begins_field(text: &[u8], at: usize) -> bool {
    let blanks = Alphabet::from_chars(" ").run_from(text, at, 1).end;
    let name = WORD
        .union(Alphabet::from_chars("-."))
        .run_from(text, blanks, 40);
    text.get(name.end) == Some(&b'=') && name.len() >= 2 && !text[name.start].is_ascii_digit()
}

/// Returns whether a `;` before `at` ends a field of a connection string: `;User Id=`, `;`.
pub(super) fn ends_field(text: &[u8], at: usize) -> bool {
    let name = LETTER
        .union(Alphabet::from_chars(" "))
        .run_from(text, at, 40);
    let words = text[name.clone()]
        .split(|&byte| byte == b' ')
        .filter(|word| !word.is_empty());
    let is_title = words.clone().all(|word| word[0].is_ascii_uppercase()) && words.count() <= 3;
    let is_spaced = !name.is_empty() && text.get(name.end) == Some(&b'=') && is_title;
    let is_ended = text
        .get(at)
        .is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'`".contains(byte));
    is_ended || is_spaced || begins_field(text, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, quote: Option<char>, in_brackets: bool, is_first: bool) {
        let expected = LineContext {
            open_quote: quote.map(|quote| u8::try_from(quote).unwrap()),
            in_brackets,
            is_first,
            is_statement: false,
        };
        let text = format!("it's (\n{line}");
        assert_eq!(
            LineContext::read_before(text.as_bytes(), text.len(), text.len()),
            expected,
            "{line}"
        );
    }

    #[test]
    fn what_is_open_before_a_name() {
        check("", None, false, true);
        check("  - ", None, false, true);
        check("export ", None, false, true);
        check("connect(host=h, ", None, true, false);
        check("connect(h); ", None, false, false);
        check("don't use ", None, false, false);
        check("{\"a\": \"", Some('"'), false, false);
        check("{\"a\": \"b\", ", None, true, false);
        check("\"{\\\"a\\\": \\\"", Some('"'), true, false);
        check("run `f(", Some('`'), true, false);
    }

    #[test]
    fn a_quote_that_opened_far_before_is_not_known() {
        let far = "x".repeat(BEFORE_BYTES);
        for (line, quote) in [
            (format!("say \"{far}"), None),
            (format!("it's\n{far} \""), None),
            (format!("{far}\nsay \""), Some(b'"')),
        ] {
            let read = LineContext::read_before(line.as_bytes(), line.len(), line.len());
            assert_eq!(read.open_quote, quote, "{line}");
        }
    }

    #[test]
    fn what_ends_a_line_or_begins_a_field() {
        for (rest, expected) in [
            ("", true),
            (" # why", true),
            ("\nx", true),
            (" and more", false),
        ] {
            assert_eq!(ends_line_at(rest.as_bytes(), 0, None), expected, "{rest}");
        }
        for (rest, expected) in [
            ("User Id=sa", true),
            (" b=1", true),
            ("", true),
            ("=1", false),
            ("and", false),
        ] {
            assert_eq!(ends_field(rest.as_bytes(), 0), expected, "{rest}");
        }
    }
}
