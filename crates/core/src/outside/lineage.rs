//! Follows content from outside through the values that hold it.
//!
//! A fetch and the reading of its result are often two calls: the one writes a file, a variable, a branch, a task that
//! runs on, the other reads it by that name. [`Lineage`] keeps those names, and tells of each call whether it reads one.
//! It reads no file and runs nothing: what a call does is taken from its command line, its arguments and its output.
//! Whose words a lesson has is not decided here, but by [`OutsideWords`](super::OutsideWords).

mod checkout;
mod flow;
mod scripts;
mod tasks;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{code, places, tool, words::fingerprint_words};
use crate::{limits, shell::is_listed};

pub use checkout::BranchArrival;

/// What a name is the name of, as what tells names of a kind from all words. Each kind is compared in its own way.
mod kind {
    /// A file or a folder, by one component of a path.
    pub(super) const PART: &str = "\u{1}part";
    /// A variable of the shell.
    pub(super) const VARIABLE: &str = "\u{1}variable";
    /// A task that runs on, also as the stem of the file that its output goes to.
    pub(super) const TASK: &str = "\u{1}task";
    /// A branch or another repository, as version control names it.
    pub(super) const REF: &str = "\u{1}ref";
    /// A script that fetches, where it is run.
    pub(super) const SCRIPT: &str = "\u{1}script";
    /// Files by their ending, as a shell expands it: `*.txt`.
    pub(super) const GLOB: &str = "\u{1}glob";
    /// Tools that were given an address of this machine.
    pub(super) const LOCAL: &str = "\u{1}local";
    /// The same of other machines.
    pub(super) const REMOTE: &str = "\u{1}remote";
    /// What keeps texts under other names than those of files: a history, a memory.
    pub(super) const STORE: &str = "\u{1}store";
}

/// What tells the names of sessions before from the words that are stored with them.
const LATER: u32 = 0x5bd1_e995;

/// A call that is followed.
#[derive(Debug, Clone, Copy)]
pub struct FollowedCall<'a> {
    /// The tool's name, as the agent calls it.
    pub tool: &'a str,
    /// Its arguments: a command line for a shell, JSON for the rest.
    pub args: &'a str,
    /// Whether its result is known to be from outside by what it does.
    pub is_outside: bool,
    /// Its output, where that is known.
    pub output: Option<&'a str>,
}

/// The names of the values on this machine that hold content from outside, as numbers.
///
/// Names are only added, so that several runs can add to one store. That a work tree was left is a name too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage(BTreeSet<u32>);

impl Lineage {
    /// Follows a call: returns whether it reads content from outside, and keeps the names of what it writes of it.
    pub fn follow_call(&mut self, call: &FollowedCall<'_>) -> bool {
        if !call.is_outside && self.0.is_empty() && !may_matter(call.args) {
            return false;
        }
        match places::extract_command_line(call.tool, call.args) {
            Some(line) => self.follow_line(&line, call),
            None => self.follow_tool(call),
        }
    }

    /// Returns the names of the files that a call writes to, and the text that it writes. `args` are whole.
    pub fn from_written_files(tool: &str, args: &str) -> (Self, String) {
        let mut names = Self::default();
        if let Some(line) = places::extract_command_line(tool, args) {
            names.add_written_files(&line);
            return (names, line);
        }
        if tool::writes_files(tool, args)
            && let Some((paths, text)) = tool::find_written_text(args)
        {
            if paths.is_empty() {
                names.add_name(kind::STORE, &tool::store_name(tool));
            }
            let made = code::find_written_files(&text);
            let paths = paths.iter().map(String::as_str).chain(made);
            paths.for_each(|path| names.add_path(path));
            return (names, text);
        }
        (names, String::new())
    }

    /// Returns whether nothing from outside is held.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a text names a value that holds content from outside.
    pub fn is_named_in(&self, text: &str) -> bool {
        self.is_name_in(text) || self.is_expanded_in(text)
    }

    /// Returns whether a shell expands a word of a text to the name of such a file.
    pub(super) fn is_expanded_in(&self, text: &str) -> bool {
        split_globs(text).any(|glob| self.holds(kind::GLOB, glob))
    }

    /// Returns whether a tool that reads many files is given a pattern which such a file may fit.
    fn is_matched_by(&self, call: &FollowedCall<'_>) -> bool {
        let patterns = call.args.replace(['"', '[', ']', ','], " ");
        tool::reads_by_pattern(call.tool) && self.is_expanded_in(&patterns)
    }

    /// Returns the same, but for the patterns of a shell.
    pub fn is_name_in(&self, text: &str) -> bool {
        self.0.contains(&u32::MAX)
            || split_parts(text).any(|part| self.holds_part(&part.to_lowercase()))
            || split_variables(text).any(|name| self.holds(kind::VARIABLE, name))
    }

