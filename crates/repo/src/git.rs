//! Starts `git` so that it does what it is asked to, whatever the repository and the environment configure.

use std::{
    ffi::OsStr,
    io::{self, Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use crate::{RepositoryError, Result};

/// The most that is kept of what git says on stderr, in bytes.
const SAID_BYTES: usize = 2048;

/// Settings that win over those of the repository.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false", "core.pager=cat", "diff.external=",
    "diff.renames=false", "log.showSignature=false", "core.quotePath=false", "protocol.allow=never",
];

/// Variables that would change what git answers or what it starts. The index and the git folder that a hook names stay.
#[rustfmt::skip]
const REMOVED_VARIABLES: &[&str] = &[
    "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PAGER", "GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF",
    "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_REFLOG_ACTION", "GIT_ASKPASS", "SSH_ASKPASS",
];

/// Builds a call of git in a folder.
pub(crate) fn git_in(folder: &Path) -> Command {
    let mut command = configured_git_in(folder);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
}

/// Builds a call of git that answers by what the repository configures; for questions about that, which run nothing.
pub(crate) fn configured_git_in(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["--no-pager", "--literal-pathspecs", "--no-optional-locks"]);
    for name in REMOVED_VARIABLES {
        command.env_remove(name);
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs git, and returns what it prints; `doing` says what for.
pub(crate) fn run<A: AsRef<OsStr>>(
    folder: &Path,
    doing: &'static str,
    args: impl IntoIterator<Item = A>,
) -> Result<Vec<u8>> {
    run_with(folder, doing, args, Vec::new())
}

/// Runs git with this on stdin, and returns what it prints.
pub(crate) fn run_with<A: AsRef<OsStr>>(
    folder: &Path,
    doing: &'static str,
    args: impl IntoIterator<Item = A>,
    input: Vec<u8>,
) -> Result<Vec<u8>> {
    let mut command = git_in(folder);
    command.args(args);
    run_command(command, doing, input)
}

/// Runs a call of git that is put together, with this on stdin, and returns what it prints.
pub(crate) fn run_command(
    mut command: Command,
    doing: &'static str,
    input: Vec<u8>,
) -> Result<Vec<u8>> {
    let mut child = command
        .stdin(Stdio::piped())
        .spawn()
        .map_err(RepositoryError::NoGit)?;
    let stdin = child.stdin.take();
    // Git may answer before it has read everything.
    let writer = thread::spawn(move || match stdin {
        Some(mut stdin) => stdin.write_all(&input),
        None => Ok(()),
    });
    let output = child.wait_with_output();
    let output = output.map_err(RepositoryError::io(doing))?;
    let result = writer.join().unwrap_or(Ok(()));
    if !output.status.success() {
        return Err(RepositoryError::failed(doing, to_one_line(&output.stderr)));
    }
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(RepositoryError::Io { doing, error })
        }
        _ => Ok(output.stdout),
    }
}

/// Returns what git said before it ended, on one line.
pub(crate) fn read_complaint(child: &mut Child) -> String {
    let mut message = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        // What cannot be read is not said.
        drop(stderr.take(SAID_BYTES as u64).read_to_end(&mut message));
    }
    to_one_line(&message)
}

fn to_one_line(said: &[u8]) -> String {
    let message = String::from_utf8_lossy(&said[..said.len().min(SAID_BYTES)]);
    let words: Vec<&str> = message.split_whitespace().collect();
    if words.is_empty() {
        "nothing".to_owned()
    } else {
        words.join(" ")
    }
}

/// Splits what git prints with `-z`; the last part ends with a zero too.
pub(crate) fn split_zeros(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let output = output.strip_suffix(&[0]).unwrap_or(output);
    let is_empty = output.is_empty();
    output.split(|byte| *byte == 0).filter(move |_| !is_empty)
}

/// Makes a path of the bytes that git has for it.
#[cfg(unix)]
pub(crate) fn to_path(bytes: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}

/// Makes a path of the bytes that git has for it.
#[cfg(not(unix))]
pub(crate) fn to_path(bytes: &[u8]) -> std::path::PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Splits what git prints line by line.
pub(crate) fn split_lines(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let output = output.strip_suffix(b"\n").unwrap_or(output);
    let is_empty = output.is_empty();
    output
        .split(|byte| *byte == b'\n')
        .filter(move |_| !is_empty)
}
