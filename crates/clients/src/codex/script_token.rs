//! Splits JavaScript into the tokens that matter for finding calls: names, literals, marks.
//!
//! Comments and blanks are dropped. A template with `${…}` becomes the tokens in its braces between two marks, so that a
//! name in it is seen and its text is nobody's literal. A regular expression is one mark.

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'s> {
    Name(&'s str),
    /// A string, without its escapes.
    Text(String),
    Number(&'s str),
    Mark(char),
}

/// Splits a script; `None` if a string, a template or a comment does not end, or an escape is none.
pub(super) fn split_tokens(source: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let rest = split_part(source, &mut tokens, false)?;
    rest.is_empty().then_some(tokens)
}

/// Returns the position of the first token outside of brackets that passes the test.
pub(super) fn find_end(tokens: &[Token<'_>], is_end: impl Fn(&Token<'_>) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        if depth == 0 && is_end(token) {
            return Some(at);
        }
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Splits a script to its end, or one in the braces of a template up to the brace that closes them.
fn split_part<'s>(
    source: &'s str,
    tokens: &mut Vec<Token<'s>>,
    is_in_braces: bool,
) -> Option<&'s str> {
    let mut rest = source;
    let mut depth = 0usize;
    while let Some(first) = rest.chars().next() {
        match first {
            '{' => depth += 1,
            '}' if is_in_braces && depth == 0 => return Some(rest),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        rest = split_first(rest, first, tokens)?;
    }
    (!is_in_braces).then_some(rest)
}

/// Splits one token off, or a comment or a blank; returns the rest.
fn split_first<'s>(rest: &'s str, first: char, tokens: &mut Vec<Token<'s>>) -> Option<&'s str> {
    match first {
        _ if first.is_whitespace() => Some(&rest[first.len_utf8()..]),
        '/' if rest.starts_with("//") => Some(rest.split_once('\n').map_or("", |(_, after)| after)),
        '/' if rest.starts_with("/*") => Some(rest.split_once("*/")?.1),
        '/' if begins_regex(tokens.last()) => {
            tokens.push(Token::Mark('/'));
            skip_regex(&rest[1..])
        }
        '"' | '\'' => {
            let (text, after) = read_string(&rest[1..], first)?;
            tokens.push(Token::Text(text));
            Some(after)
        }
        '`' => read_template(&rest[1..], tokens),
        _ => Some(read_word(rest, first, tokens)),
    }
}

/// Reads a name, a number or a mark.
fn read_word<'s>(rest: &'s str, first: char, tokens: &mut Vec<Token<'s>>) -> &'s str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if !is_part(first) {
        let (_, after) = rest.split_at(first.len_utf8());
        tokens.push(Token::Mark(first));
        return after;
    }
    let is_number = first.is_ascii_digit();
    // The point of a number belongs to it.
    let length = rest.find(|c: char| !(is_part(c) || is_number && c == '.'));
    let (word, after) = rest.split_at(length.unwrap_or(rest.len()));
    tokens.push(if is_number {
        Token::Number(word)
    } else {
        Token::Name(word)
    });
    after
}

/// Returns whether a slash after this token begins a regular expression and does not divide.
fn begins_regex(before: Option<&Token<'_>>) -> bool {
    match before {
        None | Some(Token::Name("return")) => true,
        Some(Token::Mark(mark)) => !")]}".contains(*mark),
        Some(_) => false,
    }
}

fn skip_regex(rest: &str) -> Option<&str> {
    let mut in_class = false;
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(&rest[at + 1..]),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Reads the rest of a string that ends with `quote`.
fn read_string(rest: &str, quote: char) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => read_escape(&mut letters, &mut text)?,
            _ if letter == quote => return Some((text, &rest[at + 1..])),
            _ => text.push(letter),
        }
    }
    None
}

fn read_escape(letters: &mut std::str::CharIndices<'_>, text: &mut String) -> Option<()> {
    let (_, letter) = letters.next()?;
    text.push(match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'x' => read_hex(letters, 2)?,
        'u' => read_unicode(letters)?,
        // A line break that is escaped is none.
        '\n' => return Some(()),
        other => other,
    });
    Some(())
}

