//! Reads what a lesson names, whoever wrote it: commands, tools, paths and error codes.
//!
//! Capture writes a command and an error in parentheses; people and agents write `bin/stage push is refused (code
//! 71)`, or a path, or put the command into the text. This module reads those names, so that such lessons too are
//! shown at the action. A lesson also states what to do; a call that already does it needs no lesson.

use super::{Signature, is_command_within, split_option};
use crate::{
    lesson::LessonContent,
    shell::{self, ShellCommand, ShellLine, is_listed},
    trace::{
        call::{CallArgs, ParsedCall},
        failure::CallFailure,
    },
};

/// Most code spans of a text that are read.
const SPANS_MAX: usize = 8;
/// Words that end the command in a sentence: `npm test fails when …`.
const SENTENCE_WORDS: &str = "is are was were be fails fail failed failing refuses refuse refused rejects rejected needs need needed \
    requires require must should when while if unless with without before after on in at as to for of and or but not \
    cannot can't does doesn't says gives returns exits errors error because until by from via the a an";

/// Returns the command at the beginning of a signature that is a sentence, if there is one.
pub(crate) fn find_command_in_sentence(text: &str) -> Option<&str> {
    let first = text.split(' ').next()?;
    let mut end = 0;
    for (at, word) in text.split(' ').filter(|word| !word.is_empty()).enumerate() {
        let start = end + text[end..].find(word)?;
        let bare = word.trim_end_matches([',', ':', ';', '.']);
        if at > 0 && is_listed(SENTENCE_WORDS, &bare.to_lowercase()) {
            let is_command = is_path_like(first) || (at >= 2 && is_known_program(first));
            return is_command.then(|| text[..end].trim_end_matches([',', ':', ';']));
        }
        end = start + word.len();
    }
    None
}

/// Returns whether a lesson names a call or a failure at which it can be shown. It does if it is about a tool, or if
/// its signature can only be a command or a file.
#[must_use]
pub fn names_action(content: &LessonContent) -> bool {
    let signature = Signature::parse(content.signature.as_str().trim());
    let first = signature.head.split(' ').next().unwrap_or_default();
    let is_command = shell::has_subcommands(first) || is_path_like(first);
    !content.tools.is_empty() || is_command || signature.error.is_some()
}

/// Returns whether a word can only be a program or a file of the project.
pub(super) fn is_path_like(word: &str) -> bool {
    word.contains('/') && !word.contains("://") && !word.starts_with('/')
}

/// Returns whether a lesson is about this failure of a call. It must name the command or tool that failed, and words
/// or the code of the error if it states one.
#[must_use]
pub fn names_failure(
    content: &LessonContent,
    call: &ParsedCall,
    failure: &CallFailure,
    error: &str,
) -> bool {
    let text = content.signature.as_str().trim();
    let signature = Signature::parse(text);
    let command = || {
        let line = call.line()?;
        line.commands
            .get(failure.culprit.or_else(|| call.main_command())?)
    };
    let is_it =
        signature.names_tool(call) || command().is_some_and(|it| is_command_meant(&signature, it));
    let told = signature
        .error
        .or_else(|| text.strip_prefix(signature.head));
    let told = told.map(str::trim).filter(|told| !told.is_empty());
    let is_told = told.is_none_or(|told| is_about_error(told, error));
    let by_text = || command().is_some_and(|it| text_names_failure(content, it, error));
    (is_it && is_told) || by_text()
}

/// Returns whether a word is a program whose next word is its command; any other word may be a verb that begins the
/// sentence.
fn is_known_program(word: &str) -> bool {
    shell::has_subcommands(shell::base_name(word))
        && !is_listed("make go just task service fly", word)
}

fn is_command_meant(signature: &Signature<'_>, command: &ShellCommand) -> bool {
    let head = shell::parse_line(signature.head);
    match head.commands.as_slice() {
        [head] => is_command_within(head, command),
        _ => false,
    }
}

