//! `hardwon pause` and `hardwon resume`: keep still, in one project or everywhere.
//!
//! Neither reads the settings or the database, so that a person can stop everything while one of
//! them is in trouble.

use std::process::ExitCode;

use hardwon_core::id::ProjectId;
use jiff::Timestamp;

use crate::{
    args::{Global, PauseArgs},
    config::{self, Settings},
    error::Failure,
    output,
    pause::{self, Pause},
    when,
};

pub(super) fn pause(global: &Global, args: &PauseArgs) -> Result<ExitCode, Failure> {
    let (state, project) = (config::state_folder()?, config::project(global, None)?);
    let ends = |length| Timestamp::now().checked_add(length);
    let until = args.length.map(ends).transpose();
    let until = until.map_err(|_| {
        Failure::input("the pause is too long: give a shorter time, as in `--for 3d`")
    })?;
    pause::begin(&state, project.as_ref(), until)
        .map_err(|error| Failure::fault(format!("writing below {}: {error}", state.display())))?;
    let everywhere = project.is_none();
    output::line(&told(&Pause { everywhere, until }, project.as_ref()))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn resume(global: &Global) -> Result<ExitCode, Failure> {
    let (state, project) = (config::state_folder()?, config::project(global, None)?);
    let was_paused = pause::end(&state, project.as_ref())
        .map_err(|error| Failure::fault(format!("removing below {}: {error}", state.display())))?;
    let still = pause::in_force(&state, project.as_ref(), Timestamp::now());
    let place = project
        .as_ref()
        .map_or("everywhere", ProjectId::display_name);
    let done = if was_paused {
        format!("resumed {place}")
    } else {
        format!("{place}: nothing was paused")
    };
    match still {
        Some(pause) => output::line(&format!("{done}; {}", told(&pause, project.as_ref())))?,
        None if was_paused => output::line(&done)?,
        None => return Err(Failure::nothing(done)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the pause that is in force where the settings are for. Where there is no state folder,
/// nobody can have paused anything.
pub(super) fn in_force(settings: &Settings) -> Option<Pause> {
    let state = config::state_folder().ok()?;
    pause::in_force(&state, settings.scope.project.as_ref(), Timestamp::now())
}

/// Says where it is paused, until when, and how that is ended.
pub(super) fn told(pause: &Pause, project: Option<&ProjectId>) -> String {
    let (place, flag) = match project.filter(|_| !pause.everywhere) {
        Some(project) => (format!("in {}", project.display_name()), ""),
        None => ("everywhere".to_owned(), " --everywhere"),
    };
    match pause.until {
        Some(end) => format!(
            "paused {place} until {}; `hardwon resume{flag}` ends it",
            when::local(end)
        ),
        None => format!("paused {place} until `hardwon resume{flag}`"),
    }
}
