//! Whether a person types into a session, so that an agent may be kept from stopping.
//!
//! A print, exec or SDK run, a job, an engine that drives an agent: whoever reads their last message
//! and exit code must get what they would get without hardwon. So only a sure sign counts, and a client
//! that gives none is as good as a run that nobody types into. The signs were read off real clients.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use hardwon_engine::regular;

use super::client::{Client, Env};

/// How much of a rollout's end is looked through for how its turn began, in bytes.
const ROLLOUT_BYTES: u64 = 4 * 1024 * 1024;

/// What is known of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signs<'a> {
    pub(super) client: Client,
    /// The client's name for it.
    pub(super) session: &'a str,
    /// Its transcript.
    pub(super) transcript: Option<&'a Path>,
    /// What our own plugin says.
    pub(super) told: Option<bool>,
}

/// Returns whether a person surely types into a session.
pub(super) fn is_typed(signs: Signs<'_>, env: Env<'_>) -> bool {
    if env("CI").is_some_and(|it| !it.is_empty() && it != "false") {
        return false;
    }
    match signs.client {
        // Another agent may have been started from its shell, and inherits the first.
        Client::ClaudeCode => {
            env("CLAUDE_CODE_SESSION_ATTENDED").as_deref() == Some("1")
                && env("CLAUDE_CODE_SESSION_ID").as_deref() == Some(signs.session)
        }
        // The same session may be taken up in a terminal and by `codex exec`.
        Client::Codex => {
            let tail = signs.transcript.and_then(|path| tail(path).ok());
            tail.is_some_and(|tail| turn_began_by(&tail).as_deref() == Some("user"))
        }
        Client::OpenCode | Client::Pi => signs.told == Some(true),
        Client::GeminiCli
        | Client::QwenCode
        | Client::CopilotCli
        | Client::Cline
        | Client::Cursor
        | Client::Goose => false,
    }
}

/// Returns what a rollout says that its latest turn was begun by. What was said in the session is
/// escaped in there and cannot look like it.
fn turn_began_by(rollout: &[u8]) -> Option<String> {
    const KEY: &[u8] = br#""turn_trigger":""#;
    let at = rollout.windows(KEY.len()).rposition(|it| it == KEY)?;
    let value = rollout[at + KEY.len()..].split(|byte| *byte == b'"').next();
    Some(String::from_utf8_lossy(value?).into_owned())
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = regular::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(ROLLOUT_BYTES)))?;
    let mut tail = Vec::new();
    file.take(ROLLOUT_BYTES).read_to_end(&mut tail)?;
    Ok(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(client: Client, vars: &[(&str, &str)], told: Option<bool>, expected: bool) {
        let env = |name: &str| {
            let mut found = vars.iter().filter(|(known, _)| *known == name);
            found.next().map(|(_, value)| (*value).to_owned())
        };
        let signs = Signs {
            client,
            session: "s1",
            transcript: None,
            told,
        };
        assert_eq!(
            is_typed(signs, &env),
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
    fn the_latest_turn_of_a_rollout_counts() {
        let turn = |by: &str| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"task_started","turn_attribution":{{"turn_id":"t","turn_trigger":"{by}"}}}}}}"#
            )
        };
        let began = |rollout: &str| turn_began_by(rollout.as_bytes());
        assert_eq!(began(""), None);
        assert_eq!(began(&turn("user")).as_deref(), Some("user"));
        let both = format!("{}\n{}\n", turn("user"), turn("exec"));
        assert_eq!(began(&both).as_deref(), Some("exec"));
        let said = serde_json::to_string(&turn("user")).unwrap();
        assert_eq!(
            began(&format!("{}\n{said}", turn("exec"))).as_deref(),
            Some("exec")
        );
    }
}
