//! Whole processes: from the spawn to the last byte of output.

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};

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

    /// Returns the most memory that a run holds, in KiB.
    ///
    /// Once a process has ended the standard library cannot ask for it. So the run is held up at
    /// its very end, by a full pipe that it cannot write its answer to.
    pub(crate) fn peak_kib(&self, database: &Database, prompt: &str) -> anyhow::Result<f64> {
        let (mut reader, mut writer) = std::io::pipe()?;
        writer.write_all(&[0; PIPE_BYTES])?;
        let mut child = self.command(database, prompt).stdout(writer).spawn()?;
        std::thread::sleep(Duration::from_millis(200));
        let peak = peak_of(child.id()).context("the process ended before it answered");
        reader.read_to_end(&mut Vec::new())?;
        child.wait()?;
        peak
    }
}

/// What a pipe holds before a writer must wait.
const PIPE_BYTES: usize = 64 * 1024;

fn peak_of(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
