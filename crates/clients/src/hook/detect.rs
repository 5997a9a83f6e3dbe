//! Detects which client called, when the command line does not say or cannot be trusted.
//!
//! Signs are checked in the order of what they prove: keys that only one client sends, then a session id in the
//! environment that equals the payload's, then a variable that merely is set. An agent started from another agent's
//! shell inherits the other's variables, so these come last. `CLAUDE_PROJECT_DIR` proves nothing: four clients set it.

use super::{EnvLookup, Fields};
use crate::{client::Client, transcript::json_text::to_json_text};

impl Client {
    /// Detects the client that called by its environment and its payload; `None` if no sign is found.
    pub fn detect(env: EnvLookup<'_>, stdin: &[u8]) -> Option<Self> {
        let json = to_json_text(stdin);
        let signs: Fields<'_> = serde_json::from_str(&json).unwrap_or_default();
        detect_by_keys(&signs)
            .or_else(|| detect_by_session(env, &signs))
            .or_else(|| detect_by_turn(&signs))
            .or_else(|| detect_by_variables(env))
    }

    /// Returns the client that really called a command registered for `told`.
    ///
    /// Copilot CLI and Cursor also run the hooks in Claude Code's settings, and understand another answer than Claude
    /// Code does.
    pub fn detect_behind(told: Self, env: EnvLookup<'_>, stdin: &[u8]) -> Self {
        match Self::detect(env, stdin) {
            Some(found @ (Self::CopilotCli | Self::Cursor)) if told == Self::ClaudeCode => found,
            _ => told,
        }
    }
}

fn detect_by_keys(signs: &Fields<'_>) -> Option<Client> {
    if signs.has("cursor_version") {
        return Some(Client::Cursor);
    }
    if signs.has("hookName") && signs.has("taskId") {
        return Some(Client::Cline);
    }
    if signs.has("event") && !signs.has("hook_event_name") {
        return match signs.text(&["client"]) {
            Some(client) => Client::from_name(&client),
            None => signs.has("session_id").then_some(Client::Goose),
        };
    }
    signs.has("sessionId").then_some(Client::CopilotCli)
}

/// Checks Qwen Code first: it sets some of Gemini CLI's variables too.
fn detect_by_session(env: EnvLookup<'_>, signs: &Fields<'_>) -> Option<Client> {
    let session = signs.text(&["session_id"])?;
    [
        ("QWEN_CODE_SESSION_ID", Client::QwenCode),
        ("GEMINI_SESSION_ID", Client::GeminiCli),
        ("CLAUDE_CODE_SESSION_ID", Client::ClaudeCode),
    ]
    .into_iter()
    .find_map(|(name, client)| (env(name).as_ref() == Some(&session)).then_some(client))
}

/// Detects Codex: it sends the turn's id, and the model even where there is no turn, but no time. Its transcripts are
/// called rollouts.
fn detect_by_turn(signs: &Fields<'_>) -> Option<Client> {
    let transcript = signs.text(&["transcript_path"]).unwrap_or_default();
    let file = transcript.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_codex = signs.has("turn_id")
        || file.starts_with("rollout-")
        || (signs.has("model") && signs.has("permission_mode") && !signs.has("timestamp"));
    is_codex.then_some(Client::Codex)
}

fn detect_by_variables(env: EnvLookup<'_>) -> Option<Client> {
    let has = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    if has("COPILOT_CLI") {
        Some(Client::CopilotCli)
    } else if has("QWEN_CODE_SESSION_ID") {
        Some(Client::QwenCode)
    } else if has("GEMINI_SESSION_ID") {
        Some(Client::GeminiCli)
    } else if has("CLAUDECODE") || has("CLAUDE_CODE_SESSION_ID") {
        Some(Client::ClaudeCode)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        move |name| {
            let mut found = vars.iter().filter(|(known, _)| *known == name);
            found.next().map(|(_, value)| (*value).to_owned())
        }
    }

    fn check(vars: &'static [(&'static str, &'static str)], stdin: &str, expected: Option<Client>) {
        let found = Client::detect(&env(vars), stdin.as_bytes());
        assert_eq!(found, expected, "{vars:?} {stdin}");
    }

    #[test]
    fn a_client_is_known_by_what_only_it_sends() {
        check(
            &[],
            r#"{"cursor_version":"2.0","model":"x"}"#,
            Some(Client::Cursor),
        );
        check(
            &[],
            r#"{"hookName":"PreToolUse","taskId":"1"}"#,
            Some(Client::Cline),
        );
        check(
            &[],
            r#"{"event":"Stop","session_id":"s"}"#,
            Some(Client::Goose),
        );
        check(
            &[],
            r#"{"v":1,"client":"pi","event":"stop"}"#,
            Some(Client::Pi),
        );
        check(&[], r#"{"v":1,"client":"nobody","event":"stop"}"#, None);
        check(
            &[],
            r#"{"sessionId":"s","timestamp":1}"#,
            Some(Client::CopilotCli),
        );
        check(
            &[],
            r#"{"session_id":"s","turn_id":"t","hook_event_name":"Stop"}"#,
            Some(Client::Codex),
        );
        check(
            &[],
            r#"{"session_id":"s","transcript_path":"/h/.codex/sessions/rollout-1.jsonl"}"#,
            Some(Client::Codex),
        );
        check(&[], r#"{"session_id":"s","hook_event_name":"Stop"}"#, None);
        check(&[], "garbage", None);
        check(&[], "", None);
    }

    #[test]
    fn a_session_id_proves_more_than_a_variable() {
        const NESTED: &[(&str, &str)] = &[
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_SESSION_ID", "outer"),
            ("QWEN_CODE_SESSION_ID", "inner"),
            ("GEMINI_SESSION_ID", "inner"),
            ("CLAUDE_PROJECT_DIR", "/x"),
        ];
        check(NESTED, r#"{"session_id":"inner"}"#, Some(Client::QwenCode));
        check(
            NESTED,
            r#"{"session_id":"outer"}"#,
            Some(Client::ClaudeCode),
        );
        check(
            &[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "outer")],
            r#"{"session_id":"s","turn_id":"t","model":"m"}"#,
            Some(Client::Codex),
        );
        // Qwen Code sends the model at the start of a session, too, but also the time.
        check(
            &[("QWEN_CODE_SESSION_ID", "other")],
            r#"{"session_id":"s","model":"m","permission_mode":"yolo","timestamp":"now"}"#,
            Some(Client::QwenCode),
        );
        check(
            &[("COPILOT_CLI", "1")],
            r#"{"session_id":"s","hook_event_name":"Stop"}"#,
            Some(Client::CopilotCli),
        );
        check(
            &[("CLAUDE_PROJECT_DIR", "/x")],
            r#"{"session_id":"s"}"#,
            None,
        );
    }

    #[test]
    fn another_client_may_run_the_hooks_of_claude_code() {
        let copilot = env(&[("COPILOT_CLI", "1")]);
        let payload = br#"{"session_id":"s","hook_event_name":"Stop"}"#;
        let behind = |told| Client::detect_behind(told, &copilot, payload);
        assert_eq!(behind(Client::ClaudeCode), Client::CopilotCli);
        assert_eq!(behind(Client::Codex), Client::Codex);
        let claude = env(&[("COPILOT_CLI", "1"), ("CLAUDE_CODE_SESSION_ID", "s")]);
        assert_eq!(
            Client::detect_behind(Client::ClaudeCode, &claude, payload),
            Client::ClaudeCode
        );
    }
}
