//! Finds the step between a failure and the same program's success that another run may repeat word for word.
//!
//! What kind of failure it was does not matter here, and one run proves nothing. The same words added, put before or run
//! first, in two runs that met the same error, are what the project wants
//! ([`consensus`](crate::capture::consensus) counts them). So the error counts at whatever command of the program it
//! came, and the step is taken with its values; one that only this run's task could need never meets its like.

use super::{
    Fix, build_fix,
    change::{find_changes, is_path},
    has_same_words,
    preparation::{find_preparations, is_edit, is_variant},
    rearranged::list_flags,
    shows_success,
    tentative::{calls_after, worked_commands},
};
use crate::{
    CallEffect, CallFailure, Difference, ShellCommand, ShellLine,
    capture::{
        Skip,
        parsed_run::{ParsedRun, RunCall},
    },
    shell,
    trace::family::FailureFamily,
    trigger::peel_runners,
};

/// Most commands of a line of which each may have failed.
const FAILED_COMMANDS: usize = 4;

/// Finds the steps that got past the failed call at `index`, if another run could repeat one of them; the likeliest first.
pub(in crate::capture) fn find_repeatable_fixes(
    reading: &ParsedRun<'_>,
    index: usize,
    reason: Skip,
) -> Vec<Fix> {
    let may_teach = !matches!(
        reason,
        Skip::Typo | Skip::Probe | Skip::Stopped | Skip::Guess
    );
    let first_call = Some(&reading.calls[index]).filter(|_| may_teach);
    let failed = first_call.map(find_failed_commands).unwrap_or_default();
    let mut fixes: Vec<Fix> = Vec::new();
    for fix in failed
        .iter()
        .flat_map(|failed| find_ways_past(reading, index, failed))
    {
        if !fixes.iter().any(|known| known.difference == fix.difference) {
            fixes.push(fix);
        }
    }
    fixes
}

/// Finds the steps by which later calls got past a failed command.
fn find_ways_past(reading: &ParsedRun<'_>, index: usize, failed: &FailedCommand<'_>) -> Vec<Fix> {
    let FailedCommand {
        command, failure, ..
    } = failed;
    let first_call = &reading.calls[index];
    let mut fixes = Vec::new();
    let mut is_past = false;
    for later in calls_after(reading, index) {
        let run_call = &reading.calls[later];
        // What also failed is no step, but the same call may work after one.
        let is_sure = !run_call.has_worked()
            || run_call.args == first_call.args
            || !has_met_again(reading, run_call, failure);
        let is_step = is_sure && got_past(reading, index, later, failure);
        let later_line = run_call.call.line();
        let Some(later_line) = later_line.filter(|line| is_step && !line.heredoc) else {
            continue;
        };
        let mut steps = find_steps(reading, (index, failed), later, later_line);
        // What was written after it had been got past mended something else.
        let is_late = |step: &Difference| is_past && matches!(step, Difference::Edit { .. });
        steps.retain(|step| is_useful(step, reading, (index, later), failure) && !is_late(step));
        if steps.is_empty() {
            continue;
        }
        let after_edit = reading.calls[index..later].iter().any(is_edit);
        let after_act = reading.acted_between(index, later, command);
        fixes.extend(steps.into_iter().map(|step| Fix {
            after_edit: after_edit && !matches!(step, Difference::Edit { .. }),
            after_act: after_act && matches!(step, Difference::Options { .. }),
            ..build_fix(reading, index, later, failure, step)
        }));
        let mut commands = later_line.commands.iter();
        let is_same = commands.any(|other| is_variant(other, command));
        is_past |= is_same;
        if is_same && run_call.has_worked() && shows_success(later_line) {
            break;
        }
    }
    fixes
}

/// A command that failed.
struct FailedCommand<'c> {
    line: &'c ShellLine,
    command: &'c ShellCommand,
    /// Its failure as it is the same at any command of the program.
    failure: CallFailure,
}

