//! Waits for the end of processes that nobody here started, by what `/proc` says of them.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

/// How long what was killed may take to end all that it started.
const ENDING: Duration = Duration::from_secs(10);

/// A process as `/proc` has it.
pub(super) struct FoundProcess {
    pub(super) group: String,
    pub(super) line: String,
}

/// Waits until no such process is there any more; returns whether that came.
pub(super) fn wait_until_gone(is_wanted: &dyn Fn(&FoundProcess) -> bool) -> bool {
    let deadline = Instant::now() + ENDING;
    while list_processes().iter().any(is_wanted) {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Lists the processes that have not ended.
fn list_processes() -> Vec<FoundProcess> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let read = |folder: PathBuf| {
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // `pid (name) state parent group …`
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut words = rest.split(' ');
        let state = words.next()?;
        let line = fs::read(folder.join("cmdline")).ok()?;
        (state != "Z").then(|| FoundProcess {
            group: words.nth(1).unwrap_or_default().to_owned(),
            line: String::from_utf8_lossy(&line).into_owned(),
        })
    };
    entries.filter_map(|entry| read(entry.path())).collect()
}
