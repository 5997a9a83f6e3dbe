//! Parses a tool call: whether it is a shell's, and if so, which commands it ran.
//!
//! Clients name their shells differently and pass the line in different shapes, and MCP servers have tools that run
//! commands under any name: those are recognised by their arguments. No later module needs to know these differences.

use serde_json::Value;

use crate::{CleanText, ToolCall, shell};

/// A tool call, parsed for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCall {
    /// The tool's name in lower case, without a server's prefix.
    pub tool: String,
    /// The server that the tool belongs to, in lower case; empty for a client's own.
    pub server: String,
    /// The parsed arguments.
    pub args: CallArgs,
}

/// The arguments of a call, by their form.
#[derive(Debug, Clone, PartialEq)]
pub enum CallArgs {
    /// A command line, as typed and parsed.
    Shell(String, shell::ShellLine),
    /// A JSON object of named arguments.
    Named(serde_json::Map<String, Value>),
    /// Any other text.
    Text(String),
}

/// Reads a call.
pub fn parse_call(call: &ToolCall<CleanText>) -> ParsedCall {
    let tool = shell::normalize_tool_name(call.tool.as_str());
    let text = call.args.as_str();
    let args = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(named)) => parse_named_args(&tool, named),
        _ if shell::is_shell_tool(&tool) => parse_shell_args(text.to_owned()),
        _ => CallArgs::Text(text.to_owned()),
    };
    let server = shell::server_of_tool(call.tool.as_str());
    ParsedCall { tool, server, args }
}

fn parse_named_args(tool: &str, named: serde_json::Map<String, Value>) -> CallArgs {
    match shell::find_command_line(tool, &named) {
        Some(line) => parse_shell_args(line),
        None => CallArgs::Named(named),
    }
}

fn parse_shell_args(text: String) -> CallArgs {
    let line = shell::parse_line(&text);
    CallArgs::Shell(text, line)
}

impl ParsedCall {
    /// Returns the command line, if the call is a shell's.
    pub fn line(&self) -> Option<&shell::ShellLine> {
        match &self.args {
            CallArgs::Shell(_, line) => Some(line),
            CallArgs::Named(_) | CallArgs::Text(_) => None,
        }
    }

    /// Returns the index of the command that does the work: the last that is no helper.
    pub fn main_command(&self) -> Option<usize> {
        let line = self.line()?;
        let last = line.acting_commands().next_back().map(|(index, _)| index);
        last.or_else(|| line.commands.len().checked_sub(1))
    }

    /// Returns the name of the call for people: the main command of a line, or the tool.
    pub fn label(&self) -> String {
        let line = self.line();
        let command = line.and_then(|line| line.commands.get(self.main_command()?));
        command.map_or_else(|| self.tool.clone(), shell::ShellCommand::label)
    }

    /// Returns the arguments as text: a line as it was typed, of named arguments their values.
    pub fn args_text(&self) -> String {
        match &self.args {
            CallArgs::Shell(text, _) | CallArgs::Text(text) => text.clone(),
            CallArgs::Named(named) => {
                let values = named.values().map(|value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                values.collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Returns the call as people read it, given the name by which the client calls the tool: a line as it was typed, else
    /// the tool with its arguments, each on a line.
    pub fn describe(&self, tool: &str) -> String {
        let lines = match &self.args {
            CallArgs::Shell(text, _) => return text.clone(),
            CallArgs::Text(text) => vec![text.clone()],
            CallArgs::Named(named) => {
                let lines = named.iter().map(|(name, value)| match value {
                    Value::String(text) => format!("{name}: {text}"),
                    other => format!("{name}: {other}"),
                });
                lines.collect()
            }
        };
        [vec![tool.to_owned()], lines].concat().join("\n")
    }

    /// Returns whether the arguments contain this word; `store-sqlite` is another word than `sqlite`.
    pub fn has_word(&self, word: &str) -> bool {
        match &self.args {
            CallArgs::Shell(text, _) | CallArgs::Text(text) => has_compound_word(text, word),
            CallArgs::Named(_) => has_compound_word(&self.args_text(), word),
        }
    }

    /// Returns whether the arguments contain this text as a separate word or value.
    pub fn mentions_name(&self, name: &str) -> bool {
        match &self.args {
            CallArgs::Shell(text, _) | CallArgs::Text(text) => has_word(text, name),
            CallArgs::Named(named) => {
                let mut pairs = named.iter();
                pairs.any(|(key, value)| key == name || value == name)
            }
        }
    }
}

fn has_compound_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let mut before = text[..at].chars().rev();
        let mut after = text[at + name.len()..].chars();
        is_word_end(before.next(), before.next()) && is_word_end(after.next(), after.next())
    })
}

/// Returns whether a word ends before these two characters, read away from it.
fn is_word_end(next: Option<char>, over: Option<char>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    match next {
        Some('-') => !over.is_some_and(is_part),
        Some(c) => !is_part(c),
        None => true,
    }
}

/// Returns whether a text contains this name as a separate word.
pub(crate) fn has_word(text: &str, name: &str) -> bool {
    has_apart(text, name, |c| c.is_alphanumeric() || c == '_')
}

/// Returns whether a text contains this name, and not only with more of a word next to it.
pub fn has_apart(text: &str, name: &str, is_part: impl Fn(char) -> bool + Copy) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
