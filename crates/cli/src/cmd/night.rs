//! `hardwon night`: the commands of a night, one after another, as far as the setting `autonomy` allows.
//!
//! It decides nothing: each step is a command that a person could type, in a process of its own, so that what goes wrong
//! with one does not keep the others. Placements are made in repositories in which one was made before and whose AGENTS.md still has
//! it: the first is up to a person. The exit code is that of all work at night: 0 nothing to do or done, 1 there is something to say,
//! 2 a step could not look, 3 something was skipped.

#[cfg(feature = "gates")]
mod placed;
mod schedule;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use hardwon_core::limits;
use hardwon_engine::regular_file;
use jiff::Zoned;

use crate::{
    GlobalArgs, Result, Settings, args::ScheduleKind, config, output,
    restart::find_program_to_restart,
};

pub(super) fn run(
    global: &GlobalArgs,
    schedule: Option<ScheduleKind>,
    install: bool,
) -> Result<ExitCode> {
    if let Some(kind) = schedule {
        return super::succeed(schedule::run(global, kind, install));
    }
    super::refuse_scope_options(global, "a night is about all lessons of the database")?;
    let settings = Settings::load(global)?;
    if config::is_pause_requested() {
        return super::skip("hardwon is paused");
    }
    let mut night = Night {
        program: find_program_to_restart()?,
        database: global.db.as_deref().map(std::path::absolute).transpose()?,
        codes: Vec::new(),
    };
    night.back_up(&settings)?;
    night.do_step("sweep", None, &["sweep", "--unattended"])?;
    #[cfg(feature = "gates")]
    placed::tidy_files(&mut night, &settings)?;
    Ok(ExitCode::from(weigh_codes(&night.codes)))
}

/// The steps so far.
struct Night {
    program: PathBuf,
    /// The database that was named.
    database: Option<PathBuf>,
    codes: Vec<u8>,
}

impl Night {
    /// Runs a command of this program in a folder, and prints what it says below a name.
    fn do_step(&mut self, name: &str, folder: Option<&Path>, words: &[&str]) -> Result<u8> {
        let mut command = Command::new(&self.program);
        command.args(words).stdin(Stdio::null());
        if let Some(database) = &self.database {
            command.arg("--db").arg(database);
        }
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let output = command.output()?;
        output::print_line(&output::to_one_line(name))?;
        for said in [output.stdout, output.stderr] {
            for line in String::from_utf8_lossy(&said).lines() {
                print_line!("  {}", output::to_one_line(line))?;
            }
        }
        let code = output
            .status
            .code()
            .and_then(|code| u8::try_from(code).ok());
        // One that was killed could not look.
        let code = code.unwrap_or(COULD_NOT_LOOK);
        self.codes.push(code);
        Ok(code)
    }

    /// Copies the database before anything is changed, once a day, and deletes the oldest copies.
    fn back_up(&mut self, settings: &Settings) -> Result<()> {
        let folder = config::backups_folder()?;
        let file = folder.join(format!("hardwon-{}.db", Zoned::now().strftime("%Y-%m-%d")));
        if settings.server.is_some() || !settings.db.exists() || file.exists() {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        let name = file.to_string_lossy();
        if self.do_step("backup", None, &["backup", &name])? == 0 {
            delete_oldest(&folder)?;
        }
        Ok(())
    }
}

/// The exit code of a command that could not look.
const COULD_NOT_LOOK: u8 = 2;

/// Returns the code of a night from those of its steps: what could not look comes before what has something to say, and
/// that before what was skipped.
fn weigh_codes(codes: &[u8]) -> u8 {
    let by_severity = [COULD_NOT_LOOK, 1, 3];
    if codes.iter().any(|code| *code > 3) {
        return COULD_NOT_LOOK;
    }
    let worst = by_severity.into_iter().find(|code| codes.contains(code));
    worst.unwrap_or(0)
}

/// Deletes all nightly copies but the newest.
fn delete_oldest(folder: &Path) -> Result<()> {
    let copies = list_copies(folder);
    let surplus = copies.len().saturating_sub(limits::NIGHTLY_BACKUPS);
    for copy in &copies[..surplus] {
        fs::remove_file(copy)?;
        let keys = PathBuf::from(format!("{}.keys", copy.display()));
        if keys.exists() {
            fs::remove_file(keys)?;
        }
    }
    Ok(())
}

/// Lists the nightly copies in a folder, the oldest first.
fn list_copies(folder: &Path) -> Vec<PathBuf> {
    let mut copies = regular_file::list_folder(folder).unwrap_or_default();
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("hardwon-") && name.ends_with(".db")
    };
    copies.retain(is_copy);
    copies.sort();
    copies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_step_is_the_nights() {
        for (codes, expected) in [
            (&[][..], 0),
            (&[0, 0], 0),
            (&[3, 0], 3),
            (&[3, 1, 0], 1),
            (&[1, 2, 3], 2),
            (&[0, 4], 2),
        ] {
            assert_eq!(weigh_codes(codes), expected, "{codes:?}");
        }
    }
}
