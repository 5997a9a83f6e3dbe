//! Processes of a shell's command line: started in a group of their own, waited for, and ended with all they started.
//!
//! They never outlive this process, however that ends. A minder, a shell of its own, waits on a pipe of which this
//! process alone has the other end; when that closes, it kills the group. The command line begins only once the minder
//! knows the group, so there is no moment in between. On Windows the group is a job, in which the command line begins, and
//! there is no minder: if this process is killed there, the group goes on. What the processes are told and what they answer is
//! not known here.

#[cfg(unix)]
use std::io::Write as _;
use std::{
    ffi::OsStr,
    io,
    path::Path,
    process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use hardwon_engine::ModelError;

/// Waits for leave to begin, a line on stdin of which the shell reads no byte more, and runs the command line.
#[cfg(unix)]
const BEGIN: &str = "read -r _ || exit\nexec sh -c \"$1\"";
/// Reads the number of a group, and kills the group at the end of its stdin.
#[cfg(unix)]
const MIND: &str = "read -r group || exit\nread -r _\nkill -s KILL -- \"-$group\"";

#[cfg(unix)]
type ShellChild = std::process::Child;
#[cfg(windows)]
type ShellChild = Box<dyn process_wrap::std::ChildWrapper>;

/// How often to check whether a process has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A command line that runs.
pub(crate) struct RunningShell {
    /// What it reads.
    pub(crate) stdin: Option<ChildStdin>,
    /// What it answers.
    pub(crate) stdout: Option<ChildStdout>,
    /// What it says beside that.
    pub(crate) stderr: Option<ChildStderr>,
    child: ShellChild,
    #[cfg(unix)]
    minder: ShellChild,
}

/// Puts together a command line of the system's shell, in a folder, with pipes and a group of its own.
pub(crate) fn build_shell(line: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut process = name_shell(line.as_ref());
    process
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    process
}

#[cfg(unix)]
fn name_shell(line: &OsStr) -> Command {
    let mut process = Command::new("sh");
    process.args(["-c", BEGIN, "sh"]).arg(line);
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process
}

/// The line goes to the shell as it is: quoted as an argument, its own quotes would be escaped in a way that `cmd` does not
/// read.
#[cfg(windows)]
fn name_shell(line: &OsStr) -> Command {
    use std::os::windows::process::CommandExt as _;
    let mut line_in_quotes = std::ffi::OsString::from("\"");
    line_in_quotes.push(line);
    line_in_quotes.push("\"");
    let mut process = Command::new("cmd");
    process.raw_arg("/d /s /c").raw_arg(line_in_quotes);
    process
}

impl RunningShell {
    /// Starts what [`build_shell`] put together.
    pub(crate) fn start(process: Command) -> Result<Self, ModelError> {
        let fail =
            |error: io::Error| ModelError::Unusable(format!("it cannot be started: {error}"));
        Self::start_group(process).map_err(fail)
    }

    #[cfg(windows)]
    fn start_group(process: Command) -> io::Result<Self> {
        use process_wrap::std::{CommandWrap, JobObject};
        let mut child = CommandWrap::from(process).wrap(JobObject).spawn()?;
        Ok(Self {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
            child,
        })
    }

    #[cfg(unix)]
    fn start_group(mut process: Command) -> io::Result<Self> {
        let minder = start_minder()?;
        let mut child = match process.spawn() {
            Ok(child) => child,
            Err(error) => {
                end_child(minder);
                return Err(error);
            }
        };
        let mut shell = Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            minder,
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
        let pipe = self.stdin.as_mut().ok_or_else(no_pipe)?;
        pipe.write_all(b"\n")
    }

    /// Waits until it ends.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> Result<ExitStatus, ModelError> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(LOOK),
                Ok(None) => return Err(ModelError::TimedOut),
                Err(error) => return Err(ModelError::Failed(error.to_string())),
            }
        }
    }

    /// Kills it with all processes it started. They may have ended by themselves.
    #[cfg(unix)]
    pub(crate) fn end(self) {
        let _gone = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        end_child(self.child);
        // Last: until here it would still have to end the others.
        end_child(self.minder);
    }

    /// Kills it with all processes it started. They may have ended by themselves.
    #[cfg(windows)]
    pub(crate) fn end(mut self) {
        // The job, not only the shell.
        drop(self.child.kill());
    }
}

/// Starts a minder, in a group of its own, so that nothing which is meant for this process's group ends it.
#[cfg(unix)]
fn start_minder() -> io::Result<ShellChild> {
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

#[cfg(unix)]
fn end_child(mut child: ShellChild) {
    drop(child.kill());
    drop(child.wait());
}

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests;
