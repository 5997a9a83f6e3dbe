//! Finds how a recorded run fixed a failure, and whether a lesson states that fix.
//!
//! A [`RecordedFix`] is the difference between the failed call and the first similar one that worked: words, options
//! or arguments that were added, else those left out, else what was done in between. It measures lessons and never
//! makes one, so it requires less than [`capture`](hardwon_core::capture) does: one word in common is similar enough, and a
//! lesson states the fix if it contains half of what differs.

use std::collections::BTreeSet;

use serde_json::Value;

use hardwon_core::{
    CallArgs, ParsedCall, ShellCommand, limits,
    shell::{self, is_listed},
};

/// Programs whose output is read.
const READER_PROGRAMS: &str = "cat sed head tail less more bat nl ls";

/// Words, in lower case, each once.
pub type WordSet = BTreeSet<String>;

/// How a run fixed a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFix {
    /// The words that differ; half of them state what to do.
    words: WordSet,
    /// Options that were left out; one of them states what not to do.
    dropped_options: WordSet,
}

impl RecordedFix {
    /// Returns whether a text with these words states the fix.
    pub fn is_named_in(&self, words: &WordSet) -> bool {
        let common = self.words.intersection(words).count();
        let is_said = !self.words.is_empty() && common >= self.words.len().div_ceil(2);
        is_said || !self.dropped_options.is_disjoint(words)
    }
}

/// A search for the fix of a failure among the next calls.
#[derive(Debug, Clone)]
pub struct FixSearch {
    tool: String,
    failed: CallWords,
    words_between: WordSet,
    calls_left: usize,
}

/// The result of a search after one more call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixSearchStep {
    /// The call was the fix.
    Fixed(RecordedFix),
    /// There is no fix.
    GaveUp,
    /// The search goes on.
    Continue,
}

impl FixSearch {
    /// Starts at a failed call; `culprit` is the index of the command of a line that failed, if known.
    pub fn from_failed_call(call: &ParsedCall, culprit: Option<usize>) -> Self {
        let command = call
            .line()
            .and_then(|line| line.commands.get(culprit.or_else(|| call.main_command())?));
        let first_words = match (command, &call.args) {
            (Some(command), _) => CallWords::from_command(command),
            (None, CallArgs::Named(named)) => CallWords::from_named(named),
            (None, CallArgs::Text(text) | CallArgs::Shell(text, _)) => CallWords::from_text(text),
        };
        Self {
            tool: call.tool.clone(),
            failed: first_words,
            words_between: WordSet::new(),
            calls_left: limits::FIX_SEARCH_CALLS,
        }
    }

    /// Examines the next call of the run.
    pub fn advance(&mut self, call: &ParsedCall, worked: bool) -> FixSearchStep {
        if worked && let Some(like) = self.find_similar_part(call) {
            return FixSearchStep::Fixed(self.derive_fix(&like));
        }
        self.calls_left -= 1;
        if self.calls_left == 0 {
            return FixSearchStep::GaveUp;
        }
        if worked {
            self.words_between.extend(action_words(call));
        }
        FixSearchStep::Continue
    }

    /// Returns the part of a call that is similar to the failed one, if there is one: of the same tool, with a word
    /// in common besides the program's name.
    fn find_similar_part(&self, call: &ParsedCall) -> Option<CallWords> {
        let candidates: Vec<CallWords> = match &call.args {
            CallArgs::Shell(_, line) => line.commands.iter().map(CallWords::from_command).collect(),
            CallArgs::Named(named) => vec![CallWords::from_named(named)],
            CallArgs::Text(text) => vec![CallWords::from_text(text)],
        };
        if call.tool != self.tool {
            return None;
        }
        let common =
            |parts: &CallWords| parts.subject().intersection(&self.failed.subject()).count();
        let best = candidates.into_iter().max_by_key(|parts| common(parts))?;
        (common(&best) > 0).then_some(best)
    }

