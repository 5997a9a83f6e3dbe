//! What doctor says about each coding agent: set up or not, heard, and what to do.

use std::{
    path::{Path, PathBuf},
    thread,
};

use hardwon_clients::{
    Client,
    setup::{
        Machine, SetupRow, SetupScope,
        check::{self, SetupState},
        version,
    },
};
use indicatif::HumanDuration;
use jiff::Timestamp;
use serde::Serialize;

use super::DoctorFinding;
use crate::{config, hook::activity, output};

/// One client, looked at from all sides.
#[derive(Serialize)]
pub(super) struct ClientStatus {
    client: &'static str,
    installed: bool,
    version: Option<String>,
    /// `user`, `project`, or nothing where it is not set up.
    set_up: Option<&'static str>,
    hooks: usize,
    hooks_missing: Vec<&'static str>,
    mcp: bool,
    last_event: Option<String>,
    last_event_at: Option<Timestamp>,
    last_preamble_at: Option<Timestamp>,
    #[serde(skip)]
    row: &'static SetupRow,
    #[serde(skip)]
    state: SetupState,
}

impl ClientStatus {
    /// Returns the newest version whose files were seen, if this program is newer.
    fn outgrown_version(&self) -> Option<&'static str> {
        let (version, seen) = (self.version.as_deref()?, self.row.seen_version?);
        version::is_older(seen, version).then_some(seen)
    }
}

/// Looks at the clients that are there, and at those whose settings still name us.
pub(super) fn check_clients(machine: &Machine<'_>, project: Option<&Path>) -> Vec<DoctorFinding> {
    let programs: Vec<_> = Client::ALL
        .iter()
        .map(|client| client.setup_row().find_program(machine))
        .collect();
    let folder = config::state_folder().ok();
    let look = |(client, program): (Client, &Option<PathBuf>)| {
        let (state, set_up) = inspect_setup(machine, client, project);
        let sighting =
            (folder.as_deref()).and_then(|folder| activity::read_activity(folder, client.name()));
        ClientStatus {
            client: client.name(),
            installed: program.is_some(),
            version: None,
            set_up,
            hooks: state.hooks,
            hooks_missing: set_up.map_or_else(Vec::new, |_| state.missing_events.clone()),
            mcp: state.has_server,
            last_event_at: sighting.as_ref().map(|sighting| sighting.at),
            last_preamble_at: sighting.as_ref().and_then(|sighting| sighting.shown_at),
            last_event: sighting.map(|sighting| sighting.event),
            row: client.setup_row(),
            state,
        }
    };
    let (versions, mut looks) = thread::scope(|scope| {
        let versions = scope.spawn(|| version::read_versions(&programs));
        let looks: Vec<_> = Client::ALL.into_iter().zip(&programs).map(look).collect();
        (versions.join().unwrap_or_default(), looks)
    });
    for (look, version) in looks.iter_mut().zip(versions) {
        look.version = version;
    }
    looks.retain(|look| look.row.is_on(machine) || look.state.is_any());
    let findings = looks.into_iter().map(|look| build_finding(machine, look));
    findings.collect()
}

/// Returns what the user's settings hold, or the project's where these hold nothing.
fn inspect_setup(
    machine: &Machine<'_>,
    client: Client,
    project: Option<&Path>,
) -> (SetupState, Option<&'static str>) {
    let setup = check::inspect_setup(machine, client.setup_row(), &SetupScope::User);
    if setup.is_any() {
        return (setup, Some("user"));
    }
    let in_project = project.map(|folder| {
        let place = SetupScope::Project(folder.to_owned());
        check::inspect_setup(machine, client.setup_row(), &place)
    });
    match in_project.filter(SetupState::is_any) {
        Some(setup) => (setup, Some("project")),
        None => (setup, None),
    }
}

fn build_finding(machine: &Machine<'_>, look: ClientStatus) -> DoctorFinding {
    let name = look.row.label;
    let detail = describe_detail(&look);
    let again = format!("hardwon init --client {}", look.client);
    let mut finding = match find_worst_problem(machine, &look) {
        None => DoctorFinding::passed(name, detail),
        Some((trouble, remedy)) => DoctorFinding::failed(
            name,
            format!("{detail}; {trouble}"),
            remedy.unwrap_or(again.clone()),
        ),
    };
    if finding.ok {
        finding.remedy = suggest_step(&look, again);
    }
    finding.client = Some(look);
    finding
}

/// Returns what its user may want to do where nothing is wrong.
fn suggest_step(look: &ClientStatus, again: String) -> Option<String> {
    match (look.set_up, look.installed, look.last_event_at) {
        (None, ..) => Some(again),
        // An app or an editor's extension may run the hooks, so it is no failure.
        (Some(_), false, None) => Some(format!(
            "nothing has run its hooks yet; if it is gone: hardwon uninstall --client {}",
            look.client
        )),
        (Some(_), true, None) => look.row.by_hand.map(str::to_owned),
        (Some(_), ..) => None,
    }
}

/// Returns the worst that is wrong, and what mends it where that is not `init`.
fn find_worst_problem(
    machine: &Machine<'_>,
    look: &ClientStatus,
) -> Option<(String, Option<String>)> {
    let setup = &look.state;
    if let Some((path, trouble)) = setup.problems.first() {
        let message = format!(
            "{}: {}",
            machine.short_path(path),
            output::to_one_line(&trouble.message)
        );
        return Some((message, Some(trouble.remedy.clone())));
    }
    look.set_up?;
    let renewed_by_init = |message: String| Some((message, None));
    if let Some(program) = setup.missing_programs.first() {
        return renewed_by_init(format!("its hooks start {program}, which does not exist"));
    }
    if !look.hooks_missing.is_empty() {
        return renewed_by_init(format!("no hook for {}", look.hooks_missing.join(", ")));
    }
    if setup.is_outdated {
        return renewed_by_init("the plugin is from another version of hardwon".to_owned());
    }
    None
}

fn describe_detail(look: &ClientStatus) -> String {
    let mut parts = Vec::new();
    parts.push(match (&look.version, look.installed) {
        (Some(version), _) => version.clone(),
        (None, true) => "version unknown".to_owned(),
        (None, false) => "program not found".to_owned(),
    });
    parts.extend(
        (look.outgrown_version())
            .map(|seen| format!("newer than {seen}, whose files this hardwon was tried on")),
    );
    match look.set_up {
        None => parts.push("not set up".to_owned()),
        Some(how) => {
            let hooks = output::pluralize(look.hooks as u64, "hook");
            let is_here = how == "project";
            let place = if is_here { " in this project" } else { "" };
            parts.push(format!("{hooks}{place}"));
            parts.extend(look.mcp.then(|| "MCP".to_owned()));
        }
    }
    if let (Some(event), Some(at)) = (&look.last_event, look.last_event_at) {
        let event = output::to_one_line(event);
        parts.push(format!("last event {event} {}", format_age(at)));
        parts.push(match look.last_preamble_at {
            Some(at) => format!("last lesson shown {}", format_age(at)),
            None => "no lesson shown yet".to_owned(),
        });
    } else if look.set_up.is_some() {
        parts.push("no event yet".to_owned());
    }
    parts.join(", ")
}

fn format_age(at: Timestamp) -> String {
    let since = Timestamp::now().duration_since(at);
    // A clock that was put back makes it nought.
    let since = std::time::Duration::try_from(since).unwrap_or_default();
    format!("{} ago", HumanDuration(since))
}
