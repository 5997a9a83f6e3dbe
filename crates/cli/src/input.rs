//! Reading what was given on the command line or piped in.
//!
//! A text may be in any encoding: bytes that are not UTF-8 are replaced. A line of JSON that
//! cannot be read is named on stderr, and the lines after it are read all the same.

use std::{
    borrow::Cow,
    io::{self, BufRead, IsTerminal as _, Read as _},
};

use hardwon_core::{limits, redact};
use serde::de::DeserializeOwned;

use crate::{error::Failure, output};

/// Most bytes that a command reads from stdin as one text.
const TEXT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Takes the text that was given, else reads it from stdin.
pub fn text(given: Option<&str>, what: &str) -> Result<String, Failure> {
    match given {
        Some(text) => Ok(text.to_owned()),
        None if io::stdin().is_terminal() => {
            Err(Failure::input(format!("{what} is missing"))
                .hint("give it as an argument or on stdin"))
        }
        None => stdin(),
    }
}

/// Reads stdin to its end.
fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(TEXT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(reading)?;
    if bytes.len() > TEXT_BYTES_MAX {
        let megabytes = TEXT_BYTES_MAX / (1024 * 1024);
        return Err(Failure::input(format!(
            "the text on stdin is longer than {megabytes} MB"
        )));
    }
    Ok(lossy(bytes))
}

/// Hands each line of JSON on stdin to `each`; blank lines are passed over. `shape` is what a
/// line should look like.
///
/// Returns bad input, at the end, if lines could not be read.
pub fn json_lines<T: DeserializeOwned>(
    shape: &str,
    mut each: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut lines = Lines::of(io::stdin().lock());
    let mut broken = 0_usize;
    while let Some(line) = lines.read_line()? {
        match line.parse() {
            Ok(value) => each(value)?,
            Err(why) => {
                broken += 1;
                output::note(&format!("line {}: {why}", line.number));
            }
        }
    }
    match broken {
        0 => Ok(()),
        1 => Err(Failure::input("1 line was skipped")),
        n => Err(Failure::input(format!("{n} lines were skipped"))),
    }
    .map_err(|failure| failure.hint(format!("each line is a JSON object {shape}")))
}

/// The lines of a stream, each as long as a line may be.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: usize,
}

/// One line that is not blank.
#[derive(Debug)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Its bytes; none for a line that is too long to be read.
    bytes: Option<&'a [u8]>,
}

impl Line<'_> {
    /// Returns the line's bytes, or why there are none.
    fn bytes(&self) -> Result<&[u8], String> {
        let long = || format!("it is longer than {} bytes", limits::RECORD_BYTES);
        self.bytes.ok_or_else(long)
    }

    /// Returns the line as text, bytes that are not UTF-8 replaced, or why it cannot be read.
    pub fn text(&self) -> Result<Cow<'_, str>, String> {
        self.bytes().map(String::from_utf8_lossy)
    }

    /// Reads the line as JSON, or says why it cannot be.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, String> {
        let place = |error| quotable(&error).replace(" at line 1 column", " at column");
        serde_json::from_str(&self.text()?).map_err(place)
    }
}

/// Words an error that may quote the line it is about: without secrets, and not the whole of it.
pub fn quotable(error: &impl ToString) -> String {
    redact::clean_to_bytes(&error.to_string().into(), limits::REASON_CHARS).to_string()
}

impl<R: BufRead> Lines<R> {
    /// Reads the lines of this.
    pub fn of(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// Returns what the lines are read from.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Returns the next line that is not blank; none at the end.
    pub fn read_line(&mut self) -> Result<Option<Line<'_>>, Failure> {
        loop {
            self.buffer.clear();
            let most = limits::RECORD_BYTES as u64 + 1;
            let mut limited = (&mut self.reader).take(most);
            let read = limited.read_until(b'\n', &mut self.buffer);
            if read.map_err(reading)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let is_long = self.buffer.len() > limits::RECORD_BYTES && !self.buffer.ends_with(b"\n");
            if is_long {
                self.reader.skip_until(b'\n').map_err(reading)?;
            } else if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            return Ok(Some(Line {
                number: self.number,
                bytes: (!is_long).then_some(&self.buffer),
            }));
        }
    }
}

fn reading(error: io::Error) -> Failure {
    Failure::fault(format!("reading stdin: {error}"))
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_about_a_line_quotes_no_secret_and_no_page() {
        let token = format!("ghp_{}", "Zq8kT2mV5xB7nC1dF4gH6jL9pR3sW0yUeIaQ");
        let text = format!("\"{token}\"\n\"{}\"", "x".repeat(10_000));
        let mut lines = Lines::of(text.as_bytes());
        let why = lines
            .read_line()
            .unwrap()
            .unwrap()
            .parse::<u8>()
            .unwrap_err();
        assert!(
            why.contains("[REDACTED:github-token]") && !why.contains(&token),
            "{why}"
        );
        let why = lines
            .read_line()
            .unwrap()
            .unwrap()
            .parse::<u8>()
            .unwrap_err();
        assert!(why.len() <= limits::REASON_CHARS, "{why}");
    }

    #[test]
    fn lines_are_numbered_and_bounded() {
        let long = "x".repeat(limits::RECORD_BYTES + 10);
        let text = format!("1\n\n  \r\n{long}\n2");
        let mut lines = Lines::of(text.as_bytes());
        let mut seen = Vec::new();
        while let Some(line) = lines.read_line().unwrap() {
            seen.push((line.number, line.parse::<u8>().ok()));
        }
        assert_eq!(seen, [(1, Some(1)), (4, None), (5, Some(2))]);
    }
}
