//! Processes of a shell's command line: started in a group of their own, waited for, and ended with all they started.
//!
//! What they are told and what they answer is not known here.

use std::{
    ffi::OsStr,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use hardwon_engine::model::ModelError;

/// Puts together a command line of the system's shell, in a folder, with pipes and a group of its own.
pub(crate) fn build_shell(line: impl AsRef<OsStr>, folder: &Path) -> Command {
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut process = Command::new(shell);
    process
        .arg(flag)
        .arg(line)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process
}

/// Starts it.
pub(crate) fn start(process: &mut Command) -> Result<Child, ModelError> {
    let spawned = process.spawn();
    spawned.map_err(|error| ModelError::Unusable(format!("it cannot be started: {error}")))
}

/// Waits until it ends, looking each time after so long.
pub(crate) fn wait_until(
    child: &mut Child,
    deadline: Instant,
    look: Duration,
) -> Result<ExitStatus, ModelError> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(look),
            Ok(None) => return Err(ModelError::TimedOut),
            Err(error) => return Err(ModelError::Failed(error.to_string())),
        }
    }
}

/// Kills the process with all processes it started. They may have ended by themselves.
pub(crate) fn end_group(child: &mut Child) {
    #[cfg(unix)]
    let _gone = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    drop(child.kill());
    drop(child.wait());
}
