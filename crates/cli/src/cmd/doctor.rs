//! `hardwon doctor`: checks that everything works, and says what to do where it does not.

mod clients;
mod meaning;
pub(super) mod server;

use std::{env, panic::resume_unwind, process::ExitCode, thread};

use hardwon_clients::{archive, setup::machine::project_folder};
use hardwon_store::{SqliteStore, StoreErrorKind};
use serde::Serialize;

use self::clients::ClientStatus;
use super::change;
use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings, cmd::pause, config, model, open, output,
};

/// One thing that was looked at.
#[derive(Serialize)]
struct DoctorFinding {
    what: &'static str,
    ok: bool,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<ClientStatus>,
}

impl DoctorFinding {
    fn passed(what: &'static str, detail: impl Into<String>) -> Self {
        Self {
            what,
            ok: true,
            detail: hardwon_redact::redact(&detail.into()).into_owned(),
            remedy: None,
            client: None,
        }
    }

    fn failed(what: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            ok: false,
            remedy: Some(remedy.into()),
            ..Self::passed(what, detail)
        }
    }
}

pub(super) fn run(global: &GlobalArgs, json: bool, probe: bool) -> Result<ExitCode> {
    let waiting = output::show_spinner("checking the agents on this machine");
    // The agents are asked beside it: each takes a moment to start.
    let (mut findings, agents) = thread::scope(|scope| {
        let own = scope.spawn(|| check_own_parts(global, probe));
        let agents = check_agents();
        (
            own.join().unwrap_or_else(|panic| resume_unwind(panic)),
            agents,
        )
    });
    findings.extend(agents);
    waiting.finish_and_clear();
    let well = findings.iter().all(|finding| finding.ok);
    if json {
        output::print_json(&findings)?;
    } else {
        findings.iter().try_for_each(print_finding)?;
    }
    Ok(ExitReason::Negative.exit_code_if(!well))
}

/// Checks the settings and what they name.
fn check_own_parts(global: &GlobalArgs, probe: bool) -> Vec<DoctorFinding> {
    let settings = match Settings::load(global) {
        Ok(settings) => settings,
        Err(failure) => {
            let remedy = "fix or remove the settings file";
            return vec![DoctorFinding::failed(
                "settings",
                failure.to_string(),
                remedy,
            )];
        }
    };
    let mut findings = vec![check_settings_file()];
    if settings.server.is_some() {
        findings.extend(server::check_server(&settings));
    } else {
        findings.extend(check_database(&settings));
        #[cfg(feature = "server")]
        findings.extend(check_keys(&settings));
    }
    findings.push(check_project(&settings));
    findings.extend(check_pause(&settings));
    findings.extend(check_model(&settings, probe));
    findings.push(meaning::check_meaning(&settings, probe));
    findings
}

/// Checks the agents on this machine.
fn check_agents() -> Vec<DoctorFinding> {
    let mut findings = vec![check_sessions()];
    if let Ok(machine) = change::current_machine() {
        let folder = env::current_dir().ok();
        let project = folder.map(|folder| project_folder(&folder));
        findings.extend(clients::check_clients(&machine, project.as_deref()));
    }
    findings
}

fn print_finding(finding: &DoctorFinding) -> Result<()> {
    let mark = match (finding.ok, &finding.remedy) {
        (false, _) => output::red("FAIL"),
        (true, Some(_)) => output::yellow("note"),
        (true, None) => output::green("ok  "),
    };
    print_line!("{mark} {:<11} {}", finding.what, finding.detail)?;
    match &finding.remedy {
        Some(remedy) => print_line!("                 -> {remedy}"),
        None => Ok(()),
    }
}

fn check_settings_file() -> DoctorFinding {
    match config::file_path() {
        Ok(path) if path.exists() => DoctorFinding {
            remedy: describe_former_settings(),
            ..DoctorFinding::passed("settings", path.display().to_string())
        },
        Ok(path) => DoctorFinding::passed(
            "settings",
            format!("defaults; there is no settings file {}", path.display()),
        ),
        Err(_) => DoctorFinding::passed("settings", "defaults; there is no home folder"),
    }
}

fn describe_former_settings() -> Option<String> {
    let settings = config::describe_former_settings(&config::parse_file().ok()?);
    (!settings.is_empty()).then(|| settings.join("; "))
}

