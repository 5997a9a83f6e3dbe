//! Tests with real shell commands.

use super::*;

fn run(line: &str, timeout: Duration) -> Result<TaskEnd, ModelError> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let task = CommandTask {
        line: line.to_owned(),
        folder: folder.path().to_owned(),
        timeout,
        removed_variables: vec!["PWD_OF_MINE".into(), "HOME".into()],
        variables: vec![("GREETING", "well".into())],
    };
    task.run(&"question ".repeat(100_000))
}

#[test]
fn the_end_of_what_it_prints_is_kept() {
    let long = Duration::from_secs(60);
    let end = run(
        "yes | head -c 3000000; echo last; echo why >&2; exit 3",
        long,
    )
    .unwrap();
    assert!(end.output.ends_with("y\nlast\n") && end.output.len() <= KEPT_BYTES);
    assert_eq!(
        (end.complaint.as_str(), end.status.code()),
        ("why\n", Some(3))
    );
    let end = run("cat | wc -c; echo \"$GREETING${HOME:+ home}\"", long).unwrap();
    assert_eq!(end.output.replace(' ', ""), "900000\nwell\n");
    let end = run("/no/such/program", long).unwrap();
    assert_eq!(end.status.code(), Some(127));
}

#[test]
fn what_it_started_ends_with_it() {
    let home = tempfile::tempdir().unwrap();
    let (kept, late) = (home.path().join("pid"), Duration::from_millis(500));
    for line in [
        "sleep 60 & echo $! > FILE; wait",
        "sleep 60 & echo $! > FILE",
    ] {
        let ended = run(&line.replace("FILE", &kept.display().to_string()), late);
        assert_eq!(ended.is_err(), line.ends_with("wait"), "{line}");
        let pid = std::fs::read_to_string(&kept).unwrap();
        let is_there = |pid: &str| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            // One that nobody has waited for is over all the same.
            stat.is_ok_and(|stat| !stat.contains(") Z "))
        };
        while is_there(&pid) {
            thread::sleep(Duration::from_millis(20));
        }
    }
}
