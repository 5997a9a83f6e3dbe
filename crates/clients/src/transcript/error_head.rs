//! Picks the few lines of a failed call's output that name the failure.
//!
//! An error head is matched across runs and shown to people, so it must be the same for the same failure: the
//! diagnosis, not the progress before it, the boilerplate after it, or where the log is. The choice is by line, in
//! classes; program-specific knowledge is only in which words mark a diagnosis and which lines are boilerplate.

mod marks;

use std::borrow::Cow;

use hardwon_core::limits;

use marks::classify_by_marks;

use super::{
    sentence::{names_exception, parse_exit_code},
    text::{prefix_within, shorten, starts_with_any, strip_prefix_ci, suffix_within},
};

/// How informative a line is about the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LineClass {
    /// Not at all.
    Silent,
    /// It reports a failure, but is the same for every failure.
    Boilerplate,
    /// It mentions a failure.
    Mention,
    /// It says what is wrong.
    Complaint,
    /// It has the form of a diagnosis.
    Diagnosis,
}

/// Returns the most informative lines of a failed call's output.
///
/// At most [`limits::ERROR_HEAD_LINES`] lines and [`limits::ERROR_HEAD_BYTES`] bytes; empty when the output holds
/// nothing but an exit code.
pub(crate) fn error_head(output: &str) -> String {
    let lines = telling_lines(output);
    let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
    let head_lines = exception_lines(&lines).unwrap_or_else(|| best_lines(&lines));
    let mut head = String::new();
    for line in head_lines {
        let room = limits::ERROR_HEAD_BYTES.saturating_sub(head.len() + 1);
        let line = shorten(line, room.min(limits::ERROR_HEAD_BYTES / 2));
        if room < 40 || head.lines().any(|before| before == line) {
            continue;
        }
        if !head.is_empty() {
            head.push('\n');
        }
        head += &line;
    }
    head
}

/// Returns whether a line at least mentions that something is wrong.
pub(super) fn mentions_failure(line: &str) -> bool {
    classify_line(line) >= LineClass::Mention
}

/// Returns both ends of the output as trimmed lines, without wrappers and blank lines.
fn telling_lines(output: &str) -> Vec<Cow<'_, str>> {
    let (head, tail) = both_ends(output);
    let lines = head.lines().chain(tail.lines()).map(clean_line);
    lines.filter(|line| !line.is_empty()).collect()
}

fn both_ends(output: &str) -> (&str, &str) {
    const END: usize = limits::ERROR_SEARCH_BYTES;
    if output.len() <= 2 * END {
        return (output, "");
    }
    (prefix_within(output, END), suffix_within(output, END))
}

/// Strips what is not the program's own text: colours, an overwritten progress line, wrappers, indentation.
pub(super) fn clean_line(line: &str) -> Cow<'_, str> {
    let line = line.trim_end().rsplit('\r').next().unwrap_or(line);
    let plain = strip_escapes(line);
    match plain {
        Cow::Borrowed(line) => Cow::Borrowed(strip_wrappers(line)),
        Cow::Owned(line) => Cow::Owned(strip_wrappers(&line).to_owned()),
    }
}

fn strip_wrappers(line: &str) -> &str {
    let mut inner = line.trim();
    inner = inner.strip_prefix("Output: ").unwrap_or(inner);
    for wrapper in ["<tool_use_error>", "<error>", "<stderr>", "<output>"] {
        inner = inner.strip_prefix(wrapper).unwrap_or(inner).trim_start();
    }
    for wrapper in ["</tool_use_error>", "</error>", "</stderr>", "</output>"] {
        inner = inner.strip_suffix(wrapper).unwrap_or(inner).trim_end();
    }
    inner
}

/// Removes terminal escape sequences.
fn strip_escapes(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if chars.clone().next() == Some('[') {
            chars.by_ref().skip(1).find(char::is_ascii_alphabetic);
        }
    }
    Cow::Owned(plain)
}

/// Returns whether a client or a table wrote a line around the text: exit lines, labels, rulers.
fn is_frame(line: &str) -> bool {
    const LABELS: &str = "output:|stdout:|stderr:|stderr|stdout|chunk id:|wall time:|original token count:|signal:|\
        background pids:|process group pgid:|error: (none)|directory:|error: exit code";
    starts_with_any(line, LABELS)
        || parse_exit_code(line).is_some()
        || line.chars().all(|c| "^~-=_|.* +#".contains(c))
}