/// Returns the command of a call that failed; of a line that does not tell which, each that may have.
fn find_failed_commands<'c>(run_call: &'c RunCall<'_>) -> Vec<FailedCommand<'c>> {
    let line = run_call.call.line().filter(|line| !line.branches);
    let Some((own, line)) = run_call.failure.as_ref().zip(line) else {
        return Vec::new();
    };
    let acting = line.acting_commands().map(|(at, _)| at);
    let acting = acting
        .filter(|_| own.culprit.is_none())
        .take(FAILED_COMMANDS);
    let places = own.culprit.into_iter().chain(acting);
    let commands = places.filter_map(|at| line.commands.get(at));
    let failed = commands.filter_map(|command| {
        Some(FailedCommand {
            line,
            failure: own_failure(own, command)?,
            command,
        })
    });
    failed.collect()
}

/// Returns a failure as it is the same at any command of the program.
fn own_failure(own: &CallFailure, command: &ShellCommand) -> Option<CallFailure> {
    let name = name_of(command, own);
    // An error that could be of anything is at least the same error.
    let as_it_is = || {
        let mut failure = own.clone();
        failure.label.clone_from(&name);
        (own.family != FailureFamily::Silent).then_some(failure)
    };
    let mut failure = own.at_any_command(&name).or_else(as_it_is)?;
    // Without an error to tell it by, only the same command fails so.
    if failure.gist.is_empty() {
        failure.label.clone_from(&own.label);
    }
    Some(failure)
}

/// Returns whether a step may have been what a failure needed.
fn is_useful(
    step: &Difference,
    reading: &ParsedRun<'_>,
    (index, later): (usize, usize),
    failure: &CallFailure,
) -> bool {
    let own = reading.calls[index].failure.as_ref();
    let is_over = || own.is_some_and(|own| reading.worked_after(&own.label, index));
    // Nothing that is run first makes a program know a name.
    let is_name = matches!(
        failure.family,
        FailureFamily::OptionUnknown | FailureFamily::ScriptMissing
    );
    match step {
        _ if step.is_given(reading, index, later) => false,
        Difference::Instead { .. } => !is_over(),
        // After an error that says nothing, anybody may run anything.
        Difference::First { first, .. } => {
            !is_name && (!failure.gist.is_empty() || shell::has_own_words(first))
        }
        // The work names files of its own.
        Difference::Options { added, .. }
            if added.iter().any(|word| is_path(word))
                && (failure.family.is_the_work() || failure.gist.is_empty()) =>
        {
            false
        }
        // Without an error to tell it by, what each task chooses is its own, and so is what it leaves out.
        Difference::Options { added, .. }
            if added.iter().all(|option| option.ends_with('…')) && failure.gist.is_empty() =>
        {
            false
        }
        Difference::Options { removed, added, .. } if added.is_empty() => own.is_none_or(|own| {
            let is_control = |control: &ShellCommand| {
                !list_flags(control)
                    .iter()
                    .any(|flag| removed.contains(flag))
            };
            !reading.same_failures(own).any(is_control)
        }),
        Difference::Options { removed, added, .. } => own.is_none_or(|own| {
            let is_control = |control: &ShellCommand| {
                let is_gone =
                    |option: &String| !option.contains('…') && !has_words(control, option);
                removed.iter().any(is_gone) || added.iter().all(|option| has_words(control, option))
            };
            !reading.same_failures(own).any(is_control)
        }),
        _ => true,
    }
}

/// Returns whether a command has each of these words.
fn has_words(command: &ShellCommand, words: &str) -> bool {
    let own = command.words.iter().flat_map(|word| word.raw.split(' '));
    let own: Vec<&str> = own.collect();
    words.split(' ').all(|word| own.contains(&word))
}

/// Returns what the lesson calls the failed command: its program, or all scripts of a folder that nobody may execute.
fn name_of(command: &ShellCommand, failure: &CallFailure) -> String {
    let script = command.script_command();
    let script = script.as_ref().unwrap_or(command);
    let folder = script.words[0].text.rsplit_once('/');
    match folder.filter(|_| failure.family == FailureFamily::Permission) {
        Some((folder, _)) => format!("{folder}/…"),
        None => peel_runners(command).program().to_owned(),
    }
}

