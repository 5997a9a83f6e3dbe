//! Finds what was done after a failure and worked, where no rule shows that it was the fix.
//!
//! One run proves nothing here: the next command on the same thing may have another goal. It is kept with
//! [`EpisodeWeight::Tentative`](crate::capture::EpisodeWeight::Tentative), and becomes a lesson when enough runs did
//! the same after the same failure. Commands that destroy, force, wait or weaken a check are refused from the start,
//! as are values that belong to one task only.

use super::{Fix, asks_for_help, build_fix, check_teachable, is_success_certain, rules};
use crate::{
    CallFailure, Difference, ShellCommand, ShellLine,
    capture::{
        Skip,
        fix::tool,
        parsed_run::{ParsedRun, RunCall},
        show,
    },
    limits, safety,
    shell::{self, is_listed},
    trace::client_refusal::{self, ClientRefusal},
};

/// Options, without their hyphens, that make a check of a command that changes files.
const CHECKING: &str = "check check-only list-different";

/// Finds what was done after the failed call at `index`, if it may have been the fix.
pub(in crate::capture) fn find_tentative_fix(
    reading: &ParsedRun<'_>,
    index: usize,
    reason: Skip,
) -> Option<Fix> {
    let first_call = &reading.calls[index];
    let failure = first_call.failure.as_ref()?;
    if matches!(reason, Skip::Typo | Skip::Probe | Skip::Stopped) {
        return None;
    }
    if let Some(mended) = find_autofixed_check(reading, index, failure) {
        return Some(mended);
    }
    if failure.gist.is_empty() || check_teachable(failure.family).is_err() {
        return None;
    }
    find_among_later(reading, index, failure, |later| {
        let later_call = &reading.calls[later];
        // A call that also failed in this run is no fix, whatever it differs in.
        let is_sure = later_call.has_worked() && reading.outcome_counts(later_call).1 == 0;
        is_sure.then(|| find_difference(first_call, failure, later_call))?
    })
}

/// Finds the first of the next calls that did what the failed one did not, as far as `compare` tells.
pub(super) fn find_among_later(
    reading: &ParsedRun<'_>,
    index: usize,
    failure: &CallFailure,
    compare: impl Fn(usize) -> Option<Difference>,
) -> Option<Fix> {
    calls_after(reading, index).find_map(|later| {
        let difference = compare(later)?;
        Some(build_fix(reading, index, later, failure, difference))
    })
}

/// Returns the indexes of the next calls, up to the first gap in the trace.
pub(super) fn calls_after(reading: &ParsedRun<'_>, index: usize) -> impl Iterator<Item = usize> {
    let end = reading.calls.len().min(index + 1 + limits::FIX_WINDOW);
    (index + 1..end).take_while(move |later| reading.has_no_gap(index, *later))
}

/// Finds a check that passed once its own autofix command had run: `lint`, `lint:fix`, and `lint` again. It does not
/// matter which error it was.
fn find_autofixed_check(
    reading: &ParsedRun<'_>,
    index: usize,
    failure: &CallFailure,
) -> Option<Fix> {
    let first_call = &reading.calls[index].call;
    let culprit = failure.culprit.or_else(|| first_call.main_command())?;
    let check = first_call.line()?.commands.get(culprit)?;
    let mut mending: Option<&ShellCommand> = None;
    for later in calls_after(reading, index) {
        let run_call = &reading.calls[later];
        let line = run_call.call.line().filter(|_| run_call.has_worked());
        for (_, command) in line.into_iter().flat_map(advisable_commands) {
            if is_mending_form(check, command) {
                mending = Some(command);
            } else if let Some(first) = mending.filter(|_| runs_check_again(check, command)) {
                let difference = Difference::First {
                    command: show::render_bare(check),
                    first: show::render_bare(first),
                };
                let any = CallFailure::without_error(failure);
                return Some(build_fix(reading, index, later, &any, difference));
            }
        }
    }
    None
}

/// Returns whether a command is the same check, of whatever part of the work.
fn runs_check_again(check: &ShellCommand, command: &ShellCommand) -> bool {
    let (gone, _) = rules::options::changed_flags(check, command);
    let is_check = |flag: &String| is_listed(CHECKING, flag.trim_start_matches('-'));
    command.label() == check.label() && !gone.iter().any(is_check)
}

/// Returns whether a command is the form of a check that mends what it finds: `lint:fix` of `lint`, `fmt` of `fmt --check`,
/// `lint --fix` of `lint`.
fn is_mending_form(check: &ShellCommand, command: &ShellCommand) -> bool {
    const MENDING: &str = "fix fix-only write autofix autocorrect auto-correct";
    let (label, mending) = (check.label(), command.label());
    let is_all = |flags: &[String], list: &str| {
        let mut names = flags.iter().map(|flag| flag.trim_start_matches('-'));
        names.all(|name| name.is_empty() || is_listed(list, name))
    };
    if mending == label && check.program() == command.program() {
        let (gone, new) = rules::options::changed_flags(check, command);
        let is_changed = gone.iter().chain(&new).any(|flag| flag != "--");
        return is_changed && is_all(&gone, CHECKING) && is_all(&new, MENDING);
    }
    let rest = mending.strip_prefix(&label);
    rest.is_some_and(|rest| matches!(rest, ":fix" | "-fix" | ":write" | "_fix"))
}

fn find_difference(
    failed: &RunCall<'_>,
    failure: &CallFailure,
    later: &RunCall<'_>,
) -> Option<Difference> {
    match later.call.line() {
        Some(line) => find_command_by_name(failed, failure, line),
        None if failed.call.tool == later.call.tool => tool::compare_calls(failed, later),
        None => None,
    }
}

/// Returns the commands of a line that did its work, as far as that can be told, each with its index.
pub(super) fn advisable_commands(line: &ShellLine) -> impl Iterator<Item = (usize, &ShellCommand)> {
    let is_trap = line.commands.iter().any(safety::is_unsafe_command);
    let commands = worked_commands(line);
    commands.filter(move |(_, command)| !is_trap && safety::may_be_advised(command))
}

/// Returns the same, whether or not they may be advised.
pub(super) fn worked_commands(line: &ShellLine) -> impl Iterator<Item = (usize, &ShellCommand)> {
    let works = move |(index, command): &(usize, &ShellCommand)| {
        !line.branches
            && !line.is_helper(*index)
            && (is_success_certain(line, *index) || command.join != shell::Join::Or)
            && !asks_for_help(command)
    };
    line.commands.iter().enumerate().filter(works)
}

/// Finds a command named like the thing that was missing: a skill `commit`, and then `git commit`.
fn find_command_by_name(
    failed: &RunCall<'_>,
    failure: &CallFailure,
    line: &ShellLine,
) -> Option<Difference> {
    if failure.client_refusal != Some(ClientRefusal::UnknownName) {
        return None;
    }
    let name = client_refusal::parse_unknown_name(failed.error)?.to_lowercase();
    let mut labels = advisable_commands(line).map(|(_, command)| command.label());
    let command = labels.find(|label| label.split(' ').skip(1).any(|word| word == name))?;
    Some(Difference::Instead { command })
}
