//! Processes of a shell's command line: started in a group of their own, waited for, and ended with all they started.
//!
//! They never outlive this process, however that ends. A minder, a shell of its own, waits on a pipe of which this
//! process alone has the other end; when that closes, it kills the group. The command line begins only once the minder
//! knows the group, so there is no moment in between. What the processes are told and what they answer is not known
//! here.

use std::{
    ffi::OsStr,
    io::{self, Write as _},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use hardwon_engine::model::ModelError;

/// Waits for leave to begin, a line on stdin of which the shell reads no byte more, and runs the command line.
#[cfg(unix)]
const BEGIN: &str = "read -r _ || exit\nexec sh -c \"$1\"";
/// Reads the number of a group, and kills the group at the end of its stdin.
#[cfg(unix)]
const MIND: &str = "read -r group || exit\nread -r _\nkill -s KILL -- \"-$group\"";

/// A command line that runs.
pub(crate) struct RunningShell {
    /// The shell.
    pub(crate) child: Child,
    #[cfg(unix)]
    minder: Child,
}

/// Puts together a command line of the system's shell, in a folder, with pipes and a group of its own.
pub(crate) fn build_shell(line: impl AsRef<OsStr>, folder: &Path) -> Command {
    #[cfg(unix)]
    let (shell, args) = ("sh", ["-c", BEGIN, "sh"]);
    #[cfg(not(unix))]
    let (shell, args) = ("cmd", ["/C"]);
    let mut process = Command::new(shell);
    process
        .args(args)
        .arg(line)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process
}

impl RunningShell {
    /// Starts what [`build_shell`] put together.
    pub(crate) fn start(process: &mut Command) -> Result<Self, ModelError> {
        let fail =
            |error: io::Error| ModelError::Unusable(format!("it cannot be started: {error}"));
        #[cfg(unix)]
        return Self::start_minded(process).map_err(fail);
        #[cfg(not(unix))]
        return Ok(Self {
            child: process.spawn().map_err(fail)?,
        });
    }

    #[cfg(unix)]
    fn start_minded(process: &mut Command) -> io::Result<Self> {
        let minder = start_minder()?;
        let child = process.spawn();
        let mut shell = match child {
            Ok(child) => Self { child, minder },
            Err(error) => {
                end_child(minder);
                return Err(error);
            }
        };
        match shell.let_begin() {
            Ok(()) => Ok(shell),
            Err(error) => {
                shell.end();
                Err(error)
            }
        }
    }

    /// Tells the minder whom to mind, and then the shell to begin.
    #[cfg(unix)]
    fn let_begin(&mut self) -> io::Result<()> {
        let no_pipe = || io::Error::other("a pipe was asked for");
        let pipe = self.minder.stdin.as_mut().ok_or_else(no_pipe)?;
        writeln!(pipe, "{}", self.child.id())?;
        let pipe = self.child.stdin.as_mut().ok_or_else(no_pipe)?;
        pipe.write_all(b"\n")
    }

    /// Waits until it ends, looking each time after so long.
    pub(crate) fn wait_until(
        &mut self,
        deadline: Instant,
        look: Duration,
    ) -> Result<ExitStatus, ModelError> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(look),
                Ok(None) => return Err(ModelError::TimedOut),
                Err(error) => return Err(ModelError::Failed(error.to_string())),
            }
        }
    }

    /// Kills it with all processes it started. They may have ended by themselves.
    pub(crate) fn end(self) {
        #[cfg(unix)]
        let _gone = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        end_child(self.child);
        // Last: until here it would still have to end the others.
        #[cfg(unix)]
        end_child(self.minder);
    }
}

/// Starts a minder, in a group of its own, so that nothing which is meant for this process's group ends it.
#[cfg(unix)]
fn start_minder() -> io::Result<Child> {
    let mut minder = Command::new("sh");
    minder
        .args(["-c", MIND])
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut minder, 0);
    minder.spawn()
}

fn end_child(mut child: Child) {
    drop(child.kill());
    drop(child.wait());
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
