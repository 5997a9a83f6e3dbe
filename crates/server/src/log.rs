//! What the server says of itself, on its standard error stream: lines for a person or a journal of services.

use std::io::{Write as _, stderr};

/// Writes one line. That nobody reads it is no reason to stop serving.
pub(crate) fn log_line(line: &str) {
    drop(writeln!(stderr().lock(), "hardwon: {line}"));
}
