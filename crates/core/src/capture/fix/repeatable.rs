//! Finds the step between a failure and the same program's success that another run may repeat word for word.
//!
//! What kind of failure it was does not matter here, and one run proves nothing. The same words added, put before or run
//! first, in two runs that met the same error, are what the project wants
//! ([`consensus`](crate::capture::consensus) counts them). So the error counts at whatever command of the program it
//! came, and the step is taken with its values; one that only this run's task could need never meets its like.

use super::{
    Fix, alike,
    rules::{
        options::is_idle,
        setup::{find_entered_folder, find_new_variables},
    },
    tentative::{advisable_commands, find_among_later},
};
use crate::{
    capture::{
        Difference, Skip,
        parsed_run::{ParsedRun, RunCall},
        show,
    },
    safety,
    shell::{self, ShellCommand, ShellLine, ShellWord, base_name, is_listed},
    trace::{call::CallArgs, effect::CallEffect, failure::CallFailure, family::FailureFamily},
};

/// Most words that may be added to a command, or put before it.
const ADDED_WORDS: usize = 6;
/// Most words that may be left out of it: an option and its value.
const REMOVED_WORDS: usize = 2;
/// Longest name of a task that took over, in bytes.
const TASK_BYTES: usize = 40;

/// Finds the step that got past the failed call at `index`, if another run could repeat it.
pub(in crate::capture) fn find_repeatable_fix(
    reading: &ParsedRun<'_>,
    index: usize,
    reason: Skip,
) -> Option<Fix> {
    let first_call = &reading.calls[index];
    let failure = first_call.failure.as_ref()?;
    let line = first_call.call.line().filter(|line| !line.branches)?;
    let culprit = failure.culprit.or_else(|| first_call.call.main_command())?;
    let command = line.commands.get(culprit)?;
    if matches!(
        reason,
        Skip::Typo | Skip::Probe | Skip::Stopped | Skip::Guess
    ) {
        return None;
    }
    let own_label = failure.label.clone();
    let failure = failure.at_any_command(&name_of(command, failure))?;
    find_among_later(reading, index, &failure, |later| {
        let between = &reading.calls[index + 1..later];
        let seen = &reading.calls[later];
        // What also failed is no step, but the same call may work after one.
        let is_sure = !seen.has_worked()
            || seen.args == first_call.args
            || reading.outcome_counts(seen).1 == 0;
        let is_step = is_sure && got_past(seen, &failure);
        let later_line = seen.call.line().filter(|line| is_step && !line.heredoc)?;
        let step = find_step((line, command), between, later_line)?;
        let is_over = || reading.worked_after(&own_label, index);
        let has_taken_over = matches!(step, Difference::Instead { .. });
        // Nothing that is run first makes a program know a name.
        let is_name = matches!(
            failure.family,
            FailureFamily::OptionUnknown | FailureFamily::ScriptMissing
        );
        let is_first = matches!(step, Difference::First { .. });
        let is_useless = has_taken_over && is_over() || is_first && is_name;
        (!is_useless).then_some(step)
    })
}

/// Returns what the lesson calls the failed command: its program, or all scripts of a folder that nobody may execute.
fn name_of(command: &ShellCommand, failure: &CallFailure) -> String {
    let folder = command.words[0]
        .text
        .rsplit_once('/')
        .map(|(folder, _)| folder);
    match folder.filter(|_| failure.family == FailureFamily::Permission) {
        Some(folder) => format!("{folder}/…"),
        None => command.program().to_owned(),
    }
}

fn is_edit(seen: &RunCall<'_>) -> bool {
    seen.has_worked() && seen.effect == CallEffect::Edits && seen.call.line().is_none()
}

/// Returns whether a call met the failure no more: it worked, or it came as far as the work itself, which failed.
fn got_past(later: &RunCall<'_>, failure: &CallFailure) -> bool {
    let other = later.failure.as_ref().map(|other| other.family);
    other.is_none_or(|other| other.is_the_work() && other != failure.family)
}

