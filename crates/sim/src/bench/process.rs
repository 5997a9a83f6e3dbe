//! Measures whole processes: from the spawn to the last byte of output.

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};

/// A database file, and the scope to search.
#[derive(Debug)]
pub(crate) struct BenchDatabase {
    pub(crate) path: PathBuf,
    pub(crate) scope: u32,
}

/// A program and its arguments with `{db}`, `{scope}` and `{prompt}` to be filled in.
#[derive(Debug)]
pub(crate) struct BenchProgram {
    path: PathBuf,
    args: Vec<String>,
}

impl BenchProgram {
    pub(crate) fn new(path: &Path, args: &str) -> Self {
        Self {
            path: path.to_owned(),
            args: args.split(' ').map(str::to_owned).collect(),
        }
    }

    pub(crate) fn command(&self, database: &BenchDatabase, prompt: &str) -> Command {
        let filled = self.args.iter().map(|arg| {
            arg.replace("{db}", &database.path.display().to_string())
                .replace("{scope}", &database.scope.to_string())
                .replace("{prompt}", prompt)
        });
        let mut command = Command::new(&self.path);
        command
            .args(filled)
            .env_clear()
            .env("HOME", database.path.parent().unwrap_or(Path::new("/")))
            .stdin(Stdio::null());
        command
    }

    /// Returns the time of one run, in milliseconds.
    pub(crate) fn time_run(&self, database: &BenchDatabase, prompt: &str) -> anyhow::Result<f64> {
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

    /// Returns the processor time and memory of one run.
    ///
    /// The standard library cannot read them once a process has ended. So the run is held up at its very end, by a full
    /// pipe that it cannot write its answer to.
    pub(crate) fn measure_usage(
        &self,
        database: &BenchDatabase,
        prompt: &str,
    ) -> anyhow::Result<ProcessUsage> {
        let (mut reader, mut writer) = std::io::pipe()?;
        writer.write_all(&[0; PIPE_BYTES])?;
        let mut child = self.command(database, prompt).stdout(writer).spawn()?;
        let usage = usage_at_rest(child.id());
        reader.read_to_end(&mut Vec::new())?;
        child.wait()?;
        usage.context("a process ended before it answered")
    }
}

/// The resources that a run uses until it answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessUsage {
    pub(crate) cpu_ms: f64,
    pub(crate) peak_kib: f64,
}

/// The capacity of a pipe, in bytes.
const PIPE_BYTES: usize = 64 * 1024;

/// Waits until a process neither runs nor wants to, and reads its usage until then.
fn usage_at_rest(process: u32) -> Option<ProcessUsage> {
    let mut before = f64::NAN;
    loop {
        std::thread::sleep(Duration::from_millis(4));
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let field = |name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()
        };
        let peak_kib = field("VmHWM:")?.parse().ok()?;
        let cpu_ms = read_cpu_ms(process)?;
        if field("State:")? == "S" && cpu_ms == before {
            return Some(ProcessUsage { cpu_ms, peak_kib });
        }
        before = cpu_ms;
    }
}

/// Reads the processor time of a process, of its first thread at least.
pub(crate) fn read_cpu_ms(process: u32) -> Option<f64> {
    let numbers = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let nanoseconds: f64 = numbers.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}
