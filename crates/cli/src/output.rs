//! Writes to the terminal: the only module that may.
//!
//! Results go to stdout and notes to stderr. A reader that closed the pipe early is no error: a command that only
//! prints stops, one that works goes on silently. On a terminal, lines are broken at words to its width; piped output
//! stays as it is.

use std::{
    borrow::Cow,
    env,
    io::{self, BufWriter, IsTerminal as _, Write as _},
    thread,
    time::Duration,
};

pub use hardwon_engine::pluralize;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde::Serialize;
use terminal_size::Width;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::{CliError, Result};

/// The narrowest terminal that lines are broken for, in columns.
const MIN_COLUMNS: usize = 40;

/// Prints text on stdout, its lines broken to the width of a terminal.
pub fn print(text: &str) -> Result<()> {
    print_raw(&wrap_lines(text, stdout_width()))
}

/// Returns the columns of the terminal on stdout; `None` if it is none.
fn stdout_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(Width(columns), _)| usize::from(columns))
}

/// Returns the columns to lay a text out for: those of the terminal, at most `most`.
pub fn layout_width(most: usize) -> usize {
    let columns = stdout_width().filter(|stdout_width| *stdout_width >= MIN_COLUMNS);
    columns.map_or(most, |column| column.min(most))
}

/// Returns the columns that help is laid out for, as the parser does: those of the terminal, else of `COLUMNS`, at most `most`.
pub fn help_width(most: usize) -> usize {
    let stated = || env::var("COLUMNS").ok()?.parse().ok();
    stdout_width()
        .or_else(stated)
        .map_or(most, |columns| columns.min(most))
}

/// Prints text on stdout, as it is.
fn print_raw(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    ignore_closed_pipe(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints a line on stdout and flushes it, so that a waiting reader sees it.
pub fn print_line(text: &str) -> Result<()> {
    print(&format!("{text}\n"))
}

/// Prints a value as one line of JSON.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print_raw(&format!("{}\n", to_json(value)?))
}

/// Prints an answer as JSON, or as its text for people, which is written only then; a last line needs no line break.
pub fn print_answer(
    as_json: bool,
    answer: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<()> {
    if as_json {
        return print_json(answer);
    }
    let text = text();
    let is_complete = text.is_empty() || text.ends_with('\n');
    print(&if is_complete { text } else { text + "\n" })
}

/// Writes a value as JSON.
pub fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| CliError::internal(format!("writing JSON: {error}")))
}

/// Prints lines until there are no more, or the reader is gone.
pub fn print_lines<T: AsRef<str>>(lines: impl IntoIterator<Item = Result<T>>) -> Result<()> {
    let width = stdout_width();
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        match writeln!(out, "{}", wrap_lines(line?.as_ref(), width)) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => ignore_closed_pipe(written)?,
        }
    }
    ignore_closed_pipe(out.flush())
}

/// Prints a note on stderr, and ignores errors.
pub fn print_note(text: &str) {
    let size = terminal_size::terminal_size_of(io::stderr());
    let width = size.map(|(Width(columns), _)| usize::from(columns));
    let text = format!("hardwon: {}", replace_controls(text));
    drop(writeln!(
        io::stderr().lock(),
        "{}",
        wrap_lines(&text, width)
    ));
}

/// Breaks the lines of a text at words where they are wider than so many columns.
pub fn wrap_lines(text: &str, columns: Option<usize>) -> Cow<'_, str> {
    let Some(columns) = columns.filter(|column| *column >= MIN_COLUMNS) else {
        return Cow::Borrowed(text);
    };
    let is_wide = |line: &str| textwrap::core::display_width(line) > columns;
    if !text.lines().any(is_wide) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |rest| (rest, "\n"));
        let indent = " ".repeat(hanging_indent(
            &console::strip_ansi_codes(line),
            columns / 2,
        ));
        let options = Options::new(columns)
            .subsequent_indent(&indent)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(false);
        textwrap::fill(line, options) + end
    });
    Cow::Owned(lines.collect())
}

/// Returns the indentation for the rest of a broken line: its last column that begins before `most`, where it has
/// columns; else that of the line, or of the words after its bullet or number.
fn hanging_indent(line: &str, most: usize) -> usize {
    let text = line.trim_start();
    let start = line.len() - text.len();
    let gaps = text.match_indices("  ").map(|(at, _)| {
        let rest = &text[at..];
        start + at + (rest.len() - rest.trim_start().len())
    });
    let column = gaps.filter(|column| *column <= most).last();
    let is_item = text.starts_with(|c: char| c.is_ascii_digit() || "-#*".contains(c));
    column.unwrap_or(start + if is_item { 2 } else { 0 })
}

