//! Finds refusals that say what to do: by clients' own tools, by programs that do not know an option, and by shells
//! that take an argument for a file pattern or are in another folder than a path was written for.
//!
//! A refusal counts only if the run got past it: the same tool accepted a call later, or the run went on without the
//! option.

use super::{
    fix, kept_folder,
    parsed_run::{ParsedRun, RunCall},
};
use crate::{
    CallFailure, ShellCommand,
    trace::{
        client_refusal::{self, ClientRefusal},
        family::FailureFamily,
    },
};

/// A refusal that a run got past, counted over the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// What was refused.
    pub kind: RefusalKind,
    /// The first failure of this kind.
    pub failure: CallFailure,
    /// How often it occurred in this run; at least 1.
    pub failures: u32,
    /// How many calls it took to get past it; at least 1.
    pub steps: u32,
}

/// What was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalKind {
    /// A call of a client's own tool, with the known names that the error lists.
    Call(ClientRefusal, Vec<String>),
    /// An option that a program does not know.
    Option {
        /// The program, with its subcommand.
        command: String,
        /// The option as it was typed.
        option: String,
    },
    /// An unquoted word that a shell took for a file pattern that matches nothing.
    Pattern {
        /// The program that it was an argument of, with its subcommand.
        command: String,
        /// The option before its `=`, or the address before its `?`.
        name: String,
        /// The part of the word that must be quoted.
        pattern: String,
    },
    /// A path that was written for another folder than the shell had kept from an earlier call.
    KeptFolder,
}

impl RefusalKind {
    /// Returns whether both teach the same, whatever the pattern or the path was.
    fn is_same_as(&self, other: &Self) -> bool {
        let part = |kind: &Self| match kind {
            Self::Pattern { command, name, .. } => Some((command.clone(), name.clone())),
            Self::KeptFolder => Some((String::new(), String::new())),
            _ => None,
        };
        part(self).is_some() && part(self) == part(other)
    }
}

/// Finds the refusals of a run, each with the indexes of its calls.
pub(super) fn find_refusals(reading: &ParsedRun<'_>) -> Vec<(Refusal, Vec<usize>)> {
    let mut refusals: Vec<(Refusal, Vec<usize>)> = Vec::new();
    for (index, run_call) in reading.calls.iter().enumerate() {
        let failure = run_call
            .failure
            .as_ref()
            .filter(|_| !fix::is_deliberate(run_call));
        let Some(failure) = failure else {
            continue;
        };
        let Some(what) = classify_refusal(reading, index, run_call, failure) else {
            continue;
        };
        let is_same =
            |known: &Refusal| known.failure.key == failure.key || known.kind.is_same_as(&what);
        match refusals.iter_mut().find(|(known, _)| is_same(known)) {
            Some((known, calls)) => {
                known.failures += 1;
                calls.push(index);
            }
            None => {
                let refusal = Refusal {
                    kind: what,
                    failure: failure.clone(),
                    failures: 1,
                    steps: count_steps_to_success(reading, index),
                };
                refusals.push((refusal, vec![index]));
            }
        }
    }
    refusals
}

/// Returns how many calls it took until the same tool accepted one; 1 if that is unknown.
fn count_steps_to_success(reading: &ParsedRun<'_>, index: usize) -> u32 {
    let tool = &reading.calls[index].call.tool;
    let is_over = |run_call: &RunCall<'_>| run_call.has_worked() && run_call.call.tool == *tool;
    let mut later = index + 1..reading.calls.len();
    let over = later.find(|at| is_over(&reading.calls[*at]));
    let over = over.filter(|at| reading.has_no_gap(index, *at));
    over.map_or(1, |at| u32::try_from(at - index).unwrap_or(u32::MAX))
}

