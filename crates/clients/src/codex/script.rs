//! Reads the calls in a script of Codex's code mode: JavaScript that calls `tools.NAME(…)`.
//!
//! Only what stands in the script literally is read: the name, the arguments, and which result `text(…)` prints. No
//! expression is computed. A call behind a branch or in a function may run once, never or often, so it is not certain;
//! nothing is guessed about it.

use serde_json::{Map, Value};

use super::script_token::{Token, find_end, split_tokens};

/// The calls in a script, in the order in which they stand.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Script {
    pub(super) calls: Vec<ScriptCall>,
    /// The calls whose result each certain `text(…)` prints, in order.
    pub(super) prints: Vec<Vec<usize>>,
    /// Whether each of them shows nothing of it but how it ended.
    pub(super) are_statuses: Vec<bool>,
    /// Whether something else may print: a `text(…)` that is not certain, an image, a notice.
    pub(super) prints_more: bool,
    /// Whether an error of a call may be caught.
    pub(super) catches: bool,
}

/// A call of a tool in a script.
#[derive(Debug, PartialEq)]
pub(super) struct ScriptCall {
    pub(super) tool: String,
    /// The argument as JSON; `None` if it is not literal.
    pub(super) args: Option<String>,
    /// Whether it runs exactly once, unless one before it fails.
    pub(super) is_certain: bool,
    /// The position of its first token.
    at: usize,
}

/// Reads a script; `None` if it cannot be split into tokens.
pub(super) fn parse_script(source: &str) -> Option<Script> {
    let tokens = split_tokens(source)?;
    let branch = find_branch(&tokens).unwrap_or(tokens.len());
    let calls = find_calls(&tokens, branch);
    let (prints, are_statuses, prints_more) = find_prints(&tokens, &calls, branch);
    Some(Script {
        calls,
        prints,
        are_statuses,
        prints_more,
        catches: tokens.contains(&Token::Name("catch")),
    })
}

/// Returns the position of the first token behind which a call may run once, never or often.
fn find_branch(tokens: &[Token<'_>]) -> Option<usize> {
    const BRANCHES: [&str; 8] = [
        "if", "for", "while", "do", "switch", "catch", "function", "exit",
    ];
    let is_branch = |pair: &[Token<'_>]| match pair {
        [Token::Name(name), ..] => BRANCHES.contains(name),
        [Token::Mark('='), Token::Mark('>')]
        | [Token::Mark('&'), Token::Mark('&')]
        | [Token::Mark('|'), Token::Mark('|')] => true,
        // `?.` leads on, and so does what comes after it.
        [Token::Mark('?'), next] => *next != Token::Mark('.'),
        _ => false,
    };
    tokens.windows(2).position(is_branch)
}

fn find_calls(tokens: &[Token<'_>], branch: usize) -> Vec<ScriptCall> {
    let mut calls = Vec::new();
    for at in 0..tokens.len() {
        let [
            Token::Name("tools"),
            Token::Mark('.'),
            Token::Name(tool),
            Token::Mark('('),
            args @ ..,
        ] = &tokens[at..]
        else {
            continue;
        };
        calls.push(ScriptCall {
            tool: (*tool).to_owned(),
            args: read_args(args, tokens),
            is_certain: at < branch,
            at,
        });
    }
    calls
}

/// Reads the argument of a call as JSON; `None` if it is not literal, or not alone.
fn read_args(args: &[Token<'_>], all: &[Token<'_>]) -> Option<String> {
    let (value, rest) = read_value(args, all)?;
    let is_whole = matches!(
        rest,
        [Token::Mark(')'), ..] | [Token::Mark(','), Token::Mark(')'), ..]
    );
    is_whole.then(|| value.to_string())
}

/// Reads the literal at the start; returns it with the tokens behind it.
fn read_value<'t, 's>(
    tokens: &'t [Token<'s>],
    all: &[Token<'_>],
) -> Option<(Value, &'t [Token<'s>])> {
    match tokens {
        [Token::Text(text), rest @ ..] => Some(read_sum(text, rest)),
        [Token::Number(number), rest @ ..] => Some((serde_json::from_str(number).ok()?, rest)),
        [Token::Name("true"), rest @ ..] => Some((Value::Bool(true), rest)),
        [Token::Name("false"), rest @ ..] => Some((Value::Bool(false), rest)),
        [Token::Name(name), rest @ ..] => Some((find_constant(name, all)?, rest)),
        [Token::Mark('['), rest @ ..] => read_list(rest, all),
        [Token::Mark('{'), rest @ ..] => read_object(rest, all),
        _ => None,
    }
}

/// Reads the rest of `"one" + "two"`.
fn read_sum<'t, 's>(first: &str, mut rest: &'t [Token<'s>]) -> (Value, &'t [Token<'s>]) {
    let mut text = first.to_owned();
    while let [Token::Mark('+'), Token::Text(more), after @ ..] = rest {
        text += more;
        rest = after;
    }
    (Value::String(text), rest)
}

