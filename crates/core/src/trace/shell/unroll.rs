//! Reads `for x in a b c; do …; done` as the commands that it runs, one round after the other.
//!
//! Agents try things in loops (`for key in k1 k2 k3; do tool push $key; done`), and each round is a
//! try of its own. Only literal values are put in; a loop over a pattern, a variable or another
//! command's output stays what it was: a line of which cannot be told what ran.

use super::{Command, Word, is_listed};
use crate::limits;

/// The loops that are open while a line is read, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Loops(Vec<Option<Loop>>);

/// A loop over literal values.
#[derive(Debug)]
struct Loop {
    variable: String,
    values: Vec<String>,
    /// Where its body begins among the commands of the line.
    start: usize,
}

impl Loops {
    /// Notes that a command opens a loop, and returns whether it is one that can be unrolled.
    pub(super) fn open(&mut self, command: &Command, start: usize) -> bool {
        let first = command.words.first().map_or("", |word| word.text.as_str());
        if !is_listed("for while until select", first) {
            return false;
        }
        let is_within_known = self.0.iter().all(Option::is_some);
        let found = read_head(&command.words, start).filter(|_| is_within_known);
        self.0.push(found);
        self.0.last().is_some_and(Option::is_some)
    }

    /// Ends the innermost loop: its body takes the place of as many rounds as it has values.
    pub(super) fn close(&mut self, commands: &mut Vec<Command>) {
        let Some(Some(found)) = self.0.pop() else {
            return;
        };
        let body = commands.split_off(found.start.min(commands.len()));
        let room = limits::LINE_COMMANDS.saturating_sub(commands.len());
        let rounds = found.values.iter().flat_map(|value| {
            let put_in = |command: &Command| put_value(command, &found.variable, value);
            body.iter().map(put_in)
        });
        commands.extend(rounds.take(room));
    }
}

fn read_head(words: &[Word], start: usize) -> Option<Loop> {
    let [first, variable, mark, values @ ..] = words else {
        return None;
    };
    let is_literal = |word: &Word| {
        let is_single = word.raw.starts_with('\'');
        is_single || !word.raw.contains(['$', '`', '*', '?', '[', '{', '~'])
    };
    let is_known = first.text == "for"
        && mark.text == "in"
        && (1..=limits::LOOP_VALUES).contains(&values.len())
        && values.iter().all(is_literal);
    is_known.then(|| Loop {
        variable: variable.text.clone(),
        values: values.iter().map(|word| word.text.clone()).collect(),
        start,
    })
}

/// Returns a command with a variable's value in its place.
fn put_value(command: &Command, variable: &str, value: &str) -> Command {
    let put_in = |word: &Word| put_in_word(word, variable, value);
    let words: Vec<Word> = command.words.iter().flat_map(put_in).collect();
    // A command of nothing is none.
    let words = if words.is_empty() {
        command.words.clone()
    } else {
        words
    };
    Command {
        words,
        ..command.clone()
    }
}

/// Returns what a word becomes: as many as the value has, where it stands alone and unquoted.
fn put_in_word(word: &Word, variable: &str, value: &str) -> Vec<Word> {
    let is_alone = word.raw == format!("${variable}") || word.raw == format!("${{{variable}}}");
    if is_alone {
        let plain = |part: &str| Word {
            text: part.to_owned(),
            raw: part.to_owned(),
        };
        return value.split_whitespace().map(plain).collect();
    }
    if word.raw.starts_with('\'') {
        return vec![word.clone()];
    }
    vec![Word {
        text: expand(&word.text, variable, value),
        raw: expand(&word.raw, variable, value),
    }]
}

fn expand(text: &str, variable: &str, value: &str) -> String {
    let braced = text.replace(&format!("${{{variable}}}"), value);
    let mark = format!("${variable}");
    let mut out = String::with_capacity(braced.len());
    let mut rest = braced.as_str();
    while let Some(at) = rest.find(&mark) {
        let after = &rest[at + mark.len()..];
        let is_longer = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        out.push_str(&rest[..at]);
        out.push_str(if is_longer { &mark } else { value });
        rest = after;
    }
    out.push_str(rest);
    out
}
