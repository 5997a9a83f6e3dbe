//! Finds the call that a correction answers, so that the lesson comes up where the agent went wrong, whatever its words name.
//!
//! A person corrects what the agent has just done. Where that was one thing, a command or edits of one kind of file, it is
//! meant; which of several is meant is not guessed, and what only looked at something is passed over.

use crate::{
    CallActs, CallEffect, ShellCommand, capture::parsed_run::RunCall,
    trace::effect::classify_command,
};

/// Returns what a signature names of the calls before a message, if they did one thing.
pub(super) fn find_answered(turn: &[RunCall<'_>]) -> Option<String> {
    let mut acts = turn.iter().flat_map(name_acts);
    let first = acts.next()?;
    acts.all(|act| act == first).then_some(first)
}

/// Names what a call did: its commands, the kinds of files that it edited, or its tool.
fn name_acts(run_call: &RunCall<'_>) -> Vec<String> {
    let acts = |command: &ShellCommand| classify_command(command) != CallEffect::Reads;
    match run_call.call.line() {
        Some(line) => {
            let commands = line.acting_commands().map(|(_, command)| command);
            commands
                .filter(|command| acts(command))
                .map(ShellCommand::label)
                .collect()
        }
        None if run_call.effect == CallEffect::Edits => {
            let calls = CallActs::from_call(&run_call.call);
            calls.changed_files().map(kind_of_file).collect()
        }
        None if run_call.effect == CallEffect::Acts => vec![run_call.tool.to_owned()],
        None => Vec::new(),
    }
}

/// Returns the pattern of all files with the same ending, or the name of one without.
fn kind_of_file(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("*.{ending}"),
        _ => name.to_owned(),
    }
}
