//! The program to start for more work of our own: this one, or what an upgrade put in its place since it started.
//!
//! A process that an upgrade meets goes on with the old file. Linux names that `…/hardwon (deleted)`, which nothing can be
//! started by.

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// What Linux adds to the path of a running file that is no longer there.
const DELETED: &str = " (deleted)";

/// Returns the path or the name by which this program is started again.
///
/// # Errors
/// If the system does not say which file runs.
pub fn find_program_to_restart() -> io::Result<PathBuf> {
    let started_as = env::args_os().next().unwrap_or_default();
    Ok(choose_program(
        env::current_exe()?,
        started_as,
        &Path::is_file,
    ))
}

/// Chooses the file that runs; else the one in its place; else what the process was started as, which may be a name on the
/// search path: npm puts a folder aside before it deletes the file in it.
fn choose_program(
    running: PathBuf,
    started_as: OsString,
    is_there: &dyn Fn(&Path) -> bool,
) -> PathBuf {
    if is_there(&running) {
        return running;
    }
    let text = running.to_string_lossy();
    let original = text.strip_suffix(DELETED).map(PathBuf::from);
    let original = original.filter(|original| is_there(original));
    original.unwrap_or_else(|| PathBuf::from(started_as))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(running: &str, started_as: &str, there: &[&str], expected: &str) {
        let is_there = |path: &Path| there.iter().any(|it| Path::new(it) == path);
        let chosen = choose_program(running.into(), started_as.into(), &is_there);
        assert_eq!(chosen, Path::new(expected), "{running}");
    }

    #[test]
    fn it_is_what_runs_or_what_took_its_place() {
        let usual = "/usr/bin/hardwon";
        check(usual, "hardwon", &[usual], usual);
        check("/usr/bin/hardwon (deleted)", "hardwon", &[usual], usual);
        check(
            "/lib/.hardwon-x1/hardwon (deleted)",
            "hardwon",
            &[usual],
            "hardwon",
        );
        check("/lib/.hardwon-x1/hardwon (deleted)", usual, &[usual], usual);
        // A file may be called that.
        let odd = "/usr/bin/hardwon (deleted)";
        check(odd, "hardwon", &[odd, usual], odd);
    }
}
