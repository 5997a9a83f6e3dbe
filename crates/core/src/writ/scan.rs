//! Reads lines and splits for the writ parser.

use crate::{text::quoted::mark_own_lines, trigger};

/// A text split into lines, with the role of each line computed once.
pub(super) struct ScannedText<'a> {
    lines: Vec<&'a str>,
    /// Whether each line is the writer's own, and not quoted.
    own: Vec<bool>,
    /// For each line, the `/endlesson` that closes it as the header of a block.
    block_ends: Vec<Option<usize>>,
}

impl<'a> ScannedText<'a> {
    /// Splits a text into lines. `is_verb` decides whether what follows `/lesson` is a whole command.
    pub(super) fn from_text(text: &'a str, is_verb: impl Fn(&str) -> bool) -> Self {
        let lines: Vec<&str> = text.lines().map(|line| line.trim_end()).collect();
        let own = mark_own_lines(&lines);
        let block_ends = find_block_ends(&lines, &own, is_verb);
        Self {
            lines,
            own,
            block_ends,
        }
    }

    pub(super) fn line(&self, at: usize) -> Option<&'a str> {
        self.lines.get(at).copied()
    }

    /// Returns whether a line is the writer's own.
    pub(super) fn is_own(&self, at: usize) -> bool {
        self.own.get(at).copied().unwrap_or(true)
    }

    /// Returns the line that closes the block whose header is at `at`; `None` if it is no block's header.
    pub(super) fn block_end(&self, at: usize) -> Option<usize> {
        self.block_ends.get(at).copied().flatten()
    }

    pub(super) fn join_lines(&self, from: usize, end: usize) -> String {
        self.lines[from..end].join("\n")
    }
}

/// Finds the end of each block. An end closes the nearest header before it, so a header that was never closed takes
/// nothing of the next block. A one-line lesson just before an end is not a header.
fn find_block_ends(
    lines: &[&str],
    open: &[bool],
    is_verb: impl Fn(&str) -> bool,
) -> Vec<Option<usize>> {
    let nearest = find_nearest_ends(lines, open);
    let mut ends = vec![None; lines.len()];
    let mut last_end = None;
    for at in (0..lines.len()).rev() {
        let end = nearest[at].filter(|end| open[at] && last_end != Some(*end));
        let header = end.zip(strip_command(lines[at], "/lesson"));
        let Some((end, header)) = header.filter(|(_, header)| !is_verb(header)) else {
            continue;
        };
        let has_body = lines[at + 1..end].iter().any(|line| !line.is_empty());
        let has_text = split_header(header).is_some_and(|(_, text)| !text.is_empty());
        if has_body || !has_text {
            ends[at] = Some(end);
            last_end = Some(end);
        }
    }
    ends
}

/// Finds the nearest end after each line. An end that is not quoted is preferred, so that a body may show one in an
/// example; where a fence was left open, any end will do.
fn find_nearest_ends(lines: &[&str], open: &[bool]) -> Vec<Option<usize>> {
    let mut ends = vec![None; lines.len()];
    let (mut outside, mut any) = (None, None);
    for at in (0..lines.len()).rev() {
        if lines[at] == "/endlesson" {
            any = Some(at);
            if open[at] {
                outside = Some(at);
            }
        }
        ends[at] = outside.or(any);
    }
    ends
}

/// Returns what follows `name` if the line is that command: `/lessons` is not `/lesson`.
pub(super) fn strip_command<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(name)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

pub(super) fn split_first_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (text, ""),
    }
}

/// Most words of a signature that nothing but a colon tells from a text: a longer one is a sentence.
const SIGNATURE_WORDS: usize = 6;

/// Splits a lesson as it is typed or printed into signature and text; `None` if it is a text without a signature.
///
/// `cargo test: Run it alone.`, `[cargo test] Run it alone. (#14)`, `(Merge conflict in x.lock) Run it.`
pub fn split_lesson(lesson: &str) -> Option<(&str, &str)> {
    let as_printed = split_printed(lesson).map(|(signature, text)| (signature, strip_number(text)));
    let by_colon = || {
        let (signature, text) = split_at(lesson, first_unquoted_colon(lesson)?);
        let is_short = signature.split_whitespace().count() <= SIGNATURE_WORDS;
        let is_one = is_short && !signature.contains('\n') && trigger::may_be_signature(signature);
        is_one.then_some((signature, text))
    };
    let parts = as_printed
        .filter(|form| !form.1.is_empty())
        .or_else(|| split_error(lesson))
        .or_else(by_colon);
    parts.filter(|(signature, text)| !signature.is_empty() && !text.is_empty())
}

