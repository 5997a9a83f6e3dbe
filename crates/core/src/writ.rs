//! Parses the `/lesson …` and `/reflect …` lines that agents and people write in running text.
//!
//! ```text
//! text   = { fence | writ | line }            a writ starts at column 0, where nothing is quoted
//! writ   = "/lesson" ( verb | single | block ) | "/reflect" ( order | words )
//! verb   = "list" | "search" words | ("show" | "delete" | "helped" | "wrong") number
//! order  = "list" | "failed" | "drain" | ("retry" | "purge") number
//! single = signature ": " words               split at the first unquoted colon followed by a space;
//!                                             without one, at the first colon that is no URL's
//!        | words                              four or more, without such a colon, at the end of the text
//!        | printed words                      as lessons are printed, with or without their number
//! block  = ( signature [":"] | printed [words] ) newline { line } "/endlesson"
//! printed = ["[caution]"] "[" signature "]"
//! ```
//!
//! A header that an `/endlesson` closes is a block's, whatever colons it contains. A verb must match to the end of
//! the line, so `/lesson list comprehension: …` is a lesson and `/lesson delete 14abc` is an error. A block that is
//! never closed stores nothing, and what follows it is still parsed: an end closes the nearest header before it.
//! Parsing is linear in the text. Writs are carried out elsewhere.

mod queue_order;
mod scan;

pub use queue_order::QueueOrder;
pub use scan::split_lesson;

use hardwon_redact::redact;

use crate::{
    Category, LessonId, RawText, SuspicionLevel,
    guard::{inspect_text, neutralise, neutralise_within},
};

/// One directive to the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writ {
    /// Records a lesson.
    Create {
        /// What calls for the lesson.
        signature: RawText,
        /// What to do or avoid.
        text: RawText,
    },
    /// Records a lesson without a signature.
    Reflect {
        /// What to do or avoid.
        text: RawText,
    },
    /// Sees to the questions that wait for a model.
    Queue(QueueOrder),
    /// Lists the agent's lessons.
    List,
    /// Lists the lessons that contain these words.
    Search {
        /// The words to search for.
        query: RawText,
    },
    /// Shows one lesson as a whole.
    Show(LessonId),
    /// Takes one lesson out of use.
    Delete(LessonId),
    /// Reports that a lesson helped.
    Helped(LessonId),
    /// Reports that a lesson was wrong.
    Wrong(LessonId),
}

impl Writ {
    /// Returns the name of the directive in replies and JSON.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Reflect { .. } => "reflect",
            Self::Queue(order) => order.verb(),
            Self::List => "list",
            Self::Search { .. } => "search",
            Self::Show(_) => "show",
            Self::Delete(_) => "delete",
            Self::Helped(_) => "helped",
            Self::Wrong(_) => "wrong",
        }
    }

    /// Returns whether it only asks for something to read.
    pub fn is_query(&self) -> bool {
        matches!(
            self,
            Self::List
                | Self::Search { .. }
                | Self::Show(_)
                | Self::Queue(QueueOrder::List | QueueOrder::Failed)
        )
    }
}

/// What is wrong with a writ, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  {shown}\n  {:>caret$}", '^')]
pub struct WritError {
    /// The command that the line begins with.
    pub command: &'static str,
    /// What is wrong and what would be right.
    message: String,
    /// The line, without secrets and markers, cut to a readable length.
    shown: String,
    /// The column of the error, from 1, in characters of `shown`.
    caret: usize,
}

/// A writ found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpottedWrit {
    /// The number of its first line, from 1.
    pub line: usize,
    /// The parsed directive, or what is wrong with it.
    pub writ: Result<Writ, WritError>,
    /// Whether nothing but writs stands before it: a text that is pasted below other words begins with none.
    pub opens_text: bool,
}

/// Finds the writs of a text, in order. Secrets are redacted first, because splitting a line could separate a secret
/// from the name that marks it.
pub fn parse(text: &str) -> Vec<SpottedWrit> {
    let text = redact(text);
    let is_verb = |header: &str| matches!(parse_verb(header, header), Some(Ok(_)));
    let page = scan::ScannedText::from_text(&text, is_verb);
    let mut writs = Vec::new();
    let (mut at, mut opens_text) = (0, true);
    while let Some(line) = page.line(at) {
        let mut next = at + 1;
        let command = |name| scan::strip_command(line, name).filter(|_| page.is_own(at));
        let writ = match (command("/lesson"), command("/reflect")) {
            (Some(header), _) => Some(parse_lesson(header, line, &page, &mut next)),
            (None, Some(words)) => Some(parse_reflect(words, line)),
            (None, None) => None,
        };
        opens_text &= writ.is_some() || line.trim().is_empty();
        writs.extend(writ.map(|writ| SpottedWrit {
            line: at + 1,
            writ,
            opens_text,
        }));
        at = next;
    }
    writs
}

