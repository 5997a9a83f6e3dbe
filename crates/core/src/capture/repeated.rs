//! Failures that were not got over: when they came again, and what they tell all the same.
//!
//! A trouble without a remedy is worth a word only when its cause is plain from what the run itself
//! shows: a program that is not there, credentials nobody has, no way out to the network, a line the
//! shell misreads, one and the same call tried over and over.

use std::collections::BTreeMap;

use super::{Skip, reading::Reading};
use crate::{
    event::CallStatus,
    lesson::FailureKey,
    trace::{call::Args, effect, failure::Failure, family::Family, shell::is_listed},
};

/// A failure that stayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    /// What failed.
    pub failure: Failure,
    /// How often, in this run; at least 1.
    pub failures: u32,
    /// What the run shows about the cause.
    pub diagnosis: Diagnosis,
    /// Names that the lesson is about: the command, the tool.
    pub names: Vec<String>,
}

/// What the run shows about a trouble that stayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagnosis {
    /// The program is not there, and nothing took its place.
    MissingProgram,
    /// Several calls found no way out to the network, and none did.
    NoNetwork,
    /// `sudo` asks for a password that nobody can type.
    SudoPassword,
    /// Credentials are missing or not accepted.
    Credentials,
    /// The whole line stands in backticks, so the shell ran its output.
    Backticks,
    /// A pattern was expanded before the program saw it: the error names what the command does not.
    ExpandedPattern,
    /// Edits did not find their text, time and again.
    EditMismatch,
    /// Variants of one call failed in the same way, time and again.
    SameError,
}

/// A repeated failure and the calls that make it up.
pub(super) struct Found {
    pub(super) repeated: Repeated,
    pub(super) covers: Vec<usize>,
}

/// How often one and the same error must come before the error alone is worth a caution.
const SAME_ERROR_TIMES: usize = 4;
const EDIT_MISMATCH_TIMES: usize = 3;

/// Finds what can be said of the failures that no later call got over.
pub(super) fn find(reading: &Reading<'_>, open: &[(usize, Skip)]) -> Vec<Found> {
    let mut groups: BTreeMap<FailureKey, Vec<usize>> = BTreeMap::new();
    let lasting = open.iter().filter(|(_, reason)| may_last(*reason));
    for (index, _) in lasting {
        if let Some(failure) = &reading.calls[*index].failure {
            groups.entry(group_key(failure)).or_default().push(*index);
        }
    }
    let mut found: Vec<Found> = groups
        .into_values()
        .filter_map(|covers| one(reading, covers))
        .collect();
    found.sort_by_key(|found| found.covers[0]);
    found
}

/// A slip, a guess or a question is over when it is over.
fn may_last(reason: Skip) -> bool {
    matches!(
        reason,
        Skip::Unsolved | Skip::Transient | Skip::EditSlip | Skip::Unclear
    )
}

/// Offline troubles are one, whoever met them; so are edits that did not fit.
fn group_key(failure: &Failure) -> FailureKey {
    match failure.family {
        Family::Offline => FailureKey::new("offline".to_owned()),
        Family::EditMismatch => FailureKey::new("edit".to_owned()),
        _ => failure.key.clone(),
    }
}

fn one(reading: &Reading<'_>, covers: Vec<usize>) -> Option<Found> {
    let last = *covers.last()?;
    let seen = &reading.calls[last];
    let failure = seen.failure.clone()?;
    let diagnosis = diagnose(reading, &covers, &failure)?;
    let repeated = Repeated {
        failures: u32::try_from(covers.len()).unwrap_or(u32::MAX),
        diagnosis,
        names: super::names_of(&seen.call, &failure),
        failure,
    };
    Some(Found { repeated, covers })
}

