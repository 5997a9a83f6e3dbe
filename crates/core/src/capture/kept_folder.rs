//! Finds paths that failed because the shell was still in the folder that an earlier call had entered.
//!
//! `cd src` in one call, then `cat src/a` in the next: a shell that keeps its folder looks for `src/src/a`. It counts only
//! where the path begins with the folder that was entered last, and where the same was then done from elsewhere or without
//! that folder before it; in a client whose shell begins anew with each call neither happens.

use super::parsed_run::{ParsedRun, RunCall};
use crate::{
    CallArgs, CallFailure, ShellCommand, ShellLine, limits, shell::base_name,
    trace::family::FailureFamily,
};

/// Returns whether the call at `index` failed because the shell had kept its folder.
pub(super) fn is_from_kept_folder(
    reading: &ParsedRun<'_>,
    index: usize,
    failure: &CallFailure,
) -> bool {
    let is_about_path = matches!(
        failure.family,
        FailureFamily::FileMissing | FailureFamily::RefMissing
    );
    let run_call = &reading.calls[index];
    let Some(line) = run_call.call.line().filter(|_| is_about_path) else {
        return false;
    };
    let mut before = reading.calls[..index].iter().rev();
    let entered = before.find_map(find_entered);
    let folder = entered.filter(|folder| !folder.is_empty());
    let path_in = |folder| Some((folder, find_doubled_path(line, folder, run_call.error)?));
    let path = folder.and_then(path_in);
    path.is_some_and(|(folder, path)| {
        let later = reading.calls[index + 1..].iter();
        let mut later = later.take(limits::FIX_WINDOW);
        later.any(|run_call| is_done_from_elsewhere(run_call, path, folder))
    })
}

/// Returns the name of the folder in which a call leaves its shell, if it enters one; empty if that is unknown.
fn find_entered<'a>(run_call: &'a RunCall<'_>) -> Option<&'a str> {
    let CallArgs::Shell(text, line) = &run_call.call.args else {
        return None;
    };
    let mut moves = line.commands.iter().rev();
    let last = moves.find(|command| command.program() == "cd")?;
    let failure = run_call.failure.as_ref();
    if failure.is_some_and(|failure| failure.label == "cd" || failure.culprit.is_none()) {
        return None;
    }
    // A subshell leaves where it began.
    let target = last.words.get(1).map(|word| word.text.as_str());
    let is_known = |target: &&str| !text.contains('(') && !target.ends_with("..") && *target != "-";
    Some(target.filter(is_known).map_or("", base_name))
}

/// Returns the first path of a line that begins with this folder, if the line itself does not leave it and the error is
/// about the path.
fn find_doubled_path<'l>(line: &'l ShellLine, folder: &str, error: &str) -> Option<&'l str> {
    let is_away = |command: &&ShellCommand| {
        let target = command.words.get(1).map_or("~", |word| &word.text);
        command.program() == "cd" && target.starts_with(['/', '~', '.', '$', '-'])
    };
    let commands = line.commands.iter().take_while(|command| !is_away(command));
    let paths = commands.flat_map(ShellCommand::operands);
    let mut doubled = paths.filter(|path| strip_folder(path, folder).is_some());
    doubled.find(|path| error.contains(path.trim_end_matches('/')))
}

/// Returns a path without the folder that it begins with; empty for the folder itself.
fn strip_folder<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match path.strip_prefix(folder)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

/// Returns whether a call did the same and worked: from a folder that it entered by its whole path, or without the folder.
fn is_done_from_elsewhere(run_call: &RunCall<'_>, path: &str, folder: &str) -> bool {
    let Some(line) = run_call.call.line().filter(|_| run_call.has_worked()) else {
        return false;
    };
    let rest = strip_folder(path, folder).unwrap_or_default();
    let mut commands = line.commands.iter();
    let cd = commands.find(|command| command.program() == "cd");
    let target = cd.and_then(|command| command.words.get(1));
    let target = target.map_or("", |word| word.text.trim_end_matches('/'));
    let names = |path: &str| {
        let mut commands = line.commands.iter();
        commands.any(|command| command.operands().contains(&path))
    };
    let is_whole = target.starts_with(['/', '~', '$']) || target.starts_with("..");
    if rest.is_empty() {
        is_whole && base_name(target) == folder
    } else {
        is_whole && names(path) || target.is_empty() && names(rest)
    }
}
