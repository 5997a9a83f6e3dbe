//! Finds out whether a call failed, however the client hides it, and keeps the head of its error.
//!
//! Clients state a failure in different places: an exit code in a field of its own, a flag, a sentence in the first or
//! last line of the output, a wrapper around it, or not at all. The order of trust is the order of [`judge_text`].
//! Only formats that state nothing are judged by what the text looks like, because program output may say "error" for
//! many reasons.
//!
//! [`error_head`] is the only part of a tool's output that goes on from here.

use std::borrow::Cow;

use hardwon_core::{OutsideWords, event::NO_OUTPUT, limits};
use serde::{Deserialize, de::IgnoredAny};

use super::{
    Text,
    error_head::error_head,
    sentence::{names_exception, parse_exit_code},
    text::{
        contains_any, first_and_last_line, prefix_within, shorten, starts_with_any,
        strip_prefix_ci, suffix_within,
    },
    wire::{has_picture, json_text_ends, strings_from_json, text_from_json},
};

/// How a call ended, according to the transcript or a hook's payload.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReportedOutcome<'t> {
    /// It worked, as far as the client knows, with this output.
    Ok(ReportedOutput<'t>),
    /// It failed, with the head of its error and the output.
    Failed(String, ReportedOutput<'t>),
    /// The client rejected it before it ran, with the head of its message.
    NotRun(String),
    /// A person refused it, with the reason if one was given. The tool is not to blame.
    Rejected(Option<String>),
}

/// The output of a call, to be read only if its line may hide a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum ReportedOutput<'t> {
    /// No output, or none that is known.
    #[default]
    Nothing,
    /// The output as text.
    Text(Cow<'t, str>),
    /// The output as JSON, a string or a list of blocks.
    Json(&'t str),
}

impl<'t> ReportedOutput<'t> {
    fn into_owned(self) -> ReportedOutput<'static> {
        // Longer than the part of an outside text that is read, so that it still shows the cut.
        const END: usize = limits::OUTSIDE_TEXT_BYTES;
        if self == Self::Nothing {
            return ReportedOutput::Nothing;
        }
        let text = self.into_text();
        if text.len() <= 2 * END {
            return ReportedOutput::Text(text.into_owned().into());
        }
        let ends = [prefix_within(&text, END), suffix_within(&text, END)];
        ReportedOutput::Text(ends.join("\n").into())
    }

    /// Returns the words of the output, for a call whose result comes from outside.
    pub(crate) fn outside_words(self) -> OutsideWords {
        match self {
            Self::Nothing => OutsideWords::unknown(),
            Self::Json(json) if has_picture(json) => OutsideWords::unknown(),
            Self::Json(json) => OutsideWords::from_text(&strings_from_json(json)),
            known @ Self::Text(_) => OutsideWords::from_text(&known.into_text()),
        }
    }

    /// Returns the output as text, without what hooks added to it.
    pub(crate) fn into_text(self) -> Cow<'t, str> {
        let text = match self {
            Self::Nothing => return Cow::Borrowed(""),
            Self::Text(text) => return text,
            Self::Json(json) => text_from_json(json),
        };
        match strip_hook_context(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(own) => Cow::Owned(own),
        }
    }
}

impl ReportedOutcome<'_> {
    /// It worked, as far as the client knows; the output is not reported.
    pub(crate) const UNSEEN: Self = Self::Ok(ReportedOutput::Nothing);

    /// Returns an owned copy; of a very long output only its two ends.
    pub(crate) fn into_owned(self) -> ReportedOutcome<'static> {
        match self {
            Self::Ok(printed) => ReportedOutcome::Ok(printed.into_owned()),
            Self::Failed(head, printed) => ReportedOutcome::Failed(head, printed.into_owned()),
            Self::NotRun(head) => ReportedOutcome::NotRun(head),
            Self::Rejected(reason) => ReportedOutcome::Rejected(reason),
        }
    }

    /// Returns whether it worked, as far as the client knows.
    pub(crate) fn is_ok(&self) -> bool {
        matches!(self, Self::Ok(_))
    }
}

/// Decides how a call ended: by its exit code if there is one, then by whether the client says that it failed (`None` if
/// it never says), then, where there is neither, by the text, which is the output.
pub(crate) fn judge_text(
    exit: Option<i64>,
    failed: Option<bool>,
    text: &str,
) -> ReportedOutcome<'_> {
    match strip_hook_context(text) {
        Cow::Borrowed(message) => judge_own_text(exit, failed, strip_envelope(message)),
        Cow::Owned(message) => judge_own_text(exit, failed, strip_envelope(&message)).into_owned(),
    }
}

