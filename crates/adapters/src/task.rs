//! Runs a command line in a folder: something that works for a while, such as a coding agent or a run of tests.
//!
//! It may print a lot, of which the end is kept. At its time limit it is killed with
//! all processes it started, and so are those that it leaves behind when it ends. It does not outlive this process.

use std::{
    ffi::OsString,
    io::{self, Read, Write as _},
    path::PathBuf,
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use hardwon_core::limits;
use hardwon_engine::ModelError;

use crate::process::{RunningShell, build_shell};

/// How long the last output may take after that.
const LAST_OUTPUT: Duration = Duration::from_secs(2);
/// How much of the end of its output is kept, in bytes: one more than an answer may have, so that one is not cut unseen.
const KEPT_BYTES: usize = limits::MODEL_REPLY_BYTES + 1;

/// A command line to be run in a folder.
#[derive(Debug, Clone)]
pub struct CommandTask {
    /// The command line.
    pub line: String,
    /// The folder.
    pub folder: PathBuf,
    /// How long it may take.
    pub timeout: Duration,
    /// Environment variables that it does not get.
    pub removed_variables: Vec<OsString>,
    /// Environment variables that it gets in addition.
    pub variables: Vec<(&'static str, OsString)>,
}

/// How a task ended.
#[derive(Debug)]
pub struct TaskEnd {
    /// The end of what it printed.
    pub output: String,
    /// The end of what it printed on stderr.
    pub complaint: String,
    /// Its exit status.
    pub status: ExitStatus,
}

impl CommandTask {
    /// Runs it with this on stdin, until it ends or its time is over.
    ///
    /// # Errors
    /// If it cannot be started, or does not end in time.
    pub fn run(&self, input: &str) -> Result<TaskEnd, ModelError> {
        let deadline = Instant::now() + self.timeout;
        let mut shell = self.start()?;
        let (input, stdin) = (input.to_owned(), shell.stdin.take());
        // None of these threads is joined: a child of the process may keep its pipes open.
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let output = KeptEnd::of_pipe(shell.stdout.take());
        let complaint = KeptEnd::of_pipe(shell.stderr.take());
        let exit_status = shell.wait_until(deadline);
        shell.end();
        Ok(TaskEnd {
            status: exit_status?,
            output: output.take(),
            complaint: complaint.take(),
        })
    }

    fn start(&self) -> Result<RunningShell, ModelError> {
        let mut process = build_shell(&self.line, &self.folder);
        for name in &self.removed_variables {
            process.env_remove(name);
        }
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        process.envs(variables);
        RunningShell::start(process)
    }
}

/// The end of what comes out of a pipe.
struct KeptEnd {
    bytes: Arc<Mutex<Vec<u8>>>,
    is_over: mpsc::Receiver<()>,
}

impl KeptEnd {
    fn of_pipe(pipe: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (sender, is_over) = mpsc::channel();
        let shared_bytes = Arc::clone(&bytes);
        thread::spawn(move || {
            if let Some(pipe) = pipe {
                drop(keep_end(pipe, &shared_bytes));
            }
            let _heard = sender.send(());
        });
        Self { bytes, is_over }
    }

    fn take(self) -> String {
        // Whoever left the group may keep the pipe open; what has come by then is all.
        let _is_over = self.is_over.recv_timeout(LAST_OUTPUT);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(KEPT_BYTES)..]).into_owned()
    }
}

/// Reads a pipe to its end.
fn keep_end(mut pipe: impl Read, kept: &Mutex<Vec<u8>>) -> io::Result<()> {
    let mut part = [0; 8192];
    loop {
        let count = pipe.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        let mut bytes = kept.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(&part[..count]);
        let surplus = bytes.len().saturating_sub(KEPT_BYTES);
        if surplus > KEPT_BYTES {
            bytes.drain(..surplus);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
