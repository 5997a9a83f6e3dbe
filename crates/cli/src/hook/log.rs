//! The hook's error log: one line in a file, because nobody reads what a hook prints.
//!
//! Lines are cleaned, for an error may quote what it is about. The size is bounded: a full file replaces the one before
//! it. Where it cannot be written, errors are dropped.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_core::{RawText, limits};
use hardwon_engine::ModelError;
use jiff::Timestamp;

use crate::{output, text_log};

/// How the note of a prompt begins that was not compared by its meaning.
pub(super) const NOT_EMBEDDED: &str = "embedding the prompt: ";

/// Returns how many prompts an embedding came too late for, as far as the log goes back.
pub(crate) fn count_late_prompts(state: &Path) -> usize {
    let late = format!("{NOT_EMBEDDED}{}", ModelError::TimedOut);
    let file = log_file(state);
    let texts = [file.with_extension("log.1"), file].map(fs::read_to_string);
    let lines = texts.iter().flatten().flat_map(|text| text.lines());
    lines.filter(|line| line.contains(&late)).count()
}

/// Returns the path of the log.
pub(super) fn log_file(state: &Path) -> PathBuf {
    state.join("hook.log")
}

/// Appends an error, with the client of the hook.
pub(super) fn write_note(state: &Path, client: &str, what: &str) {
    let message = output::to_one_line(what);
    let message = hardwon_redact::clean_to_bytes(&RawText::from(message), limits::LOG_LINE_BYTES);
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
    drop(text_log::append_line(
        &log_file(state),
        &format!("{now} {client}: {message}\n"),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_without_secrets_and_the_file_is_bounded() {
        let state = tempfile::tempdir().unwrap();
        write_note(state.path(), "codex", "bad\npassword=hunter2 \x1b[31m");
        let text = fs::read_to_string(log_file(state.path())).unwrap();
        let (_, text) = text.split_once(' ').unwrap();
        assert_eq!(
            text,
            "codex: bad password=[REDACTED:password] \u{fffd}[31m\n"
        );
        let long = "word ".repeat(1000);
        for _ in 0..3 * limits::LOG_BYTES / 500 {
            write_note(state.path(), "codex", &long);
        }
        let sizes = fs::read_dir(state.path()).unwrap();
        let sizes: Vec<u64> = sizes
            .map(|it| it.unwrap().metadata().unwrap().len())
            .collect();
        assert_eq!(sizes.len(), 2);
        assert!(
            sizes.iter().all(|size| *size < limits::LOG_BYTES + 1024),
            "{sizes:?}"
        );
    }
}
