//! Asking a person, if there is one.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use console::{Key, Term};

use crate::output;

/// Returns whether a person can be asked: both what they type and what they read is a terminal.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question whose answer is yes or no; just the enter key means `default`.
pub(super) fn ask_yes_no(question: &str, default: bool) -> io::Result<bool> {
    let choice = if default { "[Y/n]" } else { "[y/N]" };
    ask_until_clear(&format!("{question} {choice}"), |line| {
        parse_answer(line, default)
    })
}

/// Asks whether something may be done, which is yes for just the enter key; `d` shows what exactly that is.
pub(super) fn ask_with_details(question: &str, details: &str) -> io::Result<bool> {
    ask_until_clear(&format!("{question} [Y/n, d: show the lines]"), |line| {
        if line.trim().eq_ignore_ascii_case("d") {
            drop(output::print(details));
        }
        parse_answer(line, true)
    })
}

/// Asks until an answer is understood; the end of input is a no.
fn ask_until_clear(question: &str, parse: impl Fn(&str) -> Option<bool>) -> io::Result<bool> {
    loop {
        let line = ask_text(question)?;
        if line.is_empty() {
            return Ok(false);
        }
        if let Some(answer) = parse(&line) {
            return Ok(answer);
        }
    }
}

/// Asks for one key, and returns it; `None` if it is none that stands for a character.
pub(super) fn ask_key(question: &str) -> io::Result<Option<char>> {
    write!(io::stderr().lock(), "{question} ")?;
    io::stderr().lock().flush()?;
    let key = match Term::stderr().read_key()? {
        Key::Char(key) => Some(key.to_ascii_lowercase()),
        _ => None,
    };
    writeln!(io::stderr().lock())?;
    Ok(key)
}

/// Asks for a line of text, with its end; it is empty where there is no more input.
pub(super) fn ask_text(question: &str) -> io::Result<String> {
    write!(io::stderr().lock(), "{question} ")?;
    io::stderr().lock().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

fn parse_answer(line: &str, default: bool) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "" => Some(default),
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_is_one() {
        for (line, default, answer) in [
            ("\n", true, Some(true)),
            ("\n", false, Some(false)),
            (" Y\n", false, Some(true)),
            ("no\r\n", true, Some(false)),
            ("sure\n", true, None),
        ] {
            assert_eq!(parse_answer(line, default), answer, "{line:?}");
        }
    }
}