/// Decides how a call ended whose text is the tool's own.
fn judge_own_text(exit: Option<i64>, failed: Option<bool>, text: &str) -> ReportedOutcome<'_> {
    if let Some(rejected) = find_rejection(text) {
        return rejected;
    }
    let exit = exit.or_else(|| find_exit_code(text));
    let has_failed = match exit {
        Some(0) => failed == Some(true),
        Some(_) => true,
        None => {
            failed.unwrap_or_else(|| looks_failed(text))
                || starts_with_any(text.trim_start(), "<tool_use_error>|<error>")
        }
    };
    if !has_failed {
        return ReportedOutcome::Ok(ReportedOutput::Text(text.into()));
    }
    if let Some(sentence) = find_client_refusal(text) {
        return ReportedOutcome::NotRun(shorten(sentence, limits::ERROR_HEAD_BYTES / 2));
    }
    let output = ReportedOutput::Text(text.into());
    let head = error_head(text);
    if !head.is_empty() {
        return ReportedOutcome::Failed(head, output);
    }
    let head = match exit {
        Some(code) => format!("exit code {code}"),
        None => NO_OUTPUT.to_owned(),
    };
    ReportedOutcome::Failed(head, output)
}

/// Decides how a call ended whose result is still JSON, a string or a list of blocks.
///
/// A long successful result is the common case, and its first and last lines are enough to see that; it is decoded only
/// when they show otherwise.
pub(crate) fn judge_json(
    exit: Option<i64>,
    failed: Option<bool>,
    json: &str,
) -> ReportedOutcome<'_> {
    let may_be_ok = failed != Some(true) && exit.is_none_or(|code| code == 0);
    // Only the whole of a JSON document inside the string can be judged.
    let is_nested = failed.is_none() && json.starts_with("\"{");
    if may_be_ok
        && !is_nested
        && let Some(ends) = json_text_ends(json)
        && !has_hook_context(&ends)
        && judge_text(exit, failed, &ends).is_ok()
    {
        return ReportedOutcome::Ok(ReportedOutput::Json(json));
    }
    match judge_text(exit, failed, &text_from_json(json)).into_owned() {
        ReportedOutcome::Ok(_) => ReportedOutcome::Ok(ReportedOutput::Json(json)),
        other => other,
    }
}

/// The tags that a client puts around a hook's reply when it adds it to a result.
const HOOK_OPENS: [&str; 2] = ["<hook_context>", "<hook_context "];
const HOOK_CLOSES: &str = "</hook_context>";

/// Removes what hooks added to a result, ours above all: it is not about the call, and hides the line in which the
/// client states the end.
fn strip_hook_context(text: &str) -> Cow<'_, str> {
    if !has_hook_context(text) {
        return Cow::Borrowed(text);
    }
    let mut text_without = String::new();
    let mut rest = text;
    while let Some((before, after)) = split_first_hook(rest) {
        text_without += before;
        rest = after;
    }
    text_without += rest;
    Cow::Owned(hardwon_redact::strip_own_blocks(&text_without).into_owned())
}

fn has_hook_context(text: &str) -> bool {
    text.contains(HOOK_CLOSES) || hardwon_redact::may_hold_own_block(text)
}

/// Splits a text around the first hook's reply.
fn split_first_hook(text: &str) -> Option<(&str, &str)> {
    let opens = HOOK_OPENS.iter().filter_map(|open| text.find(open)).min()?;
    let (before, hook) = text.split_at(opens);
    let (_, after) = hook.split_once(HOOK_CLOSES)?;
    Some((before, after))
}

/// Strips the tags that some clients put around every result, good or bad.
fn strip_envelope(text: &str) -> &str {
    let mut tags = ["untrusted_context", "tool_output"].iter();
    let inner = tags.find_map(|tag| {
        let inner = text.trim().strip_prefix('<')?.strip_prefix(tag)?;
        let inner = inner.strip_prefix('>')?.strip_suffix('>')?;
        inner.strip_suffix(tag)?.strip_suffix("</")
    });
    inner.unwrap_or(text)
}

/// Returns the sentence with which a client rejected a call before it ran. The text after it is the agent's own, which
/// may hold anything.
fn find_client_refusal(text: &str) -> Option<&str> {
    let message = text.trim_start().strip_prefix("<tool_use_error>")?;
    let first = message.trim_start().lines().next()?;
    let first = first.strip_suffix("</tool_use_error>").unwrap_or(first);
    let first = first.trim();
    (!first.is_empty()).then_some(first)
}