/// Parses what follows `/lesson`; `next` is the line to continue from and moves past a block.
fn parse_lesson(
    header: &str,
    line: &str,
    page: &scan::ScannedText<'_>,
    next: &mut usize,
) -> WritResult {
    if header.is_empty() {
        return Err(writ_error(
            "say what to record: /lesson <signature>: <text>",
            line,
            "",
        ));
    }
    let verb = parse_verb(header, line);
    if let Some(Ok(verb)) = verb {
        return Ok(verb);
    }
    if let Some(end) = page.block_end(*next - 1) {
        let body = page.join_lines(*next, end);
        *next = end + 1;
        let (signature, text) = scan::split_block(header, &body);
        return parse_create(signature, &text, line);
    }
    match (verb, scan::split_header(header)) {
        (Some(malformed), _) => malformed,
        (None, Some((signature, text))) if !text.is_empty() => parse_create(signature, text, line),
        // A sentence that nothing follows is no head of a block.
        (None, None) if is_last_sentence(header, page, *next) => Ok(Writ::Reflect {
            text: header.into(),
        }),
        (None, _) => {
            let message = "missing /endlesson: the block that starts here is never closed, so \
                           nothing was recorded";
            Err(writ_error(message, line, header))
        }
    }
}

/// Returns whether a header reads as a sentence, and is the last of the text.
fn is_last_sentence(header: &str, page: &scan::ScannedText<'_>, next: usize) -> bool {
    const WORDS: usize = 4;
    let mut rest = (next..).map_while(|at| page.line(at));
    let is_sentence = !header.starts_with('[') && header.split_whitespace().count() >= WORDS;
    is_sentence && rest.all(|line| line.trim().is_empty())
}

type WritResult = Result<Writ, WritError>;

/// Parses a verb and its argument; `None` if the header is a signature after all.
fn parse_verb(header: &str, line: &str) -> Option<WritResult> {
    let (word, rest) = scan::split_first_word(header);
    let number = |make: fn(LessonId) -> Writ| match rest.parse() {
        Ok(id) => Some(Ok(make(id))),
        Err(_) if scan::split_header(header).is_some() => None,
        Err(_) => Some(Err(writ_error(
            &format!("{word} takes a lesson number, as in #14"),
            line,
            rest,
        ))),
    };
    match word {
        "list" if rest.is_empty() => Some(Ok(Writ::List)),
        "list" if scan::split_header(header).is_none() => Some(Err(writ_error(
            "list takes nothing; to look for words, use search",
            line,
            rest,
        ))),
        "search" if rest.is_empty() => Some(Err(writ_error("search for what?", line, ""))),
        "search" if scan::first_spaced_colon(header).is_some() => None,
        "search" => Some(Ok(Writ::Search { query: rest.into() })),
        "show" => number(Writ::Show),
        "delete" => number(Writ::Delete),
        "helped" => number(Writ::Helped),
        "wrong" => number(Writ::Wrong),
        _ => None,
    }
}

fn parse_create(signature: &str, text: &str, line: &str) -> WritResult {
    if signature.is_empty() {
        return Err(writ_error(
            "a lesson needs a signature before the colon",
            line,
            ":",
        ));
    }
    if text.trim().is_empty() {
        return Err(writ_error("the lesson has no text", line, ""));
    }
    Ok(Writ::Create {
        signature: signature.into(),
        text: text.trim().into(),
    })
}

fn parse_reflect(words: &str, line: &str) -> WritResult {
    match QueueOrder::parse(words) {
        Some(Ok(order)) => Ok(Writ::Queue(order)),
        Some(Err(message)) => Err(writ_error(&message, line, words)),
        None => Ok(Writ::Reflect { text: words.into() }),
    }
}

/// Creates an error that points at the first occurrence of `part` in the line; at its end if `part` is empty.
fn writ_error(message: &str, line: &str, part: &str) -> WritError {
    const SHOWN_CHARS: usize = 120;
    let whole = redact(line);
    let whole = if is_instruction_like(&whole) {
        scan::split_first_word(&whole).0.to_owned().into()
    } else {
        whole
    };
    let line = neutralise(&whole);
    let column = match line.find(part) {
        Some(byte) if !part.is_empty() => line[..byte].chars().count(),
        _ => line.chars().count(),
    };
    WritError {
        command: if line.starts_with("/reflect") {
            "/reflect"
        } else {
            "/lesson"
        },
        message: message.to_owned(),
        shown: neutralise_within(&whole, SHOWN_CHARS),
        caret: column.min(SHOWN_CHARS) + 1,
    }
}

/// Returns whether a line reads like an instruction and had better not be repeated, though no marker in it survives.
fn is_instruction_like(line: &str) -> bool {
    let mut reasons = inspect_text(line).into_iter();
    reasons
        .any(|reason| reason.level >= SuspicionLevel::Hold && reason.category != Category::Marker)
}

#[cfg(test)]
mod tests;
