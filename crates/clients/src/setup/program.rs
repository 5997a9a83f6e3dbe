//! Runs another program with a time limit, and reads what it prints.

use std::{
    io::{self, Read, Write as _},
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Time between two checks whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Most bytes of each stream that are kept.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024;

/// How a program ended in time.
pub(super) struct ProgramEnd {
    pub(super) is_success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Runs a program with this input; `None` if it was killed at the time limit. What it printed is not read then, because its
/// children may keep its pipes open.
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
    Ok(
        wait_for_exit(&mut child, limit).map(|is_success| ProgramEnd {
            is_success,
            stdout: stdout.join().unwrap_or_default(),
            stderr: stderr.join().unwrap_or_default(),
        }),
    )
}

/// Reads a program's output, and discards what is too much.
fn spawn_reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut output = Vec::new();
        if let Some(mut stream) = stream {
            drop(
                stream
                    .by_ref()
                    .take(OUTPUT_BYTES_MAX)
                    .read_to_end(&mut output),
            );
            drop(io::copy(&mut stream, &mut io::sink()));
        }
        String::from_utf8_lossy(&output).into_owned()
    })
}

/// Waits for a program, and returns whether it succeeded; kills it at the time limit.
fn wait_for_exit(child: &mut Child, limit: Duration) -> Option<bool> {
    let until = Instant::now() + limit;
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
