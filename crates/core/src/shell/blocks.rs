//! Expands loops over literal values, functions and variables into the commands that they run.
//!
//! Agents try things in loops (`for key in k1 k2 k3; do tool push $key; done`) and in functions that they define on
//! the spot (`check() { tool push $1; echo $?; }; check k1; check k2`), and each round and call is a try of its own.
//! Only literal values are substituted; a loop over a pattern, a variable or another command's output stays as it is:
//! a line whose text does not show what ran.

use super::is_listed;
use crate::limits;
use crate::{ShellCommand, ShellWord};

/// The blocks that are open while a line is parsed, and what it has defined so far.
#[derive(Debug, Default)]
pub(super) struct BlockStack {
    /// The open blocks, the innermost last.
    open: Vec<ShellBlock>,
    /// A function whose body is about to begin.
    pending_function: Option<String>,
    functions: Vec<(String, Vec<ShellCommand>)>,
    variables: Vec<(String, String)>,
}

#[derive(Debug)]
enum ShellBlock {
    /// A loop over literal values.
    LiteralLoop(LiteralLoop),
    /// Any other loop.
    OpaqueLoop,
    /// The body of a function, or a group of commands, which begins at this command.
    Braces(Option<String>, usize),
}

#[derive(Debug)]
struct LiteralLoop {
    variable: String,
    values: Vec<String>,
    /// The index of the command with which its body begins.
    start: usize,
}

impl BlockStack {
    /// Removes the head of a function and the opening brace from the front of a command.
    pub(super) fn enter_braces(&mut self, words: &mut Vec<ShellWord>, start: usize) {
        if let [first, name, ..] = words.as_slice()
            && first.raw == "function"
        {
            self.pending_function = Some(name.raw.trim_end_matches("()").to_owned());
            words.drain(..2);
        } else if let Some(name) = words.first().and_then(|word| word.raw.strip_suffix("()")) {
            self.pending_function = Some(name.to_owned());
            words.remove(0);
        }
        if words.first().is_some_and(|word| word.raw == "{") {
            words.remove(0);
            self.open
                .push(ShellBlock::Braces(self.pending_function.take(), start));
        }
    }

    /// Records that a command opens a loop, and returns whether the loop can be unrolled.
    pub(super) fn open_loop(&mut self, command: &ShellCommand, start: usize) -> bool {
        let first = command.words.first().map_or("", |word| word.text.as_str());
        if !is_listed("for while until select", first) {
            return false;
        }
        let is_known = |block: &ShellBlock| !matches!(block, ShellBlock::OpaqueLoop);
        let is_within_known = self.open.iter().all(is_known);
        let head = parse_loop_head(&command.words, start).filter(|_| is_within_known);
        self.open
            .push(head.map_or(ShellBlock::OpaqueLoop, ShellBlock::LiteralLoop));
        self.open.last().is_some_and(is_known)
    }

    /// Closes the innermost block of this kind: the body of a loop is repeated for each of its values, that of a
    /// function is stored for its calls, and a group's output gets the redirects at its end.
    pub(super) fn close_block(
        &mut self,
        end: &str,
        closing: &ShellCommand,
        commands: &mut Vec<ShellCommand>,
    ) {
        let is_meant = |block: &ShellBlock| match block {
            ShellBlock::Braces(..) => end == "}",
            ShellBlock::LiteralLoop(_) | ShellBlock::OpaqueLoop => end == "done",
        };
        let Some(at) = self.open.iter().rposition(is_meant) else {
            return;
        };
        let block = self.open.drain(at..).next();
        match block {
            Some(ShellBlock::LiteralLoop(found)) => {
                let body = take_body(commands, found.start, closing);
                let room = limits::LINE_COMMANDS.saturating_sub(commands.len());
                let rounds = found.values.iter().flat_map(|value| {
                    let put_in = |command: &ShellCommand| {
                        substitute_variable(command, &found.variable, value)
                    };
                    body.iter().map(put_in)
                });
                commands.extend(rounds.take(room));
            }
            Some(ShellBlock::Braces(name, start)) => {
                let body = take_body(commands, start, closing);
                match name {
                    Some(name) if self.functions.len() < limits::LINE_FUNCTIONS => {
                        self.functions.push((name, body));
                    }
                    Some(_) => {}
                    None => commands.extend(body),
                }
            }
            Some(ShellBlock::OpaqueLoop) | None => {}
        }
    }

    /// Returns the commands that a call of one of the line's functions runs; `None` if the command is no such call.
    pub(super) fn expand_function_call(&self, call: &ShellCommand) -> Option<Vec<ShellCommand>> {
        let name = call.words[0].raw.as_str();
        let (_, body) = self.functions.iter().rev().find(|(it, _)| it == name)?;
        let mut arguments = call.args();
        let mut ran = Vec::new();
        for (index, command) in body.iter().enumerate() {
            if command.program() == "shift" {
                arguments = arguments.get(1..).unwrap_or_default();
                continue;
            }
            let mut command = substitute_arguments(command, arguments);
            if index == 0 {
                command.join = call.join;
            }
            call.pass_redirects(&mut command);
            ran.push(command);
        }
        Some(ran)
    }

