//! Writing to the terminal: the only place that may.
//!
//! Results go to stdout and notes to stderr. A reader that closed the pipe early is no fault:
//! what only prints stops, what does something goes on in silence.

use std::{
    env,
    io::{self, BufWriter, IsTerminal as _, Write as _},
};

use serde::Serialize;

use crate::error::Failure;

/// Prints text on stdout, as it is.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    ignore_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints text on stdout, and returns whether somebody still reads.
pub fn offer(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => ignore_closed(written).map(|()| true),
    }
}

/// Prints a line on stdout and hands it over at once, so that a waiting reader sees it.
pub fn line(text: &str) -> Result<(), Failure> {
    print(&format!("{text}\n"))
}

/// Prints a value as one line of JSON.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(&to_json(value)?)
}

/// Writes a value as JSON.
pub fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::fault(format!("writing JSON: {error}")))
}

/// Prints lines until there are no more, or nobody reads any more.
pub fn lines<T: AsRef<str>>(
    lines: impl IntoIterator<Item = Result<T, Failure>>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        match writeln!(out, "{}", line?.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => ignore_closed(written)?,
        }
    }
    ignore_closed(out.flush())
}

/// Prints a note on stderr; whether it arrives matters to nobody.
pub fn note(text: &str) {
    drop(writeln!(io::stderr().lock(), "hardwon: {}", visible(text)));
}

/// Returns a number of things in words: `1 lesson`, `2 lessons`.
#[must_use]
pub fn count(number: u64, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{s}")
}

/// Returns whether a person watches what goes to stderr.
#[must_use]
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Returns whether a person reads what goes to stdout.
#[must_use]
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns a text in bold, where a person reads stdout and has nothing against it.
#[must_use]
pub fn bold(text: &str) -> String {
    match is_terminal() && env::var_os("NO_COLOR").is_none_or(|it| it.is_empty()) {
        true => format!("\u{1b}[1m{text}\u{1b}[0m"),
        false => text.to_owned(),
    }
}

/// Makes every character of a text visible, so that nothing in it can steer a terminal. Line
/// breaks and tabs stay.
#[must_use]
pub fn visible(text: &str) -> String {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.replace(steers, "\u{fffd}")
}

/// Returns a text on one line, its characters visible.
#[must_use]
pub fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn ignore_closed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Failure::fault(format!("writing to stdout: {error}"))),
    }
}
