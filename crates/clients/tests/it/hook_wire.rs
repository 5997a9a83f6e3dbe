//! Tests that recorded payloads of clients are understood, and that our replies are accepted.

mod accepted;
mod cases;
mod damage;
mod rollout;

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_clients::{
    Client,
    hook::{self, HookPayload},
};
use hardwon_core::{CallStatus, RunId};
use hardwon_engine::SessionEventKind;

/// One recorded payload.
struct Payload {
    client: Client,
    /// The event that the hook was registered for.
    event: String,
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Returns the folders of recorded payloads, with the client that sent them.
fn folders() -> Vec<(Client, PathBuf)> {
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hooks");
    let mut folders: Vec<PathBuf> = entries(&hooks);
    folders.retain(|path| path.is_dir());
    folders
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let mut known = Client::ALL.into_iter();
            let client = known
                .find(|client| name.starts_with(client.name()))
                .unwrap();
            (client, path)
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn payloads(client: Client, folder: &Path) -> Vec<Payload> {
    entries(folder)
        .into_iter()
        .map(|path| {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let (_, event) = stem.split_once('-').unwrap();
            Payload {
                client,
                event: event.to_owned(),
                bytes: fs::read(&path).unwrap(),
                path,
            }
        })
        .collect()
}

fn all_payloads() -> Vec<Payload> {
    let folders = folders().into_iter();
    folders
        .flat_map(|(client, folder)| payloads(client, &folder))
        .collect()
}

/// Renders a parsed payload, one line for each event.
fn shown(incoming: &HookPayload) -> String {
    if incoming.events.is_empty() {
        return "nothing".to_owned();
    }
    let happened: Vec<String> = incoming.events.iter().map(told).collect();
    happened.join("\n   ")
}

fn told(happened: &SessionEventKind) -> String {
    match happened {
        SessionEventKind::Started(start) => format!("started {start:?}"),
        SessionEventKind::Prompted(prompt) => format!("prompted {:?}", prompt.expose()),
        SessionEventKind::BeforeCall {
            call_id: call,
            tool,
            args,
            delegates,
        } => {
            let task = delegates.as_ref();
            format!(
                "calling {} {} [{}]{}",
                tool.expose(),
                args.expose(),
                call.as_deref().unwrap_or("-"),
                task.map_or_else(String::new, |task| format!(" gives {:?}", task.expose()))
            )
        }
        SessionEventKind::AfterCall {
            call_id: call,
            tool_call: what,
            ..
        } => format!(
            "called {} {} [{}]{} {}",
            what.tool.expose(),
            what.args.expose(),
            call.as_deref().unwrap_or("-"),
            if what.outside.is_some() {
                " external"
            } else {
                ""
            },
            match &what.status {
                CallStatus::Ok => "ok".to_owned(),
                CallStatus::PartlyFailed(_) => {
                    let heads = what.status.errors().map(|head| head.expose());
                    format!("PARTLY {:?}", heads.collect::<Vec<_>>())
                }
                CallStatus::Doubtful(step) => format!("DOUBTFUL {:?}", step.error.expose()),
                CallStatus::Error(head) => format!("FAILED {:?}", head.expose()),
            }
        ),
        SessionEventKind::Stopped {
            last_message: said,
            is_continuation: is_asked,
        } => format!(
            "stopped {:?}{}",
            said.as_ref().map(|said| said.expose()),
            if *is_asked { " asked to go on" } else { "" }
        ),
        SessionEventKind::Compacting => "compacting".to_owned(),
        SessionEventKind::Ended => "ended".to_owned(),
    }
}

#[test]
fn recorded_payloads_are_understood() {
    for (client, folder) in folders() {
        let mut lines = Vec::new();
        let mut places = Vec::new();
        for payload in payloads(client, &folder) {
            let incoming =
                hook::parse_payload(client.hook_row(), Some(&payload.event), &payload.bytes)
                    .unwrap();
            assert!(RunId::parse(&incoming.session).is_ok());
            lines.push(format!("{}: {}", payload.event, shown(&incoming)));
            let place = format!(
                "session {} in {:?}, transcript {:?}, sub-agent {}",
                incoming.session, incoming.cwd, incoming.transcript, incoming.in_subagent
            );
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        insta::assert_snapshot!(name, [places, lines].concat().join("\n"));
    }
}

#[test]
fn every_client_has_recorded_payloads() {
    let folders = folders();
    for client in Client::ALL {
        assert!(
            folders.iter().any(|(known, _)| *known == client),
            "{client}"
        );
    }
}

/// The event that the hook was registered for only counts where the payload names none.
#[test]
fn only_copilot_needs_to_be_told_the_event() {
    for payload in all_payloads() {
        let hinted = hook::parse_payload(
            payload.client.hook_row(),
            Some(&payload.event),
            &payload.bytes,
        )
        .unwrap();
        let alone = hook::parse_payload(payload.client.hook_row(), None, &payload.bytes).unwrap();
        let is_silent = payload.path.parent().unwrap().ends_with("copilot-cli");
        assert_eq!(
            alone.events.is_empty(),
            hinted.events.is_empty() || is_silent,
            "{}",
            payload.path.display()
        );
    }
}

/// Registered under Claude Code's names or their own, the clients that run its hooks are known by their payloads.
#[test]
fn a_client_behind_claude_code_is_known_by_its_payloads() {
    let has_own = |client| {
        matches!(
            client,
            Client::ClaudeCode | Client::CopilotCli | Client::Cursor
        )
    };
    let payloads = all_payloads().into_iter();
    for payload in payloads.filter(|payload| has_own(payload.client)) {
        let is_copilot = payload.client == Client::CopilotCli;
        let env = |name: &str| (is_copilot && name == "COPILOT_CLI").then(|| "1".to_owned());
        assert_eq!(
            Client::detect_behind(Client::ClaudeCode, &env, &payload.bytes),
            payload.client,
            "{}",
            payload.path.display()
        );
    }
}
