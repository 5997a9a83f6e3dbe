//! Reads the notice with which a client sends a command to the background: the task's name, and the file that its
//! output goes to. What the command prints is read by one of these.

use super::{Lineage, NameKind};

/// Longest output that can be such a notice, in bytes: the command itself has not printed yet.
const NOTICE_BYTES: usize = 700;

impl Lineage {
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
            } else if is_named && name.len() > 1 {
                self.add_name(NameKind::Task, name);
            }
            is_named = introduces_name(name);
        }
    }
}

/// Returns whether an output says that the command runs on.
fn is_notice(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    text.len() < NOTICE_BYTES && (lower.contains("background") || lower.contains("session id"))
}

/// Returns whether the name of a task follows a word.
fn introduces_name(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["id", "ids", "pid", "pids"].contains(&word.as_str())
}
