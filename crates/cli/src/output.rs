//! Writing to the terminal: the only place that may.
//!
//! Results go to stdout and notes to stderr. A reader that closed the pipe early is no fault.

use std::io::{self, IsTerminal as _, Read as _, Write as _};

use serde::Serialize;

use crate::error::Failure;

/// Most bytes that a command reads from stdin as one text.
const STDIN_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Prints text on stdout, as it is.
pub fn print(text: &str) -> Result<(), Failure> {
    ignore_closed(io::stdout().lock().write_all(text.as_bytes()))
}

/// Prints a line on stdout and hands it over at once, so that a waiting reader sees it.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    ignore_closed(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints a value as one line of JSON.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(&to_json(value)?)
}

/// Writes a value as JSON.
pub fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::fault(format!("writing JSON: {error}")))
}

/// Prints a note on stderr; whether it arrives matters to nobody.
pub fn note(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// Returns whether a person is looking at stdout.
#[must_use]
pub fn is_person() -> bool {
    io::stdout().is_terminal()
}

/// Takes the text that was given, else reads it from stdin.
pub fn text_or_stdin(given: Option<&str>, what: &str) -> Result<String, Failure> {
    match given {
        Some(text) => Ok(text.to_owned()),
        None if io::stdin().is_terminal() => {
            Err(Failure::input(format!("{what} is missing"))
                .hint("give it as an argument or on stdin"))
        }
        None => stdin(),
    }
}

/// Reads stdin to its end; bytes that are not UTF-8 are replaced.
pub fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(STDIN_BYTES_MAX)
        .read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn ignore_closed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Failure::fault(format!("writing to stdout: {error}"))),
    }
}