fn diagnose(reading: &Reading<'_>, covers: &[usize], failure: &Failure) -> Option<Diagnosis> {
    let last = &reading.calls[*covers.last()?];
    let times = covers.len();
    let line = last.call.line();
    if line.is_some_and(effect::is_probe) {
        return None;
    }
    if covers
        .iter()
        .all(|index| in_backticks(&reading.calls[*index].call.args))
    {
        return (times >= 2).then_some(Diagnosis::Backticks);
    }
    if times >= 2 && covers.iter().all(|index| was_expanded(reading, *index)) {
        return Some(Diagnosis::ExpandedPattern);
    }
    match failure.family {
        Family::CommandMissing => {
            is_program(reading, covers, failure).then_some(Diagnosis::MissingProgram)
        }
        Family::Offline => (times >= 2 && !reached_out(reading)).then_some(Diagnosis::NoNetwork),
        Family::Auth if is_sudo_password(failure) => Some(Diagnosis::SudoPassword),
        Family::Auth => is_lasting(reading, covers, failure).then_some(Diagnosis::Credentials),
        Family::EditMismatch => {
            (times >= EDIT_MISMATCH_TIMES && is_unread(failure)).then_some(Diagnosis::EditMismatch)
        }
        Family::Usage
        | Family::OptionUnknown
        | Family::Rule
        | Family::Permission
        | Family::ModuleMissing => {
            (times >= SAME_ERROR_TIMES && line.is_some() && is_lasting(reading, covers, failure))
                .then_some(Diagnosis::SameError)
        }
        _ => None,
    }
}

/// A program that never worked in the run and was no slip of the pen.
fn is_program(reading: &Reading<'_>, covers: &[usize], failure: &Failure) -> bool {
    let name = failure.label.as_str();
    let is_name = name.len() >= 2
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.contains(['/', '~']);
    let was_called = covers.iter().all(|index| {
        let call = &reading.calls[*index].call;
        call.line().is_some_and(|line| {
            line.commands
                .iter()
                .any(|command| command.program() == name)
        })
    });
    is_name && was_called && is_lasting(reading, covers, failure)
}

/// Returns whether nothing of this label worked after the first of these failures.
fn is_lasting(reading: &Reading<'_>, covers: &[usize], failure: &Failure) -> bool {
    let worked = |seen: &super::reading::Seen<'_>| {
        seen.worked()
            && seen.call.line().is_some_and(|line| {
                line.commands
                    .iter()
                    .any(|command| command.label() == failure.label)
            })
    };
    !reading.calls[covers[0]..].iter().any(worked)
}

fn is_sudo_password(failure: &Failure) -> bool {
    failure.gist.contains("password")
        && failure.gist.contains("required")
        && failure.gist.contains("sudo")
        || failure
            .gist
            .contains("terminal is required to read the password")
}

/// "Not read yet" is put right by the client's own message.
fn is_unread(failure: &Failure) -> bool {
    !failure.gist.contains("read yet")
}

/// Returns whether any call that needs the network worked.
fn reached_out(reading: &Reading<'_>) -> bool {
    const REACHING: &str =
        "curl wget pip pip3 npm yarn pnpm apt apt-get brew gem cargo go git docker ping";
    let online = |seen: &super::reading::Seen<'_>| {
        seen.call.line().is_some_and(|line| {
            line.commands.iter().any(|command| {
                let label = command.label();
                is_listed(REACHING, command.program())
                    && ([
                        "install", "clone", "pull", "fetch", "push", "update", "download", "get",
                        "add",
                    ]
                    .iter()
                    .any(|verb| label.ends_with(verb))
                        || is_listed("curl wget ping", command.program()))
            })
        })
    };
    reading
        .calls
        .iter()
        .any(|seen| seen.worked() && (seen.raw.external || online(seen)))
}

/// Returns whether `find` complains of a path that the command does not hold, while it holds a pattern.
fn was_expanded(reading: &Reading<'_>, index: usize) -> bool {
    let seen = &reading.calls[index];
    let (Args::Shell(text, _), CallStatus::Error(error)) = (&seen.call.args, &seen.raw.status)
    else {
        return false;
    };
    let Some((_, rest)) = error.as_str().split_once("paths must precede expression: ") else {
        return false;
    };
    let rest = rest.trim_start_matches(['`', '\'', '‘']);
    let named: String = rest
        .chars()
        .take_while(|c| !matches!(c, '\'' | '’' | '\n'))
        .collect();
    text.contains('*') && named.len() > 1 && !text.contains(named.as_str())
}

/// Returns whether the whole line is one command in backticks.
fn in_backticks(args: &Args) -> bool {
    match args {
        Args::Shell(text, _) => {
            let text = text.trim();
            text.len() > 2
                && text.starts_with('`')
                && text.ends_with('`')
                && text.matches('`').count() == 2
        }
        Args::Named(_) | Args::Text(_) => false,
    }
}