/// How often what is in progress is drawn on a terminal.
const FRAMES_PER_SECOND: u8 = 5;

/// Shows on stderr what is in progress, after half a second, on a terminal.
pub fn show_spinner(what: &'static str) -> ProgressBar {
    let bar = show_bar(None).with_message(what);
    bar.enable_steady_tick(Duration::from_secs(1) / u32::from(FRAMES_PER_SECOND));
    bar
}

/// Makes a bar of this length that is shown on stderr after half a second, on a terminal: what is done by then needs none.
pub fn show_bar(length: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
    let later = bar.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        if !later.is_finished() {
            later.set_draw_target(ProgressDrawTarget::stderr_with_hz(FRAMES_PER_SECOND));
        }
    });
    bar
}

/// Returns whether stdout is a terminal.
pub fn is_stdout_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns a text in bold, on a terminal that is not dumb, where `NO_COLOR` is not set.
pub fn bold(text: &str) -> String {
    apply_style("1", text)
}

/// Returns a text in green, for success, on a terminal with colours.
pub fn green(text: &str) -> String {
    apply_style("32", text)
}

/// Returns a text in yellow, for what may need attention, on a terminal with colours.
pub fn yellow(text: &str) -> String {
    apply_style("33", text)
}

/// Returns a text in red, for errors, on a terminal with colours.
pub fn red(text: &str) -> String {
    apply_style("31", text)
}

/// Returns a text dimmed, for explanations, on a terminal with colours.
pub fn dim(text: &str) -> String {
    apply_style("2", text)
}

fn apply_style(code: &str, text: &str) -> String {
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    if is_stdout_terminal() && !is_plain {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Replaces control characters, so that a text cannot steer a terminal. Line breaks and tabs stay.
pub fn replace_controls(text: &str) -> String {
    let is_break = |c: char| matches!(c, '\u{2028}' | '\u{2029}');
    let steers = |c: char| is_break(c) || c.is_control() && c != '\n' && c != '\t';
    text.replace(steers, "\u{fffd}")
}

/// Returns a text on one line, without control characters.
pub fn to_one_line(text: &str) -> String {
    replace_controls(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns a text on one line of at most so many characters, cut between words.
pub fn cut_line(text: &str, chars: usize) -> String {
    let line = to_one_line(text);
    let Some((end, _)) = line.char_indices().nth(chars) else {
        return line;
    };
    let end = line[..end].rfind(' ').unwrap_or(end);
    format!("{} …", &line[..end])
}

fn ignore_closed_pipe(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| CliError::internal(format!("writing to stdout: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_at_once_draws_no_bar() {
        let bar = show_bar(Some(1));
        assert!(bar.is_hidden());
        bar.finish_and_clear();
    }

    #[test]
    fn lines_are_broken_at_words() {
        for (text, expected) in [
            ("short\n", "short\n"),
            (
                "#1    [npm test] Run `npm run test:unit` instead of it.\n#2    [x] y\n",
                "#1    [npm test] Run `npm run test:unit`\n      instead of it.\n#2    [x] y\n",
            ),
            (
                "  a line that goes on and on until it is too long",
                "  a line that goes on and on until it is\n  too long",
            ),
            (
                "ok   settings    the defaults; config.toml is not there",
                "ok   settings    the defaults;\n                 config.toml is not\n                 there",
            ),
            (
                "- run the tests of the whole yard before you push",
                "- run the tests of the whole yard before\n  you push",
            ),
            (
                "\u{1b}[32mok  \u{1b}[0m settings    the defaults; config.toml is not there",
                "\u{1b}[32mok  \u{1b}[0m settings    the defaults;\n                 config.toml is not\n                 there",
            ),
            (
                "see /a/path/that/is/longer/than/the/whole/terminal.jsonl",
                "see\n/a/path/that/is/longer/than/the/whole/terminal.jsonl",
            ),
        ] {
            assert_eq!(wrap_lines(text, Some(40)), expected);
            assert_eq!(wrap_lines(text, Some(10)), text, "too narrow for words");
            assert_eq!(wrap_lines(text, None), text, "nobody reads it");
        }
    }
}