/// Sentences with which clients tell the model that a person refused the call; the last two are of calls beside a failed
/// one, which were not made.
const REFUSALS: &str = "the user doesn't want to proceed with this tool use|the user doesn't want to take this action|\
    the user rejected|the user denied|the user declined|user rejected|user denied|user declined|\
    user did not allow|user cancelled|user canceled|rejected by user|denied by user|\
    denied by the user|rejected by the user|exec command rejected by user|patch rejected by user|\
    [operation cancelled]|[request interrupted by user|cancelled: parallel tool call|\
    sibling tool call errored";

/// Begins the reason with which we hold a call.
const HELD_CALL: &str = "[CALL HELD";

/// Marks after which a client quotes the person's reason.
const REASON_MARKS: &str = "the user said:|the user provided the following reason for the rejection:|user feedback:|\
    feedback:|with reason:|reason:";

/// Returns the refusal, with its reason if it has one, if the result says that a person refused.
///
/// Only the first line is read: a program's output may contain the same words.
fn find_rejection(text: &str) -> Option<ReportedOutcome<'static>> {
    let first = text.trim_start().lines().next()?;
    if first.len() > 1000 {
        return None;
    }
    if first.contains(HELD_CALL) {
        return Some(ReportedOutcome::Rejected(None));
    }
    let first = strip_prefix_ci(first, "error: ").unwrap_or(first);
    let lower = first.to_ascii_lowercase();
    if !contains_any(&lower, "user|[operation|cancelled: |sibling ") {
        return None;
    }
    let begins = |phrase: &&str| lower.find(*phrase).is_some_and(|at| at <= 20);
    REFUSALS.split('|').find(begins)?;
    let text = prefix_within(text, limits::INTAKE_BYTES);
    let lower = text.to_ascii_lowercase();
    let reason = REASON_MARKS.split('|').find_map(|mark| {
        let at = lower.find(mark)? + mark.len();
        let reason = text[at..].trim();
        let reason = reason.split("\n\nNote:").next().unwrap_or(reason).trim();
        let is_words = !reason.is_empty() && !starts_with_any(reason, REFUSALS);
        is_words.then(|| shorten(reason, limits::MESSAGE_BYTES))
    });
    Some(ReportedOutcome::Rejected(reason))
}

/// Returns the exit code that a client wrote into the text of a result.
///
/// It is searched for in the first and the last line, in a header that ends with `Output:`, and before the labelled
/// lines that some clients put after the code. Nowhere else.
pub(crate) fn find_exit_code(text: &str) -> Option<i64> {
    let (first, last) = first_and_last_line(text)?;
    parse_exit_code(first)
        .or_else(|| parse_exit_code(last))
        .or_else(|| header_lines(text).find_map(parse_exit_code))
        .or_else(|| trailer_lines(text).find_map(parse_exit_code))
}

/// Returns the labelled lines above `Output:`.
fn header_lines(text: &str) -> impl Iterator<Item = &str> {
    const LINES: usize = 8;
    let is_end = |line: &str| line.trim_end() == "Output:";
    let lines = text.lines().take(LINES).enumerate();
    let ends_at = lines.filter(|(_, line)| is_end(line)).last();
    let lines = text.lines().take(ends_at.map_or(0, |(at, _)| at));
    lines.map(str::trim)
}

/// Returns the lines before the labels that close a result.
fn trailer_lines(text: &str) -> impl Iterator<Item = &str> {
    const LABELS: &str = "signal:|background pids:|process group pgid:|error:";
    const LINES: usize = 6;
    let mut lines = text.trim_end().rsplit('\n').take(LINES).map(str::trim);
    let mut below_labels = true;
    std::iter::from_fn(move || {
        if !below_labels {
            return None;
        }
        let line = lines.next()?;
        below_labels = starts_with_any(line, LABELS);
        Some(line)
    })
}

/// Returns whether a result looks failed, for formats that state nothing.
///
/// Judges by the first and the last line: the shapes in which tools and shells report their own failure. In doubt it
/// worked.
pub(crate) fn looks_failed(text: &str) -> bool {
    let Some((first, last)) = first_and_last_line(text) else {
        return false;
    };
    if first.starts_with('{') {
        return json_says_failed(text.trim());
    }
    opens_as_failure(first)
        || is_shell_complaint(first)
        || is_shell_complaint(last)
        || closes_as_failure(last)
}

