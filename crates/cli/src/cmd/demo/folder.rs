//! The folder in which a story takes place, and the shell that plays it.
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

use super::StoryStep;
use crate::{CliError, Result};

macro_rules! night_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../demo/night/", $name)))
    };
}

const FILES: &[(&str, &str)] = &[
    (
        "1-tests.jsonl",
        include_str!("../../../demo/1-missing-script.jsonl"),
    ),
    night_file!("2-routes.jsonl"),
    night_file!("3-coupons.jsonl"),
    night_file!("4-prices.jsonl"),
    night_file!("5-report.jsonl"),
    night_file!("6-make-is-gone.jsonl"),
    night_file!("reviewer.sh"),
    night_file!("issue-12.md"),
];
const SET_UP: &str = include_str!("../../../demo/night/set-up.sh");

/// The folder of a story.
#[derive(Debug)]
pub struct StoryFolder {
    /// Removes the folder at the end.
    _folder: TempDir,
    home: PathBuf,
    search_path: OsString,
}

impl StoryFolder {
    /// Makes the folder, and in it the shop as it is on Monday, for this program.
    ///
    /// # Errors
    /// If there is no git or no shell, or the folder cannot be made.
    pub fn set_up(program: &Path) -> Result<Self> {
        for name in ["git", "sh"] {
            let mut command = Command::new(name);
            command.arg("--version").stdin(Stdio::null());
            command
                .output()
                .map_err(|error| fail_to_start(name, &error))?;
        }
        let folder = Self::create(program)
            .map_err(|error| bad_input!("making a folder for the week: {error}"))?;
        folder.expect_code(&format!("set -e\n{SET_UP}"), 0)?;
        Ok(folder)
    }

    fn create(program: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let home = dunce::canonicalize(folder.path())?;
        fs::create_dir(home.join("shop"))?;
        for (name, text) in FILES {
            fs::write(home.join(name), text)?;
        }
        let outer = env::var_os("PATH").unwrap_or_default();
        let own = program.parent().map(Path::to_owned);
        let search_path = env::join_paths(own.into_iter().chain(env::split_paths(&outer)));
        Ok(Self {
            _folder: folder,
            home,
            search_path: search_path.map_err(io::Error::other)?,
        })
    }

    /// Returns the work tree of the shop.
    pub fn shop(&self) -> PathBuf {
        self.home.join("shop")
    }

    /// Plays a step, and returns what its command line printed.
    ///
    /// # Errors
    /// If it ends otherwise than it should.
    pub fn play(&self, step: &StoryStep) -> Result<String> {
        match step {
            StoryStep::Meanwhile(script) => self.expect_code(&format!("set -e\n{script}"), 0),
            StoryStep::Run(line, _) => self.expect_code(line, 0),
            StoryStep::Fail(line, _) => self.expect_code(line, 1),
            _ => Ok(String::new()),
        }
    }

    fn expect_code(&self, line: &str, code: i32) -> Result<String> {
        match self.run(line)? {
            (ended, text) if ended == code => Ok(text),
            (ended, text) => Err(internal!(
                "the week does not go as it should: `{line}` ended with {ended}, not with {code}:\n{text}"
            )),
        }
    }

    /// Runs a command line in the shop; returns its exit code, and what it printed, with `~` for the folder.
    ///
    /// # Errors
    /// If there is no shell.
    pub fn run(&self, line: &str) -> Result<(i32, String)> {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(self.shop())
            .env_clear()
            .env("PATH", &self.search_path)
            .env("HOME", &self.home)
            .env("TMPDIR", self.home.join("tmp"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(env::var_os("TZ").map(|zone| ("TZ", zone)))
            .stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|error| fail_to_start("sh", &error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let text = text.replace(&*self.home.to_string_lossy(), "~");
        Ok((output.status.code().unwrap_or(-1), text))
    }
}

fn fail_to_start(name: &str, error: &io::Error) -> CliError {
    bad_input!("playing the week needs `{name}`: {error}")
        .with_hint("install it, or see `hardwon demo`, which needs nothing")
}
