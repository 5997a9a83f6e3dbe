//! Finds the error lines of steps that are known to have failed by their status alone.
//!
//! A program's stderr often comes last, after the status that the line printed of it, and the text before that status
//! may be another step's. So a line in which the program names itself is attributed to it, wherever it is; where
//! several runs of the program may have printed it, nothing is changed. If a later run of the program is nearer to such
//! a line, and nothing else shows that it failed, the line still belongs to the one whose status did.

use hardwon_core::ShellLine;

use super::{StepFailure, complaint};
use crate::transcript::error_head::error_head;

/// Gives each step that failed by its status the line of its own program, if there is one.
pub(super) fn assign_own_lines(line: &ShellLine, lines: &[String], failed: &mut Vec<StepFailure>) {
    reassign_complaints(line, lines, failed);
    let stated_failures = failed.iter().filter(|failure| failure.is_stated);
    let stated_errors: Vec<String> = stated_failures
        .map(|failure| failure.error.clone())
        .collect();
    let program = |step: usize| line.commands[step].program();
    let own: Vec<Option<String>> = failed
        .iter()
        .map(|entry| {
            let name = program(entry.step);
            let own_lines = lines
                .iter()
                .filter(|said| complaint::is_said_by(name, said));
            let is_free = |own_lines: &&String| {
                !stated_errors
                    .iter()
                    .any(|error| error.contains(own_lines.as_str()))
            };
            let own_lines: Vec<&String> = own_lines.filter(is_free).collect();
            let silent = failed
                .iter()
                .filter(|failure| !failure.is_stated && program(failure.step) == name);
            let place = silent.clone().position(|other| other.step == entry.step)?;
            let mut later = line.commands[entry.step + 1..].iter();
            let is_last = later.all(|command| command.program() != name);
            find_own_line(name, &own_lines, place, silent.count(), is_last)
        })
        .collect();
    for (it, own) in failed.iter_mut().zip(own) {
        it.error = own.unwrap_or_else(|| std::mem::take(&mut it.error));
    }
}

/// Moves the only complaint of a program to the run of it that failed by its status, if it was attributed to a later
/// one.
fn reassign_complaints(line: &ShellLine, lines: &[String], failed: &mut Vec<StepFailure>) {
    let program = |it: &StepFailure| line.commands[it.step].program();
    let mut at = 0;
    while at < failed.len() {
        let it = &failed[at];
        let complaints = lines
            .iter()
            .filter(|said| complaint::names_itself(program(it), said));
        let is_only = complaints.count() == 1;
        let is_meant =
            |later: &StepFailure| is_only && later.is_stated && program(later) == program(it);
        let later = failed[at + 1..].iter().position(is_meant);
        if let (false, Some(later)) = (it.is_stated, later) {
            let other = failed.remove(at + 1 + later);
            failed[at].error = other.error;
            failed[at].is_stated = true;
        }
        at += 1;
    }
}

/// Returns which of a program's lines belongs to its failure at `place` among so many.
fn find_own_line(
    program: &str,
    said: &[&String],
    place: usize,
    count: usize,
    is_last: bool,
) -> Option<String> {
    let complaints = said
        .iter()
        .filter(|text| complaint::names_itself(program, text));
    let complaints: Vec<&&String> = complaints.collect();
    let own = match is_last {
        _ if complaints.len() == count => complaints.get(place).copied(),
        true => complaints.last().copied().or(said.last()),
        false => None,
    };
    own.map(|own| error_head(own))
}
