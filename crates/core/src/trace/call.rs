//! Reads a tool call: is it a shell, and if so, which commands did it run.
//!
//! Clients name their shells differently and pass the line in different shapes, and servers bring tools
//! that run commands under any name: those are known by what they are given. Nothing after this module
//! needs to know.

use serde_json::Value;

use crate::{
    event::ToolCall,
    text::CleanText,
    trace::{failure, shell},
};

/// A tool call as capture compares it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCall {
    /// The tool's name in lower case, without a server's prefix.
    pub tool: String,
    /// Its arguments.
    pub args: CallArgs,
}

/// The arguments of a call, by their shape.
#[derive(Debug, Clone, PartialEq)]
pub enum CallArgs {
    /// A command line, as typed and read.
    Shell(String, shell::ShellLine),
    /// Named arguments.
    Named(serde_json::Map<String, Value>),
    /// Any other text.
    Text(String),
}

/// Names of shells that no word of theirs gives away.
const SHELL_TOOLS: &str = "run ctf cmdrunaction run_command run_commands execute_command execute_commands run_script \
    execute_script";
/// Words in the name of a tool that runs command lines.
const SHELL_WORDS: &str = "bash shell sh zsh exec terminal console powershell pwsh cmd";
/// Arguments that are a command line, where the tool is a shell.
const LINE_KEYS: [&str; 7] = [
    "command",
    "cmd",
    "script",
    "command_line",
    "commandLine",
    "shell_command",
    "bash_command",
];

/// Reads a call.
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

/// Runtimes spell such names with hyphens and slashes too: `shell-exec`, `/exec`.
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

/// Returns the command line that a call's arguments hold, if they are JSON and the tool runs it.
#[must_use]
pub fn parse_command_line(tool: &str, args: &str) -> Option<String> {
    // Files are written and read by such calls, and most hold no line at all.
    if !LINE_KEYS.iter().any(|key| args.contains(key)) {
        return None;
    }
    match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(named)) => find_command_line(&normalize_tool_name(tool), &named),
        _ => None,
    }
}

/// A tool of any name runs what it is given as a command, if that begins with a program that everybody
/// knows, or with one by its path, and it is given no file.
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

/// Puts an argument vector back into one line; `["bash", "-lc", "…"]` is its script.
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

    /// Returns which command of the line does the work: the last that is no helper.
    #[must_use]
    pub fn main_command(&self) -> Option<usize> {
        let line = self.line()?;
        (0..line.commands.len())
            .rev()
            .find(|index| !failure::is_helper(line, *index))
            .or_else(|| line.commands.len().checked_sub(1))
    }

    /// Returns how people name the call: the main command of a line, or the tool.
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

    /// Returns whether this stands as a word somewhere in the arguments; `store-sqlite` is another
    /// word than `sqlite`.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        match &self.args {
            CallArgs::Shell(text, _) | CallArgs::Text(text) => has_compound_word(text, word),
            CallArgs::Named(_) => has_compound_word(&self.args_text(), word),
        }
    }

    /// Returns whether the arguments hold this text as a word or value of their own.
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

/// Returns whether this stands in a text as a word of its own.
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
