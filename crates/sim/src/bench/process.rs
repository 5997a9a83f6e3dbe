//! Whole processes: from the spawn to the last byte of output.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::ensure;

use super::bank::Database;

/// A program and its arguments with `{db}`, `{scope}` and `{prompt}` to be filled in.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    args: Vec<String>,
}

impl Program {
    pub(crate) fn new(path: &Path, args: &str) -> Self {
        Self {
            path: path.to_owned(),
            args: args.split(' ').map(str::to_owned).collect(),
        }
    }

    /// Splits a command line at its blanks.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some(Self {
            path: words.next()?.into(),
            args: words.collect(),
        })
    }

    pub(crate) fn command(&self, database: &Database, prompt: &str) -> Command {
        let filled = self.args.iter().map(|arg| {
            arg.replace("{db}", &database.path.display().to_string())
                .replace("{scope}", &database.scope.to_string())
                .replace("{prompt}", prompt)
        });
        let mut command = Command::new(&self.path);
        command.args(filled).stdin(Stdio::null());
        command
    }

    /// Returns how long one run takes, in milliseconds.
    pub(crate) fn time(&self, database: &Database, prompt: &str) -> anyhow::Result<f64> {
        let mut command = self.command(database, prompt);
        let start = Instant::now();
        let output = command.output()?;
        let elapsed = start.elapsed();
        ensure!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(elapsed.as_secs_f64() * 1000.0)
    }

    /// Returns the most memory that a run was seen to hold, in KiB.
    ///
    /// It is asked of the system over and over while the process runs, because the standard
    /// library cannot ask afterwards; the last answer of several runs is close.
    pub(crate) fn peak_kib(&self, database: &Database, prompt: &str) -> anyhow::Result<f64> {
        let mut peak = 0.0_f64;
        for _ in 0..5 {
            let mut child = self
                .command(database, prompt)
                .stdout(Stdio::null())
                .spawn()?;
            while let Some(kib) = peak_of(child.id()) {
                peak = peak.max(kib);
            }
            child.wait()?;
        }
        Ok(peak)
    }
}

fn peak_of(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
