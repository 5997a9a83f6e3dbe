//! Tells whether a lesson that somebody wrote is about the failure of a call.
//!
//! A lesson that capture made has the failure's own key. Of any other it is asked here: whether it names the command or
//! tool that failed and mentions the error, or says what the error says, or names what the error names.

use super::{
    TriggerKind, Triggers, act::CallActs, command::CommandForm, occasion::contains_text,
    signature::Signature,
};
use crate::{
    lesson::LessonContent,
    shell::is_listed,
    text::CleanText,
    trace::{
        call::{self, ParsedCall},
        failure::CallFailure,
    },
};

/// How many words in a row an error and a lesson share if the lesson quotes the error.
const QUOTED_WORDS: usize = 3;

impl Triggers {
    /// Returns whether the lesson is about this failure of a call.
    pub fn is_about_failure(
        &self,
        content: &LessonContent,
        call: &ParsedCall,
        failure: &CallFailure,
        error: &str,
    ) -> bool {
        let whole = format!("{} {}", content.signature.as_str(), content.text.as_str());
        let culprit = failed_forms(call, failure);
        let is_told =
            |signature: &Signature| signature.is_about_failure(content, call, &culprit, error);
        is_told(&self.signature)
            || self.signature.is_in_error(error)
            || told_failures(content).iter().any(is_told)
            || self.names_failed(&culprit) && count_shared_words(&whole, error) >= 2
            || self
                .all
                .iter()
                .any(|trigger| names_in_error(&trigger.what, &whole, error))
            || quotes_error(content.text.as_str(), error)
    }

    /// Returns whether the signature says with which error its command fails, or is an error itself.
    pub(crate) fn has_told_error(&self) -> bool {
        let signature = &self.signature;
        signature.error.is_some() || signature.may_be_in_error() && signature.is_error()
    }

    /// Returns whether the signature tells this failure: the command or tool and its error, or an error of any.
    pub(crate) fn tell_failure(
        &self,
        content: &LessonContent,
        call: &ParsedCall,
        failure: &CallFailure,
        error: &str,
    ) -> bool {
        let culprit = failed_forms(call, failure);
        let signature = &self.signature;
        signature.error.is_some() && signature.is_about_failure(content, call, &culprit, error)
            || signature.is_in_error(error)
    }

    /// Returns whether the command that failed is one that the lesson is about.
    pub(crate) fn are_of_failed(&self, call: &ParsedCall, failure: &CallFailure) -> bool {
        let culprit = failed_forms(call, failure);
        let is_it = |own: &CommandForm| culprit.iter().any(|failed| own.is_within(failed));
        self.own_commands().any(is_it)
    }

    /// Returns whether the lesson names the command that failed.
    fn names_failed(&self, culprit: &[CommandForm]) -> bool {
        self.all.iter().any(|trigger| match &trigger.what {
            TriggerKind::Command(form) => {
                let is_specific = !form.words.is_empty() || form.path.contains('/');
                is_specific && culprit.iter().any(|failed| form.is_within(failed))
            }
            TriggerKind::Program(name) => culprit.iter().any(|failed| failed.program == *name),
            _ => false,
        })
    }
}

/// Returns the failures that a lesson's situation tells in the form of signatures, as a lesson does that is told for others.
fn told_failures(content: &LessonContent) -> Vec<Signature> {
    let situation = content.situation.as_ref().map_or("", CleanText::as_str);
    let parts = situation.split(';').filter(|part| part.contains('('));
    let signatures = parts.map(|part| Signature::parse(&part.replace('`', "")));
    signatures.filter(|one| one.error.is_some()).collect()
}

/// Returns the command that failed, in every form in which it may be named.
fn failed_forms(call: &ParsedCall, failure: &CallFailure) -> Vec<CommandForm> {
    let command = call.line().and_then(|line| {
        let index = failure.culprit.or_else(|| call.main_command())?;
        line.commands.get(index)
    });
    command.map_or_else(Vec::new, CommandForm::all_from)
}

