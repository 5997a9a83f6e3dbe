//! Finds the step between a failure and the same program's success that another run may repeat word for word.
//!
//! What kind of failure it was does not matter here, and one run proves nothing. The same words added, put before or run
//! first, in two runs that met the same error, are what the project wants
//! ([`consensus`](crate::capture::consensus) counts them). So the error counts at whatever command of the program it
//! came, and the step is taken with its values; one that only this run's task could need never meets its like.

use super::{
    Fix, asks_for_help, build_fix,
    change::{find_changes, find_operands, is_path, render_word},
    has_same_words,
    rules::{
        options::is_idle,
        setup::{find_entered_folder, find_new_variables},
    },
    shows_success,
    tentative::{calls_after, worked_commands},
};
use crate::{
    CallArgs, CallEffect, CallFailure, Difference, ShellCommand, ShellLine, ShellWord,
    capture::{
        Skip,
        parsed_run::{ParsedRun, RunCall},
        show,
    },
    safety,
    shell::{self, base_name, is_listed},
    trace::{effect, family::FailureFamily},
    trigger::{CommandName, name_command, peel_runners},
};

/// Most commands before a success of which each may have been what it took.
const FIRST_STEPS: usize = 3;

/// Most commands of a line of which each may have failed.
const FAILED_COMMANDS: usize = 4;

/// Most later calls of which each may be the first that worked, as a pipe hides it.
const TRIES: usize = 3;

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
    let mut tries = 0;
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
        steps.retain(|step| is_useful(step, reading, index, failure));
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
        tries += 1;
        let mut commands = later_line.commands.iter();
        let is_same = commands.any(|other| is_variant(other, command));
        if tries == TRIES || is_same && run_call.has_worked() && shows_success(later_line) {
            break;
        }
    }
    fixes
}