    fn derive_fix(&self, worked: &CallWords) -> RecordedFix {
        let (failed, worked) = (self.failed.all_words(), worked.all_words());
        let without =
            |one: &WordSet, two: &WordSet| one.difference(two).cloned().collect::<WordSet>();
        let (added, dropped) = (without(&worked, &failed), without(&failed, &worked));
        let left_out = dropped.iter().filter(|word| word.starts_with('-'));
        RecordedFix {
            dropped_options: left_out.cloned().collect(),
            words: [added, dropped, self.words_between.clone()]
                .into_iter()
                .find(|words| !words.is_empty())
                .unwrap_or_default(),
        }
    }
}

/// The words of a call that are compared here.
#[derive(Debug, Clone, Default)]
struct CallWords {
    program: WordSet,
    values: WordSet,
    options: WordSet,
}

impl CallWords {
    fn from_command(command: &ShellCommand) -> Self {
        let texts = command.arg_texts();
        let (options, values): (Vec<&str>, Vec<&str>) =
            texts.partition(|word| word.starts_with('-'));
        let is_name = |word: &&str| !word.contains(char::is_whitespace);
        Self {
            program: collect_words(command.program()),
            values: values
                .into_iter()
                .filter(is_name)
                .flat_map(collect_words)
                .collect(),
            options: options.into_iter().flat_map(parse_option_name).collect(),
        }
    }

    fn from_named(named: &serde_json::Map<String, Value>) -> Self {
        let settings = named
            .iter()
            .filter(|(_, value)| !matches!(value, Value::Null | Value::Bool(false)));
        let is_name = |text: &&str| {
            text.len() <= limits::ARG_VALUE_BYTES && !text.contains(char::is_whitespace)
        };
        let values = settings.clone().filter_map(|(_, value)| value.as_str());
        Self {
            program: WordSet::new(),
            values: values.filter(is_name).flat_map(collect_words).collect(),
            options: settings.map(|(name, _)| name.to_lowercase()).collect(),
        }
    }

    /// Collects the words of a text; of a patch, the files that it names.
    fn from_text(text: &str) -> Self {
        let files = text.lines().filter_map(parse_patched_file);
        let files: WordSet = files.flat_map(collect_words).collect();
        Self {
            values: if files.is_empty() {
                collect_words(text)
            } else {
                files
            },
            ..Self::default()
        }
    }

    /// Returns what the call is about: the words of its arguments, or of its program if it has none.
    fn subject(&self) -> WordSet {
        if self.values.is_empty() {
            self.program.clone()
        } else {
            self.values.clone()
        }
    }

    fn all_words(&self) -> WordSet {
        let parts = [&self.program, &self.values, &self.options];
        parts.into_iter().flatten().cloned().collect()
    }
}

/// Returns the file that a line of a patch names.
fn parse_patched_file(line: &str) -> Option<&str> {
    const MARKS: [&str; 4] = [
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "+++ ",
    ];
    MARKS.iter().find_map(|mark| line.strip_prefix(mark))
}

/// Returns the name of an option, without a value after `=`.
fn parse_option_name(option: &str) -> Option<String> {
    let name = option.split('=').next()?;
    Some(name.to_lowercase())
}

/// Returns what a call did, in one or two words for each command.
fn action_words(call: &ParsedCall) -> WordSet {
    let Some(line) = call.line() else {
        return collect_words(&call.tool);
    };
    let did = |command: &ShellCommand| {
        let label = command.label();
        let last = label.rsplit(' ').next().unwrap_or_default();
        let reads = is_listed(READER_PROGRAMS, command.program()).then(|| "read".to_owned());
        collect_words(last).into_iter().chain(reads)
    };
    line.acting_commands()
        .flat_map(|(_, command)| did(command))
        .collect()
}

/// Returns the words of a text: in lower case, of a path its last part, of `a:b` also its parts.
pub fn collect_words(text: &str) -> WordSet {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '@');
    let mut words = WordSet::new();
    for word in text.split(|c| !is_part(c)) {
        let word = shell::base_name(word).to_lowercase();
        let word = word.trim_end_matches(['.', ':', ',', '-']);
        if word.contains(':') {
            words.extend(
                word.split(':')
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned),
            );
        }
        if !word.is_empty() {
            words.insert(word.to_owned());
        }
    }
    words
}
