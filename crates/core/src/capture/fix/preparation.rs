//! Finds what was done between a failure and a success of the same command: an edit, variables, a folder, other commands.
//!
//! Each of them may have been what it took, and another run may repeat it word for word. Whether it was is not known here.

use std::iter;

use super::{
    asks_for_help,
    rules::{
        is_script_runner,
        options::is_idle,
        setup::{find_entered_folder, find_new_variables},
    },
    runner::find_operands,
    tentative::worked_commands,
};
use crate::{
    CallArgs, CallEffect, Difference, ShellCommand, ShellLine, ShellWord,
    capture::{
        parsed_run::RunCall,
        show::{self, render_word},
    },
    safety,
    shell::{self, base_name, is_listed},
    trace::effect,
    trigger::{CommandName, name_command, peel_runners},
};

/// Most commands before a success of which each may have been what it took.
const FIRST_STEPS: usize = 3;

/// Finds what was done between a failure and a success of the same command: an edit, variables, a folder, other commands.
pub(super) fn find_preparations(
    (own, failed): (&ShellLine, &ShellCommand),
    (line, worked): (&ShellLine, &ShellCommand),
    between: &[RunCall<'_>],
    before: &[ShellCommand],
) -> Vec<Difference> {
    let script = failed.script_command();
    let command = script.as_ref().unwrap_or(failed).program().to_owned();
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
        let inner = peel_runners(command);
        let mut forms = [command, &inner].into_iter();
        forms.all(|form| safety::may_be_advised(form) && !safety::undoes_something(form))
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
            && !effect::seems_to_look(command)
            && may_stand(command)
            && !ran.contains(&name(command))
            && !is_variant(command, failed)
            && command.words.iter().all(|word| render_word(word).is_some())
    });
    let mut firsts: Vec<Vec<String>> = Vec::new();
    for step in steps.collect::<Vec<_>>().into_iter().rev() {
        let first = render_forms(step, failed);
        if firsts.len() < FIRST_STEPS && !firsts.contains(&first) {
            firsts.push(first);
        }
    }
    let mut all: Vec<String> = Vec::new();
    for first in firsts.into_iter().flatten() {
        all.extend(Some(first).filter(|first| !all.contains(first)));
    }
    all
}

/// Renders a step under its variables, whole, and in parts; another task may share any of them.
fn render_forms(step: &ShellCommand, failed: &ShellCommand) -> Vec<String> {
    let whole = render_step(step, failed);
    let set = show::render_variables(&step.env);
    let set = (!set.is_empty()).then(|| format!("{set}{whole}"));
    let forms = set.into_iter().chain([whole]);
    forms.chain(render_parts(step, failed)).collect()
}

/// Returns whether a command is one that failed, or runs it.
fn runs(command: &ShellCommand, failed: &ShellCommand) -> bool {
    peel_runners(command).words == peel_runners(failed).words
}

/// Renders a step without its operands, which may be one task's own: with each of its options, and without any.
fn render_parts(step: &ShellCommand, failed: &ShellCommand) -> Vec<String> {
    let inner = peel_runners(step);
    let runner = step.words.len() - inner.words.len();
    let Some(end) = name_command(&inner).1.last().map(|at| runner + at + 1) else {
        return Vec::new();
    };
    let (name, rest) = step.words.split_at(end);
    let name: Option<Vec<String>> = name.iter().map(render_word).collect();
    let Some(name) = name.filter(|_| !rest.is_empty()).map(|name| name.join(" ")) else {
        return Vec::new();
    };
    let with_name = |words: String| format!("{name} {words} …");
    // By its name alone it is the failed command itself.
    let is_other = name_command(&inner).0 != name_command(&peel_runners(failed)).0;
    let alone = is_other.then(|| format!("{name} …"));
    let parts = find_second_verb(rest).into_iter();
    let parts = parts.chain(render_options(rest)).map(with_name);
    parts.chain(alone).collect()
}

/// Returns the word behind a verb, if it may belong to it: the `docker-image` of `kind load docker-image app:dev`.
fn find_second_verb(rest: &[ShellWord]) -> Option<String> {
    let is_verb = |word: &&ShellWord| {
        let mut bytes = word.text.bytes();
        bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.text.starts_with('-')
    };
    let verb = rest.first().filter(is_verb).filter(|_| rest.len() > 1);
    verb.map(|word| word.text.clone())
}

/// Renders the first options, each with what may be its value.
fn render_options(rest: &[ShellWord]) -> Vec<String> {
    const OPTIONS: usize = 3;
    let is_option = |word: &ShellWord| word.text.starts_with('-');
    let options = rest.iter().enumerate();
    let options = options.filter(|(_, word)| is_option(word) && !is_idle(&word.text));
    let options = options.filter_map(|(at, word)| {
        let next = rest.get(at + 1).filter(|next| !is_option(next));
        let value = next.filter(|_| !word.text.contains('='));
        let words: Option<Vec<String>> = iter::once(word).chain(value).map(render_word).collect();
        Some(words?.join(" "))
    });
    options.take(OPTIONS).collect()
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
pub(super) fn is_variant(command: &ShellCommand, failed: &ShellCommand) -> bool {
    let (command, failed) = (peel_runners(command), peel_runners(failed));
    // A script may do many things: `php artisan test`, `php artisan migrate`.
    let script = usize::from(is_script_runner(failed.program()));
    let (own, others) = (find_operands(&failed, true), find_operands(&command, true));
    let (script, own) = own.split_at(script.min(own.len()));
    let is_same = others.starts_with(script);
    let mut others = others.iter().skip(script.len());
    let is_shared = own.is_empty() || others.any(|word| own.contains(word));
    command.label() == failed.label() && is_same && is_shared
}

pub(super) fn is_edit(run_call: &RunCall<'_>) -> bool {
    run_call.has_worked() && run_call.effect == CallEffect::Edits && run_call.call.line().is_none()
}
