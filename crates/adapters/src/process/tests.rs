//! Tests with real shells.

use std::io::Write as _;

use super::*;

/// Returns whether a process is there; one that nobody has waited for is over all the same.
#[cfg(unix)]
fn is_running(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// The pipe closes when this process ends, however it does.
#[cfg(unix)]
#[test]
fn a_group_ends_with_the_pipe_of_its_minder() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let line = "sleep 600 & echo $$ $! > new; mv new told; wait";
    let mut shell = RunningShell::start(build_shell(line, folder.path())).unwrap();
    while !told.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    drop(shell.minder.stdin.take());
    let processes = std::fs::read_to_string(told).unwrap();
    for process in processes.split_whitespace() {
        while is_running(process) {
            thread::sleep(Duration::from_millis(5));
        }
    }
    let minder = shell.minder.wait().unwrap();
    assert!(minder.success(), "{minder}");
    shell.end();
}

/// What is said before the leave to begin is no part of the input.
#[test]
fn a_command_line_gets_its_whole_input() {
    let folder = tempfile::tempdir().unwrap();
    let line = if cfg!(windows) { "findstr ." } else { "cat" };
    let mut shell = RunningShell::start(build_shell(line, folder.path())).unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    stdin.write_all(b"first\nlast\n").unwrap();
    drop(stdin);
    let output = io::read_to_string(shell.stdout.take().unwrap()).unwrap();
    shell.end();
    assert_eq!(output.replace('\r', ""), "first\nlast\n");
}

/// The output ends with the last process; were that not ended early, it would have written once more.
#[cfg(windows)]
#[test]
fn a_job_ends_with_all_that_was_started_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let line = "cmd /c \"echo begun > told & ping -n 4 127.0.0.1 > nul & echo over > told\"";
    let mut shell = RunningShell::start(build_shell(line, folder.path())).unwrap();
    while !told.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let output = shell.stdout.take().unwrap();
    shell.end();
    assert_eq!(io::read_to_string(output).unwrap(), "");
    let text = std::fs::read_to_string(told).unwrap();
    assert_eq!(text.trim(), "begun");
}

#[cfg(windows)]
#[test]
fn a_command_line_keeps_its_quotes() {
    let folder = tempfile::tempdir().unwrap();
    let line = "echo \"a b\" c&& echo d";
    let mut shell = RunningShell::start(build_shell(line, folder.path())).unwrap();
    let output = io::read_to_string(shell.stdout.take().unwrap()).unwrap();
    shell.end();
    assert_eq!(output, "\"a b\" c\r\nd\r\n");
}