/// Splits a lesson that begins with an error in parentheses.
fn split_error(lesson: &str) -> Option<(&str, &str)> {
    let (error, text) = lesson.strip_prefix('(')?.split_once(") ")?;
    let may_be_error = error.starts_with(char::is_uppercase) && error.contains(' ');
    (may_be_error && trigger::may_be_signature(error)).then_some((error.trim(), text.trim()))
}

/// Splits a header into signature and text; `None` if it has nothing to split at.
pub(super) fn split_header(header: &str) -> Option<(&str, &str)> {
    split_lesson(header).or_else(|| {
        let at = first_spaced_colon(header).or_else(|| first_plain_colon(header))?;
        Some(split_at(header, at))
    })
}

/// Splits a block into signature and text. A printed header may hold the beginning of the text.
pub(super) fn split_block<'a>(header: &'a str, body: &str) -> (&'a str, String) {
    match split_printed(header) {
        Some((signature, head)) => {
            let text = format!("{head}\n{body}");
            (signature, strip_number(text.trim()).to_owned())
        }
        None => {
            let signature = header.strip_suffix(':').unwrap_or(header).trim_end();
            (signature, body.to_owned())
        }
    }
}

fn split_at(header: &str, colon: usize) -> (&str, &str) {
    (header[..colon].trim(), header[colon + 1..].trim())
}

/// Splits a lesson as it is printed, `[signature] text`, perhaps with `[caution]` before it.
fn split_printed(lesson: &str) -> Option<(&str, &str)> {
    let cautious = lesson.strip_prefix("[caution] ");
    cautious
        .and_then(split_bracketed)
        .or_else(|| split_bracketed(lesson))
}

fn split_bracketed(lesson: &str) -> Option<(&str, &str)> {
    let inside = lesson.strip_prefix('[')?;
    // The tests of a shell are signatures themselves: `[[ -f x ]]`, `[ -f x ]`.
    if inside.starts_with(['[', ' ']) {
        return None;
    }
    let mut depth = 1_usize;
    let end = inside.char_indices().find(|(_, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let end = end.map(|(end, _)| end).or_else(|| inside.find("] "))?;
    let rest = &inside[end + 1..];
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    is_apart.then(|| (inside[..end].trim(), rest.trim()))
}

/// Returns a printed text without the number of its lesson: `(#14)`, `(#14; …)`.
fn strip_number(text: &str) -> &str {
    let Some((said, number)) = text.rsplit_once(" (#") else {
        return text;
    };
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number =
        rest.len() < number.len() && (rest == ")" || rest.starts_with("; ") && rest.ends_with(')'));
    if is_number { said.trim_end() } else { text }
}

/// Finds the first colon followed by a space, preferring one that is not quoted.
pub(super) fn first_spaced_colon(header: &str) -> Option<usize> {
    let by_space = || header.find(": ").or_else(|| header.find(":\t"));
    first_unquoted_colon(header).or_else(by_space)
}

/// Finds the first colon followed by a space that is not in quotation marks, backticks or parentheses, as a quoted
/// error is: `bin/kiln fire ("connect: refused"): start the hearth`.
fn first_unquoted_colon(header: &str) -> Option<usize> {
    const MARKS: [char; 2] = ['"', '`'];
    let ends = MARKS.map(|mark| header.rfind(mark));
    let closes = header.rfind(')');
    let (mut is_open, mut depth) = ([false; 2], 0_usize);
    for (at, c) in header.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ':' if header[at + 1..].starts_with([' ', '\t']) => {
                let in_marks = (0..2).any(|mark| is_open[mark] && ends[mark] > Some(at));
                let in_parentheses = depth > 0 && closes > Some(at);
                if !in_marks && !in_parentheses {
                    return Some(at);
                }
            }
            _ => {
                if let Some(mark) = MARKS.iter().position(|mark| *mark == c) {
                    is_open[mark] = !is_open[mark];
                }
            }
        }
    }
    None
}

/// Finds the first colon that belongs to no URL, neither before `//` nor before a port, and to no mark of a redacted
/// secret.
fn first_plain_colon(header: &str) -> Option<usize> {
    let mut in_url = false;
    for (at, c) in header.char_indices() {
        if c.is_whitespace() {
            in_url = false;
        } else if c == ':' {
            let rest = &header[at + 1..];
            if rest.starts_with("//") {
                in_url = true;
                continue;
            }
            let is_port = in_url && rest.starts_with(|c: char| c.is_ascii_digit());
            if !is_port && !header[..at].ends_with("[REDACTED") {
                return Some(at);
            }
        }
    }
    None
}