/// The fields of a JSON result that state whether it failed.
#[derive(Deserialize)]
struct SelfReport<'a> {
    #[serde(borrow, default)]
    error: Option<LooseField<'a>>,
    #[serde(rename = "isError", alias = "is_error")]
    is_error: Option<bool>,
    #[serde(alias = "ok")]
    success: Option<bool>,
    #[serde(borrow, default)]
    status: Option<LooseField<'a>>,
    #[serde(alias = "exitCode", alias = "returncode")]
    exit_code: Option<i64>,
}

/// A field of any type; its text when it is a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum LooseField<'a> {
    Flag(bool),
    #[serde(borrow)]
    Said(Text<'a>),
    Other(IgnoredAny),
}

fn json_says_failed(json: &str) -> bool {
    let Ok(report) = serde_json::from_str::<SelfReport<'_>>(json) else {
        return false;
    };
    let error = match &report.error {
        None | Some(LooseField::Flag(false)) => false,
        Some(LooseField::Said(text)) => !text.as_str().trim().is_empty(),
        Some(LooseField::Flag(true) | LooseField::Other(_)) => true,
    };
    let status = match &report.status {
        Some(LooseField::Said(status)) => status.as_str(),
        _ => "",
    };
    error
        || matches!(status, "error" | "failed" | "failure")
        || report.is_error == Some(true)
        || report.success == Some(false)
        || report.exit_code.is_some_and(|code| code != 0)
}

/// Returns whether a first line is one with which a tool reports a failure.
pub(crate) fn opens_as_failure(first: &str) -> bool {
    const WORDS: &[&str] = &["error", "fatal", "exception", "failure", "panic"];
    const PHRASES: &str = "traceback (most recent call last)|failed to |failed: |could not |couldn't |cannot |can't |\
        unable to |invalid |unknown command|unknown tool|permission denied|access denied|\
        no such file|command not found|oci runtime exec failed|unexpected error|\
        operation not permitted|syntax error|timed out|timeout|request failed|unrecognized |\
        an error occurred";
    const INSIDE: &str = "did not pass|syntax error|execution failed| failed: |not found in file";
    let word = first.find(|c: char| !c.is_ascii_alphabetic());
    let (word, after) = first.split_at(word.unwrap_or(first.len()));
    let is_verdict = after.is_empty() || after.starts_with([':', '[', '!', ' ', '(']);
    (is_verdict && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
        || starts_with_any(first, PHRASES)
        || names_exception(first)
        || contains_any(&first.to_ascii_lowercase(), INSIDE)
}

/// Returns whether a line has the shape `program: what is wrong`.
fn is_shell_complaint(line: &str) -> bool {
    const COMPLAINTS: &str = "command not found|no such file or directory|permission denied|is a directory|\
        not a directory|cannot |invalid option|unrecognized option|unknown option|illegal option|\
        not permitted|missing operand|syntax error|not recognized|missing argument|invalid argument|\
        no such option|not a git repository|are the same file|not found";
    let Some((program, complaint)) = line.split_once(": ") else {
        return false;
    };
    let is_part = |c: char| c.is_alphanumeric() || "/._-+[]".contains(c);
    let is_program = program.len() <= 80
        && program.starts_with(|c: char| c.is_ascii_lowercase() || c == '/' || c == '.')
        && program.chars().all(is_part);
    is_program
        && (starts_with_any(complaint, "error: |fatal error: ")
            || contains_any(&complaint.to_ascii_lowercase(), COMPLAINTS))
}

/// Returns whether a last line is one with which failed programs end.
fn closes_as_failure(last: &str) -> bool {
    const BEGINNINGS: &str = "error:|error[|fatal:|npm err!|npm error|make: ***|failed (";
    starts_with_any(last, BEGINNINGS)
        || names_exception(last)
        || (last.starts_with('=') && last.ends_with('=') && last.contains(" failed"))
}

/// Returns the text of an error that may be a string or an object with a message.
pub(crate) fn error_message(json: &str) -> Cow<'_, str> {
    #[derive(Deserialize)]
    struct ErrorObject<'a> {
        #[serde(borrow, default)]
        message: Option<Text<'a>>,
        #[serde(borrow, default)]
        error: Option<Text<'a>>,
    }
    if json.starts_with('"') {
        return serde_json::from_str::<Text<'_>>(json).unwrap_or_default().0;
    }
    match serde_json::from_str::<ErrorObject<'_>>(json) {
        Ok(object) => object.message.or(object.error).unwrap_or_default().0,
        Err(_) => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests;