/// Returns the text that `const NAME = "…"` gives a name.
fn find_constant(name: &str, all: &[Token<'_>]) -> Option<Value> {
    let mut constants = (0..all.len()).filter_map(|at| match &all[at..] {
        [
            Token::Name("const"),
            Token::Name(known),
            Token::Mark('='),
            Token::Text(text),
            rest @ ..,
        ] if *known == name => Some(read_sum(text, rest)),
        _ => None,
    });
    let (value, rest) = constants.next()?;
    let is_whole = !matches!(rest, [Token::Mark(mark), ..] if "+.[?".contains(*mark));
    (is_whole && constants.next().is_none()).then_some(value)
}

fn read_list<'t, 's>(
    mut rest: &'t [Token<'s>],
    all: &[Token<'_>],
) -> Option<(Value, &'t [Token<'s>])> {
    let mut values = Vec::new();
    loop {
        match rest {
            [Token::Mark(']'), after @ ..] => return Some((Value::Array(values), after)),
            [Token::Mark(','), after @ ..] => rest = after,
            _ => {
                let (value, after) = read_value(rest, all)?;
                values.push(value);
                rest = after;
            }
        }
    }
}

/// Reads an object. A member whose value is not literal is left out.
fn read_object<'t, 's>(
    mut rest: &'t [Token<'s>],
    all: &[Token<'_>],
) -> Option<(Value, &'t [Token<'s>])> {
    let mut members = Map::new();
    loop {
        let (key, after) = match rest {
            [Token::Mark('}'), after @ ..] => return Some((Value::Object(members), after)),
            [Token::Mark(','), after @ ..] => {
                rest = after;
                continue;
            }
            [Token::Name(key), Token::Mark(':'), after @ ..] => ((*key).to_owned(), after),
            [Token::Text(key), Token::Mark(':'), after @ ..] => (key.clone(), after),
            // `{cmd}` is short for `{cmd: cmd}`.
            [Token::Name(key), ..] => ((*key).to_owned(), rest),
            _ => return None,
        };
        rest = match read_value(after, all) {
            Some((value, rest @ [Token::Mark(',' | '}'), ..])) => {
                members.insert(key, value);
                rest
            }
            _ => skip_member(after)?,
        };
    }
}

/// Returns the tokens from the end of a member on.
fn skip_member<'t, 's>(tokens: &'t [Token<'s>]) -> Option<&'t [Token<'s>]> {
    let end = find_end(tokens, |token| matches!(token, Token::Mark(',' | '}')))?;
    Some(&tokens[end..])
}

