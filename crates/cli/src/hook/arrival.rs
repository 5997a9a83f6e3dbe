//! Reads a hook's payload: whose it is, and what happened.

use std::{
    env,
    io::{self, Read as _},
    path::PathBuf,
    time::Duration,
};

use hardwon_clients::{
    Client,
    hook::{self, HookEvent, HookPayload},
};
use hardwon_core::{RawText, limits};
use hardwon_engine::SessionEventKind;

use crate::{CliError, Result, args::HookArgs, project};

/// How much slower a debug build is, at its worst.
pub(super) const DEBUG_SLOWDOWN: u64 = if cfg!(debug_assertions) { 20 } else { 1 };
/// Longest time for an event before or after a call.
const ACTION_LIMIT: Duration = Duration::from_millis(500 * DEBUG_SLOWDOWN);
/// Longest time for an event at the start or end of a turn.
const TURN_LIMIT: Duration = Duration::from_millis(1500 * DEBUG_SLOWDOWN);
/// Longest time for an event of which something must be kept, however busy the machine is: a line that somebody wrote to
/// change lessons, or words from outside. Below what the clients are told to wait.
pub(super) const KEPT_LIMIT: Duration = Duration::from_millis(7000 * DEBUG_SLOWDOWN);

/// A payload that is of interest.
pub(super) struct Arrival {
    pub(super) client: Client,
    pub(super) event: &'static HookEvent,
    pub(super) payload: HookPayload,
}

impl Arrival {
    /// Reads standard input; `None` where nothing of interest happened.
    pub(super) fn read(args: &HookArgs) -> Result<Option<Self>> {
        let bytes = read_payload()?;
        let client = detect_client(args, &bytes)?;
        let hint = args.event.as_deref();
        let payload =
            hook::parse_payload(client.hook_row(), hint, &bytes).map_err(CliError::internal)?;
        let event = hook::find_event(client.hook_row(), hint, &bytes);
        let arrival = event.map(|event| Self {
            client,
            event,
            payload,
        });
        Ok(arrival.filter(|arrival| !arrival.payload.events.is_empty()))
    }

    /// Adds what only the client's files know, and finds the session's folder.
    pub(super) fn complete(mut self) -> Self {
        hook::complete_payload(self.client.hook_row(), &mut self.payload);
        let started_in = |name: &str| env::var_os(name).map(PathBuf::from);
        let folder = self.payload.cwd.map(|cwd| session_folder(cwd, &started_in));
        self.payload.cwd = folder;
        self
    }

    /// Returns whether it is at the start or end of a turn, where there is more time.
    pub(super) fn is_turn_edge(&self) -> bool {
        let is_call = |event: &SessionEventKind| {
            matches!(
                event,
                SessionEventKind::BeforeCall { .. } | SessionEventKind::AfterCall { .. }
            )
        };
        !self.payload.events.iter().all(is_call)
    }

    /// Returns the longest time until its reply.
    pub(super) fn time_limit(&self) -> Duration {
        let is_kept = |event| SessionEventKind::has_writ(event) || brings_words(event);
        if self.payload.events.iter().any(is_kept) {
            KEPT_LIMIT
        } else if self.is_turn_edge() {
            TURN_LIMIT
        } else {
            ACTION_LIMIT
        }
    }
}

/// Returns whether an event may bring words from outside that take a while to take in: of a long result it is not known
/// before the session is.
fn brings_words(event: &SessionEventKind) -> bool {
    const LONG_BYTES: usize = 16 * 1024;
    match event {
        SessionEventKind::AfterCall {
            tool_call, output, ..
        } => {
            let is_long = |text: &RawText| text.expose().len() > LONG_BYTES;
            tool_call.outside.is_some() || output.as_ref().is_some_and(is_long)
        }
        _ => false,
    }
}

fn detect_client(args: &HookArgs, payload: &[u8]) -> Result<Client> {
    let name = args.client.as_deref().unwrap_or_default();
    let told = Client::from_name(name);
    let told = told.ok_or_else(|| {
        CliError::internal("`--client` is missing, or names no client that is known")
    })?;
    Ok(Client::detect_behind(
        told,
        &|name| env::var(name).ok(),
        payload,
    ))
}

/// Reads the payload, and one byte more than the limit; of a longer one what fits.
fn read_payload() -> io::Result<Vec<u8>> {
    let mut payload = Vec::new();
    let most = limits::HOOK_BYTES as u64 + 1;
    io::stdin().lock().take(most).read_to_end(&mut payload)?;
    Ok(hook::shorten_payload(payload))
}

/// The variables with which clients give hooks the folder the session was started in.
const START_FOLDER_VARIABLES: [&str; 3] = [
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
];

/// Returns the folder that a session belongs to: where it was started, unless it is in a repository now. Sessions
/// change to folders below as they work.
fn session_folder(cwd: PathBuf, started_in: &dyn Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let folders = START_FOLDER_VARIABLES
        .iter()
        .filter_map(|name| started_in(name));
    let mut folders =
        folders.filter(|folder| folder.is_absolute() && *folder != cwd && cwd.starts_with(folder));
    match folders.next() {
        Some(folders) if project::find_root(&cwd).is_none() => folders,
        _ => cwd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_belongs_to_the_folder_it_was_started_in() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("scripts/repo/.git")).unwrap();
        for (started, cwd, expected) in [
            (None, "scripts/sub", "scripts/sub"),
            (Some("scripts"), "scripts", "scripts"),
            (Some("scripts"), "scripts/sub", "scripts"),
            (Some("scripts"), "scripts/repo/src", "scripts/repo/src"),
            (Some("scripts"), "elsewhere", "elsewhere"),
        ] {
            let told = |name: &str| started.filter(|_| name.starts_with("QWEN")).map(at);
            assert_eq!(
                session_folder(at(cwd), &told),
                at(expected),
                "{started:?} {cwd}"
            );
        }
    }
}
