//! Runs any command as a model: the question on its stdin, the answer on its stdout.
//!
//! Each question gets a process of its own, in a group of its own and in a folder that belongs to no project, so that
//! an agent asked this way reads no project's instructions. At its time limit it is killed with all processes it
//! started, and it does not outlive this process.

use std::{
    env,
    io::{Read, Write as _},
    process::ExitStatus,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use hardwon_core::{RawText, limits};
use hardwon_engine::{Model, ModelAnswer, ModelError, ModelRequest};
use hardwon_redact::clean_to_chars;

use crate::process::{RunningShell, build_shell};

/// How often to check whether the process has ended, once its output is complete.
const LOOK: Duration = Duration::from_millis(10);

/// Most bytes of its stderr that are read.
const COMPLAINT_BYTES: u64 = 16 * 1024;

/// A shell command that answers questions.
#[derive(Debug, Clone)]
pub struct CommandModel {
    /// The command line.
    pub line: String,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Environment variables that it gets in addition to this process's, as names and values.
    pub variables: Vec<(&'static str, &'static str)>,
}

impl CommandModel {
    fn start(&self) -> Result<RunningShell, ModelError> {
        let mut process = build_shell(&self.line, &env::temp_dir());
        process.envs(self.variables.iter().copied());
        RunningShell::start(process)
    }
}

impl Model for CommandModel {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let deadline = Instant::now() + self.timeout;
        let mut shell = self.start()?;
        let question = format!("{}\n\n{}", ask.prompt.system, ask.prompt.user);
        let mut stdin = shell.stdin.take().expect("a pipe was asked for");
        // None of these threads is joined: a child of the process may keep its pipes open.
        thread::spawn(move || drop(stdin.write_all(question.as_bytes())));
        let answer = read_pipe(shell.stdout.take(), limits::MODEL_REPLY_BYTES as u64 + 1);
        let complaint = read_pipe(shell.stderr.take(), COMPLAINT_BYTES);
        let has_answer = wait_for_answer(&mut shell, &answer, deadline);
        shell.end();
        match has_answer? {
            (text, status) if status.success() => Ok(ModelAnswer {
                text: RawText::new(text),
                tokens: None,
            }),
            (_, status) => Err(describe_failure(
                status,
                &complaint.recv_timeout(LOOK * 10).unwrap_or_default(),
            )),
        }
    }
}

/// Reads a pipe to its end, or up to `most` bytes.
fn read_pipe(pipe: Option<impl Read + Send + 'static>, most: u64) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let pipe = pipe.expect("a pipe was asked for");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.take(most).read_to_end(&mut bytes));
        drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

fn wait_for_answer(
    shell: &mut RunningShell,
    answer: &mpsc::Receiver<String>,
    deadline: Instant,
) -> Result<(String, ExitStatus), ModelError> {
    let left = deadline.saturating_duration_since(Instant::now());
    let text = answer.recv_timeout(left);
    let text = text.map_err(|_| ModelError::TimedOut)?;
    match text.len() {
        ..=limits::MODEL_REPLY_BYTES => Ok((text, shell.wait_until(deadline, LOOK)?)),
        _ => Err(ModelError::Failed(format!(
            "the answer is longer than {} bytes",
            limits::MODEL_REPLY_BYTES
        ))),
    }
}

fn describe_failure(status: ExitStatus, complaint: &str) -> ModelError {
    let complaint = clean_to_chars(&RawText::new(complaint.trim()), limits::REASON_CHARS);
    let complaint_text = format!("it ended with {status}: {complaint}");
    match status.code() {
        // The shell's codes for a program that does not exist or cannot be run.
        Some(126 | 127) => ModelError::Unusable(complaint_text),
        _ => ModelError::Failed(complaint_text),
    }
}

#[cfg(all(test, unix))]
mod tests;