/// Returns the calls that each certain `text(…)` prints, whether it shows but their status, and whether something else may
/// print.
fn find_prints(
    tokens: &[Token<'_>],
    calls: &[ScriptCall],
    branch: usize,
) -> (Vec<Vec<usize>>, Vec<bool>, bool) {
    const OTHERS: [&str; 3] = ["image", "forward_output", "notify"];
    let results = find_results(tokens, calls);
    let mut prints = Vec::new();
    let mut are_statuses = Vec::new();
    let mut prints_more = false;
    for (at, pair) in tokens.windows(2).enumerate() {
        let [Token::Name(name), Token::Mark('(')] = pair else {
            continue;
        };
        let is_text = *name == "text";
        prints_more |= OTHERS.contains(name) || (is_text && at >= branch);
        if is_text && at < branch {
            let inner = &tokens[at + 2..];
            prints.push(find_printed(inner, at + 2, calls, &results));
            are_statuses.push(shows_status(inner));
        }
    }
    (prints, are_statuses, prints_more)
}

/// Returns whether the argument of a `text(` has how a call ended, and nothing else of it: `"exit=" + r.exit_code`.
fn shows_status(inner: &[Token<'_>]) -> bool {
    let length = find_end(inner, |token| *token == Token::Mark(')')).unwrap_or(inner.len());
    let members = inner[..length].windows(2).filter_map(|pair| match pair {
        [Token::Mark('.'), Token::Name(name)] => Some(*name),
        _ => None,
    });
    let members: Vec<&str> = members.collect();
    members == ["exit_code"]
}

/// Returns the calls whose results the argument of a `text(` holds.
fn find_printed(
    inner: &[Token<'_>],
    start: usize,
    calls: &[ScriptCall],
    results: &[(&str, Vec<usize>)],
) -> Vec<usize> {
    let length = find_end(inner, |token| *token == Token::Mark(')')).unwrap_or(inner.len());
    let mut printed_calls = Vec::new();
    for (at, token) in inner[..length].iter().enumerate() {
        let is_here = |call: &ScriptCall| call.at == start + at;
        let own = calls.iter().position(is_here);
        let is_named = |(name, _): &&(&str, Vec<usize>)| *token == Token::Name(name);
        let calls = results.iter().find(is_named).map(|(_, calls)| &calls[..]);
        for call in own
            .into_iter()
            .chain(calls.unwrap_or_default().iter().copied())
        {
            if !printed_calls.contains(&call) {
                printed_calls.push(call);
            }
        }
    }
    printed_calls
}

/// Returns the variables that hold results: `const r = await tools.x(…)`, `const [a, b] = await Promise.all([…])`.
fn find_results<'s>(tokens: &[Token<'s>], calls: &[ScriptCall]) -> Vec<(&'s str, Vec<usize>)> {
    let mut results = Vec::new();
    for (at, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| **token == Token::Mark('='))
    {
        let end = find_statement_end(tokens, at);
        let is_within = |call: &usize| (at..end).contains(&calls[*call].at);
        let enclosed_calls: Vec<usize> = (0..calls.len()).filter(is_within).collect();
        results.extend(name_results(&tokens[..at], enclosed_calls));
    }
    results
}

/// Returns the position behind a statement, which may end without a semicolon.
fn find_statement_end(tokens: &[Token<'_>], at: usize) -> usize {
    let is_end = |token: &Token<'_>| {
        matches!(
            token,
            Token::Mark(';') | Token::Name("const" | "let" | "var" | "text")
        )
    };
    let end = find_end(&tokens[at..], is_end);
    end.map_or(tokens.len(), |end| at + end)
}

/// Gives the calls of an assignment to the variables before it: all to one, one each to as many in `[a, b]`.
fn name_results<'s>(before: &[Token<'s>], given: Vec<usize>) -> Vec<(&'s str, Vec<usize>)> {
    if let [.., Token::Name(name)] = before {
        return vec![(name, given)];
    }
    let open = before.iter().rposition(|token| *token == Token::Mark('['));
    let Some((open, [.., Token::Mark(']')])) = open.map(|open| (open, before)) else {
        return Vec::new();
    };
    let names = before[open..].iter().filter_map(|token| match token {
        Token::Name(name) => Some(*name),
        _ => None,
    });
    let names: Vec<&str> = names.collect();
    if names.len() == given.len() {
        let pairs = names.into_iter().zip(given);
        pairs.map(|(name, call)| (name, vec![call])).collect()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders the calls as `tool args`, `?` for arguments that are not literal, `~` before a call that is not certain,
    /// and what is printed as the calls' numbers.
    fn shown(source: &str) -> String {
        let Some(script) = parse_script(source) else {
            return "no script".to_owned();
        };
        let call = |call: &ScriptCall| {
            let doubt = if call.is_certain { "" } else { "~" };
            format!(
                "{doubt}{} {}",
                call.tool,
                call.args.as_deref().unwrap_or("?")
            )
        };
        let calls: Vec<String> = script.calls.iter().map(call).collect();
        format!(
            "{} | {:?}{}",
            calls.join(", "),
            script.prints,
            if script.prints_more { "+" } else { "" }
        )
    }

    #[test]
    fn the_calls_of_a_script_are_those_that_stand_in_it() {
        for (source, expected) in [
            (
                r#"const r = await tools.exec_command({cmd:"npm test","workdir":"/w"}); text(JSON.stringify(r));"#,
                r#"exec_command {"cmd":"npm test","workdir":"/w"} | [[0]]"#,
            ),
            (
                "text(await tools.exec_command({ cmd: `make all`, max: 10, tty: false }))",
                r#"exec_command {"cmd":"make all","max":10,"tty":false} | [[0]]"#,
            ),
            (
                "const [a, b] = await Promise.all([tools.exec_command({cmd:'a'}), tools.exec_command({cmd:'b'})])\ntext(b.output)\ntext(`${a.exit_code}`)",
                r#"exec_command {"cmd":"a"}, exec_command {"cmd":"b"} | [[1], [0]]"#,
            ),
            (
                "const all = await Promise.all([tools.f({}), tools.g({})]); for (const r of all) text(r.output);",
                "f {}, g {} | []+",
            ),
            (
                "const patch = \"a\" +\n \"b\"; text(await tools.apply_patch(patch));",
                r#"apply_patch "ab" | [[0]]"#,
            ),
            (
                "const cmd = `x ${y}`; await tools.exec_command({cmd, workdir: here()});",
                r#"exec_command {} | []"#,
            ),
            (
                "for (const cmd of ['a', 'b']) { text(await tools.exec_command({cmd})); }",
                "~exec_command {} | []+",
            ),
            (
                "const cmds = ['a', 'b']; const all = await Promise.all(cmds.map(async (cmd) => tools.exec_command({cmd, workdir: '/w'})));",
                r#"~exec_command {"workdir":"/w"} | []"#,
            ),
            (
                "const r = await tools.f({}); if (r.bad) { await tools.g({}); } text(r)",
                "f {}, ~g {} | []+",
            ),
            ("// tools.f({})\ntext('tools.g({})')", " | [[]]"),
            ("pytest -x 'open", "no script"),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
    }
}