/// Returns whether the text quotes the command that failed, and mentions its error.
fn text_names_failure(content: &LessonContent, command: &ShellCommand, error: &str) -> bool {
    let is_quoted = |span: &str| {
        let read = shell::parse_line(span);
        matches!(read.commands.as_slice(), [head] if is_specific(head) && is_command_within(head, command))
    };
    let whole = format!("{} {}", content.signature.as_str(), content.text.as_str());
    code_spans(content.text.as_str()).any(is_quoted) && count_shared_words(&whole, error) >= 2
}

fn is_specific(head: &ShellCommand) -> bool {
    head.words.len() >= 2 || is_path_like(&head.words[0].text)
}

/// Returns whether an error matches what a lesson states about it: the same code, or half of the distinctive words.
fn is_about_error(told: &str, error: &str) -> bool {
    let codes = find_codes(told);
    if codes
        .iter()
        .any(|code| self::find_codes(error).contains(code))
    {
        return true;
    }
    let words = distinctive_words(told);
    let held = count_shared_words(told, error);
    held > 0 && 2 * held >= words.len()
}

fn count_shared_words(one: &str, two: &str) -> usize {
    let other = distinctive_words(two);
    distinctive_words(one)
        .iter()
        .filter(|word| other.contains(word))
        .count()
}

fn distinctive_words(text: &str) -> Vec<String> {
    const STOP: &str = "error errors fails failed failure code exit status with when this that from have been must does \
        then first before after instead command line file";
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words: Vec<String> = words
        .filter(|word| word.chars().count() >= 4)
        .map(str::to_lowercase)
        .filter(|word| !is_listed(STOP, word))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Returns the codes in a text: `E0308`, `TS2304`, and numbers after `code`, `exit`, `rc`, `status`.
fn find_codes(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str| word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_marked = |word: &str| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        (2..=5).contains(&digits.len()) && digits.len() < word.len() && is_number(digits)
    };
    let mut codes = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |at| words[at]).to_lowercase();
        let is_named = is_listed("code exit rc status exited errno", &before) && is_number(word);
        if is_marked(word) || (is_named && *word != "1") {
            codes.push(word.to_lowercase());
        }
    }
    codes
}

/// Returns whether a call already does what a lesson advises. Then it is one of the commands that the text quotes,
/// and not the one that the lesson warns of.
#[must_use]
pub fn follows_advice(content: &LessonContent, call: &ParsedCall) -> bool {
    let Some(line) = call.line() else {
        return false;
    };
    let signature = Signature::parse(content.signature.as_str().trim());
    let is_warned_of = |span: &str| span == signature.head || span == content.signature.as_str();
    let advised = code_spans(content.text.as_str()).filter(|span| !is_warned_of(span));
    advised
        .map(shell::parse_line)
        .filter(|read| matches!(read.commands.as_slice(), [head] if is_specific(head)))
        .any(|read| runs_command(line, &read.commands[0]))
}

/// Returns whether a line runs a command: the program as it is written, with all its words.
fn runs_command(line: &ShellLine, wanted: &ShellCommand) -> bool {
    let is_it = |command: &ShellCommand| {
        let given: Vec<&str> = command
            .args()
            .iter()
            .flat_map(|word| split_option(&word.text))
            .collect();
        command.words[0].text == wanted.words[0].text
            && wanted
                .args()
                .iter()
                .all(|word| given.contains(&word.text.as_str()) || word.text == "…")
    };
    line.acting_commands().any(|(_, command)| is_it(command))
}

/// Returns whether a lesson names a file that a call opens or changes.
pub(super) fn names_path(head: &str, call: &ParsedCall) -> bool {
    const KEYS: [&str; 6] = [
        "file_path",
        "path",
        "filePath",
        "filename",
        "notebook_path",
        "target_file",
    ];
    let path = head
        .split(' ')
        .next()
        .unwrap_or_default()
        .trim_start_matches("./");
    let CallArgs::Named(named) = &call.args else {
        return false;
    };
    let is_file = path.contains('/') && path.len() >= 5;
    let mut given = KEYS.iter().filter_map(|key| named.get(*key)?.as_str());
    is_file && given.any(|file| file == path || file.ends_with(&format!("/{path}")))
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).take(SPANS_MAX)
}
