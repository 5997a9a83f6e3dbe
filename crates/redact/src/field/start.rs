//! Finds where a value begins: after a closed name, a type, a verb, an anchor, an opening quote.
//!
//! Which of these places counts, and where the value ends, is decided in `field`.

use std::ops::Range;

use super::{
    ALNUM, Alphabet, BLANK, HARMLESS_AFTER, LETTER, MAX_GAP, QUOTE, SIGN, VALUE_VERBS, WORD,
};
use crate::{line::find_line_end, value::is_among};

/// Characters that close a name: quotes, also escaped ones, brackets, and Markdown's bold.
const CLOSER: Alphabet = Alphabet::from_chars("\"'`)]}[*\\");
/// Characters between a name and its sign: `password for the admin: …`, `token string = …`.
const FILLER: Alphabet = WORD.union(Alphabet::from_chars(" \t.-()"));
/// The longest filler, in bytes.
const FILLER_BYTES: usize = 48;
/// How far into its block a variable's default may be, in bytes.
const BLOCK_BYTES: usize = 256;
const TYPE: Alphabet = ALNUM.union(Alphabet::from_chars("_&<>[]'?|.*: "));

/// Returns where a name is closed: after its quotes, also URL-encoded ones.
pub(super) fn skip_closers(text: &[u8], end: usize) -> usize {
    let end_of_closers = CLOSER.run_from(text, end, 6).end;
    end_of_closers
        + if text[end_of_closers..].starts_with(b"%22") {
            3
        } else {
            0
        }
}

/// Returns the words between a name and a sign or verb: `for the admin`, `от базы`.
pub(super) fn read_filler(text: &[u8], at: usize) -> Range<usize> {
    let rest = &text[at..text.len().min(at + FILLER_BYTES)];
    let is_filler = |byte: &&u8| FILLER.contains(**byte) || !byte.is_ascii();
    at..at + rest.iter().take_while(is_filler).count()
}

/// Returns whether a word between a name and its value says that the value is not secret.
pub(crate) fn has_harmless_word(filler: &[u8]) -> bool {
    let mut words = filler.split(|byte| !byte.is_ascii_alphanumeric());
    words.any(|word| is_among(word, HARMLESS_AFTER))
}

/// Returns where a value begins after a YAML anchor or tag: `&pw x`, `!!str x`.
pub(super) fn skip_yaml_anchor(text: &[u8], at: usize) -> usize {
    let signs = Alphabet::from_chars("&!").run_from(text, at, 2);
    let name = WORD.run_from(text, signs.end, 24);
    let blank = BLANK.run_from(text, name.end, 1);
    let follows = text
        .get(blank.end)
        .is_some_and(|byte| !byte.is_ascii_whitespace());
    if signs.is_empty() || name.is_empty() || blank.is_empty() || !follows {
        return at;
    }
    blank.end
}

/// Returns where a variable's default begins: `variable "name" { default = …`.
pub(super) fn find_default_value(text: &[u8], at: usize) -> Option<usize> {
    let block = text.get(at..text.len().min(at + BLOCK_BYTES))?;
    let block = block.strip_prefix(b"{")?;
    let block = block.split(|&byte| byte == b'}').next().unwrap_or_default();
    let offset = block.windows(7).position(|window| window == b"default")? + 1 + 7;
    let signs = SIGN.run_from(text, BLANK.run_from(text, at + offset, MAX_GAP).end, 1);
    (!signs.is_empty()).then_some(signs.end)
}

