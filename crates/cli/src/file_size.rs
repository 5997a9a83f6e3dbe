//! Survives a limit on the size of files (`ulimit -f`).
//!
//! A process that writes past that limit is killed by a signal, unless it ignores the signal: then the write fails, and
//! every command can report that. Ignoring a signal takes unsafe code, which this program has none of; but a signal
//! that a shell ignores stays ignored in the program that it becomes. So where there is such a limit, which is rare,
//! the program restarts itself through a shell. Elsewhere this costs one system call.

use std::{env, os::unix::process::CommandExt as _, process::Command};

use rustix::process::{Resource, getrlimit};

/// Set when the signal is ignored already.
const IGNORED_VARIABLE: &str = "HARDWON_XFSZ_IGNORED";

/// Replaces the process with itself, ignoring the signal, where the size of files is limited. Without a shell, nothing
/// changes.
pub(crate) fn ignore_size_signal() {
    if getrlimit(Resource::Fsize).current.is_none() || env::var_os(IGNORED_VARIABLE).is_some() {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    let error = Command::new("/bin/sh")
        .args(["-c", r#"trap "" XFSZ; exec "$0" "$@""#])
        .arg(program)
        .args(env::args_os().skip(1))
        .env(IGNORED_VARIABLE, "1")
        .exec();
    drop(error);
}
