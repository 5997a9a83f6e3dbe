//! Reads a tool call: is it a shell, and if so, which commands did it run.
//!
//! Clients name their shells differently and pass the line in different shapes; nothing after this
//! module needs to know.

use serde_json::Value;

use crate::{
    event::ToolCall,
    text::CleanText,
    trace::{failure, shell},
};

/// A tool call as capture compares it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name in lower case, without a server's prefix.
    pub tool: String,
    /// Its arguments.
    pub args: Args,
}

/// The arguments of a call, by their shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Args {
    /// A command line, as typed and read.
    Shell(String, shell::Line),
    /// Named arguments.
    Named(serde_json::Map<String, Value>),
    /// Any other text.
    Text(String),
}

const SHELL_TOOLS: &str = "bash shell sh zsh exec exec_command run_shell_command run_command execute_bash \
    execute_command terminal local_shell cmd run_terminal_cmd run_in_terminal run powershell ctf console \
    shell_command unified_exec container.exec cmdrunaction run_ipython_shell shell_exec bash_tool run_bash run_shell \
    shell_tool bash_exec command_exec execute_shell";

/// Reads a call.
#[must_use]
pub fn read(call: &ToolCall<CleanText>) -> Call {
    let tool = tool_name(call.tool.as_str());
    let text = call.args.as_str();
    let args = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(named)) => named_args(&tool, named),
        _ if is_shell(&tool) => shell_args(text.to_owned()),
        _ => Args::Text(text.to_owned()),
    };
    Call { tool, args }
}

/// Returns a tool's name without its server and in lower case.
pub(super) fn tool_name(name: &str) -> String {
    let last = name.rsplit("__").next().unwrap_or(name);
    let last = last.strip_prefix("functions.").unwrap_or(last);
    last.to_lowercase()
}

/// Runtimes spell such names with hyphens and slashes too: `shell-exec`, `/exec`.
fn is_shell(tool: &str) -> bool {
    let name = tool.trim_start_matches('/').replace('-', "_");
    shell::is_listed(SHELL_TOOLS, &name)
}

/// Returns whether some client calls its shell so.
pub(super) fn is_shell_name(name: &str) -> bool {
    is_shell(&tool_name(name))
}

fn named_args(tool: &str, named: serde_json::Map<String, Value>) -> Args {
    let line = ["command", "cmd", "script"]
        .iter()
        .find_map(|key| named.get(*key));
    match line {
        Some(Value::String(line)) if is_shell(tool) => shell_args(line.clone()),
        Some(Value::Array(words)) if is_shell(tool) => shell_args(joined(words)),
        _ => Args::Named(named),
    }
}

/// Puts an argument vector back into one line; `["bash", "-lc", "…"]` is its script.
fn joined(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    if let [shell, flag, script] = words.as_slice()
        && flag.starts_with('-')
        && flag.ends_with('c')
        && shell::base_name(shell).ends_with("sh")
    {
        return (*script).to_owned();
    }
    words.join(" ")
}

fn shell_args(text: String) -> Args {
    let line = shell::read(&text);
    Args::Shell(text, line)
}

impl Call {
    /// Returns the command line, if the call is a shell's.
    #[must_use]
    pub fn line(&self) -> Option<&shell::Line> {
        match &self.args {
            Args::Shell(_, line) => Some(line),
            Args::Named(_) | Args::Text(_) => None,
        }
    }

    /// Returns which command of the line does the work: the last that is no helper.
    #[must_use]
    pub fn main(&self) -> Option<usize> {
        let line = self.line()?;
        (0..line.commands.len())
            .rev()
            .find(|index| !failure::is_helper(line, *index))
            .or_else(|| line.commands.len().checked_sub(1))
    }

    /// Returns how people name the call: the main command of a line, or the tool.
    #[must_use]
    pub fn label(&self) -> String {
        let command = self.line().and_then(|line| line.commands.get(self.main()?));
        command.map_or_else(|| self.tool.clone(), shell::Command::label)
    }

    /// Returns the arguments as text: a line as it was typed, of named arguments their values.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.args {
            Args::Shell(text, _) | Args::Text(text) => text.clone(),
            Args::Named(named) => {
                let values = named.values().map(|value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                values.collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Returns whether this stands as a word somewhere in the arguments; `store-sqlite` is another
    /// word than `sqlite`.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        match &self.args {
            Args::Shell(text, _) | Args::Text(text) => has_compound(text, word),
            Args::Named(_) => has_compound(&self.text(), word),
        }
    }

    /// Returns whether the arguments hold this text as a word or value of their own.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        match &self.args {
            Args::Shell(text, _) | Args::Text(text) => has_word(text, name),
            Args::Named(named) => named
                .iter()
                .any(|(key, value)| key == name || value == name),
        }
    }
}

fn has_compound(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let mut before = text[..at].chars().rev();
        let mut after = text[at + name.len()..].chars();
        is_end(before.next(), before.next()) && is_end(after.next(), after.next())
    })
}

/// Returns whether a word ends before these two characters, read away from it.
fn is_end(next: Option<char>, over: Option<char>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    match next {
        Some('-') => !over.is_some_and(is_part),
        Some(c) => !is_part(c),
        None => true,
    }
}

fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        is_edge(before) && is_edge(after)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_shell_is_known_by_any_of_its_names() {
        for (name, expected) in [
            ("Bash", true),
            ("shell-exec", true),
            ("/exec", true),
            ("shell_exec", true),
            ("bash_tool", true),
            ("run-command", true),
            ("mcp__box__run", true),
            ("functions.exec_command", true),
            ("execute_sql", false),
            ("executive_summary", false),
            ("Read", false),
        ] {
            assert_eq!(super::is_shell_name(name), expected, "{name}");
        }
    }
}
