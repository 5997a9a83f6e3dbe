//! Recognises hardwon's entries in a settings file.
//!
//! An entry is recognised by the program that it starts, not by its place: people move entries about, and older
//! versions wrote them elsewhere.

use serde_json::Value;

/// The name of the MCP server.
pub const SERVER_NAME: &str = "lessons";

/// The words between the program and the client's name in a hook's command.
const HOOK_ARGUMENTS: &str = " hook --client ";

/// Returns whether a hook's command is `hardwon hook --client …`, whatever the program's folder.
pub fn is_our_hook(command: &str) -> bool {
    let parts = command.split_once(HOOK_ARGUMENTS);
    parts.is_some_and(|(program, _)| is_our_program(program))
}

/// Returns the command of an MCP server's entry, word for word, if it is `hardwon mcp`.
pub fn server_command(server: &Value) -> Option<Vec<String>> {
    let mut command = to_words(&server["command"]);
    command.extend(to_words(&server["args"]));
    let is_ours =
        matches!(&command[..], [program, word, ..] if is_our_program(program) && word == "mcp");
    is_ours.then_some(command)
}

/// Returns a word, or a list of words; anything else gives none.
fn to_words(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice);
    let list = list.unwrap_or(std::slice::from_ref(value));
    let words = list.iter().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

/// Returns the command of a client's hook, quoted for a shell.
pub fn hook_command(program: &str, client: &str, event: Option<&str>) -> String {
    let program = quote_program(program);
    match event {
        Some(event) => format!("{program}{HOOK_ARGUMENTS}{client} --event {event}"),
        None => format!("{program}{HOOK_ARGUMENTS}{client}"),
    }
}

/// Returns the program that a hook's command starts, without quotes.
pub fn hook_program(command: &str) -> Option<String> {
    let (program, _) = command.split_once(HOOK_ARGUMENTS)?;
    Some(unquote_program(program))
}

/// Returns whether a program, quoted or not, has hardwon's name.
pub fn is_our_program(program: &str) -> bool {
    let program = unquote_program(program);
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "hardwon" || name == "hardwon.exe"
}

/// Quotes a program's path for a shell, if it needs that.
///
/// A path of Windows gets slashes, because clients there start hooks by Git's bash, by PowerShell or by `cmd`, and some by a
/// different one in another version: only a path without quotes and backslashes is a command to each of them.
pub fn quote_program(program: &str) -> String {
    let is_of_windows = program.contains('\\');
    let program = program.replace('\\', "/");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:".contains(c);
    // In the middle of a word, as in a short name of Windows (`PROGRA~1`), a tilde is itself.
    let is_tilde = |c: char| is_of_windows && c == '~';
    if program.chars().all(|c| is_plain(c) || is_tilde(c)) {
        program
    } else if is_of_windows {
        // `cmd` knows no other quotes.
        format!("\"{program}\"")
    } else {
        format!("'{}'", program.replace('\'', "'\\''"))
    }
}

fn unquote_program(program: &str) -> String {
    let program = program.trim();
    for quote in ['\'', '"'] {
        let inner = program.strip_prefix(quote);
        let inner = inner.and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.replace("'\\''", "'");
        }
    }
    program.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hook_is_ours_by_the_program_it_starts() {
        for ours in [
            "hardwon hook --client codex",
            "/usr/local/bin/hardwon hook --client copilot-cli --event preToolUse",
            "'/home/a b/it'\\''s/hardwon' hook --client codex",
            "\"C:\\Program Files\\hardwon.exe\" hook --client cursor",
        ] {
            assert!(is_our_hook(ours), "{ours}");
        }
        for other in [
            "",
            "hardwon",
            "hardwon learn",
            "my-hardwon hook --client codex",
            "echo 'hardwon hook --client codex'",
            "nice hardwon hook --client codex",
        ] {
            assert!(!is_our_hook(other), "{other}");
        }
    }

    #[test]
    fn a_server_is_ours_by_the_program_it_starts() {
        for (server, is_ours) in [
            (json!({"command": "hardwon", "args": ["mcp"]}), true),
            (
                json!({"command": ["/x/hardwon", "mcp"], "type": "local"}),
                true,
            ),
            (json!({"command": "hardwon", "args": ["serve"]}), false),
            (json!({"command": "npx", "args": ["hardwon", "mcp"]}), false),
            (json!({"url": "http://127.0.0.1:1/mcp"}), false),
            (json!(null), false),
        ] {
            assert_eq!(server_command(&server).is_some(), is_ours, "{server}");
        }
    }

    #[test]
    fn a_path_of_windows_is_one_command_to_every_shell() {
        for (program, quoted) in [
            (
                r"C:\Users\ada\bin\hardwon.exe",
                "C:/Users/ada/bin/hardwon.exe",
            ),
            (
                r"C:\Users\ADALOV~1\hardwon.exe",
                "C:/Users/ADALOV~1/hardwon.exe",
            ),
            (r"C:\Users\a b\hardwon.exe", "\"C:/Users/a b/hardwon.exe\""),
            ("~/bin/hardwon", "'~/bin/hardwon'"),
        ] {
            assert_eq!(quote_program(program), quoted);
            let command = hook_command(program, "codex", None);
            assert!(is_our_hook(&command), "{command}");
        }
    }

    #[test]
    fn a_command_names_its_program_whatever_its_path() {
        for program in [
            "hardwon",
            "/opt/x/hardwon",
            "/home/a b/it's/hardwon",
            "C:/Program Files/hardwon.exe",
        ] {
            let command = hook_command(program, "codex", None);
            assert!(is_our_hook(&command), "{command}");
            assert_eq!(hook_program(&command).as_deref(), Some(program));
        }
        assert_eq!(
            hook_command("hardwon", "copilot-cli", Some("preToolUse")),
            "hardwon hook --client copilot-cli --event preToolUse"
        );
    }
}
