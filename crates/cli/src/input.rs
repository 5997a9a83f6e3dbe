//! Reads arguments and piped input.
//!
//! A text may be in any encoding: bytes that are not UTF-8 are replaced. An invalid line of JSON is reported on stderr,
//! and the lines after it are read all the same.

use std::{
    borrow::Cow,
    env,
    fs::File,
    io::{self, BufRead, IsTerminal as _, Read as _},
    path::{Path, PathBuf},
};

use hardwon_clients::archive::{self, ArchiveEntry, SessionsFound};
use hardwon_core::limits;
use serde::de::DeserializeOwned;

use crate::{CliError, Result, config};

/// Most bytes that a command reads from stdin as one text.
const TEXT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Returns the given text; without one, or for `-`, reads it from stdin.
pub fn read_text(given: Option<&str>, what: &str) -> Result<String> {
    match given.filter(|text| *text != "-") {
        Some(text) => Ok(text.to_owned()),
        None if io::stdin().is_terminal() => {
            Err(bad_input!("{what} is missing").with_hint("give it as an argument or on stdin"))
        }
        None => read_stdin(),
    }
}

/// Returns where agents keep their sessions on this machine.
pub fn locate_sessions() -> Vec<SessionsFound> {
    let home = config::home_folder();
    let places = home.map(|home| archive::locate_sessions(&home, &|name| env::var_os(name)));
    places.unwrap_or_default()
}

/// Lists the files below paths, and says of those that cannot be read why.
pub fn list_files(paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<String>) {
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    for source in archive::list_entries(paths) {
        match source {
            ArchiveEntry::File(path) => files.push(path),
            ArchiveEntry::Unreadable(path, error) => {
                unreadable.push(format!("reading {}: {error}", path.display()));
            }
        }
    }
    (files, unreadable)
}

/// Reads a file of bounded size, or stdin (`-`); what is longer is refused in these words.
///
/// # Errors
///
/// If it cannot be read, or is longer.
pub fn read_file(file: &Path, most: u64, too_long: &str) -> Result<String> {
    let fail = |why: String| bad_input!("reading {}: {why}", name_file(file));
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        File::open(file).and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
    };
    if read.map_err(|error| fail(error.to_string()))? as u64 > most {
        return Err(fail(too_long.to_owned()));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Names a file that [`read_file`] reads.
pub fn name_file(file: &Path) -> String {
    if file == Path::new("-") {
        "stdin".to_owned()
    } else {
        file.display().to_string()
    }
}

/// Reads stdin to its end.
fn read_stdin() -> Result<String> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(TEXT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(reading_error)?;
    if bytes.len() > TEXT_BYTES_MAX {
        let megabytes = TEXT_BYTES_MAX / (1024 * 1024);
        return Err(bad_input!(
            "the text on stdin is longer than {megabytes} MB"
        ));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Calls `each` with each line of JSON on stdin; blank lines are skipped. `shape` describes a line.
///
/// Returns a bad-input error, at the end, if lines could not be parsed.
pub fn for_each_json_line<T: DeserializeOwned>(
    shape: &str,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut lines = InputLines::from_reader(io::stdin().lock());
    let mut broken_lines = 0_usize;
    while let Some(line) = lines.read_line()? {
        match line.parse() {
            Ok(value) => each(value)?,
            Err(why) => {
                broken_lines += 1;
                print_note!("line {}: {why}", line.number);
            }
        }
    }
    match broken_lines {
        0 => Ok(()),
        1 => Err(CliError::bad_input("1 line was skipped")),
        n => Err(bad_input!("{n} lines were skipped")),
    }
    .map_err(|failure| failure.with_hint(format!("each line is a JSON object {shape}")))
}

/// The lines of a stream, each of limited length.
pub struct InputLines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: usize,
}

/// One line that is not blank.
#[derive(Debug)]
pub struct InputLine<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Its bytes; `None` for a line that is too long to be read.
    bytes: Option<&'a [u8]>,
}

impl InputLine<'_> {
    /// Returns the line's bytes, or why there are none.
    fn bytes(&self) -> Result<&[u8], String> {
        let long = || format!("it is longer than {} bytes", limits::RECORD_BYTES);
        self.bytes.ok_or_else(long)
    }

    /// Returns the line as text, bytes that are not UTF-8 replaced, or why it cannot be read.
    pub fn text(&self) -> Result<Cow<'_, str>, String> {
        self.bytes().map(String::from_utf8_lossy)
    }

    /// Parses the line as JSON, or says why that failed.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, String> {
        let place =
            |error| hardwon_redact::quote_error(&error).replace(" at line 1 column", " at column");
        serde_json::from_str(&self.text()?).map_err(place)
    }
}

impl<R: BufRead> InputLines<R> {
    /// Makes the lines of a reader.
    pub fn from_reader(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// Returns the reader.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Returns the next line that is not blank; `None` at the end.
    pub fn read_line(&mut self) -> Result<Option<InputLine<'_>>> {
        loop {
            self.buffer.clear();
            let most = limits::RECORD_BYTES as u64 + 1;
            let mut limited_reader = (&mut self.reader).take(most);
            let read = limited_reader.read_until(b'\n', &mut self.buffer);
            if read.map_err(reading_error)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let is_long = self.buffer.len() > limits::RECORD_BYTES && !self.buffer.ends_with(b"\n");
            if is_long {
                self.reader.skip_until(b'\n').map_err(reading_error)?;
            } else if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            return Ok(Some(InputLine {
                number: self.number,
                bytes: (!is_long).then_some(&self.buffer),
            }));
        }
    }
}

fn reading_error(error: io::Error) -> CliError {
    internal!("reading stdin: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_about_a_line_quotes_no_secret_and_no_page() {
        let token = format!("ghp_{}", "Zq8kT2mV5xB7nC1dF4gH6jL9pR3sW0yUeIaQ");
        let text = format!("\"{token}\"\n\"{}\"", "x".repeat(10_000));
        let mut lines = InputLines::from_reader(text.as_bytes());
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
        let mut lines = InputLines::from_reader(text.as_bytes());
        let mut seen = Vec::new();
        while let Some(line) = lines.read_line().unwrap() {
            seen.push((line.number, line.parse::<u8>().ok()));
        }
        assert_eq!(seen, [(1, Some(1)), (4, None), (5, Some(2))]);
    }
}
