//! Finds the loops of a script over a list of texts: `for (const x of [...])` and `[...].map((x) => ...)`.
//!
//! Such a loop runs once for each text, in their order, so what it calls is as certain as without it. A loop that may end
//! early, or over anything that is not literal, is none of these.

use std::ops::Range;

use super::script_token::{Token, find_end};

/// A loop over texts.
pub(super) struct TextLoop<'t, 's> {
    /// The variable.
    pub(super) name: &'s str,
    /// Its values.
    pub(super) texts: Vec<&'t str>,
    /// The position where the loop begins.
    pub(super) start: usize,
    /// The positions of what is repeated.
    pub(super) body: Range<usize>,
}

/// Returns the loop over texts in whose body a position is, if nothing in it may end it early.
pub(super) fn find_text_loop<'t, 's>(
    tokens: &'t [Token<'s>],
    position: usize,
) -> Option<TextLoop<'t, 's>> {
    const ENDS: [&str; 3] = ["break", "throw", "exit"];
    let loops =
        (0..position).filter_map(|at| read_for(tokens, at).or_else(|| read_map(tokens, at)));
    let mut around: Vec<TextLoop<'t, 's>> = loops
        .filter(|loops| loops.body.contains(&position))
        .collect();
    let innermost = around.pop()?;
    let body = &tokens[innermost.body.clone()];
    let is_end = |token: &Token<'_>| matches!(token, Token::Name(name) if ENDS.contains(name));
    let ends = body.iter().filter(|token| is_end(token)).count();
    (around.is_empty() && ends == 0).then_some(innermost)
}

/// Reads `for (const NAME of LIST)`.
fn read_for<'t, 's>(tokens: &'t [Token<'s>], at: usize) -> Option<TextLoop<'t, 's>> {
    let [
        Token::Name("for"),
        Token::Mark('('),
        Token::Name("const" | "let"),
        Token::Name(name),
        Token::Name("of"),
        list @ ..,
    ] = &tokens[at..]
    else {
        return None;
    };
    let closing = find_closing(tokens, at + 1)?;
    let texts = read_texts(tokens, &list[..closing.checked_sub(at + 5)?])?;
    let body = closing + 1;
    let end = match tokens.get(body)? {
        Token::Mark('{') => find_closing(tokens, body)?,
        _ => {
            body + tokens[body..]
                .iter()
                .position(|token| *token == Token::Mark(';'))?
        }
    };
    Some(TextLoop {
        name,
        texts,
        start: at,
        body: body..end,
    })
}

/// Reads `LIST.map((NAME) =>`, at the point.
fn read_map<'t, 's>(tokens: &'t [Token<'s>], at: usize) -> Option<TextLoop<'t, 's>> {
    let [
        Token::Mark('.'),
        Token::Name("map"),
        Token::Mark('('),
        given @ ..,
    ] = &tokens[at..]
    else {
        return None;
    };
    let arrow = given
        .windows(2)
        .position(|pair| *pair == [Token::Mark('='), Token::Mark('>')])?;
    let names = given[..arrow]
        .iter()
        .filter(|token| **token != Token::Name("async"));
    let names: Vec<&Token<'s>> = names.collect();
    let ([Token::Name(name)]
    | [Token::Mark('('), Token::Name(name), Token::Mark(')')]
    | [
        Token::Mark('('),
        Token::Name(name),
        Token::Mark(','),
        Token::Name(_),
        Token::Mark(')'),
    ]) = names[..]
    else {
        return None;
    };
    let start = match tokens.get(at.checked_sub(1)?)? {
        Token::Mark(']') => find_opening(tokens, at - 1)?,
        _ => at - 1,
    };
    let texts = read_texts(tokens, &tokens[start..at])?;
    Some(TextLoop {
        name,
        texts,
        start,
        body: at + 3 + arrow + 2..find_closing(tokens, at + 2)?,
    })
}

/// Returns the texts of a list that stands there, or that `const NAME = [...]` gives a name.
fn read_texts<'t>(tokens: &'t [Token<'_>], list: &'t [Token<'_>]) -> Option<Vec<&'t str>> {
    if let [name @ Token::Name(_)] = list {
        let is_given = |at: &usize| matches!(&tokens[*at..], [Token::Name("const"), known, Token::Mark('='), Token::Mark('['), ..] if known == name);
        let at = (0..tokens.len()).find(is_given)? + 3;
        return read_texts(tokens, &tokens[at..=find_closing(tokens, at)?]);
    }
    let [Token::Mark('['), inner @ .., Token::Mark(']')] = list else {
        return None;
    };
    let texts = inner.iter().filter(|token| **token != Token::Mark(','));
    texts
        .map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Returns the position of the bracket that closes the one at `open`.
fn find_closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let inner = tokens.get(open + 1..)?;
    let end = find_end(inner, |token| matches!(token, Token::Mark(')' | ']' | '}')))?;
    Some(open + 1 + end)
}

/// Returns the position of the bracket that the one at `close` closes. It counts backwards: to try each bracket for its
/// end takes too long on a script of nothing else.
fn find_opening(tokens: &[Token<'_>], close: usize) -> Option<usize> {
    let mut depth = 0usize;
    (0..=close).rev().find(|at| {
        match &tokens[*at] {
            Token::Mark(')' | ']' | '}') => depth += 1,
            Token::Mark('(' | '[' | '{') => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}
