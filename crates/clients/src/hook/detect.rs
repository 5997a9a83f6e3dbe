//! Finds out which client really runs a hook that is registered for Claude Code.
//!
//! Copilot CLI and Cursor also run the hooks in Claude Code's settings, and understand another answer than Claude Code
//! does. Keys that only one client sends prove the most, then the session's id in the environment, then a variable that
//! merely is set: an agent started from another agent's shell inherits that one's variables.

use super::{EnvLookup, Fields};
use crate::{client::Client, transcript::json_text::to_json_text};

impl Client {
    /// Returns the client that really called a command registered for `told`.
    pub fn detect_behind(told: Self, env: EnvLookup<'_>, stdin: &[u8]) -> Self {
        if told != Self::ClaudeCode {
            return told;
        }
        let json = to_json_text(stdin);
        let signs: Fields<'_> = serde_json::from_str(&json).unwrap_or_default();
        let session = signs.text(&["session_id"]);
        let is_own = session.is_some() && env("CLAUDE_CODE_SESSION_ID") == session;
        let is_below_copilot = || env("COPILOT_CLI").is_some_and(|value| !value.is_empty());
        if signs.has("cursor_version") {
            Self::Cursor
        } else if signs.has("sessionId") || !is_own && is_below_copilot() {
            Self::CopilotCli
        } else {
            told
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_client_may_run_the_hooks_of_claude_code() {
        const COPILOT: (&str, &str) = ("COPILOT_CLI", "1");
        const OWN: (&str, &str) = ("CLAUDE_CODE_SESSION_ID", "s");
        let stop = r#"{"session_id":"s","hook_event_name":"Stop"}"#;
        for (told, set, payload, expected) in [
            (Client::ClaudeCode, &[][..], stop, Client::ClaudeCode),
            (Client::ClaudeCode, &[COPILOT], stop, Client::CopilotCli),
            (
                Client::ClaudeCode,
                &[COPILOT, OWN],
                stop,
                Client::ClaudeCode,
            ),
            (
                Client::ClaudeCode,
                &[COPILOT, ("CLAUDE_CODE_SESSION_ID", "outer")],
                stop,
                Client::CopilotCli,
            ),
            (
                Client::ClaudeCode,
                &[OWN],
                r#"{"sessionId":"s","timestamp":1}"#,
                Client::CopilotCli,
            ),
            (
                Client::ClaudeCode,
                &[],
                r#"{"cursor_version":"2.0","session_id":"s"}"#,
                Client::Cursor,
            ),
            (Client::ClaudeCode, &[], "garbage", Client::ClaudeCode),
            (Client::Codex, &[COPILOT], stop, Client::Codex),
        ] {
            let env = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            let client = Client::detect_behind(told, &env, payload.as_bytes());
            assert_eq!(client, expected, "{told} {set:?} {payload}");
        }
    }
}