/// Returns where the literal begins that a look-up of the name falls back on: `get("NAME") or "x"`, `['NAME'] || 'x'`,
/// `var("NAME").unwrap_or("x")`, `fetch("NAME") { "x" }`, `("NAME", default="x")`. The look-up is closed at `at`.
pub(super) fn find_fallback(text: &[u8], at: usize) -> Option<usize> {
    const OPERATORS: &[&[u8]] = &[
        b"||",
        b"??",
        b"?:",
        b"or ",
        b"{",
        b"else ",
        b", default",
        b",default",
    ];
    const GLUE: Alphabet = Alphabet::from_chars(" \t\n=:(|_>-{");
    let is_lookup = matches!(text[..at].last(), Some(b')' | b']' | b'"' | b'\''));
    let rest = &text[at..text.len().min(at + FILLER_BYTES)];
    let method = rest
        .strip_prefix(b".")
        .map(|rest| WORD.run_from(rest, 0, 24));
    let falls_back = |name: &[u8]| {
        let name = name.to_ascii_lowercase();
        let ends = [&b"_or"[..], b"or_else", b"orelse", b"default"];
        ends.iter().any(|end| name.ends_with(end)) || name == b"or" || name.starts_with(b"or_")
    };
    let end = match method {
        Some(name) => falls_back(&rest[1..][name.clone()]).then_some(at + 1 + name.end)?,
        None => {
            let gap = at + rest.len() - rest.trim_ascii_start().len();
            let start = if rest.starts_with(b",") { at } else { gap };
            let operator = OPERATORS
                .iter()
                .find(|sign| text[start..].starts_with(sign))?;
            start + operator.len()
        }
    };
    let literal = GLUE.run_from(text, end, MAX_GAP).end;
    let is_quoted = text.get(literal).is_some_and(|byte| QUOTE.contains(*byte));
    (is_lookup && is_quoted).then_some(literal)
}

/// Returns where the value begins after a type: `: &str = `.
pub(super) fn find_after_type(text: &[u8], at: usize) -> Option<usize> {
    let end = TYPE.run_from(text, at, MAX_GAP).end;
    let assigns = text.get(end) == Some(&b'=') && text[at..end].ends_with(b" ");
    let first = *text[at..end].trim_ascii().first()?;
    (assigns && (LETTER.contains(first) || b"&*[<".contains(&first))).then_some(end + 1)
}

/// Returns where the value begins in a pair of fields: `name: TOKEN, value: …`, with at most one field between them.
pub(super) fn find_value_field(text: &[u8], at: usize) -> Option<usize> {
    let beside = read_value_field(text, at);
    beside.or_else(|| read_value_field(text, find_line_end(text, find_line_end(text, at)? + 1)?))
}

fn read_value_field(text: &[u8], at: usize) -> Option<usize> {
    const BETWEEN: Alphabet = Alphabet::from_chars(" \t\r\n,\"'\\-");
    let word = BETWEEN.run_from(text, at, MAX_GAP).end;
    let rest = text.get(word..word + 5)?;
    let end = CLOSER.run_from(text, word + 5, 3).end;
    let signs = SIGN.run_from(text, BLANK.run_from(text, end, MAX_GAP).end, 2);
    (rest.eq_ignore_ascii_case(b"value") && !signs.is_empty()).then_some(signs.end)
}

/// Returns where the value begins in a sentence: ` is `, ` was: `, ` für den Server ist `.
pub(super) fn find_after_verb(text: &[u8], filler: Range<usize>) -> Option<usize> {
    let (mut at, mut verb) = (filler.start, None);
    for word in text[filler].split(|byte| BLANK.contains(*byte)) {
        let end = at + word.len();
        at = end + 1;
        match verb {
            // `is still x`
            _ if is_among(word, VALUE_VERBS) => {
                verb = Some(end + usize::from(text.get(end) == Some(&b':')));
            }
            Some(_) => break,
            None if is_among(word, HARMLESS_AFTER) => break,
            None => {}
        }
    }
    verb
}

/// Returns where a quoted value begins, and its quote: after `"`, `\"`, `b'`, `from("`, `["`.
pub(super) fn find_opening_quote(text: &[u8], at: usize) -> Option<(usize, u8)> {
    const CALL: Alphabet = WORD.union(Alphabet::from_chars(":."));
    let callee = CALL.run_from(text, at, MAX_GAP);
    let bracket = Alphabet::from_chars("([{").run_from(text, callee.end, 1);
    let is_prefix = callee.len() <= 1;
    if !is_prefix && bracket.is_empty() {
        return None;
    }
    let rest = text.get(bracket.end..).unwrap_or_default();
    let default = rest.starts_with(b"default=") && !bracket.is_empty();
    let open_end = bracket.end + if default { "default=".len() } else { 0 };
    let escapes = Alphabet::from_chars("\\").run_from(text, open_end, 7);
    let quotes = QUOTE.run_from(text, escapes.end, 3);
    let quote = *text[quotes.clone()].first()?;
    // Two quotes are an empty value; three open one.
    (quotes.len() != 2).then_some((quotes.end, quote))
}
