//! Decides whether a lesson names a call that is about to be made.
//!
//! A signature is read as people write it: a command or a tool, perhaps some of its words, perhaps the error in
//! parentheses that capture puts after them. It names a call that *is* that command, with all those words, anywhere
//! in a line; words that are merely quoted or printed are no command. What the error is about must be in the call
//! too, and an error of a program that is called in countless ways names none of them: a lesson that is shown too
//! often is soon ignored, and one that is not shown here is still shown at the failure. Nothing here searches; the
//! store finds the candidates by [`search_words`].

mod keys;

pub(crate) use keys::find_command_in_sentence;
pub use keys::{follows_advice, names_action, names_failure};

use super::{
    call::{CallArgs, ParsedCall},
    client_refusal,
    effect::{self, CallEffect},
};
use crate::{
    lesson::LessonContent,
    shell::{self, ShellCommand, is_listed},
    text::CleanText,
};

/// Programs that only ask or prepare, so that a lone word hardly means them.
const EVERYDAY: &str = "test [ which type time exit read wait kill cat ls head tail";
/// The longest word of a command by which lessons are searched, in bytes.
const WORD_BYTES: usize = 40;
/// Capture's text for a program that is not installed.
const NOT_FOUND: &str = "command not found";

/// Returns whether a lesson with this content names the call.
#[must_use]
pub fn names_call(content: &LessonContent, call: &ParsedCall) -> bool {
    let signature = content.signature.as_str().trim();
    if signature.is_empty() {
        return is_about_tool(&content.tools, call);
    }
    fits_tools(&content.tools, call) && Signature::parse(signature).names_call(call)
}

/// Returns whether a prompt mentions the command or tool that a lesson is about. The clients' own tools are no topic
/// of a prompt.
#[must_use]
pub fn is_topic_of_prompt(content: &LessonContent, prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    let is_said = |tool: &str| {
        let tool = tool.to_lowercase();
        !client_refusal::is_client_tool(&tool)
            && !shell::is_shell_name(&tool)
            && prompt.contains(&tool)
    };
    content.tools.iter().any(|tool| is_said(tool.as_str()))
}

/// Returns whether a call alone confirms a lesson with this content: it contains what the lesson's error is about.
///
/// For a command that fails only now and then, a warning before every call would be useless.
#[must_use]
pub fn call_confirms_lesson(content: &LessonContent, call: &ParsedCall) -> bool {
    let signature = Signature::parse(content.signature.as_str().trim());
    match signature.error {
        None => true,
        Some(NOT_FOUND) => true,
        Some(error) => error_subjects(error)
            .iter()
            .any(|thing| holds_subject(call, thing)),
    }
}

/// Returns the words of a call by which lessons that name it are searched. The name of the command comes twice, so
/// that it weighs more than the arguments.
#[must_use]
pub fn search_words(call: &ParsedCall) -> String {
    match &call.args {
        CallArgs::Shell(_, line) => {
            let acting = line.acting_commands();
            let texts: Vec<String> = acting.map(|(_, command)| command_words(command)).collect();
            texts.join("\n")
        }
        CallArgs::Named(_) | CallArgs::Text(_) => {
            format!("{}\n{}\n{}", call.tool, call.tool, call.args_text())
        }
    }
}

/// Returns a command's name, its options and its arguments, without paths and sentences.
fn command_words(command: &ShellCommand) -> String {
    let label = command.label();
    let is_short = |text: &&str| {
        text.len() <= WORD_BYTES && !text.contains(|c: char| c.is_whitespace() || c == '/')
    };
    let given: Vec<&str> = command
        .args()
        .iter()
        .map(|word| word.text.as_str())
        .collect();
    let given: Vec<&str> = given.into_iter().filter(is_short).collect();
    format!(
        "{label} {}",
        [&[label.as_str()], &given[..]].concat().join(" ")
    )
}

/// Returns whether the call may use one of the tools that a lesson is about; true if it names none.
fn fits_tools(tools: &[CleanText], call: &ParsedCall) -> bool {
    let is_it = |tool: &str| {
        let is_command = call.line().is_some_and(|line| {
            let labels = line.commands.iter().map(ShellCommand::label);
            labels
                .into_iter()
                .any(|label| starts_with_words(&label, tool))
        });
        calls_tool(tool, call)
            || is_command
            || (call.line().is_some() && shell::is_shell_name(tool))
    };
    tools.is_empty() || tools.iter().any(|tool| is_it(tool.as_str()))
}

/// Returns whether a lesson without a signature is about the called tool; never if that is a shell.
fn is_about_tool(tools: &[CleanText], call: &ParsedCall) -> bool {
    call.line().is_none() && tools.iter().any(|tool| calls_tool(tool.as_str(), call))
}

/// Returns whether a call uses a tool of this name, from any server.
fn calls_tool(name: &str, call: &ParsedCall) -> bool {
    let name = shell::normalize_tool_name(name.trim_start_matches('/'));
    let of_server = || {
        let rest = call.tool.strip_prefix("mcp_")?.strip_suffix(&name)?;
        Some(rest.ends_with('_'))
    };
    !name.is_empty() && (call.tool == name || of_server() == Some(true))
}

fn starts_with_words(text: &str, words: &str) -> bool {
    let rest = text.strip_prefix(words);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A parsed signature.
struct Signature<'a> {
    /// What it names: a command or a tool, and words of the call.
    head: &'a str,
    /// The error in parentheses, if there is one.
    error: Option<&'a str>,
}

