//! Finds where a program is that the shell did not find, by what a later call of the run shows.
//!
//! A call by its path, a folder put on PATH or a script that was sourced before it ran, and a path that was looked up and
//! was there, each tell more than "command not found". What such a call printed is not known here. A place is named only
//! if it says nothing about a person.

use super::{Fix, build_fix, is_success_certain};
use crate::{
    CallArgs, Difference, Join, ShellCommand, ShellLine,
    capture::{
        parsed_run::{ParsedRun, RunCall},
        show,
    },
    shell::{base_name, is_listed},
    trace::family::FailureFamily,
};

/// Programs that fail if the path that they are given is not there.
const LOOKING_UP: &str = "ls stat file test [ readlink realpath";

/// Finds where the program is that the call at `index` did not find.
pub(in crate::capture) fn find_program_elsewhere(
    reading: &ParsedRun<'_>,
    index: usize,
) -> Option<Fix> {
    let failure = reading.calls[index].failure.as_ref()?;
    let program = failure.label.as_str();
    if failure.family != FailureFamily::CommandMissing || was_called_by_path(reading, index) {
        return None;
    }
    let mut on_path: Option<String> = None;
    for (later, run_call) in reading.calls.iter().enumerate().skip(index + 1) {
        let (CallArgs::Shell(text, line), true) = (&run_call.call.args, was_found(run_call)) else {
            continue;
        };
        on_path = find_added_folder(text).or(on_path);
        let folder = on_path.as_ref().filter(|_| runs_by_name(line, program));
        let path = folder.map(|folder| format!("{}/{program}", folder.trim_end_matches('/')));
        let own_path = find_path(line, program).filter(|_| run_call.has_worked());
        let path = path.or_else(|| own_path.map(str::to_owned));
        let difference = match path.map(|path| show::render_place(&path)) {
            // It is there, where nobody else needs to know.
            Some(None) => return None,
            Some(Some(path)) => Some(Difference::Elsewhere {
                program: program.to_owned(),
                path,
            }),
            None => find_sourced(line, program),
        };
        if let Some(difference) = difference {
            return Some(build_fix(reading, index, later, failure, difference));
        }
    }
    None
}

/// Returns whether the failed command was already typed with a path.
fn was_called_by_path(reading: &ParsedRun<'_>, index: usize) -> bool {
    let run_call = &reading.calls[index];
    let culprit = run_call
        .failure
        .as_ref()
        .and_then(|failure| failure.culprit);
    let line = run_call.call.line();
    let command = line.and_then(|line| line.commands.get(culprit?));
    command.is_none_or(|command| command.words[0].text.contains('/'))
}

/// Returns whether a call did not fail for want of a program.
fn was_found(run_call: &RunCall<'_>) -> bool {
    let failure = run_call.failure.as_ref();
    failure.is_none_or(|failure| failure.family != FailureFamily::CommandMissing)
}

/// Returns the first folder that a line puts on PATH.
fn find_added_folder(text: &str) -> Option<String> {
    const SET: &str = "PATH=";
    let is_start = |at: usize| at == 0 || text[..at].ends_with([' ', ';', '&', '\n', '(', '\t']);
    let at = text.match_indices(SET).find(|(at, _)| is_start(*at))?.0;
    let rest = &text[at + SET.len()..];
    let value = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next()?,
        _ => rest.split([' ', ';', '&', '\n']).next()?,
    };
    let folders = value.split(':').map(|part| part.trim_matches(['"', '\'']));
    let mut added =
        folders.filter(|part| part.starts_with(['/', '~']) || part.starts_with("$HOME/"));
    added.next().map(str::to_owned)
}

fn runs_by_name(line: &ShellLine, program: &str) -> bool {
    let is_it = |command: &ShellCommand| command.words[0].text == program;
    line.commands.iter().any(is_it)
}

/// Returns the whole path of a program that a line ran by it, or looked up.
fn find_path<'l>(line: &'l ShellLine, program: &str) -> Option<&'l str> {
    let last = line.commands.len().checked_sub(1)?;
    let is_it =
        |text: &str| text.starts_with(['/', '~', '$']) && text.rsplit('/').next() == Some(program);
    // What is listed may be a folder or a file of the program's name.
    let is_for_programs = |text: &str| {
        let folder = text.rsplit_once('/');
        let folder = folder.map_or("", |(folder, _)| base_name(folder));
        is_listed("bin sbin .bin shims", folder)
    };
    line.commands.iter().enumerate().find_map(|(at, command)| {
        // Behind `which x ||` the last command is the one that found it.
        let is_last_way = at == last && command.join != Join::Pipe && !line.branches;
        if !is_success_certain(line, at) && !is_last_way {
            return None;
        }
        let called = command.words[0].text.as_str();
        let operands = command.operands();
        let looked_up = match operands.as_slice() {
            [only] if is_listed(LOOKING_UP, command.program()) && is_for_programs(only) => only,
            _ => "",
        };
        [called, looked_up].into_iter().find(|text| is_it(text))
    })
}

/// Returns the script that was sourced before the program ran.
fn find_sourced(line: &ShellLine, program: &str) -> Option<Difference> {
    let is_it = |command: &ShellCommand| command.words[0].text == program;
    let runs = line.commands.iter().position(is_it)?;
    let mut before = line.commands[..runs].iter();
    let sourced = before.find(|command| is_listed("source .", command.program()))?;
    let script = &sourced.words.get(1)?.text;
    let place = if script.starts_with(['/', '~', '$']) {
        show::render_place(script)?
    } else {
        show::render_folder(script)?
    };
    Some(Difference::First {
        command: program.to_owned(),
        first: format!(". {place}"),
    })
}