    /// Returns whether a call reads what was written under one of these names, or may print it.
    pub fn may_be_printed_by(&self, call: &FollowedCall<'_>) -> bool {
        if self.0.is_empty() || tool::writes_files(call.tool, call.args) {
            return false;
        }
        let is_store = |name: &str| self.holds(kind::STORE, name);
        let reads_store = match places::extract_command_line(call.tool, call.args) {
            Some(line) => {
                let commands = crate::shell::parse_line(&line).commands;
                commands.iter().any(|command| is_store(command.program()))
            }
            None => is_store(&tool::store_name(call.tool)),
        };
        reads_store
            || self.is_named_in(call.args)
            || call.output.is_some_and(|text| self.is_named_in(text))
    }

    /// Returns the lines of an output that are those of a file which holds content from outside, as the output itself
    /// says: after its name, as `grep` prints them, or below it, as `git show` and `head` do.
    fn find_lines_of_files(&self, output: &str) -> String {
        let names_file = |text: &str| split_parts(text).any(|part| self.holds(kind::PART, part));
        let is_path =
            |text: &&str| text.contains(['.', '/']) && !text.contains(char::is_whitespace);
        let (mut lines, mut is_below, mut is_last) = (String::new(), false, false);
        for line in output.lines().take_while(|_| !self.0.is_empty()) {
            if let Some(head) = line.strip_prefix("diff --git ") {
                is_below = names_file(head);
            }
            // What stands in a file may look like another such line.
            is_last |= line.strip_prefix("==> ").is_some_and(names_file);
            let mut before = line.split(':').take(1).filter(is_path);
            if is_last || is_below || before.any(names_file) {
                lines.push_str(line);
                lines.push('\n');
            }
        }
        lines
    }

    /// Returns the lines of a call's output that hold content from outside, as the output itself says.
    pub fn find_outside_lines(&self, call: &FollowedCall<'_>) -> String {
        let output = call.output.unwrap_or_default();
        let mut lines = self.find_lines_of_files(output);
        if places::searches_files(call.tool, call.args) {
            lines += &places::find_dependency_lines(output);
        }
        lines
    }

    /// Returns those names of files and branches that a text has.
    #[must_use]
    pub fn named_in(&self, text: &str) -> Self {
        let parts = split_parts(text).flat_map(|part| split_versions(part).chain([part]));
        let numbers =
            parts.flat_map(|part| [kind::PART, kind::REF].map(|kind| number_name(kind, part)));
        Self(numbers.filter(|number| self.0.contains(number)).collect())
    }

    /// Adds the names of other runs of the session.
    pub fn extend(&mut self, other: &Self) {
        for number in &other.0 {
            self.add_number(*number);
        }
    }