impl<'a> Signature<'a> {
    fn parse(text: &'a str) -> Self {
        let text = text.trim_matches('`');
        let bracketed = text
            .strip_suffix(')')
            .or_else(|| text.ends_with('…').then_some(text))
            .and_then(|text| text.split_once(" ("));
        match bracketed {
            Some((head, error)) => Self {
                head: head.trim(),
                error: Some(error.trim()),
            },
            None => Self {
                head: text,
                error: None,
            },
        }
        .cut_at_sentence()
    }

    /// Reduces the signature to the command where it continues as a sentence.
    fn cut_at_sentence(self) -> Self {
        match keys::find_command_in_sentence(self.head) {
            Some(head) => Self { head, ..self },
            None => self,
        }
    }

    fn names_call(&self, call: &ParsedCall) -> bool {
        self.names_tool(call)
            || keys::names_path(self.head, call)
            || call.line().is_some_and(|line| self.names_line(line, call))
    }

    fn names_tool(&self, call: &ParsedCall) -> bool {
        let (tool, rest) = self.head.split_once(' ').unwrap_or((self.head, ""));
        let has = |word: &str| call.line().is_none() && call.has_word(word);
        calls_tool(tool, call)
            && self.error != Some(NOT_FOUND)
            && rest.split_whitespace().all(has)
            && self.is_confirmed_by(call, || rest.is_empty() && is_everyday_tool(call))
    }

    fn names_line(&self, line: &shell::ShellLine, call: &ParsedCall) -> bool {
        let head = shell::parse_line(self.head);
        let [head] = head.commands.as_slice() else {
            return false;
        };
        let is_lone = head.words.len() == 1;
        let is_vague = is_lone && !head.words[0].text.contains(['.', '/']);
        let is_meant = |command: &ShellCommand| {
            let is_idle = is_lone && is_listed(EVERYDAY, head.program());
            let is_elsewhere = self.error == Some(NOT_FOUND) && command.words[0].text.contains('/');
            !is_idle && !is_elsewhere && is_command_within(head, command)
        };
        line.acting_commands().any(|(_, command)| is_meant(command))
            && self.is_confirmed_by(call, || is_vague)
    }

    /// Returns whether the call confirms the error: it contains what the error is about, or, if that is unknown, the
    /// call is not `vague` (one of the many ways to call something wrongly).
    fn is_confirmed_by(&self, call: &ParsedCall, vague: impl Fn() -> bool) -> bool {
        let Some(error) = self.error.filter(|error| *error != NOT_FOUND) else {
            return true;
        };
        let things = error_subjects(error);
        if things.is_empty() {
            !vague()
        } else {
            things.iter().any(|thing| holds_subject(call, thing))
        }
    }
}

/// Returns whether a tool is one that reads or changes any file.
fn is_everyday_tool(call: &ParsedCall) -> bool {
    call.line().is_some() || effect::classify_call(call) != CallEffect::Acts
}

/// Returns whether a command is the one that `head` describes, with all the words of that.
///
/// The subcommand must be the same. What follows it may stand anywhere, because it is unknown whether an option takes
/// the next word.
fn is_command_within(head: &ShellCommand, command: &ShellCommand) -> bool {
    let verb = |command: &ShellCommand| -> Option<String> {
        let first = *command.subcommand_indexes().first()?;
        Some(command.words[first].text.clone())
    };
    let given: Vec<&str> = (command.args().iter())
        .flat_map(|word| split_option(&word.text))
        .collect();
    let mut words = head.args().iter();
    let has_verb = || verb(head).is_none_or(|wanted| verb(command) == Some(wanted));
    head.program() == command.program()
        && has_verb()
        && words.all(|word| given.contains(&word.text.as_str()))
}

/// Returns a word, and both sides of an option's `=`.
fn split_option(word: &str) -> impl Iterator<Item = &str> {
    let sides = word.split_once('=').filter(|_| word.starts_with('-'));
    let sides = sides.map(|(name, value)| [name, value]);
    [word].into_iter().chain(sides.into_iter().flatten())
}

/// Returns the things that an error is about: those that it quotes, else the names after its last colon.
fn error_subjects(error: &str) -> Vec<&str> {
    let quoted = quoted_names(error);
    if !quoted.is_empty() {
        return quoted;
    }
    let Some((_, list)) = error.rsplit_once(": ") else {
        return Vec::new();
    };
    let words: Vec<&str> = list
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let is_joined = words.len() == 1 || words.iter().any(|word| is_listed("or and", word));
    let names = words.iter().filter(|word| !is_listed("or and", word));
    if is_joined && names.clone().all(|word| is_name(word)) {
        names.copied().collect()
    } else {
        Vec::new()
    }
}

fn quoted_names(error: &str) -> Vec<&str> {
    const QUOTES: [char; 7] = ['\'', '"', '`', '‘', '’', '“', '”'];
    let mut parts = error.split(QUOTES);
    parts.next();
    parts.step_by(2).filter(|part| is_name(part)).collect()
}

/// Returns whether a word is a name, not a placeholder or a sentence.
fn is_name(word: &str) -> bool {
    word.len() > 1
        && !word.contains(char::is_whitespace)
        && !word.contains('…')
        && word.chars().any(char::is_alphanumeric)
}

/// Returns whether the call contains a thing; a table's column may be separate from the table.
fn holds_subject(call: &ParsedCall, thing: &str) -> bool {
    let apart = || {
        let (table, column) = thing.split_once('.')?;
        Some(call.has_word(table) && call.has_word(column))
    };
    call.has_word(thing) || apart() == Some(true)
}

#[cfg(test)]
mod tests;
