//! `hardwon uninstall --purge`: deletes what hardwon itself keeps in a home: lessons, settings, state and copies.
//!
//! Only its own folders, at their usual places, are deleted. A database or a settings file that somebody put elsewhere is
//! named and left, and so is a link.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use hardwon_clients::setup::Machine;
use jiff::{SignedDuration, Timestamp};

use super::super::ask;
use crate::{
    CliError, GlobalArgs, Result, SettingValues, args::UninstallArgs, config, output, pause,
};

/// How long ago the last event of a session may be that is taken for open.
const OPEN_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the hooks of such sessions are kept still.
const STILL_TIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What `hardwon night --install` writes below a home, and the link with which systemd switches it on.
const TIMERS: [&str; 4] = [
    ".config/systemd/user/hardwon-night.service",
    ".config/systemd/user/hardwon-night.timer",
    ".config/systemd/user/timers.target.wants/hardwon-night.timer",
    "Library/LaunchAgents/dev.hardwon.night.plist",
];

/// What hardwon keeps for a user.
pub(super) struct KeptData {
    /// Its own folders that are there.
    folders: Vec<PathBuf>,
    /// The files of its nightly timer.
    timers: Vec<PathBuf>,
    /// Files of its that lie elsewhere.
    elsewhere: Vec<PathBuf>,
}

impl KeptData {
    /// Looks at the usual places, and at what the settings name besides.
    pub(super) fn find(global: &GlobalArgs) -> Result<Self> {
        let settings_file = config::file_path()?;
        let mut folders = vec![
            config::data_folder()?,
            config::config_folder()?,
            config::state_folder()?,
            config::cache_folder()?,
        ];
        folders.dedup();
        let is_outside = |file: &PathBuf| {
            file.symlink_metadata().is_ok()
                && !folders.iter().any(|folder| file.starts_with(folder))
        };
        // A settings file that cannot be read names no database; it is deleted all the same.
        let values = SettingValues::gather(global).ok();
        let database = values.map(|value| PathBuf::from(value.get("db").0));
        let elsewhere = database.into_iter().chain([settings_file]);
        let home = config::home_folder();
        let timers = home
            .iter()
            .flat_map(|home| TIMERS.map(|file| home.join(file)));
        let is_there = |file: &PathBuf| file.symlink_metadata().is_ok();
        Ok(Self {
            timers: timers.filter(is_there).collect(),
            elsewhere: elsewhere.filter(is_outside).collect(),
            folders: folders
                .into_iter()
                .filter(|folder| folder.symlink_metadata().is_ok())
                .collect(),
        })
    }

    /// Says what would be deleted and what would stay.
    pub(super) fn render(&self, machine: &Machine<'_>) -> String {
        let mut text = String::new();
        if !self.folders.is_empty() {
            text += &format!("{}\n", output::bold("Lessons, settings and logs"));
        }
        let paths: Vec<String> = self
            .folders
            .iter()
            .map(|folder| machine.short_path(folder))
            .collect();
        let widths = paths.iter().map(|path| path.chars().count());
        let width = widths.max().unwrap_or_default();
        for path in paths {
            text += &format!("  {path:<width$}  - the whole folder\n");
        }
        for file in &self.timers {
            text += &format!("  {}  - the nightly timer\n", machine.short_path(file));
        }
        for file in &self.elsewhere {
            let path = machine.short_path(file);
            text += &format!("  {path} is elsewhere and stays: delete it yourself\n");
        }
        text
    }

    /// Asks whether the folders may be deleted, unless somebody said so.
    pub(super) fn confirm(&self, args: &UninstallArgs) -> Result<bool, CliError> {
        if args.change.yes || self.folders.is_empty() && self.timers.is_empty() {
            return Ok(true);
        }
        if !ask::can_ask() {
            return Err(
                CliError::bad_input("nothing was deleted: there is no terminal to ask on")
                    .with_hint("run it again with --yes"),
            );
        }
        let question = "Delete all lessons, settings and logs? This cannot be undone.";
        Ok(ask::ask_yes_no(question, false)?)
    }

    /// Deletes everything. Returns until when the hooks of sessions that are still open are kept still, if there are such:
    /// they would make it all anew.
    pub(super) fn delete_for_good(&self, home: &Path) -> Result<Option<Timestamp>> {
        let state = config::state_folder()?;
        let has_open = has_open_session(&state);
        self.delete(home)?;
        if !has_open {
            return Ok(None);
        }
        let until = Timestamp::now().saturating_add(STILL_TIME);
        let until = until.map_err(CliError::internal)?;
        let result = pause::begin_removal(&state, until);
        result.map_err(CliError::own_file("writing below", &state))?;
        Ok(Some(until))
    }

    /// Deletes the folders, and those above them that are empty then, up to the home folder.
    fn delete(&self, home: &Path) -> Result<(), CliError> {
        for place in self.timers.iter().chain(&self.folders) {
            let cannot = CliError::own_file("deleting", place);
            let result = if self.timers.contains(place) {
                fs::remove_file(place)
            } else {
                delete_folder(place)
            };
            result.map_err(|error| cannot(error).with_hint("delete it yourself"))?;
            let above = place.ancestors().skip(1);
            let mut above = above.take_while(|above| *above != home && above.starts_with(home));
            while above
                .next()
                .is_some_and(|above| fs::remove_dir(above).is_ok())
            {}
        }
        Ok(())
    }
}

/// Returns whether a session had an event not long ago.
fn has_open_session(state: &Path) -> bool {
    let entries = fs::read_dir(state.join("sessions"));
    let mut entries = entries.into_iter().flatten().flatten();
    entries.any(|entry| {
        let write_time = entry.metadata().and_then(|about| about.modified());
        let age = write_time
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        age.is_none_or(|age| age < OPEN_TIME)
    })
}

fn delete_folder(folder: &Path) -> io::Result<()> {
    if folder.symlink_metadata()?.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    fs::remove_dir_all(folder)
}
