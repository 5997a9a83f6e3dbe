//! Tells which calls of tools are a shell's, and which line they run.
//!
//! Clients name their shells differently and pass the line in different shapes, and servers bring tools
//! that run commands under any name: those are known by what they are given. Nothing after this module
//! needs to know.

use serde_json::Value;

use super::{base_name, is_known_program, is_listed, parse_line};
use crate::ShellCommand;

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

/// Returns a tool's name without its server and in lower case.
pub(crate) fn normalize_tool_name(name: &str) -> String {
    let last = name.rsplit("__").next().unwrap_or(name);
    let last = last.strip_prefix("functions.").unwrap_or(last);
    last.to_lowercase()
}

/// Returns the server of a tool in lower case: `mcp__slack__post` is of `slack`; empty if there is none.
pub(crate) fn server_of_tool(name: &str) -> String {
    let rest = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    rest.map_or("", |part| part.0).to_lowercase()
}

/// Runtimes spell such names with hyphens and slashes too: `shell-exec`, `/exec`.
pub(crate) fn is_shell_tool(tool: &str) -> bool {
    let name = tool.trim_start_matches('/').replace('-', "_");
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    is_listed(SHELL_TOOLS, &name) || words.any(|word| is_listed(SHELL_WORDS, word))
}

/// Returns whether a tool of this name runs command lines.
pub fn is_shell_name(name: &str) -> bool {
    is_shell_tool(&normalize_tool_name(name))
}

/// Returns the command line in a call's arguments, if they are JSON and the tool runs it.
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

/// A tool of any name runs what it is given as a command, if that begins with a program that everybody
/// knows, or with one by its path, and it is given no file.
pub(crate) fn find_command_line(
    tool: &str,
    named: &serde_json::Map<String, Value>,
) -> Option<String> {
    const FILES: &str = "path file file_path filePath content file_text old_str new_str";
    let key = LINE_KEYS.iter().find(|key| named.contains_key(**key))?;
    let line = match named.get(*key)? {
        Value::String(line) => line.clone(),
        Value::Array(words) => join_words(words),
        _ => return None,
    };
    let is_of_file = || named.keys().any(|key| is_listed(FILES, key));
    let runs = || {
        let read = parse_line(&line);
        let is_known = |it: &ShellCommand| {
            let is_path = it.words[0].text.contains('/');
            is_path || is_known_program(it.program()) || it.wrapped_command().is_some()
        };
        read.commands.iter().any(is_known)
    };
    (is_shell_tool(tool) || (*key != "script" && !is_of_file() && runs())).then_some(line)
}

/// Joins an argument vector into one line; `["bash", "-lc", "…"]` gives its script.
fn join_words(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    if let [shell, flag, script] = words.as_slice()
        && flag.starts_with('-')
        && flag.ends_with('c')
        && base_name(shell).ends_with("sh")
    {
        return (*script).to_owned();
    }
    words.join(" ")
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