/// Returns whether a call met the failure no more: it worked, or it came as far as another one, of the work itself or got past when
/// the same command worked.
fn got_past(reading: &ParsedRun<'_>, index: usize, later: usize, failure: &CallFailure) -> bool {
    let run_call = &reading.calls[later];
    let is_other = |other: &CallFailure| {
        let is_silent = failure.gist.is_empty() || other.gist.is_empty();
        other.family != failure.family || is_silent || other.gist != failure.gist
    };
    let label = reading.calls[index].failure.as_ref().map(|own| &own.label);
    let works_later = || {
        let is_same =
            |other: &RunCall<'_>| other.has_worked() && other.call_key() == run_call.call_key();
        label.is_some_and(|label| reading.worked_after(label, later))
            || calls_after(reading, later).any(|at| is_same(&reading.calls[at]))
    };
    // What was written between may have brought the other one.
    let is_writing = |other: &RunCall<'_>| other.effect == CallEffect::Edits;
    let is_alone = || !reading.calls[index..later].iter().any(is_writing);
    (run_call.failure.as_ref()).is_none_or(|other| {
        is_other(other) && (other.family.is_the_work() || works_later() && is_alone())
    })
}

/// Returns whether the very same call also met the failure in this run; another error is another matter.
fn has_met_again(reading: &ParsedRun<'_>, run_call: &RunCall<'_>, failure: &CallFailure) -> bool {
    let is_it = |own: &CallFailure| {
        let is_silent = own.gist.is_empty() || failure.gist.is_empty();
        own.family == failure.family && (is_silent || own.gist == failure.gist)
    };
    let mut calls = reading.calls.iter();
    calls.any(|other| {
        other.call_key() == run_call.call_key() && other.failure.as_ref().is_some_and(is_it)
    })
}

/// Finds the steps that a later line took with the failed command of a line, or before it.
fn find_steps(
    reading: &ParsedRun<'_>,
    (index, failed): (usize, &FailedCommand<'_>),
    later: usize,
    line: &ShellLine,
) -> Vec<Difference> {
    let FailedCommand {
        line: own,
        command: failed,
        ..
    } = failed;
    let between = &reading.calls[index + 1..later];
    let is_again = |run_call: &RunCall<'_>| {
        let line = run_call.call.line().filter(|_| run_call.has_worked());
        let mut commands = line.into_iter().flat_map(worked_commands);
        commands.any(|(_, command)| has_same_words(command, failed))
    };
    let has_edit = between.iter().any(is_edit);
    // If the very same words work later, a change of them was not the remedy.
    let works_again = calls_after(reading, index).any(|at| is_again(&reading.calls[at]));
    let is_same =
        |worked: &ShellCommand| peel_runners(worked).program() == peel_runners(failed).program();
    let has_same = worked_commands(line).any(|(_, worked)| is_same(worked));
    let commands = worked_commands(line).filter(|(_, worked)| !has_same || is_same(worked));
    let commands = commands.map(|(place, worked)| {
        let (failed, worked) = &peel_both(failed, worked);
        let error = reading.calls[index].error;
        let mut steps = find_changes(failed, worked, error);
        // It may be run by another program than before.
        if steps.is_empty() {
            steps = find_changes(&peel_runners(failed), worked, error);
            for step in &mut steps {
                if let Difference::Runner { from, .. } = step {
                    *from = failed.label();
                }
            }
        }
        // After an edit a task may have done the work that failed before.
        steps.retain(|step| match step {
            Difference::Instead { .. } => !(works_again || has_edit),
            _ => !works_again,
        });
        if failed.label() == worked.label() {
            let before = &line.commands[..place];
            let preparations = find_preparations((own, failed), (line, worked), between, before);
            steps.extend(preparations);
        }
        steps
    });
    let mut commands = commands.into_iter();
    commands.find(|steps| !steps.is_empty()).unwrap_or_default()
}

/// Returns what both commands run, where both are run by the same program; else both as they are.
fn peel_both(failed: &ShellCommand, worked: &ShellCommand) -> (ShellCommand, ShellCommand) {
    let (own, other) = (peel_runners(failed), peel_runners(worked));
    let runner = |command: &ShellCommand, inner: &ShellCommand| {
        let words = &command.words[..command.words.len() - inner.words.len()];
        words.to_vec()
    };
    let (outer, other_outer) = (runner(failed, &own), runner(worked, &other));
    // Of what is run in two ways the options of the runner itself may be what was changed.
    if outer == other_outer {
        (own, other)
    } else {
        (failed.clone(), worked.clone())
    }
}
