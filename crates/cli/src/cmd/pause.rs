//! `hardwon pause` and `hardwon resume`: keep still, in one project or everywhere.
//!
//! Neither reads the settings or the database, so that a person can stop everything while one of
//! them is in trouble.

use hardwon_core::ProjectId;
use jiff::{SignedDuration, Timestamp};

use crate::{
    CliError, GlobalArgs, Result, Settings, config, output,
    pause::{self, Pause},
    time,
};

pub(super) fn pause(global: &GlobalArgs, length: Option<SignedDuration>) -> Result<()> {
    let state = config::state_folder()?;
    let project = config::resolve_project(global, None)?;
    let ends = |length| Timestamp::now().checked_add(length);
    let until = length.map(ends).transpose();
    let until = until.map_err(|_| {
        CliError::bad_input("the pause is too long: give a shorter time, as in `--for 3d`")
    })?;
    let result = pause::begin_pause(&state, project.as_ref(), until);
    result.map_err(CliError::own_file("writing below", &state))?;
    let everywhere = project.is_none();
    output::print_line(&describe_pause(
        &Pause { everywhere, until },
        project.as_ref(),
    ))
}

pub(super) fn resume(global: &GlobalArgs) -> Result<()> {
    let state = config::state_folder()?;
    let project = config::resolve_project(global, None)?;
    let was_paused = pause::end_pause(&state, project.as_ref());
    let was_paused = was_paused.map_err(CliError::own_file("removing below", &state))?;
    let still = pause::active_pause(&state, project.as_ref(), Timestamp::now());
    let place = project.as_ref();
    let place = place.map_or("everywhere", ProjectId::display_name);
    let message = if was_paused {
        format!("resumed {place}")
    } else {
        format!("{place}: nothing was paused")
    };
    match still {
        Some(pause) => print_line!("{message}; {}", describe_pause(&pause, project.as_ref()))?,
        None if was_paused => output::print_line(&message)?,
        None => return Err(CliError::negative(message)),
    }
    Ok(())
}

/// Returns the pause that is in force where the settings are for.
pub(super) fn active_pause(settings: &Settings) -> Option<Pause> {
    find_pause(settings.scope.project.as_ref())
}

/// Returns the pause that is in force in a project, or everywhere. Where there is no state folder, nobody can have paused
/// anything.
pub(super) fn find_pause(project: Option<&ProjectId>) -> Option<Pause> {
    let state = config::state_folder().ok()?;
    pause::active_pause(&state, project, Timestamp::now())
}

/// Says on stderr that it is paused where the settings are for, if so: an empty log would otherwise look like a fault.
pub(super) fn note_pause(settings: &Settings) {
    if let Some(pause) = active_pause(settings) {
        output::print_note(&describe_pause(&pause, settings.scope.project.as_ref()));
    }
}

/// Says where it is paused, until when, and how that is ended.
pub(super) fn describe_pause(pause: &Pause, project: Option<&ProjectId>) -> String {
    let (place, flag) = match project.filter(|_| !pause.everywhere) {
        Some(project) => (format!("in {}", project.display_name()), ""),
        None => ("everywhere".to_owned(), " --everywhere"),
    };
    match pause.until {
        Some(end) => format!(
            "paused {place} until {}; `hardwon resume{flag}` ends it",
            time::format_local(end)
        ),
        None => format!("paused {place} until `hardwon resume{flag}`"),
    }
}
