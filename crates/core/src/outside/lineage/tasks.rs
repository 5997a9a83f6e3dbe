//! Reads the notice with which a client sends a command to the background: the task's name, and the file that its
//! output goes to. What the command prints is read by one of these.

use super::{Lineage, kind};

/// Longest output that can be such a notice, in bytes: the command itself has not printed yet.
const NOTICE_BYTES: usize = 700;

/// Most lines at the beginning of an output in which a client says where it has saved the rest.
const NOTICE_LINES: usize = 8;

impl Lineage {
    /// Adds the files that a call from outside says it has saved its result to.
    pub(super) fn note_saved(&mut self, output: Option<&str>) {
        let output = output.unwrap_or_default();
        let ends = output
            .lines()
            .take(NOTICE_LINES)
            .chain(output.lines().last());
        for line in ends {
            if super::flow::is_archive(line.trim()) {
                self.add_path(line.trim());
            }
            let lower = line.to_ascii_lowercase();
            let at = ["saved ", "saving ", "into '", "submodule path '"]
                .iter()
                .find_map(|verb| lower.find(verb));
            for word in at.map_or("", |at| &line[at..]).split_whitespace() {
                let name = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
                if name.contains(['.', '/']) {
                    self.add_path(name);
                }
            }
        }
    }

    /// Adds the task that a call from outside left running.
    pub(super) fn note_tasks(&mut self, output: Option<&str>) {
        let Some(notice) = output.filter(|text| is_notice(text)) else {
            return;
        };
        let mut is_named = false;
        for word in notice.split_whitespace() {
            let name = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
            if name.contains('/') {
                self.add_path(name);
            } else if is_named && !name.is_empty() {
                self.add_name(kind::TASK, name);
            }
            is_named = introduces_name(name);
        }
    }
}

/// Returns whether an output says that the command runs on.
fn is_notice(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    const NOTICES: [&str; 5] = [
        "background",
        "session id",
        "shellid",
        "with pid",
        "still running",
    ];
    text.len() < NOTICE_BYTES && NOTICES.iter().any(|notice| lower.contains(notice))
}

/// Returns whether the name of a task follows a word: it may be `7`, which is nobody's name elsewhere.
pub(super) fn introduces_name(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["id", "ids", "pid", "pids", "shellid"].contains(&word.as_str())
}
