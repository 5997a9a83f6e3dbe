//! Tests with real shells.

use std::fs;

use super::*;

/// Returns whether a process is there; one that nobody has waited for is over all the same.
fn is_running(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// The pipe closes when this process ends, however it does.
#[test]
fn a_group_ends_with_the_pipe_of_its_minder() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let line = "sleep 600 & echo $$ $! > new; mv new told; wait";
    let mut shell = RunningShell::start(&mut build_shell(line, folder.path())).unwrap();
    while !told.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    drop(shell.minder.stdin.take());
    let processes = fs::read_to_string(told).unwrap();
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
    let mut shell = RunningShell::start(&mut build_shell("cat", folder.path())).unwrap();
    let mut stdin = shell.child.stdin.take().unwrap();
    stdin.write_all(b"first\nlast\n").unwrap();
    drop(stdin);
    let output = io::read_to_string(shell.child.stdout.take().unwrap()).unwrap();
    shell.end();
    assert_eq!(output, "first\nlast\n");
}
