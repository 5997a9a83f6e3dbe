//! `hardwon doctor`: checks that everything works, and says what to do where it does not.

mod clients;

use std::{env, process::ExitCode};

use hardwon_clients::{archive, setup::place::project_folder};
use hardwon_core::{limits, redact, text::RawText};
use hardwon_store::{ErrorKind, Sqlite};
use serde::Serialize;

use self::clients::ClientDto;
use super::change;
use crate::{
    args::{DoctorArgs, Global},
    cmd::pause,
    config::{self, Settings},
    embedding,
    error::{Failure, Kind},
    model, open, output,
};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    ok: bool,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<ClientDto>,
}

impl Finding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self {
            what,
            ok: true,
            detail: redact::redact(&detail.into()).into_owned(),
            remedy: None,
            client: None,
        }
    }

    fn bad(what: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what,
            ok: false,
            detail: redact::redact(&detail.into()).into_owned(),
            remedy: Some(remedy.into()),
            client: None,
        }
    }
}

pub(super) fn run(global: &Global, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let waiting = output::waiting("checking the agents on this machine");
    let mut findings = Vec::new();
    match Settings::load(global) {
        Ok(settings) => {
            findings.push(settings_file());
            findings.extend(database(&settings));
            findings.push(project(&settings));
            findings.extend(paused(&settings));
            findings.extend(model(&settings, args.probe));
            findings.extend(embedding(&settings, args.probe));
        }
        Err(failure) => {
            findings.push(Finding::bad(
                "settings",
                failure.to_string(),
                "fix or remove the settings file",
            ));
        }
    }
    findings.push(agents());
    if let Ok(machine) = change::machine() {
        let project = env::current_dir()
            .ok()
            .map(|folder| project_folder(&folder));
        findings.extend(clients::findings(&machine, project.as_deref()));
    }
    waiting.finish_and_clear();
    let well = findings.iter().all(|finding| finding.ok);
    if args.json {
        output::json(&findings)?;
    } else {
        findings.iter().try_for_each(print)?;
    }
    Ok(Kind::Nothing.exit_code_if(!well))
}

fn print(finding: &Finding) -> Result<(), Failure> {
    let mark = match (finding.ok, &finding.remedy) {
        (false, _) => output::red("FAIL"),
        (true, Some(_)) => output::yellow("note"),
        (true, None) => output::green("ok  "),
    };
    output::line(&format!("{mark} {:<11} {}", finding.what, finding.detail))?;
    match &finding.remedy {
        Some(remedy) => output::line(&format!("                 -> {remedy}")),
        None => Ok(()),
    }
}

fn settings_file() -> Finding {
    if let Some(name) = retired_setting() {
        return Finding {
            remedy: Some(format!("hardwon config unset {name}")),
            ..Finding::good("settings", format!("{name} is no longer a setting"))
        };
    }
    match config::file_path() {
        Ok(path) if path.exists() => Finding::good("settings", path.display().to_string()),
        Ok(path) => Finding::good(
            "settings",
            format!("defaults; there is no settings file {}", path.display()),
        ),
        Err(_) => Finding::good("settings", "defaults; there is no home folder"),
    }
}

/// Returns a name in the settings file that is no setting any more.
fn retired_setting() -> Option<String> {
    let file = config::read_file().ok()?;
    let mut names = file.iter().map(|(name, _)| name);
    let retired = names.find(|name| config::is_retired(name, ""))?;
    Some(retired.to_owned())
}

