//! The last event of each client, and when it last got a lesson: one tiny file a client.
//!
//! It is for a person who asks whether the hooks work. Two simultaneous hooks may overwrite each other's entry, which
//! is harmless.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

use hardwon_engine::private_file;
use jiff::{Timestamp, fmt::serde::timestamp::millisecond};
use serde::{Deserialize, Serialize};

/// The last activity of a client's hooks. In the file, times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookActivity {
    /// The time of its last event.
    #[serde(with = "millisecond::required")]
    pub at: Timestamp,
    /// The client's name of that event.
    pub event: String,
    /// When it last got a lesson; `None` if never.
    #[serde(rename = "shown", with = "millisecond::optional")]
    pub shown_at: Option<Timestamp>,
}

/// Fewest bytes of a line, so that each covers the one before it.
const LINE_BYTES: usize = 200;
/// Time after an entry in which the next event is not recorded, in milliseconds.
const RECENT_MILLIS: i64 = 1000;

fn activity_file(state: &Path, client: &str) -> PathBuf {
    state.join("clients").join(client)
}

/// Returns the last activity of a client's hooks; `None` if there was none.
pub fn read_activity(state: &Path, client: &str) -> Option<HookActivity> {
    serde_json::from_slice(&fs::read(activity_file(state, client)).ok()?).ok()
}

/// Records that a client sent an event, and whether it got a lesson.
///
/// The file is overwritten in place, at most once a second: truncating it first makes a file system wait for its
/// journal, and every hook would wait with it.
pub(super) fn write_activity(
    state: &Path,
    client: &str,
    event: &str,
    at: Timestamp,
    is_shown: bool,
) {
    let before = read_activity(state, client);
    let now = at.as_millisecond();
    let is_recent =
        |seen: &HookActivity| (0..RECENT_MILLIS).contains(&(now - seen.at.as_millisecond()));
    if !is_shown && before.as_ref().is_some_and(is_recent) {
        return;
    }
    let shown_before = before.and_then(|seen| seen.shown_at);
    let activity = HookActivity {
        at,
        event: event.to_owned(),
        shown_at: if is_shown { Some(at) } else { shown_before },
    };
    let text = serde_json::to_string(&activity).expect("words and numbers are JSON");
    let line = format!("{text:<LINE_BYTES$}\n");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    if let Ok(mut file) = private_file::open(&mut options, &activity_file(state, client)) {
        drop(file.write_all(line.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lesson_is_remembered_past_other_events() {
        let state = tempfile::tempdir().unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(read_activity(state.path(), "codex"), None);
        write_activity(state.path(), "codex", "Stop", at(1), false);
        assert_eq!(read_activity(state.path(), "codex").unwrap().shown_at, None);
        write_activity(state.path(), "codex", "UserPromptSubmit", at(2), true);
        write_activity(state.path(), "codex", "Stop", at(3), false);
        let seen = read_activity(state.path(), "codex").unwrap();
        assert_eq!(
            (seen.at, &*seen.event, seen.shown_at),
            (at(3), "Stop", Some(at(2)))
        );
        let soon = Timestamp::from_millisecond(3_999).unwrap();
        write_activity(state.path(), "codex", "Start", soon, false);
        assert_eq!(read_activity(state.path(), "codex").unwrap(), seen);
        write_activity(state.path(), "codex", "Start", soon, true);
        assert_eq!(
            read_activity(state.path(), "codex").unwrap().shown_at,
            Some(soon)
        );
        fs::write(activity_file(state.path(), "codex"), "half a wo").unwrap();
        assert_eq!(read_activity(state.path(), "codex"), None);
    }
}
