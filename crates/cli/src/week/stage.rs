//! The folder in which the week takes place, and the processes that play it.
//!
//! The folder is the home of whatever runs: database, settings, sessions and repositories are in it, and are gone with
//! it. Of the outer environment the search path is taken over, and the time zone.

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use super::WeekStep;
use crate::error::CliError;

/// The folder that the recorded sessions name.
const RECORDED_FOLDER: &str = "/home/dev/shop";
/// The beginning of the names of sessions; a digit follows.
const SESSION: &str = "00000001-0000-4000-8000-00000000000";

macro_rules! night_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../demo/night/", $name)))
    };
}

const SESSIONS: &[(&str, &str)] = &[
    (
        "1-tests.jsonl",
        include_str!("../../demo/1-missing-script.jsonl"),
    ),
    night_file!("2-routes.jsonl"),
    night_file!("3-coupons.jsonl"),
    night_file!("4-prices.jsonl"),
    night_file!("5-report.jsonl"),
    night_file!("6-make-is-gone.jsonl"),
];
const FILES: &[(&str, &str)] = &[night_file!("reviewer.sh"), night_file!("issue-12.md")];
const SET_UP: &str = include_str!("../../demo/night/set-up.sh");

/// The folder of the week.
#[derive(Debug)]
pub struct WeekStage {
    /// Removes the folder at the end.
    _folder: TempDir,
    home: PathBuf,
    search_path: OsString,
}

/// What a command line of the week came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedLine {
    /// Its exit code.
    pub code: i32,
    /// What it printed, with `~` for the folder.
    pub said: String,
}

impl WeekStage {
    /// Makes the folder, and in it the shop as it is on Monday.
    ///
    /// # Errors
    /// If there is no git or no shell, or the folder cannot be made.
    pub fn set_up(program: &Path) -> Result<Self, CliError> {
        check_programs()?;
        let folder = tempfile::tempdir().map_err(|error| fail_to_make(&error))?;
        let home = dunce::canonicalize(folder.path()).map_err(|error| fail_to_make(&error))?;
        let outer = env::var_os("PATH").unwrap_or_default();
        let paths = [home.join("bin")]
            .into_iter()
            .chain(env::split_paths(&outer));
        let search_path = env::join_paths(paths).map_err(|error| {
            CliError::bad_input(format!("adding a folder to the search path: {error}"))
        })?;
        let stage = Self {
            _folder: folder,
            home,
            search_path,
        };
        stage
            .write_files(program)
            .map_err(|error| fail_to_make(&error))?;
        stage.expect("set -e\n", SET_UP, stage.home(), 0)?;
        Ok(stage)
    }

    /// Returns the folder.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the work tree of the shop.
    #[must_use]
    pub fn shop(&self) -> PathBuf {
        self.home.join("shop")
    }

    /// Plays a step, and returns what its command line printed.
    ///
    /// # Errors
    /// If something ends otherwise than it should.
    pub fn play(&self, step: &WeekStep) -> Result<String, CliError> {
        self.expect("set -e\n", step.meanwhile, &self.shop(), 0)?;
        self.expect("", step.line, &self.shop(), step.code)
    }

    /// Runs a command line in the shop.
    ///
    /// # Errors
    /// If there is no shell.
    pub fn run(&self, line: &str) -> Result<PlayedLine, CliError> {
        self.run_in(&self.shop(), line)
    }

    fn expect(
        &self,
        before: &str,
        line: &str,
        folder: &Path,
        code: i32,
    ) -> Result<String, CliError> {
        if line.is_empty() {
            return Ok(String::new());
        }
        let played = self.run_in(folder, &format!("{before}{line}"))?;
        match played.code == code {
            true => Ok(played.said),
            false => Err(CliError::internal(format!(
                "the week does not go as it should: `{line}` ended with {}, not with {code}:\n{}",
                played.code, played.said
            ))),
        }
    }

    fn run_in(&self, folder: &Path, line: &str) -> Result<PlayedLine, CliError> {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(folder)
            .env_clear()
            .env("PATH", &self.search_path)
            .env("HOME", &self.home)
            .env("TMPDIR", self.home.join("tmp"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Dev");
            command.env(format!("GIT_{role}_EMAIL"), "dev@example.com");
        }
        if let Some(zone) = env::var_os("TZ") {
            command.env("TZ", zone);
        }
        let output = command
            .output()
            .map_err(|error| fail_to_start("sh", &error))?;
        let said = String::from_utf8_lossy(&output.stdout);
        Ok(PlayedLine {
            code: output.status.code().unwrap_or(-1),
            said: said.replace(&*self.home.to_string_lossy(), "~"),
        })
    }

    fn write_files(&self, program: &Path) -> io::Result<()> {
        for folder in ["bin", "tmp", "recorded"] {
            fs::create_dir(self.home.join(folder))?;
        }
        put_program(program, &self.home.join("bin"))?;
        let shop = self.shop().display().to_string();
        for (name, text) in SESSIONS {
            let text = text.replace(RECORDED_FOLDER, &shop);
            fs::write(self.home.join("recorded").join(name), text)?;
        }
        for (name, text) in FILES {
            fs::write(self.home.join(name), text)?;
        }
        for number in 5..=7 {
            let start = serde_json::json!({
                "hook_event_name": "SessionStart", "source": "startup", "cwd": shop,
                "session_id": format!("{SESSION}{number}"),
                "transcript_path": self.home.join(".claude/projects/shop").join(format!("{number}.jsonl")),
            });
            fs::write(
                self.home.join(format!("session-{number}.json")),
                start.to_string(),
            )?;
        }
        Ok(())
    }
}

/// Checks that what plays the week is there.
fn check_programs() -> Result<(), CliError> {
    for (name, args) in [
        ("git", ["version", "--build-options"]),
        ("sh", ["-c", "exit"]),
    ] {
        let started = Command::new(name).args(args).stdin(Stdio::null()).output();
        started.map_err(|error| fail_to_start(name, &error))?;
    }
    Ok(())
}

fn fail_to_start(name: &str, error: &io::Error) -> CliError {
    CliError::bad_input(format!("playing the week needs `{name}`: {error}"))
        .with_hint("install it, or see `hardwon demo`, which needs nothing")
}

fn fail_to_make(error: &io::Error) -> CliError {
    CliError::bad_input(format!("making a folder for the week: {error}"))
}

/// Puts the program where the search path finds it as `hardwon`.
fn put_program(program: &Path, bin: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(program, bin.join("hardwon"));
    #[cfg(not(unix))]
    return fs::copy(program, bin.join("hardwon.exe")).map(drop);
}
