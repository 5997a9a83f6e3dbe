//! Runs another program with a time limit, and reads what it prints.

use std::{
    io::{self, Read},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// Time between two checks whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Most bytes of its output that are kept.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024;

/// Runs a program, and returns what it printed. `None` if it does not start or was killed at the time limit; nothing if its
/// children keep the pipe open past that.
pub(super) fn read_output(command: &mut Command, limit: Duration) -> Option<String> {
    let streams = command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = streams.stdout(Stdio::piped()).spawn().ok()?;
    let stdout = spawn_reader(child.stdout.take());
    let until = Instant::now() + limit;
    if !has_exited(&mut child, until) {
        return None;
    }
    let rest = until.saturating_duration_since(Instant::now());
    Some(stdout.recv_timeout(rest).unwrap_or_default())
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

/// Waits for a program, and returns whether it ended by itself; kills it at the time limit.
fn has_exited(child: &mut Child, until: Instant) -> bool {
    while Instant::now() < until {
        if let Ok(Some(_)) = child.try_wait() {
            return true;
        }
        thread::sleep(POLL_INTERVAL);
    }
    drop(child.kill());
    drop(child.wait());
    false
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
            let output = read_output(shell.args(["-c", script]), limit);
            assert_eq!(output.as_deref(), Some(stdout));
        }
    }
}
