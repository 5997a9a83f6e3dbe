//! Tracks content from outside: which calls read it, and whether a lesson's words were in it.
//!
//! Text that another machine, another person or a dependency wrote may contain orders for an agent. A call is judged
//! by what it does: [`classify_call`] decides whether its result was written elsewhere, and [`Lineage`] follows where
//! that went: files, variables, branches, tasks. [`OutsideWords`] is what is stored of such a result: not its text,
//! only fingerprints of the words that could carry a command. What happens to a lesson is not decided here;
//! `docs/design/trust.md` explains why taint follows words.

pub(crate) mod code;
mod fetch;
pub(crate) mod host;
mod line;
mod lineage;
mod places;
mod programs;
mod tool;
mod words;

use crate::ShellCommand;

pub use lineage::{BranchArrival, FollowedCall, Lineage};
pub use places::searches_files;
pub use tool::{is_delegating_call, writes_files};
pub use words::OutsideWords;

/// Where the result of a call was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultOrigin {
    /// On this machine, or in the project itself.
    Local,
    /// On another machine, by another person, or in a dependency.
    Outside,
    /// The tool's name does not say. A client's tool of this kind counts as one from outside; for its own tools a
    /// runtime states the origin.
    Unknown,
}

/// Returns where the result of a call was written, judged by what the call does.
///
/// A program in the work tree or on the path is local unless it fetches.
pub fn classify_call(tool: &str, args: &str) -> ResultOrigin {
    match places::extract_command_line(tool, args) {
        Some(line) if line::reads_outside(&line) => ResultOrigin::Outside,
        Some(_) => ResultOrigin::Local,
        None => tool::classify_tool(tool, args),
    }
}

/// Returns whether a command's own program refused it by an error about how it was called, and nothing of the error came from
/// where the program asks. `others` are the commands beside it in the line.
pub(crate) fn is_own_error<'c>(
    refused: &ShellCommand,
    mut others: impl Iterator<Item = &'c ShellCommand>,
) -> bool {
    programs::asks_service(refused) && !others.any(|other| line::is_outside(other, "", false))
}

/// Returns the files that a person attaches to a prompt: `@docs/plan.md`, `@"my plan.md"`.
pub fn attached_files(prompt: &str) -> impl Iterator<Item = &str> {
    let words = prompt.split_whitespace();
    let paths =
        words.filter_map(|word| word.trim_start_matches(['(', '"', '\'']).strip_prefix('@'));
    let quoted = prompt
        .split("@\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let paths = paths.chain(quoted);
    let paths =
        paths.map(|path| path.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'', '?', '!']));
    paths.filter(|path| path.contains(['.', '/']))
}

#[cfg(test)]
mod tests;
