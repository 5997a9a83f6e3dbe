//! Parses a tool call: whether it is a shell's, and if so, which commands it ran.
//!
//! Clients name their shells differently and pass the line in different shapes, and MCP servers have tools that run
//! commands under any name: those are recognised by their arguments. No later module needs to know these differences.

use serde_json::Value;

use crate::{
    event::ToolCall,
    text::CleanText,
    trace::{failure, shell},
};

/// A tool call, parsed for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCall {
    /// The tool's name in lower case, without a server's prefix.
    pub tool: String,
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

/// Names of shell tools that contain none of the words below.
const SHELL_TOOLS: &str = "run ctf cmdrunaction run_command run_commands execute_command execute_commands run_script \
    execute_script";
/// Words in the names of tools that run command lines.
const SHELL_WORDS: &str = "bash shell sh zsh exec terminal console powershell pwsh cmd";
/// Names of arguments that contain a shell's command line.
const LINE_KEYS: [&str; 7] = [
    "command",
    "cmd",
    "script",
    "command_line",
    "commandLine",
    "shell_command",
    "bash_command",
];

/// Parses a call.
#[must_use]
pub fn parse_call(call: &ToolCall<CleanText>) -> ParsedCall {
    let tool = normalize_tool_name(call.tool.as_str());
    let text = call.args.as_str();
    let args = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(named)) => parse_named_args(&tool, named),
        _ if is_shell_tool(&tool) => parse_shell_args(text.to_owned()),
        _ => CallArgs::Text(text.to_owned()),
    };
    ParsedCall { tool, args }
}

/// Returns a tool's name without its server and in lower case.
pub(super) fn normalize_tool_name(name: &str) -> String {
    let last = name.rsplit("__").next().unwrap_or(name);
    let last = last.strip_prefix("functions.").unwrap_or(last);
    last.to_lowercase()
}

/// Returns whether a tool name, perhaps spelt with hyphens or slashes (`shell-exec`, `/exec`), is a shell's.
fn is_shell_tool(tool: &str) -> bool {
    let name = tool.trim_start_matches('/').replace('-', "_");
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    shell::is_listed(SHELL_TOOLS, &name) || words.any(|word| shell::is_listed(SHELL_WORDS, word))
}

/// Returns whether a tool of this name runs command lines.
#[must_use]
pub fn is_shell_name(name: &str) -> bool {
    is_shell_tool(&normalize_tool_name(name))
}

/// Returns the command line in a call's arguments, if they are JSON and the tool runs it.
#[must_use]
pub fn parse_command_line(tool: &str, args: &str) -> Option<String> {
    // Calls that write and read files come here too, and most contain no line at all.
    if !LINE_KEYS.iter().any(|key| args.contains(key)) {
        return None;
    }
    match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(named)) => find_command_line(&normalize_tool_name(tool), &named),
        _ => None,
    }
}

/// Returns the line that a tool of any name runs: an argument for commands, if it begins with a well-known program or
/// a program's path, and no argument is a file.
fn find_command_line(tool: &str, named: &serde_json::Map<String, Value>) -> Option<String> {
    const FILES: &str = "path file file_path filePath content file_text old_str new_str";
    let key = LINE_KEYS.iter().find(|key| named.contains_key(**key))?;
    let line = match named.get(*key)? {
        Value::String(line) => line.clone(),
        Value::Array(words) => join_words(words),
        _ => return None,
    };
    let is_of_file = || named.keys().any(|key| shell::is_listed(FILES, key));
    let runs = || {
        let read = shell::parse_line(&line);
        let is_known = |it: &shell::ShellCommand| {
            let is_path = it.words[0].text.contains('/');
            is_path || shell::is_known_program(it.program()) || it.wrapped_command().is_some()
        };
        read.commands.iter().any(is_known)
    };
    (is_shell_tool(tool) || (*key != "script" && !is_of_file() && runs())).then_some(line)
}

fn parse_named_args(tool: &str, named: serde_json::Map<String, Value>) -> CallArgs {
    match find_command_line(tool, &named) {
        Some(line) => parse_shell_args(line),
        None => CallArgs::Named(named),
    }
}

/// Joins an argument vector into one line; `["bash", "-lc", "…"]` gives its script.
fn join_words(words: &[Value]) -> String {
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

fn parse_shell_args(text: String) -> CallArgs {
    let line = shell::parse_line(&text);
    CallArgs::Shell(text, line)
}

impl ParsedCall {
    /// Returns the command line, if the call is a shell's.
    #[must_use]
    pub fn line(&self) -> Option<&shell::ShellLine> {
        match &self.args {
            CallArgs::Shell(_, line) => Some(line),
            CallArgs::Named(_) | CallArgs::Text(_) => None,
        }
    }

    /// Returns the index of the command that does the work: the last that is no helper.
    #[must_use]
    pub fn main_command(&self) -> Option<usize> {
        let line = self.line()?;
        (0..line.commands.len())
            .rev()
            .find(|index| !failure::is_helper(line, *index))
            .or_else(|| line.commands.len().checked_sub(1))
    }

    /// Returns the name of the call for people: the main command of a line, or the tool.
    #[must_use]
    pub fn label(&self) -> String {
        let command = self
            .line()
            .and_then(|line| line.commands.get(self.main_command()?));
        command.map_or_else(|| self.tool.clone(), shell::ShellCommand::label)
    }

    /// Returns the arguments as text: a line as it was typed, of named arguments their values.
    #[must_use]
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

    /// Returns whether the arguments contain this word; `store-sqlite` is another word than `sqlite`.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        match &self.args {
            CallArgs::Shell(text, _) | CallArgs::Text(text) => has_compound_word(text, word),
            CallArgs::Named(_) => has_compound_word(&self.args_text(), word),
        }
    }

    /// Returns whether the arguments contain this text as a separate word or value.
    #[must_use]
    pub fn mentions_name(&self, name: &str) -> bool {
        match &self.args {
            CallArgs::Shell(text, _) | CallArgs::Text(text) => has_word(text, name),
            CallArgs::Named(named) => named
                .iter()
                .any(|(key, value)| key == name || value == name),
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
    fn a_tool_of_any_name_runs_what_it_is_given_as_a_command() {
        for (tool, args, expected) in [
            (
                "mcp__box__do",
                r#"{"command":"npm test","cwd":"/w"}"#,
                Some("npm test"),
            ),
            ("sandbox", r#"{"cmd":["git","push"]}"#, Some("git push")),
            (
                "helper",
                r#"{"command":"cd x && bin/stage push"}"#,
                Some("cd x && bin/stage push"),
            ),
            ("run_script", r#"{"script":"make all"}"#, Some("make all")),
            ("browser", r#"{"script":"await page.click()"}"#, None),
            ("game", r#"{"command":"say hello"}"#, None),
            ("editor", r#"{"command":"view","path":"/a/b"}"#, None),
            ("redis", r#"{"command":"GET lane"}"#, None),
            ("Read", r#"{"file_path":"/x"}"#, None),
        ] {
            assert_eq!(
                super::parse_command_line(tool, args).as_deref(),
                expected,
                "{tool} {args}"
            );
        }
    }

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
            ("mcp__ssh__remote_exec", true),
            ("execute_sql", false),
            ("executive_summary", false),
            ("Read", false),
        ] {
            assert_eq!(super::is_shell_name(name), expected, "{name}");
        }
    }
}
