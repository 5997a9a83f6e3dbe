//! Finds what was put before a command that failed, or took its place: an interpreter, a container, a task, another program.
//!
//! Whether it was the remedy is not known here: two runs that did the same tell.

use super::alike;
use crate::{
    Difference, ShellCommand,
    capture::show::render_word,
    safety,
    shell::{self, base_name, is_listed},
    trigger::peel_runners,
};

/// Most words that may be put before a command.
const ADDED_WORDS: usize = 6;

/// Longest name of a task that took over, in bytes.
const TASK_BYTES: usize = 40;

/// Programs that only look, or run anything that they are given.
const WRAPPING: &str = "sudo time timeout nice nohup watch xargs echo printf man which type command ls cat head tail grep rg";

/// Finds what ran the working command, or took the failed one's place, and was not there before.
pub(super) fn find_other_runner(failed: &ShellCommand, worked: &ShellCommand) -> Vec<Difference> {
    let runner = find_interpreter(failed, worked)
        .or_else(|| find_front(failed, worked))
        .or_else(|| find_other_program(failed, worked));
    // The same script by another path is called from another folder.
    let is_moved = |to: &str| {
        failed.words[0].text.contains('/') && to.strip_prefix("./") == Some(failed.program())
    };
    let runner = runner.filter(|(_, to)| !is_moved(to));
    let task = find_task(failed, worked).map(|command| Difference::Instead { command });
    let runner = runner.map(|(from, to)| Difference::Runner { from, to });
    task.into_iter().chain(runner).collect()
}

/// Returns how scripts of a folder were called, if the failed one was then given to what runs it: `bash scripts/…`.
fn find_interpreter(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let typed = failed.words[0].text.as_str();
    let is_relative = !typed.starts_with(['/', '~', '$']);
    let (folder, _) = typed.rsplit_once('/').filter(|_| is_relative)?;
    let script = worked.words.get(1)?.text.as_str();
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let is_same =
        plain(script) == plain(typed) && worked.texts().get(2..) == failed.texts().get(1..);
    let is_script = is_same && shell::is_known_program(worked.program());
    let to = format!("{} {}/…", worked.program(), plain(folder));
    is_script.then(|| (format!("{folder}/…"), to))
}

/// Returns the task of the project's runner that does what the failed command is for: `just test` for `cargo test`.
fn find_task(failed: &ShellCommand, worked: &ShellCommand) -> Option<String> {
    const RUNNERS: &str = "make just task npm pnpm yarn bun rake mage invoke inv tox nox mise gradlew mvnw composer mix";
    let (own, other) = (failed.label(), worked.label());
    let purpose = |label: &str| alike::find_purpose(label.rsplit(' ').next().unwrap_or_default());
    let is_task = is_listed(RUNNERS, worked.program()) && purpose(&own).is_some();
    let does_same = is_task && purpose(&own) == purpose(&other);
    let is_other = failed.program() != worked.program() && other.len() <= TASK_BYTES;
    (is_other && does_same).then_some(other)
}

/// Returns the failed program and what ran it, or what it was given: `docker compose exec app php` for `php`, `npx tsx` for
/// `node`, `.venv/bin/pip` for `pip`.
fn find_front(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let (own, all) = (failed.texts(), worked.texts());
    let is_name = |at: usize| base_name(all[at]) == failed.program();
    let is_runner = peel_runners(worked).program() == failed.program()
        || shell::runs_elsewhere(worked.program());
    let goes_on = |at: usize| own.len() == 1 || all.get(at + 1) == own.get(1) || is_runner;
    let begins = |at: &usize| is_name(*at) && goes_on(*at);
    let front_length = (1..all.len().min(ADDED_WORDS + 1)).find(begins);
    let same_end = (own.len() > 1 && all.ends_with(&own[1..])).then(|| all.len() - (own.len() - 1));
    let is_other =
        all[0] != own[0] && (all[0].contains('/') || worked.program() != failed.program());
    let end = match (front_length, same_end) {
        (Some(at), _) => at + 1,
        (None, Some(at)) if at > 0 && is_other => at,
        _ => return None,
    };
    let front = &worked.words[..end];
    let (last, before) = front.split_last()?;
    let place = render_word(last).unwrap_or_else(|| format!("…/{}", base_name(&last.text)));
    let words = before.iter().map(render_word).chain([Some(place)]);
    let words = words.collect::<Option<Vec<String>>>()?;
    let from = match front_length {
        Some(_) => own[0].trim_start_matches("./"),
        None => failed.program(),
    };
    let may_be_advised = safety::may_be_advised(&ShellCommand {
        words: front.to_vec(),
        ..worked.clone()
    });
    (may_be_advised && end <= ADDED_WORDS + 1 && !is_listed(WRAPPING, worked.program()))
        .then(|| (from.to_owned(), words.join(" ")))
}

/// Returns the command of another program that was given the same operands: `bun add x` for `npm install x`.
fn find_other_program(failed: &ShellCommand, worked: &ShellCommand) -> Option<(String, String)> {
    let own = find_operands(failed, true);
    let other = Some(find_operands(worked, false)).filter(|words| !words.is_empty());
    let other = other.unwrap_or_else(|| find_operands(worked, true));
    // With the blank before it.
    let verb = |command: &ShellCommand| {
        let label = command.label();
        label.find(' ').map(|at| label[at..].to_owned())
    };
    let has_same_operands =
        other.iter().all(|word| own.contains(word)) && other.len() * 2 >= own.len();
    let (name, other_name) = (failed.program(), worked.program());
    let is_form = || name.ends_with(other_name) || other_name.ends_with(name);
    let is_same_work = has_same_operands && (!other.is_empty() || own.is_empty() && is_form());
    let to = verb(worked).unwrap_or_default();
    let to = format!("{}{to}", render_word(&worked.words[0])?);
    let is_own_word = failed.texts().contains(&worked.words[0].text.as_str());
    (failed.program() != worked.program()
        && !is_own_word
        && is_same_work
        && verb(failed).is_some() == verb(worked).is_some()
        && !is_listed(WRAPPING, worked.program())
        && safety::may_be_advised(worked))
    .then(|| (failed.label(), to))
}

/// Returns the words of a command that are no options and not its name, with or without the values of its options.
pub(super) fn find_operands(command: &ShellCommand, with_values: bool) -> Vec<&str> {
    let label = command.subcommand_indexes();
    let is_operand = |at: &usize| {
        let is_value = command.words[at - 1].text.starts_with('-');
        let is_option = command.words[*at].text.starts_with('-');
        !label.contains(at) && !is_option && (with_values || !is_value)
    };
    let places = (1..command.words.len()).filter(is_operand);
    places.map(|at| command.words[at].text.as_str()).collect()
}
