//! Finds out what got a recorded run over a failure, and whether a lesson says so.
//!
//! A [`WayOut`] is what the first like call that worked had and the failed one had not: words, options
//! or arguments it added, else those it left out, else what was done in between. It measures lessons and
//! never makes one, so it asks for less than [`capture`](crate::capture) does: a word in common is
//! likeness enough, and a lesson says it when it holds half of what differs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    limits,
    trace::{
        call::{Args, Call},
        failure,
        shell::{self, Command, is_listed},
    },
};

/// Programs whose output somebody reads.
const READERS: &str = "cat sed head tail less more bat nl ls";

/// Words, in lower case, each once.
pub type Words = BTreeSet<String>;

/// What got a run over a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayOut {
    /// What differs; half of it says what to do.
    marks: Words,
    /// Options that were left out; one of them says what not to do.
    left_out: Words,
}

impl WayOut {
    /// Returns whether a text of these words says it.
    #[must_use]
    pub fn is_said_in(&self, words: &Words) -> bool {
        let said = self.marks.intersection(words).count();
        let is_said = !self.marks.is_empty() && said >= self.marks.len().div_ceil(2);
        is_said || !self.left_out.is_disjoint(words)
    }
}

/// A failure for which a way out is looked for among the next calls.
#[derive(Debug, Clone)]
pub struct Search {
    tool: String,
    failed: Parts,
    between: Words,
    left: usize,
}

/// What the next call means to a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It was the way out.
    Out(WayOut),
    /// There is none.
    Nothing,
    /// It is looked for further on.
    NotYet,
}

impl Search {
    /// Begins at a failed call; `culprit` says which command of a line failed, where that is known.
    #[must_use]
    pub fn begin(call: &Call, culprit: Option<usize>) -> Self {
        let command = call
            .line()
            .and_then(|line| line.commands.get(culprit.or_else(|| call.main())?));
        let failed = match (command, &call.args) {
            (Some(command), _) => Parts::of_command(command),
            (None, Args::Named(named)) => Parts::of_named(named),
            (None, Args::Text(text) | Args::Shell(text, _)) => Parts::of_text(text),
        };
        Self {
            tool: call.tool.clone(),
            failed,
            between: Words::new(),
            left: limits::WAY_OUT_CALLS,
        }
    }

    /// Takes the next call in.
    pub fn take(&mut self, call: &Call, worked: bool) -> Found {
        if worked && let Some(like) = self.like(call) {
            return Found::Out(self.difference(&like));
        }
        self.left -= 1;
        if self.left == 0 {
            return Found::Nothing;
        }
        if worked {
            self.between.extend(done_by(call));
        }
        Found::NotYet
    }

    /// Returns the part of a call that is like the failed one, if there is one: of the same tool, with
    /// a word in common beside the program's name.
    fn like(&self, call: &Call) -> Option<Parts> {
        let candidates: Vec<Parts> = match &call.args {
            Args::Shell(_, line) => line.commands.iter().map(Parts::of_command).collect(),
            Args::Named(named) => vec![Parts::of_named(named)],
            Args::Text(text) => vec![Parts::of_text(text)],
        };
        if call.tool != self.tool {
            return None;
        }
        let common = |parts: &Parts| parts.subject().intersection(&self.failed.subject()).count();
        let best = candidates.into_iter().max_by_key(|parts| common(parts))?;
        (common(&best) > 0).then_some(best)
    }

    fn difference(&self, worked: &Parts) -> WayOut {
        let (failed, worked) = (self.failed.all(), worked.all());
        let without = |one: &Words, two: &Words| one.difference(two).cloned().collect::<Words>();
        let (added, dropped) = (without(&worked, &failed), without(&failed, &worked));
        let left_out = dropped.iter().filter(|word| word.starts_with('-'));
        WayOut {
            left_out: left_out.cloned().collect(),
            marks: [added, dropped, self.between.clone()]
                .into_iter()
                .find(|words| !words.is_empty())
                .unwrap_or_default(),
        }
    }
}

/// What a call consists of, as far as calls are compared here.
#[derive(Debug, Clone, Default)]
struct Parts {
    program: Words,
    values: Words,
    options: Words,
}

impl Parts {
    fn of_command(command: &Command) -> Self {
        let given = command.args().iter().map(|word| word.text.as_str());
        let (options, values): (Vec<&str>, Vec<&str>) =
            given.partition(|word| word.starts_with('-'));
        let is_name = |word: &&str| !word.contains(char::is_whitespace);
        Self {
            program: words_of(command.program()),
            values: values
                .into_iter()
                .filter(is_name)
                .flat_map(words_of)
                .collect(),
            options: options.into_iter().flat_map(option_words).collect(),
        }
    }

    fn of_named(named: &serde_json::Map<String, Value>) -> Self {
        let given = named
            .iter()
            .filter(|(_, value)| !matches!(value, Value::Null | Value::Bool(false)));
        let is_name = |text: &&str| {
            text.len() <= limits::ARG_VALUE_BYTES && !text.contains(char::is_whitespace)
        };
        let values = given.clone().filter_map(|(_, value)| value.as_str());
        Self {
            program: Words::new(),
            values: values.filter(is_name).flat_map(words_of).collect(),
            options: given.map(|(name, _)| name.to_lowercase()).collect(),
        }
    }

    /// A patch is about the files that it names, any other text about its words.
    fn of_text(text: &str) -> Self {
        let files = text.lines().filter_map(patched_file);
        let files: Words = files.flat_map(words_of).collect();
        Self {
            values: match files.is_empty() {
                true => words_of(text),
                false => files,
            },
            ..Self::default()
        }
    }

    /// Returns what the call is about: what it was given, or where that was nothing its program.
    fn subject(&self) -> Words {
        match self.values.is_empty() {
            true => self.program.clone(),
            false => self.values.clone(),
        }
    }

    fn all(&self) -> Words {
        let parts = [&self.program, &self.values, &self.options];
        parts.into_iter().flatten().cloned().collect()
    }
}

/// Returns the file that a line of a patch names.
fn patched_file(line: &str) -> Option<&str> {
    const MARKS: [&str; 4] = [
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "+++ ",
    ];
    MARKS.iter().find_map(|mark| line.strip_prefix(mark))
}

/// Returns the name of an option, without the value that is written to it.
fn option_words(option: &str) -> Option<String> {
    let name = option.split('=').next()?;
    Some(name.to_lowercase())
}

/// Returns what a call did, in a word or two a command.
fn done_by(call: &Call) -> Words {
    let Some(line) = call.line() else {
        return words_of(&call.tool);
    };
    let working = (0..line.commands.len()).filter(|index| !failure::is_helper(line, *index));
    let did = |command: &Command| {
        let label = command.label();
        let last = label.rsplit(' ').next().unwrap_or_default();
        let reads = is_listed(READERS, command.program()).then(|| "read".to_owned());
        words_of(last).into_iter().chain(reads)
    };
    working
        .flat_map(|index| did(&line.commands[index]))
        .collect()
}

/// Returns the words of a text: in lower case, of a path its last part, of `a:b` also its parts.
#[must_use]
pub fn words_of(text: &str) -> Words {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '@');
    let mut words = Words::new();
    for word in text.split(|c| !is_part(c)) {
        let word = shell::base_name(word).to_lowercase();
        let word = word.trim_end_matches(['.', ':', ',', '-']);
        if word.contains(':') {
            words.extend(
                word.split(':')
                    .filter(|it| !it.is_empty())
                    .map(str::to_owned),
            );
        }
        if !word.is_empty() {
            words.insert(word.to_owned());
        }
    }
    words
}
