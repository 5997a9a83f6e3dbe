//! Checks the database and the project that somebody names: a command that looks at what is there refuses a place of which
//! nothing is known, and a pause such a project; one that writes refuses what looks like a slip, and says else that it is
//! new, as one that asks does of all.

use std::path::Path;

use hardwon_core::ProjectId;
use hardwon_engine::Desk;
use hardwon_store::RecallListing;

use crate::{CliError, GlobalArgs, Result, Settings, config::find_nearest, open, project};

/// What a place of which nothing is known is to a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NewPlace {
    /// It looks at what is there, so that the name is mistyped.
    Mistyped,
    /// A project by a name is mistyped, but the database may be in trouble.
    MistypedProject,
    /// It may name a new one, and says so, unless the name is almost that of another, or the database's folder is not there.
    Written,
    /// It may name a new one, and says so.
    Noted,
    /// It is not asked.
    Fine,
}

/// Looks whether anything is known of the places that are named, and puts the whole name of the only project whose folder
/// is named so in place of that name.
pub(super) fn check_named_places(global: &mut GlobalArgs, new: NewPlace) -> Result<()> {
    let is_named = global.project.as_ref().is_some_and(|name| !name.is_empty());
    if new == NewPlace::Fine || global.db.is_none() && !is_named {
        return Ok(());
    }
    match find_named_database(global) {
        Err(error) => {
            let folder = global.db.as_deref().and_then(Path::parent);
            let has_folder =
                folder.is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir());
            let is_slip = new == NewPlace::Written && !has_folder;
            refuse_or_note(new == NewPlace::Mistyped || is_slip, error)
        }
        Ok(settings) if is_named => find_named_project(global, &settings, new),
        Ok(_) => Ok(()),
    }
}

/// An agent that asks is never stopped, nor a person who writes, or pauses while the database is in trouble.
fn refuse_or_note(is_refused: bool, error: CliError) -> Result<()> {
    if is_refused {
        return Err(error);
    }
    let hint = error
        .hint()
        .map_or(String::new(), |hint| format!("; {hint}"));
    print_note!("{}{hint}", error.message());
    Ok(())
}

fn find_named_database(global: &GlobalArgs) -> Result<Settings> {
    let settings = Settings::load(global)?;
    if global.db.is_some() && !settings.db.exists() {
        return Err(bad_input!("there is no database {}", settings.db.display())
            .with_hint("without --db it is the one that `hardwon doctor` names"));
    }
    Ok(settings)
}

fn find_named_project(global: &mut GlobalArgs, settings: &Settings, new: NewPlace) -> Result<()> {
    // Of a server's lessons only those of the projects worked on here are on this machine.
    if settings.server.is_some() {
        return Ok(());
    }
    // A folder that is there is not mistyped, only new.
    let is_folder = global.project.as_deref().is_some_and(project::is_folder);
    if new != NewPlace::Noted && is_folder {
        return Ok(());
    }
    // What is wrong with the database the command says itself, with its own exit code.
    let Ok(engine) = open::open_reader(settings) else {
        return Ok(());
    };
    let desk = engine.acting_as(settings.person());
    // The first name there is takes no other's place.
    if new != NewPlace::Mistyped && desk.scopes()?.is_empty() {
        return Ok(());
    }
    match &settings.scope.project {
        Some(project) => {
            let whole = find_project(&desk, settings, project, new)?;
            global.project = whole
                .map(|project| project.to_string())
                .or(global.project.take());
            Ok(())
        }
        None => Ok(()),
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

/// Checks that something is known of a project; if it is the name of only one, or the last part of it, returns that one.
fn find_project(
    desk: &Desk<'_>,
    settings: &Settings,
    project: &ProjectId,
    new: NewPlace,
) -> Result<Option<ProjectId>> {
    let projects = desk.projects()?;
    if projects.contains(project) || has_recalls(desk, settings)? {
        return Ok(None);
    }
    let name = project.display_name();
    // A folder that is gone has no mark of its own any more.
    let is_it = |project: &&ProjectId| {
        let known_name = project.display_name();
        known_name == name || known_name.rsplit('/').next() == Some(name)
    };
    let mut alike = projects.iter().filter(is_it);
    if let (Some(only), None) = (alike.next(), alike.next()) {
        return Ok(Some(only.clone()));
    }
    let list = "`hardwon lesson list --all-projects` names the projects";
    let near = find_nearest(name, projects.iter().map(ProjectId::display_name));
    let hint = match near {
        _ if Path::new(name).is_dir() => format!("the folder is `--project ./{name}`"),
        Some(near) => format!("did you mean {near}? {list}"),
        None => list.to_owned(),
    };
    let error = bad_input!("nothing is known of a project {name}").with_hint(hint);
    let is_refused = match new {
        NewPlace::Noted => false,
        NewPlace::Written => near.is_some(),
        _ => true,
    };
    refuse_or_note(is_refused, error).map(|()| None)
}

fn has_recalls(desk: &Desk<'_>, settings: &Settings) -> Result<bool> {
    let listing = RecallListing {
        within: settings.requested_within(),
        limit: 1,
        ..RecallListing::default()
    };
    Ok(!desk.recalls(&listing)?.is_empty())
}