impl Signature {
    /// Returns whether it is no call, and says enough to be known in an error.
    pub(super) fn may_be_in_error(&self) -> bool {
        let words = distinctive_words(&self.head).len();
        !self.is_called() && (words >= 2 || words == 1 && self.is_error())
    }

    /// Returns whether it is no call, and an error holds all that it says.
    fn is_in_error(&self, error: &str) -> bool {
        let words = distinctive_words(&self.head);
        let error_words = distinctive_words(error);
        self.may_be_in_error() && words.iter().all(|word| error_words.contains(word))
    }

    fn is_about_failure(
        &self,
        content: &LessonContent,
        call: &ParsedCall,
        culprit: &[CommandForm],
        error: &str,
    ) -> bool {
        let text = content.signature.as_str().trim();
        let is_command = || {
            self.command
                .as_ref()
                .is_some_and(|head| culprit.iter().any(|culprit| head.is_within(culprit)))
        };
        let error_text = self
            .error
            .as_deref()
            .or_else(|| text.strip_prefix(self.head.as_str()));
        let error_text = error_text.map(str::trim).filter(|text| !text.is_empty());
        // Of an error alone it is not known what failed, so the error has to say it.
        let is_named = || {
            let mut words = self.head.split_whitespace();
            words.all(|word| call::has_word(error, word))
        };
        let is_of_any = call.tool.is_empty() && (error_text.is_some() || is_named());
        !self.is_empty()
            && (is_of_any || self.names_tool(call) || is_command())
            && error_text.is_none_or(|error_text| is_about_error(error_text, error))
    }
}

/// Returns whether an error names what a lesson is about: a code, a quotation, or an identifier or path beside another
/// word of the lesson.
fn names_in_error(what: &TriggerKind, whole: &str, error: &str) -> bool {
    match what {
        TriggerKind::Text(text) if !contains_text(error, text) => false,
        TriggerKind::Text(text) => {
            let is_quotation = text.split_whitespace().count() >= 2;
            let is_code = text
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
            is_quotation || is_code || count_shared_words(whole, error) >= 2
        }
        TriggerKind::Path(path) => {
            path.text.contains('/')
                && error.to_lowercase().contains(&path.text)
                && count_shared_words(whole, error) >= 2
        }
        _ => false,
    }
}

/// Returns whether a lesson says, in the same words and order, what a line of the error says.
fn quotes_error(text: &str, error: &str) -> bool {
    let text_words = plain_words(text);
    error.lines().any(|line| {
        let line_words = plain_words(line);
        line_words.windows(QUOTED_WORDS).any(|row| {
            let telling = row.iter().filter(|word| is_distinctive(word)).count();
            telling >= 2 && text_words.windows(QUOTED_WORDS).any(|pair| pair == row)
        })
    })
}

fn plain_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether an error matches what a lesson states about it: half of the distinctive words.
fn is_about_error(told: &str, error: &str) -> bool {
    let words = distinctive_words(told);
    let shared_count = count_shared_words(told, error);
    shared_count > 0 && 2 * shared_count >= words.len()
}

fn count_shared_words(one: &str, two: &str) -> usize {
    let other = distinctive_words(two);
    distinctive_words(one)
        .iter()
        .filter(|word| other.contains(word))
        .count()
}

fn distinctive_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = plain_words(text)
        .into_iter()
        .filter(|word| is_distinctive(word))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn is_distinctive(word: &str) -> bool {
    const STOP: &str = "error errors fails failed failure code exit status with when this that from have been must does \
        then first before after instead command line file";
    let is_number = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit());
    (word.chars().count() >= 4 || is_number) && !is_listed(STOP, word)
}

/// Returns the words by which lessons about a failure are searched.
pub fn failure_words(acts: &CallActs, failure: &CallFailure, error: &str) -> String {
    let programs = acts
        .commands
        .iter()
        .flatten()
        .map(|command| format!("{} {}", command.program, command.verb.replace('·', " ")));
    let programs: Vec<String> = programs.collect();
    format!(
        "{}\n{}\n{}\n{error}",
        programs.join("\n"),
        acts.tool,
        failure.label
    )
}
