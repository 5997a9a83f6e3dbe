//! Codex's trust in hooks, read and granted through its own app server.
//!
//! Codex runs no hook until its user trusts it, by typing `/hooks`, and does not mention it when it runs without a
//! screen. Its app server does the same: JSON, one message a line. Trust is granted only to hooks of one file and one
//! exact command, whatever else is registered.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::setup::{Result, SetupProblem, file, json};

/// Longest time for all requests to the app server.
const SERVER_TIMEOUT: Duration = Duration::from_secs(20);
/// Most bytes of its answers that are read.
const ANSWER_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A hook as Codex lists it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodexHook {
    /// Codex's key for it.
    pub key: String,
    command: Option<String>,
    source_path: Option<String>,
    plugin_id: Option<String>,
    current_hash: String,
    #[serde(rename = "trustStatus")]
    trust: HookTrust,
}

/// How far Codex trusts a hook; it runs trusted ones only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HookTrust {
    /// Its user has not trusted it.
    Untrusted,
    /// It was changed since its user trusted it.
    Modified,
    /// Its user trusted it, or the administrator of the machine did.
    #[serde(alias = "managed")]
    Trusted,
}

/// A query for hooks: those of one file that run one command.
#[derive(Debug, Clone, Copy)]
pub struct HookQuery<'a> {
    /// The file of the hooks.
    pub file: &'a Path,
    /// The exact command.
    pub command: &'a str,
}

impl HookQuery<'_> {
    fn matches_hook(self, hook: &CodexHook) -> bool {
        let file = hook.source_path.as_deref().map(Path::new);
        hook.plugin_id.is_none()
            && file.is_some_and(|file| file == self.file || is_same_path(file, self.file))
            && hook.command.as_deref() == Some(self.command)
    }
}

fn is_same_path(a: &Path, b: &Path) -> bool {
    dunce::canonicalize(a).is_ok_and(|a| dunce::canonicalize(b).is_ok_and(|b| a == b))
}

/// Returns the command of our hooks in a file; `None` if it has none of ours.
pub fn read_command(file: &Path) -> Option<String> {
    let text = file::read_settings(file).ok()??;
    let entries = json::find_own_entries(&text).ok()?;
    entries.hooks.into_iter().next().map(|(_, command)| command)
}

/// Returns the lowest trust among the matching hooks; `None` if Codex sees none of them.
///
/// `program` is Codex, `folder` the folder it would work in.
pub fn find_trust(
    program: &Path,
    folder: &Path,
    which: HookQuery<'_>,
) -> Result<Option<HookTrust>> {
    let mut server = AppServer::start(program, folder)?;
    let hooks = server.list_hooks(folder)?;
    let ours = hooks.iter().filter(|hook| which.matches_hook(hook));
    Ok(ours.map(|hook| hook.trust).min())
}

/// Makes Codex trust the matching hooks, and returns how many it did not trust before.
pub fn grant_trust(program: &Path, folder: &Path, which: HookQuery<'_>) -> Result<usize> {
    let mut server = AppServer::start(program, folder)?;
    let wanting = |hooks: Vec<CodexHook>| -> Vec<CodexHook> {
        let wanting =
            |hook: &CodexHook| which.matches_hook(hook) && hook.trust != HookTrust::Trusted;
        hooks.into_iter().filter(wanting).collect()
    };
    let hooks = wanting(server.list_hooks(folder)?);
    if hooks.is_empty() {
        return Ok(0);
    }
    let state: serde_json::Map<String, Value> = hooks
        .iter()
        .map(|hook| (hook.key.clone(), json!({"trusted_hash": hook.current_hash})))
        .collect();
    let edit = json!({"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": state});
    server.send_request(
        "config/batchWrite",
        &json!({"edits": [edit], "reloadUserConfig": true}),
    )?;
    if wanting(server.list_hooks(folder)?).is_empty() {
        return Ok(hooks.len());
    }
    Err(trust_problem("Codex did not take it"))
}

/// A running app server; it is stopped when dropped.
struct AppServer {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Value>,
    last: u64,
    until: Instant,
}

impl AppServer {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg("app-server")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| trust_problem(format!("Codex does not start: {error}")))?;
        let stdin = child.stdin.take().expect("it was asked for");
        let stdout = child.stdout.take().expect("it was asked for");
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(stdout.take(ANSWER_BYTES_MAX)).lines();
            for line in lines.map_while(Result::ok) {
                let answer = serde_json::from_str(&line).unwrap_or_default();
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        let mut server = Self {
            child,
            stdin,
            answers,
            last: 0,
            until: Instant::now() + SERVER_TIMEOUT,
        };
        let about =
            json!({"name": "hardwon", "title": "hardwon", "version": env!("CARGO_PKG_VERSION")});
        server.send_request("initialize", &json!({"clientInfo": about}))?;
        server.write_message(&json!({"method": "initialized"}))?;
        Ok(server)
    }

    /// Returns all hooks that Codex sees in a folder.
    fn list_hooks(&mut self, folder: &Path) -> Result<Vec<CodexHook>> {
        let answer = self.send_request("hooks/list", &json!({"cwds": [folder]}))?;
        let mut hooks = Vec::new();
        for of_folder in answer["data"].as_array().into_iter().flatten() {
            for hook in of_folder["hooks"].as_array().into_iter().flatten() {
                let hook = CodexHook::deserialize(hook);
                hooks.push(hook.map_err(|_| trust_problem("Codex answers in an unknown way"))?);
            }
        }
        Ok(hooks)
    }

    /// Sends a request, and waits for its answer; other messages in between are skipped.
    fn send_request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last += 1;
        self.write_message(&json!({"id": self.last, "method": method, "params": params}))?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(left);
            let answer =
                answer.map_err(|_| trust_problem(format!("Codex does not answer {method}")))?;
            if answer["id"].as_u64() != Some(self.last) {
                continue;
            }
            if let Some(message) = answer["error"]["message"].as_str() {
                return Err(trust_problem(format!("Codex says to {method}: {message}")));
            }
            return Ok(answer["result"].clone());
        }
    }

    fn write_message(&mut self, message: &Value) -> Result<()> {
        let result = writeln!(self.stdin, "{message}").and_then(|()| self.stdin.flush());
        result.map_err(|_| trust_problem("Codex's app server ended by itself"))
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn trust_problem(what: impl Into<String>) -> SetupProblem {
    SetupProblem::new(what, "start codex, type /hooks there, and trust hardwon's")
}
