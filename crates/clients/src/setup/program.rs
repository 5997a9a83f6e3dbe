//! Runs another program with a time limit, and reads what it prints.

use std::{
    io::{self, Read, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// Time between two checks whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Most bytes of each stream that are kept.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024;

/// How a program ended in time.
pub(super) struct ProgramEnd {
    pub(super) is_success: bool,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    until: Instant,
}

impl ProgramEnd {
    /// Returns what it printed; nothing if its children keep the pipe open past the time limit.
    pub(super) fn stdout(&self) -> String {
        self.receive(&self.stdout)
    }

    /// Returns what it printed as errors, with the same limit.
    pub(super) fn stderr(&self) -> String {
        self.receive(&self.stderr)
    }

    fn receive(&self, stream: &Receiver<String>) -> String {
        let rest = self.until.saturating_duration_since(Instant::now());
        stream.recv_timeout(rest).unwrap_or_default()
    }
}

/// Runs a program with this input; `None` if it was killed at the time limit.
///
/// # Errors
///
/// If it does not start.
pub(super) fn run_program(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
) -> io::Result<Option<ProgramEnd>> {
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = streams.stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that asks nothing may have closed it already.
        drop(stdin.write_all(input));
    }
    let stdout = spawn_reader(child.stdout.take());
    let stderr = spawn_reader(child.stderr.take());
    let until = Instant::now() + limit;
    Ok(
        wait_for_exit(&mut child, until).map(|is_success| ProgramEnd {
            is_success,
            stdout,
            stderr,
            until,
        }),
    )
}

/// Reads a program's output, and discards what is too much.
fn spawn_reader(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        if let Some(mut stream) = stream {
            let mut head = stream.by_ref().take(OUTPUT_BYTES_MAX);
            drop(head.read_to_end(&mut output));
            drop(io::copy(&mut stream, &mut io::sink()));
        }
        // Nobody may wait for it any more.
        drop(sender.send(String::from_utf8_lossy(&output).into_owned()));
    });
    receiver
}

/// Waits for a program, and returns whether it succeeded; kills it at the time limit.
fn wait_for_exit(child: &mut Child, until: Instant) -> Option<bool> {
    while Instant::now() < until {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status.success());
        }
        thread::sleep(POLL_INTERVAL);
    }
    drop(child.kill());
    drop(child.wait());
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_keeps_the_pipes_open_is_not_waited_for() {
        let limit = Duration::from_secs(4);
        // Whoever waited for the end of the child would have what was printed.
        for (script, stdout) in [("echo 1.2", "1.2\n"), ("echo 1.2; sleep 60 &", "")] {
            let mut shell = Command::new("sh");
            let end = run_program(shell.args(["-c", script]), b"", limit);
            let end = end.unwrap().unwrap();
            assert_eq!((end.is_success, end.stdout().as_str()), (true, stdout));
        }
    }
}
