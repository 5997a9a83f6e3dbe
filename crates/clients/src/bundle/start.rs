//! How the hooks of a plugin start hardwon, wherever it was installed.
//!
//! A plugin is published once and installed by people who have hardwon in different places, or not at all. Named by its name
//! alone, it is looked for on the search path and in the folders that installers use; where it is nowhere, the first event of a
//! session says how to install it, and all others stay silent. One command for all events, because Codex trusts commands one
//! by one.

use crate::{client::Client, setup::own_entries::quote_program};

/// The name that stands for a hardwon that is not known yet.
const BARE_NAME: &str = "hardwon";

/// Where installers put programs that the search path of an app may not know.
const INSTALL_FOLDERS: &str = "$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin:/opt/homebrew/bin:\
    /home/linuxbrew/.linuxbrew/bin:$HOME/.npm-global/bin:$HOME/.local/share/pnpm:$HOME/.bun/bin";

/// What the first event of a session answers where there is no hardwon. It has no quotes in it.
const MISSING: &str = "the hardwon plugin does nothing yet, because the program is not installed: run `npm install --global \
                       hardwon` or `uv tool install hardwon`, then start a new session";

/// Returns the command of a plugin's hooks. It names a client only where the hook cannot find out which it is.
pub fn write_start_command(program: &str, client: Option<Client>) -> String {
    let start = write_plain_command(program, client);
    if program != BARE_NAME || cfg!(windows) {
        return start;
    }
    // A shell of its own, because an agent starts hooks by its user's, which may be any. No single quotes, and no word that
    // an agent fills in by itself.
    let is_there = format!("command -v {program} >/dev/null 2>&1");
    let answer = format!(
        "{{\\\"systemMessage\\\":\\\"{}\\\"}}",
        MISSING.replace('`', "\\`")
    );
    format!(
        "sh -c '{is_there} || PATH=\"$PATH:{INSTALL_FOLDERS}\"; {is_there} && exec {start}; \
         case \"$(cat)\" in *\\\"SessionStart\\\"*) echo \"{answer}\";; esac'"
    )
}

/// Returns the command for a shell of Windows, which no other understands.
pub(super) fn write_plain_command(program: &str, client: Option<Client>) -> String {
    let program = quote_program(program);
    match client {
        Some(client) => format!("{program} hook --client {client}"),
        None => format!("{program} hook"),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{
        fs,
        io::Write as _,
        os::unix::fs::PermissionsExt as _,
        process::{Command, Stdio},
    };

    use insta::assert_snapshot;
    use tempfile::TempDir;

    use super::*;

    /// Runs the hooks' command by a shell, in a home with programs; returns what it prints.
    fn run(shell: &str, programs: &[&str], event: &str) -> String {
        let home = TempDir::new().unwrap();
        for program in programs {
            let path = home.path().join(program);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\necho \"$0 $*\"; cat\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut child = Command::new(shell)
            .args(["-c", &write_start_command("hardwon", None)])
            .env_clear()
            .env("HOME", home.path())
            .env(
                "PATH",
                format!("{}/bin:/usr/bin:/bin", home.path().display()),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may not read what it does not need.
        let _is_written = child.stdin.take().unwrap().write_all(event.as_bytes());
        let ran = child.wait_with_output().unwrap();
        assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
        let told = String::from_utf8(ran.stdout).unwrap();
        told.replace(&*home.path().to_string_lossy(), "HOME")
    }

    #[test]
    fn it_is_found_on_the_path_first_and_where_installers_put_it() {
        let all = ["bin/hardwon", ".local/bin/hardwon", ".cargo/bin/hardwon"];
        for shell in ["sh", "bash"] {
            assert_eq!(run(shell, &all, "{}"), "HOME/bin/hardwon hook\n{}");
            assert_eq!(
                run(shell, &all[1..], "{}"),
                "HOME/.local/bin/hardwon hook\n{}"
            );
            assert_eq!(
                run(shell, &all[2..], "{}"),
                "HOME/.cargo/bin/hardwon hook\n{}"
            );
        }
    }

    #[test]
    fn where_it_is_nowhere_a_session_is_told_once() {
        let start = r#"{"session_id":"s","hook_event_name":"SessionStart"}"#;
        let told = run("sh", &[], start);
        let answer: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_snapshot!(answer["systemMessage"].as_str().unwrap(), @"the hardwon plugin does nothing yet, because the program is not installed: run `npm install --global hardwon` or `uv tool install hardwon`, then start a new session");
        for other in [
            "",
            r#"{"hook_event_name":"UserPromptSubmit","prompt":"what is \"SessionStart\"?"}"#,
        ] {
            assert_eq!(run("sh", &[], other), "");
        }
    }

    #[test]
    fn a_program_that_is_known_is_started_as_it_is() {
        assert_eq!(
            write_start_command("/opt/a b/hardwon", None),
            "'/opt/a b/hardwon' hook"
        );
        let gemini = write_start_command("/opt/hardwon", Some(Client::GeminiCli));
        assert_eq!(gemini, "/opt/hardwon hook --client gemini-cli");
        assert!(
            !write_start_command("hardwon", None)["sh -c '".len()..]
                .trim_end_matches('\'')
                .contains('\'')
        );
    }
}