/// Looks at the file, at the rows in it, and at the journal over them.
fn check_database(settings: &Settings) -> Vec<DoctorFinding> {
    let path = settings.db.display().to_string();
    let store = match SqliteStore::open_reader(&settings.db) {
        Ok(store) => store,
        Err(error) if error.kind() == StoreErrorKind::NotFound => {
            return vec![DoctorFinding::passed(
                "database",
                format!("{path}: no database yet; the first lesson creates it"),
            )];
        }
        Err(error) => {
            let remedy = error.hint().unwrap_or("see what the message says");
            return vec![DoctorFinding::failed("database", error.to_string(), remedy)];
        }
    };
    let mut findings = vec![match store.check_integrity() {
        Ok(troubles) if troubles.is_empty() => DoctorFinding::passed("database", path),
        Ok(troubles) => {
            let detail = format!("{path}: {}", troubles.join("; "));
            DoctorFinding::failed(
                "database",
                detail,
                "hardwon restore FILE, with your latest backup",
            )
        }
        Err(error) => {
            DoctorFinding::failed("database", error.to_string(), error.hint().unwrap_or(""))
        }
    }];
    findings.push(check_journal(settings));
    findings
}

fn check_journal(settings: &Settings) -> DoctorFinding {
    let audit = open::open_reader(settings).and_then(|engine| {
        engine
            .acting_as(settings.person())
            .audit_journal()
            .map_err(CliError::from)
    });
    match audit {
        Ok(audit) if audit.is_sound() => DoctorFinding::passed(
            "journal",
            format!(
                "verifies: {}, {}",
                output::pluralize(audit.head.sequence, "change"),
                output::pluralize(audit.lessons, "lesson"),
            ),
        ),
        Ok(_) => DoctorFinding::failed(
            "journal",
            "it does not verify",
            "hardwon journal verify says where",
        ),
        Err(failure) => {
            DoctorFinding::failed("journal", failure.to_string(), "hardwon journal verify")
        }
    }
}

/// Looks at the keys of a server and at the log of changes to them, where there are any.
#[cfg(feature = "server")]
fn check_keys(settings: &Settings) -> Option<DoctorFinding> {
    let remedy = "hardwon key log says where; without the file a server makes a new first key";
    let place = crate::server_store::StorePlace::File(settings.db.clone());
    let report = match crate::server_store::open_existing_keys(&place) {
        Ok(None) => return None,
        Ok(Some(keys)) => keys.verify().map_err(CliError::from),
        Err(failure) => Err(failure),
    };
    let report = match report {
        Ok(report) => report,
        Err(failure) => return Some(DoctorFinding::failed("keys", failure.to_string(), remedy)),
    };
    Some(match report.faults.first() {
        None => {
            let changes = output::pluralize(report.entries, "change");
            DoctorFinding::passed("keys", format!("their log verifies: {changes}"))
        }
        Some(fault) => {
            let detail = format!("their log does not verify: {fault}");
            DoctorFinding::failed("keys", output::replace_controls(&detail), remedy)
        }
    })
}

fn check_project(settings: &Settings) -> DoctorFinding {
    let name = settings.scope.display_project().unwrap_or("everywhere");
    DoctorFinding::passed("project", name)
}

/// A pause is what somebody wanted, so it is no trouble; but it explains why nothing happens.
fn check_pause(settings: &Settings) -> Option<DoctorFinding> {
    let pause = pause::active_pause(settings)?;
    let detail = pause::describe_pause(&pause, settings.scope.project.as_ref());
    Some(DoctorFinding {
        remedy: Some("until then hooks show nothing and learn nothing".to_owned()),
        ..DoctorFinding::passed("pause", detail)
    })
}

/// A model is asked only where somebody wants it: a question costs money, and leaves the machine.
fn check_model(settings: &Settings, probe: bool) -> Option<DoctorFinding> {
    let remedy = "see docs/model.md, or `hardwon config set model off`";
    let answer = match model::from_settings(&settings.model) {
        Ok(None) => return None,
        Ok(Some(model)) if probe => model.complete(&model::probe_question()),
        Ok(Some(_)) => {
            return Some(DoctorFinding::passed(
                "model",
                "set; `hardwon doctor --probe` asks it",
            ));
        }
        Err(error) => Err(error),
    };
    Some(match answer {
        Ok(_) => DoctorFinding::passed("model", "it answers"),
        Err(error) => DoctorFinding::failed("model", error.to_string(), remedy),
    })
}

fn check_sessions() -> DoctorFinding {
    let Some(home) = config::home_folder() else {
        return DoctorFinding::failed("sessions", "there is no home folder", "set HOME");
    };
    let places = archive::locate_sessions(&home, &|name| env::var_os(name));
    let mut clients: Vec<&str> = places.iter().map(|place| place.client).collect();
    clients.dedup();
    if clients.is_empty() {
        DoctorFinding::passed("sessions", "no agent keeps sessions here yet")
    } else {
        DoctorFinding::passed(
            "sessions",
            format!(
                "found those of {}; `hardwon learn` reads them",
                clients.join(", ")
            ),
        )
    }
}