fn classify_refusal(
    reading: &ParsedRun<'_>,
    index: usize,
    run_call: &RunCall<'_>,
    failure: &CallFailure,
) -> Option<RefusalKind> {
    match failure.client_refusal {
        Some(stated) => {
            let is_over = reading.tool_worked_after(&run_call.call.tool, index);
            let names = client_refusal::parse_known_names(run_call.error).into_iter();
            (is_over && is_explained(stated, run_call.error))
                .then(|| RefusalKind::Call(stated, names.map(str::to_owned).collect()))
        }
        None if failure.family == FailureFamily::ShellSyntax => {
            find_refused_pattern(reading, index, run_call)
        }
        None if kept_folder::is_from_kept_folder(reading, index, failure) => {
            Some(RefusalKind::KeptFolder)
        }
        None => find_refused_option(reading, index, run_call, failure),
    }
}

/// Finds an option or address in which a shell (zsh, fish) saw a file pattern without matches.
fn find_refused_pattern(
    reading: &ParsedRun<'_>,
    index: usize,
    run_call: &RunCall<'_>,
) -> Option<RefusalKind> {
    let message = run_call.error.split("no matches found: ").nth(1)?;
    let message = message.lines().next()?.trim_end();
    let has_it = |command: &&ShellCommand| command.words.iter().any(|word| word.raw == message);
    let command = run_call.call.line()?.commands.iter().find(has_it)?.label();
    let (name, pattern) = match message.split_once(['=', '?', '[']) {
        Some((option, value)) if option.starts_with('-') => (option, value),
        Some((address, _)) if address.contains("://") => (address, message),
        // What is installed by a name with extras, whichever: `.[dev]`, `uvicorn[standard]`.
        Some((package, _)) if message.ends_with(']') && is_package(package) => ("", message),
        _ => return None,
    };
    let is_plain = |text: &str| text.chars().count() <= 40 && !text.contains(['`', '\'', '"', '$']);
    let is_over = reading.calls[index + 1..].iter().any(RunCall::has_worked);
    let is_known = fix::find_fix(reading, index).is_ok();
    let is_refused = is_over && !is_known && is_plain(name) && is_plain(pattern);
    is_refused.then(|| RefusalKind::Pattern {
        command,
        name: name.to_owned(),
        pattern: pattern.to_owned(),
    })
}

/// Returns whether a text may be the name of a package, or this folder.
fn is_package(text: &str) -> bool {
    text == "."
        || text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Finds an option that a program does not know, if the run went on without it.
fn find_refused_option(
    reading: &ParsedRun<'_>,
    index: usize,
    run_call: &RunCall<'_>,
    failure: &CallFailure,
) -> Option<RefusalKind> {
    if failure.family != FailureFamily::OptionUnknown || fix::find_fix(reading, index).is_ok() {
        return None;
    }
    let line = run_call.call.line()?;
    let command = line.commands.get(failure.culprit?)?;
    let flags = command.flags();
    let mut options = flags.iter();
    let option = *options.find(|flag| fix::blames_option(failure, flag))?;
    let is_it = |it: &ShellCommand| {
        let is_same = it.label() == failure.label || it.program() == failure.label;
        is_same && it.flags().contains(&option)
    };
    let took_it = |it: &RunCall<'_>| {
        let line = it.call.line().filter(|_| it.has_worked());
        line.is_some_and(|line| line.commands.iter().any(is_it))
    };
    let is_over = reading.calls[index + 1..].iter().any(RunCall::has_worked);
    let is_plain = option.chars().count() <= 40 && !option.contains(['`', '\n', '$']);
    let is_refused = is_over && is_plain && !reading.calls.iter().any(took_it);
    is_refused.then(|| RefusalKind::Option {
        command: failure.label.clone(),
        option: option.split('=').next().unwrap_or(option).to_owned(),
    })
}

/// Returns whether an unknown name is explained by a list of known ones. Arguments never are.
fn is_explained(stated: ClientRefusal, error: &str) -> bool {
    match stated {
        ClientRefusal::UnknownName => !client_refusal::parse_known_names(error).is_empty(),
        ClientRefusal::Argument => false,
        _ => true,
    }
}
