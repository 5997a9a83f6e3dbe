//! What comes from outside: which calls read it, and whether a lesson's words stood in it.
//!
//! Text that another machine, another person or a dependency wrote may hold orders for an agent. A
//! call is judged by what it does: [`classify_call`] says whether its result was written elsewhere, and
//! [`FetchedPlaces`] remembers where a line put what it fetched. [`OutsideWords`] is what is kept of such a
//! result: not its text, only fingerprints of the words that could carry a command. Nothing here
//! decides what becomes of a lesson; `docs/design/trust.md` says why taint follows words.

mod code;
mod fetch;
mod host;
mod line;
mod places;
mod programs;
mod tool;
mod words;

use std::borrow::Cow;

pub use places::FetchedPlaces;
pub use words::OutsideWords;

use crate::shell;

/// Who wrote what a call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultOrigin {
    /// This machine, or the project itself.
    Local,
    /// Another machine, another person, or a dependency.
    Outside,
    /// Nobody can tell by its name. A client's tool of this kind is taken for one from outside; of a
    /// runtime's own tools the runtime says so.
    Unknown,
}

/// Returns who wrote what a call returns, by what it does.
///
/// A program in the work tree or on the path is local unless it fetches.
#[must_use]
pub fn classify_call(tool: &str, args: &str) -> ResultOrigin {
    let line = match shell::is_shell_name(tool) {
        true => Some(Cow::Borrowed(args)),
        false => None,
    };
    let line = shell::parse_command_line(tool, args)
        .map(Cow::Owned)
        .or(line);
    match line {
        Some(line) if line::reads_outside(&line) => ResultOrigin::Outside,
        Some(_) => ResultOrigin::Local,
        None => tool::classify_tool(tool, args),
    }
}

#[cfg(test)]
mod tests;