/// A command that failed.
struct FailedCommand<'c> {
    line: &'c ShellLine,
    /// Without the shell that it was given to.
    command: ShellCommand,
    /// As it was given.
    given: &'c ShellCommand,
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
    let failed = commands.filter_map(|given| {
        let command = without_shell(given);
        Some(FailedCommand {
            line,
            failure: own_failure(own, &command)?,
            command,
            given,
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
        if says_nothing(&own.gist) {
            failure.gist.clear();
        }
        (own.family != FailureFamily::Silent).then_some(failure)
    };
    let mut failure = own.at_any_command(&name).or_else(as_it_is)?;
    // Without an error to tell it by, only the same command fails so.
    if failure.gist.is_empty() {
        failure.label.clone_from(&own.label);
    }
    Some(failure)
}

/// Returns the script that a shell was given, as the command that it is: `bash deploy/run.sh -n` is `deploy/run.sh -n`.
fn without_shell(command: &ShellCommand) -> ShellCommand {
    let is_script = |word: &ShellWord| word.text.contains('/') || word.text.ends_with(".sh");
    let script = command.words.get(1).filter(|word| is_script(word));
    let is_shell = is_listed("bash sh zsh", command.program()) && script.is_some();
    ShellCommand {
        words: command.words[usize::from(is_shell)..].to_vec(),
        ..command.clone()
    }
}

/// Returns whether an error has no word that tells it from others.
fn says_nothing(gist: &str) -> bool {
    const GENERAL: &str = "error errors fail failed failure failures code exit status command";
    let mut words = gist.split(|c: char| !c.is_alphabetic());
    !words.any(|word| word.len() > 3 && !is_listed(GENERAL, &word.to_lowercase()))
}

/// Returns whether a step may have been what a failure needed.
fn is_useful(
    step: &Difference,
    reading: &ParsedRun<'_>,
    index: usize,
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
    let folder = command.words[0].text.rsplit_once('/');
    match folder.filter(|_| failure.family == FailureFamily::Permission) {
        Some((folder, _)) => format!("{folder}/…"),
        None => peel_runners(command).program().to_owned(),
    }
}

fn is_edit(run_call: &RunCall<'_>) -> bool {
    run_call.has_worked() && run_call.effect == CallEffect::Edits && run_call.call.line().is_none()
}

/// Returns whether a call met the failure no more: it worked, or it came as far as another one, of the work itself or got past when
/// the same command worked.
fn got_past(reading: &ParsedRun<'_>, index: usize, later: usize, failure: &CallFailure) -> bool {
    let run_call = &reading.calls[later];
    // An error that says nothing known is told by its lines.
    let met_error = reading.calls[index].error;
    let shares_line = || {
        let mut lines = run_call.error.lines().filter(|line| line.len() > 8);
        lines.any(|line| met_error.contains(line))
    };
    let is_other = |other: &CallFailure| match (failure.gist.as_str(), other.gist.as_str()) {
        _ if other.family != failure.family => true,
        ("", _) | (_, "") => !shares_line(),
        (own, other) => own != other,
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
        given,
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
    let commands = worked_commands(line).map(|(place, worked)| {
        let is_given = worked.program() == given.program();
        let script = is_given.then(|| without_shell(worked));
        let (failed, worked) = &peel_both(failed, script.as_ref().unwrap_or(worked));
        let mut steps = find_changes(failed, worked, reading.calls[index].error);
        // After an edit a task may have done the work that failed before.
        steps.retain(|step| match step {
            Difference::Instead { .. } => !(works_again || has_edit),
            _ => !works_again,
        });
        let is_change = !steps.is_empty();
        if failed.label() == worked.label() {
            let before = &line.commands[..place];
            let preparations = find_preparations((own, failed), (line, worked), between, before);
            // Where and under which settings it ran may be what it took, whatever else is new.
            let is_place = |step: &Difference| {
                matches!(step, Difference::Folder { .. } | Difference::Env { .. })
            };
            let preparations = preparations.into_iter();
            steps.extend(preparations.filter(|step| !is_change || is_place(step)));
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
    // Options of the runner itself may be what was changed.
    let is_both =
        runner(failed, &own) == runner(worked, &other) && own.program() == other.program();
    if is_both {
        (own, other)
    } else {
        (failed.clone(), worked.clone())
    }
}

/// Finds what was done between a failure and a success of the same command: an edit, variables, a folder, other commands.
fn find_preparations(
    (own, failed): (&ShellLine, &ShellCommand),
    (line, worked): (&ShellLine, &ShellCommand),
    between: &[RunCall<'_>],
    before: &[ShellCommand],
) -> Vec<Difference> {
    let command = failed.program().to_owned();
    let edit = find_edit(&command, between);
    let variables = find_new_variables(failed, worked, between, before).unwrap_or_default();
    let whole = Some(variables.clone()).filter(|variables| variables.len() > 1);
    let each = variables.into_iter().map(|variable| vec![variable]);
    let with_variables = |variables| Difference::Env {
        command: command.clone(),
        variables,
    };
    let variables = whole.into_iter().chain(each).map(with_variables);
    let folder = find_entered_folder(own, line, between);
    let folder = folder.map(|folder| Difference::Folder {
        command: command.clone(),
        folder,
    });
    // What was edited is more than what was run beside it.
    let firsts = match edit {
        Some(_) => Vec::new(),
        None => find_firsts((own, failed), between, before),
    };
    let with_command = |first| Difference::First {
        command: command.clone(),
        first,
    };
    variables
        .chain(folder)
        .chain(edit)
        .chain(firsts.into_iter().map(with_command))
        .collect()
}

/// Finds the one edit that was made before the same command worked, if it added a single plain line.
fn find_edit(command: &str, between: &[RunCall<'_>]) -> Option<Difference> {
    let mut edits = between.iter().filter(|run_call| is_edit(run_call));
    let (edit, None) = (edits.next()?, edits.next()) else {
        return None;
    };
    let CallArgs::Named(named) = &edit.call.args else {
        return None;
    };
    let text = |names: &str| {
        let mut values = named.iter().filter(|(name, _)| is_listed(names, name));
        values.find_map(|(_, value)| value.as_str())
    };
    let file = text("file_path path filePath filename target_file")?;
    let before = text("old_string old_str oldString oldText").unwrap_or_default();
    let after = text("new_string new_str newString newText content")?;
    let is_new = |line: &&str| !before.lines().any(|known| known == *line);
    let mut new_lines = after.lines().filter(is_new);
    let (line, None) = (new_lines.next()?.trim(), new_lines.next()) else {
        return None;
    };
    may_be_written(line).then(|| Difference::Edit {
        command: command.to_owned(),
        file: base_name(file).to_owned(),
        line: line.to_owned(),
    })
}

/// Returns whether a line of a file may be advised: it is short, of no machine, and switches nothing off.
fn may_be_written(line: &str) -> bool {
    const WEAKENING: &str =
        "false off no none skip ignore disable disabled allow noqa nolint nosec any";
    let word = ShellWord {
        raw: line.to_owned(),
        text: line.to_owned(),
    };
    let mut parts = line.split(|c: char| !c.is_alphanumeric());
    let weakens = parts.any(|part| is_listed(WEAKENING, &part.to_lowercase()));
    let read = shell::parse_line(line);
    let is_unsafe = read.commands.iter().any(safety::is_unsafe_command);
    line.chars().count() >= 3 && show::is_plain_word(&word) && !weakens && !is_unsafe
}

/// Returns the last commands that did something before the same one worked, the last one first.
fn find_firsts(
    (own, failed): (&ShellLine, &ShellCommand),
    between: &[RunCall<'_>],
    before: &[ShellCommand],
) -> Vec<String> {
    const SCENE: &str = "cd export set echo printf sleep wait pwd true";
    // What ran before the failure as well, on whatever, is not what was missing.
    let name = |command: &ShellCommand| name_command(&peel_runners(command)).0;
    let ran = own.commands.iter().take_while(|other| !runs(other, failed));
    let ran: Vec<CommandName> = ran.map(name).collect();
    let may_stand = |command: &ShellCommand| {
        safety::may_be_advised(command) && !safety::undoes_something(command)
    };
    let steps = between
        .iter()
        .filter(|run_call| run_call.has_worked() && run_call.effect != CallEffect::Reads)
        .filter_map(|run_call| run_call.call.line())
        // Beside a command that may not be advised the others may have done nothing.
        .filter(|line| line.commands.iter().all(may_stand))
        .flat_map(|line| worked_commands(line).map(|(_, command)| command));
    let steps = steps.chain(before).filter(|command| {
        !is_listed(SCENE, command.program())
            && !command.is_substitution
            && !command.is_filter()
            && !asks_for_help(command)
            && effect::classify_command(command) != CallEffect::Reads
            && may_stand(command)
            && !ran.contains(&name(command))
            && !is_variant(command, failed)
            && command.words.iter().all(|word| render_word(word).is_some())
    });
    let mut firsts: Vec<(String, Option<String>)> = Vec::new();
    for step in steps.collect::<Vec<_>>().into_iter().rev() {
        let first = (render_step(step, failed), render_name(step));
        if firsts.len() < FIRST_STEPS && !firsts.contains(&first) {
            firsts.push(first);
        }
    }
    let mut all: Vec<String> = Vec::new();
    for first in firsts
        .into_iter()
        .flat_map(|(whole, name)| [Some(whole), name])
    {
        all.extend(first.filter(|first| !all.contains(first)));
    }
    all
}

/// Returns whether a command is one that failed, or runs it.
fn runs(command: &ShellCommand, failed: &ShellCommand) -> bool {
    peel_runners(command).words == peel_runners(failed).words
}

/// Renders a step without its operands, which may be one task's own.
fn render_name(step: &ShellCommand) -> Option<String> {
    let inner = peel_runners(step);
    let runner = step.words.len() - inner.words.len();
    let at = runner + *name_command(&inner).1.last()?;
    let name: Option<Vec<String>> = step.words[..=at].iter().map(render_word).collect();
    (at + 1 < step.words.len()).then_some(format!("{} …", name?.join(" ")))
}

/// Renders a command as another task could run it first: without what it says of the failed one's own operands, its
/// messages, and what only changes its output.
fn render_step(step: &ShellCommand, failed: &ShellCommand) -> String {
    let label = failed.subcommand_indexes();
    let is_own = |word: &ShellWord| {
        let mut words = failed.words.iter().enumerate().skip(1);
        words.any(|(at, own)| !label.contains(&at) && own.text == word.text)
    };
    // `ulimit -s unlimited` sets the stack, `crane up -s` is silent.
    let has_value = |at: usize| {
        let next = step.words.get(at + 1);
        is_listed("-s -x -h", &step.words[at].text)
            && next.is_some_and(|next| !next.text.starts_with('-'))
    };
    let words = step.words.iter().enumerate().filter_map(|(at, word)| {
        let is_message = at > 1 && is_listed("-m --message", &step.words[at - 1].text);
        let is_theirs = at > 0 && word.text.contains('/') && is_own(word);
        match word.text.as_str() {
            "." if at == 0 => Some("source".to_owned()),
            text if at > 0 && is_idle(text) && !has_value(at) => None,
            text if is_theirs || is_message && word.raw != text => Some("…".to_owned()),
            _ => render_word(word),
        }
    });
    let words: Vec<String> = words.collect();
    let sudo = if step.sudo { "sudo " } else { "" };
    format!("{sudo}{}", words.join(" "))
}

/// Returns whether a command is another try of the failed one: on the same thing, or with other options only.
fn is_variant(command: &ShellCommand, failed: &ShellCommand) -> bool {
    let (command, failed) = (peel_runners(command), peel_runners(failed));
    let own = find_operands(&failed, true);
    let mut others = find_operands(&command, true).into_iter();
    let is_shared = others.any(|word| own.contains(&word));
    command.label() == failed.label() && (own.is_empty() || is_shared)
}
