//! Checks the database and the project that somebody names for a command that looks at what is there.
//!
//! Whoever writes may name a new place, and an agent that asks must never be stopped: neither comes here.

use std::path::Path;

use hardwon_core::ProjectId;
use hardwon_engine::Desk;
use hardwon_store::RecallListing;

use crate::{Result, Settings, args::GlobalArgs, config::find_nearest, open};

/// Rejects a database that is not there, and a project of which nothing is known.
pub(super) fn check_named_places(global: &GlobalArgs) -> Result<()> {
    let is_named = global.project.as_ref().is_some_and(|name| !name.is_empty());
    if global.db.is_none() && !is_named {
        return Ok(());
    }
    let settings = Settings::load(global)?;
    if global.db.is_some() && !settings.db.exists() {
        return Err(bad_input!("there is no database {}", settings.db.display())
            .with_hint("without --db it is the one that `hardwon stats` names"));
    }
    match &settings.scope.project {
        // Of a server's lessons only those of the projects worked on here are on this machine.
        Some(project) if is_named && settings.server.is_none() => check_project(&settings, project),
        _ => Ok(()),
    }
}

/// Notes that this project has no lessons where others have some, so that nobody takes an empty answer for theirs.
pub(super) fn note_empty_project(desk: &Desk<'_>, settings: &Settings) -> Result<()> {
    const NAMED: usize = 3;
    let projects = desk.projects()?;
    let Some(here) = &settings.scope.project else {
        return Ok(());
    };
    if projects.is_empty() || projects.contains(here) {
        return Ok(());
    }
    let names = projects.iter().map(ProjectId::display_name).take(NAMED);
    let names: Vec<&str> = names.collect();
    let here = here.display_name();
    print_note!(
        "no lesson is of the project here, {here}; `--project NAME` asks about another: {}",
        names.join(", ")
    );
    Ok(())
}

fn check_project(settings: &Settings, project: &ProjectId) -> Result<()> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let known = desk.projects()?;
    let listing = RecallListing {
        within: settings.requested_within(),
        limit: 1,
        ..RecallListing::default()
    };
    if known.contains(project) || !desk.recalls(&listing)?.is_empty() {
        return Ok(());
    }
    let name = project.display_name();
    let list = "`hardwon stats` lists the projects";
    let hint = match find_nearest(name, known.iter().map(ProjectId::display_name)) {
        _ if Path::new(name).is_dir() => format!("the folder is `--project ./{name}`"),
        Some(near) => format!("did you mean {near}? {list}"),
        None => list.to_owned(),
    };
    Err(bad_input!("nothing is known of a project {name}").with_hint(hint))
}