fn read_hex(letters: &mut std::str::CharIndices<'_>, digits: usize) -> Option<char> {
    let text = letters.as_str().get(..digits)?;
    let code = u32::from_str_radix(text, 16).ok()?;
    letters.nth(digits - 1);
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Reads `\uXXXX`, with its second half if it is one of a pair, or `\u{X}`.
fn read_unicode(letters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let rest = letters.as_str();
    if let Some(braced) = rest.strip_prefix('{') {
        let (digits, _) = braced.split_once('}')?;
        letters.nth(digits.chars().count() + 1);
        return char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    }
    let pair = rest.get(..10).filter(|pair| pair.get(4..6) == Some("\\u"));
    let halves = pair.and_then(|pair| {
        let high = u16::from_str_radix(&pair[..4], 16).ok()?;
        let low = u16::from_str_radix(&pair[6..], 16).ok()?;
        char::decode_utf16([high, low])
            .next()?
            .ok()
            .filter(|letter| letter.len_utf16() == 2)
    });
    match halves {
        Some(letter) => {
            letters.nth(9);
            Some(letter)
        }
        None => read_hex(letters, 4),
    }
}

/// Reads the rest of a template.
fn read_template<'s>(mut rest: &'s str, tokens: &mut Vec<Token<'s>>) -> Option<&'s str> {
    let mut text = String::new();
    let mut has_braces = false;
    loop {
        let mut letters = rest.char_indices();
        let (_, letter) = letters.next()?;
        match letter {
            '`' => break,
            '\\' => read_escape(&mut letters, &mut text)?,
            '$' if letters.as_str().starts_with('{') => {
                tokens.push(Token::Mark('`'));
                has_braces = true;
                let closing = split_part(&rest[2..], tokens, true)?;
                rest = closing.strip_prefix('}')?;
                continue;
            }
            _ => text.push(letter),
        }
        rest = letters.as_str();
    }
    tokens.push(if has_braces {
        Token::Mark('`')
    } else {
        Token::Text(text)
    });
    rest.strip_prefix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: Option<&str>) {
        let shown = |token: &Token<'_>| match token {
            Token::Name(name) => (*name).to_owned(),
            Token::Text(text) => format!("{text:?}"),
            Token::Number(number) => format!("#{number}"),
            Token::Mark(mark) => mark.to_string(),
        };
        let tokens = split_tokens(source).map(|tokens| {
            let shown: Vec<String> = tokens.iter().map(shown).collect();
            shown.join(" ")
        });
        assert_eq!(tokens.as_deref(), expected, "{source}");
    }

    #[test]
    fn a_script_is_names_literals_and_marks() {
        check("", Some(""));
        check(
            "// @exec: {\"x\": 1}\nconst r = await tools.f({a: 1.5}); /* \" */",
            Some("const r = await tools . f ( { a : #1.5 } ) ;"),
        );
        check(
            r#""a\"b\n\u00e9\ud83e\udd80\u{41}\x41\/""#,
            Some(r#""a\"b\né🦀AA/""#),
        );
        check(
            "'it\\'s' + `two\nlines \\${x}`",
            Some("\"it's\" + \"two\\nlines ${x}\""),
        );
        check(
            "`a ${b({c: `d ${e} }`})} f` g",
            Some("` b ( { c : ` e ` } ) ` g"),
        );
        check("a.match(/[/\"]'\\//) / 2", Some("a . match ( / ) / #2"));
        for broken in ["\"a", "`a", "`${a`", "/* a", "'\\u12", "x = /a\n"] {
            check(broken, None);
        }
    }

    #[test]
    fn a_lone_half_of_a_pair_is_replaced() {
        check(r"'a \ud83d b'", Some("\"a \u{fffd} b\""));
        // Letters of several bytes stand where the second half would begin.
        check(r"'\u00e9é12345'", Some("\"éé12345\""));
        check(r"'\u123é12345'", None);
    }
}