    /// Stores the value of a variable, if it is a literal.
    pub(super) fn keep_variable(&mut self, name: &str, value: &str) {
        let is_literal = !value.contains(['$', '`', '*']);
        if is_literal && self.variables.len() < limits::LINE_FUNCTIONS {
            self.variables.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Substitutes the program that a variable names: `t=bin/tool; $t push`.
    pub(super) fn substitute_program(&self, words: &mut Vec<ShellWord>) {
        let Some(first) = words.first().filter(|word| word.raw.contains('$')) else {
            return;
        };
        let mut variables = self.variables.iter().rev();
        let mut put_in = variables.find_map(|(name, value)| {
            let words = substitute_in_word(first, name, value);
            (words.first() != Some(first)).then_some(words)
        });
        if let Some(named) = put_in.take_if(|named| !named.is_empty()) {
            words.splice(..1, named);
        }
    }
}

/// Splits off the body of a block, and applies the redirects at its end.
fn take_body(
    commands: &mut Vec<ShellCommand>,
    start: usize,
    closing: &ShellCommand,
) -> Vec<ShellCommand> {
    let mut body = commands.split_off(start.min(commands.len()));
    for command in &mut body {
        closing.pass_redirects(command);
    }
    body
}

/// Returns a command of a function with the arguments of its call.
fn substitute_arguments(command: &ShellCommand, given: &[ShellWord]) -> ShellCommand {
    const POSITIONS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let put_all = |word: &ShellWord| {
        if is_listed("\"$@\" $@ $*", &word.raw) {
            given.to_vec()
        } else {
            vec![word.clone()]
        }
    };
    let words: Vec<ShellWord> = command.words.iter().flat_map(put_all).collect();
    if words.len() > limits::EXPANDED_LINE_WORDS {
        return command.clone();
    }
    let empty = ShellCommand {
        words: if words.is_empty() {
            command.words.clone()
        } else {
            words
        },
        ..command.clone()
    };
    let positions = POSITIONS.iter().zip(given);
    positions.fold(empty, |command, (position, word)| {
        substitute_variable(&command, position, &word.text)
    })
}

fn parse_loop_head(words: &[ShellWord], start: usize) -> Option<LiteralLoop> {
    let [first, variable, mark, values @ ..] = words else {
        return None;
    };
    let is_literal = |word: &ShellWord| {
        let is_single = word.raw.starts_with('\'');
        is_single || !word.raw.contains(['$', '`', '*', '?', '[', '{', '~'])
    };
    let is_known = first.text == "for"
        && mark.text == "in"
        && (1..=limits::LOOP_VALUES).contains(&values.len())
        && values.iter().all(is_literal);
    is_known.then(|| LiteralLoop {
        variable: variable.text.clone(),
        values: values.iter().map(|word| word.text.clone()).collect(),
        start,
    })
}

/// Returns a command with a variable replaced by its value.
fn substitute_variable(command: &ShellCommand, variable: &str, value: &str) -> ShellCommand {
    let put_in = |word: &ShellWord| substitute_in_word(word, variable, value);
    let words: Vec<ShellWord> = command.words.iter().flat_map(put_in).collect();
    let bytes: usize = words.iter().map(|word| word.text.len()).sum();
    let is_too_long =
        words.len() > limits::EXPANDED_LINE_WORDS || bytes > limits::EXPANDED_LINE_BYTES;
    // A command without words is not run.
    let words = if words.is_empty() || is_too_long {
        command.words.clone()
    } else {
        words
    };
    ShellCommand {
        words,
        ..command.clone()
    }
}

/// Returns the words that replace a word: as many as the value has, if the variable is the whole unquoted word.
fn substitute_in_word(word: &ShellWord, variable: &str, value: &str) -> Vec<ShellWord> {
    let is_alone = word.raw == format!("${variable}") || word.raw == format!("${{{variable}}}");
    if is_alone {
        let plain = |part: &str| ShellWord {
            text: part.to_owned(),
            raw: part.to_owned(),
        };
        return value.split_whitespace().map(plain).collect();
    }
    if word.raw.starts_with('\'') {
        return vec![word.clone()];
    }
    vec![ShellWord {
        text: expand_variable(&word.text, variable, value),
        raw: expand_variable(&word.raw, variable, value),
    }]
}

/// Replaces a variable in a text by its value, unless that would make it longer than a line may be: a value may name the
/// variable of an outer loop, so each level could multiply it.
fn expand_variable(text: &str, variable: &str, value: &str) -> String {
    let mark = format!("${variable}");
    let places = text.matches(&mark).count() + text.matches(&format!("${{{variable}}}")).count();
    if text.len() + places * value.len() > limits::EXPANDED_LINE_BYTES {
        return text.to_owned();
    }
    let in_braces = text.replace(&format!("${{{variable}}}"), value);
    let mut out = String::with_capacity(in_braces.len());
    let mut rest = in_braces.as_str();
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