/// Looks at the file, at the rows in it, and at the journal over them.
fn database(settings: &Settings) -> Vec<Finding> {
    let path = settings.db.display().to_string();
    let store = match Sqlite::open_reader(&settings.db) {
        Ok(store) => store,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return vec![Finding::good(
                "database",
                format!("{path}: no database yet; the first lesson creates it"),
            )];
        }
        Err(error) => {
            let remedy = error.hint().unwrap_or("see what the message says");
            return vec![Finding::bad("database", error.to_string(), remedy)];
        }
    };
    let mut findings = vec![match store.check() {
        Ok(troubles) if troubles.is_empty() => Finding::good("database", path),
        Ok(troubles) => {
            let detail = format!("{path}: {}", troubles.join("; "));
            Finding::bad(
                "database",
                detail,
                "hardwon restore FILE, with your latest backup",
            )
        }
        Err(error) => Finding::bad("database", error.to_string(), error.hint().unwrap_or("")),
    }];
    findings.push(journal(settings));
    findings
}

fn journal(settings: &Settings) -> Finding {
    let audit = open::reader(settings).and_then(|engine| {
        engine
            .acting_as(settings.person())
            .audit()
            .map_err(Failure::from)
    });
    match audit {
        Ok(audit) if audit.is_sound() => Finding::good(
            "journal",
            format!(
                "verifies: {}, {}",
                output::count(audit.head.sequence, "change"),
                output::count(audit.lessons, "lesson"),
            ),
        ),
        Ok(_) => Finding::bad(
            "journal",
            "it does not verify",
            "hardwon journal verify says where",
        ),
        Err(failure) => Finding::bad("journal", failure.to_string(), "hardwon journal verify"),
    }
}

fn project(settings: &Settings) -> Finding {
    let name = settings
        .scope
        .project
        .as_ref()
        .map_or("everywhere", |project| project.display_name());
    Finding::good("project", name)
}

/// A pause is what somebody wanted, so it is no trouble; but it explains why nothing happens.
fn paused(settings: &Settings) -> Option<Finding> {
    let pause = pause::in_force(settings)?;
    Some(Finding::good(
        "pause",
        pause::told(&pause, settings.scope.project.as_ref()),
    ))
}

/// A service is asked only where somebody wants it.
fn embedding(settings: &Settings, probe: bool) -> Option<Finding> {
    let remedy = "see docs/semantic.md, or `hardwon config set embedding off`";
    let semantic = embedding::from_settings(&settings.embedding, &settings.model)?;
    let asked = semantic.embedder.space().and_then(|space| {
        let text = redact::clean_to_bytes(&RawText::from("Are you there?"), limits::EMBEDDED_BYTES);
        match probe {
            true => semantic
                .embedder
                .embed(&[text], semantic.within)
                .map(|_| "it answers".to_owned()),
            false => Ok(space),
        }
    });
    Some(match asked {
        Ok(what) => Finding::good("embedding", what),
        Err(error) => Finding::bad("embedding", error.to_string(), remedy),
    })
}

/// A model is asked only where somebody wants it: a question costs money, and leaves the machine.
fn model(settings: &Settings, probe: bool) -> Option<Finding> {
    let remedy = "see docs/model.md, or `hardwon config set model off`";
    let asked = match model::from_settings(&settings.model) {
        Ok(None) => return None,
        Ok(Some(model)) if probe => model.complete(&model::probe()),
        Ok(Some(_)) => {
            return Some(Finding::good(
                "model",
                "set; `hardwon doctor --probe` asks it",
            ));
        }
        Err(error) => Err(error),
    };
    Some(match asked {
        Ok(_) => Finding::good("model", "it answers"),
        Err(error) => Finding::bad("model", error.to_string(), remedy),
    })
}

fn agents() -> Finding {
    let Some(home) = config::home() else {
        return Finding::bad("sessions", "there is no home folder", "set HOME");
    };
    let found = archive::locate(&home, &|name| env::var_os(name));
    let mut clients: Vec<&str> = found.iter().map(|place| place.client).collect();
    clients.dedup();
    match clients.is_empty() {
        true => Finding::good("sessions", "no agent keeps sessions here yet"),
        false => Finding::good(
            "sessions",
            format!(
                "found those of {}; `hardwon learn` reads them",
                clients.join(", ")
            ),
        ),
    }
}