/// Finds the step that a later line took with the failed command of a line, or before it.
fn find_step(
    (own, failed): (&ShellLine, &ShellCommand),
    between: &[RunCall<'_>],
    line: &ShellLine,
) -> Option<Difference> {
    let has_edit = between.iter().any(is_edit);
    let mut commands = advisable_commands(line);
    commands.find_map(|(place, worked)| {
        let change = find_change(failed, worked).filter(|_| !has_edit);
        if change.is_some() || failed.label() != worked.label() {
            return change;
        }
        let command = failed.program().to_owned();
        // After an edit the work itself may have made the difference.
        if has_edit {
            return find_edit(&command, between);
        }
        let before = &line.commands[..place];
        if let Some(variables) = find_new_variables(failed, worked, between, before) {
            return Some(Difference::Env { command, variables });
        }
        if let Some(folder) = find_entered_folder(own, line, between) {
            return Some(Difference::Folder { command, folder });
        }
        let first = find_first(failed, between, before)?;
        Some(Difference::First { command, first })
    })
}

/// Finds what a working command has that the failed one had not.
fn find_change(failed: &ShellCommand, worked: &ShellCommand) -> Option<Difference> {
    let command = failed.program().to_owned();
    if let Some((removed, added)) = find_other_options(failed, worked) {
        return Some(Difference::Options {
            command,
            removed,
            added: vec![added],
        });
    }
    if let Some((from, to)) = find_changed_value(failed, worked) {
        return Some(Difference::Options {
            command,
            removed: vec![from],
            added: vec![to],
        });
    }
    if let Some((from, to)) = find_interpreter(failed, worked) {
        return Some(Difference::Runner { from, to });
    }
    if let Some(to) = find_front(failed, worked) {
        return Some(Difference::Runner { from: command, to });
    }
    let command = find_takeover(failed, worked)?;
    Some(Difference::Instead { command })
}

/// Returns how scripts of a folder were called, if the failed one was then given to what runs it: `bash scripts/…`.
fn find_interpreter(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let typed = failed.words[0].text.as_str();
    let (folder, _) = typed
        .rsplit_once('/')
        .filter(|_| !typed.starts_with(['/', '~', '$']))?;
    let script = worked.words.get(1)?.text.as_str();
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let is_same =
        plain(script) == plain(typed) && worked.texts().get(2..) == failed.texts().get(1..);
    is_same.then(|| {
        (
            format!("{folder}/…"),
            format!("{} {}/…", worked.program(), plain(folder)),
        )
    })
}

/// Returns the command of another program that did what the failed one is for: a task of the project's runner for a test,
/// or the same verb of a package manager.
fn find_takeover(failed: &ShellCommand, worked: &ShellCommand) -> Option<String> {
    const RUNNERS: &str = "make just task npm pnpm yarn bun rake mage invoke inv tox nox mise gradlew mvnw composer mix";
    let (own, other) = (failed.label(), worked.label());
    let purpose = |label: &str| alike::find_purpose(label.rsplit(' ').next().unwrap_or_default());
    let is_task = is_listed(RUNNERS, worked.program()) && purpose(&own).is_some();
    let does_same = is_task && purpose(&own) == purpose(&other);
    let verb = |label: &str| label.split_once(' ').map(|(_, verb)| verb.to_owned());
    let replaces = alike::can_replace(failed.program(), worked.program());
    let has_same_verb = replaces && verb(&own).is_some() && verb(&own) == verb(&other);
    let is_other = failed.program() != worked.program() && other.len() <= TASK_BYTES;
    (is_other && (does_same || has_same_verb)).then_some(other)
}

/// Finds the one edit that was made before the same command worked, if it added a single plain line.
fn find_edit(command: &str, between: &[RunCall<'_>]) -> Option<Difference> {
    let mut edits = between.iter().filter(|seen| is_edit(seen));
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
    let mut added = after
        .lines()
        .filter(|line| !before.lines().any(|known| known == *line));
    let (line, None) = (added.next()?.trim(), added.next()) else {
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
    let parts = line.split(|c: char| !c.is_alphanumeric());
    let weakens = parts
        .into_iter()
        .any(|part| is_listed(WEAKENING, &part.to_lowercase()));
    let read = shell::parse_line(line);
    let is_unsafe = read.commands.iter().any(safety::is_unsafe_command);
    line.chars().count() >= 3 && show::is_plain_word(&word) && !weakens && !is_unsafe
}

/// Returns the options that were left out and those that were added, with their values, where all other words are the same.
fn find_other_options(
    failed: &ShellCommand,
    worked: &ShellCommand,
) -> Option<(Vec<String>, String)> {
    let old_words = words_not_in(worked, failed);
    let new_words = words_not_in(failed, worked);
    let has_value = |at: usize| {
        new_words
            .get(at + 1)
            .is_some_and(|next| !next.text.starts_with('-'))
    };
    // `git commit -s` signs off, and `psql -h db` names a host.
    let is_idle = |at: usize, text: &str| is_idle(text) && text != "-s" && !has_value(at);
    let mut words = new_words.iter().enumerate();
    let is_shown = words.all(|(at, word)| show::is_plain_word(word) && !is_idle(at, &word.text))
        && old_words.iter().all(|word| show::is_plain_word(word));
    let is_option = |word: &&ShellWord| word.text.starts_with('-');
    let are_options =
        new_words.first().is_some_and(is_option) && old_words.first().is_none_or(is_option);
    let is_small = new_words.len() <= ADDED_WORDS && old_words.len() <= REMOVED_WORDS;
    let removed = (!old_words.is_empty()).then(|| join_words(&old_words));
    (are_options && is_shown && is_small && failed.program() == worked.program())
        .then(|| (removed.into_iter().collect(), join_words(&new_words)))
}

/// Returns the words of a command that another one has not, or not as often.
fn words_not_in<'w>(other: &ShellCommand, command: &'w ShellCommand) -> Vec<&'w ShellWord> {
    let mut known = other.texts();
    let mut is_new = |word: &ShellWord| {
        let at = known.iter().position(|text| *text == word.text);
        at.map(|at| known.swap_remove(at)).is_none()
    };
    command.words.iter().filter(|word| is_new(word)).collect()
}

/// Returns the option whose value alone was changed, as it was and as it worked.
fn find_changed_value(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    if failed.words.len() != worked.words.len() || failed.program() != worked.program() {
        return None;
    }
    let pairs = failed.words.iter().zip(&worked.words).enumerate();
    let mut differences = pairs.filter(|(_, (own, other))| own.text != other.text);
    let (at, (own, other)) = differences
        .next()
        .filter(|_| differences.next().is_none())?;
    let is_plain = show::is_plain_word(own) && show::is_plain_word(other);
    let option = |word: &ShellWord| {
        let (name, _) = word
            .text
            .split_once('=')
            .filter(|_| word.text.starts_with('-'))?;
        Some(name.to_owned())
    };
    let before = at.checked_sub(1).map(|at| failed.words[at].text.as_str());
    match (option(own), before) {
        _ if !is_plain => None,
        (Some(name), _) if option(other) == Some(name.clone()) => {
            Some((own.text.clone(), other.text.clone()))
        }
        (None, Some(name)) if name.starts_with('-') && !other.text.starts_with('-') => Some((
            format!("{name} {}", own.raw),
            format!("{name} {}", other.raw),
        )),
        _ => None,
    }
}

/// Returns what ran the failed command, or what it was given, in place of its program: `docker compose exec app php` for
/// `php`, `npx tsx` for `node`.
fn find_front(failed: &ShellCommand, worked: &ShellCommand) -> Option<String> {
    const WRAPPING: &str = "sudo time timeout nice nohup watch xargs echo printf man which type command ls cat head tail grep rg";
    let texts = |words: &[ShellWord]| -> Vec<String> {
        words.iter().map(|word| word.text.clone()).collect()
    };
    let (own, all) = (texts(&failed.words), texts(&worked.words));
    let begins = |at: &usize| all[*at..].starts_with(&own[..own.len().min(2)]);
    let front_length = (1..all.len().min(ADDED_WORDS + 1)).find(begins);
    let same_end = (own.len() > 1 && all.ends_with(&own[1..])).then(|| all.len() - (own.len() - 1));
    let end = match (front_length, same_end) {
        (Some(at), _) => at + 1,
        (None, Some(at)) if at > 0 && worked.program() != failed.program() => at,
        _ => return None,
    };
    let front: Vec<&ShellWord> = worked.words[..end].iter().collect();
    let is_shown = front.iter().all(|word| show::is_plain_word(word));
    (is_shown && end <= ADDED_WORDS + 1 && !is_listed(WRAPPING, worked.program()))
        .then(|| join_words(&front))
}

fn join_words(words: &[&ShellWord]) -> String {
    let raw: Vec<&str> = words.iter().map(|word| word.raw.as_str()).collect();
    raw.join(" ")
}

/// Returns the last command that did something before the same one worked.
fn find_first(
    failed: &ShellCommand,
    between: &[RunCall<'_>],
    before: &[ShellCommand],
) -> Option<String> {
    const SCENE: &str = "cd export set echo printf sleep wait pwd true";
    let steps = between
        .iter()
        .filter(|seen| seen.has_worked() && seen.effect != CallEffect::Reads)
        .filter_map(|seen| seen.call.line())
        .flat_map(|line| advisable_commands(line).map(|(_, command)| command));
    let before = before
        .iter()
        .filter(|command| safety::may_be_advised(command));
    let steps = steps.chain(before).filter(|command| {
        !is_listed(SCENE, command.program())
            && !safety::undoes_something(command)
            && !is_variant(command, failed)
            && command.words.iter().all(show::is_plain_word)
    });
    steps.last().map(show::render_whole)
}

/// Returns whether a command is another try of the failed one: the same program with the same word or with options first.
fn is_variant(command: &ShellCommand, failed: &ShellCommand) -> bool {
    let second = |command: &ShellCommand| {
        let word = command.words.get(1).map(|word| word.text.clone());
        word.filter(|word| !word.starts_with('-'))
    };
    let (one, other) = (second(command), second(failed));
    command.label() == failed.label() && (one == other || one.is_none() || other.is_none())
}