/// Returns the exception that a Python traceback ends in, with the assertion detail pytest gives.
///
/// Of several tracebacks, the last one ended the program.
fn exception_lines<'l>(lines: &[&'l str]) -> Option<Vec<&'l str>> {
    let begins = |line: &&str| line.starts_with("Traceback (most recent call last)");
    let after = &lines[lines.iter().rposition(begins)? + 1..];
    let exception = after.iter().find(|line| names_exception(line));
    Some(vec![*exception.or(after.last())?])
}

/// Returns the lines of the highest class, in their order.
fn best_lines<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let classes: Vec<LineClass> = lines.iter().map(|line| classify_line(line)).collect();
    let best = classes.iter().max().copied().unwrap_or(LineClass::Silent);
    if best == LineClass::Silent {
        return likeliest_line(lines);
    }
    let mut positions = Vec::new();
    for at in (0..lines.len()).filter(|at| classes[*at] == best) {
        positions.push(lines[at]);
        if lines[at].ends_with(':') {
            positions.extend(lines.get(at + 1));
        }
        if positions.len() >= limits::ERROR_HEAD_LINES {
            break;
        }
    }
    positions
}

/// Picks a line where none is informative: the only one, the first of a few, the last of many.
fn likeliest_line<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    const FEW: usize = 3;
    let is_aside = |line: &str| strip_npm_prefix(line).is_some_and(is_npm_aside);
    let speaking = lines.iter().copied();
    let mut speaking = speaking.filter(|line| !is_frame(line) && !is_aside(line));
    let first = speaking.clone().next();
    let line = match speaking.clone().nth(FEW) {
        Some(_) => speaking.next_back(),
        None => first,
    };
    line.into_iter().collect()
}

/// Returns the class of a line. What the client put around the output is `Silent`.
fn classify_line(line: &str) -> LineClass {
    const LONGEST: usize = 2000;
    let line = prefix_within(line, LONGEST);
    if let Some(said) = strip_npm_prefix(line) {
        return classify_npm_line(said);
    }
    match classify_by_marks(line) {
        LineClass::Silent if !is_located(line) && !names_exception(line) => LineClass::Silent,
        LineClass::Boilerplate => LineClass::Boilerplate,
        _ if is_frame(line) => LineClass::Silent,
        _ if names_exception(line) || is_located(line) => LineClass::Diagnosis,
        _ if is_bare_error(line) => LineClass::Boilerplate,
        class => class,
    }
}

/// Returns the text behind the mark that npm puts before every line of a failure.
fn strip_npm_prefix(line: &str) -> Option<&str> {
    let message =
        strip_prefix_ci(line, "npm error").or_else(|| strip_prefix_ci(line, "npm err!"))?;
    Some(message.trim_start())
}

/// Returns whether a line of npm is the same for every failure.
fn is_npm_aside(said: &str) -> bool {
    const ASIDES: &str = "a complete log|to see a list|path |command |errno |syscall ";
    said.is_empty() || starts_with_any(said, ASIDES)
}

fn classify_npm_line(said: &str) -> LineClass {
    if is_npm_aside(said) {
        LineClass::Silent
    } else if classify_by_marks(said) >= LineClass::Complaint {
        LineClass::Diagnosis
    } else if said.starts_with("code ") {
        LineClass::Complaint
    } else {
        LineClass::Silent
    }
}

/// Returns whether a line is nothing but `[ERROR]`.
fn is_bare_error(line: &str) -> bool {
    line.trim_matches(['[', ']', ':', ' '])
        .eq_ignore_ascii_case("error")
}

/// Returns whether a line has the shape `file:3:5: what is wrong`, as compilers and linters write.
fn is_located(line: &str) -> bool {
    let Some((place, said)) = line.split_once(": ") else {
        return false;
    };
    let mut parts = place.rsplit(':');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    is_number(parts.next())
        && is_number(parts.next())
        && parts.next().is_some_and(|file| !file.contains(' '))
        && !starts_with_any(said, "note|warning|help")
}

#[cfg(test)]
mod tests;