    /// Returns the names that the other does not have.
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).copied().collect())
    }

    /// Returns the names as numbers, to be stored.
    pub fn to_numbers(&self) -> Vec<u32> {
        self.0.iter().copied().collect()
    }

    /// Restores stored names.
    pub fn from_numbers(numbers: impl IntoIterator<Item = u32>) -> Self {
        Self(numbers.into_iter().collect())
    }

    /// Returns the names as numbers for later sessions, which know them apart from the words that stand beside them; but
    /// for the name of the project.
    pub fn to_later_numbers(&self, project: &str) -> Vec<u32> {
        let mut own = Self::default();
        own.add_path(project);
        let names = self.0.difference(&own.0).filter(|name| **name != u32::MAX);
        names.map(|name| name ^ LATER).collect()
    }

    /// Restores names of sessions before. Words among the numbers become names that nothing has.
    pub fn from_later_numbers(numbers: &[u32]) -> Self {
        let names = numbers.iter().map(|number| number ^ LATER);
        Self(names.filter(|name| *name != u32::MAX).collect())
    }

    /// Follows a call of a tool that runs no command line.
    fn follow_tool(&mut self, call: &FollowedCall<'_>) -> bool {
        let writes = tool::writes_files(call.tool, call.args);
        if writes && let Some((paths, text)) = tool::find_written_text(call.args) {
            paths.iter().for_each(|path| self.note_script(path, &text));
        }
        let (store, targets) = (
            tool::store_name(call.tool),
            tool::find_target_hosts(call.args),
        );
        for host in &targets {
            let is_local = tool::is_local_target(host);
            let kind = if is_local { kind::LOCAL } else { kind::REMOTE };
            self.add_name(kind, &store);
        }
        // A picture of a page that is open in a browser: where only this machine's were opened, it is of them.
        let is_of_local = targets.is_empty()
            && self.holds(kind::LOCAL, &store)
            && !self.holds(kind::REMOTE, &store);
        if call.output.is_none() && is_of_local {
            return false;
        }
        let is_task = |id: &Value| {
            let number = || self.holds(kind::TASK, &id.to_string());
            id.as_str()
                .map_or_else(number, |id| self.holds(kind::TASK, id))
        };
        let ids = tool::find_values(call.args, tasks::introduces_name);
        let is_read = call.is_outside
            || self.is_named_in(call.args)
            || self.is_matched_by(call)
            || ids.iter().any(is_task)
            || !writes && self.reads_tree(call)
            || self.holds(kind::STORE, flow::ANYWHERE) && tool::reads_files(call.tool) && !writes;
        if call.is_outside || is_read && writes {
            let targets = tool::find_values(call.args, tool::introduces_target);
            let paths = targets.iter().filter_map(Value::as_str);
            paths.for_each(|path| self.add_path(path));
        }
        if is_read {
            self.note_saved(call.output);
        }
        is_read
    }

    /// Adds the last component of a path.
    pub(super) fn add_path(&mut self, path: &str) {
        let name = crate::shell::base_name(path.trim_end_matches('/'));
        // Names are compared without blanks.
        let name = name.split_whitespace().last().unwrap_or_default();
        if name != ".." && name.len() > 1 && !path.starts_with("/dev/") {
            self.add_name(kind::PART, name);
            if let Some((_, ending)) = name.rsplit_once('.') {
                self.add_name(kind::GLOB, &format!("*.{ending}"));
            }
            self.add_name(kind::GLOB, ANY_FILE);
        }
    }

    pub(super) fn add_name(&mut self, kind: &str, name: &str) {
        self.add_number(number_name(kind, name));
    }

    /// Adds a number. One too many stands for any.
    fn add_number(&mut self, number: u32) {
        if self.0.len() < limits::OUTSIDE_NAMES {
            self.0.insert(number);
        } else {
            self.0.insert(u32::MAX);
        }
    }

    pub(super) fn holds(&self, kind: &str, name: &str) -> bool {
        self.0.contains(&number_name(kind, name))
    }

    /// Returns whether a component of a path, in lower case, is the name of a value.
    fn holds_part(&self, part: &str) -> bool {
        let stem = part.rsplit_once('.').map_or(part, |(stem, _)| stem);
        part.len() > 1
            && (self.holds(kind::PART, part)
                || is_listed(places::EVENT_VARIABLES, part)
                || [part, stem].iter().any(|name| self.holds(kind::TASK, name)))
    }
}

/// Returns whether a call can add a name or read what no call has written. Nearly none can, and parsing a line takes
/// longer than this.
fn may_matter(args: &str) -> bool {
    const HINTS: [&str; 7] = ["://", "curl", "wget", "fetch", "http", "_EVENT_", "CI_"];
    HINTS.iter().any(|hint| args.contains(hint))
}

/// Splits a text into what may be components of paths, variables and the names of tasks.
fn split_parts(text: &str) -> impl Iterator<Item = &str> {
    const EDGES: &str = "/\\:\"'`=,;()[]{}<>|&$@";
    text.split(|c: char| c.is_whitespace() || EDGES.contains(c))
        .filter(|part| !part.is_empty())
}

/// Returns what stands before the marks that lead from a revision to another: `pr7` of `pr7~2`.
fn split_versions(part: &str) -> impl Iterator<Item = &str> {
    part.split(['^', '~', '.'])
}

/// Returns the variables that a text reads: `$NAME`, `${NAME}`.
fn split_variables(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let behind = text.split('$').skip(1);
    behind.map(move |rest| {
        let name = rest.trim_start_matches('{');
        let end = name.find(|c: char| !is_part(c)).unwrap_or(name.len());
        &name[..end]
    })
}

/// A pattern that any file may fit.
const ANY_FILE: &str = "*";

/// Returns the patterns that a shell expands: `docs/*.md` by its ending, each other one as what any file may fit, but none
/// of `--glob '*.md'`.
fn split_globs(text: &str) -> impl Iterator<Item = &str> {
    let bare = text
        .split_whitespace()
        .filter(|word| !word.contains(['"', '\'', '=']));
    let globs = bare.filter(|word| word.contains(['*', '?']) && !word.contains("://"));
    globs.map(|word| {
        let name = crate::shell::base_name(word);
        let is_ending = |rest: &str| rest.starts_with('.') && !rest.contains(['*', '?']);
        let is_by_ending = name.strip_prefix('*').is_some_and(is_ending);
        if is_by_ending { name } else { ANY_FILE }
    })
}

/// Returns the number of a name: that of words which no text has.
fn number_name(mark: &str, name: &str) -> u32 {
    fingerprint_words([mark, name.to_lowercase().as_str()])
}

#[cfg(test)]
mod tests;
