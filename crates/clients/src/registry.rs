//! Registers the clients: the table rows of each, and every format.
//!
//! Code in a client's folder must not use this module, nor must anything that such code uses.

use std::ffi::OsString;

use crate::{
    claude_code,
    client::Client,
    cline, codex, copilot_cli, cursor, gemini_cli, goose,
    hook::HookRow,
    opencode, pi, qwen_code,
    setup::{Machine, SetupRow},
    transcript::{FormatRow, formats},
};

/// The formats, in the order in which they are tried, and their sessions searched.
pub(crate) static FORMATS: [&FormatRow; 12] = [
    &formats::plain::FORMAT,
    &claude_code::transcript::FORMAT,
    &codex::transcript::FORMAT,
    &gemini_cli::transcript::FORMAT,
    &qwen_code::transcript::FORMAT,
    &copilot_cli::transcript::FORMAT,
    &pi::transcript::FORMAT,
    &opencode::transcript::FORMAT,
    &formats::openhands::FORMAT,
    &formats::specstory::FORMAT,
    &formats::aider::FORMAT,
    &formats::messages::FORMAT,
];

impl Client {
    /// Returns the row of the client's hooks.
    pub fn hook_row(self) -> &'static HookRow {
        self.setup_row().hooks
    }

    /// Returns the row of the client's settings.
    pub fn setup_row(self) -> &'static SetupRow {
        match self {
            Self::ClaudeCode => &claude_code::setup::SETUP,
            Self::Codex => &codex::setup::SETUP,
            Self::GeminiCli => &gemini_cli::setup::SETUP,
            Self::QwenCode => &qwen_code::setup::SETUP,
            Self::CopilotCli => &copilot_cli::setup::SETUP,
            Self::OpenCode => &opencode::setup::SETUP,
            Self::Pi => &pi::setup::SETUP,
            Self::Cline => &cline::setup::SETUP,
            Self::Cursor => &cursor::setup::SETUP,
            Self::Goose => &goose::setup::SETUP,
        }
    }

    /// Returns the clients that are on a machine.
    pub fn find_on(machine: &Machine<'_>) -> Vec<Self> {
        let mut clients = Self::ALL.to_vec();
        clients.retain(|client| client.setup_row().is_on(machine));
        clients
    }
}

/// Variables that clients other than ours set for the commands of their agents, too.
const COMMON_MARKS: [&str; 3] = ["AI_AGENT", "AUGMENT_AGENT", "VSCODE_AGENT"];

/// Returns the variable by which the environment of a process says that an agent's client started it; `None` for the
/// terminal of a person, a script or a job.
pub fn find_agent_mark(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<&'static str> {
    let rows = Client::ALL.iter().map(|client| client.setup_row());
    let marks = rows.flat_map(|row| row.shell_marks).copied();
    let is_set = |mark: &&str| {
        variable(mark).is_some_and(|value| !["", "0", "false"].iter().any(|off| value == *off))
    };
    marks.chain(COMMON_MARKS).find(is_set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::{AnswerForm, HookEvent, HookEventKind, SessionSigns};

    #[test]
    fn every_client_has_its_row_and_its_name() {
        for client in Client::ALL {
            assert_eq!(client.hook_row().client, client);
            assert_eq!(Client::from_name(client.name()), Some(client));
            assert_eq!(client.to_string(), client.name());
        }
        assert_eq!(Client::from_name("Claude Code"), None);
        // The strictest known client cuts off at about 9,000 characters.
        const { assert!(hardwon_core::limits::PREAMBLE_BYTES < 8_000) };
    }

    #[test]
    fn an_event_has_one_row_in_either_spelling() {
        for client in Client::ALL {
            let events = client.hook_row().events;
            for event in events {
                for name in [Some(event.name), event.alias].into_iter().flatten() {
                    let named = |it: &&HookEvent| it.name == name || it.alias == Some(name);
                    assert_eq!(events.iter().filter(named).count(), 1, "{client} {name}");
                }
            }
        }
        let event = Client::CopilotCli
            .hook_row()
            .find_event("UserPromptSubmit")
            .unwrap();
        assert_eq!(event.name, "userPromptSubmitted");
        assert!(
            Client::GeminiCli
                .hook_row()
                .find_event("PreCompress")
                .is_none()
        );
    }

    #[test]
    fn only_the_end_of_a_turn_can_be_put_off() {
        for client in Client::ALL {
            for event in client.hook_row().events {
                if matches!(event.answer, AnswerForm::Continue(_)) {
                    assert_eq!(event.kind, HookEventKind::Stop, "{client} {}", event.name);
                }
            }
        }
    }

    fn check(client: Client, vars: &[(&str, &str)], told: Option<bool>, expected: bool) {
        let env = |name: &str| {
            let mut found = vars.iter().filter(|(known, _)| *known == name);
            found.next().map(|(_, value)| (*value).to_owned())
        };
        let signs = SessionSigns {
            session: "s1",
            transcript: None,
            plugin_answer: told,
        };
        assert_eq!(
            client.hook_row().is_interactive(&signs, &env),
            expected,
            "{client} {vars:?} {told:?}"
        );
    }

    #[test]
    fn only_a_sure_sign_counts() {
        let attended = ("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let own = ("CLAUDE_CODE_SESSION_ID", "s1");
        let claude =
            |vars: &[(&str, &str)], expected| check(Client::ClaudeCode, vars, None, expected);
        claude(&[attended, own], true);
        claude(&[attended, own, ("CI", "false")], true);
        claude(&[attended, own, ("CI", "true")], false);
        claude(&[attended, ("CLAUDE_CODE_SESSION_ID", "s0")], false);
        claude(&[("CLAUDE_CODE_SESSION_ATTENDED", "0"), own], false);
        claude(&[("CLAUDE_CODE_ENTRYPOINT", "cli"), own], false);
        claude(&[], false);
        for client in [Client::OpenCode, Client::Pi] {
            check(client, &[], Some(true), true);
            check(client, &[], Some(false), false);
        }
        for client in Client::ALL {
            check(client, &[], None, false);
        }
        check(Client::GeminiCli, &[attended, own], None, false);
        check(Client::Codex, &[attended, own], None, false);
    }

    #[test]
    fn a_shell_that_a_client_opened_is_known_by_its_mark() {
        for (set, expected) in [
            (&[("CLAUDECODE", "1")][..], Some("CLAUDECODE")),
            (&[("CODEX_THREAD_ID", "019a")], Some("CODEX_THREAD_ID")),
            (&[("AI_AGENT", "crush")], Some("AI_AGENT")),
            (&[("CURSOR_AGENT", "0"), ("GEMINI_CLI", "")], None),
            (&[("CODEX_HOME", "/home/a/.codex"), ("CI", "true")], None),
            (
                &[
                    ("CURSOR_TRACE_ID", "the terminal of a person"),
                    ("TERM_PROGRAM", "vscode"),
                ],
                None,
            ),
            (&[], None),
        ] {
            let env = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            };
            assert_eq!(find_agent_mark(&env), expected, "{set:?}");
        }
        for client in Client::ALL {
            assert!(!client.setup_row().shell_marks.is_empty(), "{client}");
        }
    }
}
